//! What the settings of specification 002 do, and the tools by which an agent looks into its memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use idetic_agent::Asked;
use idetic_ops::model::chat::{Scripted, Step};
use idetic_ops::model::{EmbedError, Embedder, ModelId};
use idetic_ops::{EpisodeDraft, FactDraft};
use serde_json::json;

use super::stage::{Stage, prompt};

/// Facts and episodes about one thing.
fn filled(config: &str) -> Stage {
    let stage = Stage::new(config);
    let viewpoint = stage.space().as_owner();
    for n in 1..=4 {
        let text = format!("The harbour crane number {n} lifts {n}0 tons");
        viewpoint.store_fact(FactDraft { text, ..FactDraft::default() }).expect("a fact");
        let goal = format!("Repair the harbour crane number {n}");
        let draft = EpisodeDraft { goal, outcome: format!("part {n} was changed"), ..EpisodeDraft::default() };
        viewpoint.store_episode(&draft).expect("an episode");
    }
    viewpoint.embed_all(&stage.models).expect("embeds");
    stage
}

fn answering(text: &str) -> Arc<Scripted> {
    let text = format!("Thought: I know it.\nFinal Answer: {text}");
    Arc::new(Scripted::with(move |_| Step::say(text.clone())).without_tools())
}

#[test]
fn as_many_facts_and_episodes_are_looked_up_as_the_settings_say() {
    let quiet = "enable-auto-fact-extraction = false\n";
    for (config, most) in [
        (format!("[agent-mem]\n{quiet}fact-retrieval-top-k = 1\nepisode-retrieval-top-k = 1\n"), (1, 1)),
        (format!("[agent-mem]\n{quiet}"), (4, 3)),
    ] {
        let stage = filled(&config);
        let script = answering("ten tons");
        let answered = stage.ask(&script, &Asked::new("What does the harbour crane lift?")).expect("answers");
        let count = |what: &str| answered.remembered.iter().filter(|line| line.what == what).count();
        assert_eq!((count("fact"), count("episode")), most, "{config}");
        let asked = prompt(&script.requests()[0]);
        assert_eq!(asked.matches("Repair the harbour crane").count(), most.1, "{asked}");
    }
}

#[test]
fn what_is_switched_off_is_not_kept() {
    let off = "[agent-mem]\nenable-auto-fact-extraction = false\nenable-episode-recording = false\n";
    for (config, expected) in [(off, false), ("", true)] {
        let stage = Stage::new(config);
        let script = Arc::new(
            Scripted::with(|request| match request.schema.is_some() {
                true => Step::say(r#"{"facts":[]}"#),
                false => Step::say("Thought: done.\nFinal Answer: done"),
            })
            .without_tools(),
        );
        let task = Asked { task: true, ..Asked::new("I live in Brno. Plan the move.") };
        stage.ask(&script, &task).expect("answers");
        let kinds = stage.kinds();
        for kind in ["fact.stored", "episode.stored"] {
            assert_eq!(kinds.iter().any(|own| own == kind), expected, "{kind} {config}");
        }
    }
}

#[test]
fn additional_context_stands_in_the_prompt() {
    let stage = Stage::new("[agent-mem]\nadditional-context = \"Answer in Czech.\"\n");
    let script = answering("ano");
    stage.ask(&script, &Asked::new("Is it on?")).expect("answers");
    assert!(prompt(&script.requests()[0]).contains("Answer in Czech."));
}

#[test]
fn an_agent_stores_facts_and_looks_for_facts_and_episodes_by_its_tools() {
    let stage = filled("[agent-mem]\nenable-auto-fact-extraction = false\n");
    let script = Arc::new(Scripted::new([
        Step::call("c1", "store_fact", &json!({"fact_content": "The harbour crane number 9 is blue"})),
        Step::call("c2", "retrieve_facts", &json!({"query": "colour of crane number 9"})),
        Step::call("c3", "recall_episodes", &json!({"query": "repair crane number 2"})),
        Step::say("It is blue."),
    ]));
    stage.ask(&script, &Asked::new("Which colour has crane 9?")).expect("answers");
    let last = prompt(script.requests().last().expect("a request"));
    assert!(last.contains("The harbour crane number 9 is blue (fact "), "{last}");
    assert!(last.contains("Repair the harbour crane number 2") && last.contains("part 2 was changed"), "{last}");
    assert!(stage.kinds().iter().filter(|kind| *kind == "fact.stored").count() == 5);
}

#[test]
fn working_memory_ends_with_its_loop_and_its_steps_stay_as_events() {
    let stage = Stage::new("[agent-mem]\nenable-auto-fact-extraction = false\nenable-episode-recording = false\n");
    let first = Arc::new(Scripted::new([
        Step::call("c1", "note", &json!({"text": "Cranes\nOil them in spring."})),
        Step::say("Noted."),
    ]));
    stage.ask(&first, &Asked::new("Keep that cranes are oiled in spring")).expect("answers");
    let second = Arc::new(Scripted::new([Step::say("Yes.")]));
    stage.ask(&second, &Asked::new("Is the gate open?")).expect("answers");
    let asked = prompt(&second.requests()[0]);
    assert!(asked.contains("(nothing done yet)") && !asked.contains("Oil them"), "{asked}");
    let kinds = stage.kinds();
    assert!(["tool_call", "tool_result"].iter().all(|kind| kinds.iter().any(|own| own == kind)), "{kinds:?}");
}

/// An embedder that counts the questions it is asked.
struct Counting(Arc<dyn Embedder>, Arc<AtomicUsize>);

impl Embedder for Counting {
    fn id(&self) -> &ModelId {
        self.0.id()
    }

    fn dimensions(&self) -> usize {
        self.0.dimensions()
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.embed_query(text)
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.0.embed(texts)
    }
}

#[test]
fn the_question_is_turned_into_a_vector_once_for_facts_episodes_and_what_was_said() {
    let mut stage = filled("[agent-mem]\nenable-auto-fact-extraction = false\nenable-episode-recording = false\n");
    let counted = Arc::new(AtomicUsize::new(0));
    let inner = stage.models.wanted.take().expect("a model");
    stage.models.wanted = Some(Arc::new(Counting(inner, Arc::clone(&counted))));
    let answered = stage.ask(&answering("ten"), &Asked::new("What does the harbour crane lift?")).expect("answers");
    assert!(answered.remembered.iter().any(|line| line.what == "fact"));
    assert!(answered.remembered.iter().any(|line| line.what == "episode"));
    assert_eq!(counted.load(Ordering::Relaxed), 1);
}
