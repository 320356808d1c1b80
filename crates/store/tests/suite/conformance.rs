//! The suite that every `Log` runs unchanged: one function for each thing the contract in `log.rs` promises.

mod erasing;
mod many;
mod numbering;
mod reading;
mod retries;
mod taking_in;

use idetic_core::{Stored, Tip};
use idetic_store::{Env, Log, Options, SqliteLog};
use tempfile::TempDir;

use super::given;

/// Where one log lives: opened again, also while it is open, it is the same log.
pub trait Place: Sync {
    /// Opens the log, or creates it.
    fn open(&self, env: Env) -> Box<dyn Log>;
}

/// Makes a place without a log.
pub type NewPlace<'a> = &'a dyn Fn() -> Box<dyn Place>;

/// Checks every guarantee.
pub fn check_all(new_place: NewPlace) {
    numbering::check_all(new_place);
    reading::check_all(new_place);
    retries::check_all(new_place);
    taking_in::check_all(new_place);
    erasing::check_all(new_place);
    many::check_all(new_place);
}

/// An empty log and the place it lives in.
fn empty(new_place: NewPlace) -> (Box<dyn Place>, Box<dyn Log>) {
    let place = new_place();
    let log = place.open(given::env());
    (place, log)
}

/// A log with these events, each in a batch of its own.
fn with<S: AsRef<str>>(new_place: NewPlace, bodies: &[S]) -> (Box<dyn Place>, Box<dyn Log>) {
    let (place, log) = empty(new_place);
    for body in bodies {
        log.append(given::batch(&[body])).expect("appended");
    }
    (place, log)
}

/// Walks the whole chain from its beginning and gives the events. `read` checks too; here it is done without it.
fn walk(log: &dyn Log) -> Vec<Stored> {
    let end = log.tip().expect("a tip");
    let events = given::all(log);
    let tip = events.iter().fold(Tip::empty(end.space), |tip, event| tip.follow(event).expect("a sound chain"));
    assert_eq!(tip, end);
    events
}

struct Folder(TempDir);

impl Place for Folder {
    fn open(&self, env: Env) -> Box<dyn Log> {
        Box::new(SqliteLog::create(self.0.path(), env, &Options::default()).expect("a log"))
    }
}

#[test]
fn the_embedded_log_keeps_every_guarantee() {
    check_all(&|| Box::new(Folder(given::folder())));
}
