//! Requests as they come, and the messages of whole dialogs as they go.

use serde_json::{Map, Value, json};

use super::*;

fn read(value: Value) -> AgentRequest {
    AgentRequest::read(&value).expect("it is well formed")
}

#[test]
fn only_the_question_is_required() {
    let request = read(json!({"question": "why?", "pattern": "react", "task_type": 3, "x-y": {}}));
    let wanted = AgentRequest {
        question: "why?".to_owned(),
        state: String::new(),
        group: vec!["default".to_owned()],
        history: Vec::new(),
        user: "trustgraph".to_owned(),
        collection: "default".to_owned(),
        streaming: false,
        conversation_id: None,
        session_id: None,
        enable_memory: false,
    };
    assert_eq!(request, wanted);
    for bad in
        [json!({}), json!({"question": " "}), json!({"question": 3}), json!([]), json!({"question": "q", "group": "a"})]
    {
        assert!(AgentRequest::read(&bad).is_err(), "{bad}");
    }
}

#[test]
fn both_spellings_and_what_was_printed() {
    let kebab = json!({"question": "q", "conversation-id": "c", "session-id": "s", "enable-memory": true,
        "streaming": "true", "group": [], "state": "x", "user": "u", "collection": "k"});
    let snake = json!({"question": "q", "conversation_id": "c", "session_id": "s", "enable_memory": true,
        "streaming": true, "group": [], "state": "x", "user": "u", "collection": "k", "conversation-id": "other"});
    let request = read(kebab);
    assert_eq!(request, read(snake));
    assert!(request.enable_memory && request.streaming && request.group.is_empty());
    assert_eq!(read(serde_json::to_value(&request).expect("it is plain data")), request);
}

#[test]
fn a_history_of_steps_or_of_messages() {
    let request = read(json!({"question": "q", "history": [
        {"thought": "t", "action": "a", "arguments": {"x": 1}, "observation": "o", "user": "u", "step_type": "react"},
        {"role": "user", "content": "hello"},
        {"role": "assistant", "content": [{"type": "text", "text": "one"}, {"type": "image"}, "two"]},
        {"role": "assistant", "content": null},
        {},
        "bare",
    ]}));
    let step = AgentStep {
        thought: "t".to_owned(),
        action: "a".to_owned(),
        arguments: Map::from_iter([("x".to_owned(), json!(1))]),
        observation: "o".to_owned(),
        user: "u".to_owned(),
    };
    let message =
        |role: &str, content: &str| Past::Message(Message { role: role.to_owned(), content: content.to_owned() });
    let wanted =
        [Past::Step(step), message("user", "hello"), message("assistant", "one\ntwo"), message("user", "bare")];
    assert_eq!(request.history, wanted);
    assert_eq!(read(serde_json::to_value(&request).expect("it is plain data")), request);
    assert!(AgentRequest::read(&json!({"question": "q", "history": [3]})).is_err());
}

fn dialog(streaming: bool, happenings: Vec<Happening>) -> Vec<Value> {
    let mut responses = Responses::new("a b", streaming);
    responses.usage(Usage { in_token: 5, out_token: 2, model: "m".to_owned() });
    let messages: Vec<AgentResponse> = happenings.into_iter().flat_map(|happening| responses.on(happening)).collect();
    assert!(responses.ended());
    assert_eq!(messages.iter().filter(|message| message.end_of_dialog).count(), 1, "it ends once");
    messages.iter().map(|message| serde_json::to_value(message).expect("it is plain data")).collect()
}

fn text(text: &str) -> String {
    text.to_owned()
}

fn happenings() -> Vec<Happening> {
    vec![
        Happening::ThoughtPart(text("I ")),
        Happening::ThoughtPart(text("look")),
        Happening::Thought(text("I look")),
        Happening::Action { tool: text("search"), arguments: Map::from_iter([(text("q"), json!("x"))]) },
        Happening::Observation(text("found")),
        Happening::Explain(text("ev-1")),
        Happening::Thought(text("done")),
        Happening::AnswerPart(text("4")),
        Happening::AnswerWhole(text("42")),
        Happening::Failed(text("too late")),
    ]
}

/// A message of a dialog, with what differs from message to message.
fn message(what: &str, id: &str, content: &str, ends: (bool, bool), more: Value) -> Value {
    let mut value = json!({"message_type": what, "chunk_type": what, "content": content, "end_of_message": ends.0,
        "end_of_dialog": ends.1, "message_id": format!("urn:trustgraph:agent:a%20b{id}")});
    for (key, item) in more.as_object().expect("it is an object") {
        value[key] = item.clone();
    }
    value
}

#[test]
fn a_dialog_in_whole_messages() {
    let (more, last) = ((true, false), (true, true));
    let wanted = [
        message("thought", "/i1/thought", "I look", more, json!({"thought": "I look"})),
        message("action", "/i1", "search {\"q\":\"x\"}", more, json!({})),
        message("observation", "/i1/observation", "found", more, json!({"observation": "found"})),
        message("explain", "/i2", "", more, json!({"explain_id": "ev-1"})),
        message("thought", "/i2/thought", "done", more, json!({"thought": "done"})),
        message("answer", "/final", "42", last, json!({"answer": "42", "in_token": 5, "out_token": 2, "model": "m"})),
    ];
    assert_eq!(dialog(false, happenings()), wanted);
}

#[test]
fn a_dialog_in_pieces() {
    let (part, more, last) = ((false, false), (true, false), (true, true));
    let wanted = [
        message("thought", "/i1/thought", "I ", part, json!({})),
        message("thought", "/i1/thought", "look", part, json!({})),
        message("thought", "/i1/thought", "", more, json!({})),
        message("action", "/i1", "search {\"q\":\"x\"}", more, json!({})),
        message("observation", "/i1/observation", "found", more, json!({})),
        message("explain", "/i2", "", more, json!({"explain_id": "ev-1"})),
        message("thought", "/i2/thought", "done", more, json!({})),
        message("answer", "/final", "4", part, json!({})),
        message("answer", "/final", "2", part, json!({})),
        message("answer", "/final", "", last, json!({"in_token": 5, "out_token": 2, "model": "m"})),
    ];
    assert_eq!(dialog(true, happenings()), wanted);
}

#[test]
fn a_dialog_that_fails() {
    for streaming in [false, true] {
        let error = json!({"error": {"message": "no model", "type": "agent-error", "code": "agent-error"},
            "in_token": 5, "out_token": 2, "model": "m"});
        let wanted = [message("error", "", "no model", (true, true), error)];
        assert_eq!(dialog(streaming, vec![Happening::Failed(text("no model"))]), wanted);
    }
}
