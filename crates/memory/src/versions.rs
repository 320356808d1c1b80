//! What a memory said before and says now: an update is a new event that supersedes the old one, which stays in the log.

use std::collections::HashSet;
use std::sync::Arc;

use idetic_core::views::TIMELINE;
use idetic_core::{Event, Fields, Record};
use idetic_search::filter::Condition;
use idetic_store::{Filter, Select};
use serde_json::{Map, Value, json};

use crate::viewpoint::Viewpoint;
use crate::{Error, EventNumber, Kind, Result, Scope, Space};

/// Most versions that are followed in either direction.
const VERSIONS_MAX: usize = 1000;
/// Kinds with updates of their own, and the operation that makes them.
const ELSEWHERE: [(&str, &str); 4] = [
    ("fact.", "update a fact with `idetic fact update`"),
    ("note.", "update a note with `idetic note edit`"),
    ("episode.", "delete the episode and store it anew"),
    ("conversation.", "add to the conversation instead"),
];

/// What an update changes; what is not said stays.
#[derive(Debug, Clone, Default)]
pub struct Change {
    /// The text.
    pub text: Option<String>,
    /// Keys of the metadata; null takes one away.
    pub metadata: Option<Map<String, Value>>,
    /// All tags.
    pub tags: Option<Vec<String>>,
}

impl Viewpoint {
    /// Gives a memory a new version. The old one is found in its history alone.
    pub fn update(&self, name: &str, change: Change) -> Result<(EventNumber, String)> {
        let horizon = self.horizon(None)?;
        let event = self.get(name, horizon)?;
        let id = event.header.id.clone();
        if let Some((_, how)) = ELSEWHERE.iter().find(|(kinds, _)| event.header.kind.starts_with(kinds)) {
            return Err(Error::invalid(format!("'{id}' is a {}", event.header.kind)).hint(*how));
        }
        if let Some(newer) = self.versions(&event, horizon)?.pop().filter(|newest| newest.header.id != id) {
            return Err(Error::new(Kind::Conflict, format!("'{id}' was updated before"))
                .hint(format!("update its newest version, '{}'", newer.header.id)));
        }
        let Some(fields) = &event.fields else {
            return Err(Error::not_found(format!("the content of '{id}' was erased")).hint("remember it anew"));
        };
        let body = body(&id, &event.header.kind, fields, change);
        let acks = self.submit(vec![Record::parse(body.to_string().as_bytes())?], None)?;
        acks.into_iter().next().ok_or_else(|| Error::unavailable("nothing was appended"))
    }

    /// All versions of a memory that this reader can see, the oldest first.
    pub fn versions(&self, event: &Event, horizon: u64) -> Result<Vec<Event>> {
        let mut versions = self.space().versions(event, horizon)?;
        versions.retain(|version| self.scope == Scope::Owner || self.sees_event(version));
        Ok(versions)
    }
}

impl Space {
    /// All versions of a memory, the oldest first.
    pub(crate) fn versions(&self, event: &Event, horizon: u64) -> Result<Vec<Event>> {
        let mut seen = HashSet::from([event.seq()]);
        let mut versions = vec![event.clone()];
        while versions.len() < VERSIONS_MAX {
            let Some(before) = versions[0].fields.as_ref().and_then(superseded) else { break };
            match self.by_id(&before, horizon) {
                Ok(before) if seen.insert(before.seq()) => versions.insert(0, before),
                Err(error) if !matches!(error.kind, Kind::NotFound | Kind::Invalid) => return Err(error),
                _ => break,
            }
        }
        while let Some(newest) = versions.last().filter(|_| versions.len() < VERSIONS_MAX) {
            let said = json!({"metadata.supersedes": newest.header.id});
            let later = Arc::new(Condition::parse(&said, self.now())?);
            let select = Select::from(&TIMELINE, horizon).filter(Filter::Matches("born", later));
            let later = self.seqs(&Select { newest_first: true, limit: Some(1), ..select })?;
            match self.events(&later)?.pop() {
                Some(later) if seen.insert(later.seq()) => versions.push(later),
                _ => break,
            }
        }
        Ok(versions)
    }
}

/// The one event that another supersedes.
fn superseded(fields: &Fields) -> Option<String> {
    let metadata: Value = serde_json::from_str(fields.metadata.as_ref()?.get()).ok()?;
    metadata["supersedes"].as_str().map(str::to_owned)
}

/// The record of a new version.
fn body(id: &str, kind: &str, fields: &Fields, change: Change) -> Value {
    let mut metadata: Map<String, Value> =
        fields.metadata.as_ref().and_then(|said| serde_json::from_str(said.get()).ok()).unwrap_or_default();
    for (key, value) in change.metadata.unwrap_or_default() {
        match value {
            Value::Null => metadata.remove(&key),
            value => metadata.insert(key, value),
        };
    }
    metadata.insert("supersedes".to_owned(), id.into());
    // A summary of the old text says nothing of the new one.
    let summary = fields.summary.as_deref().filter(|_| change.text.is_none());
    let text = change.text.as_deref().or(fields.content.as_deref());
    let texts = [
        ("kind", Some(kind)),
        ("content", text),
        ("summary", summary),
        ("agent_id", fields.agent_id.as_deref()),
        ("persona", fields.persona.map(|persona| persona.word())),
        ("visibility", fields.visibility.map(|visibility| visibility.word())),
        ("author", fields.author.as_deref()),
        ("source", fields.source.as_deref()),
        ("conversation_id", fields.conversation_id.as_deref()),
        ("scope", fields.scope.as_deref()),
        ("trust", fields.trust.map(|trust| trust.word())),
    ];
    let mut body: Map<String, Value> =
        texts.into_iter().filter_map(|(key, text)| Some((key.to_owned(), text?.into()))).collect();
    let tags = change.tags.unwrap_or_else(|| fields.tags.clone());
    for (key, list) in [("tags", tags), ("refs", fields.refs.clone()), ("causes", fields.causes.clone())] {
        if !list.is_empty() {
            body.insert(key.to_owned(), list.into());
        }
    }
    body.insert("metadata".to_owned(), metadata.into());
    body.into()
}
