//! Which event is which, whatever its number: the hash of its block.

use std::collections::HashMap;

use idetic_core::Hash;

use super::changelog::{Changelog, Entry, mentions};

/// What stays the same of an event when it gets another number or another line break.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Identity {
    /// The hash of its block with the identities of the events it refers to in place of their numbers.
    pub full: Hash,
    /// The hash of its block alone, its references left out: what an edit of another event does not touch.
    pub alone: Hash,
    /// The same without the number of any event that is named anywhere in it: what a merge that gives out other numbers
    /// does not touch.
    pub bare: Hash,
}

/// The identities of all events of some files, in the order of their entries. The files are read as one log, the archive
/// first. An event that refers to one further on, or to itself, takes that one's hash without references, so that circles
/// have an end.
pub fn identities(files: &[&Changelog]) -> Vec<Vec<Identity>> {
    let all = files.iter().flat_map(|file| file.entries().iter().map(|entry| (*file, entry)));
    let mut rest = in_order(&all.collect::<Vec<_>>(), &|_| None).into_iter();
    files.iter().map(|file| rest.by_ref().take(file.entries().len()).collect()).collect()
}

/// The identities of the events of a file from one on, where those before are known by their numbers: the same as if all
/// were read.
pub fn identities_behind(file: &Changelog, first: usize, known: &dyn Fn(u64) -> Option<Hash>) -> Vec<Identity> {
    let entries = file.entries().get(first..).unwrap_or_default();
    in_order(&entries.iter().map(|entry| (file, entry)).collect::<Vec<_>>(), known)
}

fn in_order(all: &[(&Changelog, &Entry)], known: &dyn Fn(u64) -> Option<Hash>) -> Vec<Identity> {
    let alone: Vec<Hash> = all.iter().map(|(file, entry)| hash(file, entry, &|_| Some("ref".to_owned()))).collect();
    let mut later: HashMap<u64, usize> = HashMap::new();
    for (at, (_, entry)) in all.iter().enumerate().rev() {
        later.extend(entry.number.map(|number| (number, at)));
    }
    let mut earlier: HashMap<u64, Hash> = HashMap::new();
    let mut identities = Vec::with_capacity(all.len());
    for (at, (file, entry)) in all.iter().enumerate() {
        let named = |number: u64| {
            if entry.number == Some(number) {
                return Some("self".to_owned());
            }
            let before = earlier.get(&number).copied().or_else(|| known(number));
            before.or_else(|| later.get(&number).map(|at| alone[*at])).map(|hash| hash.to_string())
        };
        let full = hash(file, entry, &named);
        earlier.extend(entry.number.map(|number| (number, full)));
        identities.push(Identity { full, alone: alone[at], bare: bare(file, entry) });
    }
    identities
}

/// The hash of a block: without its number, line breaks and blanks at the ends of lines made one, the events of its
/// references named.
fn hash(file: &Changelog, entry: &Entry, named: &dyn Fn(u64) -> Option<String>) -> Hash {
    let is_ref = |at: usize| entry.refs_range.as_ref().is_some_and(|refs| refs.contains(&at));
    masked(file, entry, &|at, number| is_ref(at).then(|| named(number)))
}

/// The hash of a block in which no event that it names has a number.
fn bare(file: &Changelog, entry: &Entry) -> Hash {
    masked(file, entry, &|_, _| Some(Some("ref".to_owned())))
}

/// The hash of a block in which the events it names, by place and number, are called otherwise: none at all stays as it is.
fn masked(file: &Changelog, entry: &Entry, named: &dyn Fn(usize, u64) -> Option<Option<String>>) -> Hash {
    let (text, start) = (file.text(), entry.range.start);
    let raw = file.raw(entry);
    let mut block = String::with_capacity(raw.len() + 64);
    let mut from = 0;
    if let Some(id) = &entry.id_range {
        block.push_str(&text[start..id.start]);
        block.push_str("evt");
        from = id.end - start;
    }
    for (begin, end, number) in
        mentions(raw).filter(|(begin, ..)| entry.id_range.as_ref().is_none_or(|id| start + begin >= id.end))
    {
        let Some(name) = named(start + begin, number) else { continue };
        block.push_str(&raw[from..begin]);
        match name {
            Some(name) => block.push_str(&name),
            None => block.push_str(&format!("unknown:{}", &raw[begin..end])),
        }
        from = end;
    }
    block.push_str(&raw[from..]);
    let lines: Vec<&str> = block.lines().map(str::trim_end).collect();
    Hash::of(lines.join("\n").trim_end().as_bytes())
}

#[cfg(test)]
mod tests;
