//! Taking in events that were sealed elsewhere, and making them the whole log.

use idetic_core::chain::{Fault, Secret};
use idetic_core::{Stored, Time, Tip};
use idetic_store::{Conflict, Error, HeadState, Log, Result};

use super::{NewPlace, empty, walk, with};
use crate::suite::given::{self, batch, event, note, note_with_id};

pub fn check_all(new_place: NewPlace) {
    an_empty_log_takes_in_a_whole_chain(new_place);
    a_chain_is_continued_and_what_is_here_is_passed_over(new_place);
    another_chain_is_refused(new_place);
    a_gap_is_refused(new_place);
    what_was_altered_is_refused(new_place);
    what_cannot_be_read_is_refused(new_place);
    erased_events_are_taken_in_as_they_are(new_place);
    what_was_taken_in_counts_for_ids_and_goes_on(new_place);
    replacing_makes_the_events_the_whole_log(new_place);
    replacing_brings_back_and_takes_away_bodies(new_place);
    a_replacement_that_fails_changes_nothing(new_place);
}

const BODIES: usize = 8;

/// The events of some other log.
fn elsewhere(new_place: NewPlace, seed: u64) -> Vec<Stored> {
    let place = new_place();
    let log = place.open(given::sources_from(seed));
    for n in 0..BODIES {
        let body = if n % 2 == 0 { note(n) } else { note_with_id(n, seed) };
        log.append(batch(&[body])).expect("appended");
    }
    walk(&*log)
}

fn replace(log: &dyn Log, events: &[Stored]) -> Result<Tip> {
    log.replace(None, &mut events.iter().cloned().map(Ok))
}

/// Refuses the events and stays as it was.
fn assert_refused(log: &dyn Log, events: &[Stored], why: &Error) {
    let (tip, before) = (log.tip(), walk(log));
    assert_eq!(log.graft(events).as_ref(), Err(why));
    assert_eq!((log.tip(), walk(log)), (tip, before));
}

pub fn an_empty_log_takes_in_a_whole_chain(new_place: NewPlace) {
    let events = elsewhere(new_place, 7);
    let (place, log) = empty(new_place);
    let tip = events[BODIES - 1].tip();
    assert_eq!(log.graft(&[]).map(|(_, new)| new), Ok(0));
    assert_eq!(log.graft(&events), Ok((tip, BODIES as u64)));
    assert_eq!(walk(&*log), events);
    assert_eq!(log.head(), Ok(HeadState::At { space: tip.space, seq: tip.seq, hash: tip.hash }));
    drop(log);
    assert_eq!(walk(&*place.open(given::env())), events);
}

pub fn a_chain_is_continued_and_what_is_here_is_passed_over(new_place: NewPlace) {
    let events = elsewhere(new_place, 7);
    let (_place, log) = empty(new_place);
    for (range, new) in [(0..3, 3), (3..4, 1), (0..4, 0), (1..6, 2), (5..6, 0), (0..8, 2), (7..8, 0)] {
        let end = events[range.end.max(log.tip().map_or(0, |tip| tip.seq) as usize) - 1].tip();
        assert_eq!(log.graft(&events[range.clone()]), Ok((end, new)), "{range:?}");
    }
    assert_eq!(walk(&*log), events);
}

pub fn another_chain_is_refused(new_place: NewPlace) {
    let (events, others) = (elsewhere(new_place, 7), elsewhere(new_place, 9));
    let (_place, log) = empty(new_place);
    log.graft(&events[..4]).expect("taken in");
    let diverged = |seq| Error::Conflict(Conflict::Diverged { seq });
    assert_refused(&*log, &others, &diverged(1));
    assert_refused(&*log, &others[2..], &diverged(3));
    assert_refused(&*log, &[&events[..3], &others[3..]].concat(), &diverged(4));
    // Behind the end nothing can be compared, but the link and the space tell.
    assert_refused(&*log, &others[4..], &Error::Damaged { seq: 5, fault: Fault::Space });
    let fork = events[2].tip().seal("fork".to_owned(), "test".to_owned(), secret(&note("fork")), Time(9));
    assert_refused(&*log, std::slice::from_ref(&fork), &diverged(4));
    let behind = fork.tip().seal("behind".to_owned(), "test".to_owned(), secret(&note("behind")), Time(i64::MAX));
    assert_refused(&*log, &[behind], &Error::Damaged { seq: 5, fault: Fault::Link });
}

fn secret(body: &str) -> Secret {
    Secret { salt: [3; 32], body: body.to_owned() }
}

pub fn a_gap_is_refused(new_place: NewPlace) {
    let events = elsewhere(new_place, 7);
    let gap = |seq| Error::Damaged { seq, fault: Fault::Number };
    let (_place, log) = empty(new_place);
    assert_refused(&*log, &events[1..], &gap(2));
    log.graft(&events[..3]).expect("taken in");
    assert_refused(&*log, &events[4..], &gap(5));
    assert_refused(&*log, &[&events[..4], &events[5..]].concat(), &gap(6));
    let mut nought = events[0].clone();
    nought.header.seq = 0;
    assert_refused(&*log, &[nought], &Error::Conflict(Conflict::Diverged { seq: 0 }));
}

pub fn what_was_altered_is_refused(new_place: NewPlace) {
    let events = elsewhere(new_place, 7);
    type Change = fn(&mut Stored);
    let changes: [(Change, Fault); 6] = [
        (|e| e.secret.as_mut().expect("kept").body.push(' '), Fault::Body),
        (|e| e.secret.as_mut().expect("kept").salt[0] ^= 1, Fault::Body),
        (|e| e.header.kind.push('x'), Fault::Header),
        (|e| e.header.id.push('x'), Fault::Header),
        (|e| e.header.recorded_at.0 += 1, Fault::Header),
        (|e| e.header.version += 1, Fault::Version),
    ];
    for (change, fault) in changes {
        let mut altered = events.clone();
        change(&mut altered[4]);
        let (_place, log) = empty(new_place);
        assert_refused(&*log, &altered, &Error::Damaged { seq: 5, fault });
        log.graft(&events[..4]).expect("taken in");
        assert_refused(&*log, &altered[4..], &Error::Damaged { seq: 5, fault });
    }
}

