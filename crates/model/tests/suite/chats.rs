//! Chat endpoints: good ones, and every way in which one can be bad.

use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use idetic_model::chat::{AnswerSchema, Finish, ToolCall, ToolSpec, Usage};
use idetic_model::{Chat, ChatAnswer, ChatEndpoint, ChatError, ChatMessage, ChatRequest, ChatSettings};
use serde_json::json;

use crate::suite::server::{Deed, Server};

const KEY: &str = "sk-very-secret";
const LONG: Duration = Duration::from_secs(60);
const SHORT: Duration = Duration::from_millis(300);

fn settings(server: &Server) -> ChatSettings {
    ChatSettings {
        key: KEY.to_owned(),
        retries: 2,
        timeout: LONG,
        idle_timeout: LONG,
        ..ChatSettings::new(&server.url, "m")
    }
}

fn request(stream: bool) -> ChatRequest {
    ChatRequest { messages: vec![ChatMessage::User("Hello?".to_owned())], stream, ..ChatRequest::default() }
}

/// Asks and gives what was heard, too.
fn ask(settings: ChatSettings, request: &ChatRequest) -> (Result<ChatAnswer, ChatError>, String) {
    let mut heard = String::new();
    let answer = ChatEndpoint::new(settings).ask(request, &mut |piece| heard.push_str(piece));
    (answer, heard)
}

/// What comes of one try.
fn error(deed: Deed, stream: bool) -> ChatError {
    let server = Server::start(vec![deed]);
    let (answer, _) = ask(ChatSettings { retries: 0, ..settings(&server) }, &request(stream));
    answer.expect_err("it fails")
}

fn whole(text: &str) -> String {
    json!({
        "model": "m-1", "usage": { "prompt_tokens": 9, "completion_tokens": 2 },
        "choices": [{ "index": 0, "finish_reason": "stop", "message": { "role": "assistant", "content": text } }],
    })
    .to_string()
}

fn piece(text: &str) -> Vec<u8> {
    format!("data: {}\n\n", json!({ "choices": [{ "index": 0, "delta": { "content": text } }] })).into_bytes()
}

fn ended() -> Vec<u8> {
    let end = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] });
    format!("data: {end}\n\ndata: [DONE]\n\n").into_bytes()
}

#[test]
fn a_question_is_sent_as_agreed_and_its_answer_read() {
    let server = Server::start(vec![Deed::Answer(200, whole("Hi."))]);
    let call = ToolCall { id: "c1".to_owned(), name: "find".to_owned(), arguments: "{\"q\":1".to_owned() };
    let parameters = json!({ "type": "object" });
    let question = ChatRequest {
        messages: vec![
            ChatMessage::System("Be brief.".to_owned()),
            ChatMessage::User("Hello?".to_owned()),
            ChatMessage::Assistant { text: String::new(), tool_calls: vec![call] },
            ChatMessage::Tool { call_id: "c1".to_owned(), text: "nothing".to_owned() },
        ],
        tools: vec![ToolSpec {
            name: "find".to_owned(),
            description: "Finds.".to_owned(),
            parameters: parameters.clone(),
        }],
        schema: Some(AnswerSchema { name: "a".to_owned(), schema: parameters.clone() }),
        max_tokens: Some(50),
        stop: vec!["END".to_owned()],
        stream: false,
    };
    let (answer, heard) = ask(settings(&server), &question);
    let usage = Usage { prompt_tokens: 9, answer_tokens: 2, estimated: false };
    let model = "m-1".to_owned();
    let expected = ChatAnswer { text: "Hi.".to_owned(), tool_calls: Vec::new(), finish: Finish::Stop, usage, model };
    assert_eq!(answer, Ok(expected));
    assert_eq!(heard, "", "nobody asked for a stream");
    let seen = &server.requests()[0];
    assert_eq!(seen.line, "POST /v1/chat/completions HTTP/1.1");
    assert_eq!(seen.authorization.as_deref(), Some("Bearer sk-very-secret"));
    let function = json!({ "name": "find", "arguments": "{\"q\":1" });
    assert_eq!(
        seen.body,
        json!({
            "model": "m", "temperature": 0.0, "max_tokens": 50, "stop": ["END"], "stream": false,
            "messages": [
                { "role": "system", "content": "Be brief." },
                { "role": "user", "content": "Hello?" },
                { "role": "assistant", "content": null,
                  "tool_calls": [{ "id": "c1", "type": "function", "function": function }] },
                { "role": "tool", "tool_call_id": "c1", "content": "nothing" },
            ],
            "tools": [{ "type": "function",
                "function": { "name": "find", "description": "Finds.", "parameters": parameters } }],
            "response_format": { "type": "json_schema",
                "json_schema": { "name": "a", "schema": parameters, "strict": true } },
        })
    );
}

