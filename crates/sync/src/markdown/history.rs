//! What the commits of a repository say a changelog once was: which of its events were edited, deleted or put elsewhere, and
//! by which commit.

mod successors;
mod versions;

use std::collections::{HashMap, HashSet};
use std::path::Path;

use idetic_core::Hash;
use idetic_memory::Result;

use super::files::Logs;
use super::git;
use super::records::half;
use successors::successors;
use versions::{Event, Version, Versions};

/// What was done to an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// It says something else.
    Edited,
    /// It is nowhere.
    Deleted,
    /// It stands in another place.
    Moved,
}

/// An event that is not as a commit had it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lost {
    /// What it is known by: its block without the numbers of events.
    pub bare: Hash,
    /// Its number before.
    pub number: Option<u64>,
    /// What it is called: its number, or the day it has in its heading.
    pub name: String,
    /// What was done to it.
    pub what: Loss,
    /// The commit that did it; none where the working tree does.
    pub commit: Option<String>,
    /// The commit that still had it.
    pub parent: String,
    /// The event that stands in its place now.
    pub successor: Option<Hash>,
}

/// What all commits up to what is checked out had.
pub struct History {
    /// Every event that one of them had.
    ever: HashSet<String>,
    /// Those that are not as they were.
    pub lost: Vec<Lost>,
    /// Whether the clone has only the last commits.
    pub is_shallow: bool,
}

/// Where something was done: the commit and its parent.
#[derive(Clone)]
struct Step {
    commit: Option<String>,
    parent: String,
    number: Option<u64>,
    name: String,
}

#[derive(Default)]
struct Walk {
    ever: HashSet<Hash>,
    /// The event that another one is an edit of.
    edit_of: HashMap<Hash, Hash>,
    /// Where edits were made, by what they made.
    edited: HashMap<Hash, Step>,
    gone: HashMap<Hash, Step>,
    /// Events of which a number in the words or references was changed.
    misnamed: HashMap<Hash, Step>,
    moved: HashMap<Hash, Step>,
}

impl History {
    /// Reads it; none without a repository that has the changelog.
    pub fn read(root: &Path, logs: &Logs) -> Result<Option<Self>> {
        let Some(head) = git::head(root) else { return Ok(None) };
        let mut tips = vec![head];
        tips.extend(git::merged_in(root));
        let commits = git::commits_of_log(root, &tips)?;
        let mut wanted: Vec<String> = commits.iter().map(|(commit, _)| commit.clone()).collect();
        wanted.extend(tips.iter().cloned());
        let versions = Versions::read(root, &wanted)?;
        let mut walk = Walk::default();
        for (commit, parents) in &commits {
            walk.step(&versions, versions.of(commit), Some(commit), parents);
        }
        if walk.ever.is_empty() {
            return Ok(None);
        }
        let now = Version::of(logs);
        walk.step(&versions, &now, None, &tips);
        Ok(Some(walk.finish(&versions, &now, git::is_shallow(root))))
    }

    /// Whether a commit had an event, by the half of what it is known by.
    pub fn had(&self, bare: &str) -> bool {
        self.ever.contains(bare)
    }

    /// What the numbers of events meant in some commits.
    pub fn numbers(root: &Path, commits: &[String]) -> Result<HashMap<String, HashMap<u64, Hash>>> {
        if commits.is_empty() {
            return Ok(HashMap::new());
        }
        let versions = Versions::read(root, commits)?;
        let numbers = |commit: &String| {
            let numbered = versions.of(commit).events().filter_map(|event| Some((event.number?, event.bare)));
            (commit.clone(), numbered.collect())
        };
        Ok(commits.iter().map(numbers).collect())
    }

    /// Whether one of some commits has an event.
    pub fn has(root: &Path, commits: &[String], bare: &str) -> bool {
        let has = |version: &Version| version.events().any(|event| half(&event.bare) == bare);
        let versions = Versions::read(root, commits);
        versions.is_ok_and(|versions| commits.iter().any(|commit| has(versions.of(commit))))
    }

    /// What was done to an event.
    pub fn lost(&self, bare: &Hash) -> Option<&Lost> {
        self.lost.iter().find(|lost| lost.bare == *bare)
    }
}

impl Walk {
    /// The event that an edit was made of, by any number of edits.
    fn original(&self, bare: Hash) -> Hash {
        let mut at = bare;
        // A circle cannot be: what was there before is not taken for an edit.
        while let Some(of) = self.edit_of.get(&at) {
            at = *of;
        }
        at
    }

