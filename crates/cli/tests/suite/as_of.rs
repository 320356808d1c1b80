//! `--as-of`: every reading operation answers as a space that stopped there does.

use std::time::Duration;

use serde_json::json;

use super::place::{Answer, Place, number, text};

/// Everything that can be asked of the past, each a command that also works without `--as-of`.
const QUESTIONS: [&str; 18] = [
    "get 1",
    "get shared-id",
    "get later",
    "get 7",
    "log",
    "log --reverse --limit 2",
    "log --tag x",
    "log --kind tool_call --status failure",
    "log --agent a --since 2025-01-02",
    "trace",
    "trace --limit 1",
    "trace t1",
    "trace t2",
    "stats",
    "stats --since 2025-01-02",
    "digest",
    "export",
    "export --from 2",
];

fn ask(place: &Place, question: &str, more: &[&str]) -> Answer {
    let args: Vec<&str> = question.split(' ').chain(more.iter().copied()).collect();
    place.run(&args)
}

/// Batches whose later events change what the earlier ones answer: traces grow, ids gain a second owner, tags recur.
fn batches() -> Vec<Vec<String>> {
    let event = |n: u32, more: serde_json::Value| {
        let mut event = json!({"kind": "tool_call", "ts": format!("2025-01-{n:02}"), "content": n.to_string()});
        let fields = event.as_object_mut().expect("an object");
        fields.extend(more.as_object().expect("an object").clone());
        event.to_string()
    };
    vec![
        vec![event(1, json!({"id": "shared-id", "agent_id": "a", "trace_id": "t1", "tags": ["x"]}))],
        vec![
            event(3, json!({"trace_id": "t1", "status": "success", "metadata": {"duration_ms": 5}})),
            event(2, json!({})),
        ],
        vec![event(4, json!({"id": "shared-id", "agent_id": "b", "trace_id": "t2", "status": "failure"}))],
        vec![event(5, json!({"id": "later", "agent_id": "a", "trace_id": "t1", "status": "failure", "tags": ["x"]}))],
        vec![event(1, json!({"trace_id": "t1", "status": "timeout"})), event(6, json!({"kind": "error"}))],
    ]
}

#[test]
fn the_past_by_seq_and_by_time_equals_what_a_space_that_stopped_there_answers() {
    let place = Place::new();
    let mut stops = Vec::new();
    for batch in batches() {
        let head = *place.append(&batch).last().expect("events");
        let time = text(&place.json(&["get", &head.to_string()]), "recorded_at").to_owned();
        let answers: Vec<Answer> =
            QUESTIONS.iter().flat_map(|q| [ask(&place, q, &[]), ask(&place, q, &["--json"])]).collect();
        stops.push((head, time, answers));
        // Two stops within a microsecond would be one moment.
        std::thread::sleep(Duration::from_millis(2));
    }
    let mut differing = 0;
    for (head, time, answers) in &stops {
        let head = head.to_string();
        for (at, then) in answers.iter().enumerate() {
            let question = QUESTIONS[at / 2];
            let face: &[&str] = if at % 2 == 0 { &[] } else { &["--json"] };
            for past in [&head, time] {
                let now = ask(&place, question, &[&["--as-of", past], face].concat());
                assert_eq!((now.code, &now.out), (then.code, &then.out), "{question} as of {past}: {now:?}");
            }
            differing += usize::from(ask(&place, question, face) != *then);
        }
    }
    assert!(differing > 100, "only {differing} answers changed since: the questions do not look at the past");
}

#[test]
fn before_the_first_event_there_is_nothing_and_after_the_last_there_is_no_past() {
    let place = Place::new();
    let empty: Vec<Answer> = QUESTIONS.iter().map(|q| ask(&place, q, &[])).collect();
    for batch in batches() {
        place.append(&batch);
    }
    for (question, then) in QUESTIONS.iter().zip(empty) {
        for before in ["0", "1999-12-31T23:59:59Z", "2000-01-01"] {
            let now = ask(&place, question, &["--as-of", before]);
            assert_eq!((now.code, &now.out), (then.code, &then.out), "{question} as of {before}: {now:?}");
        }
        let (what, _) = ask(&place, question, &["--as-of", "8"]).refused(2);
        assert!(what.contains("seq 8 is in the future: the head is 7"), "{what}");
        assert_eq!(ask(&place, question, &["--as-of", "2999-01-01"]), ask(&place, question, &[]), "{question}");
        ask(&place, question, &["--as-of", "2h"]).refused(2);
    }
}

#[test]
fn the_past_across_blocks_of_sums_equals_a_space_that_was_cut_there() {
    let place = Place::new();
    let kinds = ["user_input", "tool_call", "tool_result", "error"];
    let line = |n: usize| {
        json!({"kind": kinds[n % 4], "agent_id": format!("a{}", n % 3), "trace_id": format!("t{}", n / 500),
            "ts": format!("2025-{:02}-01", n % 12 + 1), "metadata": {"duration_ms": n}})
        .to_string()
    };
    place.append(&(0..9000).map(line).collect::<Vec<_>>());
    for stop in [1, 999, 1000, 4095, 4096, 4097, 8192, 8999] {
        let past = stop.to_string();
        let space = format!("cut/at-{stop}");
        let exported = place.ok(&["export", "--as-of", &past]);
        assert_eq!(exported.lines().count(), stop);
        place.feed(&["import", "-", "--accept", "--space", &space], &exported).ok();
        for question in ["stats", "stats --since 2025-06-01", "digest", "trace", "log --agent a1 --limit 5"] {
            let then = ask(&place, question, &["--space", &space, "--json"]).ok();
            assert_eq!(ask(&place, question, &["--as-of", &past, "--json"]).ok(), then, "{question} as of {stop}");
        }
        assert_eq!(number(&place.json(&["stats", "--as-of", &past])["events"]), stop as u64);
    }
}
