//! Stories for two worlds: what an actor may see happens in both, what it may not differs from one to the other.

use proptest::collection::vec;
use proptest::option::{of, weighted};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Map, Value, json};

use crate::hashed_words::REFUSED;

/// The agent whose actor looks.
pub const AGENT: &str = "a";
/// Ids that callers choose, on either side of the wall. Some are numbers, as positions are; some look like ours.
pub const IDS: [&str; 10] = [
    "m1",
    "m2",
    "m3",
    "m4",
    "m5",
    "2",
    "7",
    "00000000-0000-7000-8000-000000000001",
    "00000000-0000-7000-8000-000000000002",
    "00000000-0000-7000-8000-000000000003",
];
/// What is said word for word on both sides.
const SENTENCES: [&str; 5] = [
    "Ann painted the red boat yesterday.",
    "Which boat did Bob sink?",
    "The build needs Node 20 to deploy.",
    "On 3 January 2025 the lamp in the harbour broke.",
    "世界 is a word, and so is boat.",
];
const WORDS: [&str; 16] = [
    "boat", "red", "harbour", "lamp", "node", "build", "deploy", "ann", "bob", "paint", "broke", "monday", "why?",
    "世界", "river", REFUSED,
];
const KINDS: [&str; 8] = [
    "user_input",
    "actor_output",
    "tool_result",
    "decision",
    "note.written",
    "memory.retired",
    "memory.regraded",
    "dream.completed",
];

/// Whose memory something goes into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lane {
    /// The actor's that looks.
    Own,
    /// What no agent owns.
    Shared,
    /// That agent's subconscious.
    Beneath,
    /// Another agent's actor.
    Another,
    /// Another agent's subconscious.
    BeneathAnother,
    /// An agent whose name is made to be taken for the one that looks.
    Alike,
    /// The same actor in another space.
    Elsewhere,
}

/// Something that is appended.
#[derive(Debug, Clone)]
pub struct Saying {
    pub lane: Lane,
    pub record: Value,
    /// The position at which its writer believes its view to be.
    pub expect: Option<u64>,
}

/// Something the actor may not see, where it happens, and what it is in each world.
#[derive(Debug, Clone)]
pub struct Hidden {
    pub before: Index,
    pub sayings: [Option<Saying>; 2],
}

/// What happens in both worlds, and what differs.
#[derive(Debug, Clone)]
pub struct Story {
    pub visible: Vec<Saying>,
    pub hidden: Vec<Hidden>,
    pub asked: Asked,
}

/// What the actor asks.
#[derive(Debug, Clone)]
pub struct Asked {
    pub query: String,
    pub kind: &'static str,
    pub author: &'static str,
    pub conversation: String,
    pub past: Index,
    /// Whether the operations are asked as well, and not the library alone.
    pub operations: bool,
    /// Whether there is a dream in between.
    pub dream: bool,
    /// Whether readers embed by the way.
    pub local: bool,
}

/// Stories of so many visible and hidden events.
pub fn stories(visible: std::ops::Range<usize>, hidden: std::ops::Range<usize>) -> impl Strategy<Value = Story> {
    let own = prop_oneof![3 => Just(Lane::Own), 1 => Just(Lane::Shared)];
    let visible = vec(saying(own.boxed()), visible);
    let hidden = vec((any::<Index>(), of(saying(hidden_lane())), of(saying(hidden_lane()))), hidden);
    (visible, hidden, asked()).prop_map(|(visible, hidden, asked)| {
        let apart = |(before, first, second)| Hidden { before, sayings: [first, second] };
        Story { visible, hidden: hidden.into_iter().map(apart).collect(), asked }
    })
}

