//! Notes: versions that never get lost, what recall makes of them, and failures that are grouped.

use std::sync::Arc;

use idetic_ops::core::SpaceName;
use idetic_ops::{Base, Kind, Space, Writer, note_record};
use serde_json::{Value, json};

use crate::hashed_words::models;
use crate::hermetic::{Hermetic, counted};

const SPACE: &str = "local/notes";

fn call(home: &Hermetic, operation: &str, arguments: &Value) -> Vec<Value> {
    let lines = home.call(SPACE, operation, &arguments.to_string()).unwrap_or_else(|e| panic!("{operation}: {e}"));
    lines.iter().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn write(home: &Hermetic, id: &str, title: &str, content: &str, links: &[&str]) {
    let arguments = json!({"id": id, "title": title, "content": content, "links": links, "force": true});
    call(home, "note write", &arguments);
}

fn space(home: &Hermetic) -> Arc<Space> {
    home.memory().space(&SpaceName::parse(SPACE).expect("a name")).expect("the space is there")
}

fn found(home: &Hermetic, query: &str) -> Vec<Value> {
    let recalled = call(home, "recall", &json!({"query": query, "explain": true})).remove(0);
    recalled["hits"].as_array().expect("hits").clone()
}

#[test]
fn of_two_writers_at_once_the_later_has_the_earlier_before_its_eyes() {
    let home = Hermetic::new();
    write(&home, "a", "A", "first", &[]);
    let space = space(&home);
    let seen = space.note("a", 1).expect("reads").expect("is there").event;
    let text = |body: &str| format!("---\nid: a\n---\n{body}\n");
    let write = |base, body: &str| {
        space.write_note("a", base, &Writer::default(), &mut |row| {
            note_record(&text(body), None, "a", None, row.map(|row| row.event.as_str())).map(Some)
        })
    };
    let ack = write(Base::Version(&seen), "second").expect("writes").expect("an event");
    let refused = write(Base::Version(&seen), "third").expect_err("it has changed");
    assert_eq!(refused.kind, Kind::Conflict);
    assert!(refused.message.contains(&seen) && refused.message.contains(&ack.id), "{refused}");
    assert_eq!(write(Base::Nothing, "third").expect_err("it is there").kind, Kind::Conflict);
    // Many at once, each on top of whatever is there: no version is lost.
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let (space, write) = (&space, &write);
            scope.spawn(move || {
                for n in 0..5 {
                    write(Base::Whatever, &format!("{writer} {n}")).expect("writes");
                }
                let _ = space;
            });
        }
    });
    let head = space.log().tip().expect("a tip").seq;
    let versions = space.note_versions("a", head).expect("versions");
    assert_eq!(versions.len(), 22);
    let hits = found(&home, "first second third 0 1 2 3 4");
    assert_eq!(hits.len(), 1, "only the last version is recalled: {hits:?}");
    assert_eq!(hits[0]["id"], json!(versions[0].event));
}

#[test]
fn a_note_that_is_linked_with_a_good_match_rises_and_a_deprecated_one_comes_last() {
    let home = Hermetic::with(counted(), models(true));
    write(&home, "kettle", "Kettle", "The copper kettle whistles when the water boils", &["lid", "nowhere"]);
    write(&home, "lid", "Lid", "Turn it twice before closing", &[]);
    write(&home, "rug", "Rug", "Beat it twice before winter", &[]);
    home.append(SPACE, &[json!({"kind": "user_input", "content": "copper kettle water"}).to_string()]);
    let note = |hits: &[Value], id: &str| hits.iter().find(|hit| hit["note"]["note"] == json!(id)).cloned();
    let hits = found(&home, "copper kettle whistles water boils");
    let (lid, rug) = (note(&hits, "lid").expect("found"), note(&hits, "rug").expect("found"));
    assert!(lid["parts"]["links"].as_f64() > Some(0.0), "{lid}");
    assert_eq!(rug["parts"]["links"].as_f64(), Some(0.0), "{rug}");
    for hit in &hits {
        let sum: f64 = hit["parts"].as_object().expect("parts").values().filter_map(Value::as_f64).sum();
        assert!((sum - hit["score"].as_f64().expect("a score")).abs() < 1e-9, "{hit}");
    }
    assert_eq!(hits[0]["note"]["confidence"], json!("medium"));
    call(&home, "note deprecate", &json!({"note": "kettle", "by": "rug", "reason": "sold"}));
    let after = found(&home, "copper kettle whistles water boils");
    let last = after.last().expect("hits");
    assert_eq!((&last["note"]["note"], &last["note"]["replaced_by"]), (&json!("kettle"), &json!("rug")));
    assert!(last["score"].as_f64() > Some(0.0), "its own score is shown: {last}");
    let sum: f64 = last["parts"].as_object().expect("parts").values().filter_map(Value::as_f64).sum();
    assert!((sum - last["score"].as_f64().expect("a score")).abs() < 1e-9, "{last}");
    assert_eq!(after.len(), hits.len(), "the version before is not recalled");
    let before = call(&home, "recall", &json!({"query": "copper kettle whistles water boils", "as_of": 4}));
    assert_eq!(before[0]["hits"][0]["note"]["note"], json!("kettle"), "as of then it was good");
}

