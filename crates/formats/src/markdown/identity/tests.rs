//! Identities that survive new numbers, and nothing else.

use proptest::prelude::*;

use super::*;
use crate::markdown::{Draft, append};

fn draft(number: u64, summary: &str, refs: &[u64]) -> Draft {
    Draft {
        number,
        time: idetic_core::Time(0),
        agent: "a".to_owned(),
        kind: "create".to_owned(),
        scope: vec!["x".to_owned()],
        summary: summary.to_owned(),
        details: Vec::new(),
        refs: refs.to_vec(),
        tags: Vec::new(),
    }
}

fn of(drafts: &[Draft]) -> Vec<Identity> {
    let text = append("", drafts).expect("appends");
    identities(&[&Changelog::read(&text)]).remove(0)
}

#[test]
fn a_reference_is_part_of_an_event_and_a_number_is_not() {
    let plain = of(&[draft(1, "one", &[]), draft(2, "two", &[1]), draft(3, "three", &[3])]);
    let moved = of(&[draft(7, "one", &[]), draft(8, "two", &[7]), draft(9, "three", &[9])]);
    assert_eq!(plain, moved);
    let other = of(&[draft(1, "One", &[]), draft(2, "two", &[1]), draft(3, "three", &[3])]);
    assert_ne!(plain[1].full, other[1].full, "what it refers to is another event");
    assert_eq!(plain[1].alone, other[1].alone, "yet it says the same itself");
    assert_eq!(plain[2], other[2]);
    assert_ne!(
        of(&[draft(1, "one", &[2])])[0].full,
        of(&[draft(1, "one", &[3])])[0].full,
        "unknown ones by their text"
    );
}

#[test]
fn circles_end_and_the_archive_counts() {
    let circle = of(&[draft(1, "one", &[2]), draft(2, "two", &[1])]);
    assert_eq!(circle, of(&[draft(5, "one", &[6]), draft(6, "two", &[5])]));
    let text = append("", &[draft(1, "one", &[]), draft(2, "two", &[1])]).expect("appends");
    let whole = Changelog::read(&text);
    let at = whole.entries()[1].range.start;
    let (old, new) = (Changelog::read(&text[..at]), Changelog::read(&text[at..]));
    assert_eq!(identities(&[&old, &new]).concat(), identities(&[&whole]).concat());
    let windows = Changelog::read(&text.replace('\n', " \r\n"));
    assert_eq!(identities(&[&windows]), identities(&[&whole]));
}

proptest! {
    #[test]
    fn numbers_never_matter(refs in proptest::collection::vec(proptest::collection::vec(1_u64..9, 0..3), 1..9), step in 1_u64..50) {
        let count = refs.len() as u64;
        let known = |refs: &[u64]| refs.iter().copied().filter(|r| *r <= count).collect::<Vec<_>>();
        let plain: Vec<Draft> = refs.iter().zip(1..).map(|(r, n)| draft(n, &format!("event {n}"), &known(r))).collect();
        let moved: Vec<Draft> = plain.iter().map(|d| {
            let refs = d.refs.iter().map(|r| r * step + 3).collect();
            Draft { number: d.number * step + 3, refs, ..d.clone() }
        }).collect();
        prop_assert_eq!(of(&plain), of(&moved));
    }
}
