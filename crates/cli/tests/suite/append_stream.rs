//! `append -`: what is at hand is one batch, committed as soon as the pipe is empty.

use serde_json::json;

use super::place::{Place, said, seqs};
use super::stream::Stream;

#[test]
fn acknowledgements_come_back_while_the_pipe_stays_open() {
    let place = Place::new();
    let mut stream = Stream::start(&place, &[]);
    for n in 1..=20 {
        let ack = stream.one(&said(&format!("line {n}")));
        assert_eq!(ack.seq, n);
        let event = place.json(&["get", &ack.id]);
        assert_eq!(event["content"], format!("line {n}"), "what is acknowledged can be read by others");
    }
    let (rest, end) = stream.close();
    assert_eq!((rest.len(), end.code, end.err.as_str()), (0, 0, ""));
}

#[test]
fn many_lines_at_once_are_acknowledged_each_in_order() {
    let place = Place::new();
    let lines: String = (1..=5000).map(|n| format!("{}\n", said(&n.to_string()))).collect();
    let acks = super::place::json_lines(&place.feed(&["append", "-"], lines).ok());
    assert_eq!(seqs(&acks), (1..=5000).collect::<Vec<_>>());
    let contents: Vec<String> = place.lines(&["log"]).iter().map(|e| e["content"].to_string()).collect();
    assert_eq!(contents, (1..=5000).map(|n| format!("\"{n}\"")).collect::<Vec<_>>());
}

#[test]
fn line_ends_blank_lines_and_a_missing_last_line_break_make_no_difference() {
    let place = Place::new();
    let mut stream = Stream::start(&place, &[]);
    assert!(stream.send(format!("\r\n\n{}\r\n", said("a"))));
    assert_eq!(stream.ack().seq, 1);
    assert!(stream.send("  \n\t\n"));
    let half = said("in two halves");
    assert!(stream.send(&half[..10]));
    std::thread::sleep(std::time::Duration::from_millis(30));
    assert_eq!(place.events(), 1, "half a line is not a record");
    assert!(stream.send(format!("{}\n{}", &half[10..], said("no line break"))));
    assert_eq!(stream.ack().seq, 2);
    let (rest, end) = stream.close();
    assert_eq!((rest.len(), rest[0].seq, end.code), (1, 3, 0));
    let contents: Vec<String> = place.lines(&["log"]).iter().map(|e| e["content"].to_string()).collect();
    assert_eq!(contents, ["\"a\"", "\"in two halves\"", "\"no line break\""]);
    assert_eq!(place.feed(&["append", "-"], "").ok(), "", "an empty stream is no error");
}

#[test]
fn a_bad_line_refuses_its_own_batch_and_what_was_acknowledged_stands() {
    let place = Place::new();
    let mut stream = Stream::start(&place, &[]);
    assert!(stream.send(format!("{}\n\n{}\n", said("1"), said("3"))));
    assert_eq!((stream.ack().seq, stream.ack().seq), (1, 2));
    assert!(stream.send(format!("{}\n{{\"kind\":\"banana\"}}\n{}\n", said("4"), said("6"))));
    let (rest, end) = stream.end();
    assert_eq!(rest, [], "nothing of the bad batch was acknowledged");
    let (what, hint) = end.refused(2);
    assert!(what.contains("line 5") && what.contains("'banana'"), "{what}");
    assert!(what.contains("everything up to line 3 is appended, nothing after it"), "{what}");
    assert!(hint.contains("user_input"), "{hint}");
    assert_eq!(place.events(), 2);
    let mut stream = Stream::start(&place, &[]);
    assert!(stream.send("not json\n"));
    let (what, _) = stream.end().1.refused(2);
    assert!(what.contains("line 1") && what.contains("nothing was appended"), "{what}");
}

#[test]
fn keep_going_appends_every_good_line_of_a_stream() {
    let place = Place::new();
    let mut stream = Stream::start(&place, &["--keep-going"]);
    assert!(stream.send(format!("{}\n{{\n{}\n", said("1"), said("3"))));
    assert_eq!((stream.ack().seq, stream.ack().seq), (1, 2));
    assert!(stream.send("[]\n"));
    assert_eq!(stream.one(&said("5")).seq, 3, "it goes on behind a bad line");
    let (_, end) = stream.close();
    let (what, _) = end.refused(2);
    assert!(what.contains("2 lines were refused"), "{what}");
    let notes: Vec<&str> = end.err.lines().filter(|l| l.starts_with("note: ")).collect();
    assert!(notes.len() == 2 && notes[0].contains("line 2:") && notes[1].contains("line 4:"), "{notes:?}");
    assert_eq!(place.events(), 3);
    place.verify();
}

#[test]
fn ids_make_a_stream_that_was_cut_off_repeatable() {
    let place = Place::new();
    let line = |n: u32, content: &str| json!({"id": n.to_string(), "kind": "error", "content": content}).to_string();
    let lines: Vec<String> = (1..=10).map(|n| line(n, "x")).collect();
    let mut first = Stream::start(&place, &[]);
    for line in &lines[..6] {
        first.one(line);
    }
    drop(first);
    let again = place.feed(&["append", "-"], lines.join("\n"));
    let acks = super::place::json_lines(&again.ok());
    assert_eq!(seqs(&acks), (1..=10).collect::<Vec<_>>());
    let conflict = place.feed(&["append", "-"], format!("{}\n{}\n", said("fresh"), line(7, "y")));
    let (what, _) = conflict.refused(4);
    assert!(what.contains("lines 1 to 2") && what.contains("'7'"), "{what}");
    assert_eq!(place.events(), 10);
}

#[test]
fn a_stream_that_expects_a_head_goes_on_from_the_one_it_made_itself() {
    let place = Place::new();
    place.ok(&["remember", "0"]);
    let mut stream = Stream::start(&place, &["--expect", "1"]);
    assert_eq!(stream.one(&said("1")).seq, 2);
    assert_eq!(stream.one(&said("2")).seq, 3);
    place.ok(&["remember", "somebody else"]);
    stream.line(&said("3"));
    let (rest, end) = stream.end();
    let (what, _) = end.refused(4);
    assert_eq!(rest, []);
    assert!(what.contains("expected at 3 and is at 4") && what.contains("up to line 2"), "{what}");
    assert_eq!(place.events(), 4);
    let (what, _) = place.feed(&["append", "-", "--expect", "9"], said("x")).refused(4);
    assert!(what.contains("expected at 9"), "{what}");
}
