//! Numbers, links, atomic batches, expectations and clocks.

use std::sync::atomic::{AtomicUsize, Ordering};

use idetic_core::{Hash, SpaceId, Time, Tip};
use idetic_store::{Batch, Conflict, Error, HeadState};

use super::{NewPlace, empty, walk, with};
use crate::suite::given::{self, all, batch, note};

pub fn check_all(new_place: NewPlace) {
    a_new_log_is_empty_and_sound(new_place);
    events_are_numbered_without_gaps_and_linked(new_place);
    what_was_said_comes_back_byte_for_byte(new_place);
    an_empty_batch_appends_nothing(new_place);
    an_expectation_that_holds_is_no_obstacle(new_place);
    a_stale_expectation_is_a_conflict_and_appends_nothing(new_place);
    a_clock_that_goes_back_does_not_take_the_log_with_it(new_place);
    every_event_has_a_salt_and_an_id_of_its_own(new_place);
    the_head_is_remembered_and_the_storage_is_sound(new_place);
}

pub fn a_new_log_is_empty_and_sound(new_place: NewPlace) {
    let (place, log) = empty(new_place);
    let tip = log.tip().expect("a tip");
    assert_eq!(tip, Tip::empty(tip.space));
    assert_eq!(all(&*log), []);
    assert_eq!(log.check_storage(), Ok(Vec::new()));
    drop(log);
    assert_eq!(place.open(given::sources_from(1)).tip(), Ok(tip), "the space keeps its id");
    let (_, other) = (new_place(), new_place().open(given::sources_from(2)));
    assert_ne!(other.tip().map(|t| t.space), Ok(tip.space), "another space has another");
}

pub fn events_are_numbered_without_gaps_and_linked(new_place: NewPlace) {
    let (place, log) = empty(new_place);
    let mut seqs = Vec::new();
    for size in [3, 1, 2, 5, 1] {
        let bodies: Vec<String> = (0..size).map(|n| note(format_args!("{n} of {size}"))).collect();
        let acks = log.append(batch(&bodies)).expect("appended");
        seqs.extend(acks.iter().map(|ack| ack.seq));
        let there = all(&*log);
        assert!(acks.iter().all(|ack| there[ack.seq as usize - 1].header.id == ack.id));
    }
    assert_eq!(seqs, (1..=12).collect::<Vec<u64>>());
    let events = walk(&*log);
    assert!(events.iter().zip(1..).all(|(event, seq)| event.header.seq == seq));
    drop(log);
    let again = place.open(given::sources_from(1));
    assert_eq!(walk(&*again), events);
    assert_eq!(again.append(batch(&[note("next")])).map(|acks| acks[0].seq), Ok(13));
    assert_eq!(walk(&*again).len(), 13);
}

