//! What an agent repeats does not bury what it was told: the same tasks again and again, and the facts still come first.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use idetic_agent::Asked;
use idetic_ops::core::Time;
use idetic_ops::model::chat::{Scripted, Step};
use idetic_ops::search::filter::Condition;
use idetic_ops::{Question, RecallOptions};
use serde_json::json;

use super::stage::{Stage, is_extraction, prompt};

/// What is known, what is asked for, what the agent answers, and how somebody asks the memory later.
const TASKS: [(&str, &str, &str, &str); 10] = [
    (
        "The staging database listens on port 5433",
        "Find out which port staging uses",
        "5433",
        "which port does staging use",
    ),
    (
        "Releases are tagged on the last Friday of a month",
        "Tell me when we tag a release",
        "last Friday",
        "when is a release tagged",
    ),
    (
        "The invoice service is written in Elixir",
        "What is the invoice service written in?",
        "Elixir",
        "language of the invoice service",
    ),
    (
        "Priya owns the payment gateway",
        "Who owns the payment gateway?",
        "Priya",
        "who is the owner of the payment gateway",
    ),
    (
        "Backups are kept for thirty five days",
        "How long do we keep backups?",
        "thirty five days",
        "how long are backups kept",
    ),
    (
        "The office in Lyon closes at six",
        "When does the Lyon office close?",
        "at six",
        "when does the office in Lyon close",
    ),
    (
        "Unit tests run with the flag --fast",
        "Look up the flag for unit tests",
        "--fast",
        "which flag do unit tests need",
    ),
    ("The logo must never be stretched", "May I stretch the logo?", "never", "rule about the logo"),
    (
        "Customer reports go to the folder outbox",
        "Where do customer reports go?",
        "outbox",
        "folder of customer reports",
    ),
    (
        "The cache is cleared with make flush",
        "How is the cache cleared?",
        "make flush",
        "command that clears the cache",
    ),
];

fn first(stage: &Stage, question: &str, mode: idetic_ops::search::Mode) -> String {
    let options = RecallOptions { mode, ..RecallOptions::default() };
    let asked = Question { query: question.to_owned(), ..Question::default() };
    let viewpoint = stage.space().as_owner();
    viewpoint.embed_all(&stage.models).expect("embeds");
    let found = viewpoint.recall_one(&stage.models, &options, &asked, &mut |_| {}).expect("recalls");
    found.hits.first().map_or(String::new(), |hit| hit.text.clone())
}

