//! Events that were purged: a comment keeps the place of each, so that its number is neither missed nor given out again.

use std::collections::HashSet;

use super::archive::is_separator;
use super::changelog::{Changelog, PURGED_AFTER, PURGED_BEFORE, Part, event_id};

/// A file without some of its events, by their places among [`Changelog::entries`].
pub fn without(log: &Changelog, gone: &HashSet<usize>) -> String {
    let newline = if log.text().contains("\r\n") { "\r\n" } else { "\n" };
    let mut out = String::with_capacity(log.text().len());
    let mut dropped = false;
    for piece in log.pieces() {
        let raw = &log.text()[piece.range.clone()];
        match piece.part {
            Part::Event(at) if gone.contains(&at) => {
                if let Some(number) = log.entries().get(at).and_then(|entry| entry.number) {
                    out.push_str(&format!("{PURGED_BEFORE}{}{PURGED_AFTER}{newline}{newline}", event_id(number)));
                }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown::rules::{self, Severity};

    const LOG: &str = "# Changelog\n\n### evt-001 | 2026-01-01 10:00 | ann | create\n\n**Scope**: a\n**Summary**: Make the first thing\n\n---\n\n\
        ### evt-002 | 2026-01-02 10:00 | ann | fix\n\n**Scope**: a\n**Summary**: Mend the secret thing\n\n---\n\n\
        ### evt-003 | 2026-01-03 10:00 | ann | fix\n\n**Scope**: a\n**Summary**: Mend the other thing\n**Refs**: evt-002\n";

    #[test]
    fn an_event_leaves_its_number_and_nothing_else() {
        let log = Changelog::read(LOG);
        let text = without(&log, &HashSet::from([1]));
        assert!(!text.contains("secret"), "{text}");
        assert_eq!(crate::markdown::changelog::purged_numbers(&text).collect::<Vec<_>>(), [2]);
        let read = Changelog::read(&text);
        assert_eq!(read.entries().iter().map(|entry| entry.number).collect::<Vec<_>>(), [Some(1), Some(3)]);
        assert_eq!(read.raw(&read.entries()[1]), log.raw(&log.entries()[2]));
        let files = rules::Files { archive: None, log: Some(&read), graph: None, context: None, todo: None };
        let wrong: Vec<_> =
            rules::check(&files, &|_| true).into_iter().filter(|found| found.severity == Severity::Error).collect();
        assert!(wrong.is_empty(), "{wrong:?}");
        // The last one's number is not given out again either.
        let last = Changelog::read(&without(&log, &HashSet::from([2])));
        assert_eq!(last.highest(), Some(3));
    }
}
