//! Everything an agent's actor can obtain of a world, as text: through the library and through the operations.

use std::collections::HashMap;
use std::sync::Arc;

use idetic_ops::core::words::Persona;
use idetic_ops::core::{Record, Time};
use idetic_ops::search::{Filters, Mode};
use idetic_ops::{ActorView, AsOf, Models, Question, RecallOptions, Result, Space};
use serde::Serialize;
use serde_json::{Value, json};

use crate::hermetic::{Hermetic, START};
use crate::stories::{AGENT, Asked, IDS};

/// Questions and their answers, in the order they were asked.
#[derive(Default)]
pub struct Observed {
    answers: Vec<(String, String)>,
    /// Ids that were made by chance, under the number in which they were first met.
    made: HashMap<String, usize>,
}

impl Observed {
    /// Takes an answer down, an error being one too.
    pub fn note(&mut self, question: impl Into<String>, answer: Result<impl Serialize>) {
        let text = match answer {
            Ok(answer) => serde_json::to_string(&answer),
            Err(error) => serde_json::to_string(&error),
        };
        let text = self.without_chance(&text.expect("JSON"));
        self.answers.push((question.into(), text));
    }

    /// The first question that is answered in another way.
    pub fn first_difference<'a>(&'a self, other: &'a Self) -> Option<[&'a (String, String); 2]> {
        assert_eq!(self.answers.len(), other.answers.len(), "the same questions were asked");
        self.answers.iter().zip(&other.answers).find(|(one, two)| one != two).map(|(one, two)| [one, two])
    }

    /// Two worlds draw different random bytes: an id made of them is told by when it was first seen.
    fn without_chance(&mut self, text: &str) -> String {
        let mut plain = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            if let Some(id) = rest.get(..36).filter(|id| is_made(id)) {
                let next = self.made.len();
                let number = *self.made.entry(id.to_owned()).or_insert(next);
                plain.push_str(&format!("made-id-{number}"));
                rest = &rest[36..];
            } else {
                plain.push(first);
                rest = &rest[first.len_utf8()..];
            }
        }
        plain
    }
}

/// Whether an id was made by the log and not chosen by a caller of these tests.
fn is_made(id: &str) -> bool {
    let dashes = [8, 13, 18, 23];
    let fits = |(at, b): (usize, u8)| if dashes.contains(&at) { b == b'-' } else { b.is_ascii_hexdigit() };
    id.as_bytes()[8] == b'-' && !id.starts_with("00000000") && (0..).zip(id.bytes()).all(fits)
}

/// Asks the library all there is to ask.
pub fn ask_library(space: &Arc<Space>, models: &Models, asked: &Asked, observed: &mut Observed) {
    let actor = space.actor(AGENT);
    let count = actor.count().expect("counts");
    observed.note("count", Ok(count));
    observed.note("lane", Ok(actor.lane()));
    let past = AsOf::Seq(asked.past.index(count as usize + 1) as u64);
    for mode in [Mode::Hybrid, Mode::Lexical, Mode::Vector] {
        ask_recall(&actor, models, asked, mode, &past, observed);
    }
    let question =
        |as_of: Option<&AsOf>| Question { query: asked.query.clone(), as_of: as_of.cloned(), ..Question::default() };
    observed.note("prompt", actor.prompt(models, question(None), 200));
    observed.note("prompt of the past", actor.prompt(models, question(Some(&past)), 2000));
    let memory = idetic_ops::core::identity::Identity::unwritten().memory_of(Persona::Actor).clone();
    for as_of in [&past, &AsOf::Time(Time(START + 3_600_000_000))].map(Some) {
        observed.note(format!("loops {as_of:?}"), actor.loops(&memory, as_of));
        observed.note(format!("stm {as_of:?}"), actor.stm(&asked.query, &memory, as_of));
    }
    let positions = (0..=count + 1).rev().take(6).map(|pos| pos.to_string());
    for name in IDS.iter().map(|id| (*id).to_owned()).chain(positions).chain(["missing".to_owned()]) {
        observed.note(format!("get {name}"), actor.get(&name));
    }
    observed.note("range", actor.range(Time(0), Time(i64::MAX)));
    observed.note("the future", actor.loops(&memory, Some(&AsOf::Seq(count + 1))));
}

fn ask_recall(actor: &ActorView, models: &Models, asked: &Asked, mode: Mode, past: &AsOf, observed: &mut Observed) {
    let everything = Filters::default();
    let kind = Some(asked.kind.to_owned());
    let author = Some(asked.author.to_owned());
    let conversation = Some(asked.conversation.clone());
    let narrow = match asked.past.index(3) {
        0 => Filters { kind, ..Filters::default() },
        1 => Filters { author, since: Some(Time(START)), ..Filters::default() },
        _ => Filters { conversation, ..Filters::default() },
    };
    for (filters, as_of) in [(&everything, None), (&everything, Some(past)), (&narrow, None)] {
        let options = RecallOptions { mode, filters: filters.clone(), explain: true, ..RecallOptions::default() };
        let question = Question { query: asked.query.clone(), as_of: as_of.cloned(), ..Question::default() };
        let recalled = actor.recall(models, &options, question);
        // What the packing of a prompt goes by is not shown, but must not tell anything either.
        let standing = recalled.as_ref().map(|r| r.hits.iter().map(|hit| hit.score.to_bits()).collect::<Vec<_>>());
        observed.note(format!("scores {mode:?} {filters:?} {as_of:?}"), standing.map_err(Clone::clone));
        observed.note(format!("recall {mode:?} {filters:?} {as_of:?}"), recalled);
    }
}