/// What is said in all lanes of one space.
pub fn sayings(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Value>> {
    const LANES: [Lane; 5] = [Lane::Own, Lane::Shared, Lane::Beneath, Lane::Another, Lane::BeneathAnother];
    vec(saying(select(&LANES[..]).boxed()).prop_map(|saying| saying.record), count)
}

fn hidden_lane() -> BoxedStrategy<Lane> {
    const OTHERS: [Lane; 4] = [Lane::Another, Lane::BeneathAnother, Lane::Alike, Lane::Elsewhere];
    prop_oneof![2 => Just(Lane::Beneath), 3 => select(&OTHERS[..])].boxed()
}

fn asked() -> impl Strategy<Value = Asked> {
    let words = vec(select(&WORDS[..15]), 1..5).prop_map(|words| words.join(" "));
    let query = prop_oneof![words, select(&SENTENCES[..]).prop_map(str::to_owned)];
    let filters = (select(&KINDS[..]), select(&["ann", "bob"][..]), 0..3u8, any::<Index>());
    // Every operation opens its home anew, which takes longer than all the rest.
    let ways = (prop::bool::weighted(0.04), prop::bool::weighted(0.1), any::<bool>());
    (query, filters, ways).prop_map(|(query, (kind, author, talk, past), (operations, dream, local))| Asked {
        query,
        kind,
        author,
        conversation: format!("talk{talk}"),
        past,
        operations,
        dream,
        local,
    })
}

fn saying(lane: BoxedStrategy<Lane>) -> impl Strategy<Value = Saying> {
    (lane, record(), weighted(0.1, 0..6_u64)).prop_map(|(lane, mut record, expect)| {
        let (agent, persona) = match lane {
            Lane::Own | Lane::Elsewhere => (Some(AGENT), "actor"),
            Lane::Shared => (None, ""),
            Lane::Beneath => (Some(AGENT), "subconscious"),
            Lane::Another => (Some("b"), "actor"),
            Lane::BeneathAnother => (Some("b"), "subconscious"),
            Lane::Alike => (Some("a__actor__ltm"), "actor"),
        };
        if let Some(agent) = agent {
            record.insert("agent_id".to_owned(), agent.into());
            record.insert("persona".to_owned(), persona.into());
        }
        Saying { lane, record: Value::Object(record), expect }
    })
}

fn record() -> impl Strategy<Value = Map<String, Value>> {
    let id = select(&IDS[..]);
    let words = vec(select(&WORDS[..]), 0..7).prop_map(|words| words.join(" "));
    let text = prop_oneof![3 => words, 2 => select(&SENTENCES[..]).prop_map(str::to_owned)];
    let what = (select(&KINDS[..]), weighted(0.8, id.clone()), text, of(0..4000_i64), metadata());
    let where_ = (of(0..3u8), of(0..3u8), of(select(&["ann", "bob"][..])), vec(0..3u8, 0..2));
    let links = (vec(id.clone(), 0..3), weighted(0.2, vec(id, 1..3)), prop::bool::weighted(0.2));
    (what, where_, links).prop_map(|((kind, id, text, minutes, metadata), (turn, talk, author, tags), links)| {
        let (refs, causes, internal) = links;
        let mut record = Map::new();
        let mut put = |key: &str, value: Option<Value>| value.map(|value| record.insert(key.to_owned(), value));
        put("kind", Some(kind.into()));
        put("id", id.map(Value::from));
        put("content", Some(text.into()));
        put("ts", minutes.map(|m| format!("2025-01-{:02}T{:02}:{:02}:00Z", 1 + m / 150, m % 24, m % 60).into()));
        put("loop_id", turn.map(|n| format!("loop{n}").into()));
        put("conversation_id", talk.map(|n| format!("talk{n}").into()));
        put("author", author.map(Value::from));
        put("tags", Some(tags.into_iter().map(|n| format!("tag{n}")).collect()));
        put("refs", Some(refs.into()));
        put("causes", causes.map(Value::from));
        put("visibility", internal.then(|| "internal".into()));
        put("metadata", metadata);
        record
    })
}

fn metadata() -> impl Strategy<Value = Option<Value>> {
    let id = || select(&IDS[..]);
    let grades = vec((id(), 0..11_u32), 1..3).prop_map(|grades| {
        let grades: Map<_, _> =
            grades.into_iter().map(|(id, g)| (id.to_owned(), (f64::from(g) / 10.0).into())).collect();
        json!({ "grades": grades })
    });
    prop_oneof![
        4 => Just(None),
        1 => id().prop_map(|id| Some(json!({ "supersedes": id }))),
        1 => vec(id(), 1..3).prop_map(|ids| Some(json!({ "supersedes": ids }))),
        2 => grades.prop_map(Some),
        1 => (0..11_u32).prop_map(|n| Some(json!({ "importance": f64::from(n) / 10.0 }))),
    ]
}
