//! A model that can only copy from its prompt answers from a past conversation what it cannot answer without memory.

use std::sync::Arc;

use idetic_agent::Asked;
use idetic_ops::model::chat::{Scripted, Step};
use serde_json::json;

use super::stage::{Stage, is_extraction, prompt};

/// Things, and a word that each of them has.
const THINGS: [&str; 25] = [
    "boat", "garden", "bakery", "library", "garage", "cellar", "studio", "orchard", "workshop", "balcony", "archive",
    "stable", "harbour", "kitchen", "attic", "chapel", "market", "office", "museum", "theatre", "tunnel", "tower",
    "vineyard", "mill", "bridge",
];
const PEOPLE: [&str; 2] = ["Marta", "Tomas"];

/// Copies the first code of the thing in question that stands anywhere in its prompt.
fn copying(about: String, code_length: usize) -> Arc<Scripted> {
    Arc::new(
        Scripted::with(move |request| {
            if is_extraction(request) {
                return Step::say(r#"{"facts":[]}"#);
            }
            let text = prompt(request);
            let found = text.lines().filter(|line| !line.contains("Question:")).find_map(|line| {
                let at = line.find(&about)?;
                let rest = &line[at + about.len()..];
                let code = rest.split(|c: char| !c.is_alphanumeric()).find(|word| word.starts_with("QX"))?;
                Some(code.to_owned())
            });
            let answer = found.filter(|code| code.len() == code_length).unwrap_or_else(|| "unknown".to_owned());
            Step::say(format!("Thought: I copy.\nFinal Answer: {answer}"))
        })
        .without_tools(),
    )
}

#[test]
fn an_agent_with_memory_answers_from_a_past_conversation_what_one_without_cannot() {
    let stage = Stage::new("");
    // Distractors that share words with what is needed: the same things and people, without the code.
    let mut records = Vec::new();
    for n in 0..1000 {
        let (thing, person) = (THINGS[n % THINGS.len()], PEOPLE[n / THINGS.len() % PEOPLE.len()]);
        let what =
            ["was painted", "is closed on Mondays", "needs a new door", "has a lock and a key", "smells of paint"]
                [n % 5];
        records.push(json!({"kind": "user_input", "content": format!("The {thing} of {person} {what}, remark {n}."),
            "conversation_id": format!("old-{}", n % 40)}));
    }
    let mut cases = Vec::new();
    for (n, thing) in THINGS.iter().enumerate() {
        for (m, person) in PEOPLE.iter().enumerate() {
            let code = format!("QX{:04}", 1000 + n * 37 + m * 7);
            records.push(json!({"kind": "user_input", "conversation_id": format!("told-{n}-{m}"),
                "content": format!("By the way, the door code for the {thing} of {person} is {code}.")}));
            cases.push((
                format!("the {thing} of {person} is"),
                format!("What is the door code for the {thing} of {person}?"),
                code,
            ));
        }
    }
    stage.append(&records);
    assert_eq!(cases.len(), 50);
    let (mut with, mut without) = (0, 0);
    for (about, question, code) in cases {
        let script = copying(about, code.len());
        let remembering = stage.ask(&script, &Asked::new(question.clone())).expect("answers");
        with += usize::from(remembering.answer.as_deref() == Some(code.as_str()));
        let forgetful = Asked { enable_memory: Some(false), ..Asked::new(question) };
        let answer = stage.ask(&script, &forgetful).expect("answers");
        without += usize::from(answer.answer.as_deref() == Some(code.as_str()));
        assert!(answer.remembered.is_empty() && answer.facts.is_empty() && answer.episode.is_none());
    }
    assert_eq!((with, without), (50, 0));
}

#[test]
fn a_second_conversation_uses_a_fact_that_was_plainly_stated_in_the_first() {
    let stage = Stage::new("");
    let first = Arc::new(
        Scripted::with(|request| {
            Step::say(if is_extraction(request) {
                r#"{"facts":[]}"#
            } else {
                "Thought: noted.\nFinal Answer: I will remember that."
            })
        })
        .without_tools(),
    );
    let told =
        stage.ask(&first, &Asked { author: Some("Ann".to_owned()), ..Asked::new("I live in Brno.") }).expect("answers");
    assert_eq!(told.facts.len(), 1, "{:?}", told.facts);
    assert_eq!((told.facts[0].attribute.as_str(), told.facts[0].value.as_str()), ("lives_in", "Brno"));
    assert_eq!(told.facts[0].quote.trim_end_matches('.'), "I live in Brno");
    let second = Arc::new(
        Scripted::with(|request| {
            let known = prompt(request).contains("lives in Brno");
            Step::say(format!("Thought: so.\nFinal Answer: {}", if known { "Brno" } else { "unknown" }))
        })
        .without_tools(),
    );
    let asked = stage.ask(&second, &Asked::new("Where does Ann live?")).expect("answers");
    assert_eq!(asked.answer.as_deref(), Some("Brno"));
    assert!(
        asked.remembered.iter().any(|line| line.what == "fact" && line.causes.len() >= 2),
        "{:?}",
        asked.remembered
    );
}
