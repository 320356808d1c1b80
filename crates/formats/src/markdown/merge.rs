//! Two branches of a changelog joined as a git merge driver needs it: no event lost, the later ones renumbered.

mod events;
mod repeated;
mod text;

use std::collections::{HashMap, HashSet};

use idetic_core::Hash;

use super::archive::is_separator;
use super::changelog::{Changelog, Entry, Generation, Part, event_id, mentions};
use super::identity::{Identity, identities};
use super::lines::newline;
use super::write::gap;
use events::{Fate, Fates};

pub use repeated::{Unique, without_repeats};

/// One of two branches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The branch that is merged into.
    Ours,
    /// The branch that comes in.
    Theirs,
}

/// Something that a person should look at. Whatever it is, nothing was thrown away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Conflict {
    /// Both changed the same text that is no event; both versions stand behind each other.
    Text {
        /// What this branch made of it.
        ours: String,
        /// What the other made of it.
        theirs: String,
    },
    /// An event was edited, which nobody should do; the edited one was taken.
    Edited {
        /// Its number.
        number: u64,
        /// Who edited it.
        side: Side,
    },
    /// An event was edited on both sides; theirs was added as a new one.
    EditedTwice {
        /// Its number.
        number: u64,
        /// The number of the other version.
        other: u64,
    },
    /// An event was deleted without being archived; it is there again.
    Deleted {
        /// Its number.
        number: u64,
        /// Who deleted it.
        side: Side,
    },
    /// Text between their events that is not in ours; it stands behind the last event.
    Stray {
        /// The text.
        text: String,
    },
}

/// An event of the other branch that has another number now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Renumbered {
    /// Which event.
    pub identity: Hash,
    /// Its number there.
    pub old: u64,
    /// Its number now.
    pub new: u64,
}

/// What comes of a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    /// The file.
    pub text: String,
    /// Events that have another number now.
    pub renumbered: Vec<Renumbered>,
    /// What a person should look at.
    pub conflicts: Vec<Conflict>,
}

/// A version of the file, read.
struct Version {
    log: Changelog,
    ids: Vec<Identity>,
    /// Where the first event begins and where the last one ends.
    body: (usize, usize),
    /// The places of the events that have a number, in their order.
    by_number: HashMap<u64, Vec<usize>>,
}

impl Version {
    fn read(text: &str) -> Self {
        let log = Changelog::read(text);
        let ids = identities(&[&log]).pop().unwrap_or_default();
        let place = log.end_of_events.unwrap_or(text.len());
        let start = log.entries().first().map_or(place, |entry| entry.range.start);
        let end = log.entries().last().map_or(place, |entry| entry.range.end);
        let mut by_number: HashMap<u64, Vec<usize>> = HashMap::new();
        for (at, entry) in log.entries().iter().enumerate() {
            if let Some(number) = entry.number {
                by_number.entry(number).or_default().push(at);
            }
        }
        Self { log, ids, body: (start, end), by_number }
    }

    fn entry(&self, at: usize) -> &Entry {
        &self.log.entries()[at]
    }

    fn head(&self) -> &str {
        &self.log.text()[..self.body.0]
    }

    fn tail(&self) -> &str {
        &self.log.text()[self.body.1..]
    }

    /// The event a number means where it is referred to: the last one before, or else the first behind.
    fn target(&self, number: u64, from: usize) -> Option<usize> {
        let places = self.by_number.get(&number)?;
        let behind = places.partition_point(|at| *at < from);
        places.get(behind.saturating_sub(1)).copied()
    }

    /// The pieces between the first and the last event that say something and are none.
    fn strays(&self) -> impl Iterator<Item = &str> {
        let (start, end) = self.body;
        let inside = self.log.pieces().iter().filter(move |p| p.range.start >= start && p.range.end <= end);
        let texts = inside.filter(|piece| !matches!(piece.part, Part::Event(_)));
        texts.map(|piece| self.log.text()[piece.range.clone()].trim()).filter(|text| !is_separator(text))
    }
}

/// Joins two versions of a changelog that come from one base. What both added behind it comes in the order of time, whoever
/// merges, with the next numbers, and references follow. Where one side did more than add, ours stays as it is and what the
/// other side added comes behind it. The same three texts give the same answer everywhere.
pub fn merge(base: &str, ours: &str, theirs: &str) -> Merged {
    let merged = joined_versions(base, ours, theirs);
    // Where only one side did anything, and nothing is to be told, its bytes stay as they are.
    let as_it_is = match () {
        () if !merged.conflicts.is_empty() || !merged.renumbered.is_empty() => None,
        () if theirs == base || theirs == ours => Some(ours),
        () => Some(theirs).filter(|_| ours == base),
    };
    // Where they did nothing, no event of ours goes: in a damaged text what is joined may hide some, behind a comment that nobody
    // closes.
    let count = |text: &str| Changelog::read(text).entries().len();
    let hides_ours = || theirs == base && count(&merged.text) < count(ours);
    let text = as_it_is.or_else(|| hides_ours().then_some(ours)).map(str::to_owned);
    Merged { text: text.unwrap_or(merged.text), ..merged }
}