#[test]
fn newer_models_get_the_names_they_know() {
    let server = Server::start(vec![Deed::Answer(200, whole("Hi."))]);
    let newer = ChatSettings { completion_limit: true, temperature: None, ..settings(&server) };
    let limited = ChatRequest { max_tokens: Some(5), ..request(true) };
    ask(newer, &limited).0.expect("it answers");
    let body = &server.requests()[0].body;
    assert_eq!(body["max_completion_tokens"], 5);
    assert_eq!(body["stream_options"], json!({ "include_usage": true }));
    assert!(body.get("max_tokens").is_none() && body.get("temperature").is_none(), "{body}");
    assert!(body.get("tools").is_none() && body.get("response_format").is_none(), "{body}");
}

#[test]
fn words_are_heard_before_the_next_are_sent() {
    let (go, leave) = mpsc::channel();
    let pieces = vec![piece("One, "), piece("two, "), piece("three."), ended()];
    let server = Server::start(vec![Deed::Led(pieces, Arc::new(Mutex::new(leave)))]);
    let mut heard = Vec::new();
    let answer = ChatEndpoint::new(settings(&server)).ask(&request(true), &mut |piece| {
        heard.push(piece.to_owned());
        go.send(()).expect("the server waits");
    });
    let answer = answer.expect("it answers");
    assert_eq!(heard, ["One, ", "two, ", "three."]);
    assert_eq!(answer.text, heard.concat());
    assert_eq!(answer.model, "m", "the server did not say");
    let [request] = &[request(true)];
    assert_eq!(answer.usage.prompt_tokens, request.estimate_tokens() as u64);
    assert!(answer.usage.estimated && answer.usage.answer_tokens > 0);
}

#[test]
fn a_stream_comes_in_odd_fragments() {
    let text = "Grüße, 墨水 🦀!";
    let mut bytes: Vec<u8> = text.chars().flat_map(|c| piece(&c.to_string())).collect();
    bytes.extend(ended());
    let fragments = bytes.iter().map(|byte| vec![*byte]).collect();
    let server = Server::start(vec![Deed::Stream(fragments)]);
    let (answer, heard) = ask(settings(&server), &request(true));
    assert_eq!((answer.expect("it answers").text.as_str(), heard.as_str()), (text, text));
}

