//! Old events moved to the archive: where the boundary lies, and the two texts that come of it.

use std::collections::{HashMap, HashSet};

use super::changelog::{Changelog, Entry, Generation, Part, event_id};
use super::graph_file::Graph;
use super::lines::{is_rule, newline};
use super::narrative::{is_open, unanswered};
use super::write::{gap, one_line};

/// An archive is due when there are more events than this.
pub const DUE_ABOVE_EVENTS: usize = 50;
/// Events that always stay.
pub const STAY_MIN_EVENTS: usize = 20;
/// The names an archive may have; the first is the one we write.
pub const FILE_NAMES: [&str; 2] = ["CHANGELOG-archive.md", "changelog-archive.md"];

const TITLE: &str = "# Changelog Archive";

/// What archiving does to the files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Archived {
    /// The changelog without the events that moved, and with a comment about them.
    pub changelog: String,
    /// What is added to the archive: the marker and the events as they were.
    pub batch: String,
    /// The first event that moved.
    pub first: u64,
    /// The last event that moved.
    pub last: u64,
    /// How many moved.
    pub count: usize,
}

/// Whether a log is long enough to be archived.
pub fn is_due(log: &Changelog) -> bool {
    log.entries().iter().filter(|entry| entry.generation == Generation::Two).count() > DUE_ABOVE_EVENTS
}

/// The numbers of the events that something open leads to: the last event of open nodes, the events of open blockers and
/// tasks with those they refer to, and escalations nobody answered. What only made a node does not count.
fn referenced(log: &Changelog, graph: &Graph) -> HashSet<u64> {
    let by_number: HashMap<u64, &Entry> = log.entries().iter().filter_map(|e| Some((e.number?, e))).collect();
    let open: HashMap<&str, bool> =
        graph.nodes.iter().filter(|node| is_open(node)).map(|n| (n.name.as_str(), n.kind == "task")).collect();
    let mut kept: HashSet<u64> = graph.nodes.iter().filter(|node| is_open(node)).filter_map(|node| node.last).collect();
    let tasks = graph.nodes.iter().filter(|node| open.get(node.name.as_str()) == Some(&true)).filter_map(|n| n.last);
    let blocks = graph.edges.iter().filter(|edge| edge.relation == "blocks" && open.contains_key(edge.to.as_str()));
    for number in tasks.chain(blocks.filter_map(|edge| edge.created)) {
        kept.insert(number);
        kept.extend(by_number.get(&number).into_iter().flat_map(|entry| entry.refs.iter().copied()));
    }
    kept.extend(unanswered(&log.entries().iter().collect::<Vec<_>>()).into_iter().filter_map(|entry| entry.number));
    kept
}

/// How many events from the beginning of the log are older than everything that stays.
fn boundary(log: &Changelog, graph: &Graph) -> usize {
    let kept = referenced(log, graph);
    let numbered: Vec<u64> = log.entries().iter().filter_map(|entry| entry.number).collect();
    let oldest = numbered.iter().position(|number| kept.contains(number)).unwrap_or(numbered.len());
    oldest.min(numbered.len().saturating_sub(STAY_MIN_EVENTS))
}

/// Moves all events before the boundary; `None` when there are none, or when what is left would read as something else,
/// as where events of both generations stand mixed. Events of generation one have no numbers and stay.
pub fn archive(log: &Changelog, graph: &Graph, day: &str, milestone: &str) -> Option<Archived> {
    let count = boundary(log, graph);
    let moved: Vec<usize> =
        log.entries().iter().enumerate().filter(|(_, e)| e.number.is_some()).map(|(at, _)| at).take(count).collect();
    let number = |at: Option<&usize>| log.entries().get(*at?)?.number;
    let (first, last) = (number(moved.first())?, number(moved.last())?);
    let (day, milestone) = (one_line(day), in_comment(milestone));
    let span = format!("{} through {}", event_id(first), event_id(last));
    let comment = format!("<!-- Archived: {span} moved to {} on {day} (milestone: {milestone}) -->", FILE_NAMES[0]);
    let newline = newline(log.text());
    let mut batch = format!(
        "---{newline}## Archive: {span} | Archived {day}{newline}\
         <!-- Archived at milestone: {milestone} -->{newline}---{newline}"
    );
    for at in &moved {
        let raw = log.entries().get(*at).map_or("", |entry| log.raw(entry));
        batch.push_str(&format!("{newline}{raw}{newline}"));
    }
    let moved: HashSet<usize> = moved.into_iter().collect();
    let changelog = without(log, &moved, &format!("{comment}{newline}{newline}"));
    let stay: Vec<&str> =
        log.entries().iter().enumerate().filter(|(at, _)| !moved.contains(at)).map(|(_, e)| log.raw(e)).collect();
    let read = Changelog::read(&changelog);
    let is_whole = stay == read.entries().iter().map(|entry| read.raw(entry)).collect::<Vec<_>>();
    is_whole.then_some(Archived { changelog, batch, first, last, count })
}

/// The archive with a batch behind what is there.
pub fn add_batch(archive: &str, batch: &str) -> String {
    if archive.trim().is_empty() {
        let newline = newline(batch);
        return format!("{TITLE}{newline}{newline}{batch}");
    }
    format!("{archive}{}{batch}", gap(archive, newline(archive)))
}

/// The changelog without the events that stand in the archive already, as after a move that was cut short; `None` when
/// there are none. Only what is the same to the letter goes.
pub fn without_archived(log: &Changelog, archive: &Changelog) -> Option<String> {
    let there: HashSet<String> = archive.entries().iter().map(|entry| plain(archive.raw(entry))).collect();
    let again: HashSet<usize> = log
        .entries()
        .iter()
        .enumerate()
        .filter(|(_, entry)| entry.number.is_some() && there.contains(&plain(log.raw(entry))))
        .map(|(at, _)| at)
        .collect();
    let mut numbers =
        log.entries().iter().enumerate().filter(|(at, _)| again.contains(at)).filter_map(|(_, e)| e.number);
    let first = numbers.next()?;
    let span = format!("{} through {}", event_id(first), event_id(numbers.next_back().unwrap_or(first)));
    let newline = newline(log.text());
    let comment = format!("<!-- Archived: {span} moved to {} -->{newline}{newline}", FILE_NAMES[0]);
    Some(without(log, &again, &comment))
}

/// A file without some of its events and what separates them from the next; the comment stands where the first was.
fn without(log: &Changelog, gone: &HashSet<usize>, comment: &str) -> String {
    let mut out = String::with_capacity(log.text().len());
    let mut comment = Some(comment);
    let mut dropped = false;
    for piece in log.pieces() {
        let raw = &log.text()[piece.range.clone()];
        match piece.part {
            Part::Event(at) if gone.contains(&at) => {
                out.push_str(comment.take().unwrap_or_default());
                dropped = true;
                continue;
            }
            Part::Text if dropped && is_separator(raw) => {}
            _ => out.push_str(raw),
        }
        dropped = false;
    }
    out
}

/// Whether a text only keeps events apart.
pub(super) fn is_separator(text: &str) -> bool {
    text.lines().all(|line| line.trim().is_empty() || is_rule(line))
}

fn plain(raw: &str) -> String {
    raw.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

/// A text that cannot end the comment it stands in.
fn in_comment(text: &str) -> String {
    one_line(&text.replace("--", "-").replace(['<', '>'], " "))
}

#[cfg(test)]
mod tests;
