//! The scripted model: what it is told to say, and what it was asked.

use idetic_model::chat::{Finish, Scripted, Step, ToolCall};
use idetic_model::{Chat, ChatError, ChatMessage, ChatRequest};
use serde_json::json;

fn request(text: &str) -> ChatRequest {
    ChatRequest { messages: vec![ChatMessage::User(text.to_owned())], stream: true, ..ChatRequest::default() }
}

#[test]
fn steps_are_done_in_order_and_remembered() {
    let call = Step::call("c1", "find", &json!({ "q": "ink" }));
    let busy = ChatError::Unavailable("busy".to_owned());
    let chat =
        Scripted::new([Step::say("Grüße"), call, Step::CutOff("abcdefg".to_owned(), 4), Step::Fail(busy.clone())]);
    let mut heard = Vec::new();
    let answer = chat.ask(&request("1"), &mut |piece| heard.push(piece.to_owned())).expect("it answers");
    assert_eq!(heard, ["Grü", "ße"]);
    assert_eq!((answer.text.as_str(), answer.finish, answer.model.as_str()), ("Grüße", Finish::Stop, "scripted"));
    assert!(answer.usage.prompt_tokens > 0 && answer.usage.answer_tokens > 0);
    let answer = chat.ask(&request("2"), &mut |_| {}).expect("it answers");
    let expected = ToolCall { id: "c1".to_owned(), name: "find".to_owned(), arguments: r#"{"q":"ink"}"#.to_owned() };
    assert_eq!((answer.tool_calls, answer.finish), (vec![expected], Finish::ToolCalls));
    let cut = chat.ask(&request("3"), &mut |_| {}).expect_err("it is cut off");
    assert!(matches!(&cut, ChatError::CutOff { text_so_far, .. } if text_so_far == "abcd"), "{cut:?}");
    assert_eq!(chat.ask(&request("4"), &mut |_| {}), Err(busy));
    assert!(matches!(chat.ask(&request("5"), &mut |_| {}), Err(ChatError::Refused(_))));
    assert_eq!(chat.requests(), ["1", "2", "3", "4", "5"].map(request));
}

#[test]
fn it_can_answer_what_it_is_asked() {
    let chat = Scripted::with(|request| Step::say(format!("{} messages\nObservation: no", request.messages.len())));
    let stopped = ChatRequest { stop: vec!["\nObservation:".to_owned()], stream: false, ..request("a") };
    let mut heard = 0;
    assert_eq!(chat.ask(&stopped, &mut |_| heard += 1).expect("it answers").text, "1 messages");
    assert_eq!(heard, 0);
    let small = chat.window(100).without_tools();
    assert_eq!((small.window_tokens(), small.native_tools()), (100, false));
}
