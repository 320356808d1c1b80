//! Events that say how the graph stands, or what the number of an event is: a graph.md that somebody else made is taken
//! over as it is, and replay goes on from there.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::draft::Draft;
use super::rows::Attributes;
use super::words::{NodeStatus, NodeType, Relation};
use crate::Fields;

#[derive(Default, Deserialize)]
#[serde(default)]
struct Adopted {
    nodes: Vec<serde_json::Value>,
    edges: Vec<serde_json::Value>,
}

#[derive(Deserialize)]
struct AdoptedNode {
    name: String,
    #[serde(default)]
    r#type: String,
    #[serde(default)]
    status: String,
    created: Option<String>,
    last: Option<String>,
    #[serde(default)]
    attributes: Attributes,
}

#[derive(Deserialize)]
struct AdoptedEdge {
    from: String,
    to: String,
    #[serde(default)]
    relation: String,
    created: Option<String>,
    #[serde(default)]
    attributes: Attributes,
}

#[derive(Deserialize)]
struct Renumbered {
    event: String,
    to: Option<i64>,
    identity: Option<String>,
}

/// Takes nodes and edges over; words that are none of ours stay as attributes.
pub fn adopt(fields: &Fields, draft: &mut Draft) {
    let adopted: Adopted = read(fields).unwrap_or_default();
    for said in adopted.nodes.into_iter().filter_map(|value| serde_json::from_value::<AdoptedNode>(value).ok()) {
        if said.name.trim().is_empty() {
            continue;
        }
        let (kind, status) = (NodeType::of(&said.r#type), NodeStatus::of(&said.status));
        let node = draft.mention(said.name.trim(), NodeType::Component);
        (node.kind, node.status) = (kind.unwrap_or(NodeType::Component), status.unwrap_or(NodeStatus::Active));
        (node.created, node.last, node.attributes) = (said.created, said.last, said.attributes);
        (node.implied, node.before) = (false, None);
        keep_word(&mut node.attributes, "type", &said.r#type, kind.is_some());
        keep_word(&mut node.attributes, "status", &said.status, status.is_some());
    }
    for said in adopted.edges.into_iter().filter_map(|value| serde_json::from_value::<AdoptedEdge>(value).ok()) {
        let (from, to) = (said.from.trim(), said.to.trim());
        if from.is_empty() || to.is_empty() {
            continue;
        }
        let (relation, mut attributes) = (Relation::of(&said.relation), said.attributes);
        keep_word(&mut attributes, "relation", &said.relation, relation.is_some());
        draft.adopt_edge(from, to, relation.unwrap_or(Relation::RelatedTo), said.created, attributes);
    }
}

/// Gives an event its number, another one, or none: it is not in the file any more and to be written again.
pub fn renumber(fields: &Fields, draft: &mut Draft) {
    if let Some(Renumbered { event, to, identity }) = read(fields)
        && let Some(entry) = draft.entry(&event)
    {
        entry.number = to;
        entry.identity = identity.or_else(|| entry.identity.take().filter(|_| to.is_some()));
    }
}

fn keep_word(attributes: &mut Attributes, name: &str, word: &str, known: bool) {
    if !known && !word.trim().is_empty() {
        attributes.push((name.to_owned(), word.trim().to_owned()));
    }
}

fn read<T: DeserializeOwned>(fields: &Fields) -> Option<T> {
    serde_json::from_str(fields.metadata.as_ref()?.get()).ok()
}
