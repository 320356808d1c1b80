//! The payload of a handoff as specification 003 shows it: JSON that one agent leaves for the next.

use idetic_core::Time;
use serde::{Deserialize, Serialize};

use super::changelog::{Entry, is_none};
use super::narrative::Narrative;
use super::write::one_line;

/// How many events a payload names.
pub const RECENT_EVENTS: usize = 5;

/// The whole payload.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Payload {
    /// Who hands over to whom.
    pub handoff: Handoff,
    /// Where the work stands.
    #[serde(default)]
    pub state: State,
    /// What was written.
    #[serde(default)]
    pub files: Files,
    /// What the receiver checks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<Proof>,
}

/// What shows that the receiver has what the sender had.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proof {
    /// The event of the handoff.
    pub event: String,
    /// What that is known by, whatever its number.
    pub identity: String,
    /// The hash of context.md as the sender left it.
    pub context: String,
    /// What the event is known by without the number of any event: a merge may give others those that its words name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
}

/// Who hands over to whom.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Handoff {
    /// The agent that leaves.
    pub from: String,
    /// The agent that comes.
    pub to: String,
    /// When, in ISO 8601.
    #[serde(default)]
    pub timestamp: String,
    /// Why.
    #[serde(default)]
    pub reason: String,
}

/// Where the work stands.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct State {
    /// The last events, newest first.
    pub recent_events: Vec<String>,
    /// What is worked on.
    pub active_entities: Vec<String>,
    /// What is in the way.
    pub blockers: Vec<String>,
    /// What to do next.
    pub next_actions: Vec<String>,
    /// What limits the work.
    pub constraints: Vec<String>,
    /// What the receiver must not touch.
    pub boundaries: Vec<String>,
    /// What must stay true.
    pub invariants: Vec<String>,
    /// The events that the receiver needs.
    pub artifacts: Vec<String>,
}

/// What was written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Files {
    /// The files that changed.
    pub modified: Vec<String>,
    /// The commit, if there is one.
    pub committed: Option<String>,
    /// Whether the events are in the log.
    pub changelog_updated: bool,
}

impl State {
    /// The same with what the event of the handoff asks of whoever takes it.
    fn with_terms(self, entry: &Entry) -> Self {
        let [constraints, boundaries, invariants, artifacts] = TERMS.map(|name| said(entry, name));
        Self { constraints, boundaries, invariants, artifacts, ..self }
    }
}

/// The details of a handoff that bind whoever takes it.
const TERMS: [&str; 4] = ["constraints", "boundaries", "invariants", "artifacts"];

fn said(entry: &Entry, name: &str) -> Vec<String> {
    let Some(detail) = entry.detail(name) else { return Vec::new() };
    let all = std::iter::once(&detail.value).chain(&detail.items);
    all.filter(|text| !is_none(text)).map(|text| one_line(text)).collect()
}

/// What a handoff asks of whoever takes it, a line each.
pub fn terms(entry: &Entry) -> Vec<String> {
    TERMS.iter().flat_map(|name| said(entry, name).into_iter().map(move |text| format!("{name}: {text}"))).collect()
}

impl Handoff {
    /// A handoff at a moment.
    pub fn new(from: &str, to: &str, time: Time, reason: &str) -> Self {
        let (from, to, reason) = (one_line(from), one_line(to), one_line(reason));
        Self { from, to, timestamp: time.to_string(), reason }
    }
}

impl Payload {
    /// The state that the narrative tells, with the last events that are not private; those are given oldest first.
    pub fn new(handoff: Handoff, entries: &[&Entry], narrative: &Narrative, files: Files) -> Self {
        let told = |entry: &&Entry| {
            let who = if entry.number.is_some() { entry.name() } else { entry.when() };
            format!("{who}: {}", one_line(&entry.summary))
        };
        let visible = entries.iter().copied().rev().filter(|entry| !entry.is_private());
        let state = State {
            recent_events: visible.take(RECENT_EVENTS).map(|entry| told(&entry)).collect(),
            active_entities: narrative.entities.clone(),
            blockers: narrative.blockers.clone(),
            next_actions: narrative.actions.clone(),
            ..State::default()
        };
        let state = match entries.last() {
            Some(entry) => state.with_terms(entry),
            None => state,
        };
        Self { handoff, state, files, proof: None }
    }

    /// Reads a payload; keys it does not know are left alone.
    pub fn read(text: &str) -> Result<Self, String> {
        serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|error| format!("not a handoff: {error}"))
    }

    /// The payload as JSON over many lines.
    pub fn write(&self) -> String {
        // Strings, lists and flags always have a JSON form.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown::{Changelog, Graph, narrate};

    #[test]
    fn a_payload_has_the_document_s_keys_and_comes_back() {
        let text: String = (1..=7)
            .map(|n| {
                let tags = if n == 6 { "**Tags**: private\n" } else { "" };
                format!("### evt-{n:03} | 2026-02-26 | a | fix\n**Scope**: x\n**Summary**: event {n}\n{tags}\n")
            })
            .collect();
        let log = Changelog::read(&text);
        let entries = log.oldest_first();
        let narrative = narrate(&Graph::default(), &entries);
        let files = Files { modified: vec!["CHANGELOG.md".to_owned()], committed: None, changelog_updated: true };
        let handoff = Handoff::new("agent-a", "agent-b", Time(0), "task complete");
        let payload = Payload::new(handoff, &entries, &narrative, files);
        let wanted =
            ["evt-007: event 7", "evt-005: event 5", "evt-004: event 4", "evt-003: event 3", "evt-002: event 2"];
        assert_eq!(payload.state.recent_events, wanted);
        let json = payload.write();
        assert_eq!(Payload::read(&json), Ok(payload));
        let keys = [
            "from",
            "to",
            "timestamp",
            "reason",
            "recent_events",
            "active_entities",
            "blockers",
            "next_actions",
            "modified",
            "committed",
            "changelog_updated",
        ];
        assert!(keys.iter().all(|key| json.contains(&format!("\"{key}\": "))), "{json}");
        assert!(Payload::read("{\"handoff\":{\"from\":\"a\",\"to\":\"b\"},\"more\":1}").is_ok());
        assert!(Payload::read("{}").is_err());
    }
}