pub fn what_cannot_be_read_is_refused(new_place: NewPlace) {
    let (_place, log) = with(new_place, &[note("a")]);
    let tip = log.tip().expect("a tip");
    for body in ["", "[]", r#"{"kind":"banana"}"#, r#"{"kind":"test","seq":1}"#] {
        let sealed = tip.seal("x".to_owned(), "test".to_owned(), secret(body), Time(i64::MAX));
        assert!(matches!(log.graft(&[sealed]), Err(Error::Invalid(_))), "{body}");
        assert_eq!(log.tip(), Ok(tip));
    }
}

pub fn erased_events_are_taken_in_as_they_are(new_place: NewPlace) {
    let mut events = elsewhere(new_place, 7);
    for at in [0, 3, 7] {
        events[at].secret = None;
    }
    let (place, log) = empty(new_place);
    log.graft(&events).expect("taken in");
    assert_eq!(walk(&*log), events);
    drop(log);
    let log = place.open(given::sources_from(1));
    assert_eq!(walk(&*log), events);
    assert_eq!(log.append(batch(&[note("next")])).map(|acks| acks[0].seq), Ok(9));
    assert_eq!(walk(&*log).len(), 9);
}

pub fn what_was_taken_in_counts_for_ids_and_goes_on(new_place: NewPlace) {
    let events = elsewhere(new_place, 7);
    let (_place, log) = empty(new_place);
    log.graft(&events).expect("taken in");
    let known = note_with_id(3, 7);
    assert_eq!(log.find(event(&known).id.expect("an id").1), Ok(Some(4)));
    assert_eq!(log.append(batch(&[known])).map(|acks| acks[0].seq), Ok(4));
    let taken = Conflict::IdTaken { id: "3".to_owned(), seq: 4 };
    assert_eq!(log.append(batch(&[note_with_id(3, "other")])), Err(Error::Conflict(taken)));
    assert_eq!(log.append(batch(&[note("next")])).map(|acks| acks[0].seq), Ok(9));
    assert_eq!(log.graft(&events).map(|(tip, new)| (tip.seq, new)), Ok((9, 0)));
}

pub fn replacing_makes_the_events_the_whole_log(new_place: NewPlace) {
    let (short, long) = (elsewhere(new_place, 7)[..3].to_vec(), elsewhere(new_place, 9));
    let (place, log) = with(new_place, &["a", "b", "c", "d"].map(|id| note_with_id(id, id)));
    for events in [&long, &short, &long, &short] {
        let tip = events[events.len() - 1].tip();
        assert_eq!(replace(&*log, events), Ok(tip));
        assert_eq!(walk(&*log), *events);
        assert_eq!(log.head(), Ok(HeadState::At { space: tip.space, seq: tip.seq, hash: tip.hash }));
    }
    assert_eq!(log.find(event(&note_with_id("a", "a")).id.expect("an id").1), Ok(None));
    assert_eq!(log.append(batch(&[note_with_id("a", "other")])).map(|acks| acks[0].seq), Ok(4));
    drop(log);
    let log = place.open(given::sources_from(1));
    assert_eq!(walk(&*log)[..3], short);
    assert_eq!(replace(&*log, &[]).map(|tip| tip.seq), Ok(0));
    assert_eq!(walk(&*log), []);
    assert_eq!(log.check_storage(), Ok(Vec::new()));
}

/// The hashes of a chain do not tell whether its bodies are there.
pub fn replacing_brings_back_and_takes_away_bodies(new_place: NewPlace) {
    let whole = elsewhere(new_place, 7);
    let mut erased = whole.clone();
    erased[2].secret = None;
    erased[7].secret = None;
    let (_place, log) = empty(new_place);
    log.graft(&whole).expect("taken in");
    for events in [&erased, &whole] {
        assert_eq!(replace(&*log, events).map(|tip| tip.seq), Ok(8));
        assert_eq!(walk(&*log), *events);
    }
}

pub fn a_replacement_that_fails_changes_nothing(new_place: NewPlace) {
    let others = elsewhere(new_place, 7);
    let (_place, log) = with(new_place, &["a", "b"].map(|id| note_with_id(id, id)));
    let (tip, before) = (log.tip(), walk(&*log));
    let broken = Error::Unavailable("the backup ends here".to_owned());
    let stopped = log.replace(None, &mut others[..3].iter().cloned().map(Ok).chain([Err(broken.clone())]));
    assert_eq!(stopped, Err(broken));
    let moved = log.replace(Some(1), &mut others.iter().cloned().map(Ok));
    assert_eq!(moved, Err(Error::Conflict(Conflict::Moved { expected: 1, head: 2 })), "something was added since");
    assert_eq!(replace(&*log, &others[1..]), Err(Error::Damaged { seq: 2, fault: Fault::Number }));
    let mut altered = others.clone();
    altered[5].secret.as_mut().expect("kept").body.push(' ');
    assert_eq!(replace(&*log, &altered), Err(Error::Damaged { seq: 6, fault: Fault::Body }));
    assert_eq!((log.tip(), walk(&*log)), (tip, before));
    assert_eq!(log.find(event(&note_with_id("a", "a")).id.expect("an id").1), Ok(Some(1)));
}
