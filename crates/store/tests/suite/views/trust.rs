//! Views and logs that do not belong together: it is said, and nothing is answered.

use std::sync::Mutex;

use idetic_core::views::VIEWS;
use idetic_store::{Error, Log, Options, SqliteLog, Views};
use tempfile::TempDir;

use super::digest;
use crate::suite::given::{self, all, batch, note};

/// A log of so many events; the seed decides which space it is.
fn log(seed: u64, events: u64) -> (TempDir, SqliteLog) {
    let folder = given::folder();
    let log = SqliteLog::create(folder.path(), given::sources_from(seed), &Options::default()).expect("a log");
    let bodies: Vec<String> = (0..events).map(note).collect();
    log.append(batch(&bodies)).expect("appended");
    (folder, log)
}

fn catch_up(views: &Views, log: &dyn Log, seq: u64) -> Result<(), Error> {
    let turns = Mutex::new(0);
    views.catch_up(log, seq, &mut |reached| {
        let mut turns = turns.lock().expect("no panic");
        *turns += 1;
        assert!(*turns < 100, "it stands at {reached} and does not stop");
    })
}

#[test]
fn another_log_is_noticed_wherever_it_ends() {
    let (folder, own) = log(1, 10);
    digest(&Views::open(folder.path(), VIEWS), &own, 10);
    for events in [10, 12, 2000] {
        let (_other_folder, other) = log(2, events);
        for seq in [1, 9, 10, events] {
            let views = Views::open(folder.path(), VIEWS);
            assert_eq!(catch_up(&views, &other, seq), Err(Error::Replaced { seq: 10 }), "{seq} of {events}");
        }
    }
    assert_eq!(catch_up(&Views::open(folder.path(), VIEWS), &own, 10), Ok(()));
}

#[test]
fn a_shorter_log_is_noticed_wherever_it_ends() {
    let (folder, own) = log(1, 10);
    digest(&Views::open(folder.path(), VIEWS), &own, 10);
    for events in [0, 1, 9] {
        let other_folder = given::folder();
        let other = given::log_in(other_folder.path());
        other.graft(&all(&own)[..events as usize]).expect("taken in");
        for seq in [1, events, 10, 12] {
            let views = Views::open(folder.path(), VIEWS);
            let shortened = Error::Shortened { have: events, had: 10 };
            assert_eq!(catch_up(&views, &other, seq), Err(shortened), "{seq} of {events}");
        }
    }
}

#[test]
fn a_log_that_ends_too_early_is_said_to_and_not_waited_for() {
    for have in [0, 1, 5, 1000] {
        let (folder, log) = log(1, have);
        let shortened = Err(Error::Shortened { have, had: have + 1 });
        assert_eq!(catch_up(&Views::open(folder.path(), VIEWS), &log, have + 1), shortened);
        assert_eq!(catch_up(&Views::in_memory(VIEWS), &log, have + 1), shortened);
    }
}

#[test]
fn a_damaged_event_stops_the_views_in_front_of_it() {
    let (folder, log) = log(1, 10);
    drop(log);
    let raw = rusqlite::Connection::open(folder.path().join("log.db")).expect("the database");
    raw.execute("UPDATE events SET sealed = zeroblob(40) WHERE seq = 6", []).expect("altered");
    drop(raw);
    let log = given::log_in(folder.path());
    let views = Views::open(folder.path(), VIEWS);
    assert!(matches!(catch_up(&views, &log, 10), Err(Error::Damaged { seq: 6, .. })));
    assert!(views.position().expect("a position") < 6);
    assert!(matches!(views.rebuild(&log, &mut |_| {}), Err(Error::Damaged { seq: 6, .. })));
}
