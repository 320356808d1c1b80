//! `get` and `log`: one event by its id or number, many by anything they are indexed by.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use super::place::{Place, json_lines, number, said, seqs, text};
use super::stream::Stream;

/// Events that differ in everything `log` can filter by.
fn library() -> Place {
    let place = Place::new();
    let day = |n: u32| format!("2025-01-{n:02}T12:00:00Z");
    #[rustfmt::skip]
    let events = [
        json!({"kind": "user_input", "ts": day(1), "agent_id": "a", "conversation_id": "c1", "tags": ["x"]}),
        json!({"kind": "tool_call", "ts": day(2), "agent_id": "a", "trace_id": "t1", "loop_id": "l1",
            "status": "success", "source": "s1", "tags": ["x", "y"], "refs": ["r1"]}),
        json!({"kind": "tool_result", "ts": day(3), "trace_id": "t1", "loop_id": "l1", "status": "failure"}),
        json!({"kind": "actor_output", "ts": day(4), "agent_id": "a", "author": "ann", "conversation_id": "c1"}),
        json!({"kind": "error", "ts": day(5), "agent_id": "b", "trace_id": "t2", "status": "timeout"}),
        json!({"kind": "subconscious_output", "ts": day(6), "agent_id": "a", "persona": "subconscious"}),
        json!({"kind": "decision", "ts": day(7), "author": "ann", "tags": ["y", "y"], "refs": ["r1", "r2"]}),
        json!({"kind": "gateway.tool_call", "ts": day(8), "id": "caller", "status": "pending", "source": "s2"}),
        json!({"kind": "tool_output", "ts": day(2), "loop_id": "l2", "conversation_id": "c2", "author": "bob"}),
    ];
    place.append(&events.map(|e| e.to_string()));
    place
}

#[test]
fn log_filters_by_every_index() {
    let place = library();
    let filters: [(&str, &[u64]); 38] = [
        ("", &[1, 2, 3, 4, 5, 6, 7, 8, 9]),
        ("--kind tool_call", &[2]),
        ("--kind tool_result", &[3, 9]),
        ("--kind tool_output", &[3, 9]),
        ("--kind gateway.tool_call", &[8]),
        ("--kind never.used", &[]),
        ("--status success", &[2]),
        ("--status failure", &[3]),
        ("--status timeout", &[5]),
        ("--status pending", &[8]),
        ("--agent a", &[1, 2, 4, 6]),
        ("--agent a --persona actor", &[1, 2, 4]),
        ("--persona subconscious", &[6]),
        ("--author ann", &[4, 7]),
        ("--source s2", &[8]),
        ("--trace t1", &[2, 3]),
        ("--loop l1", &[2, 3]),
        ("--loop l2", &[9]),
        ("--conversation c1", &[1, 4]),
        ("--tag x", &[1, 2]),
        ("--tag y", &[2, 7]),
        ("--tag x --tag y", &[2]),
        ("--ref r1", &[2, 7]),
        ("--ref r1 --ref r2", &[7]),
        ("--id caller", &[8]),
        ("--id nobody", &[]),
        ("--trace t1 --status failure", &[3]),
        ("--since 2025-01-06", &[6, 7, 8]),
        ("--since 2025-01-06T12:00:00Z", &[6, 7, 8]),
        ("--since 2025-01-06T12:00:00.000001Z", &[7, 8]),
        ("--since 2025-01-06T14:00:00+02:00 --until 2025-01-07T13:00", &[6, 7]),
        ("--until 2025-01-02T12:00:00Z", &[1, 2, 9]),
        ("--until 2025-01-02", &[1]),
        ("--limit 3", &[7, 8, 9]),
        ("--limit 0", &[1, 2, 3, 4, 5, 6, 7, 8, 9]),
        ("--reverse", &[9, 8, 7, 6, 5, 4, 3, 2, 1]),
        ("--reverse --limit 2 --agent a", &[6, 4]),
        ("--limit 2 --tag y --reverse --since 2025-01-01", &[7, 2]),
    ];
    for (filter, expected) in filters {
        let args: Vec<&str> = ["log"].into_iter().chain(filter.split_whitespace()).collect();
        assert_eq!(seqs(&place.lines(&args)), expected, "log {filter}");
        assert_eq!(place.ok(&args).lines().count(), expected.len(), "for people too: log {filter}");
    }
    for (wrong, named) in [
        ("--kind banana", "banana"),
        ("--status banana", "banana"),
        ("--persona ego", "ego"),
        ("--since 3m", "3m"),
        ("--until never", "never"),
        ("--limit -1", "-1"),
        ("--limit many", "many"),
    ] {
        let args: Vec<&str> = ["log"].into_iter().chain(wrong.split_whitespace()).collect();
        let (what, _) = place.run(&args).refused(2);
        assert!(what.contains(named), "{wrong}: {what}");
    }
}