#[test]
fn where_there_are_no_notes_nothing_is_weighed_anew() {
    let home = Hermetic::new();
    let turns: Vec<String> =
        (0..80).map(|n| json!({"kind": "user_input", "content": format!("turn {n} about tea")}).to_string()).collect();
    home.append(SPACE, &turns);
    let ask =
        || home.call(SPACE, "recall", r#"{"query":"turn 7 tea","k":20,"as_of":80,"explain":true}"#).expect("answers");
    let before = ask();
    // Foreign records of the same kind that name no note, and notes that come later, change nothing of the past.
    home.append(SPACE, &[json!({"kind": "note.written", "content": "tea", "metadata": {"note": "t"}}).to_string()]);
    assert_eq!(ask(), before);
    assert!(!before[0].contains("\"note\"") && !before[0].contains("links"), "{before:?}");
}

#[test]
fn confidence_rises_and_falls_with_outcomes_and_the_past_knows_nothing_of_it() {
    let home = Hermetic::new();
    call(&home, "note write", &json!({"title": "Fix", "content": "do it", "confidence": "medium"}));
    for _ in 0..3 {
        call(&home, "note outcome", &json!({"note": "fix", "worked": true, "trace": "t"}));
    }
    let shown = &call(&home, "note show", &json!({"note": "fix"}))[0];
    assert_eq!(
        (&shown["confidence"], &shown["stated"], &shown["worked"]),
        (&json!("high"), &json!("medium"), &json!(3))
    );
    for _ in 0..6 {
        call(&home, "note outcome", &json!({"note": "fix", "failed": true, "trace": "t"}));
    }
    assert_eq!(call(&home, "note show", &json!({"note": "fix"}))[0]["confidence"], json!("medium"));
    assert_eq!(call(&home, "note show", &json!({"note": "fix", "as_of": 1}))[0]["worked"], json!(0));
    let error = home.call(SPACE, "note outcome", r#"{"note":"fix"}"#).expect_err("which of the two?");
    assert_eq!(error.kind, Kind::Invalid);
}

#[test]
fn related_notes_are_listed_by_distance_and_dangling_links_are_no_error() {
    let home = Hermetic::new();
    write(&home, "a", "A", "one", &["b"]);
    write(&home, "b", "B", "two [[c]]", &["missing"]);
    write(&home, "c", "C", "three", &[]);
    write(&home, "d", "D", "four", &["a"]);
    let near: Vec<(String, u64, bool)> = call(&home, "note related", &json!({"note": "a", "depth": 3}))
        .iter()
        .map(|n| {
            let note = n["note"].as_str().expect("an id").to_owned();
            (note, n["distance"].as_u64().expect("a distance"), n["dangling"] == json!(true))
        })
        .collect();
    let expected = [("b", 1, false), ("d", 1, false), ("c", 2, false), ("missing", 2, true)];
    assert_eq!(near, expected.map(|(note, distance, dangling)| (note.to_owned(), distance, dangling)));
    call(&home, "note unlink", &json!({"note": "a", "other": "b"}));
    assert_eq!(call(&home, "note related", &json!({"note": "b", "depth": 1})).len(), 2);
    assert_eq!(home.call(SPACE, "note validate", "{}").expect_err("a link dangles").kind, Kind::CheckFailed);
}

#[test]
fn similar_failures_are_one_group_with_their_traces() {
    let home = Hermetic::new();
    let failed = |n: u32, content: &str, status: &str| {
        json!({"kind": "error", "status": status, "trace_id": format!("t{n}"), "content": content}).to_string()
    };
    home.append(
        SPACE,
        &[
            failed(1, "Timeout after 30s connecting to 10.0.0.7:5432", "failure"),
            failed(2, "timeout after 45s connecting to 10.0.0.9:5432", "timeout"),
            failed(3, "Cannot read /var/lib/x/0191f6a2.dat: permission denied", "failure"),
            failed(4, "all is well", "success"),
            json!({"kind": "error", "status": "failure", "ts": "2020-01-01", "content": "long ago"}).to_string(),
            json!({"kind": "error", "status": "failure", "metadata": {"error": "no text of its own"}}).to_string(),
        ],
    );
    let groups = call(&home, "failures", &json!({"days": 7}));
    assert_eq!(groups.len(), 3, "{groups:?}");
    assert_eq!((&groups[0]["count"], &groups[0]["traces"]), (&json!(2), &json!(["t2", "t1"])));
    assert!(groups.iter().any(|group| group["example"] == json!("no text of its own")));
}

#[test]
fn advice_follows_the_trace_to_the_note_and_names_what_replaced_it() {
    let home = Hermetic::with(counted(), models(true));
    let event = |kind: &str, status: &str, content: &str| {
        json!({"kind": kind, "status": status, "trace_id": "run", "content": content}).to_string()
    };
    home.append(
        SPACE,
        &[event("error", "failure", "backend start timeout"), event("fix", "success", "raised the limit to sixty")],
    );
    call(&home, "note write", &json!({"title": "Wait longer", "content": "Sixty seconds", "traces": ["run"]}));
    call(&home, "note write", &json!({"title": "Check health", "content": "Poll until ready"}));
    let advice = call(&home, "advise", &json!({"error": "backend start timeout"})).remove(0);
    assert_eq!((&advice["known"], &advice["notes"][0]["note"]), (&json!(true), &json!("wait-longer")), "{advice}");
    assert_eq!(advice["tried"][0]["text"], json!("raised the limit to sixty"));
    assert!(advice["notes"][0]["causes"].as_array().is_some_and(|causes| causes.len() >= 2), "{advice}");
    call(&home, "note deprecate", &json!({"note": "wait-longer", "by": "check-health", "reason": "better"}));
    let advice = call(&home, "advise", &json!({"error": "backend start timeout"})).remove(0);
    assert_eq!(advice["notes"][0]["note"], json!("check-health"), "{advice}");
    let nothing = call(&home, "advise", &json!({"error": "zebra crossing paint"})).remove(0);
    assert_eq!((&nothing["known"], &nothing["failures"]), (&json!(false), &json!([])), "{nothing}");
}

#[test]
fn an_id_that_is_no_slug_is_refused_as_such_and_nothing_is_written() {
    let home = Hermetic::new();
    write(&home, "a", "A", "text", &[]);
    let odd = json!({"kind": "note.written", "content": "odd", "metadata": {"note": "Odd One", "title": "Odd"}});
    home.append(SPACE, &[odd.to_string()]);
    let head = || space(&home).log().tip().expect("a tip").seq;
    let before = head();
    for (operation, arguments) in [
        ("note delete", json!({"note": "A B"})),
        ("note history", json!({"note": "A B"})),
        ("note link", json!({"note": "a", "other": "A B"})),
        ("note write", json!({"title": "C", "content": "c", "links": ["A B"]})),
        ("note deprecate", json!({"note": "A B", "by": "nowhere", "reason": "x"})),
        ("note deprecate", json!({"note": "a", "by": "A B", "reason": "x"})),
    ] {
        let refused = home.call(SPACE, operation, &arguments.to_string()).expect_err(operation);
        assert_eq!((refused.kind, head()), (Kind::Invalid, before), "{operation}: {refused}");
    }
    // One that is there, however odd.
    call(&home, "note link", &json!({"note": "a", "other": "Odd One"}));
    call(&home, "note delete", &json!({"note": "Odd One"}));
    assert_eq!(call(&home, "note history", &json!({"note": "Odd One"})).len(), 2);
}

#[test]
fn what_is_appended_changes_no_byte_that_was_there() {
    let home = Hermetic::new();
    for (n, (body, after)) in [
        ("# T\n\nlast\t \n", "# T\n\nlast\t \n\nmore\n"),
        ("# T\n\nlast  ", "# T\n\nlast  \n\nmore\n"),
        ("# T\r\nlast \r\n", "# T\r\nlast \r\n\r\nmore\r\n"),
        ("# T\n\nlast\n\n\n", "# T\n\nlast\n\n\nmore\n"),
    ]
    .into_iter()
    .enumerate()
    {
        let note = format!("n{n}");
        let record = note_record(body, None, &note, None, None).expect("a record");
        space_or_new(&home).append(vec![record], None).expect("appends");
        call(&home, "note edit", &json!({"note": note, "append": "more"}));
        let shown = call(&home, "note show", &json!({"note": note})).remove(0);
        assert!(shown["text"].as_str().is_some_and(|text| text.ends_with(after)), "{body:?}: {shown}");
    }
}

fn space_or_new(home: &Hermetic) -> Arc<Space> {
    home.memory().space_or_new(&SpaceName::parse(SPACE).expect("a name")).expect("a space")
}

#[test]
fn why_a_note_is_deprecated_stands_in_its_text() {
    let home = Hermetic::new();
    write(&home, "a", "A", "text", &[]);
    write(&home, "b", "B", "better", &[]);
    call(&home, "note deprecate", &json!({"note": "a", "by": "b", "reason": "it waits"}));
    let shown = call(&home, "note show", &json!({"note": "a"})).remove(0);
    let text = shown["text"].as_str().expect("a text");
    assert!(
        text.contains("# A\n\n**Deprecated**: 2025-01-01\n**Reason**: it waits\n**Replacement**: [[b]]\n\ntext"),
        "{text}"
    );
}

#[test]
fn failures_are_known_by_status_or_kind_and_by_what_their_metadata_says() {
    let home = Hermetic::with(counted(), models(true));
    let in_metadata = json!({"kind": "gateway.tool_call", "status": "failure", "trace_id": "a",
        "metadata": {"error": {"message": "quota of the printer is spent"}}});
    let by_kind = json!({"kind": "app.job_failed", "trace_id": "b", "summary": "elevator stuck between floors"});
    let fine =
        json!({"kind": "app.job_failed", "status": "success", "trace_id": "c", "content": "coffee machine is fine"});
    let learned = json!({"kind": "agent.knowledge_learned", "status": "success", "trace_id": "b",
        "metadata": {"note_id": "call-the-porter"}});
    home.append(SPACE, &[in_metadata, by_kind, fine, learned].map(|event| event.to_string()));
    call(&home, "note write", &json!({"title": "Buy paper credits", "content": "In the shop", "traces": ["a"]}));
    call(&home, "note write", &json!({"title": "Call the porter", "content": "Extension seven"}));
    let groups = call(&home, "failures", &json!({"days": 7}));
    assert_eq!(groups.len(), 2, "{groups:?}");
    for (error, note) in [("printer quota is spent", "buy-paper-credits"), ("stuck in the elevator", "call-the-porter")]
    {
        let advice = call(&home, "advise", &json!({"error": error})).remove(0);
        assert_eq!(advice["notes"][0]["note"], json!(note), "{advice}");
    }
    let unknown = call(&home, "advise", &json!({"error": "coffee machine is fine"})).remove(0);
    assert_eq!((&unknown["known"], &unknown["failures"]), (&json!(false), &json!([])), "{unknown}");
    assert!(!found(&home, "printer quota").is_empty(), "what only the metadata says is recalled too");
    // What did not help there is no longer advised, whoever said that it was learned there.
    call(&home, "note outcome", &json!({"note": "call-the-porter", "failed": true, "trace": "b"}));
    let advice = call(&home, "advise", &json!({"error": "stuck in the elevator"})).remove(0);
    assert_eq!(advice["known"], json!(false), "{advice}");
}

#[test]
fn a_note_yields_to_a_failure_that_is_nearer_and_that_it_did_not_solve() {
    // Words to each of which the model gives a direction of its own.
    let home = Hermetic::with(counted(), models(true));
    let failed = |trace: &str, said: &str| {
        json!({"kind": "error", "status": "failure", "trace_id": trace, "content": said}).to_string()
    };
    home.append(SPACE, &[failed("a", "valve motor rotor pump")]);
    call(&home, "note write", &json!({"title": "Oil it", "content": "Twice a year", "traces": ["a"]}));
    let advise = || call(&home, "advise", &json!({"error": "valve motor rotor cable wire door"})).remove(0);
    let before = advise();
    assert_eq!(before["notes"][0]["note"], json!("oil-it"), "{before}");
    // The same told otherwise speaks for the note; what has nothing to do with it speaks against it.
    home.append(SPACE, &[failed("b", "valve motor rotor cable")]);
    let again = advise();
    assert_eq!(again["notes"][0]["because"], before["notes"][0]["because"], "{before} {again}");
    home.append(SPACE, &[failed("c", "cable wire door")]);
    let after = advise();
    let because = after["notes"][0]["because"].as_str().unwrap_or("another failure");
    assert!(because.contains("another failure"), "{after}");
}
