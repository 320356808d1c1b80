//! Folding the log into its views, from nothing and beside the old ones.

use std::path::Path;

use super::home;
use crate::clocks::{Measured, Stopwatch};

/// What the first reader of a log without views pays.
pub fn fold(home: &Path) -> Result<Measured, String> {
    let (_memory, space) = home::open(home)?;
    space.views().discard().map_err(|e| e.to_string())?;
    let events = space.log().tip().map_err(|e| e.to_string())?.seq;
    let watch = Stopwatch::start();
    space.views().catch_up(space.log(), events, &mut |_| {}).map_err(|e| e.to_string())?;
    Ok(watch.stop(events))
}

/// What `rebuild` does.
pub fn rebuild(home: &Path) -> Result<Measured, String> {
    let (_memory, space) = home::open(home)?;
    let events = space.log().tip().map_err(|e| e.to_string())?.seq;
    let watch = Stopwatch::start();
    space.views().rebuild(space.log(), &mut |_| {}).map_err(|e| e.to_string())?;
    Ok(watch.stop(events))
}