#[test]
fn ages_count_back_from_now() {
    let place = Place::new();
    for age in ["3w", "3d", "2h", "10min", "0s"] {
        place.ok(&["remember", age, "--at", age]);
    }
    place.ok(&["remember", "tomorrow", "--at", "2999-01-01"]);
    for (filter, expected) in [
        ("--since 4w", &[1, 2, 3, 4, 5, 6][..]),
        ("--since 7d", &[2, 3, 4, 5, 6]),
        ("--since 1d", &[3, 4, 5, 6]),
        ("--since 90min", &[4, 5, 6]),
        ("--since 300s --until 0s", &[5]),
        ("--until 1h", &[1, 2, 3]),
        ("--since 4d --until 1h", &[2, 3]),
    ] {
        let args: Vec<&str> = ["log"].into_iter().chain(filter.split(' ')).collect();
        assert_eq!(seqs(&place.lines(&args)), expected, "log {filter}");
        let args: Vec<&str> = ["stats"].into_iter().chain(filter.split(' ')).collect();
        assert_eq!(number(&place.json(&args)["events"]), expected.len() as u64, "stats {filter}");
    }
}

#[test]
fn a_long_log_is_read_in_pages_without_a_seam() {
    let place = Place::new();
    let kind = |n: u64| if n.is_multiple_of(2) { "user_input" } else { "actor_output" };
    place.append(&(1..=2500).map(|n| json!({"kind": kind(n)}).to_string()).collect::<Vec<_>>());
    let log = |args: &[&str]| seqs(&place.lines(&[&["log"], args].concat()));
    assert_eq!(log(&[]), (1..=2500).collect::<Vec<_>>());
    assert_eq!(log(&["--reverse"]), (1..=2500).rev().collect::<Vec<_>>());
    assert_eq!(log(&["--limit", "1500"]), (1001..=2500).collect::<Vec<_>>());
    assert_eq!(log(&["--limit", "1500", "--reverse"]), (1001..=2500).rev().collect::<Vec<_>>());
    assert_eq!(log(&["--kind", "user_input"]), (1..=1250).map(|n| n * 2).collect::<Vec<_>>());
    let odd: Vec<u64> = (0..1250).rev().map(|n| n * 2 + 1).collect();
    assert_eq!(log(&["--kind", "actor_output", "--reverse"]), odd);
    assert_eq!(log(&["--limit", "18446744073709551615"]).len(), 2500);
}

