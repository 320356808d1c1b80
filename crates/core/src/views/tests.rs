//! Given events, when they are folded, then these are the changes: views without a database.

use std::collections::HashMap;

use super::*;
use crate::chain::Secret;
use crate::{Event, SpaceId, Tip, Trace};

/// Folds records with one view as the store does, and gives the live rows of a table.
fn fold(view: &View, records: &[&str]) -> HashMap<Vec<Value>, Vec<Value>> {
    let mut rows: HashMap<Vec<Value>, Vec<Value>> = HashMap::new();
    for event in events(records) {
        let changes = (view.fold)(&event, &mut |_, key| rows.get(key).cloned());
        for change in changes {
            match change {
                // Under the name of their table: an entity may be called the same.
                Change::Insert(table, row) => rows.insert([&[table.name.into()], &row[..]].concat(), row),
                Change::Put(table, row) => rows.insert(row[..key_of(table)].to_vec(), row),
                Change::Add(table, row) => {
                    let (key, amounts) = row.split_at(key_of(table));
                    let sums = rows.entry(key.to_vec()).or_insert_with(|| vec![Value::Int(0); amounts.len()]);
                    sums.iter_mut().zip(amounts).for_each(|(sum, by)| *sum = Value::Int(sum.int() + by.int()));
                    None
                }
            };
        }
    }
    rows
}

fn key_of(table: &Table) -> usize {
    match table.shape {
        Shape::Entity { key } | Shape::Tally { key } => key,
        Shape::Event | Shape::Set => table.columns.len(),
    }
}

fn events(records: &[&str]) -> Vec<Event> {
    let mut tip = Tip::empty(SpaceId([1; 16]));
    let seal = |body: &&str| {
        let record = crate::Record::parse(body.as_bytes()).expect("a valid record");
        let secret = Secret { salt: [0; 32], body: record.body };
        let stored = tip.seal(format!("id{}", tip.seq), record.claim.kind, secret, crate::Time(0));
        tip = stored.tip();
        Event::read(&stored).expect("reads")
    };
    records.iter().map(seal).collect()
}

fn view(name: &str) -> &'static View {
    VIEWS.iter().find(|v| v.name == name).expect("a view")
}

#[test]
fn a_trace_knows_its_span_and_its_first_failure_whatever_the_order_of_times() {
    let rows = fold(
        view("traces"),
        &[
            r#"{"kind":"test","trace_id":"t","ts":"2025-01-01T00:00:05Z","status":"success"}"#,
            r#"{"kind":"test","trace_id":"t","ts":"2025-01-01T00:00:01Z","status":"timeout"}"#,
            r#"{"kind":"test","trace_id":"t","ts":"2025-01-01T00:00:09Z","status":"failure"}"#,
            r#"{"kind":"test","trace_id":"t","agent_id":"a","ts":"2025-01-01T00:00:09Z"}"#,
            r#"{"kind":"test"}"#,
        ],
    );
    assert_eq!(rows.len(), 2, "an agent's part of a trace is its own");
    let shared = &rows[&vec!["t".into(), "".into(), "".into()]];
    let second = |s: i64| Value::Int(1_735_689_600_000_000 + s * 1_000_000);
    let [events, first, last, failures, first_failure, last_seq] = &shared[3..] else { panic!("six columns") };
    assert_eq!((events, first, last), (&Value::Int(3), &second(1), &second(9)));
    assert_eq!((failures, first_failure, last_seq), (&Value::Int(2), &Value::Int(2), &Value::Int(3)));
}

#[test]
fn counters_add_up_by_each_dimension() {
    let rows = fold(
        view("counters"),
        &[
            r#"{"kind":"test","ts":"2025-01-01","status":"success","source":"s","metadata":{"duration_ms":10}}"#,
            r#"{"kind":"test","ts":"2025-01-01","agent_id":"a","metadata":{"duration_seconds":0.5}}"#,
            r#"{"kind":"fix","ts":"2025-01-02"}"#,
        ],
    );
    let count = |dimension: Dimension, value: &str| {
        let sums = rows.get(&vec![Value::Int(dimension as i64), value.into(), Value::Int(0)])?;
        Some((sums[0].int(), sums[1].int(), sums[2].int()))
    };
    assert_eq!(count(Dimension::Kind, "test"), Some((2, 2, 510)));
    assert_eq!(count(Dimension::Kind, "fix"), Some((1, 0, 0)));
    assert_eq!(count(Dimension::Status, "success"), Some((1, 1, 10)));
    assert_eq!(count(Dimension::Source, "s"), Some((1, 1, 10)));
    assert_eq!(count(Dimension::Agent, "a"), Some((1, 1, 500)));
    assert_eq!(count(Dimension::Day, "2025-01-01"), Some((2, 2, 510)));
    assert_eq!(count(Dimension::Status, "failure"), None);
}

