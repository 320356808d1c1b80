//! Notes as people and programs write them, and edits that leave the rest alone.

use proptest::prelude::*;

use super::*;

const SEED: &str = "---
id: backend-timeout-fix          # Unique ID (kebab-case)
created: 2025-01-17T12:00:00Z    # ISO 8601 creation timestamp
updated: 2025-01-17T14:30:00Z
tags: [troubleshooting, backend, timeout]  # Array of tags
confidence: high                 # low | medium | high
source: agent-learning
linked_to: [trace-context-pattern, error-handling-best-practices]
status: validated
author: claude-code
related_traces: [abc123, def456]
---

# Backend Timeout Fix

## Problem
Backend fails, see `[[not-a-link]]`.

```env
[[neither-this]]
```

## Related Notes
- [[trace-context-pattern]] - How to trace
- [[third|a third one]]
";

fn read(text: &str) -> Note {
    Note::read("file-name", text).0
}

fn set(key: &str, value: &str) -> Change {
    Change::Set(key.to_owned(), New::Text(value.to_owned()))
}

fn set_list(key: &str, items: &[&str]) -> Change {
    Change::Set(key.to_owned(), New::List(items.iter().map(|i| (*i).to_owned()).collect()))
}

#[test]
fn the_document_s_own_note_is_read_whole() {
    let (note, problems) = Note::read("backend-timeout-fix", SEED);
    assert!(problems.is_empty(), "{problems:?}");
    assert_eq!(note.id, "backend-timeout-fix");
    assert_eq!(note.title.as_deref(), Some("Backend Timeout Fix"));
    assert_eq!(note.tags, ["troubleshooting", "backend", "timeout"]);
    assert_eq!(note.confidence, Some(Confidence::High));
    assert_eq!((note.source.as_deref(), note.status.as_deref()), (Some("agent-learning"), Some("validated")));
    assert_eq!(note.author.as_deref(), Some("claude-code"));
    assert_eq!(note.links, ["trace-context-pattern", "error-handling-best-practices", "third"]);
    assert_eq!(note.traces, ["abc123", "def456"]);
    assert_eq!(note.created_at().map(|t| t.to_string()).as_deref(), Some("2025-01-17T12:00:00.000000Z"));
    assert!(note.body().starts_with("\n# Backend"));
    assert_eq!(note.edit(&[]), SEED);
}

#[test]
fn what_stands_in_code_is_no_link_and_no_title_however_the_code_is_marked() {
    for code in [
        "```sh\n# [[x]]\n```\n",
        "~~~\n[[x]]\n```\n[[x]]\n~~~\n",
        "````md\n```\n# [[x]]\n```\n````\n",
        "> ```\n> [[x]]\n> ```\n",
        "- ```sh\n  [[x]]\n  - ```\n  [[x]]\n  ```\n",
        "1. ~~~\r\n   [[x]]\r\n   ~~~\r\n",
        "a `[[x]]` ``[[x]] ` [[x]]`` b\n",
        "```[[x]]```\n",
    ] {
        let note = read(&format!("{code}A `half [[one]]\n# Title\n[[two]]\n```\n[[x]]"));
        assert_eq!(
            (note.links, note.title.as_deref()),
            (vec!["one".to_owned(), "two".to_owned()], Some("Title")),
            "{code}"
        );
    }
}

#[test]
fn lists_are_read_in_every_way_they_are_written() {
    for list in [
        "tags: [a, b]",
        "tags: [\"a\", \"b\"]",
        "tags: ['a', 'b'] # x",
        "tags:\n  - a\n  - b",
        "tags:\n- a # one\n\n# two\n- \"b\"",
        "tags: a, b",
        "tags: \"a\", \"b\"",
        "tags: [a,\n  b]",
        "tags: [\n  a,\n  b\n]",
        "tags: [[a]], [[b]]",
        "tags: [\"#a\", b]",
        "\"tags\": [a, b]",
    ] {
        let note = read(&format!("---\n{list}\nx: 1\n---\n"));
        let tags: Vec<String> = note.tags.iter().map(|t| note_id(t)).collect();
        assert_eq!(tags, ["a", "b"], "{list}");
        assert_eq!(note.get("x"), Some(&Value::Text("1".to_owned())), "{list}");
    }
    for links in [
        "links:\n  - \"[[a]]\"\n  - '[[b|B]]'",
        "related: [[a]], [[notes/b.md]]",
        "linked_to: [\"[[a]]\", b]",
        "linked_to: [[[a]], [[b]]]",
    ] {
        assert_eq!(read(&format!("---\n{links}\n---\n")).links, ["a", "b"], "{links}");
    }
}

