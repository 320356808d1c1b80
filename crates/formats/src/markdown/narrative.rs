//! The narrative: seven sections filled from the graph and the recent events, mechanically.

mod order;

use std::collections::{HashMap, HashSet};

use idetic_core::Time;

use super::changelog::{Entry, event_id, is_none};
use super::graph_file::{Edge, Graph, Node};
use super::lines::bullet;
use super::write::one_line;

/// How long an event is recent, counted back from the horizon.
pub const RECENT_HOURS: i64 = 48;
/// How many events are recent at least.
pub const RECENT_MIN_EVENTS: usize = 20;

const MICROS_AN_HOUR: i64 = 3_600_000_000;

/// A row of the sprint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// The task.
    pub name: String,
    /// How urgent it is; empty when not said.
    pub priority: String,
    /// Who does it; empty when not said.
    pub assignee: String,
    /// What it is at.
    pub status: String,
    /// What blocks it.
    pub blockers: Vec<String>,
}

/// What context.md says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Narrative {
    /// When: the time of the last event, as it is written.
    pub generated: Option<String>,
    /// The last event.
    pub horizon: Option<u64>,
    /// What it is all about.
    pub mission: Option<String>,
    /// Tasks that are worked on.
    pub sprint: Vec<Task>,
    /// Decisions that bind, newest first.
    pub constraints: Vec<String>,
    /// What is in the way.
    pub blockers: Vec<String>,
    /// What happened, newest first.
    pub recent: Vec<String>,
    /// What active components need.
    pub dependencies: Vec<String>,
    /// What to do next.
    pub actions: Vec<String>,
    /// Nodes that are active or blocked, for generation one and for a handoff.
    pub entities: Vec<String>,
}

/// Fills the sections from a graph and the events that are given, oldest first; the last of them is the horizon. Events
/// that are private leave no trace but the number of the horizon.
pub fn narrate(graph: &Graph, entries: &[&Entry]) -> Narrative {
    let horizon = entries.last();
    let visible: Vec<&Entry> = entries.iter().copied().filter(|entry| !entry.is_private()).collect();
    let recent = recent(&visible, horizon.map(|entry| entry.time));
    let nodes: HashMap<&str, &Node> = graph.nodes.iter().map(|node| (node.name.as_str(), node)).collect();
    let hidden: HashSet<u64> = entries.iter().filter(|e| e.is_private()).filter_map(|e| e.number).collect();
    let is_shown = |event: Option<u64>| event.is_none_or(|number| !hidden.contains(&number));
    let mission = visible.iter().rev().find(|entry| matches!(entry.kind.as_str(), "milestone" | "decision"));
    let blocks: Vec<&Edge> = graph
        .edges
        .iter()
        .filter(|edge| edge.relation == "blocks" && is_shown(edge.created))
        .filter(|edge| nodes.get(edge.to.as_str()).is_some_and(|node| is_open(node)))
        .collect();
    let mut blockers_of: HashMap<&str, Vec<String>> = HashMap::new();
    for edge in &blocks {
        blockers_of.entry(edge.to.as_str()).or_default().push(edge.from.clone());
    }
    let active = |node: &&Node| node.kind == "task" && node.status == "active" && is_shown(node.created);
    let mut tasks: Vec<&Node> = graph.nodes.iter().filter(active).collect();
    tasks.sort_by_key(|node| (node.created.unwrap_or(u64::MAX), node.name.clone()));
    let task = |node: &&Node| Task {
        name: node.name.clone(),
        priority: one_line(node.attribute("priority").unwrap_or_default()),
        assignee: one_line(node.attribute("assignee").unwrap_or_default()),
        status: node.status.clone(),
        blockers: blockers_of.get(node.name.as_str()).cloned().unwrap_or_default(),
    };
    let free: Vec<&Node> = tasks.iter().copied().filter(|n| !blockers_of.contains_key(n.name.as_str())).collect();
    let needs = graph.edges.iter().filter(|edge| {
        let is_active = |node: &&Node| node.kind == "component" && node.status == "active";
        edge.relation == "depends_on" && is_shown(edge.created) && nodes.get(edge.from.as_str()).is_some_and(is_active)
    });
    let open_nodes = graph.nodes.iter().filter(|node| is_open(node) && is_shown(node.created));
    let escalated = unanswered(&visible).into_iter().map(|entry| format!("{} (escalated)", told(entry)));
    let mut blockers: Vec<String> = blocks.iter().map(|edge| edge_line(edge, "blocks")).collect();
    blockers.extend(unresolved(&visible).into_iter().map(told));
    blockers.extend(escalated);
    let mut actions: Vec<String> = order::ordered(&free, &graph.edges).into_iter().map(action).collect();
    actions.extend(last_plan(&visible).map(next_steps).unwrap_or_default());
    Narrative {
        generated: horizon.map(|entry| entry.when()),
        horizon: horizon.and_then(|entry| entry.number),
        mission: mission.map(|entry| told(entry)),
        sprint: tasks.iter().map(task).collect(),
        constraints: recent.iter().rev().filter(|entry| entry.kind == "decision").map(|entry| told(entry)).collect(),
        blockers,
        recent: recent.iter().rev().map(|entry| format!("{} — {}", entry.when(), told(entry))).collect(),
        dependencies: needs.map(|edge| edge_line(edge, "depends on")).collect(),
        actions,
        entities: open_nodes.map(|node| node.name.clone()).collect(),
    }
}

