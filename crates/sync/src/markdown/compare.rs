//! What the files of a changelog have, held against what is known of them: what is new, what has another number, and what
//! was tampered with.

use std::collections::{BTreeSet, HashMap, HashSet};

use idetic_core::Hash;
use idetic_formats::markdown::changelog::event_id;
use idetic_formats::markdown::{Entry, identities};

use super::files::Logs;
use super::records::{alone, bare, id, key};

/// What the key of an event begins with that is not in the file because another branch is there.
pub const AWAY: &str = "away:";

/// An event that the log has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// Its id.
    pub event: String,
    /// Its number in the file; none for one that is not written yet, and for generation one.
    pub number: Option<u64>,
    /// What its block is known by; none for one that is not written yet.
    pub key: Option<String>,
    /// Whether it belongs to another branch.
    pub is_away: bool,
}

impl Known {
    /// How a person knows it: by its number, where it has one.
    pub fn name(&self) -> String {
        self.number.map_or_else(|| self.event.clone(), event_id)
    }
}

/// An event of a file.
pub struct Placed<'l> {
    /// Which of the files.
    pub file: usize,
    /// What it says.
    pub entry: &'l Entry,
    /// Its bytes.
    pub raw: &'l str,
    /// What it is known by.
    pub key: String,
    /// Its block without the numbers of events.
    pub bare: Hash,
    /// The id it has by what it says, the same in every space.
    pub own: String,
    /// The id it has in the log, or would get.
    pub event: String,
}

/// What a comparison found. Places are those of the files' events, others those of the known ones.
#[derive(Default)]
pub struct Compared {
    /// New events.
    pub new: Vec<usize>,
    /// Known events that have another number, or none so far: place and number before.
    pub renumbered: Vec<(usize, Option<u64>)>,
    /// Places of events that say something else than the known one.
    pub edited: Vec<(usize, usize)>,
    /// Known events that are nowhere.
    pub deleted: Vec<usize>,
    /// Places of known events that stand behind later ones.
    pub moved: Vec<usize>,
}

/// Every event of the files in the order in which they happened, with the ids they get where they are not known.
pub fn placed(logs: &Logs) -> Vec<Placed<'_>> {
    let files = logs.all();
    let ids = identities(&files);
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut all = Vec::new();
    for (file, (log, ids)) in files.iter().zip(&ids).enumerate() {
        let mut part: Vec<Placed> = Vec::with_capacity(ids.len());
        for (entry, identity) in log.entries().iter().zip(ids) {
            let key = key(identity);
            let before = seen.entry(key.clone()).or_default();
            let own = id(&identity.full, *before);
            *before += 1;
            let raw = log.raw(entry);
            part.push(Placed { file, entry, raw, key, bare: identity.bare, event: own.clone(), own });
        }
        // Those of generation one may be written newest first, and came before those of generation two.
        let order: HashMap<u64, usize> =
            log.oldest_first().into_iter().enumerate().map(|(place, entry)| (entry.line, place)).collect();
        part.sort_by_key(|placed| order.get(&placed.entry.line).copied());
        all.extend(part);
    }
    all
}

