//! What a key may not see is for it as if it did not exist, in every byte of every answer.
#![expect(clippy::print_stderr, reason = "a test says what it measured")]

use std::io::Write;
use std::sync::{Arc, Mutex};

use idetic_ops::Rights;
use idetic_server::Service;
use serde_json::{Map, Value, json};

use super::random::Random;
use super::stage::Stage;

const CANARY: &str = "quetzalcoatl";

/// Arguments for an operation, made from its schema: words, names and numbers that are there and that are not.
fn arguments(random: &mut Random, schema: &Value) -> Value {
    let properties = schema["properties"].as_object().cloned().unwrap_or_default();
    let required: Vec<&str> =
        schema["required"].as_array().map(|list| list.iter().filter_map(Value::as_str).collect()).unwrap_or_default();
    let mut made = Map::new();
    for (name, property) in &properties {
        if !required.contains(&name.as_str()) && random.below(16) != 0 {
            continue;
        }
        made.insert(name.clone(), value(random, name, property));
    }
    Value::Object(made)
}

fn value(random: &mut Random, name: &str, property: &Value) -> Value {
    let texts =
        ["ship", "s1", "s2", "f1", "bot", "eve", "bob", "a word", "secret", "1", "2", "2024-01-02", "note", "plan"];
    let kinds = property["type"].clone();
    let is = |kind: &str| kinds == kind || kinds.as_array().is_some_and(|all| all.iter().any(|k| k == kind));
    match name {
        "agent" => return json!(random.of(&["bot", "bot", "eve", "nobody"])),
        "user" => return json!(random.of(&["ann", "bob", "nobody"])),
        "collection" => return json!(random.of(&["default", "private", "nothing"])),
        "events" => return json!([{"kind": "user_input", "content": random.of(&texts)}]),
        _ => {}
    }
    match () {
        () if is("boolean") => json!(random.below(2) == 0),
        () if is("integer") || is("number") => json!(random.below(20)),
        () if is("array") => json!([random.of(&texts)]),
        () if is("object") => json!({}),
        () => json!(random.of(&texts)),
    }
}

/// What somebody else has: facts, episodes, notes, conversations and events that all say the word.
fn plant(stage: &Stage, admin: &str, space: &str, agent: Option<&str>) {
    let mut events = Vec::new();
    for n in 0..20 {
        events.push(json!({"id": format!("{CANARY}-{n}"), "kind": "user_input", "content": format!("a ship named {CANARY} {n}"), "agent_id": agent, "conversation_id": format!("s{n}-{CANARY}"), "trace_id": format!("t-{CANARY}")}));
    }
    stage.post_in(space, "/v1/append", admin, &json!({"events": events})).ok();
    let with_agent = |mut arguments: Value| {
        if let Some(agent) = agent {
            arguments["agent"] = json!(agent);
        }
        arguments
    };
    let fact = with_agent(
        json!({"text": format!("the ship is {CANARY}"), "subject": CANARY, "attribute": "name", "value": CANARY}),
    );
    stage.post_in(space, "/v1/fact/store", admin, &fact).ok();
    stage
        .post_in(
            space,
            "/v1/episode/store",
            admin,
            &with_agent(json!({"goal": format!("sail {CANARY}"), "outcome": CANARY})),
        )
        .ok();
    if agent.is_none() {
        stage
            .post_in(space, "/v1/note/write", admin, &json!({"title": CANARY, "content": format!("a ship, {CANARY}")}))
            .ok();
    }
}

/// What the server logs, of every test that runs meanwhile.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("not poisoned").write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Lines {
    fn record() -> Self {
        let lines = Self::default();
        let writer = lines.clone();
        tracing_subscriber::fmt().json().with_writer(move || writer.clone()).init();
        lines
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().expect("not poisoned")).into_owned()
    }
}

