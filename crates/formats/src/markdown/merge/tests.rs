//! Branches of one log, joined in both directions.

use proptest::prelude::*;

use super::*;
use crate::markdown::{Draft, append};

fn draft(number: u64, summary: &str, refs: &[u64]) -> Draft {
    Draft {
        number,
        time: idetic_core::Time(0),
        agent: "a".to_owned(),
        kind: "fix".to_owned(),
        scope: vec!["x".to_owned()],
        summary: summary.to_owned(),
        details: Vec::new(),
        refs: refs.to_vec(),
        tags: Vec::new(),
    }
}

fn grown(text: &str, name: &str, from: u64, count: u64) -> String {
    let drafts: Vec<Draft> =
        (from..from + count).map(|n| draft(n, &format!("{name} {n}"), &[n, n.saturating_sub(1).max(1)])).collect();
    append(text, &drafts).expect("appends")
}

fn base() -> String {
    grown("# Log\n\n## [Unreleased]\n\n- one\n\n", "base", 1, 3)
}

fn seen(text: &str) -> Vec<(u64, String, Vec<u64>)> {
    let log = Changelog::read(text);
    assert_eq!(log.problems(), [], "{text}");
    log.entries().iter().map(|e| (e.number.unwrap_or(0), e.summary.clone(), e.refs.clone())).collect()
}

fn ids(text: &str) -> Vec<Hash> {
    let mut ids: Vec<Hash> = identities(&[&Changelog::read(text)]).concat().iter().map(|id| id.full).collect();
    ids.sort();
    ids
}

#[test]
fn two_branches_with_twenty_events_each() {
    let base = base();
    let (ours, theirs) = (grown(&base, "ours", 4, 20), grown(&base, "theirs", 4, 20));
    let merged = merge(&base, &ours, &theirs);
    assert!(merged.conflicts.is_empty() && merged.text.starts_with(base.trim_end()));
    assert_eq!(merged.text, merge(&base, &theirs, &ours).text, "whoever merges");
    let events = seen(&merged.text);
    assert_eq!(events.iter().map(|(n, ..)| *n).collect::<Vec<_>>(), (1..=43).collect::<Vec<_>>());
    for side in ["ours", "theirs"] {
        let number = |n: u64| {
            let found: Vec<u64> =
                events.iter().filter(|(_, s, _)| *s == format!("{side} {n}")).map(|(number, ..)| *number).collect();
            assert_eq!(found.len(), 1, "{side} {n}");
            found[0]
        };
        for n in 4..24 {
            let (_, _, refs) = events.iter().find(|(own, ..)| *own == number(n)).expect("an event");
            let before = if n == 4 { 3 } else { number(n - 1) };
            assert_eq!(*refs, [number(n), before], "references follow");
        }
    }
    let there = identities(&[&Changelog::read(&theirs)]).concat();
    let of_theirs = merged.renumbered.iter().filter(|one| there.iter().any(|id| id.full == one.identity));
    assert!(of_theirs.clone().count() >= 19, "they are the same events");
    assert_eq!(ids(&merged.text), ids(&merge(&base, &theirs, &ours).text));
    assert_eq!(merge(&ours, &merged.text, &ours).text, merged.text);
}

#[test]
fn one_side_alone_is_taken_as_it_is() {
    let base = base();
    let theirs = grown(&base, "theirs", 4, 2).replace("- one\n", "- one\n- two\n");
    assert_eq!(merge(&base, &base, &theirs).text, theirs);
    assert_eq!(merge(&base, &theirs, &base).text, theirs);
    assert_eq!(merge(&base, &theirs, &theirs).text, theirs);
    let merged = merge("", "", &theirs);
    assert_eq!((merged.text.as_str(), merged.renumbered.len(), merged.conflicts.len()), (theirs.as_str(), 0, 0));
}

#[test]
fn the_text_for_people_is_merged_too() {
    let base = base();
    let ours = grown(&base, "ours", 4, 1).replace("- one\n", "- one\n- ours\n");
    let theirs = grown(&base, "theirs", 4, 1).replace("- one\n", "- one\n- theirs\n");
    let merged = merge(&base, &ours, &theirs);
    assert!(merged.text.contains("- one\n- ours\n- theirs\n\n## Event Log"), "{}", merged.text);
    let wanted = Conflict::Text { ours: "- ours\n".to_owned(), theirs: "- theirs\n".to_owned() };
    assert_eq!((merged.conflicts, seen(&merged.text).len()), (vec![wanted], 5));
}

#[test]
fn edits_and_deletions_are_told_and_lose_nothing() {
    let base = base();
    let edited = |by: &str| base.replace("base 2", by);
    let merged = merge(&base, &grown(&base, "ours", 4, 1), &edited("base two"));
    assert_eq!(merged.conflicts, [Conflict::Edited { number: 2, side: Side::Theirs }]);
    assert_eq!(seen(&merged.text)[1].1, "base two");
    let merged = merge(&base, &edited("mine"), &edited("yours"));
    assert_eq!(merged.conflicts, [Conflict::EditedTwice { number: 2, other: 4 }]);
    assert_eq!(
        seen(&merged.text).iter().map(|(n, s, _)| (*n, s.as_str())).collect::<Vec<_>>(),
        [(1, "base 1"), (2, "mine"), (3, "base 3"), (4, "yours")]
    );
    let log = Changelog::read(&base);
    let deleted = base.replace(&format!("{}\n\n", log.raw(&log.entries()[1])), "");
    let merged = merge(&base, &deleted, &base);
    assert_eq!(merged.conflicts, [Conflict::Deleted { number: 2, side: Side::Ours }]);
    assert_eq!(merged.text, base);
    let merged = merge(&base, &base, &deleted);
    assert_eq!((merged.conflicts, merged.text), (vec![Conflict::Deleted { number: 2, side: Side::Theirs }], base));
}

