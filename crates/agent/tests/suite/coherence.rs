//! A long conversation stays coherent in a bounded prompt, and every step of a loop is an event.

use std::sync::Arc;

use idetic_agent::Asked;
use idetic_ops::core::tokens;
use idetic_ops::model::chat::{Scripted, Step, ToolCall};

use super::stage::{Stage, is_extraction, prompt};

#[test]
fn a_conversation_of_a_hundred_invocations_stays_coherent_and_its_prompts_bounded() {
    let stage = Stage::new("[agent-mem]\nenable-auto-fact-extraction = false\n");
    let window = 4096;
    for n in 1..=100 {
        // The model repeats the last number that its prompt shows as an answer, plus one.
        let script = Arc::new(
            Scripted::with(move |request| {
                let text = prompt(request);
                let last = text.rmatch_indices("Answered: step ").find_map(|(at, label)| {
                    let rest = &text[at + label.len()..];
                    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse::<u32>().ok()
                });
                Step::say(format!("Thought: on.\nFinal Answer: step {}", last.unwrap_or(0) + 1))
            })
            .without_tools()
            .window(window),
        );
        let filler = "and please mind all the many details that were named before ".repeat(5);
        let asked = Asked { conversation: Some("long".to_owned()), ..Asked::new(format!("Go on, {filler}turn {n}")) };
        let answered = stage.ask(&script, &asked).expect("answers");
        assert_eq!(answered.answer.as_deref(), Some(format!("step {n}").as_str()));
        for request in script.requests() {
            assert!(tokens::estimate(&prompt(&request)) < window, "turn {n}");
        }
    }
    let space = stage.space().as_owner();
    let memory = space.conversation("long", space.horizon(None).expect("a head"), None).expect("a conversation");
    assert_eq!((memory.count, memory.invocations.len()), (100, 100));
    assert!(memory.invocations.windows(2).all(|pair| pair[0].timestamp <= pair[1].timestamp));
}

#[test]
fn every_step_is_an_event_with_its_loop_and_conversation_and_a_task_becomes_an_episode() {
    let stage = Stage::new("");
    let script = Arc::new(Scripted::new([
        Step::Call(
            "I look it up.".to_owned(),
            vec![ToolCall {
                id: "c1".to_owned(),
                name: "note".to_owned(),
                arguments: r#"{"text":"Backups\nRun at night."}"#.to_owned(),
            }],
        ),
        Step::say("The backups run at night."),
        Step::say(r#"{"facts":[]}"#),
    ]));
    let answered =
        stage.ask(&script, &Asked { task: true, ..Asked::new("When do the backups run?") }).expect("answers");
    assert_eq!(answered.answer.as_deref(), Some("The backups run at night."));
    assert!(answered.episode.is_some());
    let kinds = stage.kinds();
    for kind in [
        "user_input",
        "agent.thought",
        "tool_call",
        "tool_result",
        "note.written",
        "actor_output",
        "conversation.started",
        "conversation.invocation",
        "extract.answered",
        "episode.stored",
        "model.used",
    ] {
        assert!(kinds.iter().any(|own| own == kind), "{kind} is missing: {kinds:?}");
    }
    let viewpoint = stage.space().as_owner();
    let steps = viewpoint.events_of_loop(&answered.loop_id).expect("events");
    let conversation = |event: &idetic_ops::core::Event| event.fields.as_ref().and_then(|f| f.conversation_id.clone());
    assert!(steps.iter().all(|event| conversation(event).as_deref() == Some(answered.conversation_id.as_str())));
    // What was derived leads back to the question.
    let asked = steps.iter().find(|e| e.header.kind == "user_input").expect("the question").header.id.clone();
    let output =
        steps.iter().find(|e| e.header.kind == "actor_output").and_then(|e| e.fields.clone()).expect("the answer");
    assert!(output.causes.contains(&asked));
}

#[test]
fn a_conversation_ends_by_silence_when_something_next_looks() {
    let stage = Stage::new("[agent-mem]\nconversation-idle-minutes = 30\n");
    let script = || {
        Arc::new(
            Scripted::with(|request| {
                Step::say(if is_extraction(request) { r#"{"facts":[]}"# } else { "Thought: so.\nFinal Answer: fine" })
            })
            .without_tools(),
        )
    };
    let first = stage.ask(&script(), &Asked::new("How do I sharpen a chisel?")).expect("answers");
    stage.wait_minutes(29);
    stage.ask(&script(), &Asked::new("Anything else?")).expect("answers");
    assert!(!stage.kinds().iter().any(|kind| kind == "conversation.ended"));
    stage.wait_minutes(31);
    stage.ask(&script(), &Asked::new("And now?")).expect("answers");
    let viewpoint = stage.space().as_owner();
    let memory = viewpoint.conversation(&first.conversation_id, viewpoint.horizon(None).expect("a head"), None);
    let memory = memory.expect("a conversation");
    assert_eq!(memory.reason.as_deref(), Some("timeout"));
    assert_eq!(memory.ended.map(|t| t.0), Some(memory.last.0 + 30 * 60_000_000));
}

#[test]
fn what_is_switched_off_leaves_nothing_behind() {
    let stage = Stage::new("[agent-mem]\nmemory-off-users = [\"local\"]\n");
    let script = Arc::new(Scripted::with(|_| Step::say("Thought: so.\nFinal Answer: fine")).without_tools());
    let answered = stage.ask(&script, &Asked::new("I live in Brno.")).expect("answers");
    assert_eq!(answered.answer.as_deref(), Some("fine"));
    assert_eq!(stage.kinds(), Vec::<String>::new());
}
