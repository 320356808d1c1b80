//! Fills a space: batches of ten thousand, every second record with an id of its caller's.

use std::path::Path;

use idetic_core::Record;

use super::home;
use crate::clocks::{Measured, Stopwatch};
use crate::records;

const BATCH: u64 = 10_000;

/// Whether the record with a number carries an id.
pub fn has_id(number: u64) -> bool {
    number.is_multiple_of(2)
}

/// Appends the records 0, 1, 2…, which become the events 1, 2, 3…
pub fn run(home: &Path, events: u64) -> Result<Measured, String> {
    let (_memory, space) = home::make(home)?;
    let watch = Stopwatch::start();
    for first in (0..events).step_by(BATCH as usize) {
        let numbers = first..(first + BATCH).min(events);
        let records = numbers.map(|number| Record::parse(records::record(number, has_id(number)).as_bytes()));
        let records = records.collect::<Result<Vec<_>, _>>().map_err(|e| e.message)?;
        space.append(records, None).map_err(|e| e.to_string())?;
    }
    Ok(watch.stop(events))
}
