//! How often the disk is flushed: once for each commit, and many appends share one commit.

use crate::ground::Ground;
use crate::options::Options;
use crate::progress::progress;
use crate::report::{Report, Table, Target, figure, grouped};
use crate::strace::{self, Flushes};
use crate::task::Task;
use crate::tasks::append::Append;
use crate::tasks::append::Way;

/// What is counted: a name, how many threads, how many single appends each makes.
const RUNS: [(&str, usize, usize); 5] = [
    ("1 writer, few", 1, 200),
    ("1 writer, long", 1, 6000),
    ("8 threads, few", 8, 100),
    ("8 threads, long", 8, 2000),
    ("64 threads", 64, 100),
];

/// Counts under `strace`, or says that it is not there.
pub fn run(ground: &Ground, _: &Options, report: &mut Report) -> Result<(), String> {
    let columns = [
        "run",
        "appends",
        "commits",
        "flushes of the WAL",
        "of log.db",
        "other",
        "checkpoints",
        "WAL flushes per commit, without checkpoints",
        "all flushes per 1 000 appends",
    ];
    let mut table = Table::new("Flushes", &columns);
    if !strace::is_there() {
        table.note("Not counted: `strace` is not installed on this machine.");
        progress("flushes: strace is not installed, so they are not counted");
        report.tables.push(table);
        return Ok(());
    }
    table.note(
        "Every `fsync` and `fdatasync` between the first and the last append, counted by `strace` with the file it \
         flushes; commits are the log's own exclusive locks. *few* ends before the first checkpoint. A checkpoint \
         flushes the WAL, then `log.db`, and the first commit after it flushes the new header of the WAL: \
         those are the flushes beyond one per commit.",
    );
    for (name, writers, batches) in RUNS {
        progress(&format!("flushes: {name}"));
        let folder = ground.fresh("flushes")?;
        let task = Append { way: Way::Log, folder, with_ids: true, batch: 1, batches, writers, first: 0 };
        let flushes = strace::count(ground, &Task::Append(task))?;
        let appends = (writers * batches) as u64;
        let Flushes { commits, wal, database, other } = flushes;
        let per_thousand = (wal + database + other) as f64 * 1000.0 / appends as f64;
        let beyond = wal.saturating_sub(2 * database) as f64 / commits as f64;
        let mut row = vec![name.to_owned()];
        row.extend([appends, commits, wal, database, other, database].map(grouped));
        row.extend([figure(beyond), figure(per_thousand)]);
        table.row(row);
        if name.ends_with("few") {
            report.targets.push(Target {
                what: format!("flushes in {commits} commits of {name} without a checkpoint"),
                wanted: format!("exactly {commits}"),
                measured: (wal + database + other).to_string(),
                met: wal + database + other == commits,
            });
        }
        if writers == 64 {
            report.at_most("flushes per 1 000 acknowledged appends of 64 threads", 100.0, per_thousand, "");
        }
    }
    report.tables.push(table);
    Ok(())
}