fn joined_versions(base: &str, ours: &str, theirs: &str) -> Merged {
    let (base, ours, theirs) = (Version::read(base), Version::read(ours), Version::read(theirs));
    let mut conflicts = Vec::new();
    let head = text::three_way(base.head(), ours.head(), theirs.head(), &mut conflicts);
    let tail = text::three_way(base.tail(), ours.tail(), theirs.tail(), &mut conflicts);
    let fates = events::fates(&base, &ours, &theirs, &mut conflicts);
    let newline = newline(ours.log.text());
    if let Some((body, renumbered)) = in_order_of_time(&base, &ours, &theirs, &fates, newline) {
        let blocks: Vec<String> = Some(body).into_iter().filter(|body| !body.is_empty()).collect();
        return Merged { text: joined(&head, &blocks, &tail, newline), renumbered, conflicts };
    }
    let highest = [&base, &ours].iter().filter_map(|version| version.log.highest()).max().unwrap_or(0);
    let numbers = renumbering(&theirs, &fates, highest);
    let incoming = |at: &usize| rewritten(&theirs, *at, &numbers, newline);
    let body = body(&ours, &fates, &incoming, newline);
    let (older, new): (Vec<usize>, Vec<usize>) = fates
        .new
        .iter()
        .partition(|at| theirs.entry(**at).generation == Generation::One && theirs.log.is_newest_first());
    let mut blocks: Vec<String> = older.iter().map(incoming).collect();
    blocks.extend((!body.is_empty()).then_some(body));
    blocks.extend(new.iter().map(incoming));
    let known: HashSet<&str> = base.strays().chain(ours.strays()).collect();
    for text in theirs.strays().filter(|text| !known.contains(text)) {
        blocks.push(text.to_owned());
        conflicts.push(Conflict::Stray { text: text.to_owned() });
    }
    for (at, other) in &fates.twice {
        let number = |version: &Version, at: usize| version.entry(at).number.unwrap_or(0);
        let renumbered = numbers.get(other).copied().unwrap_or(0);
        conflicts.push(Conflict::EditedTwice { number: number(&ours, *at), other: renumbered });
    }
    let renumbered = fates.new.iter().filter_map(|at| {
        let (old, new) = (theirs.entry(*at).number?, *numbers.get(at)?);
        (old != new).then(|| Renumbered { identity: theirs.ids[*at].full, old, new })
    });
    Merged { text: joined(&head, &blocks, &tail, newline), renumbered: renumbered.collect(), conflicts }
}

/// The events as they stand where both sides only added some to the end: those of the base, then the others by time.
fn in_order_of_time(
    base: &Version,
    ours: &Version,
    theirs: &Version,
    fates: &Fates,
    newline: &str,
) -> Option<(String, Vec<Renumbered>)> {
    let old = base.ids.len();
    let begins = |side: &Version| {
        let same = |at: &usize| side.ids.get(*at).is_some_and(|id| id.alone == base.ids[*at].alone);
        let all_new = |version: &Version| version.log.entries()[old..].iter().all(|e| e.generation == Generation::Two);
        (0..old).all(|at| same(&at)) && all_new(side) && side.strays().count() == base.strays().count()
    };
    if fates.new.is_empty() || !begins(ours) || !begins(theirs) {
        return None;
    }
    // Numbers that do not meet, as those of archives, stay; else time decides, and among equals the number.
    let mine_by_number: HashSet<u64> = ours.log.entries()[old..].iter().filter_map(|entry| entry.number).collect();
    let meet = |at: &usize| theirs.entry(*at).number.is_none_or(|number| mine_by_number.contains(&number));
    let stay = !fates.new.iter().any(meet);
    let place = |side: &Version, at: usize| {
        let (entry, id) = (side.entry(at), side.ids[at].full.0);
        let time = if stay { idetic_core::Time(0) } else { entry.time };
        (time, entry.number, id)
    };
    let (mut mine, mut other) = (old..ours.ids.len(), fates.new.iter().copied());
    let (mut next_mine, mut next_other) = (mine.next(), other.next());
    let mut order: Vec<(Side, usize)> = Vec::new();
    loop {
        match (next_mine, next_other) {
            (Some(at), Some(there)) if place(ours, at) > place(theirs, there) => {
                order.push((Side::Theirs, there));
                next_other = other.next();
            }
            (Some(at), _) => {
                order.push((Side::Ours, at));
                next_mine = mine.next();
            }
            (None, Some(there)) => {
                order.push((Side::Theirs, there));
                next_other = other.next();
            }
            (None, None) => break,
        }
    }
    let same: HashMap<usize, u64> = (0..old).filter_map(|at| Some((at, ours.entry(at).number?))).collect();
    let (mut of_ours, mut of_theirs) = (same.clone(), same);
    let mut next = base.log.highest().unwrap_or(0);
    let mut renumbered = Vec::new();
    for (side, at) in &order {
        next = next.saturating_add(1);
        let (version, numbers) = if *side == Side::Ours { (ours, &mut of_ours) } else { (theirs, &mut of_theirs) };
        numbers.insert(*at, next);
        if let Some(was) = version.entry(*at).number.filter(|was| *was != next) {
            renumbered.push(Renumbered { identity: version.ids[*at].full, old: was, new: next });
        }
    }
    // What both added, such as a commit that was picked, has the number it got on our side.
    for (there, number) in &fates.same_number {
        let here = (old..ours.ids.len()).find(|at| ours.entry(*at).number == Some(*number));
        let new = here.and_then(|at| of_ours.get(&at).copied()).filter(|_| *there >= old);
        of_theirs.entry(*there).or_insert(new.unwrap_or(*number));
    }
    let (start, end) = ours.body;
    let end = ours.log.entries().get(old).map_or(end, |entry| entry.range.start);
    let mut body = ours.log.text()[start.min(end)..end].trim_end().to_owned();
    for (side, at) in order {
        let block = match side {
            Side::Ours => rewritten(ours, at, &of_ours, newline),
            Side::Theirs => rewritten(theirs, at, &of_theirs, newline),
        };
        body.push_str(&gap(&body, newline));
        body.push_str(&block);
    }
    Some((body, renumbered))
}

