//! Taking in what can then be found by its words, against a plain SQLite database that only keeps it.

use super::setting::Setting;
use crate::report::{Report, Table, figure, grouped, median};
use crate::task::Task;
use crate::tasks::ingest::BATCH;

const QUICK_BATCHES: usize = 2;
const BATCHES: usize = 5;
const LEAST_SPEED: f64 = 0.3;

/// Both in turn, each time with an empty database.
pub fn run(setting: &Setting, report: &mut Report) -> Result<(), String> {
    let batches = if setting.options.quick { QUICK_BATCHES } else { BATCHES };
    let events = (BATCH * batches) as u64;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..setting.rounds() {
        let home = setting.ground.fresh("ingest")?;
        ours.push(setting.ground.measure(&Task::Ingest { home: home.clone(), events })?.cpu_each());
        let folder = setting.ground.fresh("ingest-plain")?;
        theirs.push(setting.ground.measure(&Task::Copy { home, folder })?.cpu_each());
    }
    let speed = median(ours.iter().zip(&theirs).map(|(ours, theirs)| theirs / ours).collect());
    let columns = ["events", "plain SQLite, µs each", "Idetic, µs each", "speed", "target"];
    let mut table = Table::new("Taking in", &columns);
    table.note(format!(
        "Records of about 300 bytes of JSON with ids, in batches of {}: parsed, appended through the library without a \
         model, folded and sealed until a question by words finds them; against a plain bulk insert of the rows that this \
         leaves in the log and in the views, read beforehand, into the same tables with the same indexes. Processor time \
         of a process of its own.",
        grouped(BATCH as u64)
    ));
    let verdict = [format!("{} ×", figure(speed)), format!("≥ {LEAST_SPEED} ×")];
    let cells = [grouped(events), figure(median(theirs)), figure(median(ours))];
    table.row(cells.into_iter().chain(verdict));
    report.tables.push(table);
    report.at_least("speed of taking in until found by words, against a plain insert", LEAST_SPEED, speed, " ×");
    Ok(())
}
