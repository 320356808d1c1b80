//! Damaged files, one kind of damage at a time.

use std::io::{BufReader, Read};

use proptest::prelude::*;

use super::*;

fn pieces(text: &[u8], limit: usize) -> Vec<Piece> {
    scan(text, limit).map(|p| p.expect("memory does not fail")).collect()
}

/// `line:text` of objects and `line!reason` of problems.
fn seen(text: &str) -> Vec<String> {
    let said = |p: Piece| {
        let (start, end) =
            (usize::try_from(p.offset).expect("small"), usize::try_from(p.offset + p.length).expect("small"));
        match p.found {
            Found::Object(object) => {
                assert_eq!(object, text[start..end], "offset and length name the object");
                format!("{}:{}", p.first_line, object.replace(['\n', '\r', ' '], ""))
            }
            Found::Problem(ref problem) => {
                assert!(
                    text[start..end].starts_with(problem.raw.trim_end()) || problem.raw.starts_with(&text[start..end]),
                    "{p:?}"
                );
                format!("{}!{}", p.first_line, problem.reason.split([':', ';']).next().unwrap_or_default())
            }
        }
    };
    pieces(text.as_bytes(), OBJECT_MAX_BYTES).into_iter().map(said).collect()
}

#[test]
fn plain_lines_blank_lines_and_a_mark_at_the_beginning() {
    assert_eq!(
        seen("\u{feff}{\"a\":1}\r\n\r\n  {\"b\":2}\n\n{\"c\":3}"),
        ["1:{\"a\":1}", "3:{\"b\":2}", "5:{\"c\":3}"]
    );
    assert!(seen("").is_empty() && seen(" \n\n").is_empty());
}

#[test]
fn objects_behind_each_other_over_many_lines_and_in_lists() {
    assert_eq!(seen("{\"a\":1}{\"b\":\"}{\"} {\"c\":{}}"), ["1:{\"a\":1}", "1:{\"b\":\"}{\"}", "1:{\"c\":{}}"]);
    assert_eq!(
        seen("{\n  \"a\": [\n    {\n      \"b\": 1\n    }\n  ]\n}\n{\"c\":3}\n"),
        ["1:{\"a\":[{\"b\":1}]}", "8:{\"c\":3}"]
    );
    assert_eq!(seen("[\n  {\"a\":1},\n  {\"b\":2}\n]\n"), ["2:{\"a\":1}", "3:{\"b\":2}"]);
    // An object that is not indented, yet is one.
    assert_eq!(seen("{\n\"a\":\n{\n\"b\":1\n}\n}\n"), ["1:{\"a\":{\"b\":1}}"]);
}

#[test]
fn braces_too_many_are_named_and_cost_nothing() {
    assert_eq!(
        seen("{\"a\":1}}\n{\"b\":2}}}\n"),
        ["1:{\"a\":1}", "1!a closing brace too many", "2:{\"b\":2}", "2!2 closing braces too many"]
    );
    let Found::Problem(problem) = &pieces(b"{}}", 99)[1].found else { panic!("a problem") };
    assert!(!problem.loses);
}

#[test]
fn text_around_objects_is_reported() {
    assert_eq!(
        seen("INFO {\"a\":1} done\nnot json\n[ERROR] x\n{\"b\":2}\n"),
        [
            "1!text outside of any JSON object",
            "1:{\"a\":1}",
            "1!text outside of any JSON object",
            "2!text outside of any JSON object",
            "3!text outside of any JSON object",
            "4:{\"b\":2}"
        ]
    );
}

