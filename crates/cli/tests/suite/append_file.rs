//! `append FILE`: validated whole, then one batch, all or nothing.

use serde_json::{Value, json};

use super::place::{Place, json_lines, said, seqs, text};

#[test]
fn acknowledgements_come_in_the_order_of_the_lines_whatever_the_line_ends() {
    let place = Place::new();
    let line = |id: &str| json!({"id": id, "kind": "user_input", "content": id}).to_string();
    let (a, b, c, d) = (line("a"), line("b"), line("c"), line("d"));
    let file = place.write("crlf.jsonl", format!("{a}\r\n\r\n   \t\n  {b}  \n\n{c}\r\n{d}"));
    let acks = json_lines(&place.ok(&["append", &file]));
    assert_eq!(seqs(&acks), [1, 2, 3, 4]);
    assert_eq!(acks.iter().map(|a| text(a, "id")).collect::<Vec<_>>(), ["a", "b", "c", "d"]);
    let bodies: Vec<Value> = json_lines(&place.ok(&["export"])).iter().map(|e| e["body"].clone()).collect();
    assert_eq!(bodies, [a, b, c, d].map(|l| serde_json::from_str::<Value>(&l).expect("JSON")));
    assert!(!place.ok(&["export"]).contains('\r'), "a line end is no part of a record");
}

#[test]
fn a_file_without_records_appends_nothing_and_is_no_error() {
    let place = Place::new();
    for (name, bytes) in [("empty", ""), ("blank", "\n \r\n\t\n")] {
        let file = place.write(name, bytes);
        assert_eq!(place.ok(&["append", &file]), "");
    }
    assert_eq!(place.events(), 0);
}

