//! A log in which several events have one number, as when two agents wrote at once or two branches were joined by hand.

use std::collections::{HashMap, HashSet};

use super::{Version, rewritten};
use crate::markdown::Changelog;
use crate::markdown::lines::newline;

/// A log in which every number is there once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unique {
    /// The file.
    pub text: String,
    /// The events that have another number now, by the old and the new one.
    pub renumbered: Vec<(u64, u64)>,
}

/// Gives every event from the first repeated number on the next one, references with it; `taken` are the numbers that
/// stand elsewhere. `None` where no number is repeated.
pub fn without_repeats(log: &Changelog, taken: &HashSet<u64>) -> Option<Unique> {
    let mut seen = taken.clone();
    if log.entries().iter().filter_map(|entry| entry.number).all(|number| seen.insert(number)) {
        return None;
    }
    let text = log.text();
    let version = Version::read(text);
    let mut seen = taken.clone();
    let mut numbers: HashMap<usize, u64> = HashMap::new();
    let mut renumbered = Vec::new();
    let mut last: Option<u64> = None;
    let mut highest = taken.iter().copied().max().unwrap_or(0);
    for (at, entry) in version.log.entries().iter().enumerate() {
        let Some(number) = entry.number else { continue };
        let is_repeated = !seen.insert(number);
        last = match last {
            None if is_repeated => Some(highest.max(number)),
            last => last,
        };
        highest = highest.max(number);
        if let Some(before) = &mut last {
            *before = if number > *before && !is_repeated { number } else { before.saturating_add(1) };
            seen.insert(*before);
            numbers.insert(at, *before);
            if *before != number {
                renumbered.push((number, *before));
            }
        } else {
            numbers.insert(at, number);
        }
    }
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for (at, entry) in version.log.entries().iter().enumerate() {
        out.push_str(&text[from..entry.range.start]);
        out.push_str(&rewritten(&version, at, &numbers, newline(&text[entry.range.clone()])));
        from = entry.range.end;
    }
    out.push_str(&text[from..]);
    Some(Unique { text: out, renumbered })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(events: &[(u64, &str, &str)]) -> String {
        let block = |(number, summary, refs): &(u64, &str, &str)| {
            format!(
                "### evt-{number:03} | 2026-02-26 12:00 | a | fix\n\n**Scope**: x\n**Summary**: {summary}\n\n\
                 **Refs**: {refs}\n\n"
            )
        };
        format!("# Changelog\n\n## Event Log\n\n{}", events.iter().map(block).collect::<String>())
    }

    fn told(text: &str) -> Vec<(u64, String, Vec<u64>)> {
        let log = Changelog::read(text);
        log.entries().iter().map(|e| (e.number.unwrap_or(0), e.summary.clone(), e.refs.clone())).collect()
    }

    #[test]
    fn repeated_numbers_are_given_out_anew_and_references_follow() {
        let unique = |text: &str| without_repeats(&Changelog::read(text), &HashSet::new());
        assert_eq!(unique(&log(&[(1, "a", "none"), (2, "b", "evt-001")])), None);
        let text = log(&[
            (1, "a", "none"),
            (2, "b", "evt-001"),
            (3, "c", "evt-002"),
            (2, "d", "evt-001"),
            (3, "e", "evt-002, evt-001"),
            (4, "f", "evt-003"),
        ]);
        let first = unique(&text).expect("numbers are repeated");
        let wanted = [
            (1, "a", vec![]),
            (2, "b", vec![1]),
            (3, "c", vec![2]),
            (4, "d", vec![1]),
            (5, "e", vec![4, 1]),
            (6, "f", vec![5]),
        ];
        let wanted: Vec<_> = wanted.into_iter().map(|(n, s, refs)| (n, s.to_owned(), refs)).collect();
        assert_eq!(told(&first.text), wanted);
        assert_eq!(first.renumbered, [(2, 4), (3, 5), (4, 6)]);
        assert_eq!(unique(&first.text), None);
    }

    #[test]
    fn the_next_number_is_behind_what_stands_elsewhere() {
        let text = log(&[(7, "a", "none"), (8, "b", "evt-007")]);
        let unique = without_repeats(&Changelog::read(&text), &HashSet::from([7, 30])).expect("repeated");
        assert_eq!(unique.renumbered, [(7, 31), (8, 32)]);
        assert_eq!(told(&unique.text)[1].2, [31]);
    }
}
