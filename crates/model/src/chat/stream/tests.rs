//! Bodies of answers, good and odd, in any number of pieces.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::chat::Finish;

/// What comes of these pieces: the answer or the failure, in words, and what was heard.
fn listen<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> (Result<ChatAnswer, String>, String) {
    let secrets = Secrets::default();
    let mut listener = Listener::new(&secrets);
    let mut heard = String::new();
    let mut hear = |piece: &str| heard.push_str(piece);
    let trouble = pieces.into_iter().find_map(|piece| listener.feed(piece, &mut hear).err());
    let answer = listener.end(trouble, &ChatRequest::default(), "m", &mut hear);
    (answer.map_err(|failure| format!("{failure:?}")), heard)
}

fn answer(body: &str) -> ChatAnswer {
    let (answer, heard) = listen([body.as_bytes()]);
    let answer = answer.expect("it is an answer");
    assert_eq!(answer.text, heard);
    answer
}

fn said(text: &str) -> String {
    json!({ "choices": [{ "delta": { "content": text } }] }).to_string()
}

fn calls(deltas: &[Value]) -> Vec<(String, String, String)> {
    let pieces = deltas.iter().map(|delta| {
        let piece = json!({ "choices": [{ "delta": { "tool_calls": [delta] } }] });
        format!("data: {piece}\n\n")
    });
    let body = format!("{}data: [DONE]\n\n", pieces.collect::<String>());
    answer(&body).tool_calls.into_iter().map(|call| (call.id, call.name, call.arguments)).collect()
}

fn triple(id: &str, name: &str, arguments: &str) -> (String, String, String) {
    (id.to_owned(), name.to_owned(), arguments.to_owned())
}

#[test]
fn events_are_understood_however_they_are_written() {
    let [hi, you] = [said("Hi"), said(" you")];
    let pretty = hi.replace(':', ":\ndata:");
    let bodies = [
        format!("data: {hi}\n\ndata: {you}\n\ndata: [DONE]\n\n"),
        format!("\u{feff}\r\n: comment\r\ndata:{hi}\r\n\r\nid: 7\r\nevent: x\r\ndata: {you}\r\n\r\ndata: [DONE]"),
        format!("data: {hi}\r\rretry: 5\rdata: {you}\r\rdata:\r\rdata: [DONE] \r\r"),
        format!("data: {hi}\ndata: {you}\ndata: [DONE]\n"),
        format!("data: {pretty}\n\ndata: {you}\n\ndata: [DONE]\n\n").replace('\n', "\r\n"),
        format!("data: {pretty}\n\ndata: {you}\n\ndata: [DONE]\n\ndata: {you}\n\n"),
    ];
    for body in bodies {
        assert_eq!(answer(&body).text, "Hi you", "{body}");
    }
}

#[test]
fn what_servers_add_is_kept_or_ignored() {
    let body = [
        json!({ "model": "m-2", "choices": [{ "index": 0, "delta": { "role": "assistant", "content": null } }] }),
        json!({ "choices": [{ "index": 1, "delta": { "content": "another choice" } }] }),
        json!({ "choices": [{ "index": 0, "delta": { "reasoning_content": "hm" } }], "usage": null }),
        json!({ "choices": [{ "index": 0, "delta": { "content": [{ "type": "text", "text": "Hi" }] } }] }),
        json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "content_filter" }] }),
        json!({ "choices": [], "usage": { "prompt_tokens": 7, "completion_tokens": 3 } }),
    ];
    let body: String = body.iter().map(|piece| format!("data: {piece}\n\n")).collect();
    let answer = answer(&body);
    assert_eq!((answer.text.as_str(), answer.model.as_str()), ("Hi", "m-2"));
    assert_eq!(answer.finish, Finish::Other("content_filter".to_owned()));
    assert_eq!((answer.usage.prompt_tokens, answer.usage.answer_tokens, answer.usage.estimated), (7, 3, false));
}

