//! What a memory said before and says now: an update is a new event that supersedes the old one, which stays in the log.

use std::sync::Arc;

use idetic_core::views::TIMELINE;
use idetic_core::words::Trust;
use idetic_core::{Event, Fields, Record, Time};
use idetic_search::filter::Condition;
use idetic_store::{Conflict, Filter, Select};
use serde_json::{Map, Value, json};

use crate::scope::lane_of;
use crate::viewpoint::Viewpoint;
use crate::{Cause, Error, EventNumber, Kind, Result, Scope, Space};

/// Most versions of one memory that are followed.
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
    /// Who says so, where there is a new text; without one nobody is named.
    pub author: Option<String>,
    /// Whether a person at the keyboard says so.
    pub is_persons: bool,
    /// Keys of the metadata; null takes one away.
    pub metadata: Option<Map<String, Value>>,
    /// All tags.
    pub tags: Option<Vec<String>>,
    /// Until when it is kept; none for ever.
    pub expires: Option<Option<Time>>,
    /// Whether who says so may forget the memory: then its content goes when its time has come.
    pub may_forget: bool,
}

impl Viewpoint {
    /// Gives a memory a new version. The old one is found in its history alone.
    pub fn update(&self, name: &str, change: &Change) -> Result<(EventNumber, String)> {
        loop {
            let horizon = self.horizon(None)?;
            let event = match self.get(name, horizon) {
                // A note is known by an id of its own.
                Err(error)
                    if error.kind == Kind::NotFound && change.expires.is_some() && self.scope == Scope::Owner =>
                {
                    let note = self.space().note(name, horizon)?.filter(|note| !note.deleted).ok_or(error)?;
                    self.get(&note.event, horizon)?
                }
                event => event?,
            };
            let id = event.header.id.clone();
            let is_kept_only = change.text.is_none() && change.metadata.is_none() && change.tags.is_none();
            if let (Some(until), true) = (change.expires, is_kept_only) {
                return self.keep_event_until(event, until, change.may_forget, horizon);
            }
            if let Some((_, how)) = ELSEWHERE.iter().find(|(kinds, _)| event.header.kind.starts_with(kinds)) {
                return Err(Error::invalid(format!("'{id}' is a {}", event.header.kind)).hint(*how));
            }
            let Some(fields) = &event.fields else {
                return Err(Error::not_found(format!("the content of '{id}' was erased")).hint("remember it anew"));
            };
            let (agent, persona) = lane_of(fields);
            self.check_own("the memory", agent, persona)?;
            if let Some(newer) = self.versions(&event, horizon)?.pop().filter(|newest| newest.seq() != event.seq()) {
                return Err(Error::new(Kind::Conflict, format!("'{id}' was updated before"))
                    .hint(format!("update its newest version, '{}'", newer.header.id)));
            }
            if let Some(until) = change.expires {
                self.keep_event_until(event, until, change.may_forget, horizon)?;
                return self.update(&id, &Change { expires: None, ..change.clone() });
            }
            let record = Record::parse(body(&event, fields, change).to_string().as_bytes())?;
            // Two updates at once are two versions after each other, or a conflict.
            let expect = if matches!(self.scope, Scope::View(..)) { self.count(horizon)? } else { horizon };
            match self.submit(vec![record], Some(expect)) {
                Err(Error { cause: Cause::Conflict(Conflict::Moved { .. }), .. }) => {}
                acks => {
                    return acks?.into_iter().next().ok_or_else(|| Error::unavailable("nothing was appended"));
                }
            }
        }
    }

    /// All versions of a memory that this reader can see, the oldest first.
    pub fn versions(&self, event: &Event, horizon: u64) -> Result<Vec<Event>> {
        let (mut versions, mut at) = (self.space().with_earlier_versions(event.clone(), horizon)?, 0);
        while at < versions.len() && versions.len() < VERSIONS_MAX {
            for later in self.superseding(&versions[at], horizon)? {
                if !versions.iter().any(|known| known.seq() == later.seq()) {
                    versions.push(later);
                }
            }
            at += 1;
        }
        versions.sort_by_key(Event::seq);
        versions.retain(|version| self.scope == Scope::Owner || self.sees_event(version));
        Ok(versions)
    }