#[test]
fn get_finds_by_seq_and_by_id() {
    let place = library();
    assert_eq!(number(&place.json(&["get", "8"])["seq"]), 8);
    assert_eq!(number(&place.json(&["get", "caller"])["seq"]), 8);
    let made = text(&place.json(&["get", "4"]), "id").to_owned();
    assert_eq!(number(&place.json(&["get", &made])["seq"]), 4);
    place.append(&[json!({"id": "3", "kind": "error"}), json!({"id": "777", "kind": "error"})].map(|e| e.to_string()));
    assert_eq!(number(&place.json(&["get", "3"])["seq"]), 3, "a number is a seq first");
    assert_eq!(number(&place.json(&["get", "777"])["seq"]), 11, "and an id where no event has that seq");
    for missing in ["0", "12", "nobody", "18446744073709551616"] {
        let (what, _) = place.run(&["get", missing]).refused(3);
        assert!(what.contains(missing), "{what}");
    }
    let shown = place.ok(&["get", "caller"]);
    for line in
        ["seq           8", "id            caller", "happened      2025-01-08 12:00:00Z", "status        pending"]
    {
        assert!(shown.lines().any(|l| l == line), "no '{line}' in {shown}");
    }
    let ids = [json!({"id": "both", "agent_id": "a", "kind": "error"}), json!({"id": "both", "kind": "error"})];
    place.append(&ids.map(|e| e.to_string()));
    let (what, hint) = place.run(&["get", "both"]).refused(2);
    assert!(what.contains("12, 13") && hint.contains("number"), "{what} / {hint}");
}

#[test]
fn an_event_shows_its_place_in_the_chain() {
    let place = library();
    let events = place.lines(&["log"]);
    let status = place.json(&["status"]);
    for pair in events.windows(2) {
        assert_eq!(pair[0]["hash"], pair[1]["prev_hash"]);
        assert!(text(&pair[0], "recorded_at") <= text(&pair[1], "recorded_at"));
    }
    assert_eq!(events[8]["hash"], status["head"]);
    assert_eq!(events[8]["recorded_at"], status["last_recorded_at"]);
    for view in status["views"].as_array().expect("a list") {
        assert_eq!((number(&view["seq"]), number(&view["behind"])), (9, 0), "whoever reads folds");
    }
    place.ok(&["remember", "one more"]);
    assert_eq!(number(&place.json(&["status"])["views"][0]["behind"]), 1, "whoever writes does not");
}

/// A running `log --follow`.
struct Follower {
    child: Child,
    lines: Receiver<Value>,
}

impl Follower {
    fn start(place: &Place, args: &[&str]) -> Self {
        let mut command = place.command(&[&["--json", "log", "--follow"], args].concat());
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("the program starts");
        let out = BufReader::new(child.stdout.take().expect("it was piped"));
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in out.lines().map_while(Result::ok) {
                json_lines(&line).into_iter().for_each(|value| drop(sender.send(value)));
            }
        });
        Self { child, lines }
    }

    fn next(&self) -> u64 {
        number(&self.lines.recv_timeout(Duration::from_secs(30)).expect("a line comes")["seq"])
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn follow_shows_events_as_other_processes_append_them() {
    let place = library();
    let all = Follower::start(&place, &["--limit", "2"]);
    let tagged = Follower::start(&place, &["--tag", "x"]);
    assert_eq!((all.next(), all.next()), (8, 9));
    assert_eq!((tagged.next(), tagged.next()), (1, 2));
    place.ok(&["remember", "10", "--tag", "x"]);
    assert_eq!((all.next(), tagged.next()), (10, 10));
    let mut stream = Stream::start(&place, &[]);
    for n in 11..=15 {
        assert_eq!(stream.one(&said(&n.to_string())).seq, n);
    }
    assert_eq!((0..5).map(|_| all.next()).collect::<Vec<_>>(), [11, 12, 13, 14, 15]);
    place.append(&(0..1500).map(|n| said(&n.to_string())).collect::<Vec<_>>());
    place.ok(&["remember", "last", "--tag", "x"]);
    assert_eq!((0..1501).map(|_| all.next()).collect::<Vec<_>>(), (16..=1516).collect::<Vec<_>>());
    assert_eq!(tagged.next(), 1516, "nothing else has that tag");
    for conflicting in ["--reverse", "--as-of=3"] {
        place.run(&["log", "--follow", conflicting]).refused(2);
    }
}
