//! The frontmatter of a note: keys and the lines they stand on. Not YAML: a reader of lines that keeps what it does not know.

use super::values::{self, Value, key};
use crate::amem::Problem;

/// Longest frontmatter that is looked through for its end.
const FRONT_MAX_BYTES: usize = 256 << 10;
/// Most problems that are told of one frontmatter.
const PROBLEMS_MAX: usize = 50;

/// One key with all its lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Field {
    pub key: String,
    /// The line it begins on, counted from 1.
    pub line: u64,
    /// Where its first line begins and its last one ends, its break included.
    pub start: usize,
    pub end: usize,
    pub value: Value,
}

/// The frontmatter of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Front {
    pub entries: Vec<Field>,
    /// Where its closing line begins.
    pub end: usize,
    /// Where the text behind it begins.
    pub body: usize,
}

/// The length of the mark that some editors put at the beginning of a file.
pub(super) fn mark_length(text: &str) -> usize {
    if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 }
}

impl Front {
    /// Finds the frontmatter; `None` where there is none or it has no end, which is told.
    pub(super) fn read(text: &str, problems: &mut Vec<Problem>) -> Option<Self> {
        let start = mark_length(text);
        let mut lines = text[start..].split_inclusive('\n');
        let first = lines.next().unwrap_or_default();
        if first.trim_end() != "---" {
            problems.push(Problem::harmless(1, "there is no frontmatter", first.as_bytes()));
            return None;
        }
        let mut at = start + first.len();
        let mut number = 1;
        let mut front = Self { entries: Vec::new(), end: at, body: at };
        let mut odd = Vec::new();
        for line in lines {
            number += 1;
            if matches!(line.trim_end(), "---" | "...") {
                front.end = at;
                front.body = at + line.len();
                front.finish(text, &mut odd);
                problems.extend(odd.into_iter().take(PROBLEMS_MAX));
                return Some(front);
            }
            if at - start > FRONT_MAX_BYTES {
                break;
            }
            front.take(line, at, number, &mut odd);
            at += line.len();
        }
        problems.push(Problem::harmless(1, "the frontmatter has no end: taken as text", first.as_bytes()));
        None
    }

    fn take(&mut self, line: &str, at: usize, number: u64, odd: &mut Vec<Problem>) {
        let said = line.trim();
        if said.is_empty() || line.starts_with('#') {
            return;
        }
        let goes_on = line.starts_with([' ', '\t']) || said == "-" || said.starts_with("- ") || said.starts_with(']');
        if goes_on && let Some(entry) = self.entries.last_mut() {
            // Blank lines and comments between belong to it, too.
            entry.end = at + line.len();
            return;
        }
        match key(line) {
            Some((key, _)) => {
                let entry = Field { key, line: number, start: at, end: at + line.len(), value: Value::Empty };
                self.entries.push(entry);
            }
            None => odd.push(Problem::harmless(number, "neither a key nor a part of one: kept", line.as_bytes())),
        }
    }

    fn finish(&mut self, text: &str, odd: &mut Vec<Problem>) {
        let mut seen = std::collections::HashSet::new();
        for entry in &mut self.entries {
            if !seen.insert(entry.key.clone()) {
                let reason = format!("key '{}' is given twice: the first counts", entry.key);
                odd.push(Problem::harmless(entry.line, reason, entry.key.as_bytes()));
            }
            entry.value = values::read(&text[entry.start..entry.end]);
        }
    }

    /// The first entry of a key.
    pub(super) fn entry(&self, key: &str) -> Option<&Field> {
        self.entries.iter().find(|e| e.key == key)
    }
}
