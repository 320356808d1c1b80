//! Models that are down, slow, cut off, garbled or call what is not there: a clear end, every step an event, nothing half kept.

use std::sync::Arc;

use idetic_agent::Asked;
use idetic_agent::wire::Happening;
use idetic_ops::model::ChatError;
use idetic_ops::model::chat::{Scripted, Step, ToolCall};

use super::stage::{Stage, is_extraction};

fn failing(step: impl Fn() -> Step + Send + Sync + 'static) -> (Stage, idetic_ops::AgentAnswer, usize) {
    let stage = Stage::new("[agent-mem]\nmax-iterations = 4\n");
    let script = Arc::new(Scripted::with(move |_| step()).without_tools());
    let mut ends = 0;
    let answered = stage
        .ask_hearing(&script, &Asked::new("I live in Brno. What now?"), &mut |happening| {
            ends += usize::from(matches!(happening, Happening::Failed(_) | Happening::AnswerWhole(_)));
        })
        .expect("an answer that says what is wrong");
    assert_eq!(ends, 1, "there is one end");
    (stage, answered, script.requests().len())
}

fn check(stage: &Stage, answered: &idetic_ops::AgentAnswer, wanted: &str) {
    let error = answered.error.as_ref().expect("it failed");
    assert!(answered.answer.is_none() && error.message.contains(wanted), "{error:?}");
    assert!(!error.hint.is_empty(), "{error:?}");
    let kinds = stage.kinds();
    for kind in ["user_input", "error", "conversation.invocation"] {
        assert!(kinds.iter().any(|own| own == kind), "{kind} is missing: {kinds:?}");
    }
    assert!(!kinds.iter().any(|kind| kind == "actor_output"), "{kinds:?}");
}

#[test]
fn a_model_that_is_down_or_refuses_is_a_clear_error() {
    let (stage, answered, asked) = failing(|| Step::Fail(ChatError::Unavailable("connection refused".to_owned())));
    check(&stage, &answered, "not available: connection refused");
    assert!(asked <= 2, "it is not asked again and again: {asked}");
    // What was plainly said is kept all the same.
    assert_eq!(answered.facts.len(), 1);
    let (stage, answered, _) = failing(|| Step::Fail(ChatError::Refused("status 401".to_owned())));
    check(&stage, &answered, "refused");
}

#[test]
fn an_answer_that_is_cut_off_is_not_taken_for_one() {
    let (stage, answered, _) = failing(|| Step::CutOff("Thought: so.\nFinal Answer: forty-tw".to_owned(), 30));
    check(&stage, &answered, "cut off");
}

#[test]
fn garbage_ends_after_the_last_iteration_and_each_is_an_event() {
    let (stage, answered, asked) = failing(|| Step::say("blah blah"));
    check(&stage, &answered, "Too many agent iterations");
    assert!(asked <= 5, "{asked}");
    assert_eq!(stage.kinds().iter().filter(|kind| *kind == "error").count(), 5, "four replies and the end");
    let (stage, answered, _) = failing(|| Step::Garbage("<html>502</html>".to_owned()));
    check(&stage, &answered, "answer is invalid");
}

#[test]
fn a_tool_that_does_not_exist_is_an_observation_and_the_model_may_recover() {
    let stage = Stage::new("");
    let script = Arc::new(Scripted::new([
        Step::Call(
            String::new(),
            vec![ToolCall { id: "1".to_owned(), name: "launch_rockets".to_owned(), arguments: "{}".to_owned() }],
        ),
        Step::Call(
            String::new(),
            vec![ToolCall { id: "2".to_owned(), name: "recall".to_owned(), arguments: "not json".to_owned() }],
        ),
        Step::Call(
            String::new(),
            vec![ToolCall { id: "3".to_owned(), name: "recall".to_owned(), arguments: "{}".to_owned() }],
        ),
        Step::say("I could not do that."),
        Step::say(r#"{"facts":[]}"#),
    ]));
    let mut seen = Vec::new();
    let answered = stage
        .ask_hearing(&script, &Asked::new("Launch them"), &mut |happening| {
            if let Happening::Observation(text) = happening {
                seen.push(text);
            }
        })
        .expect("answers");
    assert_eq!(answered.answer.as_deref(), Some("I could not do that."));
    assert!(seen[0].contains("there is no tool 'launch_rockets'") && seen[0].contains("retrieve_facts"), "{seen:?}");
    assert!(seen[1].contains("not a JSON object"), "{seen:?}");
    assert!(seen[2].starts_with("Error:") && seen[2].contains("query"), "{seen:?}");
}

#[test]
fn an_endless_caller_of_tools_is_stopped_and_its_working_memory_bounded() {
    let stage = Stage::new("[agent-mem]\nmax-iterations = 50\nworking-memory-threshold = 300\n");
    let script = Arc::new(
        Scripted::with(|request| {
            if is_extraction(request) {
                return Step::say(r#"{"facts":[]}"#);
            }
            Step::say("Thought: once more, I think at great length about what there is to think about.\nAction: recall\nArgs: {\"query\": \"anything at all\"}")
        })
        .without_tools()
        .window(2500),
    );
    let answered = stage.ask(&script, &Asked::new("Loop")).expect("an end");
    assert!(answered.error.expect("failed").message.contains("no answer after 50"));
    assert!(script.requests().len() <= 51);
    assert!(script.requests().iter().all(|request| request.estimate_tokens() <= 2500));
}

#[test]
fn a_budget_that_is_used_up_asks_nobody() {
    let stage = Stage::new("[model]\nbase_url = \"http://localhost:1\"\nname = \"x\"\ndaily_tokens = 400\n");
    let script = || Arc::new(Scripted::with(|_| Step::say("Thought: so.\nFinal Answer: fine")).without_tools());
    let first = script();
    let mut spent = 0;
    for n in 0..20 {
        let answered = stage.ask(&first, &Asked::new(format!("Question {n}"))).expect("an answer or why there is none");
        spent += answered.prompt_tokens + answered.answer_tokens;
        if let Some(error) = answered.error {
            assert!(error.message.contains("budget"), "{error:?}");
            let asked = first.requests().len();
            stage.ask(&first, &Asked::new("Again?")).expect("told");
            assert_eq!(first.requests().len(), asked, "nobody is asked");
            assert!(spent <= 400, "{spent}");
            return;
        }
    }
    panic!("the budget of 400 tokens was never used up: {spent}");
}
