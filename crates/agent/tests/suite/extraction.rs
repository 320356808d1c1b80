//! Facts by a model: quoted or dropped, recorded, made again without the model, and never from what was only recalled.

use std::sync::Arc;

use idetic_agent::{ANSWERED, Asked, Source, from_answer};
use idetic_ops::core::Time;
use idetic_ops::core::views::FactRow;
use idetic_ops::model::chat::{Scripted, Step};
use serde_json::json;

use super::stage::{Stage, is_extraction};

/// Answers every question with the same facts.
fn stating(facts: serde_json::Value) -> Arc<Scripted> {
    let facts = json!({"facts": facts}).to_string();
    Arc::new(
        Scripted::with(move |request| {
            Step::say(if is_extraction(request) {
                facts.clone()
            } else {
                "Thought: so.\nFinal Answer: fine".to_owned()
            })
        })
        .without_tools(),
    )
}

fn fact(text: usize, quote: &str, fact: &str) -> serde_json::Value {
    json!({"text": text, "quote": quote, "fact": fact, "subject": "", "attribute": "", "value": ""})
}

#[test]
fn a_fact_that_quotes_nothing_of_its_source_is_dropped() {
    let stage = Stage::new("");
    let script = stating(json!([
        fact(1, "the ceremony takes place in the old mill", "The ceremony takes place in the old mill."),
        fact(1, "the ceremony will be in Paris", "The ceremony will be in Paris."),
        fact(7, "the old mill", "The mill is old."),
        fact(1, "the old mill", "Napoleon conquered Egypt with cannons."),
    ]));
    let answered =
        stage.ask(&script, &Asked::new("By the way, the ceremony takes place  in the OLD mill.")).expect("answers");
    let texts: Vec<&str> = answered.facts.iter().map(|fact| fact.content.as_str()).collect();
    assert_eq!(texts, ["The ceremony takes place in the old mill."]);
    assert!(stage.kinds().iter().any(|kind| kind == ANSWERED));
}

#[test]
fn secrets_and_what_is_marked_private_never_reach_the_model() {
    let stage = Stage::new("");
    for words in [
        "My password is hunter2!x",
        "Between us, I am going to quit.",
        "sk-abcdefghijklmnopqrstuvwxyz123456 is the key",
    ] {
        let script = stating(json!([fact(1, words, words)]));
        let answered = stage.ask(&script, &Asked::new(words)).expect("answers");
        assert!(answered.facts.is_empty(), "{words}");
        assert!(script.requests().iter().all(|request| !is_extraction(request)), "{words} was shown for extraction");
    }
}

#[test]
fn the_recorded_answer_gives_the_same_facts_without_the_model() {
    let stage = Stage::new("[agent-mem]\nconversation-idle-minutes = 600\n");
    let script = stating(json!([fact(1, "the archive moves to Graz", "The archive moves to Graz.")]));
    let answered = stage.ask(&script, &Asked::new("In May the archive moves to Graz, they decided")).expect("answers");
    assert_eq!(answered.facts.len(), 1);
    let viewpoint = stage.space().as_owner();
    let recorded = viewpoint.events_of_kind(ANSWERED, Time(i64::MIN)).expect("events").pop().expect("an answer");
    let sources = Source::of_loop(&viewpoint, &answered.loop_id).expect("sources");
    let text = recorded.fields.and_then(|fields| fields.content).expect("a text");
    // Into a space that has the words and the answer, and not the facts.
    let other = Stage::new("");
    other.append(&[json!({"kind": "user_input", "id": sources[0].event.header.id, "content": sources[0].text})]);
    let elsewhere = other.space().as_owner();
    let said = elsewhere.get(&sources[0].event.header.id, 1).expect("the words");
    let sources = [Source { event: said, text: sources[0].text.clone() }];
    let again = from_answer(&elsewhere, "scripted", &sources, &text, None, &mut |_| {}).expect("facts");
    assert_eq!(
        again.iter().map(|f| &f.content).collect::<Vec<_>>(),
        answered.facts.iter().map(|f| &f.content).collect::<Vec<_>>()
    );
}

#[test]
fn a_recalled_memory_is_never_counted_as_new_evidence() {
    let stage = Stage::new("[agent-mem]\nconversation-idle-minutes = 500000\n");
    let tell = stating(json!([]));
    stage.ask(&tell, &Asked { author: Some("Ann".to_owned()), ..Asked::new("I live in Brno.") }).expect("answers");
    let row = |stage: &Stage| -> FactRow {
        let space = stage.space().as_owner();
        let found = space.fact_row(&first_fact(stage), space.horizon(None).expect("a head")).expect("reads");
        found.expect("a fact")
    };
    let before = row(&stage);
    // The agent is reminded of it, repeats it, and somebody repeats the agent, in every wording of the turns.
    let wordings = [
        "Ann lives in Brno.",
        "So, Ann lives in Brno.",
        "ann lives in brno",
        "> Ann lives in Brno.",
        "Ann is living in Brno.",
    ];
    let turns = if std::env::var_os("IDETIC_LONG").is_some() { 10_000 } else { 200 };
    let script = stating(json!([fact(1, "Ann lives in Brno", "Ann lives in Brno.")]));
    for n in 0..turns {
        let said = format!("{} Where does Ann live?", wordings[n % wordings.len()]);
        let asked = Asked { conversation: Some(format!("c{}", n % 7)), ..Asked::new(said) };
        let answered = stage.ask(&script, &asked).expect("answers");
        assert!(answered.facts.is_empty(), "turn {n}: {:?}", answered.facts);
    }
    let after = row(&stage);
    assert_eq!((before.sources, before.confidence), (after.sources, after.confidence));
}

fn first_fact(stage: &Stage) -> String {
    let space = stage.space();
    let tip = space.log().tip().expect("a tip").seq;
    let stored = (1..=tip).map(|seq| space.event(seq).expect("an event")).find(|e| e.header.kind == "fact.stored");
    stored.expect("a fact").header.id
}
