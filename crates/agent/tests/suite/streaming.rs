//! Answers in pieces: whoever joins the pieces of the answer has the answer, once, and no thought in it.

use std::sync::Arc;

use idetic_agent::Asked;
use idetic_agent::wire::{Happening, MessageType, Responses};
use idetic_ops::model::chat::{Scripted, Step, ToolCall};

use super::stage::{Stage, is_extraction};

/// The joined pieces of the thoughts and of the answer, as a client that streams gets them.
fn joined(script: &Arc<Scripted>) -> (String, String) {
    let stage = Stage::new("[agent-mem]\nenable-auto-fact-extraction = false\n");
    let (mut responses, mut thoughts, mut answer) = (Responses::new("s", true), String::new(), String::new());
    let mut hear = |happening: Happening| {
        for message in responses.on(happening) {
            match message.message_type {
                MessageType::Thought => thoughts += &message.content,
                MessageType::Answer => answer += &message.content,
                _ => {}
            }
        }
    };
    stage.ask_hearing(script, &Asked::new("How many?"), &mut hear).expect("answers");
    (thoughts, answer)
}

#[test]
fn an_answer_in_words_comes_once_behind_its_thought() {
    let steps = [
        Step::say("Thought: I look.\nAction: recall\nArgs: {\"query\": \"many\"}"),
        Step::say("Thought: done.\nFinal Answer: forty two"),
    ];
    let script = Arc::new(Scripted::new(steps).without_tools());
    assert_eq!(joined(&script), ("I look.done.".to_owned(), "forty two".to_owned()));
}

#[test]
fn what_a_model_says_before_it_calls_a_tool_is_a_thought() {
    let call = ToolCall { id: "c".to_owned(), name: "recall".to_owned(), arguments: r#"{"query":"many"}"#.to_owned() };
    let steps = [Step::Call("I look it up.".to_owned(), vec![call]), Step::say("The answer is forty two.")];
    let script = Arc::new(Scripted::new(steps));
    assert_eq!(joined(&script), ("I look it up.".to_owned(), "The answer is forty two.".to_owned()));
    assert!(script.requests().iter().all(|request| !is_extraction(request)));
}
