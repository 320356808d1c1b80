//! The views are derived: whatever happens to them changes no answer and no digest.

use serde_json::json;

use super::place::{Place, said};
use super::stream::Stream;

const QUESTIONS: [&str; 9] = [
    "log --json",
    "log --tag x",
    "log --agent a --reverse",
    "trace",
    "trace t1",
    "stats",
    "stats --since 2025-06-01",
    "digest",
    "get id-7",
];

fn answers(place: &Place) -> Vec<String> {
    QUESTIONS.iter().map(|q| place.ok(&q.split(' ').collect::<Vec<_>>())).collect()
}

/// Enough events for several holds of the folding lock and more than one block of sums.
fn written() -> Place {
    let place = Place::new();
    let line = |n: usize| {
        json!({"id": format!("id-{n}"), "kind": "tool_call", "agent_id": (["a", "b"][n % 2]),
            "trace_id": format!("t{}", n / 100), "ts": format!("2025-{:02}-03", n % 12 + 1), "tags": ["x"],
            "status": (["success", "failure"][n / 7 % 2]), "metadata": {"duration_ms": n}})
        .to_string()
    };
    place.append(&(0..4500).map(line).collect::<Vec<_>>());
    place
}

fn remove_views(place: &Place) {
    for name in ["views.db", "views.db-wal", "views.db-shm"] {
        let _ = std::fs::remove_file(place.space().join(name));
    }
}

#[test]
fn deleting_or_rebuilding_the_views_changes_no_answer_and_no_digest() {
    let place = written();
    let before = answers(&place);
    remove_views(&place);
    assert_eq!(answers(&place), before);
    let done = place.json(&["rebuild"]);
    assert_eq!(done["events"], 4500);
    assert_eq!(answers(&place), before);
    let _ = std::fs::remove_dir_all(place.space().join("lanes"));
    place.verify();
    assert_eq!(place.ok(&["digest"]).lines().count(), 16, "the log, fourteen views and the documents");
}

#[test]
fn views_that_cannot_be_read_are_folded_anew() {
    let place = written();
    let before = answers(&place);
    let file = place.space().join("views.db");
    for damage in ["empty", "garbage", "half"] {
        let bytes = std::fs::read(&file).expect("it is there");
        remove_views(&place);
        let damaged = match damage {
            "empty" => Vec::new(),
            "garbage" => vec![0x5a; bytes.len()],
            _ => bytes[..bytes.len() / 2].to_vec(),
        };
        std::fs::write(&file, damaged).expect("written");
        let told = place.run(&["log", "--limit", "1"]).err;
        assert_eq!(told.contains("they are rebuilt from the log"), damage != "empty", "{damage}: {told}");
        assert_eq!(answers(&place), before, "{damage}");
        place.verify();
        // What the readers folded anew lies in the write-ahead log; the next round damages the file itself.
        place.ok(&["rebuild"]);
    }
}

#[test]
fn views_may_vanish_while_processes_run() {
    let place = written();
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut stream = Stream::start(&place, &[]);
            (0..300).map(|n| stream.one(&said(&n.to_string())).seq).collect::<Vec<_>>()
        });
        let reader = scope.spawn(|| {
            for n in 0..40 {
                let seen = place.lines(&["log", "--limit", "3"]);
                assert_eq!(seen.len(), 3, "round {n}");
            }
        });
        for round in 0..10 {
            if round % 2 == 0 { remove_views(&place) } else { drop(place.ok(&["rebuild"])) }
        }
        reader.join().expect("every read is answered");
        assert_eq!(writer.join().expect("every line is acknowledged"), (4501..=4800).collect::<Vec<_>>());
    });
    let before = answers(&place);
    remove_views(&place);
    assert_eq!(answers(&place), before);
    place.verify();
}