    fn step(&mut self, versions: &Versions, child: &Version, commit: Option<&String>, parents: &[String]) {
        let there = child.places();
        let of_parents: Vec<&Version> = parents.iter().map(|parent| versions.of(parent)).collect();
        let before: Vec<HashMap<Hash, usize>> = of_parents.iter().map(|parent| parent.places()).collect();
        let new: Vec<&Event> =
            child.events().filter(|event| before.iter().all(|of| !of.contains_key(&event.bare))).collect();
        for (at, (name, parent)) in parents.iter().zip(&of_parents).enumerate() {
            let step = |event: &Event| Step {
                commit: commit.cloned(),
                parent: name.clone(),
                number: event.number,
                name: event.name(),
            };
            let gone: Vec<&Event> = parent.events().filter(|event| !there.contains_key(&event.bare)).collect();
            let successors = successors(parent, child, &gone, &new);
            for event in gone {
                let original = self.original(event.bare);
                let successor = successors.get(&event.bare).copied();
                if let Some(other) = successor.filter(|other| !self.ever.contains(other) && *other != original) {
                    self.edit_of.insert(other, original);
                    self.edited.insert(other, step(event));
                }
                self.gone.insert(original, step(event));
            }
            let (earlier, child) = (parent.list(), child.list());
            for event in &earlier {
                let same = there.get(&event.bare).map(|at| child[*at]);
                if same.is_some_and(|same| self.is_misnamed(&earlier, event, &child, same)) {
                    self.misnamed.insert(event.bare, step(event));
                }
            }
            // A merge keeps the order of the branch that it is made on, or of another one that has all of that one's events:
            // where only one side changed the file, git takes it as it is.
            let is_taken = |(other, own): (&&Version, &HashMap<Hash, usize>)| {
                let has_all = earlier.iter().all(|event| own.contains_key(&event.bare));
                has_all && out_of_order(&other.list(), &there).is_empty()
            };
            if at == 0 && !of_parents.iter().zip(&before).skip(1).any(is_taken) {
                for event in out_of_order(&earlier, &there) {
                    self.moved.insert(event.bare, step(event));
                }
            }
        }
        self.ever.extend(commit.into_iter().flat_map(|_| child.events().map(|event| event.bare)));
    }

    /// Whether an event names another event by another number than before that is not the same one.
    fn is_misnamed(&self, earlier: &[&Event], event: &Event, later: &[&Event], same: &Event) -> bool {
        let meant = |list: &[&Event], from: &Event, number: u64| {
            let at = list.iter().position(|other| std::ptr::eq(*other, from))?;
            let is_it = |other: &&&Event| other.number == Some(number);
            let found = list[..=at].iter().rev().find(is_it).or_else(|| list[at..].iter().find(is_it))?;
            Some(self.original(found.bare))
        };
        let mut pairs = event.named.iter().zip(&same.named).filter(|(old, new)| old != new);
        pairs.any(|(old, new)| {
            let before = meant(earlier, event, *old);
            before.is_none() || before != meant(later, same, *new)
        })
    }

    fn finish(self, versions: &Versions, now: &Version, is_shallow: bool) -> History {
        let there = now.places();
        let purged: HashSet<u64> = now.purged().collect();
        let list = now.list();
        let mut lost = Vec::new();
        let mut tell = |bare: Hash, step: &Step, what: Loss, successor: Option<Hash>| {
            if step.number.is_some_and(|number| purged.contains(&number)) {
                return;
            }
            let Step { commit, parent, number, name } = step.clone();
            lost.push(Lost { bare, number, name, what, commit, parent, successor });
        };
        for (bare, step) in self.gone.iter().filter(|(bare, _)| !there.contains_key(*bare)) {
            let edit = list.iter().find(|event| event.bare != *bare && self.original(event.bare) == *bare);
            let made = edit.and_then(|event| Some((event.bare, self.edited.get(&event.bare)?)));
            match made {
                Some((other, made)) => tell(*bare, made, Loss::Edited, Some(other)),
                None => tell(*bare, step, Loss::Deleted, None),
            }
        }
        for (bare, step) in &self.misnamed {
            let parent = versions.of(&step.parent).list();
            let before = parent.iter().find(|event| event.bare == *bare);
            if let (Some(before), Some(at)) = (before, there.get(bare))
                && self.is_misnamed(&parent, before, &list, list[*at])
            {
                tell(*bare, step, Loss::Edited, Some(*bare));
            }
        }
        for (bare, step) in &self.moved {
            let parent = versions.of(&step.parent).list();
            if there.contains_key(bare) && out_of_order(&parent, &there).iter().any(|event| event.bare == *bare) {
                tell(*bare, step, Loss::Moved, None);
            }
        }
        lost.sort_by(|one, other| (one.number, &one.name).cmp(&(other.number, &other.name)));
        History { ever: self.ever.iter().map(half).collect(), lost, is_shallow }
    }
}

/// The events that do not stand in the order they had: as few as can be, so that the others do.
fn out_of_order<'e>(before: &[&'e Event], places: &HashMap<Hash, usize>) -> Vec<&'e Event> {
    let kept: Vec<(&Event, usize)> =
        before.iter().filter_map(|event| Some((*event, *places.get(&event.bare)?))).collect();
    if kept.windows(2).all(|pair| pair[0].1 <= pair[1].1) {
        return Vec::new();
    }
    // The longest row that rises: for each length the place where the smallest one ends.
    let mut ends: Vec<usize> = Vec::new();
    let mut previous: Vec<Option<usize>> = Vec::with_capacity(kept.len());
    for (at, (_, place)) in kept.iter().enumerate() {
        let length = ends.partition_point(|end| kept[*end].1 < *place);
        previous.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        if length == ends.len() { ends.push(at) } else { ends[length] = at }
    }
    let mut stays: HashSet<usize> = HashSet::new();
    let mut at = ends.last().copied();
    while let Some(place) = at {
        stays.insert(place);
        at = previous[place];
    }
    kept.iter().enumerate().filter(|(at, _)| !stays.contains(at)).map(|(_, (event, _))| *event).collect()
}