#[test]
fn a_broken_object_does_not_swallow_the_good_lines_behind_it() {
    for broken in [
        "{\"a\":1",
        "{\"a\":",
        "{\"a\":\"x",
        "{\"a\":[1,",
        "{\"a\":{",
        "{\"a\":1,}",
        "{\"a\" 1}",
        "{a:1}",
        "{\"a\":[}",
        "{",
        "{\"a\":\"x\\",
    ] {
        for end in ["\n", "\r\n"] {
            let text = format!("{{\"x\":1}}{end}{broken}{end}{{\"b\":2}}{end}{{\"c\":3}}{end}");
            let seen = seen(&text);
            assert_eq!(seen.len(), 4, "{broken}: {seen:?}");
            assert!(seen[1].starts_with("2!"), "{seen:?}");
            assert_eq!((seen[2].as_str(), seen[3].as_str()), ("3:{\"b\":2}", "4:{\"c\":3}"), "{broken}");
        }
    }
    assert_eq!(seen("{\"a\":1,}{\"b\":2}\n").last().map(String::as_str), Some("1:{\"b\":2}"));
    // Broken inside a pretty-printed list: the next one at the same depth is read.
    let list = "[\n  {\n    \"a\": {\n      \"b\" 1\n    }\n  },\n  {\n    \"c\": 3\n  }\n]\n";
    assert_eq!(seen(list), ["2!a broken object", "7:{\"c\":3}"]);
}

#[test]
fn good_lines_behind_a_broken_one_are_found_however_they_are_indented() {
    for broken in [
        r#"{"event": "a" "broken""#,
        r#"{"event": "a" "broken","#,
        r#"{"event": "a", "data": {"#,
        r#"{"event": "a", "x": [1 2"#,
        r#"{"event": "a"#,
        r#"{"event": "a" "b"}"#,
        r#"{event}"#,
    ] {
        let good: String = (0..20).map(|n| format!("  {{\"event\": \"e{n}\"}}\n")).collect();
        let text = format!("{broken}\n{good}garbage\n\tmore garbage\n");
        let told = seen(&text);
        assert_eq!(told.iter().filter(|said| said.contains(":{\"event\":\"e")).count(), 20, "{broken}: {told:?}");
        assert_eq!(told.iter().filter(|said| said.contains('!')).count(), 3, "{broken}: {told:?}");
        // Deeper and deeper, and one damaged line behind the other.
        let text = format!("{broken}\n  {broken}\n    {broken}\n      {{\"event\": \"e\"}}\n");
        let told = seen(&text);
        let lines: Vec<&str> = told.iter().map(|said| &said[..2]).collect();
        assert_eq!(lines, ["1!", "2!", "3!", "4:"], "{broken}: {told:?}");
    }
    let text = "{\"a\": \"b\ngarbage\nnot json\n{\"c\":3}\n";
    assert_eq!(seen(text).iter().map(|said| &said[..2]).collect::<Vec<_>>(), ["1!", "2!", "3!", "4:"]);
}

#[test]
fn what_a_broken_object_holds_is_no_object_of_its_own() {
    for broken in ["\"a\" 1,", "\"a\": \"x,", "a: 1,"] {
        let inner = "\"l\": [\n    {\"event\":\"x\"},\n    {\"event\":\"y\"}\n  ],\n  \"o\":\n  {\"event\":\"z\"}\n";
        let seen = seen(&format!("{{\n  {broken}\n  {inner}}}\n{{\"c\":3}}\n"));
        assert_eq!(seen.len(), 2, "{broken}: {seen:?}");
        assert_eq!(seen[1], "10:{\"c\":3}", "{broken}");
    }
}

#[test]
fn a_cut_off_end_is_reported_with_its_lines() {
    assert_eq!(seen("{\"a\":1}\n{\"b\":\n"), ["1:{\"a\":1}", "2!the file ends inside an object"]);
    assert_eq!(seen("{\"b\":[\n{\"c\":3}\n"), ["1!the file ends inside an object", "2:{\"c\":3}"]);
    assert_eq!(seen("{\"b\":[\n{\"c\":"), ["1!the file ends inside an object", "2!the file ends inside an object"]);
}

#[test]
fn bytes_that_are_no_text_stay_in_their_own_piece() {
    let found = pieces(b"{\"a\":\"\xff\"}\n{\"b\":2}\n\xfe\xfe\n{\"c\":\"\0\"}", 99);
    assert_eq!(found.len(), 4);
    assert!(matches!(&found[0].found, Found::Problem(p) if p.reason.contains("UTF-8") && p.line == 1));
    assert!(matches!(&found[1].found, Found::Object(_)));
    assert!(matches!(&found[2].found, Found::Problem(p) if p.line == 3));
}

