//! What becomes of each event: whose version is taken, what is new, what was archived, what was deleted.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash as Key;

use idetic_core::Hash;

use super::{Conflict, Side, Version};
use crate::markdown::changelog::{Part, event_numbers};

/// What becomes of one of our events.
pub(super) enum Fate {
    Stays,
    /// The other side moved it to the archive.
    Archived,
    /// The other side edited it.
    Replaced(usize),
}

/// What becomes of all events.
pub(super) struct Fates {
    /// Of ours, by their places.
    pub(super) ours: Vec<Fate>,
    /// Theirs that are not in ours, in their order.
    pub(super) new: Vec<usize>,
    /// Theirs that ours had deleted, by the event of ours they come behind.
    pub(super) restored: HashMap<Option<usize>, Vec<usize>>,
    /// The numbers in the result of theirs that are not new.
    pub(super) same_number: HashMap<usize, u64>,
    /// Ours and theirs that are two edits of one event.
    pub(super) twice: Vec<(usize, usize)>,
}

/// How one side stands to the base: for every event of the base the one it became, whether that was edited, and what is
/// not from the base.
struct Match {
    of_base: Vec<Option<(usize, bool)>>,
    new: Vec<usize>,
}

/// Pairs what has the same key, in order.
fn pair<K: Key + Eq>(
    base: &Version,
    side: &Version,
    found: &mut Match,
    is_edit: bool,
    key: impl Fn(&Version, usize) -> Option<K>,
) {
    let mut open: HashMap<K, VecDeque<usize>> = HashMap::new();
    for at in (0..base.ids.len()).filter(|at| found.of_base[*at].is_none()) {
        if let Some(key) = key(base, at) {
            open.entry(key).or_default().push_back(at);
        }
    }
    found.new.retain(|at| {
        let taken = key(side, *at).and_then(|key| open.get_mut(&key)?.pop_front());
        if let Some(base_at) = taken {
            found.of_base[base_at] = Some((*at, is_edit));
        }
        taken.is_none()
    });
}

fn matched(base: &Version, side: &Version) -> Match {
    let mut found = Match { of_base: vec![None; base.ids.len()], new: (0..side.ids.len()).collect() };
    // An edit of an event changes the identity of all that refer to it; what an event says itself it does not change.
    pair(base, side, &mut found, false, |v, at| Some((v.entry(at).number, v.ids[at].alone)));
    pair(base, side, &mut found, false, |v, at| Some(v.ids[at].full));
    // What names others in its words says other numbers once a merge gave out some, and what refers to that is another one
    // by its references.
    pair(base, side, &mut found, false, |v, at| Some(v.ids[at].bare));
    pair(base, side, &mut found, true, |v, at| v.entry(at).number);
    found
}

/// The spans of numbers that comments of a file say were archived.
fn archived(version: &Version) -> Vec<(u64, u64)> {
    let texts = version.log.pieces().iter().filter(|piece| matches!(piece.part, Part::Text));
    let lines = texts.flat_map(|piece| version.log.text()[piece.range.clone()].lines());
    let comments =
        lines.filter(|line| line.trim_start().starts_with("<!--") && line.to_lowercase().contains("archived"));
    comments
        .filter_map(|line| {
            let mut numbers = event_numbers(line);
            let first = numbers.next()?;
            Some((first, numbers.next().unwrap_or(first)))
        })
        .collect()
}

/// What an event is known by on both sides: its block, without numbers where it names others in its words.
fn words(version: &Version, at: usize) -> Hash {
    let id = &version.ids[at];
    if id.bare == id.alone { id.full } else { id.bare }
}

pub(super) fn fates(base: &Version, ours: &Version, theirs: &Version, conflicts: &mut Vec<Conflict>) -> Fates {
    let (one, other) = (matched(base, ours), matched(base, theirs));
    let (archived_here, archived_there) = (archived(ours), archived(theirs));
    let is_archived = |spans: &[(u64, u64)], number: Option<u64>| {
        number.is_some_and(|number| spans.iter().any(|(first, last)| (*first..=*last).contains(&number)))
    };
    let mut fates = Fates {
        ours: (0..ours.ids.len()).map(|_| Fate::Stays).collect(),
        new: Vec::new(),
        restored: HashMap::new(),
        same_number: HashMap::new(),
        twice: Vec::new(),
    };
    let mut also_new = Vec::new();
    let mut before = None;
    for at in 0..base.ids.len() {
        let number = base.entry(at).number;
        let mut tell = |conflict: fn(u64, Side) -> Conflict, side| conflicts.push(conflict(number.unwrap_or(0), side));
        match (one.of_base[at], other.of_base[at]) {
            (Some((here, _)), None) if is_archived(&archived_there, number) => {
                fates.ours[here] = Fate::Archived;
                continue;
            }
            (Some(_), None) => tell(|number, side| Conflict::Deleted { number, side }, Side::Theirs),
            (None, Some((there, false))) if is_archived(&archived_here, number) => {
                fates.same_number.extend(number.map(|number| (there, number)));
            }
            (None, Some((there, _))) => {
                tell(|number, side| Conflict::Deleted { number, side }, Side::Ours);
                fates.restored.entry(before).or_default().push(there);
                fates.same_number.extend(number.map(|number| (there, number)));
            }
            (Some((here, is_edited)), Some((there, was_edited))) => {
                fates.same_number.extend(ours.entry(here).number.map(|number| (there, number)));
                let is_same = ours.ids[here].alone == theirs.ids[there].alone;
                match (is_edited, was_edited) {
                    (true, true) if !is_same => {
                        fates.same_number.remove(&there);
                        fates.twice.push((here, there));
                        also_new.push(there);
                    }
                    (true, false) => tell(|number, side| Conflict::Edited { number, side }, Side::Ours),
                    (false, true) => {
                        tell(|number, side| Conflict::Edited { number, side }, Side::Theirs);
                        fates.ours[here] = Fate::Replaced(there);
                    }
                    _ => {}
                }
            }
            (None, None) => {}
        }
        before = one.of_base[at].map(|(here, _)| here).or(before);
    }
    // What both added, such as a commit that was picked, is there once.
    let mut here: HashMap<_, VecDeque<usize>> = HashMap::new();
    for at in one.new {
        here.entry(words(ours, at)).or_default().push_back(at);
    }
    for at in other.new {
        match here.get_mut(&words(theirs, at)).and_then(VecDeque::pop_front) {
            Some(same) => fates.same_number.extend(ours.entry(same).number.map(|number| (at, number))),
            None => fates.new.push(at),
        }
    }
    fates.new.extend(also_new);
    fates.new.sort_unstable();
    fates
}