#[test]
fn texts_are_read_in_every_way_they_are_written() {
    for (line, wanted) in [
        ("title: \"Phase 3.2: it's \\\"done\\\"\"", "Phase 3.2: it's \"done\""),
        ("title: 'it''s # here'", "it's # here"),
        ("title: it's # a comment", "it's"),
        ("title: C# and http://x", "C# and http://x"),
        ("title: only a blank\u{a0}# begins a comment", "only a blank\u{a0}# begins a comment"),
        ("title: a\n  b", "a b"),
        ("title: |\n  a\n  b", "a\nb"),
        ("title: >-\n  a\n  b", "a b"),
    ] {
        assert_eq!(read(&format!("---\n{line}\n---\n")).title.as_deref(), Some(wanted), "{line}");
    }
    for (word, wanted) in [
        ("high", Some(Confidence::High)),
        ("0.8", Some(Confidence::High)),
        ("0.5", Some(Confidence::Medium)),
        ("Low", Some(Confidence::Low)),
        ("7", None),
        ("sure", None),
    ] {
        let (note, problems) = Note::read("a", &format!("---\nconfidence: {word}\n---\n"));
        assert_eq!((note.confidence, problems.is_empty()), (wanted, wanted.is_some()), "{word}");
    }
}

#[test]
fn missing_and_broken_frontmatter_still_gives_a_note() {
    for text in ["", "# Only a title\n\n[[b]]", "---\ntitle: x\n# no end\n[[b]]\n", "\u{feff}# T [[b]]"] {
        let (note, problems) = Note::read("a", text);
        assert_eq!((note.id.as_str(), problems.len(), problems.iter().any(|p| p.loses)), ("a", 1, false), "{text}");
        assert_eq!(note.links.is_empty(), text.is_empty());
        assert_eq!(note.edit(&[]), text);
    }
    let odd = "---\ntitle: x\nwhat is this\ntitle: y\n  stray: 1\n---\nbody";
    let (note, problems) = Note::read("a", odd);
    assert_eq!(note.title.as_deref(), Some("x"));
    assert_eq!(problems.iter().map(|p| p.line).collect::<Vec<_>>(), [3, 4]);
    assert_eq!(note.edit(&[set("title", "z")]), odd.replace("title: x", "title: z"));
}

#[test]
fn ids_that_lead_elsewhere_are_not_believed() {
    for id in ["../x", "/etc/passwd", "a/b", "..", "nul", "\"a\\u0000\""] {
        let (note, problems) = Note::read("safe", &format!("---\nid: {id}\n---\n"));
        assert_eq!((note.id.as_str(), problems.len()), ("safe", 1), "{id}");
    }
    let (note, problems) = Note::read("file", "---\nid: other\nnote_id: know-1\n---\n[[other]] [[file]]");
    assert_eq!((note.id.as_str(), note.alias.as_deref(), problems.len()), ("other", Some("know-1"), 1));
    assert_eq!(note.links, ["file"], "a note does not lead to itself");
}

#[test]
fn an_edit_changes_the_lines_of_its_key_and_no_other_byte() {
    let note = read(SEED);
    let edited = note.edit(&[set("confidence", "low"), set("updated", "2025-02-01T00:00:00Z")]);
    let wanted = SEED
        .replace("confidence: high                 # low", "confidence: low                 # low")
        .replace("updated: 2025-01-17T14:30:00Z", "updated: 2025-02-01T00:00:00Z");
    assert_eq!(edited, wanted);
    assert_eq!(note.edit(&[set("confidence", "high")]), SEED);
    let edited = note.edit(&[set_list("tags", &["backend", "slow"])]);
    assert_eq!(edited, SEED.replace("[troubleshooting, backend, timeout]", "[backend, slow]"));
    let edited = note.edit(&[set("mood", "good: yes"), Change::Remove("author".to_owned())]);
    assert_eq!(
        edited,
        SEED.replace("author: claude-code\n", "").replace("def456]\n", "def456]\nmood: \"good: yes\"\n")
    );
    let edited = note.edit(&[Change::Body("new\n".to_owned())]);
    assert!(edited.starts_with(&SEED[..300]) && edited.ends_with("---\nnew\n"));
}

#[test]
fn a_list_keeps_the_way_it_is_written() {
    for (before, items, after) in [
        ("links:\n  - \"[[a]]\" # why\n  - \"[[b]]\"", vec!["a", "c"], "links:\n  - \"[[a]]\" # why\n  - \"[[c]]\""),
        ("tags:\n- a\n# about b\n- b", vec!["a", "b", "c"], "tags:\n- a\n# about b\n- b\n- c"),
        ("related: [[a]], [[b]]", vec!["b"], "related: [[b]]"),
        ("tags: [\"a\", \"b\"]", vec!["a", "c d"], "tags: [\"a\", \"c d\"]"),
        ("tags: [a, b] # x", vec![], "tags: [] # x"),
        ("tags:\n  - a", vec![], "tags: []"),
        ("tags:", vec!["a"], "tags: [a]"),
        ("tags: a", vec!["a", "b, c"], "tags: [a, \"b, c\"]"),
    ] {
        let key = before.split(':').next().unwrap_or_default();
        for newline in ["\n", "\r\n"] {
            let text = format!("---\n{before}\nz: 1\n---\nbody\n").replace('\n', newline);
            let wanted = format!("---\n{after}\nz: 1\n---\nbody\n").replace('\n', newline);
            assert_eq!(read(&text).edit(&[set_list(key, &items)]), wanted, "{before}");
        }
    }
    assert_eq!(read("\u{feff}text").edit(&[set("status", "draft")]), "\u{feff}---\nstatus: draft\n---\n\ntext");
}

