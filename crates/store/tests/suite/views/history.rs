//! Random histories: events with every field that a view looks at, some of them erased.

use idetic_store::{Log, Options, SqliteLog};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use tempfile::TempDir;

use crate::suite::given::{self, all, batch, scrambled};

/// One event as it was said.
#[derive(Debug, Clone)]
pub struct Said {
    body: String,
    erased: bool,
}

const KINDS: [&str; 5] = ["user_input", "tool_result", "change", "gateway.tool_call", "error"];
const STATUSES: [&str; 4] = ["success", "failure", "pending", "timeout"];
const DURATIONS: [&str; 4] =
    [r#"{"duration_ms":12}"#, r#"{"duration_seconds":0.25}"#, r#"{"duration_minutes":2}"#, r#"{"duration_ms":"long"}"#];

/// Which of a few values each field has, if any.
type Choices = (usize, [Option<usize>; 7], Vec<usize>, Vec<usize>, bool);

impl Said {
    fn new((kind, choices, tags, refs, erased): Choices) -> Self {
        let [status, agent, persona, trace, source, day, duration] = choices;
        let mut body = format!(r#"{{"kind":"{}""#, KINDS[kind]);
        let mut add = |name: &str, value: Option<String>| {
            body += &value.map_or(String::new(), |value| format!(r#","{name}":{value}"#));
        };
        let text = |text: String| format!("\"{text}\"");
        add("status", status.map(|n| text(STATUSES[n % 4].to_owned())));
        add("agent_id", agent.map(|n| text(format!("agent {n}"))));
        add("persona", agent.and(persona).map(|n| text(["actor", "subconscious"][n % 2].to_owned())));
        add("trace_id", trace.map(|n| text(format!("trace {n}"))));
        add("source", source.map(|n| text(format!("source {n}"))));
        add("ts", day.map(|n| text(format!("2025-01-0{}T12:00:00Z", n % 9 + 1))));
        add("metadata", duration.map(|n| DURATIONS[n % 4].to_owned()));
        let list = |words: Vec<usize>| words.iter().map(|n| format!("\"{n}\"")).collect::<Vec<_>>().join(",");
        add("tags", Some(format!("[{}]", list(tags))));
        add("refs", Some(format!("[{}]", list(refs))));
        body.push('}');
        Self { body, erased }
    }

    /// One that depends on a number alone.
    pub fn numbered(number: u64) -> Self {
        let any = |n: u64| (scrambled(number * 16 + n) % 4) as usize;
        let choices = [0, 1, 2, 3, 4, 5, 6].map(|n| (any(n) > 0).then_some(any(n + 7)));
        Self::new((any(14), choices, vec![any(15), any(3)], vec![any(4)], number % 7 == 3))
    }
}

/// Any event.
pub fn said() -> impl Strategy<Value = Said> {
    let choices = proptest::array::uniform7(option::of(0..4_usize));
    let words = || vec(0..6_usize, 0..4);
    (0..KINDS.len(), choices, words(), words(), proptest::bool::weighted(0.2)).prop_map(Said::new)
}

/// A log that holds these events. Who is given the same beginning gets the same beginning, hashes and all.
pub fn log_of(history: &[Said]) -> (TempDir, SqliteLog) {
    let (said, folder) = (given::folder(), given::folder());
    let whole = given::log_in(said.path());
    for part in history.chunks(7) {
        let bodies: Vec<&str> = part.iter().map(|said| said.body.as_str()).collect();
        whole.append(batch(&bodies)).expect("appended");
    }
    let mut events = all(&whole);
    for (event, _) in events.iter_mut().zip(history).filter(|(_, said)| said.erased) {
        event.secret = None;
    }
    let log = SqliteLog::create(folder.path(), given::sources_from(1), &Options::default()).expect("a log");
    log.graft(&events).expect("taken in");
    (folder, log)
}