/// Those of some events that a narrative of them may speak of, or one of them and later ones that do not happen earlier.
pub fn needed<'e>(entries: &[&'e Entry]) -> Vec<&'e Entry> {
    let visible: Vec<&Entry> = entries.iter().copied().filter(|entry| !entry.is_private()).collect();
    let mission = visible.iter().rev().find(|entry| matches!(entry.kind.as_str(), "milestone" | "decision"));
    let now = entries.last().map(|entry| entry.time);
    let mut kept: HashSet<*const Entry> = HashSet::new();
    let lists = [recent(&visible, now), last(&visible, RECENT_MIN_EVENTS), unanswered(&visible), unresolved(&visible)];
    let plan = last_plan(&visible);
    let single = mission.into_iter().chain(entries.last()).copied().chain(plan);
    kept.extend(lists.iter().flatten().copied().chain(single).map(std::ptr::from_ref));
    // An escalation or a blocker that stays must not look as if nobody had answered it.
    let is_open = |entry: &&&Entry| matches!(entry.kind.as_str(), "escalation" | "blocker");
    let escalated: HashSet<u64> = lists.iter().flatten().filter(is_open).filter_map(|e| e.number).collect();
    let answers = |entry: &&&Entry| entry.is_private() || entry.refs.iter().any(|number| escalated.contains(number));
    kept.extend(entries.iter().filter(answers).map(|entry| std::ptr::from_ref(*entry)));
    entries.iter().copied().filter(|entry| kept.contains(&std::ptr::from_ref(*entry))).collect()
}

fn last<'e>(entries: &[&'e Entry], count: usize) -> Vec<&'e Entry> {
    entries[entries.len().saturating_sub(count)..].to_vec()
}

impl Narrative {
    /// Lines that may be left out.
    pub(super) fn droppable(&self) -> usize {
        let lists = [&self.recent, &self.dependencies, &self.constraints, &self.actions, &self.blockers];
        lists.iter().map(|list| list.len()).sum::<usize>() + self.sprint.len()
    }

    /// The same without so many of those.
    pub(super) fn without(&self, mut dropped: usize) -> Self {
        let mut less = self.clone();
        let mut cut = |length: usize| {
            let gone = dropped.min(length);
            dropped -= gone;
            length - gone
        };
        less.recent.truncate(cut(self.recent.len()));
        less.dependencies.truncate(cut(self.dependencies.len()));
        less.constraints.truncate(cut(self.constraints.len()));
        less.sprint.truncate(cut(self.sprint.len()));
        less.actions.truncate(cut(self.actions.len()));
        less.blockers.truncate(cut(self.blockers.len()));
        less
    }
}