#[test]
fn a_canary_in_foreign_spaces_is_in_no_byte_of_random_calls() {
    let calls = if std::env::var_os("IDETIC_LONG").is_some() { 20_000 } else { 1_500 };
    let logged = Lines::record();
    let stage = Stage::new();
    let admin = stage.admin();
    plant(&stage, &admin, "bob/default", None);
    plant(&stage, &admin, "ann/private", None);
    plant(&stage, &admin, "ann/default", Some("eve"));
    for text in ["a ship named Argo", "a plan for a ship"] {
        stage.post_in("ann/default", "/v1/remember", &admin, &json!({"text": text})).ok();
    }
    let keys = [
        stage.key(&json!({"name": "ann", "user": "ann", "collection": "default", "agent": "bot"})),
        stage.key(
            &json!({"name": "deep", "user": "ann", "collection": "default", "agent": "bot", "persona": "subconscious"}),
        ),
        stage.key(&json!({"name": "reader", "user": "ann", "collection": "other", "scope": "read"})),
        stage.key(&json!({"name": "writer", "user": "ann", "collection": "other"})),
    ];
    let operations: Vec<_> = Service::operations().filter(|o| o.rights < Rights::Admin).collect();
    let mut random = Random::new(0xca);
    let (mut answered, mut refused) = (0, 0);
    for _ in 0..calls {
        let operation = *random.of(&operations);
        let body = arguments(&mut random, &(operation.schema)());
        let path = format!("/v1/{}", operation.name.replace(' ', "/"));
        let key = random.of(&keys);
        let answer = match random.below(4) {
            0 => {
                let space = *random.of(&["bob/default", "ann/private", "ann/default", "ann/other", "nobody/nothing"]);
                stage.post_in(space, &path, key, &body)
            }
            _ => stage.post(&path, key, &body),
        };
        assert!(answer.status < 500, "{path} {body}: {answer:?}");
        let said = format!("{}{}", answer.head, answer.body).to_lowercase();
        assert!(!said.contains(CANARY) || body.to_string().contains(CANARY), "{path} {body}: {answer:?}");
        if answer.status == 200 { answered += 1 } else { refused += 1 }
    }
    let counted = stage.send("GET", "/metrics", &[("Authorization", &format!("Bearer {admin}"))], b"");
    assert!(counted.status == 200 && !counted.body.contains(CANARY), "{counted:?}");
    for foreign in ["ann", "bob", "eve", "bot"] {
        assert!(!counted.body.contains(&format!("\"{foreign}")), "a name in the metrics: {foreign}");
    }
    let logged = logged.text();
    assert!(logged.lines().count() > calls && !logged.to_lowercase().contains(CANARY), "the log says it");
    assert!(keys.iter().all(|key| !logged.contains(key.as_str())), "a key in the log");
    eprintln!(
        "idetic: figure: {calls} random calls beside a canary: {answered} answered, {refused} refused, none says it"
    );
    assert!(answered > calls / 5, "too few were answered to mean anything: {answered}");
}

#[test]
fn what_is_foreign_answers_as_what_is_not_there() {
    let stage = Stage::new();
    let admin = stage.admin();
    plant(&stage, &admin, "bob/there", None);
    plant(&stage, &admin, "ann/default", Some("eve"));
    stage.post_in("ann/default", "/v1/remember", &admin, &json!({"text": "a ship named Argo"})).ok();
    let key = stage.key(&json!({"name": "ann", "user": "ann", "agent": "bot"}));
    let mut compared = 0;
    for operation in Service::operations() {
        let path = format!("/v1/{}", operation.name.replace(' ', "/"));
        let mut random = Random::new(7);
        let body = arguments(&mut random, &(operation.schema)());
        let ask = |space: &str| {
            let answer = stage.post_in(space, &path, &key, &body);
            let headers: Vec<&str> =
                answer.head.lines().filter(|line| !line.to_lowercase().starts_with("date:")).collect();
            (answer.status, headers.join("\n").replace(space, "X"), answer.body.replace(space, "X"))
        };
        assert_eq!(ask("bob/there"), ask("bob/where"), "{path} {body}: a space");
        compared += 1;
    }
    // Things of another agent in the same space, by their ids.
    for (path, argument) in [
        ("/v1/get", "event"),
        ("/v1/conversation/show", "conversation"),
        ("/v1/fact/get", "fact"),
        ("/v1/fact/delete", "fact"),
        ("/v1/fact/history", "fact"),
        ("/v1/episode/get", "episode"),
        ("/v1/episode/delete", "episode"),
    ] {
        for (there, nowhere) in
            [(format!("{CANARY}-1"), format!("{CANARY}-x")), (format!("s1-{CANARY}"), format!("sx-{CANARY}"))]
        {
            let ask = |name: &str| {
                let answer = stage.post(path, &key, &json!({argument: name}));
                (answer.status, answer.body.replace(name, "X"))
            };
            assert_eq!(ask(&there), ask(&nowhere), "{path} {there}");
            compared += 1;
        }
    }
    eprintln!("idetic: figure: {compared} answers about foreign things are those about missing ones, byte for byte");
}
