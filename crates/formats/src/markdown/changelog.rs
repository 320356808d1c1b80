//! CHANGELOG.md and its archive, both generations: read without losing a byte, every event with its lines.

mod blocks;
mod fields;
mod heading;

use std::ops::Range;

use idetic_core::{Time, event};

use super::Problem;

pub(crate) use fields::{is_none, items, needs_escape, split_key};
pub(crate) use heading::{event_numbers, mentions, moment};

/// Which of the two published formats an event is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Generation {
    /// `## 2026-02-23 02:00 — Title`, specification 003.
    One,
    /// `### evt-001 | 2026-02-26 12:00 | agent | type`, specification 004.
    Two,
}

/// One line of an event's details.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Detail {
    /// The key as it is written; empty for a line without one.
    pub key: String,
    /// What it says; several lines where it goes on.
    pub value: String,
    /// The items below it.
    pub items: Vec<String>,
    /// The line it stands on.
    pub line: u64,
}

impl Detail {
    /// The key as programs compare it: lower case, without bold and backticks, `_` for spaces.
    pub fn name(&self) -> String {
        fields::normal_key(&self.key)
    }
}

/// A part of an event of generation one: `### What` and the like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// Its heading.
    pub name: String,
    /// The text below, without blank lines around it.
    pub text: String,
    /// The line of its heading.
    pub line: u64,
}

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its format.
    pub generation: Generation,
    /// Its number; generation one has none.
    pub number: Option<u64>,
    /// Its id as written, such as `evt-001`; empty in generation one.
    pub id: String,
    /// When it happened; what is written without a zone is UTC.
    pub time: Time,
    /// Whether only a day was given.
    pub only_day: bool,
    /// Who wrote it; empty when not said.
    pub agent: String,
    /// Its type, in lower case; empty when missing.
    pub kind: String,
    /// What it touches.
    pub scope: Vec<String>,
    /// One line of what happened; the title in generation one.
    pub summary: String,
    /// The details in their order, and fields of other names.
    pub details: Vec<Detail>,
    /// The numbers of the events it refers to.
    pub refs: Vec<u64>,
    /// Its labels.
    pub tags: Vec<String>,
    /// The parts of an event of generation one.
    pub sections: Vec<Section>,
    /// The line of its heading.
    pub line: u64,
    /// The lines of its fields by their normalised names.
    pub field_lines: Vec<(String, u64)>,
    /// Its bytes: from the heading to the last line that says something, without what separates it from the next.
    pub range: Range<usize>,
    /// The bytes of its references, where identities take the place of numbers.
    pub(crate) refs_range: Option<Range<usize>>,
    /// The bytes of its id in the heading.
    pub(crate) id_range: Option<Range<usize>>,
}

impl Entry {
    /// The id in its one spelling: `evt-001`. Empty without a number.
    pub fn name(&self) -> String {
        self.number.map_or_else(String::new, event_id)
    }

    /// What it is called where it may have no number: its number, else its title.
    pub fn label(&self) -> String {
        self.number.map_or_else(|| format!("'{}'", self.summary), event_id)
    }

    /// Whether its tags keep it from others' eyes.
    pub fn is_private(&self) -> bool {
        event::is_private(&self.tags)
    }

    /// The day, or the day and the time of day, as the heading says it.
    pub fn when(&self) -> String {
        if self.only_day { self.time.day() } else { minute(self.time) }
    }

    /// The line of a field; that of the heading when it is not there.
    pub fn line_of(&self, field: &str) -> u64 {
        self.field_lines.iter().find(|(name, _)| name == field).map_or(self.line, |(_, line)| *line)
    }

    /// What a detail says, by its normalised key.
    pub fn detail(&self, name: &str) -> Option<&Detail> {
        self.details.iter().find(|detail| detail.name() == name)
    }
}

/// `evt-007`: three digits or more.
pub fn event_id(number: u64) -> String {
    format!("evt-{number:03}")
}

/// The number behind `evt-7`, `evt-007` or `7`.
pub fn event_number(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = if heading::starts_with_evt(text) { text.get(4..)? } else { text };
    heading::digits(digits)
}

/// Every number of an event that a text names, in their order.
pub fn named_numbers(text: &str) -> impl Iterator<Item = u64> + '_ {
    event_numbers(text)
}

/// The same with their places: where each begins and ends.
pub fn named_places(text: &str) -> impl Iterator<Item = (usize, usize, u64)> + '_ {
    mentions(text)
}

