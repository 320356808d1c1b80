//! Tasks ticked, moved and added; every other line stays as it is, byte for byte.

use std::collections::HashMap;

use super::{Item, SectionKind, Todo, same_name};
use crate::markdown::changelog::event_id;
use crate::markdown::lines::newline;
use crate::markdown::write::one_line;

/// What the graph knows of a task.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskState {
    /// The node.
    pub name: String,
    /// What it is at: active, blocked, planned, completed; another leaves it where it is.
    pub status: String,
    /// What it is about, for a task that is not in the file yet.
    pub text: String,
    /// The last event that touched it.
    pub event: Option<u64>,
    /// The day of that event.
    pub day: Option<String>,
}

const TITLES: [(SectionKind, &str); 3] =
    [(SectionKind::InProgress, "In Progress"), (SectionKind::UpNext, "Up Next"), (SectionKind::Completed, "Completed")];

impl Todo {
    /// The file with the tasks where they belong. Names are compared without case and punctuation; of two lines with one
    /// name that in the right section is the task's, or else the first.
    pub fn update(&self, states: &[TaskState]) -> String {
        let once = self.moved(states);
        // Where code begins or ends between tasks, a line that moves may change what others are: such a file stays as it is.
        let is_stable = once == self.text || Self::read(&once).moved(states) == once;
        if is_stable { once } else { self.text.clone() }
    }

    fn moved(&self, states: &[TaskState]) -> String {
        let newline = newline(&self.text);
        let mut by_name: HashMap<String, Vec<&Item>> = HashMap::new();
        for item in self.items.iter().filter(|item| !item.is_placeholder()) {
            by_name.entry(same_name(&item.name)).or_default().push(item);
        }
        let mut cuts: Vec<(usize, usize, String)> = Vec::new();
        let mut arriving: Vec<(SectionKind, String)> = Vec::new();
        for state in states {
            let found = by_name.remove(&same_name(&state.name)).unwrap_or_default();
            let right = found.iter().find(|item| self.wanted(state, Some(item)) == Some(item.place));
            let item = right.or(found.first()).copied();
            let Some(place) = self.wanted(state, item) else {
                continue;
            };
            // Two branches that were joined may both have brought the line.
            let is_same =
                |other: &&&Item| item.is_some_and(|item| item.range != other.range && self.say_the_same(item, other));
            let others = found.iter().filter(is_same);
            cuts.extend(others.map(|other| (other.range.start, other.range.end, String::new())));
            match item {
                None => arriving.push((place, new_line(state, newline))),
                Some(item) => {
                    let raw = &self.text[item.range.clone()];
                    let text = ticked(raw, item, state);
                    // A line with a part of a comment stays where it is: elsewhere it might begin or end one.
                    let stays = ["<!--", "-->"].iter().any(|mark| raw.contains(mark));
                    if item.place == place || stays {
                        if text != raw {
                            cuts.push((item.range.start, item.range.end, text));
                        }
                    } else {
                        cuts.push((item.range.start, item.range.end, String::new()));
                        arriving.push((place, text));
                    }
                }
            }
        }
        let mut behind = String::new();
        for place in [SectionKind::InProgress, SectionKind::Blocked, SectionKind::UpNext, SectionKind::Completed] {
            let lines: Vec<&String> = arriving.iter().filter(|(p, _)| *p == place).map(|(_, text)| text).collect();
            if lines.is_empty() {
                continue;
            }
            let joined: String = lines.iter().map(|line| ended(line, newline)).collect();
            match self.sections.iter().find(|section| section.place == place) {
                Some(section) => {
                    let before = &self.text[..section.end];
                    let end_of_line = if before.ends_with('\n') { "" } else { newline };
                    let blank = if section.ends_in_item { "" } else { newline };
                    cuts.push((section.end, section.end, format!("{end_of_line}{blank}{joined}")));
                }
                None => {
                    let title = TITLES.iter().find(|(p, _)| *p == place).map_or("In Progress", |(_, title)| title);
                    behind.push_str(&format!("{newline}## {title}{newline}{newline}{joined}"));
                }
            }
        }
        let mut out = apply(&self.text, cuts);
        if !behind.is_empty() {
            out = ended(&out, newline) + &behind;
        }
        out
    }

