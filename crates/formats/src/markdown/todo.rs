//! TODO.md: tasks in their sections, in sync with the graph by changing only the lines that must change.

mod edit;

use std::ops::Range;

use super::changelog::{event_numbers, moment};
use super::lines::{Lines, bullet};

pub use edit::TaskState;

/// What a section is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SectionKind {
    /// Worked on now: `In Progress`, `Active`.
    InProgress,
    /// Held up: `Blocked`.
    Blocked,
    /// To come: `Up Next`.
    UpNext,
    /// Done: `Completed`, `Done`.
    Completed,
    /// Some day: `Backlog`.
    Backlog,
    /// Anything else.
    Other,
}

impl SectionKind {
    /// The word for how a task there stands.
    pub fn word(self) -> &'static str {
        match self {
            Self::InProgress => "active",
            Self::Blocked => "blocked",
            Self::UpNext => "planned",
            Self::Completed => "completed",
            Self::Backlog => "backlog",
            Self::Other => "other",
        }
    }
}

/// Most tasks in progress at once.
pub const IN_PROGRESS_MAX: usize = 3;

/// A task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// The section it stands in.
    pub place: SectionKind,
    /// Whether its box is ticked.
    pub done: bool,
    /// What it is called.
    pub name: String,
    /// All that its first line says behind the box.
    pub text: String,
    /// The last day it names.
    pub day: Option<String>,
    /// The events it names.
    pub refs: Vec<u64>,
    /// Its line.
    pub line: u64,
    /// Its bytes, the lines that belong to it and the last line break included.
    pub range: Range<usize>,
}

impl Item {
    /// A line that only waits to be replaced: `(add next tasks)`.
    pub fn is_placeholder(&self) -> bool {
        self.text.starts_with('(') && self.text.ends_with(')')
    }
}

struct Section {
    place: SectionKind,
    /// Behind its last line that says something.
    end: usize,
    /// Whether that line is an item.
    ends_in_item: bool,
}

/// The file as it was read.
pub struct Todo {
    text: String,
    items: Vec<Item>,
    sections: Vec<Section>,
}

impl Todo {
    /// Reads a file.
    pub fn read(text: &str) -> Self {
        let lines = Lines::of(text);
        let (mut items, mut sections): (Vec<Item>, Vec<Section>) = (Vec::new(), Vec::new());
        let mut in_item = false;
        for at in 0..lines.len() {
            let behind = lines.begin(at + 1);
            if let Some((level, title)) = lines.heading(at) {
                in_item = false;
                if level <= 2 {
                    sections.push(Section { place: place(title), end: behind, ends_in_item: false });
                }
                continue;
            }
            if lines.is_blank(at) {
                in_item = false;
                continue;
            }
            let place = sections.last().map_or(SectionKind::Other, |section| section.place);
            let line = lines.text(at);
            if let Some(item) = item(line).filter(|_| !line.starts_with([' ', '\t'])) {
                let (line, range) = (at as u64 + 1, lines.begin(at)..behind);
                items.push(Item { place, line, range, ..item });
                in_item = true;
            } else if in_item && line.starts_with([' ', '\t']) {
                if let Some(item) = items.last_mut() {
                    item.range.end = behind;
                }
            } else {
                in_item = false;
            }
            if let Some(section) = sections.last_mut() {
                section.end = behind;
                section.ends_in_item = in_item;
            }
        }
        Self { text: text.to_owned(), items, sections }
    }

    /// The text as it was read, byte for byte.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The tasks in their order.
    pub fn items(&self) -> &[Item] {
        &self.items
    }
}

fn place(title: &str) -> SectionKind {
    match title.trim_matches(['*', ' ', ':']).to_lowercase().as_str() {
        "in progress" | "active" | "current" => SectionKind::InProgress,
        "blocked" => SectionKind::Blocked,
        "up next" | "next" | "next up" | "planned" => SectionKind::UpNext,
        "completed" | "done" => SectionKind::Completed,
        "backlog" => SectionKind::Backlog,
        _ => SectionKind::Other,
    }
}

/// `- [ ] **Name** — text 2026-02-26 (evt-001)`.
fn item(line: &str) -> Option<Item> {
    let (_, text) = bullet(line)?;
    let (mark, text) = text.strip_prefix('[')?.split_once(']')?;
    let done = matches!(mark, "x" | "X");
    if !(done || matches!(mark, " " | "~" | "-" | "")) {
        return None;
    }
    let text = text.trim();
    let name = match text.strip_prefix("**").and_then(|rest| rest.split_once("**")) {
        Some((name, _)) => name.trim_end_matches(':'),
        None => text.split(" — ").next().unwrap_or(text).split(" (evt-").next().unwrap_or(text),
    };
    let is_day = |word: &&str| moment(word).is_some_and(|(_, only_day)| only_day);
    let mut words = text.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ',' | ';'));
    Some(Item {
        place: SectionKind::Other,
        done,
        name: name.trim().to_owned(),
        text: text.to_owned(),
        day: words.rfind(is_day).map(str::to_owned),
        refs: event_numbers(text).collect(),
        line: 0,
        range: 0..0,
    })
}

/// A name as it is compared: `Memory System` and `memory-system` are one.
pub(crate) fn same_name(name: &str) -> String {
    let words = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-").to_lowercase()
}

#[cfg(test)]
mod tests;
