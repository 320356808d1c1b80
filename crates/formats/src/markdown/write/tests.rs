//! What is written is read back to the letter, and nothing that was there moves.

use proptest::prelude::*;

use super::*;
use crate::markdown::changelog::Entry;

fn detail(key: &str, value: &str, items: &[&str]) -> Detail {
    let items = items.iter().map(|i| (*i).to_owned()).collect();
    Detail { key: key.to_owned(), value: value.to_owned(), items, line: 0 }
}

fn draft() -> Draft {
    Draft {
        number: 7,
        time: Time::parse("2026-02-27 02:15").expect("a time"),
        agent: "human".to_owned(),
        kind: "modify".to_owned(),
        scope: vec!["docs".to_owned(), "scripts".to_owned()],
        summary: "Rule files updated".to_owned(),
        details: vec![detail("path", "AGENTS.md", &[]), detail("changes", "", &["one", "two"])],
        refs: vec![2, 7],
        tags: vec!["rules".to_owned()],
    }
}

/// An event as the draft it would be written from.
fn back(entry: &Entry) -> Draft {
    let details = entry.details.iter().map(|d| Detail { line: 0, ..d.clone() }).collect();
    Draft {
        number: entry.number.unwrap_or(0),
        time: entry.time,
        agent: entry.agent.clone(),
        kind: entry.kind.clone(),
        scope: entry.scope.clone(),
        summary: entry.summary.clone(),
        details,
        refs: entry.refs.clone(),
        tags: entry.tags.clone(),
    }
}

#[test]
fn an_event_is_written_as_the_document_shows_it() {
    assert_eq!(
        draft().print(),
        "### evt-007 | 2026-02-27 02:15 | human | modify\n\n**Scope**: docs, scripts\n**Summary**: Rule files updated\n\n\
         **Details**:\n- path: AGENTS.md\n- changes:\n  - one\n  - two\n\n**Refs**: evt-002, evt-007\n**Tags**: rules\n"
    );
    assert_eq!(draft().safe(), draft());
}

#[test]
fn text_cannot_break_out_of_its_event() {
    let evil = "a\n### evt-008 | 2026-02-27 | x | fix\n**Refs**: evt-001\n```\n- item\n<!--\n\n---\n## Events";
    let hostile = Draft {
        summary: evil.to_owned(),
        agent: "a | b\n### evt-9".to_owned(),
        scope: vec!["x\n## y".to_owned(), "a, b".to_owned()],
        tags: vec![evil.to_owned()],
        details: vec![detail("k", evil, &[evil]), detail(evil, "v", &[]), detail("", evil, &[])],
        ..draft()
    };
    let text = append("# Log\n", &[hostile.clone(), Draft { number: 8, ..draft() }]).expect("appends");
    let log = Changelog::read(&text);
    assert_eq!((log.entries().len(), log.problems()), (2, &[][..]));
    assert_eq!(back(&log.entries()[0]), hostile.safe());
    assert_eq!(log.entries()[0].details[0].value, evil, "a value of many lines stays one");
}

#[test]
fn a_section_is_made_when_there_is_none() {
    for text in ["", "# Changelog\n\n## [1.0.0] - 2026-01-01\n- x", "\u{feff}# A\r\n"] {
        let out = append(text, &[draft()]).expect("appends");
        assert!(out.starts_with(text) && out.contains("## Event Log"), "{out}");
        assert_eq!(out.contains("\r\n"), text.contains("\r\n"));
        assert_eq!(Changelog::read(&out).entries().len(), 1);
    }
}

#[test]
fn events_come_before_sections_that_are_none() {
    let text = "# A\n\n## Event Log\n\n## Notes\n\nx\n";
    let out = append(text, &[draft()]).expect("appends");
    let at = out.find("### evt-007").expect("there");
    assert!(at < out.find("## Notes").expect("there"));
    let out = append(&out, &[Draft { number: 8, ..draft() }]).expect("appends");
    assert!(out.ends_with("**Tags**: rules\n\n## Notes\n\nx\n"), "{out}");
    assert_eq!(Changelog::read(&out).entries().len(), 2);
}

#[test]
fn events_behind_something_that_would_hide_them_are_refused() {
    let late = Draft { details: vec![detail("arrow", "a --> b", &[])], ..draft() };
    let refused = append("## Event Log\n\n<!-- never closed\n", &[late]).expect_err("hidden");
    assert_eq!((refused.rule, refused.line), ("hidden-end", 3));
}

fn text() -> impl Strategy<Value = String> {
    let odd = [
        "- a",
        "```",
        "### evt-001 | 2026-01-01 | a | fix",
        "**Refs**: none",
        "a: b",
        "\\- x",
        "  b",
        "",
        "1. c",
        "<!--",
        "x (y",
        "none",
        "|",
        "---",
        "\\",
        "é",
    ];
    let piece = prop_oneof![3 => proptest::sample::select(odd.to_vec()).prop_map(str::to_owned), 2 => "[ -~\n]{0,12}", 1 => ".{0,8}"];
    proptest::collection::vec(piece, 0..4).prop_map(|pieces| pieces.join("\n"))
}

fn any_detail() -> impl Strategy<Value = Detail> {
    (text(), text(), proptest::collection::vec(text(), 0..3)).prop_map(|(key, value, items)| Detail {
        key,
        value,
        items,
        line: 0,
    })
}

pub(crate) fn any_draft() -> impl Strategy<Value = Draft> {
    let lists = (
        proptest::collection::vec(text(), 0..3),
        proptest::collection::vec(0_u64..9, 0..3),
        proptest::collection::vec(text(), 0..3),
    );
    let rest = (text(), text(), text(), proptest::collection::vec(any_detail(), 0..4));
    (any::<i64>(), lists, rest).prop_map(|(time, (scope, refs, tags), (agent, kind, summary, details))| Draft {
        number: 7,
        time: Time(time),
        agent,
        kind,
        scope,
        summary,
        details,
        refs,
        tags,
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(draft in any_draft()) {
        let safe = draft.safe();
        prop_assert_eq!(&safe.safe(), &safe);
        prop_assert_eq!(safe.print(), draft.print());
        let log = Changelog::read(&draft.print());
        prop_assert_eq!(log.entries().len(), 1, "{}", draft.print());
        prop_assert_eq!(back(&log.entries()[0]), safe, "{}", draft.print());
    }

    #[test]
    fn nothing_that_was_there_moves(text in crate::markdown::changelog::tests::any_log(), draft in any_draft()) {
        let before = Changelog::read(&text);
        if let Ok(out) = append(&text, &[draft]) {
            let kept = out.len() - text.len();
            let cut = match (before.is_first_layout(), before.is_newest_first()) {
                (true, true) => before.entries()[0].range.start,
                (true, false) => before.entries().last().map_or(0, |entry| entry.range.end),
                _ => before.end_of_events.unwrap_or(text.len()),
            };
            prop_assert_eq!(&out[..cut], &text[..cut]);
            prop_assert_eq!(&out[cut + kept..], &text[cut..]);
        }
    }
}