#[test]
fn a_model_that_will_not_is_understood() {
    let message = json!({ "content": null, "refusal": "I will not." });
    let body = json!({ "choices": [{ "message": message, "finish_reason": "stop" }] }).to_string();
    let answer = answer(&body);
    assert_eq!((answer.text.as_str(), answer.finish), ("I will not.", Finish::Other("refusal".to_owned())));
}

#[test]
fn calls_are_told_apart_in_every_dialect() {
    let numbered = [
        json!({ "index": 0, "id": "a", "function": { "name": "find", "arguments": "{\"q\"" } }),
        json!({ "index": 0, "id": "a", "function": { "name": "find", "arguments": ":1}" } }),
        json!({ "index": 1, "id": "b", "function": { "name": "keep", "arguments": "bad" } }),
    ];
    assert_eq!(calls(&numbered), [triple("a", "find", "{\"q\":1}"), triple("b", "keep", "bad")]);
    let all_zero = [
        json!({ "index": 0, "id": "a", "function": { "name": "find", "arguments": "1" } }),
        json!({ "index": 0, "id": "b", "function": { "name": "find", "arguments": "2" } }),
        json!({ "index": 0, "function": { "arguments": "3" } }),
    ];
    assert_eq!(calls(&all_zero), [triple("a", "find", "1"), triple("b", "find", "23")]);
    let unnumbered = [
        json!({ "id": "a", "function": { "name": "find", "arguments": "1" } }),
        json!({ "function": { "arguments": "2" } }),
        json!({ "function": { "name": "find", "arguments": { "q": 3 } } }),
    ];
    assert_eq!(calls(&unnumbered), [triple("a", "find", "12"), triple("call_1", "find", "{\"q\":3}")]);
}

#[test]
fn there_is_a_limit_to_the_calls() {
    let many: Vec<_> = (0..200).map(|index| json!({ "index": index, "function": { "name": "find" } })).collect();
    let body = format!("data: {}\n\n", json!({ "choices": [{ "delta": { "tool_calls": many } }] }));
    let (answer, _) = listen([body.as_bytes()]);
    assert!(answer.expect_err("too many").contains("more than 128 tool calls"));
}

/// Lines as they occur in streams, and as they should not.
fn lines() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec!["a", "é", "墨", "🦀", "\n", "\\", "data: ", "\u{feff}"]);
    prop_oneof![
        6 => words.prop_map(|text| format!("data: {}", said(text))),
        1 => Just("data: [DONE]".to_owned()),
        1 => Just(format!("data: {}", json!({ "choices": [{ "delta": {}, "finish_reason": "stop" }] }))),
        1 => Just(format!("data:{}", json!({ "error": { "message": "é" } }))),
        1 => Just("data: {\ndata: }".to_owned()),
        1 => prop::sample::select(vec![": é", "data", "data:", "event: x", "{", "data: {\"choices\"", " ", "<html>"])
            .prop_map(str::to_owned),
    ]
}

fn bodies() -> impl Strategy<Value = Vec<u8>> {
    let end = prop::sample::select(vec!["\n", "\n\n", "\r\n\r\n", "\r\r", "\r\n", "\r", ""]);
    let text = prop::collection::vec((lines(), end), 0..12);
    let whole = json!({ "choices": [{ "message": { "content": "é墨" } }] }).to_string().into_bytes();
    prop_oneof![
        8 => text.prop_map(|lines| lines.into_iter().map(|(line, end)| line + end).collect::<String>().into_bytes()),
        1 => Just(whole),
        1 => prop::collection::vec(any::<u8>(), 0..200),
    ]
}

proptest! {
    #[test]
    fn the_answer_is_the_same_however_the_bytes_are_split(body in bodies(), cuts in prop::collection::vec(0_usize..2000, 0..20)) {
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(body.len())).chain([0, body.len()]).collect();
        cuts.sort_unstable();
        let expected = listen([body.as_slice()]);
        prop_assert_eq!(&listen(cuts.windows(2).map(|ends| &body[ends[0]..ends[1]])), &expected);
        prop_assert_eq!(&listen(body.chunks(1)), &expected);
    }
}
