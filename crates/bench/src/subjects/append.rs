//! Processor time of durable appends against a plain SQLite insert of the same rows with the same indexes.

use crate::ground::Ground;
use crate::options::Options;
use crate::progress::progress;
use crate::report::{Report, Table, figure, grouped, median};
use crate::task::Task;
use crate::tasks::append::Append;
use crate::tasks::append::Way;

/// Records in a batch, batches measured, and how many times a plain insert's time each is allowed.
const BATCHES: [(usize, usize, Option<f64>); 3] = [(1, 1500, Some(2.5)), (100, 150, Some(2.0)), (10_000, 3, None)];
/// Short turns and many rounds: what else the machine does falls on all three alike.
const ROUNDS_FACTOR: usize = 3;
const WAYS: [Way; 3] = [Way::Plain, Way::Log, Way::Space];

/// The three ways in turn, several times, each time with an empty database.
pub fn run(ground: &Ground, options: &Options, report: &mut Report) -> Result<(), String> {
    let columns =
        ["batch", "caller's ids", "plain, µs", "log, µs", "library, µs", "log ÷ plain", "library ÷ plain", "target"];
    let mut table = Table::new("Processor time of a durable append", &columns);
    table.note(
        "Per event, user and system time together. *plain*: rusqlite, the same `events` table with its partial unique \
         index, WAL, `synchronous=FULL`, rows made beforehand, one prepared insert; a batch of 1 is one autocommitted \
         statement, the cheapest transaction there is. *log*: `Log::append` of records checked beforehand. *library*: \
         JSON text through `Record::parse` and `Space::append`.",
    );
    table.note(format!(
        "Medians of {} rounds; in each round the three run one after the other into empty databases, and the ratios \
         are the medians of the rounds' ratios.",
        options.rounds() * ROUNDS_FACTOR
    ));
    for (batch, batches, limit) in BATCHES {
        for with_ids in [false, true] {
            let rounds = rounds(ground, options, batch, batches, with_ids)?;
            let cost = |way: usize| median(rounds.iter().map(|costs| costs[way]).collect());
            let ratio = |way: usize| median(rounds.iter().map(|costs| costs[way] / costs[0]).collect());
            let ids = if with_ids { "with" } else { "without" };
            let mut row = vec![grouped(batch as u64), ids.to_owned()];
            row.extend((0..3).map(|way| figure(cost(way))));
            row.extend((1..3).map(|way| format!("{:.2} ×", ratio(way))));
            row.push(limit.map_or("–".to_owned(), |limit| format!("≤ {limit} ×")));
            table.row(row);
            if let Some(limit) = limit {
                let what = if batch == 1 { "a durable single append" } else { "an append in batches of 100" };
                for (way, name) in [(1, "the log"), (2, "the library, JSON parsed")] {
                    let what = format!("processor time of {what}, {ids} ids, {name}, against a plain insert");
                    report.at_most(what, limit, ratio(way), " ×");
                }
            }
        }
    }
    report.tables.push(table);
    Ok(())
}

/// Microseconds of each way, for each round.
fn rounds(
    ground: &Ground,
    options: &Options,
    batch: usize,
    batches: usize,
    with_ids: bool,
) -> Result<Vec<[f64; 3]>, String> {
    progress(&format!("append: batch {batch}, ids {with_ids}"));
    (0..options.rounds() * ROUNDS_FACTOR)
        .map(|_| {
            let mut costs = [0.0; 3];
            for (cost, way) in costs.iter_mut().zip(WAYS) {
                let folder = ground.fresh("append")?;
                let task = Append { way, folder, with_ids, batch, batches, writers: 1, first: 0 };
                *cost = ground.measure(&Task::Append(task))?.cpu_each();
            }
            Ok(costs)
        })
        .collect()
}
