//! Errors: an exit code for each kind, one line what, one line what to do, and an object under `--json`.

use std::io::Read;
use std::process::Stdio;
use std::time::Duration;

use super::place::{Answer, Place, said};
use super::stream::Stream;

/// A command that fails, its exit code, the name of that kind of failure, and what the message must name.
type Case<'a> = (&'a [&'a str], i32, &'a str, &'a str);

#[test]
fn every_kind_of_failure_has_its_exit_code_in_text_and_in_json() {
    let place = Place::new();
    place.ok(&["remember", "x", "--id", "taken"]);
    let (folder, nowhere) = (place.arg(""), place.arg("no/such/folder/b.gz"));
    let (not_json, zeros) = (place.write("bad.jsonl", "{"), "0".repeat(64));
    let missing = place.arg("missing.jsonl");
    let cases: [Case; 22] = [
        (&["verify", "--head", &zeros], 1, "check_failed", &zeros),
        (&["verify", "--head", "banana"], 2, "invalid", "banana"),
        (&["append", &not_json], 2, "invalid", "line 1"),
        (&["remember", "x", "--kind", "banana"], 2, "invalid", "banana"),
        (&["remember", "x", "--tag", ""], 2, "invalid", "tags"),
        (&["log", "--since", "soon"], 2, "invalid", "soon"),
        (&["log", "--as-of", "99"], 2, "invalid", "99"),
        (&["log", "--as-of", "banana"], 2, "invalid", "banana"),
        (&["log", "--banana"], 2, "invalid", "--banana"),
        (&["banana"], 2, "invalid", "banana"),
        (&["get"], 2, "invalid", "ID|SEQ"),
        (&["config", "banana"], 2, "invalid", "banana"),
        (&["restore", &not_json], 2, "invalid", "bad.jsonl"),
        (&["import", &not_json], 2, "invalid", "line 1"),
        (&["get", "99"], 3, "not_found", "99"),
        (&["get", "taken", "--as-of", "0"], 3, "not_found", "taken"),
        (&["trace", "banana"], 3, "not_found", "banana"),
        (&["append", &missing], 3, "not_found", &missing),
        (&["remember", "y", "--id", "taken"], 4, "conflict", "taken"),
        (&["remember", "y", "--expect", "7"], 4, "conflict", "7"),
        (&["append", &folder], 5, "unavailable", &folder),
        (&["backup", &nowhere], 5, "unavailable", &nowhere),
    ];
    for (args, code, kind, named) in cases {
        let (what, _) = place.run(args).refused(code);
        assert!(what.contains(named), "{args:?} does not name {named}: {what}");
        let error = place.run(&[&["--json"], args].concat()).refused_json(code);
        assert_eq!(error["kind"], kind, "{args:?}");
        assert!(error["message"].as_str().is_some_and(|m| m.contains(named)), "{args:?}: {error}");
    }
    assert_eq!(place.events(), 1, "what failed left nothing behind");
    assert_eq!(place.run(&["verify", "--head", "banana"]).out, "", "errors do not mix with answers");
}

#[test]
fn a_conflict_under_json_is_a_value_and_not_only_a_text() {
    let place = Place::new();
    place.ok(&["remember", "x", "--id", "taken"]);
    let moved = place.run(&["--json", "remember", "y", "--expect", "7"]).refused_json(4);
    assert_eq!((moved["expected"].as_u64(), moved["head"].as_u64()), (Some(7), Some(1)));
    let taken = place.run(&["--json", "remember", "y", "--id", "taken"]).refused_json(4);
    assert_eq!((taken["id"].as_str(), taken["seq"].as_u64()), (Some("taken"), Some(1)));
}

/// Runs a command whose reader goes away after the first bytes.
fn with_reader_gone(place: &Place, args: &[&str]) -> Answer {
    let mut command = place.command(args);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let mut out = child.stdout.take().expect("it was piped");
    out.read_exact(&mut [0; 1]).expect("it prints something");
    drop(out);
    Answer::of(child.wait_with_output().expect("it ends"))
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let place = Place::new();
    let long = "x".repeat(1000);
    place.append(&(0..3000).map(|_| said(&long)).collect::<Vec<_>>());
    for args in [&["export"][..], &["log"], &["log", "--json"], &["log", "--reverse", "--json"]] {
        assert_eq!(with_reader_gone(&place, args), Answer { code: 0, out: String::new(), err: String::new() });
    }
    let mut closed = place.command(&["completions", "bash"]);
    closed.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = closed.spawn().expect("the program starts");
    drop(child.stdout.take());
    let ended = Answer::of(child.wait_with_output().expect("it ends"));
    assert_eq!((ended.code, ended.err.as_str()), (0, ""), "completions | head -1");
}

#[test]
fn a_stream_whose_acknowledgements_nobody_reads_does_not_end_as_if_all_were_appended() {
    let place = Place::new();
    let mut command = place.command(&["append", "-"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().expect("it was piped");
    let line = format!("{}\n", said("x"));
    while std::io::Write::write_all(&mut stdin, line.as_bytes()).is_ok() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let ended = Answer::of(child.wait_with_output().expect("it ends"));
    let (what, _) = ended.refused(5);
    assert!(what.contains("acknowledge"), "{what}");
    place.verify();
    let mut stream = Stream::start(&place, &[]);
    assert_eq!(stream.one(&said("y")).seq, place.events(), "the space goes on");
}