#[test]
fn what_is_too_long_is_skipped_and_reading_goes_on() {
    let long = format!("{{\"a\":\"{}\"}}\n{{\"b\":2}}\n", "x".repeat(500));
    let found = pieces(long.as_bytes(), 100);
    assert!(matches!(&found[0].found, Found::Problem(p) if p.reason.contains("508 bytes") && p.raw.len() <= 200));
    assert!(matches!(&found[1].found, Found::Object(o) if o == "{\"b\":2}"));
    let deep = format!("{}\n{{\"b\":2}}", "{\"a\":".repeat(300));
    assert!(matches!(&pieces(deep.as_bytes(), 9999)[0].found, Found::Problem(p) if p.reason.contains("deep")));
    assert!(matches!(&pieces(deep.as_bytes(), 9999)[1].found, Found::Object(_)));
}

#[test]
fn a_line_of_200_megabytes_is_read_in_little_memory() {
    let line = (&b"{\"a\":\""[..]).chain(io::repeat(b'x').take(200 << 20)).chain(&b"\"}\n{\"b\":2}\n"[..]);
    let found: Vec<Piece> = scan(BufReader::new(line), OBJECT_MAX_BYTES).map(|p| p.expect("reads")).collect();
    assert_eq!(found.len(), 2);
    assert_eq!(found[0].length, (200 << 20) + 8);
    assert_eq!((found[1].first_line, found[1].offset), (2, found[0].length + 1));
}

#[test]
fn a_mark_is_no_damage_wherever_it_stands_and_half_of_one_is() {
    assert_eq!(seen("\u{feff}[{\"a\":1}]\n\u{feff}{\"b\":2}\n\u{feff}x\n").len(), 3);
    assert_eq!(pieces(b"\xef\n{}", 9).len(), 2);
    assert_eq!(seen("｛\n"), ["1!text outside of any JSON object"]);
}

#[test]
fn a_file_of_openings_is_read_in_one_pass() {
    let text = "{\"a\":[\n".repeat(100_000) + "{\"b\":2}\n";
    let found = pieces(text.as_bytes(), OBJECT_MAX_BYTES);
    assert!(matches!(&found.last().map(|p| &p.found), Some(Found::Object(o)) if o == "{\"b\":2}"));
}

proptest! {
    #[test]
    fn any_bytes_are_read_without_a_panic_and_every_byte_that_says_something_is_in_a_piece(
        text in "[{}\\[\\],:\"a1\\n \\\\é]{0,80}", limit in 1_usize..60,
    ) {
        let mut at = 0;
        for piece in pieces(text.as_bytes(), limit) {
            let (start, end) = (piece.offset as usize, (piece.offset + piece.length) as usize);
            prop_assert!(start >= at && end >= start && end <= text.len(), "{:?}", piece);
            let between = &text.as_bytes()[at..start];
            prop_assert!(between.iter().all(|b| is_blank(*b) || b"[],".contains(b)), "left out {:?}", between);
            let line = 1 + text.as_bytes()[..start].iter().filter(|b| **b == b'\n').count() as u64;
            prop_assert_eq!(piece.first_line, line);
            prop_assert!(piece.last_line >= line);
            at = end;
        }
        prop_assert!(text.as_bytes()[at..].iter().all(|b| is_blank(*b) || b"[],".contains(b)));
    }

    #[test]
    fn good_lines_are_found_whatever_stands_between_them(junk in "[^{}]{0,30}|\\{\"[a-z\":,\\[ ]{0,20}") {
        let text = format!("{{\"a\":1}}\n{junk}\n{{\"b\":2}}\n{{\"c\":3}}\n");
        let found = pieces(text.as_bytes(), 1000);
        let objects: Vec<_> = found.iter().filter(|p| matches!(p.found, Found::Object(_))).collect();
        prop_assert!(objects.len() >= 3, "{:?}", found);
    }
}
