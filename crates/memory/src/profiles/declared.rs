//! What was said of agents rather than counted: their preferences, and profiles that came from elsewhere.

use std::collections::BTreeMap;

use idetic_core::views::TIMELINE;
use idetic_core::words::{Persona, Trust};
use idetic_core::{Event, Record, Time};
use idetic_formats::amem::profile::{Edit, Profile};
use idetic_store::{Filter, Select};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::{Result, Space};

/// The kind of an event that sets preferences of an agent and takes some away.
const PREFERENCES: &str = "profile.preferences";
/// The kind of an event that holds a profile's file as it was found.
pub const IMPORTED: &str = "profile.imported";

/// What was said of one agent.
#[derive(Debug, Default)]
pub struct Declared {
    /// What it prefers: any JSON.
    pub preferences: Vec<(String, String)>,
    /// When that was last said.
    pub last: Option<Time>,
    /// The last profile that came from elsewhere, and the event that holds it.
    pub imported: Option<(u64, Profile)>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Said {
    agent: Option<String>,
    set: BTreeMap<String, Box<RawValue>>,
    unset: Vec<String>,
    /// What a person did to the file, where it was one that was written from the log.
    edit: Option<Edit>,
}

/// What was said of every agent up to a seq, in the order of the log.
pub fn declared(space: &Space, horizon: u64) -> Result<BTreeMap<String, Declared>> {
    let mut seqs = Vec::new();
    for kind in [PREFERENCES, IMPORTED] {
        seqs.extend(space.seqs(&Select::from(&TIMELINE, horizon).filter(Filter::Is("kind", kind.into())))?);
    }
    let mut all: BTreeMap<String, Declared> = BTreeMap::new();
    // Who set a preference last, and is trusted how far: what is trusted less changes nothing.
    let mut set_by: BTreeMap<(String, String), Trust> = BTreeMap::new();
    for event in space.events_by_seq(&seqs)? {
        let Some((agent, said)) = said(&event) else { continue };
        let declared = all.entry(agent.clone()).or_default();
        // One list of preferences, whoever adds to it.
        let mut preferred = Profile { preferences: std::mem::take(&mut declared.preferences), ..Profile::default() };
        if event.header.kind == PREFERENCES {
            let unset = said.unset.iter().map(|key| (key, None));
            for (key, value) in unset.chain(said.set.iter().map(|(key, value)| (key, Some(value.get())))) {
                let before = set_by.entry((agent.clone(), key.clone())).or_insert(Trust::External);
                if event.trust().may_change(*before) {
                    *before = event.trust();
                    preferred.prefer(key, value);
                }
            }
            declared.last = declared.last.max(Some(event.ts()));
        } else {
            let text = event.fields.as_ref().and_then(|fields| fields.content.as_deref()).unwrap_or_default();
            if let Ok((mut profile, ..)) = Profile::read(&agent, text) {
                // The preferences of an edit are an event of their own.
                for (key, value) in profile.preferences.iter().filter(|_| said.edit.is_none()) {
                    let before = set_by.entry((agent.clone(), key.clone())).or_insert(Trust::External);
                    if event.trust().may_change(*before) {
                        preferred.prefer(key, Some(value));
                    }
                }
                if let Some(edit) = &said.edit {
                    profile = profile.stated_after(&declared.imported.take().unwrap_or_default().1, edit);
                }
                declared.imported = Some((event.seq(), profile));
            }
        }
        declared.preferences = preferred.preferences;
    }
    Ok(all)
}

/// Whom an event is about and what it says. An agent speaks for itself alone, and its other side not at all.
fn said(event: &Event) -> Option<(String, Said)> {
    let fields = event.fields.as_ref().filter(|fields| fields.persona != Some(Persona::Subconscious))?;
    let metadata = fields.metadata.as_ref()?;
    let said: Said = serde_json::from_str(metadata.get()).ok()?;
    let agent = said.agent.clone().or_else(|| fields.agent_id.clone()).filter(|agent| !agent.is_empty())?;
    let is_its_own = fields.agent_id.as_ref().is_none_or(|own| *own == agent);
    is_its_own.then_some((agent, said))
}

/// The record that changes preferences: those with a value are set, the others taken away.
pub fn preferences_record(agent: &str, changes: &BTreeMap<String, Option<String>>) -> Result<Record> {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let set = changes.iter().filter_map(|(key, value)| Some(format!("{}:{}", quoted(key), value.as_ref()?)));
    let unset = changes.iter().filter(|(_, value)| value.is_none()).map(|(key, _)| quoted(key));
    let (set, unset): (Vec<String>, Vec<String>) = (set.collect(), unset.collect());
    let body = format!(
        r#"{{"kind":"{PREFERENCES}","metadata":{{"agent":{},"set":{{{}}},"unset":[{}]}}}}"#,
        quoted(agent),
        set.join(","),
        unset.join(",")
    );
    Ok(Record::parse(body.as_bytes())?)
}