/// Holds the events of the files against those of the log. `drafts` are events that the log has and the files should get:
/// one that stands there already was written by a run that did not get to say so. `refs_of` gives the ids of the events that
/// a known one refers to, `entry_of` what it said.
pub fn compare(
    found: &mut [Placed],
    known: &[Known],
    drafts: &[(String, String)],
    refs_of: &dyn Fn(&Known) -> Vec<String>,
    entry_of: &dyn Fn(&Known) -> Option<Entry>,
) -> Compared {
    let mut owners: Vec<Option<usize>> = vec![None; found.len()];
    let mut free: BTreeSet<usize> = (0..known.len()).filter(|at| known[*at].key.is_some()).collect();
    let whole = |key: &str| key.split('.').next().unwrap_or_default().to_owned();
    join(found, known, &mut owners, &mut free, |placed| Some(whole(&placed.key)), whole);
    // What refers to an event that was edited or deleted is itself as it was.
    let mut disturbed: HashSet<u64> = free.iter().filter_map(|at| known[*at].number).collect();
    let strangers = found.iter().zip(&owners).filter(|(_, owner)| owner.is_none());
    disturbed.extend(strangers.filter_map(|(placed, _)| placed.entry.number));
    // What it refers to may also be gone for good: purged from files and log.
    let there: HashSet<u64> = found.iter().filter_map(|placed| placed.entry.number).collect();
    let is_as_it_was = |number: &u64| there.contains(number) && !disturbed.contains(number);
    let alone_if_disturbed = |placed: &Placed| {
        let of_others = |number: &&u64| Some(**number) != placed.entry.number;
        let is_disturbed = !placed.entry.refs.iter().filter(of_others).all(is_as_it_was);
        is_disturbed.then(|| alone(&placed.key).to_owned())
    };
    join(found, known, &mut owners, &mut free, alone_if_disturbed, |key| alone(key).to_owned());
    join_by_words(found, known, &mut owners, &mut free, refs_of);
    let mut compared = Compared::default();
    let mut by_number: HashMap<u64, usize> = HashMap::new();
    by_number.extend(free.iter().filter_map(|at| Some((known[*at].number?, *at))));
    for at in (0..found.len()).filter(|at| owners[*at].is_none()) {
        if let Some(old) = found[at].entry.number.and_then(|number| by_number.remove(&number)) {
            free.remove(&old);
            compared.edited.push((at, old));
        }
    }
    join_unnumbered(found, known, &owners, &mut free, &mut compared.edited, entry_of);
    compared.deleted = free.into_iter().filter(|at| !known[*at].is_away).collect();
    let edited: HashSet<usize> = compared.edited.iter().map(|(at, _)| *at).collect();
    let mut waiting: HashMap<&str, Vec<&str>> = HashMap::new();
    drafts.iter().rev().for_each(|(event, key)| waiting.entry(alone(key)).or_default().push(event));
    let mut highest = 0;
    for at in 0..found.len() {
        let number = found[at].entry.number;
        if let Some(owner) = owners[at] {
            found[at].event.clone_from(&known[owner].event);
            let before = known[owner].number;
            if before.is_some_and(|before| before < highest) {
                compared.moved.push(at);
            }
            highest = highest.max(before.unwrap_or(0));
            let has_other_words = known[owner].key.as_deref().is_some_and(|key| alone(key) != alone(&found[at].key));
            if before != number || has_other_words {
                compared.renumbered.push((at, before));
            }
        } else if let Some(event) = waiting.get_mut(alone(&found[at].key)).and_then(Vec::pop) {
            found[at].event = event.to_owned();
            compared.renumbered.push((at, None));
        } else if !edited.contains(&at) {
            compared.new.push(at);
        }
    }
    compared
}

/// Finds the known event of each that has none yet, by what they are known by; among equals the first for the first.
fn join(
    found: &[Placed],
    known: &[Known],
    owners: &mut [Option<usize>],
    free: &mut BTreeSet<usize>,
    by: impl Fn(&Placed) -> Option<String>,
    known_by: impl Fn(&str) -> String,
) {
    let mut waiting: HashMap<String, Vec<usize>> = HashMap::new();
    for at in free.iter().rev().copied() {
        waiting.entry(known_by(known[at].key.as_deref().unwrap_or_default())).or_default().push(at);
    }
    for (owner, placed) in owners.iter_mut().zip(found).filter(|(owner, _)| owner.is_none()) {
        *owner = by(placed).and_then(|key| waiting.get_mut(&key)?.pop());
        owner.iter().for_each(|at| {
            free.remove(at);
        });
    }
}