    /// Whether two lines differ in nothing but their boxes, days and events.
    fn say_the_same(&self, one: &Item, other: &Item) -> bool {
        let bare = |item: &Item| {
            let text = item.text.rsplit_once(" (evt-").map_or(item.text.as_str(), |(text, _)| text);
            let day = item.day.as_deref().unwrap_or_default();
            text.strip_suffix(day).unwrap_or(text).trim_end_matches([' ', '—']).to_owned()
        };
        bare(one) == bare(other) && self.text[other.range.clone()].trim_end().lines().count() == 1
    }

    /// Where a task belongs; `None` for one that is left alone.
    fn wanted(&self, state: &TaskState, item: Option<&Item>) -> Option<SectionKind> {
        let has = |place| self.sections.iter().any(|section| section.place == place);
        match state.status.as_str() {
            "active" => Some(SectionKind::InProgress),
            "blocked" if has(SectionKind::Blocked) => Some(SectionKind::Blocked),
            "blocked" => Some(SectionKind::InProgress),
            // What waits in the backlog waits.
            "planned" => {
                Some(item.map(|i| i.place).filter(|p| *p == SectionKind::Backlog).unwrap_or(SectionKind::UpNext))
            }
            "completed" => Some(SectionKind::Completed),
            _ => None,
        }
    }
}

fn apply(text: &str, mut cuts: Vec<(usize, usize, String)>) -> String {
    cuts.sort_by_key(|(start, end, _)| (*start, *end));
    let mut out = String::with_capacity(text.len() + 64);
    let mut at = 0;
    for (start, end, new) in cuts {
        out.push_str(&text[at..start.max(at)]);
        out.push_str(&new);
        at = end.max(at);
    }
    out.push_str(&text[at..]);
    out
}

fn ended(line: &str, newline: &str) -> String {
    if line.is_empty() || line.ends_with('\n') { line.to_owned() } else { format!("{line}{newline}") }
}

fn new_line(state: &TaskState, newline: &str) -> String {
    let is_done = state.status == "completed";
    let mark = if is_done { 'x' } else { ' ' };
    let text = one_line(&state.text);
    let text = if text.is_empty() { text } else { format!(" — {text}") };
    let day = state.day.as_ref().filter(|_| is_done).map(|day| format!(" {day}")).unwrap_or_default();
    let event = state.event.map(|number| format!(" ({})", event_id(number))).unwrap_or_default();
    format!("- [{mark}] **{}**{text}{day}{event}{newline}", one_line(&state.name).replace('*', ""))
}

/// The lines of a task with its box right, and, when it was just completed, with the day and the event.
fn ticked(raw: &str, item: &Item, state: &TaskState) -> String {
    let is_done = state.status == "completed";
    if is_done == item.done {
        return raw.to_owned();
    }
    let (Some(open), Some(close)) = (raw.find('['), raw.find(']')) else {
        return raw.to_owned();
    };
    let mark = if is_done { "x" } else { " " };
    let boxed = format!("{}{mark}{}", &raw[..=open], &raw[close..]);
    if !is_done {
        return boxed;
    }
    let first_end = boxed.find('\n').unwrap_or(boxed.len());
    let (first, rest) = boxed.split_at(first_end);
    let line = first.trim_end();
    let ending = &first[line.len()..];
    let refs_at = line.rfind(" (evt-").filter(|_| line.ends_with(')')).unwrap_or(line.len());
    let (said, refs) = line.split_at(refs_at);
    let dash = if said.contains(" — ") { "" } else { " —" };
    let day = state.day.as_ref().filter(|_| item.day.is_none());
    let day = day.map(|day| format!("{dash} {day}")).unwrap_or_default();
    let event = state.event.filter(|number| !item.refs.contains(number)).map(event_id);
    let refs = match (refs.strip_suffix(')'), event) {
        (Some(known), Some(event)) => format!("{known}, {event})"),
        (None, Some(event)) => format!(" ({event})"),
        (_, None) => refs.to_owned(),
    };
    format!("{said}{day}{refs}{ending}{rest}")
}