#[test]
fn what_refers_to_an_event_whose_words_follow_other_numbers_is_there_once() {
    let named = |at: u64, named: u64| {
        let drafts = [
            draft(at, "begin", &[]),
            draft(at + 1, &format!("go on because of evt-{named:03}"), &[named]),
            draft(at + 2, "end", &[at + 1]),
        ];
        drafts.to_vec()
    };
    let log = "# Log\n\n## Event Log\n\n";
    let written = |drafts: &[Draft]| append(log, drafts).expect("appends");
    // Theirs was merged with a branch whose event came first, so that all of the base have other numbers.
    let (base, theirs) = (written(&named(1, 1)), written(&[vec![draft(1, "another", &[])], named(2, 2)].concat()));
    let ours = grown(&base, "ours", 4, 1);
    for (one, other) in [(&ours, &theirs), (&theirs, &ours)] {
        let merged = merge(&base, one, other);
        let mut said: Vec<String> = seen(&merged.text).into_iter().map(|(_, summary, _)| summary).collect();
        said.sort();
        assert_eq!(said.len(), 5, "{said:?}");
        assert!(merged.conflicts.is_empty(), "{:?}", merged.conflicts);
    }
}

#[test]
fn what_one_side_archived_stays_archived() {
    let base = grown("", "base", 1, 30);
    let done = crate::markdown::archive::archive(
        &Changelog::read(&base),
        &crate::markdown::Graph::default(),
        "2026-03-01",
        "m",
    )
    .expect("moves");
    let other = grown(&base, "other", 31, 2);
    for (ours, theirs) in [(&done.changelog, &other), (&other, &done.changelog)] {
        let merged = merge(&base, ours, theirs);
        assert_eq!(merged.conflicts, []);
        let numbers: Vec<u64> = seen(&merged.text).iter().map(|(n, ..)| *n).collect();
        assert_eq!(numbers, (11..=32).collect::<Vec<_>>());
        assert!(merged.text.contains("<!-- Archived: evt-001 through evt-010"));
    }
}

#[test]
fn generation_one_grows_at_its_front() {
    let event =
        |day: u32, title: &str| format!("## 2026-02-{day:02} — {title}\n\n**Type:** change\n**Scope:** x\n\n---\n\n");
    let base = format!("# Log\n\n{}{}", event(2, "b"), event(1, "a"));
    let ours = base.replacen("## ", &format!("{}## ", event(3, "ours")), 1);
    let theirs = base.replacen("## ", &format!("{}## ", event(4, "theirs")), 1);
    let merged = merge(&base, &ours, &theirs);
    let titles: Vec<String> = Changelog::read(&merged.text).entries().iter().map(|e| e.summary.clone()).collect();
    assert_eq!(titles, ["theirs", "ours", "b", "a"]);
}

proptest! {
    #[test]
    fn no_event_is_lost_and_numbers_are_in_order(count in 0_u64..4, ours in 0_u64..5, theirs in 0_u64..5, both in 0_u64..3, windows in any::<bool>()) {
        let base = if count == 0 { "# Log\n".to_owned() } else { grown("# Log\n", "base", 1, count) };
        let picked = |text: &str, name: &str, own: u64| {
            let text = if own == 0 { text.to_owned() } else { grown(text, name, count + 1, own) };
            let drafts: Vec<Draft> = (0..both).map(|n| draft(count + own + 1 + n, &format!("both {n}"), &[count + own + 1 + n])).collect();
            append(&text, &drafts).expect("appends")
        };
        let (ours, theirs) = (picked(&base, "ours", ours), picked(&base, "theirs", theirs));
        let theirs = if windows { theirs.replace('\n', "\r\n") } else { theirs };
        let merged = merge(&base, &ours, &theirs);
        let numbers: Vec<u64> = seen(&merged.text).iter().map(|(n, ..)| *n).collect();
        prop_assert_eq!(&numbers, &(1..=numbers.len() as u64).collect::<Vec<_>>());
        let mut all: Vec<Hash> = [ids(&ours), ids(&theirs)].concat();
        all.sort();
        all.dedup();
        prop_assert_eq!(ids(&merged.text), all);
        prop_assert_eq!(ids(&merge(&base, &theirs, &ours).text), ids(&merged.text));
        prop_assert_eq!(merge(&base, &ours, &theirs), merged);
    }

    #[test]
    fn any_three_texts_are_merged_without_a_panic(
        base in crate::markdown::changelog::tests::any_log(),
        ours in crate::markdown::changelog::tests::any_log(),
        theirs in crate::markdown::changelog::tests::any_log(),
    ) {
        merge(&base, &ours, &theirs);
    }
}
