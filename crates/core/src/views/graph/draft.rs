//! The part of the graph that one event touches, while its rules are carried out: each row is read once and put once.

use std::collections::BTreeMap;

use super::super::schema::{Change, Live, Value};
use super::rows::{Attributes, EDGES, ENTRIES, Edge, GraphEvent, NODES, Node, PLACES_AN_EVENT};
use super::words::{NodeStatus, NodeType, Relation};
use crate::limits;

type EdgeKey = (String, String, Relation);

/// A thing as it was before the event, and as it stands now.
struct Held<T> {
    before: Option<Vec<Value>>,
    now: Option<T>,
}

pub struct Draft<'a> {
    live: Live<'a>,
    event: &'a str,
    next_place: i64,
    nodes: BTreeMap<String, Held<Node>>,
    edges: BTreeMap<EdgeKey, Held<Edge>>,
    entries: BTreeMap<String, Held<GraphEvent>>,
}

impl<'a> Draft<'a> {
    pub fn new(event: &'a str, seq: u64, live: Live<'a>) -> Self {
        let next_place = i64::try_from(seq).unwrap_or(i64::MAX).saturating_mul(PLACES_AN_EVENT);
        let (nodes, edges, entries) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Self { live, event, next_place, nodes, edges, entries }
    }

    /// The id of the event.
    pub fn event(&self) -> &'a str {
        self.event
    }

    fn place(&mut self) -> i64 {
        self.next_place = self.next_place.saturating_add(1);
        self.next_place
    }

    /// A node that is there.
    pub fn find(&mut self, name: &str) -> Option<&mut Node> {
        if !self.nodes.contains_key(name) {
            let before = (self.live)(&NODES, &[name.into()]);
            let now = before.as_deref().map(Node::of);
            self.nodes.insert(name.to_owned(), Held { before, now });
        }
        self.nodes.get_mut(name)?.now.as_mut()
    }

    /// Whether there is such a node.
    pub fn knows(&mut self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// A node, made where it is not there.
    pub fn mention(&mut self, name: &str, kind: NodeType) -> &mut Node {
        let known = self.knows(name);
        let place = if known { 0 } else { self.place() };
        let (event, held) = (self.event, self.nodes.entry(name.to_owned()));
        let held = held.or_insert(Held { before: None, now: None });
        held.now.get_or_insert_with(|| Node {
            node: name.to_owned(),
            kind,
            status: NodeStatus::Active,
            created: Some(event.to_owned()),
            last: Some(event.to_owned()),
            attributes: Vec::new(),
            place,
            implied: true,
            tested: None,
            blocks: Vec::new(),
            blocked_by: Vec::new(),
            before: None,
        })
    }

    /// A node that the event concerns, made where it is not there.
    pub fn concern(&mut self, name: &str, kind: NodeType) -> &mut Node {
        let event = self.event;
        let node = self.mention(name, kind);
        node.last = Some(event.to_owned());
        node
    }

    /// A node of which the event says what it is. What was said before holds, what was only supposed does not.
    pub fn define(&mut self, name: &str, kind: NodeType, told: bool) -> &mut Node {
        let node = self.concern(name, kind);
        if node.implied || told {
            node.kind = kind;
        }
        node.implied = false;
        node
    }

    /// An edge, made where it is not there or no longer. Its ends are nodes from now on; a thing has none to itself.
    pub fn edge(&mut self, from: &str, to: &str, relation: Relation) -> Option<&mut Edge> {
        if from == to {
            return None;
        }
        self.mention(from, NodeType::Component);
        self.mention(to, NodeType::Component);
        if relation == Relation::Blocks {
            self.list_block(from, to);
        }
        let event = self.event;
        Some(self.put_edge(from, to, relation, Some(event.to_owned()), None))
    }

    /// An edge as a graph that is taken over has it.
    pub fn adopt_edge(&mut self, from: &str, to: &str, relation: Relation, created: Option<String>, said: Attributes) {
        self.mention(from, NodeType::Component);
        self.mention(to, NodeType::Component);
        if relation == Relation::Blocks {
            self.list_block(from, to);
        }
        let edge = self.put_edge(from, to, relation, created.clone(), Some(said));
        edge.created = created;
    }

    fn put_edge(
        &mut self,
        from: &str,
        to: &str,
        relation: Relation,
        created: Option<String>,
        said: Option<Attributes>,
    ) -> &mut Edge {
        let place = self.place();
        let held = self.held_edge(from, to, relation);
        let edge = held.now.get_or_insert_with(|| Edge {
            from: from.to_owned(),
            to: to.to_owned(),
            relation,
            created: created.clone(),
            attributes: Vec::new(),
            gone: false,
            removed: None,
            place,
        });
        if edge.gone {
            (edge.created, edge.gone, edge.removed, edge.place) = (created, false, None, place);
        }
        if let Some(said) = said {
            edge.attributes = said;
        }
        edge
    }

    fn held_edge(&mut self, from: &str, to: &str, relation: Relation) -> &mut Held<Edge> {
        let live = &mut self.live;
        self.edges.entry((from.to_owned(), to.to_owned(), relation)).or_insert_with(|| {
            let before = live(&EDGES, &[from.into(), to.into(), relation.word().into()]);
            let now = before.as_deref().map(Edge::of);
            Held { before, now }
        })
    }

    fn list_block(&mut self, from: &str, to: &str) {
        if let Some(node) = self.find(from).filter(|node| !node.blocks.iter().any(|other| other == to)) {
            node.blocks.push(to.to_owned());
        }
        if let Some(node) = self.find(to).filter(|node| !node.blocked_by.iter().any(|other| other == from)) {
            node.blocked_by.push(from.to_owned());
        }
    }

    /// Says that one node stands in another's way.
    pub fn block(&mut self, from: &str, to: &str) -> Option<&mut Edge> {
        self.edge(from, to, Relation::Blocks)?;
        self.concern(from, NodeType::Component);
        let node = self.concern(to, NodeType::Component);
        if node.status != NodeStatus::Deprecated {
            node.become_blocked();
        }
        self.edge(from, to, Relation::Blocks)
    }

    /// Says that one node no longer stands in another's way. Where nothing else does, the other stands as before.
    pub fn unblock(&mut self, from: &str, to: &str) {
        let event = self.event;
        let held = self.held_edge(from, to, Relation::Blocks);
        let Some(edge) = held.now.as_mut().filter(|edge| !edge.gone) else { return };
        (edge.gone, edge.removed) = (true, Some(event.to_owned()));
        if let Some(node) = self.find(from) {
            node.blocks.retain(|other| other != to);
            node.last = Some(event.to_owned());
        }
        if let Some(node) = self.find(to) {
            node.blocked_by.retain(|other| other != from);
            node.last = Some(event.to_owned());
            if node.blocked_by.is_empty() && node.status == NodeStatus::Blocked {
                node.status = node.before.take().unwrap_or(NodeStatus::Active);
            }
        }
    }

    /// An event of the changelog by its id.
    pub fn entry(&mut self, id: &str) -> Option<&mut GraphEvent> {
        let live = &mut self.live;
        let held = self.entries.entry(id.to_owned()).or_insert_with(|| {
            let before = live(&ENTRIES, &[id.into()]);
            let now = before.as_deref().map(GraphEvent::of);
            Held { before, now }
        });
        held.now.as_mut()
    }

    pub fn put_entry(&mut self, entry: GraphEvent) {
        self.entry(&entry.event);
        if let Some(held) = self.entries.get_mut(&entry.event) {
            held.now = Some(entry);
        }
    }

    /// What became different.
    pub fn changes(self) -> Vec<Change> {
        let differs = |before: Option<Vec<Value>>, row: Vec<Value>| (before.as_ref() != Some(&row)).then_some(row);
        let entries = self.entries.into_values().filter_map(|held| differs(held.before, held.now?.row()));
        let nodes = self.nodes.into_values().filter_map(|held| differs(held.before, held.now?.row()));
        let edges = self.edges.into_values().filter_map(|held| differs(held.before, held.now?.row()));
        let mut changes: Vec<Change> = entries.map(|row| Change::Put(&ENTRIES, row)).collect();
        changes.extend(nodes.map(|row| Change::Put(&NODES, row)));
        changes.extend(edges.map(|row| Change::Put(&EDGES, row)));
        changes
    }
}

