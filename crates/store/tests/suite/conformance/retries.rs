//! Ids: a retry gets the answer of the first time, and an id never stands for two things.

use idetic_store::{Ack, Batch, Conflict, Error, Log};

use super::{NewPlace, empty, walk, with};
use crate::suite::given::{self, batch, event, note, note_with_id};

pub fn check_all(new_place: NewPlace) {
    a_retry_is_acknowledged_as_the_first_time(new_place);
    a_retry_may_be_spelt_otherwise(new_place);
    other_content_under_a_known_id_refuses_the_whole_batch(new_place);
    a_repeat_inside_a_batch_is_one_event(new_place);
    a_contradiction_inside_a_batch_refuses_it(new_place);
    a_batch_that_is_known_in_part_appends_the_rest(new_place);
    a_retried_batch_gets_its_answer_whatever_it_expects(new_place);
    the_same_id_under_another_key_is_another_event(new_place);
}

fn seqs(acks: &[Ack]) -> Vec<u64> {
    acks.iter().map(|ack| ack.seq).collect()
}

/// A batch is refused because an id is taken, and nothing of it is left.
fn assert_taken(log: &dyn Log, bodies: &[String], id: &str) -> u64 {
    let before = walk(log);
    let seq = match log.append(batch(bodies)) {
        Err(Error::Conflict(Conflict::IdTaken { id: taken, seq })) if taken == id => seq,
        other => panic!("{other:?}"),
    };
    assert_eq!(walk(log), before);
    seq
}

pub fn a_retry_is_acknowledged_as_the_first_time(new_place: NewPlace) {
    let (place, log) = with(new_place, &[note("before")]);
    let bodies = [note_with_id("x", 1), note_with_id("y", 2)];
    let acks = log.append(batch(&bodies)).expect("appended");
    assert_eq!(acks, [("x", 2), ("y", 3)].map(|(id, seq)| Ack { seq, id: id.to_owned() }));
    log.append(batch(&[note("between")])).expect("appended");
    let before = walk(&*log);
    assert_eq!(log.append(batch(&bodies)), Ok(acks.clone()));
    assert_eq!(log.append(batch(&bodies[1..])), Ok(acks[1..].to_vec()));
    assert_eq!(walk(&*log), before);
    drop(log);
    let log = place.open(given::sources_from(1));
    assert_eq!(log.append(batch(&bodies)), Ok(acks));
    assert_eq!(walk(&*log), before);
}

pub fn a_retry_may_be_spelt_otherwise(new_place: NewPlace) {
    let (_place, log) = with(new_place, &[r#"{"id":"x","kind":"test","metadata":{"a":1,"b":[1,2]}}"#]);
    let again = r#"{ "metadata": {"b": [1, 2], "a": 1}, "kind": "test", "id": "\u0078" }"#;
    assert_eq!(log.append(batch(&[again])).map(|acks| seqs(&acks)), Ok(vec![1]));
    assert_eq!(walk(&*log).len(), 1);
    for other in [r#"{"id":"x","kind":"test","metadata":{"a":1,"b":[2,1]}}"#, r#"{"id":"x","kind":"fix"}"#] {
        assert_eq!(assert_taken(&*log, &[other.to_owned()], "x"), 1);
    }
}

pub fn other_content_under_a_known_id_refuses_the_whole_batch(new_place: NewPlace) {
    let (_place, log) = with(new_place, &[note("before"), note_with_id("x", 1)]);
    let taken = note_with_id("x", "something else");
    for bodies in [
        vec![taken.clone()],
        vec![note("new"), taken.clone()],
        vec![taken.clone(), note("new")],
        vec![note_with_id("y", 1), taken.clone(), note("new")],
    ] {
        assert_eq!(assert_taken(&*log, &bodies, "x"), 2);
    }
    // What was refused with it is not taken either.
    assert_eq!(log.append(batch(&[note_with_id("y", "other")])).map(|acks| seqs(&acks)), Ok(vec![3]));
}

pub fn a_repeat_inside_a_batch_is_one_event(new_place: NewPlace) {
    let (_place, log) = with(new_place, &[note("before")]);
    let x = note_with_id("x", 1);
    let acks = log.append(batch(&[x.clone(), note("a"), x.clone(), note_with_id("y", 1), x])).expect("appended");
    assert_eq!(seqs(&acks), [2, 3, 2, 4, 2]);
    assert_eq!(walk(&*log).len(), 4);
}

pub fn a_contradiction_inside_a_batch_refuses_it(new_place: NewPlace) {
    let (_place, log) = with(new_place, &[note("before")]);
    assert_taken(&*log, &[note("a"), note_with_id("x", 1), note("b"), note_with_id("x", 2)], "x");
}

pub fn a_batch_that_is_known_in_part_appends_the_rest(new_place: NewPlace) {
    let (_place, log) = with(new_place, &[note_with_id("x", 1), note_with_id("y", 1)]);
    let bodies = ["y", "z", "x", "w"].map(|id| note_with_id(id, 1));
    assert_eq!(log.append(batch(&bodies)).map(|acks| seqs(&acks)), Ok(vec![2, 3, 1, 4]));
    assert_eq!(log.append(batch(&bodies)).map(|acks| seqs(&acks)), Ok(vec![2, 3, 1, 4]));
    assert_eq!(walk(&*log).len(), 4);
}

pub fn a_retried_batch_gets_its_answer_whatever_it_expects(new_place: NewPlace) {
    let (_place, log) = with(new_place, &[note("before")]);
    let first = Batch { expect: Some(1), ..batch(&[note_with_id("x", 1), note_with_id("y", 1)]) };
    let acks = log.append(first.clone()).expect("appended");
    assert_eq!(log.append(first), Ok(acks));
    // As soon as there is something new in it, the expectation counts.
    let more = Batch { expect: Some(1), ..batch(&[note_with_id("x", 1), note("new")]) };
    assert_eq!(log.append(more), Err(Error::Conflict(Conflict::Moved { expected: 1, head: 3 })));
    let other = Batch { expect: Some(1), ..batch(&[note_with_id("x", 2)]) };
    let taken = Conflict::IdTaken { id: "x".to_owned(), seq: 2 };
    assert_eq!(log.append(other), Err(Error::Conflict(taken)));
    assert_eq!(walk(&*log).len(), 3);
}

pub fn the_same_id_under_another_key_is_another_event(new_place: NewPlace) {
    let (place, log) = empty(new_place);
    let bodies = [
        r#"{"id":"x","kind":"test","content":"shared"}"#,
        r#"{"id":"x","kind":"test","agent_id":"ann"}"#,
        r#"{"id":"x","kind":"test","agent_id":"ann","persona":"subconscious"}"#,
        r#"{"id":"x","kind":"test","agent_id":"bob"}"#,
    ];
    assert_eq!(log.append(batch(&bodies)).map(|acks| seqs(&acks)), Ok(vec![1, 2, 3, 4]));
    // The actor is who is meant when only the agent is named.
    let actor = r#"{"id":"x","kind":"fix","agent_id":"ann","persona":"actor"}"#.to_owned();
    assert_eq!(assert_taken(&*log, &[actor], "x"), 2);
    drop(log);
    let log = place.open(given::sources_from(1));
    for (body, seq) in bodies.iter().zip(1..) {
        assert_eq!(log.append(batch(&[body])).map(|acks| seqs(&acks)), Ok(vec![seq]));
        assert_eq!(log.find(event(body).id.expect("an id").1), Ok(Some(seq)));
    }
}
