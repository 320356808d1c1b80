//! Retention: what is old moves to archives and nobody's answer changes; what is dropped is gone and the chain holds.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use idetic_ops::core::Time;
use idetic_ops::{Env, Kind, Models};
use serde_json::{Value, json};

use crate::hermetic::Hermetic;

const SPACE: &str = "local/x";
const DAY: i64 = 86_400_000_000;
/// Noon on the first of January 2025.
const START: i64 = 1_735_732_800_000_000;

/// A home whose clock is set by hand.
fn home_with_clock() -> (Hermetic, Arc<AtomicI64>) {
    let clock = Arc::new(AtomicI64::new(START));
    let (own, count) = (Arc::clone(&clock), AtomicI64::new(1));
    let env = Env::new(
        move || Time(own.fetch_add(1, Ordering::Relaxed)),
        move |out| {
            for chunk in out.chunks_mut(8) {
                let next = count.fetch_add(1, Ordering::Relaxed).wrapping_mul(0x1e37_79b9_7f4a_7c15).to_le_bytes();
                chunk.copy_from_slice(&next[..chunk.len()]);
            }
        },
    );
    (Hermetic::with(env, Models::default()), clock)
}

/// A year in which something is said every day, with notes, traces and agents.
fn year() -> (Hermetic, Arc<AtomicI64>) {
    let (home, clock) = home_with_clock();
    for day in 0..365 {
        clock.store(START + day * DAY, Ordering::Relaxed);
        let mut records = vec![
            json!({"id": format!("e{day}"), "kind": "user_input", "content": format!("on day {day} we talked about topic{}", day % 7)}),
            json!({"kind": "gateway.tool_call", "agent_id": "cc", "status": if day % 5 == 0 { "failure" } else { "success" },
                   "trace_id": format!("t{}", day / 10), "content": format!("did {day}")}),
        ];
        if day == 3 || day == 5 {
            records.push(json!({"kind": "note.written", "content": format!("# The note of day {day}"),
                                "metadata": {"note": "kept", "title": "Kept", "tags": ["a"]}}));
        }
        home.append(SPACE, &records.map_strings());
    }
    (home, clock)
}

trait Strings {
    fn map_strings(self) -> Vec<String>;
}

impl Strings for Vec<Value> {
    fn map_strings(self) -> Vec<String> {
        self.into_iter().map(|value| value.to_string()).collect()
    }
}

fn retain(home: &Hermetic, arguments: Value) -> Value {
    let lines = home.call(SPACE, "retain", &arguments.to_string()).expect("retains");
    serde_json::from_str(&lines[0]).expect("JSON")
}

/// Everything that can be asked without a word of what is where.
fn answers(home: &Hermetic) -> Vec<Vec<String>> {
    [
        ("digest", json!({})),
        ("export", json!({})),
        ("log", json!({})),
        ("log", json!({"as_of": 100, "tags": []})),
        ("recall", json!({"query": "what did we say about topic3?", "k": 5})),
        ("get", json!({"event": "e7"})),
        ("get", json!({"event": "9"})),
        ("trace", json!({"trace": "t2"})),
        ("stats", json!({"as_of": 50})),
        ("query", json!({"sql": "SELECT seq, content, recorded_at FROM events WHERE content LIKE '%topic4%'"})),
        ("query", json!({"sql": "SELECT * FROM notes"})),
    ]
    .iter()
    .map(|(operation, arguments)| home.call(SPACE, operation, &arguments.to_string()).expect(operation))
    .collect()
}

#[test]
fn archiving_changes_no_answer() {
    let (home, _) = year();
    let before = answers(&home);
    let planned = retain(&home, json!({"dry_run": true}));
    // Six months before the thirty-first of December: what was said up to the end of June.
    assert_eq!((&planned["applied"], &planned["archived"]), (&json!(false), &json!(364)));
    assert!(planned["older_than"].as_str().is_some_and(|cut| cut.starts_with("2025-06-30")), "{planned}");
    assert_eq!(planned["archives"], json!([]));
    assert_eq!(answers(&home), before, "looking moves nothing");
    let done = retain(&home, json!({"apply": true}));
    assert_eq!((&done["applied"], &done["archived"], &done["dropped"]), (&json!(true), &json!(364), &json!(0)));
    assert_eq!((&done["archives"][0]["first"], &done["archives"][0]["last"]), (&json!(1), &json!(364)));
    assert_eq!(answers(&home), before);
    home.call(SPACE, "rebuild", "{}").expect("rebuilds");
    assert_eq!(answers(&home), before, "folded anew from the archives");
    let verdict: Value = serde_json::from_str(&home.call(SPACE, "verify", "{}").expect("sound")[0]).expect("JSON");
    assert_eq!((&verdict["ok"], &verdict["events"], &verdict["archived"]), (&json!(true), &json!(732), &json!(364)));
    assert_eq!(retain(&home, json!({"apply": true}))["archived"], json!(0), "a second run has nothing to do");
    let memory = home.memory();
    let space = memory.space(&idetic_ops::core::SpaceName::parse(SPACE).expect("a name")).expect("a space");
    let record = r#"{"id":"e7","kind":"user_input","content":"on day 7 we talked about topic0"}"#;
    let record = idetic_ops::core::Record::parse(record.as_bytes()).expect("a record");
    assert_eq!(space.append(vec![record], None).expect("a retry")[0].id, "e7");
    assert_eq!(answers(&home), before, "an archived id is not appended again");
}