pub fn what_was_said_comes_back_byte_for_byte(new_place: NewPlace) {
    let bodies = [
        r#"{"kind":"test"}"#.to_owned(),
        r#"{ "kind" : "test" , "content" : "Zoë \u00e9 \" \\ \ud83d\ude00 日本" }"#.to_owned(),
        r#"{"metadata":{"b":1.0,"a":1e400,"z":-0,"n":12345678901234567890123},"kind":"a.b"}"#.to_owned(),
        format!(r#"{{"kind":"tool_result","content":"{}"}}"#, "x".repeat(100_000)),
        "{\"kind\":\"error\",\"content\":\"\u{2028} \u{0}\"}".replace('\u{0}', "\\u0000"),
    ];
    let (place, log) = empty(new_place);
    log.append(batch(&bodies)).expect("appended");
    drop(log);
    let events = walk(&*place.open(given::env()));
    let said: Vec<&str> = events.iter().filter_map(|e| e.secret.as_ref()).map(|s| s.body.as_str()).collect();
    assert_eq!(said, bodies);
    let kinds: Vec<&str> = events.iter().map(|e| e.header.kind.as_str()).collect();
    assert_eq!(kinds, ["test", "test", "a.b", "tool_result", "error"]);
}

pub fn an_empty_batch_appends_nothing(new_place: NewPlace) {
    let (_place, log) = with(new_place, &[note("a")]);
    let before = log.tip();
    assert_eq!(log.append(Batch::default()), Ok(Vec::new()));
    assert_eq!(log.append(Batch { expect: Some(9), ..Batch::default() }), Ok(Vec::new()));
    assert_eq!(log.tip(), before);
}

pub fn an_expectation_that_holds_is_no_obstacle(new_place: NewPlace) {
    let (_place, log) = empty(new_place);
    for head in [0, 2, 4] {
        let acks = log.append(Batch { expect: Some(head), ..batch(&[note("a"), note("b")]) }).expect("appended");
        assert_eq!(acks.iter().map(|ack| ack.seq).collect::<Vec<_>>(), [head + 1, head + 2]);
    }
}

pub fn a_stale_expectation_is_a_conflict_and_appends_nothing(new_place: NewPlace) {
    let (_place, log) = with(new_place, &[note("a"), note("b")]);
    let before = log.tip();
    for expected in [0, 1, 3, u64::MAX] {
        let refused = log.append(Batch { expect: Some(expected), ..batch(&[note("c"), note("d")]) });
        assert_eq!(refused, Err(Error::Conflict(Conflict::Moved { expected, head: 2 })));
        assert_eq!(log.tip(), before);
    }
}

pub fn a_clock_that_goes_back_does_not_take_the_log_with_it(new_place: NewPlace) {
    const READINGS: [i64; 8] = [100, 90, 120, i64::MIN, -5, 120, 119, 200];
    let place = new_place();
    let asked = AtomicUsize::new(0);
    let clock = move || Time(READINGS[asked.fetch_add(1, Ordering::Relaxed) % READINGS.len()]);
    let log = place.open(given::sources_with_clock(0, clock));
    log.append(batch(&["a", "b", "c", "d"].map(note))).expect("appended");
    log.append(batch(&["e", "f", "g", "h"].map(note))).expect("appended");
    drop(log);
    let log = place.open(given::sources_with_clock(1, || Time(7)));
    log.append(batch(&[note("i")])).expect("appended");
    let times: Vec<i64> = walk(&*log).iter().map(|event| event.header.recorded_at.0).collect();
    assert_eq!(times, [100, 100, 120, 120, 120, 120, 120, 200, 200]);
}

pub fn every_event_has_a_salt_and_an_id_of_its_own(new_place: NewPlace) {
    let (_place, log) = empty(new_place);
    log.append(batch(&vec![note("the same"); 50])).expect("appended");
    let events = walk(&*log);
    let count = |mut values: Vec<Vec<u8>>| {
        values.sort();
        values.dedup();
        values.len()
    };
    assert_eq!(count(events.iter().map(|e| e.header.id.clone().into_bytes()).collect()), 50);
    assert_eq!(count(events.iter().filter_map(|e| Some(e.secret.as_ref()?.salt.to_vec())).collect()), 50);
    assert_eq!(count(events.iter().map(|e| e.header.commitment.0.to_vec()).collect()), 50);
}

pub fn the_head_is_remembered_and_the_storage_is_sound(new_place: NewPlace) {
    let (place, log) = with(new_place, &["a", "b", "c"].map(note));
    let at = |tip: Tip| -> (SpaceId, u64, Hash) { (tip.space, tip.seq, tip.hash) };
    let tip = log.tip().expect("a tip");
    let (space, seq, hash) = at(tip);
    assert_eq!(log.head(), Ok(HeadState::At { space, seq, hash }));
    assert_eq!(log.accept(), Ok(tip), "there is nothing to accept");
    drop(log);
    let log = place.open(given::env());
    assert_eq!(log.head(), Ok(HeadState::At { space, seq, hash }));
    assert_eq!(log.check_storage(), Ok(Vec::new()));
}
