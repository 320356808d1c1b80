//! Reading events in a space that is open, spread over the whole log.

use std::path::Path;

use idetic_core::Event;
use idetic_ops::{Home, Operation, OwnerContext, find};
use serde::{Deserialize, Serialize};

use super::{fill, home};
use crate::clocks::{Measured, Stopwatch};
use crate::records;

/// What is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reading {
    /// One event by its number.
    Seq,
    /// One event by its id, as the operation `get` does.
    Id,
    /// A hundred events behind each other.
    Range,
}

const RANGE_EVENTS: usize = 100;
/// Read before it is measured, so that the pages and statements a running program has at hand are there.
const WARM_UP: u64 = 20;

/// Measures so many reads.
pub fn run(home: &Path, what: Reading, count: u64) -> Result<Measured, String> {
    match what {
        Reading::Seq => by_seq(home, count),
        Reading::Id => by_id(home, count),
        Reading::Range => range(home, count),
    }
}

fn by_seq(home: &Path, count: u64) -> Result<Measured, String> {
    let (_memory, space) = home::open(home)?;
    let events = space.log().tip().map_err(|e| e.to_string())?.seq;
    repeat(count, |n| {
        let seq = records::mix(n) % events + 1;
        space.event(seq).map(drop).map_err(|e| e.to_string())
    })
}

fn range(home: &Path, count: u64) -> Result<Measured, String> {
    let (_memory, space) = home::open(home)?;
    let events = space.log().tip().map_err(|e| e.to_string())?.seq;
    repeat(count, |n| {
        let from = records::mix(n) % (events - RANGE_EVENTS as u64) + 1;
        let found = space.log().read(from, RANGE_EVENTS).map_err(|e| e.to_string())?;
        let read = found.iter().map(Event::read).collect::<Result<Vec<_>, _>>().map_err(|e| e.message)?;
        if read.len() == RANGE_EVENTS { Ok(()) } else { Err("the range is too short".to_owned()) }
    })
}

/// The operation as a server would run it: the home and the space stay open between two calls.
fn by_id(home: &Path, count: u64) -> Result<Measured, String> {
    let (_memory, space) = home::open(home)?;
    let events = space.log().tip().map_err(|e| e.to_string())?.seq;
    let get: &Operation = find("get").ok_or("there is no operation 'get'")?;
    let home = Home { folder: home.to_owned(), found_by: "the bench".to_owned(), make_on_use: false, log_url: None };
    let (mut reply, mut progress, mut notice) = (|_| Ok(()), |_, _| {}, |_: &str| {});
    let mut context = OwnerContext::new(home, None, home::env(), &mut reply, &mut progress, &mut notice);
    repeat(count, |n| {
        let number = records::mix(n) % events;
        let number = if fill::has_id(number) { number } else { number - 1 };
        let arguments = serde_json::json!({ "event": records::caller_id(number) }).to_string();
        (get.from_json)(&mut context, &arguments).map_err(|e| e.to_string())
    })
}

fn repeat(count: u64, mut read: impl FnMut(u64) -> Result<(), String>) -> Result<Measured, String> {
    (0..WARM_UP).try_for_each(&mut read)?;
    let watch = Stopwatch::start();
    (WARM_UP..WARM_UP + count).try_for_each(&mut read)?;
    Ok(watch.stop(count))
}