/// Finds the known event of those that refer to the same events in the same words, whatever is known of these by now. Where
/// other numbers were given out, the numbers of events in the words do not count.
fn join_by_words(
    found: &[Placed],
    known: &[Known],
    owners: &mut [Option<usize>],
    free: &mut BTreeSet<usize>,
    refs_of: &dyn Fn(&Known) -> Vec<String>,
) {
    let has_another = |owner: usize, placed: &Placed| known[owner].number != placed.entry.number;
    let is_renumbered = owners.iter().zip(found).any(|(owner, placed)| owner.is_some_and(|at| has_another(at, placed)));
    let places: HashMap<u64, usize> =
        found.iter().enumerate().filter_map(|(at, placed)| Some((placed.entry.number?, at))).collect();
    for at in 0..found.len() {
        if owners[at].is_some() {
            continue;
        }
        let is_same = |old: &usize| {
            let (own, other) = (found[at].key.as_str(), known[*old].key.as_deref().unwrap_or_default());
            let has_words = alone(other) == alone(own)
                || bare(other) == bare(own) && (is_renumbered || has_another(*old, &found[at]));
            let target = |number: &u64| {
                let place = places.get(number)?;
                let owner = if *place == at { Some(*old) } else { owners[*place] };
                Some(known[owner?].event.clone())
            };
            let named = || found[at].entry.refs.iter().map(target).collect::<Option<Vec<_>>>();
            has_words && named().is_some_and(|named| named == refs_of(&known[*old]))
        };
        owners[at] = free.iter().copied().find(is_same);
        owners[at].iter().for_each(|old| {
            free.remove(old);
        });
    }
}

/// Finds the known event of those without a number, which are of generation one, that were edited: the one with the same
/// heading or of the same minute, else the one that stood between the same two events.
fn join_unnumbered(
    found: &[Placed],
    known: &[Known],
    owners: &[Option<usize>],
    free: &mut BTreeSet<usize>,
    edited: &mut Vec<(usize, usize)>,
    entry_of: &dyn Fn(&Known) -> Option<Entry>,
) {
    let is_gone = |at: &usize| known[*at].number.is_none() && !known[*at].is_away;
    let mut gone: Vec<usize> = free.iter().copied().filter(is_gone).collect();
    let is_strange = |at: &usize| owners[*at].is_none() && found[*at].entry.number.is_none();
    let mut strange: Vec<usize> = (0..found.len()).filter(is_strange).collect();
    if gone.is_empty() || strange.is_empty() {
        return;
    }
    let entries: HashMap<usize, Entry> = gone.iter().filter_map(|at| Some((*at, entry_of(&known[*at])?))).collect();
    let has_heading = |old: &Entry, new: &Entry| old.summary == new.summary;
    let has_minute = |old: &Entry, new: &Entry| !old.only_day && !new.only_day;
    for by_heading in [true, false] {
        let is_same = |old: &Entry, new: &Entry| {
            old.time == new.time && if by_heading { has_heading(old, new) } else { has_minute(old, new) }
        };
        gone.retain(|old| {
            let Some(entry) = entries.get(old) else { return true };
            let Some(place) = strange.iter().position(|at| is_same(entry, found[*at].entry)) else { return true };
            edited.push((strange.remove(place), *old));
            false
        });
    }
    let mut places: Vec<Option<usize>> = vec![None; known.len()];
    for (at, owner) in owners.iter().enumerate() {
        owner.iter().for_each(|owner| places[*owner] = Some(at));
    }
    edited.iter().for_each(|(at, old)| places[*old] = Some(*at));
    let (gone, strange): (HashSet<usize>, HashSet<usize>) = (gone.into_iter().collect(), strange.into_iter().collect());
    // Behind the last event that is as it was, one may have been deleted and another one added.
    let (mut from, mut between): (usize, Vec<usize>) = (0, Vec::new());
    for (old, place) in places.iter().enumerate() {
        match place {
            Some(place) => {
                if from + between.len() == *place && (from..*place).all(|at| strange.contains(&at)) {
                    edited.extend((from..*place).zip(between.iter().copied()));
                }
                (from, between) = (*place + 1, Vec::new());
            }
            None if gone.contains(&old) => between.push(old),
            None => {}
        }
    }
    let done: HashSet<usize> = edited.iter().map(|(_, old)| *old).collect();
    free.retain(|at| !done.contains(at));
}