#[test]
fn a_new_note_is_written_in_the_document_s_order() {
    let draft = Draft {
        id: "backend-timeout-fix".to_owned(),
        created: "2025-01-17T12:00:00Z".to_owned(),
        updated: "2025-01-17T12:00:00Z".to_owned(),
        tags: vec!["backend".to_owned()],
        confidence: Some(Confidence::Medium),
        linked_to: vec!["a".to_owned()],
        author: Some("claude-code".to_owned()),
        title: "Backend  Timeout\nFix".to_owned(),
        body: "Increase it.".to_owned(),
        extra: vec![("type".to_owned(), New::Text("pattern-learning".to_owned()))],
        ..Draft::default()
    };
    assert_eq!(
        Note::print(&draft),
        "---\nid: backend-timeout-fix\ncreated: 2025-01-17T12:00:00Z\nupdated: 2025-01-17T12:00:00Z\ntags: [backend]\nconfidence: medium\nlinked_to: [a]\nauthor: claude-code\ntype: pattern-learning\n---\n\n# Backend Timeout Fix\n\nIncrease it.\n"
    );
}

#[test]
fn a_large_frontmatter_and_a_large_note_are_bounded() {
    let endless = format!("---\n{}", "a: &a [*a, *a]\n".repeat(50_000));
    let (note, problems) = Note::read("a", &endless);
    assert_eq!((note.keys().count(), problems.len()), (0, 1));
    let many = format!("---\ntags: [{}]\n---\n", "x,".repeat(30_000));
    assert_eq!(read(&many).tags, ["x"]);
    let long = "x".repeat(NOTE_MAX_BYTES + 1);
    assert!(Note::read("a", &long).1.iter().any(|p| p.loses));
}

fn any_front() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        "[a-z]{1,4}: [\\PC]{0,12}",
        "tags: [\\[\\]\"', a-z#:\\\\]{0,12}",
        "(tags|links|title):",
        " {0,3}- [\\PC]{0,8}",
        " {1,3}[a-z:\"#]{0,8}",
        "#[a-z ]{0,5}",
        Just(String::new()),
    ];
    (prop::collection::vec(line, 0..8), prop::bool::ANY).prop_map(|(lines, crlf)| {
        let text = format!("---\n{}\n---\n# T\n[[x]]\n", lines.join("\n"));
        if crlf { text.replace('\n', "\r\n") } else { text }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn any_text_is_a_note_and_comes_back_unchanged(text in prop_oneof!["\\PC{0,80}", "(---\n)?[\\PC\n]{0,80}", any_front()]) {
        let (note, _) = Note::read("x", &text);
        prop_assert_eq!(note.edit(&[]), text);
    }

    #[test]
    fn what_is_set_is_read_and_the_other_keys_stay(
        text in any_front(), value in "[\\PC]{1,12}", items in prop::collection::vec("[\\PC]{1,8}", 1..4),
    ) {
        let value = value.trim().to_owned();
        let mut items: Vec<String> = items.iter().map(|i| i.trim().to_owned()).filter(|i| !i.is_empty() && !i.starts_with("[[")).collect();
        items.dedup();
        items.sort();
        items.dedup();
        prop_assume!(!value.is_empty() && !items.is_empty());
        let before = read(&text);
        let after = read(&before.edit(&[Change::Set("title".to_owned(), New::Text(value.clone())), Change::Set("zlist".to_owned(), New::List(items.clone()))]));
        prop_assert_eq!(after.get("title"), Some(&Value::Text(value)));
        prop_assert_eq!(after.get("zlist"), Some(&Value::List(items)));
        prop_assert_eq!(after.body(), before.body());
        for key in before.keys().filter(|k| *k != "title" && *k != "zlist") {
            prop_assert_eq!(before.get(key), after.get(key), "{}", key);
        }
    }

    #[test]
    fn what_is_printed_is_read(id in "x[a-z]{0,8}", texts in prop::collection::vec("[\\PC]{1,12}", 4), items in prop::collection::vec("[\\PC]{1,8}", 1..4)) {
        let clean = |t: &String| t.trim().to_owned();
        let mut items: Vec<String> = items.iter().map(clean).filter(|i| !i.is_empty() && !i.starts_with('#')).collect();
        items.sort();
        items.dedup();
        let texts: Vec<String> = texts.iter().map(clean).collect();
        prop_assume!(texts.iter().all(|t| !t.is_empty()));
        let draft = Draft { id: id.clone(), created: "2025-01-17".to_owned(), updated: "2025-01-17".to_owned(), tags: items.clone(),
            source: Some(texts[0].clone()), status: Some(texts[1].clone()), author: Some(texts[2].clone()), related_traces: items.clone(), title: texts[3].clone(), ..Draft::default() };
        let (note, problems) = Note::read(&id, &Note::print(&draft));
        prop_assert_eq!(problems, vec![]);
        prop_assert_eq!(&note.tags, &items);
        prop_assert_eq!(&note.traces, &items);
        prop_assert_eq!([note.source, note.status, note.author], [draft.source, draft.status, draft.author]);
    }
}
