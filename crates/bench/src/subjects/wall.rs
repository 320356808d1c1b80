//! Time on the wall of a durable append, beside what the disk alone takes.

use crate::clocks::Measured;
use crate::ground::Ground;
use crate::options::Options;
use crate::progress::progress;
use crate::report::{Report, Table, figure, grouped, median};
use crate::task::Task;
use crate::tasks::append::Append;
use crate::tasks::append::Way;

const APPENDS: usize = 4000;
const WRITERS: usize = 8;

/// One run: what it is called, and how it is measured.
type Run<'a> = (&'static str, Box<dyn Fn() -> Result<Measured, String> + 'a>);

/// The disk and the log in turn, several times.
pub fn run(ground: &Ground, options: &Options, report: &mut Report) -> Result<(), String> {
    let columns = ["what", "per append, µs", "per second", "÷ raw write of 1 writer", "processor time, µs"];
    let mut table = Table::new("Time of a durable append", &columns);
    table.note(format!(
        "Wall time, medians of {} rounds, single appends with caller's ids; 8 writers: time until all are done, \
         divided by all appends. *raw*: a write of 4 KiB and `fdatasync`, each writer to its own file: *in place* into \
         a file of 4 MiB, *growing* at the end of one (what a file system must then flush besides).",
        options.rounds()
    ));
    let runs: [Run; 8] = [
        ("raw in place, 1 writer", Box::new(|| raw(ground, false, 1))),
        ("raw growing, 1 writer", Box::new(|| raw(ground, true, 1))),
        ("raw in place, 8 writers", Box::new(|| raw(ground, false, WRITERS))),
        ("raw growing, 8 writers", Box::new(|| raw(ground, true, WRITERS))),
        ("plain SQLite, 1 writer", Box::new(|| append(ground, Way::Plain, 1))),
        ("log, 1 writer", Box::new(|| append(ground, Way::Log, 1))),
        ("log, 8 threads", Box::new(|| append(ground, Way::Log, WRITERS))),
        ("log, 8 processes", Box::new(|| processes(ground))),
    ];
    let mut found: Vec<Vec<Measured>> = runs.iter().map(|_| Vec::new()).collect();
    for round in 0..options.rounds() {
        progress(&format!("wall: round {} of {}", round + 1, options.rounds()));
        for ((_, run), found) in runs.iter().zip(&mut found) {
            found.push(run()?);
        }
    }
    let wall = |run: &[Measured]| median(run.iter().map(Measured::wall_each).collect());
    let raw = wall(&found[0]);
    for ((name, _), found) in runs.iter().zip(&found) {
        let each = wall(found);
        let cpu = median(found.iter().map(Measured::cpu_each).collect());
        let per_second = grouped((1e6 / each) as u64);
        table.row([(*name).to_owned(), figure(each), per_second, format!("{:.2} ×", each / raw), figure(cpu)]);
    }
    report.tables.push(table);
    Ok(())
}

fn raw(ground: &Ground, growing: bool, writers: usize) -> Result<Measured, String> {
    let folder = ground.fresh("wall")?;
    ground.measure(&Task::Flush { folder, growing, writers, count: (APPENDS / writers) as u64 })
}

fn append(ground: &Ground, way: Way, writers: usize) -> Result<Measured, String> {
    let folder = ground.fresh("wall")?;
    let batches = APPENDS / writers;
    ground.measure(&Task::Append(Append { way, folder, with_ids: true, batch: 1, batches, writers, first: 0 }))
}

fn processes(ground: &Ground) -> Result<Measured, String> {
    let folder = ground.fresh("wall")?;
    let task = |first: u64, batches: usize| {
        let folder = folder.clone();
        Task::Append(Append { way: Way::Log, folder, with_ids: true, batch: 1, batches, writers: 1, first })
    };
    // The log is there before they start.
    ground.measure(&task(APPENDS as u64, 1))?;
    let each = APPENDS / WRITERS;
    let tasks: Vec<Task> = (0..WRITERS).map(|n| task((n * each) as u64, each)).collect();
    ground.measure_together(&tasks)
}
