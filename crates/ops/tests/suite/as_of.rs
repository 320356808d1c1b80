//! Time travel: every reading operation as of N answers, byte for byte, what a space that stopped at N answers.

use idetic_ops::OPERATIONS;
use idetic_ops::core::words::Persona;
use idetic_ops::core::{Record, SpaceName};
use idetic_ops::{Grant, Reader, Space};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use crate::hashed_words::models;
use crate::hermetic::Hermetic;
use crate::history::histories;
use crate::stories::sayings;

/// Every reading operation, with arguments that reach its different paths.
const QUESTIONS: &[(&str, &str)] = &[
    ("log", "{AS_OF}"),
    ("export memories", "{AS_OF}"),
    ("log", r#"{"reverse":true,"limit":5,AS_OF}"#),
    ("log", r#"{"kind":"tool_call",AS_OF}"#),
    ("log", r#"{"status":"failure",AS_OF}"#),
    ("log", r#"{"agent":"agent1","persona":"actor",AS_OF}"#),
    ("log", r#"{"trace":"trace1",AS_OF}"#),
    ("log", r#"{"loop":"loop1",AS_OF}"#),
    ("log", r#"{"conversation":"talk1",AS_OF}"#),
    ("log", r#"{"tags":["tag1","tag2"],AS_OF}"#),
    ("log", r#"{"refs":["ref1"],AS_OF}"#),
    ("log", r#"{"since":"2025-01-03","until":"2025-01-06T12:00:00Z",AS_OF}"#),
    ("trace", "{AS_OF}"),
    ("trace", r#"{"trace":"trace1",AS_OF}"#),
    ("query", r#"{"sql":"SELECT * FROM events","all":true,AS_OF}"#),
    ("query", r#"{"sql":"SELECT * FROM traces ORDER BY 1, 2, 3",AS_OF}"#),
    ("query", r#"{"sql":"SELECT * FROM capabilities",AS_OF}"#),
    ("query", r#"{"sql":"SELECT * FROM nodes ORDER BY 1",AS_OF}"#),
    ("query", r#"{"sql":"SELECT * FROM edges ORDER BY 1, 2, 3",AS_OF}"#),
    ("query", r#"{"sql":"SELECT * FROM changelog ORDER BY seq",AS_OF}"#),
    ("graph", "{AS_OF}"),
    ("graph", r#"{"node":"node1","depth":2,AS_OF}"#),
    ("graph", r#"{"blocks":"node2","deep":true,AS_OF}"#),
    ("graph", r#"{"path":["node0","node3"],AS_OF}"#),
    ("graph", r#"{"recent":3,AS_OF}"#),
    ("graph", r#"{"untested":true,"status":"blocked",AS_OF}"#),
    ("graph", r#"{"orphans":true,"format":"graphml",AS_OF}"#),
    ("stats", "{AS_OF}"),
    ("stats", r#"{"since":"2025-01-03",AS_OF}"#),
    ("digest", "{AS_OF}"),
    ("export", "{AS_OF}"),
    ("get", r#"{"event":"1",AS_OF}"#),
    ("get", r#"{"event":"7",AS_OF}"#),
    ("history", r#"{"id":"7",AS_OF}"#),
    ("profile show", r#"{"agent":"a",AS_OF}"#),
    ("profile list", "{AS_OF}"),
    ("note show", r#"{"note":"n1",AS_OF}"#),
    ("note list", "{AS_OF}"),
    ("note search", r#"{"query":"red boat",AS_OF}"#),
    ("note related", r#"{"note":"n1",AS_OF}"#),
    ("note history", r#"{"note":"n1",AS_OF}"#),
    ("note validate", "{AS_OF}"),
    ("note stale", r#"{"days":3650,AS_OF}"#),
];

/// The questions about what is remembered. An agent's side asks them too, under its own numbers.
const REMEMBERED: &[(&str, &str)] = &[
    ("recall", r#"{"query":"which red boat did ann paint?","explain":true,AS_OF}"#),
    ("recall", r#"{"query":"boat lamp 世界","mode":"lexical","explain":true,AS_OF}"#),
    ("recall", r#"{"query":"node build","mode":"vector","explain":true,"k":3,AS_OF}"#),
    ("recall", r#"{"query":"what happened on 3 January 2025","author":"ann","conversation":"talk1",AS_OF}"#),
    ("recall", r#"{"query":"graded","kind":"memory.regraded","explain":true,AS_OF}"#),
    ("context", r#"{"query":"which red boat did ann paint?","budget":400,AS_OF}"#),
    ("stm", r#"{"query":"red boat","threshold":10,AS_OF}"#),
    ("loops", "{AS_OF}"),
    ("ltm", r#"{"limit":0,AS_OF}"#),
    ("ltm", r#"{"status":"embedded","limit":3,AS_OF}"#),
    ("get", r#"{"event":"m1",AS_OF}"#),
    ("get", r#"{"event":"2",AS_OF}"#),
    ("get", r#"{"event":"missing",AS_OF}"#),
    ("history", r#"{"id":"m1",AS_OF}"#),
    ("fact retrieve", r#"{"query":"which red boat?","at":"2030-01-01",AS_OF}"#),
    ("fact list", r#"{"all":true,"at":"2030-01-01",AS_OF}"#),
    ("fact get", r#"{"fact":"m1",AS_OF}"#),
    ("fact history", r#"{"fact":"m1",AS_OF}"#),
    ("fact conflicts", "{AS_OF}"),
    ("episode retrieve", r#"{"query":"paint the boat",AS_OF}"#),
    ("episode get", r#"{"episode":"m1",AS_OF}"#),
    ("episode list", "{AS_OF}"),
    ("conversation show", r#"{"conversation":"talk1",AS_OF}"#),
    ("conversation list", "{AS_OF}"),
    ("failures", r#"{"days":3650,AS_OF}"#),
    ("advise", r#"{"error":"the red boat failed",AS_OF}"#),
    ("log", r#"{"view":true,AS_OF}"#),
    ("log", r#"{"view":true,"reverse":true,"limit":3,"refs":["m1"],AS_OF}"#),
];

/// The questions about what sessions are told, which name no agent: an agent's side asks them with a key of its own.
const TOLD: &[(&str, &str)] = &[
    ("rule list", "{AS_OF}"),
    ("rule list", r#"{"project":"shop",AS_OF}"#),
    ("session preview", r#"{"project":"shop",AS_OF}"#),
    ("session preview", r#"{"project":"shop","budget":150,AS_OF}"#),
    ("shown", "{AS_OF}"),
    ("shown", r#"{"session":"talk1","limit":2,AS_OF}"#),
];

fn ask(home: &Hermetic, space: &str, question: (&str, &str), as_of: &str) -> String {
    ask_within(home, Grant::default(), space, question, as_of)
}

fn ask_within(home: &Hermetic, grant: Grant, space: &str, (operation, arguments): (&str, &str), as_of: &str) -> String {
    let arguments = arguments.replace(",AS_OF", &format!(",{as_of}")).replace("AS_OF", as_of).replace(",}", "}");
    match home.call_within(grant, space, operation, &arguments) {
        Ok(lines) => lines.join("\n"),
        Err(error) => serde_json::to_string(&error).expect("JSON"),
    }
}

fn check(batches: &[Vec<String>], cut: prop::sample::Index) -> Result<(), TestCaseError> {
    let home = Hermetic::new();
    let mut written_by = Vec::new();
    for (at, batch) in batches.iter().enumerate() {
        home.append("local/live", batch);
        if at % 3 == 1 {
            // Some batches are folded when they arrive, some together with others later.
            home.call("local/live", "stats", "{}").expect("answers");
        }
        written_by.extend(batch.iter().map(|_| ()));
    }
    let n = cut.index(written_by.len()) + 1;
    home.copy_prefix("local/live", "local/stopped", n);
    for question in QUESTIONS {
        let past = ask(&home, "local/live", *question, &format!(r#""as_of":{n}"#));
        let stopped = ask(&home, "local/stopped", *question, "");
        prop_assert_eq!(past, stopped, "{:?} as of {} of {}", question, n, written_by.len());
    }
    let live = home.call("local/live", "digest", "{}").expect("answers");
    home.call("local/live", "rebuild", "{}").expect("rebuilds");
    prop_assert_eq!(live, home.call("local/live", "digest", "{}").expect("answers"), "rebuilt = folded as it came");
    Ok(())
}

#[test]
fn as_of_n_is_a_space_that_stopped_at_n() {
    let mut runner = TestRunner::new(Config { cases: 200, failure_persistence: None, ..Config::default() });
    let cases = (histories(14), any::<prop::sample::Index>());
    runner.run(&cases, |(batches, cut)| check(&batches, cut)).expect("holds for every history");
}

#[test]
fn every_operation_that_takes_as_of_is_asked_here() {
    for operation in OPERATIONS.iter().filter(|o| (o.schema)()["properties"]["as_of"].is_object()) {
        let asked = |questions: &[(&str, &str)]| questions.iter().any(|(name, _)| *name == operation.name);
        let by_view = asked(REMEMBERED) || asked(TOLD);
        assert!(asked(QUESTIONS) || by_view, "{} is not asked about the past", operation.name);
        assert!(operation.reader != Reader::View || by_view, "no view asks {}", operation.name);
    }
}

/// Every side that is asked for what it remembers; the owner first.
const SIDES: [Option<(&str, &str)>; 4] =
    [None, Some(("a", "actor")), Some(("a", "subconscious")), Some(("b", "actor"))];

/// Asks all there is about the past of a space, and of one that stopped there.
fn compare(home: &Hermetic, n: u64, sides: &[Option<(&str, &str)>]) -> Result<(), TestCaseError> {
    for question in QUESTIONS.iter().filter(|_| sides.contains(&None)) {
        let past = ask(home, "local/live", *question, &format!(r#""as_of":{n}"#));
        prop_assert_eq!(past, ask(home, "local/stopped", *question, ""), "{:?} as of {}", question, n);
    }
    for side in sides {
        let at = number_of(home, n, *side);
        let who =
            side.map_or_else(String::new, |(agent, persona)| format!(r#""agent":"{agent}","persona":"{persona}""#));
        // What only a view has is not asked by the owner.
        for question in REMEMBERED.iter().filter(|(_, arguments)| side.is_some() || !arguments.contains("view")) {
            let then = [who.as_str(), &format!(r#""as_of":{at}"#)];
            let then = then.iter().copied().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(",");
            let past = ask(home, "local/live", *question, &then);
            prop_assert_eq!(past, ask(home, "local/stopped", *question, &who), "{:?} {:?} at {}", question, side, at);
        }
        compare_told(home, at, *side)?;
    }
    Ok(())
}

/// Asks what a side is told, of the past of a space and of one that stopped there.
fn compare_told(home: &Hermetic, at: u64, side: Option<(&str, &str)>) -> Result<(), TestCaseError> {
    for question in TOLD {
        let asked = |space, as_of: &str| ask_within(home, held_to(side), space, *question, as_of);
        let past = asked("local/live", &format!(r#""as_of":{at}"#));
        prop_assert_eq!(past, asked("local/stopped", ""), "{:?} {:?} at {}", question, side, at);
    }
    Ok(())
}

/// The number under which a side knows the last event of the space that stopped at n.
fn number_of(home: &Hermetic, n: u64, side: Option<(&str, &str)>) -> u64 {
    let Some((agent, persona)) = side else { return n };
    let stopped = home.memory().space(&SpaceName::parse("local/stopped").expect("a name")).expect("a space");
    let seen = if persona == "actor" { stopped.actor(agent).count() } else { stopped.subconscious(agent).count() };
    seen.expect("counts")
}

/// What a side may see: the owner all of it, an agent what its key is held to.
fn held_to(side: Option<(&str, &str)>) -> Grant {
    let Some((agent, persona)) = side else { return Grant::default() };
    Grant {
        agent: Some(agent.to_owned()),
        persona: Some(Persona::parse(persona).expect("a persona")),
        ..Grant::default()
    }
}

fn append_one(space: &Space, record: &Value) {
    // A cause that is not there or an id that is taken is refused, and that is that.
    let _ = space.append(vec![Record::parse(record.to_string().as_bytes()).expect("valid")], None);
}

/// Gives every document of a space its vectors without writing an event. Texts that cannot be embedded wait for ever.
fn embed_all(home: &Hermetic, space: &str) {
    let _ = home.call(space, "reembed", "{}");
}

fn check_remembered(records: &[Value], cut: prop::sample::Index, side: usize) -> Result<(), TestCaseError> {
    let mut home = Hermetic::new();
    home.models = models(false);
    let live = home.memory().space_or_new(&SpaceName::parse("local/live").expect("a name")).expect("a space");
    for (at, record) in records.iter().enumerate() {
        append_one(&live, record);
        if at == records.len() / 2 {
            // Some of the past was dreamt about, some was not.
            let _ = home.call("local/live", "dream", "{}");
        }
    }
    embed_all(&home, "local/live");
    let head = live.log().tip().expect("a tip").seq;
    let n = cut.index(head as usize + 1) as u64;
    home.copy_prefix("local/live", "local/stopped", n as usize);
    embed_all(&home, "local/stopped");
    compare(&home, n, &[None, SIDES[side]])
}

#[test]
fn what_was_remembered_at_n_is_what_a_space_that_stopped_at_n_remembers() {
    let mut runner = TestRunner::new(Config { cases: 200, failure_persistence: None, ..Config::default() });
    let cases = (sayings(1..25), any::<prop::sample::Index>(), 1..SIDES.len());
    runner.run(&cases, |(records, cut, side)| check_remembered(&records, cut, side)).expect("holds for every history");
}

/// An event of a long history: of five lanes in turn, with retirements, replacements and grades of earlier ones of its lane.
fn of_many(n: u64) -> Value {
    let words = ["boat", "red", "harbour", "lamp", "node", "build", "deploy", "ann", "paint", "broke", "世界"];
    let word = |k: u64| words[(n.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(7 * k as u32) % 11) as usize];
    let text = (0..n % 9).map(word).collect::<Vec<_>>().join(" ");
    let (agent, persona) = [
        (None, None),
        (Some("a"), Some("actor")),
        (Some("a"), Some("subconscious")),
        (Some("b"), Some("actor")),
        (Some("b"), Some("subconscious")),
    ][n as usize % 5];
    let earlier = |events: u64| format!("e{}", n.saturating_sub(5 * events));
    let kind = match n {
        _ if n % 7 == 3 => "memory.retired",
        _ if n % 13 == 5 => "memory.regraded",
        _ => "user_input",
    };
    let metadata = match n {
        _ if n % 11 == 4 => json!({"supersedes": [earlier(9)]}),
        _ if n % 13 == 5 => json!({"grades": {(earlier(3)): 0.9, (earlier(40)): 0.1}}),
        _ if n % 17 == 6 => json!({"importance": 0.8}),
        _ => Value::Null,
    };
    json!({"kind": kind, "id": format!("e{n}"), "agent_id": agent, "persona": persona, "content": text,
           "conversation_id": format!("talk{}", n % 4), "loop_id": format!("loop{}", n / 20),
           "author": if n.is_multiple_of(2) { "ann" } else { "bob" }, "refs": [earlier(20)], "metadata": metadata})
}

/// What a project's sessions leave: rules and decisions that come and go, a task, what was told, what failed, what is known.
fn of_sessions() -> Vec<Value> {
    let said = |tag: &str, talk: &str, text: &str| {
        json!({"kind": "user_input", "trust": "user", "source": "shop", "tags": [tag], "conversation_id": talk,
               "loop_id": text, "content": text})
    };
    let rule = json!({"kind": "memory.remembered", "trust": "user", "tags": ["rule"], "id": "r1",
                      "content": "Never push to main without asking"});
    vec![
        said("rule", "talk0", "From now on, always run the linter before you commit."),
        rule,
        said("decision", "talk0", "Let's go with Fastify instead of Express for the new API."),
        json!({"kind": "actor_output", "source": "shop", "conversation_id": "talk0",
               "content": "The new API runs on Fastify now."}),
        said("todo", "talk1", "TODO: write the migration guide for the new API."),
        json!({"kind": "tool_call", "source": "shop", "conversation_id": "talk1", "id": "c1", "content": "npm test"}),
        json!({"kind": "tool_result", "source": "shop", "conversation_id": "talk1", "status": "failure",
               "causes": ["c1"], "content": "TypeError: price is undefined"}),
        json!({"kind": "memory.recalled", "trust": "agent", "refs": ["r1", "c1"], "source": "shop",
               "conversation_id": "talk1", "metadata": {"moment": "start", "tokens": 12}}),
        json!({"kind": "fact.stored", "trust": "user", "source": "shop", "id": "f1",
               "content": "The payment service runs on port 8443"}),
        json!({"kind": "standing.ended", "trust": "user", "refs": ["r1@0"]}),
        said("change", "talk2", "No need to run the linter before you commit any more."),
        json!({"kind": "actor_output", "agent_id": "a", "persona": "subconscious", "content": "They tire of rules."}),
        said("decision", "talk2", "Let's go with Hono instead of Fastify for the new API."),
        json!({"kind": "memory.recalled", "trust": "agent", "refs": ["f1"], "source": "shop",
               "conversation_id": "talk2", "metadata": {"moment": "prompt", "tokens": 7}}),
        json!({"kind": "memory.retired", "trust": "user", "refs": ["f1"]}),
    ]
}

#[test]
fn what_stood_and_was_told_at_n_is_what_stands_and_was_told_in_a_space_that_stopped_at_n() {
    let home = Hermetic::new();
    let records = of_sessions();
    home.append("local/live", &records.iter().map(Value::to_string).collect::<Vec<_>>());
    let mut stood = Vec::new();
    for n in 0..=records.len() {
        let past = |question| ask(&home, "local/live", question, &format!(r#""as_of":{n}"#));
        stood.push([("rule list", "{AS_OF}"), TOLD[2], ("shown", "{AS_OF}")].map(past));
        if n > 0 {
            home.copy_from("local/live", "local/stopped", n as u64 - 1, 1);
            for side in SIDES {
                compare_told(&home, number_of(&home, n as u64, side), side).expect("the past is what it was");
            }
        }
    }
    for (text, from, until) in [
        ("always run the linter", 1, 11),
        ("Never push to main", 2, 10),
        ("Fastify instead of Express", 3, 13),
        ("write the migration guide", 5, records.len() + 1),
        ("Hono", 13, records.len() + 1),
    ] {
        for (n, [rules, told, _]) in stood.iter().enumerate() {
            assert_eq!(rules.contains(text), (from..until).contains(&n), "{text} at {n}: {rules}");
            assert!(n != from || told.contains(text), "{text} is told at {n}: {told}");
            assert!(n != until || !told.contains(text), "{text} is not told at {n}: {told}");
        }
    }
    let tellings = |n: usize| stood[n][2].lines().count();
    assert_eq!([tellings(7), tellings(8), tellings(13), tellings(14)], [0, 1, 1, 2], "{:?}", stood[14][2]);
}

#[test]
fn so_it_is_where_documents_and_vectors_are_sealed_into_files_and_joined() {
    const EVENTS: u64 = 2400;
    const BATCH: u64 = 100;
    let mut home = Hermetic::new();
    home.models = models(true);
    for first in (1..=EVENTS).step_by(BATCH as usize) {
        home.append("local/live", &(first..first + BATCH).map(|n| of_many(n).to_string()).collect::<Vec<_>>());
        // Whoever reads seals, so the live space has many files, of which some are joined.
        home.call("local/live", "recall", r#"{"query":"boat"}"#).expect("answers");
    }
    home.call("local/live", "dream", "{}").expect("dreams");
    let mut stopped_before = 0;
    for n in [1, 255, 256, 257, 700, 1301, 2048, 2049, 2399] {
        // The space that stopped is carried on from one stop to the next.
        home.copy_from("local/live", "local/stopped", stopped_before, n - stopped_before);
        stopped_before = n;
        embed_all(&home, "local/stopped");
        compare(&home, n, &SIDES).expect("the past is what it was");
    }
}

#[test]
fn as_of_a_time_means_when_it_was_written() {
    let home = Hermetic::new();
    for n in 0..5 {
        home.append("local/live", &[format!(r#"{{"kind":"test","ts":"2030-01-01","content":"{n}"}}"#)]);
    }
    let events = home.call("local/live", "log", "{}").expect("answers");
    let third: Value = serde_json::from_str(&events[2]).expect("an event");
    let moment = third["recorded_at"].as_str().expect("a time").to_owned();
    let past = home.call("local/live", "log", &format!(r#"{{"as_of":"{moment}"}}"#)).expect("answers");
    assert_eq!(past, events[..3]);
    assert!(home.call("local/live", "log", r#"{"as_of":"1999-01-01"}"#).expect("answers").is_empty());
    let future = home.call("local/live", "log", r#"{"as_of":6}"#).expect_err("there is no event 6");
    assert!(future.message.contains("the head is 5"), "{future}");
}

#[test]
fn stats_over_several_blocks_are_the_same_by_block_and_by_row() {
    let home = Hermetic::new();
    let record = |n: usize| format!(r#"{{"kind":"test","source":"s{}","metadata":{{"duration_ms":{n}}}}}"#, n % 3);
    for batch in 0..10 {
        home.append("local/live", &(0..1000).map(|n| record(batch * 1000 + n)).collect::<Vec<_>>());
    }
    for as_of in [4095, 4096, 4097, 8192, 9999, 10_000] {
        let by_block = home.call("local/live", "stats", &format!(r#"{{"as_of":{as_of}}}"#)).expect("answers");
        let by_row = home.call("local/live", "stats", &format!(r#"{{"as_of":{as_of},"since":"1970-01-01"}}"#));
        assert_eq!(by_block, by_row.expect("answers"), "as of {as_of}");
        assert!(by_block[0].contains(&format!(r#""events":{as_of}"#)), "{by_block:?}");
    }
}
