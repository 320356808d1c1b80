//! A clock that ran ahead: `recorded_at` never decreases, and what comes after still says when it was.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use idetic_core::{Event, Time};
use idetic_store::Log;

use super::given::{self, all, batch, note, note_with_id};

const SECOND: i64 = 1_000_000;
const RIGHT: i64 = 1_767_225_600 * SECOND;
const AHEAD: i64 = RIGHT + 4 * 365 * 86_400 * SECOND;

#[test]
fn events_after_one_from_the_future_say_their_own_time() {
    let folder = given::folder();
    let clock = Arc::new(AtomicI64::new(RIGHT));
    let now = Arc::clone(&clock);
    let sources = given::sources_with_clock(0, move || Time(now.load(Ordering::Relaxed)));
    let log = idetic_store::SqliteLog::create(folder.path(), sources, &Default::default()).expect("a log");
    log.append(batch(&[note("right")])).expect("appended");
    clock.store(AHEAD, Ordering::Relaxed);
    log.append(batch(&[note("ahead")])).expect("appended");
    clock.store(RIGHT + 10 * SECOND, Ordering::Relaxed);
    let said = r#"{"kind":"change","ts":"2025-01-17T12:00:00Z"}"#;
    log.append(batch(&[note_with_id("x", 1), said.to_owned()])).expect("appended");
    clock.store(AHEAD - SECOND / 2, Ordering::Relaxed);
    log.append(batch(&[note("half a second behind is no matter")])).expect("appended");
    clock.store(AHEAD + SECOND, Ordering::Relaxed);
    log.append(batch(&[note("caught up")])).expect("appended");
    let events = all(&log);
    let recorded: Vec<i64> = events.iter().map(|event| event.header.recorded_at.0).collect();
    assert_eq!(recorded, [RIGHT, AHEAD, AHEAD, AHEAD, AHEAD, AHEAD + SECOND]);
    let ts: Vec<Time> = events.iter().map(|event| Event::read(event).expect("readable").ts()).collect();
    let when = Time::parse("2025-01-17T12:00:00Z").expect("a time");
    assert_eq!(ts, [Time(RIGHT), Time(AHEAD), Time(RIGHT + 10 * SECOND), when, Time(AHEAD), Time(AHEAD + SECOND)]);
    // Tried again, at whatever time, it is the same event; with other words it is not.
    clock.store(RIGHT + 60 * SECOND, Ordering::Relaxed);
    assert_eq!(log.append(batch(&[note_with_id("x", 1)])).map(|acks| acks[0].seq), Ok(3));
    assert!(log.append(batch(&[note_with_id("x", 2)])).is_err());
    assert_eq!(all(&log).len(), 6);
}