#[test]
fn the_bytes_of_a_record_are_kept_as_they_came() {
    let place = Place::new();
    let line = r#"{"metadata":{"b":1.0,"a":1e400,"n":-0,"big":123456789012345678901234567890},  "kind":"tool_output","timestamp":"2025-01-17","schema_version":"1.0","content":"\u00e9\ud83d\ude00 \/","tags":null}"#;
    place.append(&[line]);
    assert!(place.ok(&["export"]).contains(&format!("\"body\":{line}}}")), "spelling, order and spacing stay");
    let shown = place.ok(&["get", "1", "--json"]);
    assert!(shown.contains(r#""metadata":{"b":1.0,"a":1e400,"n":-0,"big":123456789012345678901234567890}"#), "{shown}");
    let resolved = [r#""kind":"tool_result""#, r#""ts":"2025-01-17T00:00:00.000000Z""#, r#""content":"é😀 /""#];
    assert!(resolved.iter().all(|said| shown.contains(said)), "aliases are resolved when it is read: {shown}");
}

#[test]
fn one_bad_line_refuses_the_whole_file_and_is_named() {
    let place = Place::new();
    place.ok(&["remember", "before"]);
    let file = place.write("bad.jsonl", format!("{}\n\n{}\n{{\"kind\":\n{}\n", said("a"), said("b"), said("c")));
    let (what, _) = place.run(&["append", &file]).refused(2);
    assert!(what.contains("bad.jsonl") && what.contains("line 4"), "blank lines are counted: {what}");
    assert!(what.contains("nothing was appended"), "{what}");
    assert_eq!(place.events(), 1);
}

#[test]
fn keep_going_appends_the_good_lines_and_reports_each_bad_one() {
    let place = Place::new();
    let taken = json!({"id": "k", "kind": "user_input", "content": "x"}).to_string();
    let other = json!({"id": "k", "kind": "user_input", "content": "y"}).to_string();
    let bad = ["{", "{\"kind\":\"banana\"}", "{\"kind\":\"error\",\"seq\":1}"];
    let lines = [&taken, bad[0], &said("a"), bad[1], &other, bad[2], &said("b")].join("\n");
    let file = place.write("mixed.jsonl", lines);
    let answer = place.run(&["append", &file, "--keep-going"]);
    let (what, _) = answer.refused(2);
    assert!(what.contains("4 lines were refused"), "{what}");
    assert_eq!(seqs(&json_lines(&answer.out)), [1, 2, 3]);
    let notes: Vec<&str> = answer.err.lines().filter_map(|l| l.strip_prefix("note: ")).collect();
    let wanted = [("line 2", "JSON"), ("line 4", "known kinds: user_input"), ("line 6", "seq"), ("line 5", "'k'")];
    assert_eq!(notes.len(), wanted.len(), "{notes:?}");
    for (note, (line, why)) in notes.iter().zip(wanted) {
        assert!(note.starts_with(line) && note.contains(why), "{note}");
    }
    let answer = place.run(&["append", &file, "--keep-going", "--json"]);
    assert_eq!(seqs(&json_lines(&answer.out)), [1, 4, 5], "what has an id is not appended again");
    let complaints = json_lines(&answer.err);
    assert!(complaints[..4].iter().all(|c| text(c, "note").starts_with("line ")), "{complaints:?}");
    assert_eq!(complaints[4]["error"]["kind"], "invalid");
    place.verify();
}

#[test]
fn a_file_of_64_mebibytes_is_one_batch_and_one_byte_more_is_refused() {
    const LIMIT: usize = 64 << 20;
    let place = Place::new();
    let content = "x".repeat((1 << 20) - 100);
    let line = said(&content);
    let mut bytes = format!("{line}\n").repeat(64).into_bytes();
    // Blank space between two lines brings it to the very limit.
    bytes.resize(LIMIT, b' ');
    let exact = place.write("exact.jsonl", &bytes);
    let acks = json_lines(&place.ok(&["append", &exact]));
    assert_eq!(seqs(&acks), (1..=64).collect::<Vec<_>>());
    bytes.push(b'\n');
    let over = place.write("over.jsonl", &bytes);
    let (what, hint) = place.run(&["append", &over]).refused(2);
    assert!(what.contains("over.jsonl") && what.contains("64 MiB"), "{what}");
    assert!(hint.contains("idetic append - <"), "{hint}");
    assert_eq!(place.events(), 64);
    place.verify();
}

#[test]
fn an_expected_head_that_moved_is_a_conflict_and_appends_nothing() {
    let place = Place::new();
    place.append(&[said("a"), said("b")]);
    let file = place.write("more.jsonl", json!({"id": "c", "kind": "user_input", "content": "c"}).to_string());
    for wrong in ["0", "1", "3"] {
        let error = place.run(&["--json", "append", &file, "--expect", wrong]).refused_json(4);
        assert_eq!((error["expected"].to_string().as_str(), &error["head"]), (wrong, &json!(2)));
    }
    assert_eq!(place.events(), 2);
    assert_eq!(seqs(&json_lines(&place.ok(&["append", &file, "--expect", "2"]))), [3]);
    // The answer to the first try was lost on the way; the caller tries again with the head it knows.
    assert_eq!(seqs(&json_lines(&place.ok(&["append", &file, "--expect", "2"]))), [3]);
    assert_eq!(place.events(), 3);
}

#[test]
fn the_same_id_with_the_same_content_is_one_event_however_it_is_written() {
    let place = Place::new();
    place.append(&[r#"{"id":"k","kind":"user_input","content":"x","tags":["a"]}"#]);
    let again = [
        r#"{"id":"new","kind":"user_input","content":"n"}"#,
        r#"{ "tags" : [ "a" ], "content" : "\u0078", "kind" : "user_input", "id" : "k" }"#,
        r#"{"id":"new","kind":"user_input","content":"n"}"#,
    ];
    assert_eq!(place.append(&again), [2, 1, 2], "a retry and a repetition get the number of their event");
    let other = r#"{"id":"k","kind":"user_input","content":"x","tags":["b"]}"#;
    let file = place.write("other.jsonl", format!("{}\n{other}\n", said("fresh")));
    let error = place.run(&["--json", "append", &file]).refused_json(4);
    assert_eq!((&error["id"], &error["seq"]), (&json!("k"), &json!(1)));
    let twice = place.write("twice.jsonl", format!("{}\n{other}\n", other.replace('b', "c")).replace("\"k\"", "\"t\""));
    place.run(&["append", &twice]).refused(4);
    assert_eq!(place.events(), 2, "a conflict refuses the batch it stands in");
}