/// The day and the time of day in UTC, to the minute.
pub fn minute(time: Time) -> String {
    let text = time.to_string();
    match text.split_once('T') {
        Some((day, clock)) => format!("{day} {}", clock.get(..5).unwrap_or_default()),
        None => text,
    }
}

/// A heading that announces a batch of archived events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marker {
    /// The first of them.
    pub first: Option<u64>,
    /// The last of them.
    pub last: Option<u64>,
    /// Its line.
    pub line: u64,
}

/// A heading that looks like an event's and is not one, with what stands below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Malformed {
    /// The number it claims, which is not given out again.
    pub number: Option<u64>,
    /// Its line.
    pub line: u64,
}

/// What a part of the file is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Text that is no event, and what separates events.
    Text,
    /// The event at this place in [`Changelog::entries`].
    Event(usize),
    /// Something that would be an event if it were written right.
    Malformed(Malformed),
    /// The heading of an archived batch.
    Marker(Marker),
}

/// A part of the file and its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Where it stands.
    pub range: Range<usize>,
    /// What it is.
    pub part: Part,
}

/// A changelog or an archive as it was read.
#[derive(Debug, Clone)]
pub struct Changelog {
    text: String,
    pieces: Vec<Piece>,
    entries: Vec<Entry>,
    problems: Vec<Problem>,
    /// Where an event is added: the end of the section of events. `None` without such a section and without events.
    pub(crate) end_of_events: Option<usize>,
}

/// What stands where an event was purged: its number between these two.
pub(super) const PURGED_BEFORE: &str = "<!-- Purged: ";
pub(super) const PURGED_AFTER: &str = " -->";

/// The numbers of the events that were purged from a file.
pub fn purged_numbers(text: &str) -> impl Iterator<Item = u64> + '_ {
    text.lines().filter_map(|line| event_number(line.trim().strip_prefix(PURGED_BEFORE)?.strip_suffix(PURGED_AFTER)?))
}

impl Changelog {
    /// Reads a file. Nothing is refused: what is not understood stays a piece and is told.
    pub fn read(text: &str) -> Self {
        blocks::read(text)
    }

    /// The text as it was read, byte for byte.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Every part of the file in its order; together they are the file.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// The events in the order of the file.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// What is wrong, by line.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Whether what is added at its end stands among the events.
    pub fn ends_in_events(&self) -> bool {
        self.end_of_events == Some(self.text.len())
    }

    /// The file put together from its parts.
    pub fn print(&self) -> String {
        self.pieces.iter().map(|piece| &self.text[piece.range.clone()]).collect()
    }

    /// The text of an event.
    pub fn raw(&self, entry: &Entry) -> &str {
        self.text.get(entry.range.clone()).unwrap_or_default()
    }

    /// The highest number that stands anywhere, in headings that are wrong, in the marks of archives and of purges too.
    pub fn highest(&self) -> Option<u64> {
        let parts = self.pieces.iter().filter_map(|piece| match &piece.part {
            Part::Malformed(wrong) => wrong.number,
            Part::Marker(marker) => marker.last,
            _ => None,
        });
        let numbers = parts.chain(self.entries.iter().filter_map(|entry| entry.number));
        numbers.chain(purged_numbers(&self.text)).max()
    }

    /// The events oldest first. Generation one is written newest first, and what it holds came before generation two.
    pub fn oldest_first(&self) -> Vec<&Entry> {
        let (mut old, new): (Vec<&Entry>, Vec<&Entry>) =
            self.entries.iter().partition(|entry| entry.generation == Generation::One);
        if self.is_newest_first() {
            old.reverse();
        }
        old.sort_by_key(|entry| entry.time);
        old.extend(new);
        old
    }

    /// Whether events of generation one stand newest first.
    pub fn is_newest_first(&self) -> bool {
        let old = self.entries.iter().filter(|entry| entry.generation == Generation::One);
        let times: Vec<Time> = old.map(|entry| entry.time).collect();
        let falls = times.windows(2).filter(|pair| pair[0] > pair[1]).count();
        let rises = times.windows(2).filter(|pair| pair[0] < pair[1]).count();
        falls > rises
    }

    /// Whether it is a log of generation one alone, and what is added is written so too.
    pub fn is_first_layout(&self) -> bool {
        self.end_of_events.is_none() && self.entries.iter().any(|entry| entry.generation == Generation::One)
    }

    /// The last event: that of the end of the log.
    pub fn last(&self) -> Option<&Entry> {
        match self.entries.iter().rev().find(|entry| entry.generation == Generation::Two) {
            Some(entry) => Some(entry),
            None => self.oldest_first().pop(),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