/// Asks the operations that an actor has.
pub fn ask_operations(home: &Hermetic, space: &str, asked: &Asked, observed: &mut Observed) {
    let count = home.memory().space(&idetic_ops::core::SpaceName::parse(space).expect("a name"));
    let count = count.expect("a space").actor(AGENT).count().expect("counts");
    let past = asked.past.index(count as usize + 1);
    let mut ask = |operation: &str, arguments: Value| {
        let mut arguments = arguments;
        arguments["agent"] = AGENT.into();
        observed.note(format!("{operation} {arguments}"), home.call(space, operation, &arguments.to_string()));
    };
    // Before anything else: recalling may embed.
    ask("ltm", json!({}));
    ask("ltm", json!({"status": "embedded", "as_of": past, "limit": 3}));
    ask("log", json!({"view": true}));
    ask("log", json!({"view": true, "persona": "actor", "as_of": past, "reverse": true, "limit": 4}));
    ask("log", json!({"view": true, "id": IDS[0]}));
    ask("log", json!({"view": true, "loop": "loop1", "refs": [IDS[1]]}));
    ask("log", json!({"view": true, "tags": ["tag1"], "kind": asked.kind}));
    ask("failures", json!({"days": 3650}));
    for mode in ["hybrid", "lexical", "vector"] {
        ask("advise", json!({"error": asked.query, "as_of": past}));
        ask("recall", json!({"query": asked.query, "mode": mode, "explain": true}));
        ask("recall", json!({"query": asked.query, "mode": mode, "explain": true, "as_of": past, "k": 3}));
    }
    ask("recall", json!({"query": asked.query, "conversation": asked.conversation, "author": asked.author}));
    ask("context", json!({"query": asked.query, "budget": 300}));
    ask("context", json!({"query": asked.query, "as_of": past}));
    ask("stm", json!({"query": asked.query, "threshold": 10.0}));
    ask("stm", json!({"query": asked.query, "persona": "actor", "as_of": past}));
    ask("loops", json!({"as_of": past}));
    for event in [IDS[0], IDS[5], IDS[7], "1", "missing", "99999"] {
        ask("get", json!({"event": event, "as_of": past}));
        ask("get", json!({"event": event}));
    }
    ask("log", json!({"view": true, "as_of": count + 1}));
}

/// Appends through the view what collides, what is stale, what is derived, and what was perhaps said before.
pub fn append(space: &Arc<Space>, asked: &Asked, observed: &mut Observed) {
    let actor = space.actor(AGENT);
    let mut append = |records: &[Value], expect: Option<u64>| {
        let parsed = records.iter().map(|r| Record::parse(r.to_string().as_bytes()).expect("valid")).collect();
        observed.note(format!("append {records:?} at {expect:?}"), actor.append(parsed, expect));
    };
    for id in IDS.iter().cycle().skip(asked.past.index(IDS.len())).step_by(3).take(2) {
        append(&[json!({"id": id, "kind": "decision", "content": "of its own"})], None);
        append(&[json!({"kind": "decision", "causes": [id], "content": "derived"})], None);
    }
    append(&[json!({"kind": "decision", "causes": ["missing"]})], None);
    append(&[json!({"id": "late", "kind": "decision"}), json!({"kind": "decision", "causes": ["late"]})], Some(3));
    let count = actor.count().expect("counts");
    append(&[json!({"id": "late", "kind": "decision"}), json!({"kind": "decision", "causes": ["late"]})], Some(count));
    append(&[json!({"kind": "decision", "agent_id": "b"})], None);
    append(&[json!({"kind": "decision", "agent_id": AGENT, "persona": "subconscious"})], None);
}

/// Says word for word what somebody else may have said before: nothing may tell that they did.
pub fn append_guesses(home: &Hermetic, space: &str, observed: &mut Observed) {
    let guesses = ["Ann painted the red boat yesterday.", "Which boat did Bob sink?", "boat", "lamp red"];
    let events: Vec<Value> = guesses.iter().map(|text| json!({"kind": "user_input", "content": text})).collect();
    let arguments = json!({"agent": AGENT, "events": events}).to_string();
    observed.note("guess", home.call(space, "append", &arguments));
    observed.note("ltm of guesses", home.call(space, "ltm", &json!({"agent": AGENT, "limit": 4}).to_string()));
}