/// The number in the result of every event of theirs that has one.
fn renumbering(theirs: &Version, fates: &Fates, highest: u64) -> HashMap<usize, u64> {
    let mut numbers: HashMap<usize, u64> = fates.same_number.clone();
    let mut next = highest;
    for at in fates.new.iter().filter(|at| theirs.entry(**at).number.is_some()) {
        next = next.saturating_add(1);
        numbers.insert(*at, next);
    }
    numbers
}

/// The text of an event with the numbers of the result: its own, and wherever it names another one.
fn rewritten(version: &Version, at: usize, numbers: &HashMap<usize, u64>, newline: &str) -> String {
    let entry = version.entry(at);
    let raw = version.log.raw(entry);
    let own = entry.id_range.as_ref().map(|id| id.start - entry.range.start);
    let mut out = String::with_capacity(raw.len());
    let mut from = 0;
    for (start, end, number) in mentions(raw) {
        let is_own = own == Some(start) || entry.number == Some(number);
        let target = if is_own { Some(at) } else { version.target(number, at) };
        if let Some(new) = target.and_then(|target| numbers.get(&target)).filter(|new| **new != number) {
            out.push_str(&raw[from..start]);
            out.push_str(&event_id(*new));
            from = end;
        }
    }
    out.push_str(&raw[from..]);
    let plain = out.replace("\r\n", "\n");
    if newline == "\n" { plain } else { plain.replace('\n', newline) }
}

/// Our events as they stand, without what was archived there, with what was deleted or edited here.
fn body(ours: &Version, fates: &Fates, incoming: &dyn Fn(&usize) -> String, newline: &str) -> String {
    let (start, end) = ours.body;
    let mut out = String::new();
    let back = |out: &mut String, at: Option<usize>| {
        for text in fates.restored.get(&at).into_iter().flatten().map(incoming) {
            out.push_str(&gap(out, newline));
            out.push_str(&text);
        }
    };
    back(&mut out, None);
    let mut dropped = false;
    for piece in ours.log.pieces().iter().filter(|p| p.range.start >= start && p.range.end <= end) {
        let raw = &ours.log.text()[piece.range.clone()];
        match &piece.part {
            Part::Event(at) => {
                dropped = matches!(fates.ours[*at], Fate::Archived);
                if dropped {
                    continue;
                }
                if !out.is_empty() {
                    out.push_str(&gap(&out, newline));
                }
                match &fates.ours[*at] {
                    Fate::Replaced(theirs) => out.push_str(&incoming(theirs)),
                    _ => out.push_str(raw),
                }
                back(&mut out, Some(*at));
            }
            _ if dropped && is_separator(raw) => {}
            _ => out.push_str(raw),
        }
    }
    out.trim_end().to_owned()
}

fn joined(head: &str, blocks: &[String], tail: &str, newline: &str) -> String {
    let mut out = head.to_owned();
    for block in blocks {
        out.push_str(&gap(&out, newline));
        out.push_str(block);
    }
    if blocks.is_empty() || tail.starts_with(['\r', '\n']) {
        return out + tail;
    }
    let end = if tail.is_empty() { newline.to_owned() } else { newline.repeat(2) };
    out + &end + tail
}

#[cfg(test)]
mod tests;
