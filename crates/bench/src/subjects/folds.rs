//! What grows with the log and is paid for each event once: folding, rebuilding, verifying.

use crate::ground::Ground;
use crate::options::Options;
use crate::progress::progress;
use crate::report::{Report, Table, figure};
use crate::subjects::memory::filled;
use crate::task::Task;

/// Measured at every size.
pub fn run(ground: &Ground, options: &Options, report: &mut Report) -> Result<(), String> {
    let sizes = options.sizes();
    let mut table = Table::by_size("Processor time per event of folding, rebuilding and verifying, µs", "what", sizes);
    table.note(
        "*fold*: all views from nothing, as the first reader of a log without views pays it. *verify*: the real \
         program, its start included.",
    );
    let mut rows: [Vec<String>; 4] =
        ["fold", "rebuild", "verify", "views.db, bytes per event"].map(|name| vec![name.to_owned()]);
    for &events in sizes {
        progress(&format!("folds: {events} events"));
        let home = filled(ground, events)?;
        let fold = ground.measure(&Task::Fold { home: home.clone() })?;
        let rebuild = ground.measure(&Task::Rebuild { home: home.clone() })?;
        let times = if events <= 10_000 { 10 } else { 1 };
        let verify = ground.idetic_cpu_us(&home, &["verify"], times)? / events as f64;
        let views = std::fs::metadata(home.join("spaces/local/default/views.db")).map_or(0, |m| m.len());
        let found = [fold.cpu_each(), rebuild.cpu_each(), verify, views as f64 / events as f64];
        rows.iter_mut().zip(found).for_each(|(row, found)| row.push(figure(found)));
    }
    rows.into_iter().for_each(|row| table.row(row));
    report.tables.push(table);
    Ok(())
}