#[test]
fn a_tag_given_twice_is_one_row() {
    let rows = fold(view("timeline"), &[r#"{"kind":"test","tags":["b","a","b"],"refs":["r"]}"#]);
    assert!(["a", "b"].iter().all(|tag| rows.contains_key(&vec!["tags".into(), (*tag).into()])));
    assert_eq!(rows.len(), 4, "the event, two tags, one ref");
}

#[test]
fn the_workflow_of_specification_000_reads_as_its_document_says() {
    let at = |ms: i64, kind: &str, rest: &str| {
        format!(
            r#"{{"kind":"{kind}","trace_id":"abc123","ts":"2025-01-17T12:00:{:02}.{:03}Z"{rest}}}"#,
            ms / 1000,
            ms % 1000
        )
    };
    let records = [
        at(0, "agent.session_started", r#","status":"success""#),
        at(100, "gateway.tool_call", r#","status":"success""#),
        at(600, "backend.content_generated", r#","status":"success""#),
        at(720, "gateway.tool_call", r#","status":"success""#),
        at(1920, "backend.artifact_assembled", r#","status":"failure","metadata":{"error":"Validation failed"}"#),
        at(2000, "agent.session_ended", r#","status":"success""#),
    ];
    let records: Vec<&str> = records.iter().map(String::as_str).collect();
    let trace = Trace::of("abc123", events(&records)).expect("a trace");
    let durations: Vec<i64> = trace.steps.iter().map(|s| s.duration_ms).collect();
    assert_eq!(durations, [0, 100, 500, 120, 1200, 80]);
    assert_eq!((trace.total_ms, trace.first_failure, trace.bottleneck), (2000, Some(5), Some(5)));
    assert!(Trace::of("none", Vec::new()).is_none());
}

#[test]
fn a_span_that_covers_all_others_is_not_the_slowest_step() {
    let step = |second: u32, kind: &str, millis: u32| {
        format!(
            r#"{{"kind":"{kind}","trace_id":"t","ts":"2025-01-17T12:00:{second:02}Z","metadata":{{"duration_ms":{millis}}}}}"#
        )
    };
    let slowest = |records: &[String]| {
        let records: Vec<&str> = records.iter().map(String::as_str).collect();
        Trace::of("t", events(&records)).expect("a trace").bottleneck
    };
    let parts = [step(2, "a.b", 1000), step(5, "c.d", 3000)];
    let with = |more: String| slowest(&[parts[0].clone(), parts[1].clone(), more]);
    assert_eq!(with(step(6, "agent.session_ended", 9000)), Some(2));
    assert_eq!(with(step(6, "workflow.completed", 5000)), Some(2), "it covers both");
    assert_eq!(with(step(9, "e.f", 4000)), Some(3), "it covers none");
    assert_eq!(slowest(&[step(6, "agent.session_ended", 9000)]), Some(1), "alone it is all there is");
}

#[test]
fn a_note_is_what_was_last_written_and_stays_known_when_it_is_taken_away() {
    let rows = fold(
        view("notes"),
        &[
            r#"{"kind":"note.written","author":"ann","content":"old","metadata":{"note":"n","title":"Old","tags":["a"]}}"#,
            r#"{"kind":"note.written","content":"new","metadata":{"note":"n","title":"New","links":["m","k"]}}"#,
            r#"{"kind":"note.written","agent_id":"x","content":"secret","metadata":{"note":"own"}}"#,
            r#"{"kind":"note.written","content":"going","metadata":{"note":"gone"}}"#,
            r#"{"kind":"note.deleted","metadata":{"note":"gone"}}"#,
            r#"{"kind":"note.deleted","metadata":{"note":"never there"}}"#,
            r#"{"kind":"note.written","content":"no id","metadata":{"note":7}}"#,
        ],
    );
    let notes = rows.values().filter(|row| row.len() == NOTES.columns.len()).count();
    assert_eq!(notes, 2, "an agent's own is no note: {rows:?}");
    let cell = |note: &str, name: &str| {
        let at = NOTES.columns.iter().position(|column| *column == name).expect("a column");
        rows[&vec![note.into()]][at].clone()
    };
    assert_eq!((cell("n", "title"), cell("n", "author")), ("New".into(), Value::Null));
    assert_eq!((cell("n", "links"), cell("n", "tags")), (r#"["m","k"]"#.into(), "[]".into()));
    assert_eq!((cell("n", "seq"), cell("n", "deleted")), (Value::Int(2), Value::Int(0)));
    assert_eq!((cell("gone", "deleted"), cell("gone", "seq")), (Value::Int(1), Value::Int(5)));
}

#[test]
fn versions_that_do_not_know_of_each_other_end_the_same_in_any_order() {
    // What each is, at which second it was written, and which version its writer saw. One side wrote two, the later by a
    // clock that went back; the other side wrote one; a third deleted it.
    let known = [("0", 0, ""), ("a1", 50, "0"), ("a2", 10, "a1"), ("b", 30, "0"), ("deleted", 59, "0")];
    let record = |name: &str, order: &[&str]| {
        let (_, second, before) = known.iter().find(|(own, _, _)| *own == name).expect("known");
        let kind = if name == "deleted" { "note.deleted" } else { "note.written" };
        // Events are called by their places here.
        let before = order.iter().position(|own| own == before).map_or("null".to_owned(), |at| format!("\"id{at}\""));
        format!(
            r#"{{"kind":"{kind}","ts":"2025-01-01T00:00:{second:02}Z","metadata":{{"note":"n","title":"{name}","supersedes":{before}}}}}"#
        )
    };
    let stands = |order: &[&str]| {
        let records: Vec<String> = order.iter().map(|name| record(name, order)).collect();
        let rows = fold(view("notes"), &records.iter().map(String::as_str).collect::<Vec<_>>());
        let row = rows.values().find(|row| row.len() == NOTES.columns.len()).expect("a note").clone();
        let cell = |name: &str| row[NOTES.columns.iter().position(|own| *own == name).expect("a column")].clone();
        (cell("title"), cell("deleted"))
    };
    for [x, y, z] in [["a1", "a2", "b"], ["a1", "b", "a2"], ["b", "a1", "a2"]] {
        for order in [["0", "deleted", x, y, z], ["0", x, "deleted", y, z], ["0", x, y, z, "deleted"]] {
            assert_eq!(stands(&order), ("a2".into(), Value::Int(0)), "{order:?}");
        }
    }
    assert_eq!(stands(&["0", "deleted"]).1, Value::Int(1), "whoever saw the text may delete it");
}

#[test]
fn outcomes_of_a_note_are_counted() {
    let rows = fold(
        view("notes"),
        &[
            r#"{"kind":"note.outcome","metadata":{"note":"n","worked":true}}"#,
            r#"{"kind":"note.outcome","metadata":{"note":"n","worked":false}}"#,
            r#"{"kind":"note.outcome","metadata":{"note":"n","worked":true}}"#,
            r#"{"kind":"note.outcome","metadata":{"note":"n"}}"#,
        ],
    );
    assert_eq!(rows[&vec!["n".into()]], ["n".into(), Value::Int(2), Value::Int(1), Value::Int(3)]);
}

#[test]
fn an_agent_is_known_by_its_sessions_its_handoffs_and_what_it_did() {
    let rows = fold(
        view("agents"),
        &[
            r#"{"kind":"agent.session_started","agent_id":"a","ts":"2025-01-02T00:00:00Z","metadata":{"agent_version":"1"}}"#,
            r#"{"kind":"agent.session_started","ts":"2025-01-01T00:00:00Z","metadata":{"agent_name":"a"}}"#,
            r#"{"kind":"gateway.context_switch","agent_id":"a","trace_id":"t","ts":"2025-01-01T12:00:00Z",
                "metadata":{"to_project":"other"}}"#,
            r#"{"kind":"backend.tool_executed","agent_id":"a","status":"success","metadata":{"tool_name":"x"}}"#,
            r#"{"kind":"backend.tool_executed","agent_id":"a","status":"timeout","metadata":{"tool_name":"x"}}"#,
            r#"{"kind":"test","agent_id":"a","status":"success","metadata":{"capability":"writing"}}"#,
            r#"{"kind":"test","agent_id":"a","persona":"subconscious","status":"success"}"#,
            r#"{"kind":"test","agent_id":"a","status":"pending"}"#,
        ],
    );
    let day = |days: i64| Value::Int(1_735_689_600_000_000 + days * 43_200_000_000);
    let agent = &rows[&vec!["a".into()]];
    assert_eq!(
        agent[1..4],
        [Value::Int(2), "1".into(), day(2)],
        "the last session is the latest, not the last written"
    );
    assert_eq!(agent[4..], [Value::Int(1), "other".into(), day(1), "t".into()]);
    let done = |capability: &str, tool: &str| {
        rows.get(&vec!["a".into(), capability.into(), tool.into(), Value::Int(0)])
            .map(|sums| (sums[0].int(), sums[1].int()))
    };
    assert_eq!((done("backend", "x"), done("writing", ""), done("test", "")), (Some((1, 1)), Some((1, 0)), None));
}

#[test]
fn what_metadata_says_of_others_is_read_key_by_key() {
    let rows = |record: &str| fold(view("documents"), &[record]).into_values().collect::<Vec<_>>();
    let retired = |id: &str| vec![vec!["".into(), "".into(), id.into(), Value::Int(1)]];
    let foreign = r#"{"kind":"decision","metadata":{"supersedes":"o1","grades":{"math":"A"}}}"#;
    assert_eq!(rows(foreign), retired("o1"), "grades of another form hide nothing");
    let graded = r#"{"kind":"decision","metadata":{"supersedes":["o1"],"grades":{"o2":0.8}}}"#;
    assert_eq!(rows(graded), retired("o1"), "only memory.regraded grades");
    let regraded = r#"{"kind":"memory.regraded","metadata":{"supersedes":7,"grades":{"o2":0.8,"o3":"A","o4":7}}}"#;
    assert_eq!(rows(regraded), [vec!["".into(), "".into(), "o2".into(), Value::Int(800)]]);
}