    /// The events that supersede one.
    fn superseding(&self, event: &Event, horizon: u64) -> Result<Vec<Event>> {
        let said = json!({"metadata.supersedes": event.header.id});
        let later = Arc::new(Condition::parse(&said, self.space().now())?);
        let select = Select::from(&TIMELINE, horizon).filter(Filter::Matches("born", later));
        let mut later = self.space().events(&self.seqs(&select)?)?;
        later.retain(|later| supersedes(later, event));
        Ok(later)
    }
}

impl Space {
    /// A memory and its versions before that, in no order.
    pub(crate) fn with_earlier_versions(&self, event: Event, horizon: u64) -> Result<Vec<Event>> {
        let (mut versions, mut at) = (vec![event], 0);
        while at < versions.len() && versions.len() < VERSIONS_MAX {
            for id in superseded(&versions[at]) {
                let named = Select::from(&TIMELINE, horizon).filter(Filter::Is("id", id.as_str().into()));
                for before in self.events(&self.seqs(&named)?)? {
                    let is_known = versions.iter().any(|known| known.seq() == before.seq());
                    if !is_known && supersedes(&versions[at], &before) {
                        versions.push(before);
                    }
                }
            }
            at += 1;
        }
        Ok(versions)
    }
}

/// Whether an event is a later version of another: it says so, in the same lane, and is trusted as much.
pub(crate) fn supersedes(later: &Event, earlier: &Event) -> bool {
    let lanes = later.fields.as_ref().map(lane_of).zip(earlier.fields.as_ref().map(lane_of));
    later.seq() > earlier.seq()
        && lanes.is_some_and(|(later, earlier)| later == earlier)
        && later.trust().may_change(earlier.trust())
        && superseded(later).contains(&earlier.header.id)
}

/// The ids that an event says it supersedes.
fn superseded(event: &Event) -> Vec<String> {
    match &event.metadata()["supersedes"] {
        Value::String(id) => vec![id.clone()],
        Value::Array(ids) => ids.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}

/// The record of a new version.
fn body(event: &Event, fields: &Fields, change: &Change) -> Value {
    let (id, kind) = (event.header.id.as_str(), event.header.kind.as_str());
    let mut metadata: Map<String, Value> =
        fields.metadata.as_ref().and_then(|said| serde_json::from_str(said.get()).ok()).unwrap_or_default();
    for (key, value) in change.metadata.iter().flatten() {
        match value {
            Value::Null => metadata.remove(key),
            value => metadata.insert(key.clone(), value.clone()),
        };
    }
    metadata.insert("supersedes".to_owned(), id.into());
    let said_before = change.text.is_none();
    // What is derived is trusted as its causes are.
    let is_persons = change.is_persons && fields.causes.is_empty();
    // A summary of the old text says nothing of the new one.
    let summary = fields.summary.as_deref().filter(|_| said_before);
    let text = change.text.as_deref().or(fields.content.as_deref());
    let texts = [
        ("kind", Some(kind)),
        ("content", text),
        ("summary", summary),
        ("agent_id", fields.agent_id.as_deref()),
        ("persona", fields.persona.map(|persona| persona.word())),
        ("visibility", fields.visibility.map(|visibility| visibility.word())),
        ("author", if said_before { fields.author.as_deref() } else { change.author.as_deref() }),
        ("source", fields.source.as_deref()),
        ("conversation_id", fields.conversation_id.as_deref()),
        ("scope", fields.scope.as_deref()),
        ("status", fields.status.map(|status| status.word())),
        ("trace_id", fields.trace_id.as_deref()),
        ("loop_id", fields.loop_id.as_deref()),
        // Words that stay are trusted as they were, and come from where they came from; new ones are the writer's.
        ("trust", if said_before { Some(event.trust().word()) } else { is_persons.then_some(Trust::User.word()) }),
        ("origin", Some(event.origin()).filter(|_| said_before && fields.origin.is_some())),
    ];
    let mut body: Map<String, Value> =
        texts.into_iter().filter_map(|(key, text)| Some((key.to_owned(), text?.into()))).collect();
    let tags = change.tags.clone().unwrap_or_else(|| fields.tags.clone());
    for (key, list) in [("tags", tags), ("refs", fields.refs.clone()), ("causes", fields.causes.clone())] {
        if !list.is_empty() {
            body.insert(key.to_owned(), list.into());
        }
    }
    body.insert("metadata".to_owned(), metadata.into());
    body.into()
}
