//! What goes wrong for an agent: its failures by capability, those that say the same together, most frequent first.

use std::collections::BTreeMap;

use idetic_core::Event;
use idetic_core::event::is_for_files;
use idetic_core::views::{Operation, SessionTraces, TIMELINE, operation};
use idetic_core::words::Status;
use idetic_store::{Filter, Select};
use serde::Deserialize;

use super::counts::session_traces;
use crate::{Result, Space};

/// Most failures that are looked at, the latest first: of one agent, and of those that belong to nobody's memory.
const LOOKED_AT: usize = 1000;
/// Most mistakes of one capability.
const SHOWN: usize = 5;
/// Longest mistake.
const MISTAKE_MAX_CHARS: usize = 200;

/// Failures in the shared memory that name their agent themselves.
pub struct Mistakes {
    shared: Vec<Failure>,
}

struct Failure {
    agent: String,
    capability: String,
    text: String,
}

/// Where the texts of failures stand in real logs.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Said {
    error_message: Option<String>,
    error: Option<String>,
}

impl Mistakes {
    pub fn read(space: &Space, horizon: u64) -> Result<Self> {
        Ok(Self { shared: failures(space, horizon, &Filter::IsNull("agent"))? })
    }

    /// The most frequent mistakes of an agent, by capability.
    pub fn of(&self, space: &Space, agent: &str, horizon: u64) -> Result<BTreeMap<String, Vec<String>>> {
        let own = failures(space, horizon, &Filter::Is("agent", agent.into()))?;
        let all = own.iter().chain(self.shared.iter().filter(|failure| failure.agent == agent));
        // For each that says the same: how often, how late, and its latest text.
        let mut groups: BTreeMap<&str, BTreeMap<String, (usize, usize, &str)>> = BTreeMap::new();
        for (age, failure) in all.enumerate() {
            let of_capability = groups.entry(&failure.capability).or_default();
            of_capability.entry(alike(&failure.text)).or_insert((0, age, &failure.text)).0 += 1;
        }
        let shown = |of_capability: BTreeMap<String, (usize, usize, &str)>| {
            let mut all: Vec<_> = of_capability.into_values().collect();
            all.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
            all.into_iter().take(SHOWN).map(|(_, _, text)| text.to_owned()).collect()
        };
        Ok(groups.into_iter().map(|(capability, group)| (capability.to_owned(), shown(group))).collect())
    }
}

/// The latest failures of some agents, the latest first.
fn failures(space: &Space, horizon: u64, whose: &Filter) -> Result<Vec<Failure>> {
    let mut seqs = Vec::new();
    for status in [Status::Failure, Status::Timeout] {
        let latest = Select { newest_first: true, limit: Some(LOOKED_AT), ..Select::from(&TIMELINE, horizon) };
        let latest = latest.filter(whose.clone()).filter(Filter::Is("status", status.word().into()));
        seqs.extend(space.seqs(&latest)?);
    }
    let events = space.events_by_seq(&seqs)?;
    let traces = session_traces(space, horizon)?;
    Ok(events.iter().rev().filter(|event| is_for_files(event)).filter_map(|e| failure(e, &traces)).collect())
}

fn failure(event: &Event, traces: &SessionTraces) -> Option<Failure> {
    let Operation { agent, capability, .. } = operation(event, traces)?;
    let metadata = event.fields.as_ref()?.metadata.as_ref();
    let said: Said = metadata.and_then(|metadata| serde_json::from_str(metadata.get()).ok()).unwrap_or_default();
    let text = said.error_message.or(said.error).unwrap_or_else(|| event.text().to_owned());
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    Some(Failure { agent, capability, text: line.chars().take(MISTAKE_MAX_CHARS).collect() })
}

/// What two texts have in common that tell of the same mistake: numbers, ids and case do not count.
fn alike(text: &str) -> String {
    let word = |word: &str| {
        if word.chars().any(|c| c.is_ascii_digit()) { "#".to_owned() } else { word.to_lowercase() }
    };
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
    words.map(word).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::alike;

    #[test]
    fn numbers_ids_case_and_punctuation_make_no_other_mistake() {
        assert_eq!(alike("Timeout after 30s (job 17)"), alike("timeout after 45s, job a1b2"));
        assert_ne!(alike("Timeout after 30s"), alike("refused after 30s"));
        assert_eq!(alike("Zeitüberschreitung: 1"), alike("zeitüberschreitung 2"));
    }
}
