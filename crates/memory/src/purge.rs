//! Purging: what some events say is taken out of everything that is kept here, and a receipt says how much that was.
//!
//! What is to go is written down first, without a word of it. Whenever a purge is stopped after that, the next one finishes
//! it: every step can be done again.

mod choose;
mod intent;
mod remains;
mod words;

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use idetic_core::words::Persona;
use idetic_core::{Hash, Record};
use idetic_store::LockFile;
use serde::Serialize;
use serde_json::json;

use crate::amem::{self, Bound};
use crate::markdown::Project;
use crate::retention::Stayed;
use crate::{Context, Error, Result, Space};
use choose::Chosen;
pub(crate) use choose::{Wanted, choose};
pub(crate) use intent::Intent;
pub(crate) use words::Words;

/// Most ranges of numbers that a receipt lists.
const RECEIPT_RANGES: usize = 2000;
/// Held while a space is purged.
const LOCK: &str = "purge.lock";

/// What was purged, or would be.
#[derive(Debug, Clone, Serialize)]
pub struct Purged {
    /// Whether it was done, or only looked at.
    pub applied: bool,
    /// The space.
    pub space: String,
    /// The events whose content goes, in the order of the log.
    pub events: Vec<PurgedLine>,
    /// The event that says how many went, once they have.
    pub receipt: Option<String>,
    /// Files outside of the log that were rewritten or removed.
    pub files: Vec<String>,
    /// Files that still say it and are not this program's to change, with the reason.
    pub left: Vec<Stayed>,
    /// Places that may have it and were not looked into.
    pub warnings: Vec<String>,
}

/// An event whose content goes.
#[derive(Debug, Clone, Serialize)]
pub struct PurgedLine {
    /// Its number.
    pub seq: u64,
    /// Its id.
    pub id: String,
    /// Its kind.
    pub kind: String,
    /// Why it goes: it was asked for, or derived from one that goes.
    pub why: String,
}

/// What is gone, as whoever cleans a file recognises it.
#[derive(Debug, Default)]
pub(crate) struct Gone {
    /// Events by agent, persona and id.
    pub ids: HashSet<(Option<String>, Option<Persona>, String)>,
    /// The checksums of notes' whole texts.
    pub notes: HashSet<Hash>,
    /// The words that were searched for, where they are known.
    pub words: Option<Words>,
}

impl Gone {
    /// Whether a text has the words that are to go.
    pub fn says(&self, text: &str) -> bool {
        self.words.as_ref().is_some_and(|words| words.are_in(text))
    }

    /// Whether an id of the shared lane, or of whatever agent, is gone.
    pub fn has_id(&self, id: &str) -> bool {
        self.ids.iter().any(|(_, _, own)| own == id)
    }
}

/// What a purge of a space comes to: the events, and how the rest is found and recognised.
pub(crate) struct Plan {
    pub chosen: Vec<Chosen>,
    words: Option<Words>,
}

impl Plan {
    /// Looks for what is to go.
    pub fn of(space: &Space, wanted: &Wanted, progress: &mut dyn FnMut(u64, u64)) -> Result<Self> {
        Ok(Self { chosen: choose(space, wanted, progress)?, words: wanted.matching.clone() })
    }

    /// The events as they are told.
    pub fn lines(&self) -> Vec<PurgedLine> {
        let line = |c: &Chosen| PurgedLine { seq: c.seq, id: c.id.clone(), kind: c.kind.clone(), why: c.why.clone() };
        self.chosen.iter().map(line).collect()
    }
}

/// The answer of a look.
pub(crate) fn planned(space: &Space, plan: &Plan) -> Purged {
    let (events, name) = (plan.lines(), space.name().to_string());
    Purged {
        applied: false,
        space: name,
        events,
        receipt: None,
        files: Vec::new(),
        left: Vec::new(),
        warnings: Vec::new(),
    }
}

/// Finishes a purge that was stopped; none where none was.
pub(crate) fn resume(cx: &mut Context, space: &Arc<Space>) -> Result<Option<Purged>> {
    let lock = LockFile::open(&space.folder().join(LOCK))?;
    let _alone = lock.hold()?;
    match Intent::load(space)? {
        Some(intent) => carry_out(cx, space, &intent, None, Vec::new()).map(Some),
        None => Ok(None),
    }
}

/// Carries a plan out.
pub(crate) fn purge(cx: &mut Context, space: &Arc<Space>, plan: Plan, reason: Option<&str>) -> Result<Purged> {
    let lock = LockFile::open(&space.folder().join(LOCK))?;
    let _alone = lock.hold()?;
    let lines = plan.lines();
    let receipt = receipt(cx, &plan.chosen, reason)?;
    let intent = Intent::new(space, &plan.chosen, receipt)?;
    intent.save(space)?;
    carry_out(cx, space, &intent, plan.words, lines)
}

