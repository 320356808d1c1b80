//! Facts as edges of the graph: from what a fact is about to what it says of it.

use std::collections::HashSet;

use idetic_core::Time;
use idetic_core::views::FACTS;
use idetic_core::views::FactRow;
use idetic_core::views::graph::{Edge, Node, NodeStatus, NodeType, Relation};
use idetic_store::{Filter, Select};

use super::ROWS_MAX;
use crate::{Result, Space};

/// Adds the facts that stand as of a seq, are true at a moment, and whose parts are known. Those that an agent keeps to
/// itself, and private ones, are not shown here.
pub(super) fn add(
    space: &Space,
    at: u64,
    moment: Time,
    nodes: &mut Vec<(u64, Node)>,
    edges: &mut Vec<Edge>,
) -> Result<()> {
    let select = Select::from(&FACTS, at)
        .filter(Filter::Is("agent", "".into()))
        .filter(Filter::Is("private", 0_i64.into()))
        .filter(Filter::Is("deleted", 0_i64.into()));
    let rows = space.select(&Select { limit: Some(ROWS_MAX), ..select })?;
    let mut known: HashSet<String> = nodes.iter().map(|(_, node)| node.node.clone()).collect();
    for row in rows.iter().map(|row| FactRow::of(&row.values)) {
        if row.subject.is_empty() || row.attribute.is_empty() || row.value.is_empty() || !row.holds_at(moment.0) {
            continue;
        }
        for name in [&row.subject, &row.value] {
            if known.insert(name.clone()) {
                nodes.push((row.seq, entity(name, &row, nodes.len())));
            }
        }
        edges.push(Edge {
            from: row.subject.clone(),
            to: row.value.clone(),
            relation: Relation::States,
            created: Some(row.fact.clone()),
            attributes: vec![("attribute".to_owned(), row.attribute.clone())],
            gone: false,
            removed: None,
            place: i64::MAX,
        });
    }
    Ok(())
}

fn entity(name: &str, row: &FactRow, place: usize) -> Node {
    Node {
        node: name.to_owned(),
        kind: NodeType::Entity,
        status: NodeStatus::Active,
        created: Some(row.fact.clone()),
        last: Some(row.event.clone()),
        attributes: Vec::new(),
        place: i64::try_from(place).unwrap_or(i64::MAX),
        implied: false,
        tested: None,
        blocks: Vec::new(),
        blocked_by: Vec::new(),
        before: None,
    }
}