#[test]
fn tool_calls_are_streamed() {
    let delta = |calls: serde_json::Value| {
        format!("data: {}\r\n\r\n", json!({ "choices": [{ "delta": { "tool_calls": calls } }] })).into_bytes()
    };
    let pieces = vec![
        delta(json!([{ "index": 0, "id": "a", "function": { "name": "find", "arguments": "" } }])),
        delta(json!([{ "index": 1, "id": "b", "function": { "name": "keep", "arguments": "{}" } }])),
        delta(json!([{ "index": 0, "function": { "arguments": "{\"q\":" } }])),
        delta(json!([{ "index": 0, "function": { "arguments": "\"ink\"}" } }])),
        ended(),
    ];
    let server = Server::start(vec![Deed::Stream(pieces)]);
    let (answer, heard) = ask(settings(&server), &request(true));
    let answer = answer.expect("it answers");
    let call = |id: &str, name: &str, arguments: &str| ToolCall {
        id: id.to_owned(),
        name: name.to_owned(),
        arguments: arguments.to_owned(),
    };
    assert_eq!(answer.tool_calls, [call("a", "find", r#"{"q":"ink"}"#), call("b", "keep", "{}")]);
    assert_eq!((answer.finish, heard.as_str()), (Finish::ToolCalls, ""));
}

#[test]
fn a_server_that_does_not_stream_is_heard_at_the_end() {
    let server = Server::start(vec![Deed::Answer(200, whole("Hi."))]);
    let (answer, heard) = ask(settings(&server), &request(true));
    assert_eq!(answer.expect("it answers").text, "Hi.");
    assert_eq!(heard, "Hi.");
    let server = Server::start(vec![Deed::Stream(vec![piece("Hi."), ended()])]);
    let (answer, heard) = ask(settings(&server), &request(false));
    assert_eq!((answer.expect("it answers").text.as_str(), heard.as_str()), ("Hi.", ""), "or streams unasked");
}

#[test]
fn what_passes_is_tried_again() {
    let busy = Deed::Headed(429, "retry-after: 1", "slow down".to_owned());
    let down = Deed::Answer(500, String::new());
    let server = Server::start(vec![busy, down, Deed::Stream(vec![piece("Hi."), ended()])]);
    let (answer, heard) = ask(settings(&server), &request(true));
    assert_eq!((answer.expect("it answers").text.as_str(), heard.as_str()), ("Hi.", "Hi."));
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn what_stays_is_given_up() {
    let overloaded = json!({ "error": { "message": "overloaded", "type": "server_error" } }).to_string();
    let server = Server::start(vec![Deed::Answer(503, overloaded)]);
    let (answer, _) = ask(settings(&server), &request(true));
    assert_eq!(answer, Err(ChatError::Unavailable("status 503: overloaded".to_owned())));
    assert_eq!(server.requests().len(), 3);
    let nobody = ChatSettings { base_url: "http://127.0.0.1:1/v1".to_owned(), retries: 0, ..settings(&server) };
    assert!(matches!(ask(nobody, &request(true)).0, Err(ChatError::Unavailable(_))));
}

#[test]
fn settings_that_cannot_work_are_refused() {
    let server = Server::start(vec![Deed::Answer(200, whole("Hi."))]);
    let nowhere = ChatSettings { base_url: String::new(), ..settings(&server) };
    let refusal = ask(nowhere, &request(true)).0.expect_err("no address");
    assert!(matches!(refusal, ChatError::Refused(_)), "{refusal:?}");
    let torn = ChatSettings { key: format!("{KEY}\nmore"), ..settings(&server) };
    let refusal = ask(torn, &request(true)).0.expect_err("no key");
    assert!(matches!(refusal, ChatError::Refused(_)) && !refusal.to_string().contains("secret"), "{refusal:?}");
    assert_eq!(server.requests().len(), 0);
}

#[test]
fn a_server_that_asks_for_too_much_patience_is_left() {
    let server = Server::start(vec![Deed::Headed(429, "retry-after: 86400", "come back tomorrow".to_owned())]);
    let (answer, _) = ask(settings(&server), &request(false));
    assert_eq!(answer, Err(ChatError::Unavailable("status 429: come back tomorrow".to_owned())));
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_refusal_is_not_repeated_and_its_key_not_shown() {
    let said = json!({ "error": { "message": format!("Incorrect API key provided: {KEY}.") } }).to_string();
    let server = Server::start(vec![Deed::Answer(401, said)]);
    let (answer, _) = ask(settings(&server), &request(true));
    let expected = "status 401: Incorrect API key provided: [key].".to_owned();
    assert_eq!(answer, Err(ChatError::Refused(expected)));
    assert_eq!(server.requests().len(), 1);
    let everywhere = format!("{:?} {:?}", settings(&server), ChatEndpoint::new(settings(&server)));
    assert!(!everywhere.contains("secret"), "{everywhere}");
    let echo = format!("<html>{KEY}");
    for deed in
        [Deed::Answer(200, echo.clone()), Deed::Answer(200, format!("{{{KEY}")), Deed::Answer(400, echo.clone())]
    {
        let why = error(deed, true).to_string();
        assert!(why.contains("[key]") && !why.contains("secret"), "{why}");
    }
    let inside = format!("data: {}\n\n", json!({ "error": KEY })).into_bytes();
    for deed in [Deed::Stream(vec![inside.clone()]), Deed::Stream(vec![piece("So"), inside])] {
        let why = error(deed, true).to_string();
        assert!(why.contains("[key]") && !why.contains("secret"), "{why}");
    }
}

#[test]
fn a_question_that_does_not_fit_is_told_from_other_refusals() {
    let said = json!({ "error": { "message": "Please reduce it.", "code": "context_length_exceeded" } }).to_string();
    assert_eq!(error(Deed::Answer(400, said), true), ChatError::TooLong("status 400: Please reduce it.".to_owned()));
    let said = json!({ "object": "error", "message": "This model's maximum context length is 4096 tokens" });
    assert!(matches!(error(Deed::Answer(400, said.to_string()), true), ChatError::TooLong(_)));
    assert!(matches!(error(Deed::Answer(413, String::new()), true), ChatError::TooLong(_)));
    assert!(matches!(error(Deed::Answer(404, "no such model".to_owned()), true), ChatError::Refused(_)));
    let server = Server::start(vec![Deed::Answer(200, whole("Hi."))]);
    let huge = ChatRequest { messages: vec![ChatMessage::User("x".repeat(20_000_000))], ..request(false) };
    assert!(matches!(ask(settings(&server), &huge).0, Err(ChatError::TooLong(_))));
    assert_eq!(server.requests().len(), 0, "it is not even sent");
}

#[test]
fn garbage_is_no_answer() {
    let garbage =
        ["<html>garbage", "{}", "[]", "{\"choices\":[]}", "data: hello\n\n", "data: [DONE]\n\n", "data: {}\n\n"];
    for body in garbage {
        for stream in [true, false] {
            let error = error(Deed::Answer(200, body.to_owned()), stream);
            assert!(matches!(error, ChatError::Wrong(_)), "{body}: {error:?}");
        }
    }
    assert!(matches!(error(Deed::Answer(200, String::new()), true), ChatError::Unavailable(_)));
    assert!(matches!(error(Deed::Answer(200, "{\"choices\":[{".to_owned()), true), ChatError::Wrong(_)));
}

#[test]
fn a_server_that_hangs_is_left_in_time() {
    let quick = |server: &Server| ChatSettings { idle_timeout: SHORT, retries: 1, ..settings(server) };
    let server = Server::start(vec![Deed::Hang(LONG)]);
    let (answer, _) = ask(quick(&server), &request(true));
    assert_eq!(answer, Err(ChatError::Unavailable("nothing came for 300ms".to_owned())));
    assert_eq!(server.requests().len(), 2);
    let server = Server::start(vec![Deed::Stall(piece("Well"), LONG)]);
    let (answer, heard) = ask(quick(&server), &request(true));
    let why = "nothing came for 300ms".to_owned();
    assert_eq!(answer, Err(ChatError::CutOff { text_so_far: "Well".to_owned(), why }));
    assert_eq!((heard.as_str(), server.requests().len()), ("Well", 1), "what was heard is not asked for again");
    let server = Server::start(vec![Deed::Hang(LONG)]);
    let hurried = ChatSettings { timeout: SHORT, idle_timeout: SHORT / 3, retries: 0, ..settings(&server) };
    let (answer, _) = ask(hurried, &request(false));
    assert_eq!(answer, Err(ChatError::Unavailable("no whole answer came within 300ms".to_owned())));
}

#[test]
fn a_server_that_said_why_it_ends_may_then_hang() {
    let end = json!({ "choices": [{ "delta": { "content": "Hi." }, "finish_reason": "length" }] });
    let server = Server::start(vec![Deed::Stall(format!("data: {end}\n\n").into_bytes(), LONG)]);
    let (answer, _) = ask(ChatSettings { idle_timeout: SHORT, ..settings(&server) }, &request(true));
    assert_eq!(answer.expect("it answers").finish, Finish::Length);
}

#[test]
fn an_answer_that_breaks_off_is_not_taken_for_a_whole_one() {
    for deed in [Deed::Stream(vec![piece("Half an ")]), Deed::Break(piece("Half an "))] {
        let server = Server::start(vec![deed]);
        let (answer, heard) = ask(settings(&server), &request(true));
        assert_eq!(heard, "Half an ");
        let Err(ChatError::CutOff { text_so_far, .. }) = answer else { panic!("{answer:?}") };
        assert_eq!(text_so_far, "Half an ");
        assert_eq!(server.requests().len(), 1);
    }
    let silent = piece("");
    let server = Server::start(vec![Deed::Stream(vec![silent.clone()]), Deed::Stream(vec![piece("Hi."), ended()])]);
    let (answer, heard) = ask(settings(&server), &request(true));
    assert_eq!((answer.expect("it answers").text.as_str(), heard.as_str()), ("Hi.", "Hi."), "nothing was heard");
    assert!(matches!(error(Deed::Stream(vec![silent]), true), ChatError::CutOff { .. }));
}

#[test]
fn an_error_in_a_stream_is_reported() {
    let said = |error: serde_json::Value| format!("data: {}\n\n", json!({ "error": error })).into_bytes();
    let overloaded = said(json!({ "message": "overloaded" }));
    let cut = error(Deed::Stream(vec![piece("So"), overloaded.clone()]), true);
    assert_eq!(cut, ChatError::CutOff { text_so_far: "So".to_owned(), why: "overloaded".to_owned() });
    assert_eq!(error(Deed::Stream(vec![overloaded]), true), ChatError::Unavailable("overloaded".to_owned()));
    let refused = error(Deed::Stream(vec![said(json!({ "message": "no", "code": 403 }))]), true);
    assert_eq!(refused, ChatError::Refused("status 403: no".to_owned()));
    let plain = json!({ "error": { "message": "no", "code": "400" } }).to_string();
    assert_eq!(error(Deed::Answer(200, plain), false), ChatError::Refused("status 400: no".to_owned()));
}

#[test]
fn an_answer_without_end_is_left() {
    const MEGABYTE: usize = 1_000_000;
    let much = || "x".repeat(MEGABYTE);
    let whole = Deed::Endless("{\"choices\":\"".to_owned(), much(), 100);
    assert!(matches!(error(whole, false), ChatError::Wrong(_)));
    let line = Deed::Endless("data: ".to_owned(), much(), 100);
    assert!(matches!(error(line, true), ChatError::Wrong(_)));
    let comments = Deed::Endless(String::new(), format!(": {}\n", much()), 100);
    assert!(matches!(error(comments, true), ChatError::Wrong(_)));
    let lines = Deed::Endless("data: {\n".to_owned(), format!("data: {}\n", much()), 100);
    assert!(matches!(error(lines, true), ChatError::Wrong(_)));
    let words = String::from_utf8(piece(&much())).expect("it is text");
    let cut = error(Deed::Endless(String::new(), words, 100), true);
    let ChatError::CutOff { text_so_far, why } = cut else { panic!("{cut:?}") };
    assert!(text_so_far.len() <= 8 * 1024 * 1024 && why.contains("longer than"), "{why}");
}

#[test]
fn a_redirect_is_not_followed() {
    let elsewhere = Server::start(vec![Deed::Answer(200, whole("Hi."))]);
    let location: &'static str = Box::leak(format!("location: {}/chat/completions", elsewhere.url).into_boxed_str());
    let error = error(Deed::Headed(307, location, String::new()), true);
    let ChatError::Refused(why) = error else { panic!("{error:?}") };
    assert!(why.contains("307") && why.contains("not followed"), "{why}");
    assert_eq!(elsewhere.requests().len(), 0);
}
