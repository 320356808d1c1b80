//! Both grammars, what only looks like them, and any text at all.

use proptest::prelude::*;

use super::*;

const TWO: &str = "# Changelog

## [1.0.0] - 2026-01-01

- Quotes `## Event Log` in a line

## Event Format

```
### evt-001 | 2026-01-01 10:00 | agent-name | create
```

### evt-NNN | YYYY-MM-DD HH:MM | agent-name | type

## Event Log

<!-- LAYER 1 -->

### evt-001 | 2026-02-26 12:00 | human | milestone

**Scope**: docs (a, b), scripts
**Summary**: One thing
  went on.

**Details**:
- entity: docs
- **From agent:** builder
- `Root cause`: x
- just a sentence
- changes:
  - one
  - two: three
    and more
**Refs**: evt-001, evt-7 (see the PR)
**Tags**: a, `Private`

---

### evt-2 | 2026-02-27 | agent | create
**Scope:** docs
**Summary:** Quotes a heading ## Event Log
**Refs**: none
<!-- archived -->

***

### evt-003 | 2026-13-27 | agent | create
text below

### evt-004 | 2026-02-27
## evt-005 | 2026-02-27 | agent | create
### evt-006 | 2026-02-27 | agent | banana

**Summary**: Something unknown
";

#[test]
fn generation_two_is_read_in_a_wide_grammar() {
    let log = Changelog::read(TWO);
    assert_eq!(log.print(), TWO);
    let ids: Vec<&str> = log.entries().iter().map(|e| e.id.as_str()).collect();
    assert_eq!(ids, ["evt-001", "evt-2", "evt-006"]);
    let one = &log.entries()[0];
    assert_eq!(
        (one.agent.as_str(), one.kind.as_str(), one.when().as_str()),
        ("human", "milestone", "2026-02-26 12:00")
    );
    assert_eq!(one.scope, ["docs (a, b)", "scripts"]);
    assert_eq!(one.summary, "One thing went on.");
    assert_eq!((one.refs.as_slice(), one.tags.len(), one.is_private()), (&[1, 7][..], 2, true));
    let details: Vec<(String, &str)> = one.details.iter().map(|d| (d.name(), d.value.as_str())).collect();
    let wanted = [("entity", "docs"), ("from_agent", "builder"), ("root_cause", "x"), ("", "just a sentence")];
    assert_eq!(details[..4], wanted.map(|(k, v)| (k.to_owned(), v)));
    assert_eq!(
        (details[4].0.as_str(), one.details[4].items.as_slice()),
        ("changes", &["one".to_owned(), "two: three\n  and more".to_owned()][..])
    );
    assert!(log.raw(one).starts_with("### evt-001") && log.raw(one).ends_with("`Private`"));
    assert_eq!((one.line, one.line_of("refs"), one.details[3].line), (19, 34, 29));
    let two = &log.entries()[1];
    assert_eq!((two.only_day, two.when().as_str(), two.number), (true, "2026-02-27", Some(2)));
    assert_eq!((two.scope.len(), two.refs.len(), two.name().as_str()), (1, 0, "evt-002"));
    assert!(log.raw(two).ends_with("**Refs**: none"), "comments and rules separate events");
}

#[test]
fn what_is_wrong_is_kept_and_told_by_line() {
    let log = Changelog::read(TWO);
    let told: Vec<(u64, &str, bool)> = log.problems().iter().map(|p| (p.line, p.rule, p.loses)).collect();
    assert_eq!(
        told,
        [
            (47, "malformed-event", true),
            (50, "malformed-event", true),
            (51, "malformed-event", true),
            (52, "scope-missing", false),
            (52, "type-unknown", false)
        ]
    );
    assert!(log.problems().iter().all(|p| !p.remedy.is_empty() && !p.raw.is_empty()));
    assert_eq!(log.highest(), Some(6));
    let wrong: Vec<Option<u64>> = log
        .pieces()
        .iter()
        .filter_map(|p| if let Part::Malformed(wrong) = &p.part { Some(wrong.number) } else { None })
        .collect();
    assert_eq!(wrong, [Some(3), Some(4), Some(5)]);
}

#[test]
fn generation_one_is_read_newest_first() {
    let text = "# Log\n\n## Format\n\n```markdown\n## 2026-01-01 10:00 — Event Title\n**Type:** change\n```\n\n---\n\n\
        ## 2026-02-23 02:00 — Second\n\n**Type:** [decision]\n**Scope:** repository\n\n### What\nThis.\n\n- a\n\n### Next Steps\n- b\n\n---\n\n\
        ## 2026-02-22 - First\r\n\r\n**Type:** change\r\n**Scope:** docs\r\n\r\n### What\r\nThat.\r\n\n---\n\n*footer*\n\n## 2026-02-21: Bare\n\n## Earlier Events\n\n*See git.*\n";
    let log = Changelog::read(text);
    assert_eq!(log.print(), text);
    let seen: Vec<(String, &str, &str)> =
        log.oldest_first().iter().map(|e| (e.when(), e.kind.as_str(), e.summary.as_str())).collect();
    let wanted =
        [("2026-02-21", "", "Bare"), ("2026-02-22", "change", "First"), ("2026-02-23 02:00", "decision", "Second")];
    assert_eq!(seen, wanted.map(|(w, k, s)| (w.to_owned(), k, s)));
    assert!(log.is_newest_first());
    let second = &log.entries()[0];
    let parts: Vec<(&str, &str)> = second.sections.iter().map(|s| (s.name.as_str(), s.text.as_str())).collect();
    assert_eq!(parts, [("What", "This.\n\n- a"), ("Next Steps", "- b")]);
    assert!(log.raw(&log.entries()[1]).ends_with("That."), "{}", log.raw(&log.entries()[1]));
    let rules: Vec<&str> = log.problems().iter().map(|p| p.rule).collect();
    assert_eq!(rules, ["scope-missing", "type-missing"]);
}

