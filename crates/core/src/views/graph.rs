//! The graph: what the events of a changelog say there is and how it hangs together (specifications 003 and 004).
//!
//! A row is never taken away. What is deleted is `deprecated`, and an edge that a fix resolved is `gone`. Every thing that
//! an event names by a key is a node from then on, so an edge always has both its ends.

mod adopted;
mod details;
mod draft;
mod keys;
mod rows;
mod rules;
mod words;

use super::schema::{Change, Live, View};
use crate::words::Persona;
use crate::{Event, Fields, event, kind};
use details::Details;
use draft::Draft;
pub use rows::{Attributes, EDGES, ENTRIES, Edge, Entry, NODES, Node};
use rules::Rules;
pub use words::{NodeStatus, NodeType, Relation};

/// The kind of an event that takes over a graph made by hand.
pub const ADOPTED: &str = "graph.adopted";
/// The kind of an event that tells an event's number in a CHANGELOG.md.
pub const RENUMBERED: &str = "changelog.renumbered";

pub(super) const VIEW: View = View { name: "graph", version: 1, tables: &[&ENTRIES, &NODES, &EDGES], fold };

/// What an event of a changelog says: one of its kinds, with a Scope, fit to be seen by others.
pub fn changelog(event: &Event) -> Option<&Fields> {
    let fields = open(event)?;
    let has_scope = fields.scope.as_deref().is_some_and(|scope| !scope.trim().is_empty());
    (has_scope && kind::CHANGELOG_KINDS.contains(&event.header.kind.as_str())).then_some(fields)
}

/// What is said by others than a subconscious and not marked as private.
fn open(event: &Event) -> Option<&Fields> {
    let fields = event.fields.as_ref()?;
    (fields.persona != Some(Persona::Subconscious) && !event::is_private(&fields.tags)).then_some(fields)
}

fn fold(event: &Event, live: Live) -> Vec<Change> {
    let kind = event.header.kind.as_str();
    let is_ours = kind == ADOPTED || kind == RENUMBERED;
    let Some(fields) = (if is_ours { open(event) } else { changelog(event) }) else { return Vec::new() };
    let mut draft = Draft::new(&event.header.id, event.seq(), live);
    match kind {
        ADOPTED => adopted::adopt(fields, &mut draft),
        RENUMBERED => adopted::renumber(fields, &mut draft),
        _ => happened(event, fields, &mut draft),
    }
    draft.changes()
}

fn happened(event: &Event, fields: &Fields, draft: &mut Draft) {
    let (id, kind) = (event.header.id.as_str(), event.header.kind.as_str());
    let details = Details::of(fields);
    for earlier in fields.refs.iter().filter(|earlier| *earlier != id) {
        if let Some(entry) = draft.entry(earlier)
            && entry.kind == "escalation"
        {
            entry.answered.get_or_insert_with(|| id.to_owned());
        }
    }
    draft.put_entry(Entry {
        event: id.to_owned(),
        number: details.number,
        seq: i64::try_from(event.seq()).unwrap_or(i64::MAX),
        kind: kind.to_owned(),
        ts: event.ts().0,
        scope: fields.scope.clone().unwrap_or_default(),
        identity: details.identity.clone(),
        blocks: Vec::new(),
        answered: None,
    });
    Rules { draft, kind, fields, details: &details }.apply();
}

#[cfg(test)]
mod tests;
