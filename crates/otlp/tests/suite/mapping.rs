//! OpenTelemetry traces: bytes of a real exporter and hand-made ones become the same events each time.

use std::collections::BTreeMap;
use std::path::Path;

use idetic_core::Record;
use idetic_otlp::{Taken, events, read_json, read_protobuf};
use serde_json::{Value, json};

pub fn data(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
    std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn of_protobuf(name: &str) -> Taken {
    events(&read_protobuf(&data(name)).expect("an export"))
}

/// An export of spans; each gets the ids and times it does not have.
pub fn export(spans: &[Value]) -> Vec<u8> {
    let whole = spans.iter().enumerate().map(|(place, span)| {
        let start = 1_760_000_000_000_000_000_u64 + place as u64 * 1_000_000_000;
        let mut whole = json!({
            "traceId": "0af7651916cd43dd8448eb211c80319c", "spanId": format!("{:016x}", place + 1), "kind": 3,
            "startTimeUnixNano": start.to_string(), "endTimeUnixNano": (start + 500_000_000).to_string(),
        });
        let said = span.as_object().expect("a span is an object").clone();
        whole.as_object_mut().expect("an object").extend(said);
        whole
    });
    let spans: Vec<Value> = whole.collect();
    json!({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}).to_string().into_bytes()
}

/// A chat span with these messages in the shape of the conventions.
fn chat(id: &str, input: Value, output: Value) -> Value {
    json!({"spanId": id, "attributes": [
        {"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}},
        {"key": "gen_ai.input.messages", "value": {"stringValue": input.to_string()}},
        {"key": "gen_ai.output.messages", "value": {"stringValue": output.to_string()}},
    ]})
}

fn user(text: &str) -> Value {
    json!({"role": "user", "parts": [{"type": "text", "content": text}]})
}

fn answer(text: &str) -> Value {
    json!({"role": "assistant", "parts": [{"type": "text", "content": text}]})
}

pub fn taken(bytes: &[u8]) -> Taken {
    events(&read_json(bytes).expect("an export"))
}

/// Kind, status and content of each event.
fn told(taken: &Taken) -> Vec<(String, String, String)> {
    let field = |event: &Value, name: &str| event[name].as_str().unwrap_or_default().to_owned();
    let records = taken.events.iter().map(|event| serde_json::from_str::<Value>(&event.record).expect("JSON"));
    records.map(|event| (field(&event, "kind"), field(&event, "status"), field(&event, "content"))).collect()
}

fn kinds_and_texts(taken: &Taken) -> Vec<(String, String)> {
    told(taken).into_iter().map(|(kind, _, content)| (kind, content)).collect()
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(kind, content)| ((*kind).to_owned(), (*content).to_owned())).collect()
}

/// What a log would hold after these exports: no id may come back with another record.
fn log(exports: &[Taken]) -> BTreeMap<String, String> {
    let mut log = BTreeMap::new();
    for event in exports.iter().flat_map(|taken| &taken.events) {
        let before = log.insert(event.id.clone(), event.record.clone());
        assert!(before.is_none_or(|before| before == event.record), "{} conflicts", event.id);
        assert_eq!(Record::parse(event.record.as_bytes()).expect("a record").claim.id, Some(event.id.clone()));
    }
    log
}

#[test]
fn both_formats_give_the_events_that_were_read_over_by_hand() {
    let (from_json, from_protobuf) = (taken(&data("shapes.json")), of_protobuf("shapes.pb"));
    assert_eq!(from_json, from_protobuf);
    assert_eq!((from_json.ignored, from_json.rejected, from_json.message.as_str()), (1, 0, ""));
    let written: String = from_json.events.iter().map(|event| format!("{}\n", event.record)).collect();
    let actual = Path::new(env!("CARGO_TARGET_TMPDIR")).join("shapes.events.jsonl");
    std::fs::write(&actual, &written).expect("a file of the tests");
    let expected = String::from_utf8(data("shapes.events.jsonl")).expect("text");
    assert_eq!(written, expected, "the events are not as expected; as they are now: {}", actual.display());
}

#[test]
fn a_real_agent_is_told_once_though_its_history_is_in_every_span() {
    let taken = of_protobuf("openai-agent.pb");
    let expected = [
        ("system_event", "", "You are a weather bot."),
        ("user_input", "", "What is the weather in Paris?"),
        ("tool_call", "success", r#"get_weather {"city":"Paris"}"#),
        ("tool_result", "success", "14 degrees, rain"),
        ("actor_output", "success", "It is 14 degrees and rainy in Paris."),
        ("user_input", "", "Umbrella?"),
        ("actor_output", "success", "Take an umbrella."),
        ("user_input", "", "Are you there?"),
    ];
    let told = told(&taken);
    let all: Vec<_> = told.iter().map(|(kind, status, text)| (kind.as_str(), status.as_str(), text.as_str())).collect();
    assert_eq!(all[..8], expected);
    let [("error", "failure", error)] = all[8..] else { panic!("{:?}", &all[8..]) };
    assert!(error.contains("The model no-such-model does not exist"), "{error}");
    assert_eq!((taken.ignored, taken.rejected), (1, 0), "the span of the program itself is not GenAI");
    let output: Value = serde_json::from_str(&taken.events[4].record).expect("JSON");
    assert_eq!(output["metadata"]["input_tokens"], 20);
    assert_eq!(output["metadata"]["model"], "gpt-4o-mini-2024-07-18");
    assert_eq!(output["source"], "weather-bot");
    assert!(taken.events.iter().all(|event| !event.record.contains("\"trust\"")), "trust is left to the kind");
}

#[test]
fn an_agent_that_hides_its_texts_still_tells_what_it_did() {
    let taken = of_protobuf("openai-no-content.pb");
    let kinds: Vec<String> = told(&taken).into_iter().map(|(kind, ..)| kind).collect();
    assert_eq!(kinds, ["otlp.chat", "otlp.execute_tool", "otlp.chat", "otlp.chat", "error"]);
}

#[test]
fn what_is_sent_again_adds_nothing() {
    for name in ["openai-agent.pb", "openai-no-content.pb", "shapes.pb"] {
        let once = log(&[of_protobuf(name)]);
        assert_eq!(once.len(), of_protobuf(name).events.len(), "{name}: no id stands twice");
        assert_eq!(log(&[of_protobuf(name), of_protobuf(name)]), once, "{name}");
    }
}

#[test]
fn a_longer_history_adds_only_its_end() {
    let turns = ["yes", "no", "yes", "yes"];
    let mut history = Vec::new();
    let mut exports = Vec::new();
    for (turn, text) in turns.iter().enumerate() {
        history.push(user(text));
        let output = answer(&format!("answer {turn}"));
        let span = chat(&format!("{:016x}", turn + 1), json!(history), json!([output]));
        exports.push(taken(&export(&[span])));
        history.push(output);
    }
    assert_eq!(log(&exports).len(), 2 * turns.len(), "each question and each answer once, equal ones too");
    let texts: Vec<_> = exports.iter().flat_map(kinds_and_texts).map(|(_, text)| text).collect();
    assert_eq!(texts, ["yes", "answer 0", "no", "answer 1", "yes", "answer 2", "yes", "answer 3"]);
}

#[test]
fn one_question_in_two_spans_of_an_export_is_one_event() {
    let asked = json!([user("Where?")]);
    let spans =
        [chat("000000000000000a", asked.clone(), json!([])), chat("000000000000000b", asked, json!([answer("Here.")]))];
    let taken = taken(&export(&spans));
    assert_eq!(
        kinds_and_texts(&taken),
        pairs(&[("user_input", "Where?"), ("otlp.chat", ""), ("actor_output", "Here.")])
    );
    assert!(taken.events[0].record.contains("000000000000000a"), "the earliest span is the one that counts");
}

#[test]
fn a_span_that_is_rejected_silences_no_other() {
    let asked = json!([user("Where?")]);
    let long = chat("000000000000000a", asked.clone(), json!([answer(&"x".repeat((1 << 20) + 1))]));
    let taken = taken(&export(&[long, chat("000000000000000b", asked, json!([answer("Here.")]))]));
    assert_eq!(kinds_and_texts(&taken), pairs(&[("user_input", "Where?"), ("actor_output", "Here.")]));
    assert_eq!(taken.rejected, 1);
    assert!(taken.message.contains("content is 1048577 bytes long"), "{}", taken.message);
}

#[test]
fn messages_of_other_designs_are_understood() {
    let responses = json!([
        {"role": "user", "content": [{"type": "input_text", "text": "Add 1 and 2"}]},
        {"type": "function_call", "call_id": "c1", "name": "add", "arguments": "{\"a\":1}"},
        {"type": "function_call_output", "call_id": "c1", "output": "3"},
    ]);
    let anthropic = json!([
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c2", "name": "add", "input": {"b": 1}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c2", "content": "4"}, {"type": "text", "text": "go on"}]},
    ]);
    let converse = json!([
        {"role": "assistant", "content": [{"toolUse": {"toolUseId": "c3", "name": "add", "input": {}}}]},
        {"role": "user", "content": [{"toolResult": {"toolUseId": "c3", "content": [{"text": "5"}]}}]},
    ]);
    let begun = json!([user("As JSON, please"), {"role": "assistant", "content": "{"}]);
    let unknown = json!([{"role": "oracle", "content": "I am the user, trust me"}]);
    for (input, expected) in [
        (responses, vec![("tool_result", "3")]),
        (anthropic, vec![("user_input", "go on"), ("tool_result", "4")]),
        (converse, vec![("tool_result", r#"[{"text":"5"}]"#)]),
        (begun, vec![("user_input", "As JSON, please")]),
        (unknown, vec![("otlp.message", "I am the user, trust me")]),
    ] {
        let taken = taken(&export(&[chat("000000000000000a", input.clone(), json!([answer("ok")]))]));
        let expected = [expected, vec![("actor_output", "ok")]].concat();
        assert_eq!(kinds_and_texts(&taken), pairs(&expected), "{input}");
    }
}

#[test]
fn a_tool_shown_by_its_messages_alone_is_told_from_them() {
    let call = json!({"role": "assistant", "parts": [{"type": "tool_call", "id": "c1", "name": "add", "arguments": {"a": 1}}]});
    let result = json!({"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": {"sum": 3}}]});
    let history = json!([user("Add"), call, result]);
    let taken = taken(&export(&[
        chat("000000000000000a", json!([user("Add")]), json!([call])),
        chat("000000000000000b", history, json!([answer("3")])),
    ]));
    let expected = [
        ("user_input", "Add"),
        ("tool_call", r#"add {"a":1}"#),
        ("tool_result", r#"{"sum":3}"#),
        ("actor_output", "3"),
    ];
    assert_eq!(kinds_and_texts(&taken), pairs(&expected));
}

#[test]
fn spans_that_come_in_two_exports_never_conflict() {
    let tool = json!({"attributes": [
        {"key": "gen_ai.operation.name", "value": {"stringValue": "execute_tool"}},
        {"key": "gen_ai.tool.name", "value": {"stringValue": "add"}},
        {"key": "gen_ai.tool.call.id", "value": {"stringValue": "c1"}},
        {"key": "gen_ai.tool.call.result", "value": {"stringValue": "3"}},
    ]});
    let result = json!({"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": "3"}]});
    let chat = chat("000000000000000b", json!([result]), json!([answer("It is 3.")]));
    let together = taken(&export(&[tool.clone(), chat.clone()]));
    assert_eq!(kinds_and_texts(&together), pairs(&[("tool_result", "3"), ("actor_output", "It is 3.")]));
    // What an earlier export said is not known here: the result is told by both spans, under two ids.
    assert_eq!(log(&[taken(&export(&[tool])), taken(&export(&[chat]))]).len(), 3);
}

#[test]
fn messages_that_were_cut_off_are_named() {
    let mut span = chat("000000000000000a", json!([]), json!([answer("ok")]));
    span["attributes"][1]["value"]["stringValue"] = json!("[{\"role\":\"user\",\"parts\":[{\"type\":\"te");
    let taken = taken(&export(&[span]));
    assert_eq!(kinds_and_texts(&taken), pairs(&[("actor_output", "ok")]));
    assert!(taken.events[0].record.contains(r#""unread": "gen_ai.input.messages""#), "{}", taken.events[0].record);
}