#[test]
fn a_changelog_for_people_holds_no_events() {
    let text = "# Changelog\n\n## 2024-05-01 - v1.2\n\n- Fixed x\n\n## [1.0] - 2024-01-01\n";
    let log = Changelog::read(text);
    assert_eq!((log.entries().len(), log.problems().len(), log.ends_in_events()), (0, 0, false));
}

#[test]
fn an_archive_has_no_section_but_marks() {
    let text = "---\n## Archive: evt-001 through evt-002 | Archived 2026-03-01\n<!-- Archived at milestone: M -->\n---\n\n\
        ### evt-001 | 2026-02-26 | a | create\n\n**Scope**: x\n**Summary**: s\n\n### evt-002 | 2026-02-26 | a | fix\n**Scope**: x\n**Summary**: t\n";
    let log = Changelog::read(text);
    assert_eq!((log.entries().len(), log.problems().len(), log.print().as_str()), (2, 0, text));
    let marker = log.pieces().iter().find_map(|p| if let Part::Marker(m) = &p.part { Some(m.clone()) } else { None });
    assert_eq!(marker, Some(Marker { first: Some(1), last: Some(2), line: 2 }));
}

#[test]
fn fences_comments_and_indented_text_hide_no_more_than_they_hold() {
    let text = "## Events\n\n### evt-001 | 2026-02-26 | a | create\n**Scope**: x\n**Summary**: s\n\n**Details**:\n- sample:\n  ```\n### evt-002 | 2026-02-26 | a | fix\n**Scope**: x\n**Summary**: t\n\n~~~~\n### evt-009 | 2026-02-26 | a | fix\n~~~\n~~~~\n<!--\n### evt-008 | 2026-02-26 | a | fix\n-->\n    ### evt-007 | 2026-02-26 | a | fix\n> ### evt-006 | 2026-02-26 | a | fix\n";
    let numbers: Vec<_> = Changelog::read(text).entries().iter().filter_map(|e| e.number).collect();
    assert_eq!(numbers, [1, 2]);
}

#[test]
fn ten_thousand_events_are_counted() {
    let block = |n: u64| {
        format!(
            "### evt-{n:03} | 2026-02-26 12:00 | a | fix\n\n**Scope**: x\n**Summary**: event {n}\n\n**Refs**: none\n\n"
        )
    };
    let text: String = "## Event Log\n\n".to_owned() + &(1..=10_000).map(block).collect::<String>();
    let log = Changelog::read(&text);
    assert_eq!((log.entries().len(), log.problems().len(), log.pieces().len()), (10_000, 0, 20_001));
    assert_eq!(log.last().and_then(|e| e.number), Some(10_000));
}

#[test]
fn numbers_and_ids() {
    assert_eq!((event_number("7"), event_number("evt-007"), event_number("EVT-7")), (Some(7), Some(7), Some(7)));
    assert_eq!(
        (event_number("evt-"), event_number("x7"), event_number("evt-99999999999999999999")),
        (None, None, None)
    );
    assert_eq!((event_id(7).as_str(), event_id(1234).as_str()), ("evt-007", "evt-1234"));
}

/// Lines that mean something, and lines that nearly do.
fn any_line() -> impl Strategy<Value = String> {
    let known = [
        "## Event Log",
        "## Events",
        "### evt-001 | 2026-02-26 | a | fix",
        "### evt-1 | 2026-02-26 12:00 | b | create",
        "### evt-2 |",
        "## 2026-02-26 — T",
        "**Type:** change",
        "**Scope**: x, y",
        "**Summary**: s",
        "**Details**:",
        "- a: b",
        "  - c",
        "```",
        "~~~",
        "<!--",
        "-->",
        "---",
        "",
        "  ```",
        "**Refs**: evt-001, evt-2",
        "**Tags**: none",
        "## Archive: evt-001 through evt-002 | Archived 2026-01-01",
        "### What",
        "\u{feff}",
        "#",
        "####",
        "**",
        "- ```",
    ];
    prop_oneof![6 => proptest::sample::select(known.to_vec()).prop_map(str::to_owned), 1 => ".{0,20}"]
}

pub(crate) fn any_log() -> impl Strategy<Value = String> {
    let line = (any_line(), prop_oneof![4 => Just("\n"), 1 => Just("\r\n"), 1 => Just("")]);
    proptest::collection::vec(line, 0..40).prop_map(|lines| lines.into_iter().map(|(l, end)| l + end).collect())
}

proptest! {
    #[test]
    fn any_text_comes_back_to_the_byte(text in any_log()) {
        let log = Changelog::read(&text);
        prop_assert_eq!(log.print(), text.as_str());
        let mut at = 0;
        for piece in log.pieces() {
            prop_assert!(piece.range.start == at && piece.range.end > at);
            at = piece.range.end;
        }
        let events = log.pieces().iter().filter(|p| matches!(p.part, Part::Event(_))).count();
        prop_assert_eq!(events, log.entries().len());
    }

    #[test]
    fn any_characters_come_back_to_the_byte(text in "\\PC*|[\\s\\S]{0,200}") {
        prop_assert_eq!(Changelog::read(&text).print(), text);
    }
}
