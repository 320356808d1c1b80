//! Reading at every size: in an open space, from a cold start, and with the real program as a whole process.

use std::path::Path;

use rusqlite::Connection;

use crate::ground::Ground;
use crate::options::Options;
use crate::progress::progress;
use crate::records::caller_id;
use crate::report::{Report, Table, figure, grouped, median};
use crate::subjects::memory::filled;
use crate::task::Task;
use crate::tasks::append::Append;
use crate::tasks::append::Way;
use crate::tasks::read::Reading;

/// How many times its cost at the smallest size opening may cost at the largest.
const OPEN_LIMIT: f64 = 10.0;
const PROCESS_LIMIT_MS: f64 = 50.0;
const MILLION: u64 = 1_000_000;
/// Single appends that leave a write-ahead log behind which the next process must read.
const TAIL_APPENDS: usize = 60;
/// Whole processes started for one figure.
const PROCESSES: u32 = 100;
/// The same for questions without a target.
const FILTER_PROCESSES: u32 = 25;

/// The library and the program.
pub fn run(ground: &Ground, options: &Options, report: &mut Report) -> Result<(), String> {
    for &events in options.sizes() {
        let home = filled(ground, events)?;
        progress(&format!("reads: bringing the views of {events} events up to date"));
        ground.idetic_cpu_us(&home, &["log", "--limit", "1"], 1)?;
        empty_wal(&home)?;
    }
    library(ground, options, report)?;
    program(ground, options, report)?;
    filters(ground, options, report)
}

fn library(ground: &Ground, options: &Options, report: &mut Report) -> Result<(), String> {
    let sizes = options.sizes();
    let mut table = Table::by_size("Processor time of reading with the library, µs", "what", sizes);
    table.note(
        "In one process, events picked all over the log, files in the system's cache. *get by id*: the operation \
         `get`, which looks into the views; half of the events have an id of their caller's. *open + first get*: the \
         home, the space and one event, then closed again; *with an empty WAL*, and *after \
         60 appends* with what they left in it.",
    );
    let kinds =
        [("get by seq", Reading::Seq, 5000), ("get by id", Reading::Id, 2000), ("range of 100", Reading::Range, 200)];
    for (name, what, count) in kinds {
        let mut row = vec![name.to_owned()];
        for &events in sizes {
            progress(&format!("reads: {name}, {events} events"));
            row.push(figure(rounds(ground, options, &Task::Read { home: ground.home(events), what, count })?));
        }
        table.row(row);
    }
    for (name, tail) in [("open + first get, with an empty WAL", false), ("open + first get, after 60 appends", true)] {
        let mut costs = Vec::new();
        for &events in sizes {
            progress(&format!("reads: {name}, {events} events"));
            let home = ground.home(events);
            if tail {
                leave_tail(ground, &home, events)?;
            }
            costs.push(rounds(ground, options, &Task::Open { home, count: 200 })?);
        }
        table.row([name.to_owned()].into_iter().chain(costs.iter().map(|cost| figure(*cost))));
        let growth = costs.last().copied().unwrap_or(f64::NAN) / costs.first().copied().unwrap_or(f64::NAN);
        let (small, large) = (sizes[0], sizes[sizes.len() - 1]);
        let what = format!("{name}: {} events against {}", grouped(large), grouped(small));
        report.at_most(what, OPEN_LIMIT, growth, " ×");
    }
    report.tables.push(table);
    Ok(())
}

fn rounds(ground: &Ground, options: &Options, task: &Task) -> Result<f64, String> {
    let costs: Vec<f64> =
        (0..options.rounds()).map(|_| Ok(ground.measure(task)?.cpu_each())).collect::<Result<_, String>>()?;
    Ok(median(costs))
}

/// A small fill leaves its write-ahead log behind and a large one does not: all sizes start alike.
fn empty_wal(home: &Path) -> Result<(), String> {
    ["log.db", "views.db"]
        .iter()
        .try_for_each(|name| {
            let connection = Connection::open(home.join("spaces/local/default").join(name))?;
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        })
        .map_err(|e| format!("cannot empty the write-ahead log: {e}"))
}

/// Appends a few events one by one and folds them, so that later readers find both databases as a busy day leaves them.
fn leave_tail(ground: &Ground, home: &Path, events: u64) -> Result<(), String> {
    let task = Append {
        way: Way::Space,
        folder: home.to_owned(),
        with_ids: true,
        batch: 1,
        batches: TAIL_APPENDS,
        writers: 1,
        first: events * 2,
    };
    ground.measure(&Task::Append(task))?;
    ground.idetic_cpu_us(home, &["log", "--limit", "1"], 1).map(drop)
}

fn program(ground: &Ground, options: &Options, report: &mut Report) -> Result<(), String> {
    let sizes = options.sizes();
    let mut table = Table::by_size("Processor time of the real program as a whole process, ms", "command", sizes);
    table.note(format!(
        "User and system time from start to end, means of {PROCESSES} runs, views up to date, 60 appends in the \
         write-ahead log. `--version` is what starting costs."
    ));
    let id = caller_id(2);
    let commands: [(&str, &[&str], bool); 7] = [
        ("idetic --version", &["--version"], false),
        ("idetic get SEQ", &["get", "500"], true),
        ("idetic get ID", &["get", &id], true),
        ("idetic log --limit 20", &["log", "--limit", "20"], true),
        ("idetic stats", &["stats"], false),
        ("idetic status", &["status"], false),
        ("idetic remember TEXT", &["remember", "the cache was cold, so the first query failed"], false),
    ];
    for (name, arguments, has_target) in commands {
        let mut row = vec![format!("`{name}`")];
        for &events in sizes {
            progress(&format!("reads: {name}, {events} events"));
            let cost = ground.idetic_cpu_us(&ground.home(events), arguments, PROCESSES)? / 1000.0;
            row.push(figure(cost));
            if has_target && Some(&events) == sizes.last() {
                let size = if events == MILLION { "1 M".to_owned() } else { grouped(events) };
                let what = format!("whole process of `{name}` at {size} events");
                report.at_most(what, PROCESS_LIMIT_MS, cost, " ms");
            }
        }
        table.row(row);
    }
    report.tables.push(table);
    Ok(())
}

fn filters(ground: &Ground, options: &Options, report: &mut Report) -> Result<(), String> {
    let sizes = options.sizes();
    let mut table =
        Table::by_size("Processor time of `idetic log --limit 20` with a filter, whole process, ms", "filter", sizes);
    table.note(format!(
        "Means of {FILTER_PROCESSES} runs. No target is set for these: the table shows which questions an index answers."
    ));
    let filters: [&[&str]; 9] = [
        &["--kind", "decision"],
        &["--status", "failure"],
        &["--agent", "coder"],
        &["--source", "billing"],
        &["--tag", "perf"],
        &["--trace", "trace-7"],
        &["--conversation", "c-1"],
        &["--since", "2025-01-01T01:00:00Z"],
        &["--as-of", "900"],
    ];
    for filter in filters {
        let mut row = vec![format!("`{}`", filter.join(" "))];
        for &events in sizes {
            progress(&format!("reads: log {}, {events} events", filter.join(" ")));
            let arguments: Vec<&str> = ["log", "--limit", "20"].into_iter().chain(filter.iter().copied()).collect();
            row.push(figure(ground.idetic_cpu_us(&ground.home(events), &arguments, FILTER_PROCESSES)? / 1000.0));
        }
        table.row(row);
    }
    report.tables.push(table);
    Ok(())
}
