//! What graph and narrative are made of, as far as it was told: kept from one time to the next, so that what is new is all
//! that has to be told.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use idetic_core::views::graph::{ADOPTED, Replay};
use idetic_core::{Fields, Hash, Time};
use idetic_formats::markdown::changelog::event_number;
use idetic_formats::markdown::narrative::{names_both, needed};
use idetic_formats::markdown::{Changelog, Edge, Entry, Generation, Graph, Node, TaskState, narrate};
use idetic_memory::Result;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::adopt::Base;
use super::derived::Derived;
use super::records::record;
use super::state;
use super::story::Told;

pub(super) const KEPT: &str = "graph.json";
/// Which rules graph and narrative follow; with other ones everything is told again.
pub(super) const RULES: u32 = 3;

/// What was told so far.
#[derive(Default)]
pub(super) struct Drawn {
    /// What it is made of: a hash over the graph it began with and the events.
    pub of: String,
    /// How many events that is.
    pub events: usize,
    /// The number up to which the graph it began with shows what happened.
    reflected: u64,
    replay: Replay,
    /// Events that touched no node and no edge, of those that were told since it was begun or read.
    pub unplaced: Vec<Entry>,
    /// The events that the narrative may still speak of, oldest first.
    entries: Vec<Entry>,
    /// The numbers of the events that the graph names, by their ids.
    numbers: BTreeMap<String, u64>,
    /// The days of these.
    days: BTreeMap<u64, String>,
}

/// The same as it is written down.
#[derive(Serialize, Deserialize)]
struct Kept {
    #[serde(default)]
    rules: u32,
    of: String,
    events: usize,
    reflected: u64,
    graph: serde_json::Value,
    blocks: Vec<(Option<u64>, Vec<u64>, String)>,
    numbers: BTreeMap<String, u64>,
    days: BTreeMap<u64, String>,
}

impl Drawn {
    /// Before the first event.
    pub fn begin(base: Option<&Base>, id_of: &dyn Fn(u64) -> String) -> Result<Self> {
        let mut drawn = Self { of: made_of(&[], base), reflected: base.map_or(0, Base::horizon), ..Self::default() };
        for said in base.map(|base| base.rows(id_of)).unwrap_or_default() {
            let fields = Fields::read(&json!({"kind": ADOPTED, "metadata": said}).to_string())?;
            drawn.replay.tell(ADOPTED, ADOPTED, Time(0), &fields);
        }
        Ok(drawn)
    }

    /// Takes the next event. Those it refers to are named by their ids.
    pub fn tell(&mut self, told: &Told, id_of: &dyn Fn(u64) -> String) -> Result<()> {
        let is_shown = told.number.is_some_and(|number| number <= self.reflected);
        let refs: Vec<String> = told.entry.refs.iter().map(|number| id_of(*number)).collect();
        let record = record(&told.entry, "", &told.id, "", &refs, is_shown)?;
        let fields = Fields::read(&record.body)?;
        let is_placed = self.replay.tell(&told.id, &record.claim.kind, told.entry.time, &fields);
        let is_about_something =
            !["escalation", "archive", "session", "handoff", "blocker"].contains(&told.entry.kind.as_str());
        if !is_placed && !is_shown && is_about_something && !told.entry.is_private() {
            self.unplaced.push(told.entry.clone().into_owned());
        }
        self.of = behind(&self.of, told);
        self.events += 1;
        if let Some(number) = told.number {
            self.numbers.insert(told.id.clone(), number);
            self.days.insert(number, told.entry.time.day());
        }
        self.entries.push(told.entry.clone().into_owned());
        Ok(())
    }

    /// Graph and narrative.
    pub fn derived(&self) -> Derived {
        let number = |id: &Option<String>| {
            let id = id.as_deref()?;
            self.numbers.get(id).copied().or_else(|| event_number(id))
        };
        let nodes = self.replay.nodes().into_iter().map(|row| Node {
            created: number(&row.created),
            last: number(&row.last),
            name: row.node,
            kind: row.kind.word().to_owned(),
            status: row.status.word().to_owned(),
            attributes: row.attributes,
            line: 0,
        });
        let edges = self.replay.edges().into_iter().map(|row| Edge {
            created: number(&row.created),
            from: row.from,
            to: row.to,
            relation: row.relation.word().to_owned(),
            attributes: row.attributes,
            line: 0,
        });
        let last = self.entries.last();
        let graph = Graph {
            nodes: nodes.collect(),
            edges: edges.collect(),
            updated: last.map(Entry::when),
            horizon: last.and_then(|entry| entry.number),
        };
        let narrative = narrate(&graph, &self.entries.iter().collect::<Vec<_>>());
        let layout = last.map_or(Generation::Two, |entry| entry.generation);
        Derived { graph, narrative, layout }
    }

