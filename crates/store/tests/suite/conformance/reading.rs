//! Reading: ranges, the tip, and what an id leads to.

use idetic_core::record::IdKey;

use super::{NewPlace, empty, walk, with};
use crate::suite::given::{self, batch, event, note, note_with_id};

pub fn check_all(new_place: NewPlace) {
    every_range_gives_exactly_what_is_in_it(new_place);
    the_tip_is_the_last_event(new_place);
    an_id_leads_to_its_event_and_no_other_does(new_place);
    what_was_acknowledged_is_there_for_every_handle(new_place);
}

pub fn every_range_gives_exactly_what_is_in_it(new_place: NewPlace) {
    let (_place, log) = empty(new_place);
    for (from, limit) in [(0, 5), (1, 0), (1, 5), (1, usize::MAX), (u64::MAX, usize::MAX)] {
        assert_eq!(log.read(from, limit), Ok(Vec::new()), "an empty log from {from}, at most {limit}");
    }
    log.append(batch(&["a", "b", "c", "d", "e", "f", "g"].map(note))).expect("appended");
    let events = walk(&*log);
    let past = i64::MAX as u64;
    for from in (0..=9).chain([past, past + 1, u64::MAX]) {
        for limit in (0..=9).chain([usize::MAX - 1, usize::MAX]) {
            let wanted: Vec<_> = events.iter().filter(|e| from > 0 && e.header.seq >= from).take(limit).collect();
            let got = log.read(from, limit).expect("a range");
            assert_eq!(got.iter().collect::<Vec<_>>(), wanted, "from {from}, at most {limit}");
        }
    }
}

pub fn the_tip_is_the_last_event(new_place: NewPlace) {
    let (_place, log) = empty(new_place);
    for seq in 1..=3 {
        log.append(batch(&[note(seq)])).expect("appended");
        assert_eq!(log.tip(), Ok(walk(&*log)[seq - 1].tip()));
    }
}

pub fn an_id_leads_to_its_event_and_no_other_does(new_place: NewPlace) {
    let bodies = [note_with_id("x", 1), note("without"), note_with_id("y", 2)];
    let (place, log) = with(new_place, &bodies);
    let key = |body: &str| event(body).id.expect("an id").1;
    let find = |key| log.find(key).expect("an answer");
    assert_eq!(
        bodies.iter().map(|b| event(b).id.map(|(_, key)| find(key))).collect::<Vec<_>>(),
        [Some(Some(1)), None, Some(Some(3))]
    );
    assert_eq!(find(key(&note_with_id("z", 1))), None);
    assert_eq!(find(IdKey([0; 16])), None);
    // An id that was made is nobody's: a caller who uses the same text means another event.
    let made = walk(&*log)[1].header.id.clone();
    assert_eq!(find(key(&note_with_id(made, 1))), None);
    drop(log);
    assert_eq!(place.open(given::env()).find(key(&bodies[2])), Ok(Some(3)));
}

pub fn what_was_acknowledged_is_there_for_every_handle(new_place: NewPlace) {
    let (place, one) = empty(new_place);
    let two = place.open(given::sources_from(1));
    for round in 0..20 {
        let (writer, reader) = if round % 2 == 0 { (&one, &two) } else { (&two, &one) };
        let acks = writer.append(batch(&[note_with_id(round, "a"), note("b")])).expect("appended");
        let seq = acks[1].seq;
        assert_eq!(reader.tip().map(|tip| tip.seq), Ok(seq));
        assert_eq!(reader.read(seq, 1).map(|events| events[0].header.id.clone()), Ok(acks[1].id.clone()));
        let key = event(&note_with_id(round, "a")).id.expect("an id").1;
        assert_eq!(reader.find(key), Ok(Some(seq - 1)));
    }
    assert_eq!(walk(&*one), walk(&*two));
}