#[test]
fn only_a_beginning_of_which_all_is_old_is_moved() {
    let (home, clock) = home_with_clock();
    home.append(SPACE, &["a", "b"].map(|text| json!({"kind": "test", "content": text}).to_string()));
    // Said to have happened later than it was written: it is not old yet, nor is what stands behind it.
    home.append(SPACE, &[json!({"kind": "test", "ts": "2026-01-01", "content": "c"}).to_string()]);
    home.append(SPACE, &[json!({"kind": "test", "ts": "1999-01-01", "content": "d"}).to_string()]);
    clock.store(START + 300 * DAY, Ordering::Relaxed);
    assert_eq!(retain(&home, json!({"dry_run": true, "older_than": "6m"}))["archived"], json!(2));
    assert_eq!(retain(&home, json!({"dry_run": true, "older_than": "1y"}))["archived"], json!(0));
    // Imported long after it happened: it is as old as it says.
    home.append(
        "local/y",
        &[json!({"kind": "test", "ts": "1999-01-01"}).to_string(), json!({"kind": "test"}).to_string()],
    );
    let lines = home.call("local/y", "retain", r#"{"dry_run":true,"older_than":"1d"}"#).expect("retains");
    assert!(lines[0].contains("\"archived\":1"), "{lines:?}");
    for wrong in [
        json!({}),
        json!({"apply": true, "dry_run": true}),
        json!({"apply": true, "older_than": "soon"}),
        json!({"apply": true, "older_than": "2099-01-01"}),
    ] {
        let error = home.call(SPACE, "retain", &wrong.to_string()).expect_err("refused");
        assert_eq!((error.kind, error.hint.is_empty()), (Kind::Invalid, false), "{wrong}");
    }
    std::fs::write(home.folder.path().join("config.toml"), "[retention]\narchive_after_months = 0\n").expect("written");
    let never = retain(&home, json!({"apply": true}));
    assert_eq!((&never["older_than"], &never["archived"]), (&Value::Null, &json!(0)));
}

#[test]
fn what_is_dropped_is_gone_and_the_chain_and_the_notes_stay() {
    let (home, _) = year();
    let planned = retain(&home, json!({"dry_run": true, "drop": true}));
    assert_eq!((&planned["dropped"], &planned["kept"]), (&json!(363), &json!(1)), "{planned}");
    let exported = home.call(SPACE, "export", "{}").expect("exports");
    let done = retain(&home, json!({"apply": true, "drop": true}));
    assert_eq!(
        (&done["dropped"], &done["kept"], &done["archives"][0]["erased"]),
        (&json!(363), &json!(1), &json!(363))
    );
    let verdict: Value = serde_json::from_str(&home.call(SPACE, "verify", "{}").expect("sound")[0]).expect("JSON");
    assert_eq!((&verdict["ok"], &verdict["erased"], &verdict["dropped"]), (&json!(true), &json!(363), &json!(363)));
    let head =
        |lines: &[String]| serde_json::from_str::<Value>(lines.last().expect("a line")).expect("JSON")["hash"].clone();
    assert_eq!(head(&home.call(SPACE, "export", "{}").expect("exports")), head(&exported));
    let recalled = home.call(SPACE, "recall", r#"{"query":"what happened on day 7?","k":50}"#).expect("recalls");
    assert!(!recalled.concat().contains("on day 7 we"), "{recalled:?}");
    let shown = home.call(SPACE, "get", r#"{"event":"1"}"#).expect("its header stays");
    assert!(shown[0].contains("\"erased\":true") && shown[0].contains("e0"), "{shown:?}");
    let note = home.call(SPACE, "query", r#"{"sql":"SELECT content FROM notes"}"#).expect("notes");
    assert!(note[0].contains("The note of day 5"), "the text of a note as it stands is kept: {note:?}");
    let digest = home.call(SPACE, "digest", "{}").expect("a digest");
    home.call(SPACE, "rebuild", "{}").expect("rebuilds");
    assert_eq!(home.call(SPACE, "digest", "{}").expect("a digest"), digest);
    assert_eq!(retain(&home, json!({"apply": true, "drop": true}))["dropped"], json!(0));
}