    /// How the tasks of a graph stand.
    pub fn tasks(&self, graph: &Graph) -> Vec<TaskState> {
        let tasks = graph.nodes.iter().filter(|node| node.kind == "task").map(|node| TaskState {
            name: node.name.clone(),
            status: node.status.clone(),
            text: node.attribute("title").or_else(|| node.attribute("purpose")).unwrap_or_default().to_owned(),
            event: node.last,
            day: node.last.and_then(|number| self.days.get(&number).cloned()),
        });
        tasks.collect()
    }

    /// Writes it down: of the events only what may still be asked for.
    pub fn keep(&self, space: &Path) -> Result<()> {
        let (nodes, edges) = (self.replay.nodes(), self.replay.edges());
        let of_nodes = nodes.iter().flat_map(|node| [&node.created, &node.last]);
        let named: HashSet<&str> =
            of_nodes.chain(edges.iter().map(|edge| &edge.created)).filter_map(|id| id.as_deref()).collect();
        let numbers: BTreeMap<String, u64> =
            self.numbers.iter().filter(|(id, _)| named.contains(id.as_str())).map(|(id, n)| (id.clone(), *n)).collect();
        let asked: HashSet<u64> = numbers.values().copied().collect();
        let days = self.days.iter().filter(|(number, _)| asked.contains(number)).map(|(n, day)| (*n, day.clone()));
        let entries: Vec<&Entry> = self.entries.iter().collect();
        let block = |entry: &&Entry| (entry.number, entry.refs.clone(), block(entry));
        let kept = Kept {
            rules: RULES,
            of: self.of.clone(),
            events: self.events,
            reflected: self.reflected,
            graph: self.replay.save(),
            blocks: needed(&entries).iter().map(block).collect(),
            days: days.collect(),
            numbers,
        };
        state::save(space, KEPT, &kept)
    }

    /// What was written down.
    pub fn load(space: &Path) -> Option<Self> {
        let kept: Kept = state::load(space, KEPT).filter(|kept: &Kept| kept.rules == RULES)?;
        let entry = |(number, refs, block): (Option<u64>, Vec<u64>, String)| {
            let mut entry = Changelog::read(&block).entries().first()?.clone();
            (entry.number, entry.refs) = (number, refs);
            Some(entry)
        };
        Some(Self {
            of: kept.of,
            events: kept.events,
            reflected: kept.reflected,
            replay: Replay::load(kept.graph)?,
            unplaced: Vec::new(),
            entries: kept.blocks.into_iter().map(entry).collect::<Option<_>>()?,
            numbers: kept.numbers,
            days: kept.days,
        })
    }
}

/// A block that reads as the entry, as far as the narrative asks.
fn block(entry: &Entry) -> String {
    let when = entry.when();
    let tags = entry.tags.join(", ");
    if entry.generation == Generation::One {
        let sections: String =
            entry.sections.iter().map(|section| format!("\n### {}\n{}\n", section.name, section.text)).collect();
        let (kind, summary) = (&entry.kind, &entry.summary);
        return format!("## {when} — {summary}\n\n**Type:** {kind}\n**Scope:** x\n**Tags:** {tags}\n{sections}");
    }
    let both = if names_both(entry) { "\n**Details**:\n- blocked_entity: x\n- blocking_entity: x\n\n" } else { "" };
    format!(
        "### evt-1 | {when} | {} | {}\n\n**Scope**: x\n**Summary**: {}\n{both}**Tags**: {tags}\n",
        if entry.agent.is_empty() { "unknown" } else { entry.agent.as_str() },
        entry.kind,
        entry.summary
    )
}

/// What something is made of: the graph it begins with and the events, by what they say and their numbers.
pub(super) fn made_of(told: &[Told], base: Option<&Base>) -> String {
    let first = Hash::of(base.map_or("", |base| base.text.as_str()).as_bytes()).to_string();
    told.iter().fold(first, |of, told| behind(&of, told))
}

fn behind(of: &str, told: &Told) -> String {
    Hash::of(format!("{of} {} {:?}", told.id, told.number).as_bytes()).to_string()
}

impl Told<'_> {
    /// One that owns what it says.
    pub fn new(id: String, entry: Entry) -> Told<'static> {
        Told { id, number: entry.number, entry: Cow::Owned(entry) }
    }
}