/// The events of the last 48 hours before the horizon or the last 20, whichever are more.
fn recent<'e>(visible: &[&'e Entry], now: Option<Time>) -> Vec<&'e Entry> {
    let since = now.map_or(i64::MAX, |now| now.0.saturating_sub(RECENT_HOURS * MICROS_AN_HOUR));
    let in_time = visible.iter().filter(|entry| entry.time.0 >= since).count();
    if in_time <= RECENT_MIN_EVENTS {
        return last(visible, RECENT_MIN_EVENTS);
    }
    visible.iter().copied().filter(|entry| entry.time.0 >= since).collect()
}

/// Escalations that no later event refers to.
pub(crate) fn unanswered<'e>(entries: &[&'e Entry]) -> Vec<&'e Entry> {
    let mut answered: HashSet<u64> = HashSet::new();
    let mut open = Vec::new();
    for entry in entries.iter().rev() {
        if entry.kind == "escalation" && entry.number.is_none_or(|number| !answered.contains(&number)) {
            open.push(*entry);
        }
        answered.extend(entry.refs.iter().filter(|number| Some(**number) != entry.number));
    }
    open.reverse();
    open
}

/// Blockers that do not say what blocks what, and that no later fix refers to: the graph has no edge for them.
pub(crate) fn unresolved<'e>(entries: &[&'e Entry]) -> Vec<&'e Entry> {
    let mut resolved: HashSet<u64> = HashSet::new();
    let mut open = Vec::new();
    for entry in entries.iter().rev() {
        let is_resolved = entry.number.is_some_and(|number| resolved.contains(&number));
        if entry.kind == "blocker" && !is_resolved && !names_both(entry) {
            open.push(*entry);
        }
        if entry.kind == "fix" {
            resolved.extend(entry.refs.iter());
        }
    }
    open.reverse();
    open
}

/// Whether a blocker says what is blocked and by what.
pub fn names_both(entry: &Entry) -> bool {
    let has =
        |names: &[&str]| names.iter().any(|name| entry.detail(name).is_some_and(|detail| !is_none(&detail.value)));
    has(&["blocked_entity", "blocked", "blocks", "entity"])
        && has(&["blocking_entity", "blocking", "blocked_by", "blocker"])
}

/// The last event that says what comes next.
fn last_plan<'e>(visible: &[&'e Entry]) -> Option<&'e Entry> {
    visible.iter().rev().copied().find(|entry| !next_steps(entry).is_empty())
}

/// What an event of generation one says comes next, a line each.
fn next_steps(entry: &Entry) -> Vec<String> {
    let section =
        entry.sections.iter().find(|section| section.name.trim_end_matches(':').eq_ignore_ascii_case("next steps"));
    let lines = section.iter().flat_map(|section| section.text.lines()).filter(|line| !line.trim().is_empty());
    let mut steps: Vec<String> = Vec::new();
    for line in lines {
        match bullet(line) {
            Some((_, text)) => steps.push(one_line(text)),
            None if steps.is_empty() => steps.push(one_line(line)),
            // A line that goes on where the last one stopped.
            None => steps.iter_mut().last().into_iter().for_each(|step| step.push_str(&format!(" {}", one_line(line)))),
        }
    }
    steps.retain(|step| !is_none(step));
    steps
}

/// Whether something is still going on there.
pub(crate) fn is_open(node: &Node) -> bool {
    matches!(node.status.as_str(), "active" | "blocked")
}

fn told(entry: &Entry) -> String {
    let summary = one_line(&entry.summary);
    entry.number.map_or_else(|| summary.clone(), |number| format!("{summary} — {}", event_id(number)))
}

fn edge_line(edge: &Edge, verb: &str) -> String {
    let said = format!("{} {verb} {}", edge.from, edge.to);
    edge.created.map_or_else(|| said.clone(), |number| format!("{said} — {}", event_id(number)))
}

fn action(node: &Node) -> String {
    let text = ["title", "description", "summary"].iter().find_map(|key| node.attribute(key));
    let said = text.map_or_else(|| node.name.clone(), |text| format!("{}: {}", node.name, one_line(text)));
    node.last.or(node.created).map_or_else(|| said.clone(), |number| format!("{said} — {}", event_id(number)))
}

#[cfg(test)]
mod tests;