/// A model that looks into the memory and answers what the script knows, each time in other words.
fn model(answer: &'static str, round: usize) -> Arc<Scripted> {
    let turn = AtomicUsize::new(0);
    let script = Scripted::with(move |request| {
        if is_extraction(request) {
            return Step::say(r#"{"facts":[]}"#);
        }
        let text = prompt(request);
        let question = text.rsplit("Question: ").next().and_then(|rest| rest.lines().next()).unwrap_or_default();
        match turn.fetch_add(1, Ordering::Relaxed) {
            0 => Step::say(format!(
                "Thought: I look up, for the time number {round}, {question}\nAction: recall\nArgs: {}",
                json!({"query": question})
            )),
            _ => {
                let said = ["It is", "That is", "As I know it is", "I found it is"][round % 4];
                Step::say(format!("Thought: Now I know about it: {answer}.\nFinal Answer: {said} {answer}."))
            }
        }
    });
    Arc::new(script.without_tools())
}

#[test]
fn after_a_hundred_invocations_of_the_same_ten_tasks_the_facts_still_come_first() {
    let stage = Stage::new("");
    for (known, ..) in TASKS {
        stage.append(&[json!({"kind": "memory.remembered", "content": known, "author": "ann", "trust": "user"})]);
        stage.wait_minutes(1);
    }
    let modes = [idetic_ops::search::Mode::Hybrid, idetic_ops::search::Mode::Lexical];
    let check = |when: &str| {
        let mut wrong = Vec::new();
        for (known, task, _, question) in TASKS {
            for (asked, mode) in [task, question].into_iter().flat_map(|asked| modes.map(|mode| (asked, mode))) {
                let best = first(&stage, asked, mode);
                if best != known {
                    wrong.push(format!("{asked} ({mode:?}): {best}"));
                }
            }
        }
        assert!(wrong.is_empty(), "{when}: {wrong:#?}");
    };
    check("before");
    for round in 0..10 {
        for (_, task, answer, _) in TASKS {
            stage.wait_minutes(1);
            let asked = Asked { task: true, ..Asked::new(task) };
            let answered = stage.ask(&model(answer, round), &asked).expect("answers");
            assert!(answered.answer.is_some_and(|text| text.contains(answer)));
        }
    }
    check("after");
    // What repeats is still there for whoever asks for its kind.
    let filters = idetic_ops::Filters { kind: Some("agent.thought".to_owned()), ..Default::default() };
    let options = RecallOptions { filters, ..RecallOptions::default() };
    let asked = Question { query: "staging port".to_owned(), ..Question::default() };
    let found = stage.space().as_owner().recall_one(&stage.models, &options, &asked, &mut |_| {}).expect("recalls");
    assert!(found.hits.iter().any(|hit| hit.kind == "agent.thought"), "{:?}", found.hits.len());
    let filter = json!({"kind": "conversation.invocation"});
    let filter = Some(Arc::new(Condition::parse(&filter, Time(0)).expect("a filter")));
    let options = RecallOptions { filter, ..RecallOptions::default() };
    let found = stage.space().as_owner().recall_one(&stage.models, &options, &asked, &mut |_| {}).expect("recalls");
    assert!(!found.hits.is_empty() && found.hits.iter().all(|hit| hit.kind == "conversation.invocation"));
}

#[test]
fn what_an_answer_adds_is_found_and_what_was_said_to_an_agent_stays_first() {
    let stage = Stage::new("");
    stage.append(&[
        json!({"kind": "memory.remembered", "content": "The staging database listens on port 5433", "trust": "user"}),
    ]);
    let script = |answer: &'static str| {
        Arc::new(
            Scripted::with(move |request| match is_extraction(request) {
                true => Step::say(r#"{"facts":[]}"#),
                false => Step::say(format!("Thought: I know it.\nFinal Answer: {answer}")),
            })
            .without_tools(),
        )
    };
    stage
        .ask(&script("Staging listens on 5433, the standby on 6001."), &Asked::new("Which ports does staging use?"))
        .expect("answers");
    stage
        .ask(&script("Noted."), &Asked::new("The staging database moved to the host amber, remember that"))
        .expect("answers");
    assert!(first(&stage, "standby port of staging", idetic_ops::search::Mode::Hybrid).contains("6001"));
    assert!(first(&stage, "which host has the staging database", idetic_ops::search::Mode::Hybrid).contains("amber"));
}

#[test]
fn a_correction_is_never_put_behind_what_it_corrects() {
    let stage = Stage::new("[agent-mem]\nenable-auto-fact-extraction = false\n");
    let known = "Ann is allergic to nuts and to milk";
    stage.append(&[json!({"kind": "memory.remembered", "content": known, "author": "ann", "trust": "user"})]);
    let script = Arc::new(Scripted::with(|_| Step::say("Thought: noted.\nFinal Answer: Noted.")).without_tools());
    let told = "Ann is not allergic to nuts";
    stage.ask(&script, &Asked::new(told)).expect("answers");
    let asked = Question { query: "Is Ann allergic to nuts".to_owned(), ..Question::default() };
    let order = |as_ranked: bool| {
        let options = RecallOptions { as_ranked, ..RecallOptions::default() };
        let found = stage.space().as_owner().recall_one(&stage.models, &options, &asked, &mut |_| {}).expect("recalls");
        found
            .hits
            .into_iter()
            .map(|hit| hit.text)
            .filter(|text| [known, told].contains(&text.as_str()))
            .collect::<Vec<_>>()
    };
    assert_eq!(order(false).len(), 2);
    assert_eq!(order(false), order(true), "as if nothing were repeated");
}
