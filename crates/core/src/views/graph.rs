//! The graph: what the events of a changelog say there is and how it hangs together (specifications 003 and 004).
//!
//! A row is never taken away. What is deleted is `deprecated`, and an edge that a fix resolved is `gone`. Every thing that
//! an event names by a key is a node from then on, so an edge always has both its ends.

mod adopted;
mod details;
mod draft;
mod fallback;
mod keys;
mod replay;
mod rows;
mod rules;
mod words;

use super::schema::{Change, Live, View};
use crate::words::Persona;
use crate::{Event, Fields, Time, event, kind};
use details::Details;
use draft::Draft;
pub use replay::Replay;
pub use rows::{Attributes, EDGES, ENTRIES, Edge, GraphEvent, NODES, Node};
use rules::Rules;
pub use words::{NodeStatus, NodeType, Relation};

/// The kind of an event that takes over a graph made by hand.
pub const ADOPTED: &str = "graph.adopted";
/// The kind of an event that tells an event's number in a CHANGELOG.md.
pub const RENUMBERED: &str = "changelog.renumbered";

pub(super) const VIEW: View =
    View { name: "graph", version: 3, tables: &[&ENTRIES, &NODES, &EDGES], apart: None, fold };

/// What an event of a changelog says: one of its kinds, with a Scope, fit to be seen by others.
pub fn changelog(event: &Event) -> Option<&Fields> {
    event.fields.as_ref().filter(|fields| is_changelog(&event.header.kind, fields))
}

fn is_changelog(kind: &str, fields: &Fields) -> bool {
    let has_scope = fields.scope.as_deref().is_some_and(|scope| !scope.trim().is_empty());
    has_scope && kind::CHANGELOG_KINDS.contains(&kind) && open(fields).is_some()
}

/// What is said by others than a subconscious and not marked as private.
fn open(fields: &Fields) -> Option<&Fields> {
    (fields.persona != Some(Persona::Subconscious) && !event::is_private(&fields.tags)).then_some(fields)
}

fn fold(event: &Event, live: Live) -> Vec<Change> {
    let Some(fields) = &event.fields else { return Vec::new() };
    let (id, kind) = (event.header.id.as_str(), event.header.kind.as_str());
    Said { id, kind, seq: event.seq(), ts: event.ts(), fields }.fold(live)
}

/// What somebody said, wherever it stands.
struct Said<'a> {
    id: &'a str,
    kind: &'a str,
    seq: u64,
    ts: Time,
    fields: &'a Fields,
}

impl Said<'_> {
    fn fold(&self, live: Live) -> Vec<Change> {
        let is_ours = self.kind == ADOPTED || self.kind == RENUMBERED;
        let is_private = open(self.fields).is_none();
        let counts = if is_ours { !is_private } else { is_changelog(self.kind, self.fields) || self.is_hidden() };
        if !counts {
            return Vec::new();
        }
        let mut draft = Draft::new(self.id, self.seq, live);
        match self.kind {
            ADOPTED => adopted::adopt(self.fields, &mut draft),
            RENUMBERED => adopted::renumber(self.fields, &mut draft),
            _ => self.happened(is_private, &mut draft),
        }
        draft.changes()
    }

    /// What stands in a CHANGELOG.md though it is private: it has its number there, and says nothing to the graph.
    fn is_hidden(&self) -> bool {
        let is_entry = kind::CHANGELOG_KINDS.contains(&self.kind) && Details::of(self.fields).stands;
        is_entry && self.fields.persona != Some(Persona::Subconscious) && open(self.fields).is_none()
    }

    fn happened(&self, is_private: bool, draft: &mut Draft) {
        let Self { id, kind, fields, .. } = *self;
        let details = Details::of(fields);
        let refs = if is_private { &[][..] } else { &fields.refs[..] };
        for earlier in refs.iter().filter(|earlier| *earlier != id) {
            if let Some(entry) = draft.entry(earlier)
                && entry.kind == "escalation"
            {
                entry.answered.get_or_insert_with(|| id.to_owned());
            }
        }
        draft.put_entry(GraphEvent {
            event: id.to_owned(),
            number: details.number,
            seq: i64::try_from(self.seq).unwrap_or(i64::MAX),
            kind: kind.to_owned(),
            ts: self.ts.0,
            scope: fields.scope.clone().unwrap_or_default(),
            identity: details.identity.clone(),
            blocks: Vec::new(),
            answered: None,
        });
        if !is_private && !details.reflected {
            Rules { draft, kind, fields, details: &details }.apply();
        }
    }
}

#[cfg(test)]
mod tests;
