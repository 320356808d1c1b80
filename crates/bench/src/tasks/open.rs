//! What a program pays before its first answer: the home, the space, one event.

use std::path::Path;

use super::home;
use crate::clocks::{Measured, Stopwatch};
use crate::records;

/// Opens, reads one event and closes, so many times. The files are in the system's cache, nothing is in the program's.
pub fn run(home: &Path, count: u64) -> Result<Measured, String> {
    let events = home::open(home)?.1.log().tip().map_err(|e| e.to_string())?.seq;
    let watch = Stopwatch::start();
    for n in 0..count {
        let (_memory, space) = home::open(home)?;
        space.event(records::mix(n) % events + 1).map_err(|e| e.to_string())?;
    }
    Ok(watch.stop(count))
}
