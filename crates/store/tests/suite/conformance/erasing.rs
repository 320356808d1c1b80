//! Erasing: what some events say is gone for every handle, and everything else is as it was.

use std::collections::BTreeSet;

use idetic_store::Error;

use super::{NewPlace, walk, with};
use crate::suite::given::{self, batch, event, note_with_id};

pub fn check_all(new_place: NewPlace) {
    what_is_erased_is_gone_and_the_rest_stays(new_place);
    erasing_again_or_nothing_changes_nothing(new_place);
}

fn body(n: u64) -> String {
    note_with_id(n, format_args!("text {n}"))
}

pub fn what_is_erased_is_gone_and_the_rest_stays(new_place: NewPlace) {
    // With and without a beginning that was moved elsewhere, the last event of all among the erased ones.
    for archived in [0, 4, 6] {
        let (place, log) = with(new_place, &(1..=7).map(body).collect::<Vec<_>>());
        let other = place.open(given::sources_from(5));
        assert_eq!(log.archive(archived, &mut |_| {}), Ok(archived));
        let (before, tip) = (walk(&*log), log.tip());
        let erased = BTreeSet::from([1, 4, 5, 7]);
        assert_eq!(log.erase(&erased), Ok(4), "{archived} archived");
        for handle in [&log, &other] {
            for (was, is) in before.iter().zip(walk(&**handle)) {
                assert_eq!((&was.header, was.hash), (&is.header, is.hash));
                assert_eq!(is.secret, was.secret.clone().filter(|_| !erased.contains(&is.header.seq)));
            }
            assert_eq!(handle.tip(), tip);
            assert_eq!(handle.check_storage(), Ok(Vec::new()));
            assert_eq!(handle.find(event(&body(4)).id.expect("an id").1), Ok(Some(4)), "an id stays taken");
            assert!(matches!(handle.append(batch(&[body(4)])), Err(Error::Conflict(_))), "nobody can tell any more");
            assert_eq!(handle.append(batch(&[body(3)])).expect("a retry")[0].seq, 3);
        }
        assert_eq!(other.append(batch(&[body(8)])).expect("appending goes on")[0].seq, 8);
        assert_eq!(walk(&*log).len(), 8);
    }
}

pub fn erasing_again_or_nothing_changes_nothing(new_place: NewPlace) {
    let (_place, log) = with(new_place, &(1..=5).map(body).collect::<Vec<_>>());
    assert_eq!(log.erase(&BTreeSet::new()), Ok(0));
    assert_eq!(log.erase(&BTreeSet::from([0, 6, 99])), Ok(0), "events that are not there");
    assert!(walk(&*log).iter().all(|event| event.secret.is_some()));
    assert_eq!(log.erase(&BTreeSet::from([2, 3])), Ok(2));
    let after = walk(&*log);
    assert_eq!(log.erase(&BTreeSet::from([2, 3])), Ok(0));
    assert_eq!(walk(&*log), after);
}