/// The record of the receipt: how many, which numbers, why; never a word of what they said. It belongs to nobody's memory.
fn receipt(cx: &Context, chosen: &[Chosen], reason: Option<&str>) -> Result<String> {
    let ranges = ranges(chosen.iter().map(|chosen| chosen.seq));
    let mut metadata = json!({
        "events": chosen.len(),
        "seqs": ranges.iter().take(RECEIPT_RANGES).collect::<Vec<_>>(),
    });
    if ranges.len() > RECEIPT_RANGES {
        metadata["ranges"] = json!(ranges.len());
    }
    if let Some(reason) = reason {
        metadata["reason"] = json!(reason);
    }
    let record = json!({
        // Chosen here, so that a purge that is finished later does not leave two.
        "id": format!("purged-{}", crate::new_trace(&cx.sources)),
        "kind": idetic_core::views::PURGED,
        "ts": cx.sources.now().to_string(),
        "agent_id": "idetic", "persona": "subconscious", "visibility": "internal",
        "metadata": metadata,
    });
    Ok(Record::parse(record.to_string().as_bytes())?.body)
}

/// Numbers in order as ranges.
fn ranges(seqs: impl Iterator<Item = u64>) -> Vec<(u64, u64)> {
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for seq in seqs {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == seq => *last = seq,
            _ => ranges.push((seq, seq)),
        }
    }
    ranges
}

fn carry_out(
    cx: &mut Context,
    space: &Arc<Space>,
    intent: &Intent,
    words: Option<Words>,
    events: Vec<PurgedLine>,
) -> Result<Purged> {
    let seqs: BTreeSet<u64> = intent.seqs.iter().flat_map(|(first, last)| *first..=*last).collect();
    let (gone, inputs) = (intent.gone(words), intent.inputs());
    let mut receipt = None;
    if !seqs.is_empty() {
        let acks = space.append(vec![Record::parse(intent.receipt.as_bytes())?], None)?;
        receipt = acks.into_iter().next().map(|ack| ack.id);
    }
    let (mut files, mut warnings) = (Vec::new(), Vec::new());
    // The files first: as long as the log has the events, it can tell which lines are theirs.
    let (folders, projects) = (folders(cx, space, &mut warnings)?, projects(space, &mut warnings));
    for folder in &folders {
        files.extend(Bound::open(Arc::clone(space), folder)?.strip(&gone)?);
    }
    for project in &projects {
        files.extend(Project::of(Arc::clone(space), project)?.strip(&gone)?);
    }
    files.extend(remains::clean(space, &gone)?);
    crate::markdown::forget_texts(space, &gone)?;
    space.tell_of_erasure()?;
    space.discard_derived()?;
    space.vectors().remove(&inputs)?;
    space.log().erase(&seqs)?;
    // Once more: whoever read or embedded meanwhile made something of what is gone now.
    space.tell_of_erasure()?;
    space.discard_derived()?;
    space.vectors().remove(&inputs)?;
    space.vectors().leave_no_trace()?;
    for folder in &folders {
        Bound::open(Arc::clone(space), folder)?.refresh()?;
    }
    for project in &projects {
        Project::of(Arc::clone(space), project)?.refresh()?;
    }
    intent.forget(space)?;
    warnings.extend(remains::warnings(space, &gone, folders.iter().chain(&projects)));
    let left = remains::left(cx.memory()?.home(), space, &gone, &folders, &projects);
    Ok(Purged { applied: true, space: space.name().to_string(), events, receipt, files, left, warnings })
}

/// The A-MEM folders that have, or may have, lines of this space.
fn folders(cx: &Context, space: &Space, warnings: &mut Vec<String>) -> Result<Vec<PathBuf>> {
    let (mut folders, gone) = amem::known_folders(space)?;
    let config = cx.config()?;
    if config.space == *space.name() && !config.amem.folder.is_empty() {
        folders.push(PathBuf::from(&config.amem.folder));
    }
    warnings.extend(gone.iter().map(|folder| not_there(folder)));
    let mut there: Vec<PathBuf> = folders.into_iter().filter_map(|folder| std::fs::canonicalize(folder).ok()).collect();
    there.sort();
    there.dedup();
    Ok(there.into_iter().filter(|folder| folder.is_dir()).collect())
}

fn not_there(folder: &Path) -> String {
    format!("{} is not there: wherever the folder is now, its files keep what they say", folder.display())
}

/// The projects whose Markdown files follow this space.
fn projects(space: &Space, warnings: &mut Vec<String>) -> Vec<PathBuf> {
    let Some(project) = crate::markdown::bound_project(space) else { return Vec::new() };
    if project.is_dir() {
        return vec![project];
    }
    warnings.push(not_there(&project));
    Vec::new()
}

/// Refuses to go on without being told to.
pub(crate) fn not_told(count: usize) -> Error {
    let what = if count == 1 { "1 event".to_owned() } else { format!("{count} events") };
    Error::invalid(format!("the content of {what} would be erased for good, and that cannot be undone"))
        .hint("look with --dry-run, then say --yes")
}