impl Node {
    /// Gives an attribute a value. What is no short text stays in its event.
    pub(super) fn set(&mut self, name: &str, value: &str) {
        let fits = |text: &str| !text.is_empty() && text.chars().nth(limits::GRAPH_ATTRIBUTE_MAX_CHARS).is_none();
        if !fits(name) || !fits(value) {
            return;
        }
        let room = self.attributes.len() < limits::GRAPH_ATTRIBUTES_MAX;
        match self.attributes.iter_mut().find(|(own, _)| own == name) {
            Some((_, known)) => value.clone_into(known),
            None if room => self.attributes.push((name.to_owned(), value.to_owned())),
            None => {}
        }
    }

    /// Takes a status that was told. What stands in its way still does, unless it is over for the node anyway.
    pub(super) fn become_status(&mut self, told: NodeStatus) {
        match told {
            NodeStatus::Blocked => self.become_blocked(),
            NodeStatus::Active | NodeStatus::Planned if !self.blocked_by.is_empty() => {
                (self.status, self.before) = (NodeStatus::Blocked, Some(told));
            }
            told => (self.status, self.before) = (told, None),
        }
    }

    fn become_blocked(&mut self) {
        if self.status != NodeStatus::Blocked {
            (self.before, self.status) = (Some(self.status), NodeStatus::Blocked);
        }
    }
}
