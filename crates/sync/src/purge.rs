//! Purging: what some events say is taken out of everything that is kept here, folders included, and a receipt says how
//! much that was.
//!
//! What is to go is written down first, without a word of it. Whenever a purge is stopped after that, the next one finishes
//! it: every step can be done again.

mod lines;
mod remains;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use idetic_core::Record;
use idetic_memory::purge::{Plan, PurgeCandidate, PurgeJournal, Selection, TextPattern, receipt};
use idetic_memory::{Memory, Result, Space};
use idetic_store::LockFile;
use serde::Serialize;

pub use self::lines::{PurgedLine, PurgedText};
use self::lines::{bare, with_passages};
use crate::amem::{self, Bound, Stayed};
use crate::markdown::{self, Project};

/// Held while a space is purged.
const LOCK: &str = "purge.lock";
/// What the receipt of an erasure says that nobody asked for.
const EXPIRED: &str = "expired";

/// What was purged, or would be.
#[derive(Debug, Clone, Serialize)]
pub struct Purged {
    /// Whether it was done, or only looked at.
    pub applied: bool,
    /// The space.
    pub space: String,
    /// How many events' content goes.
    pub count: usize,
    /// The first of them, in the order of the log.
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

/// The answer of a look.
pub fn planned(space: &Space, plan: &Plan) -> Result<Purged> {
    Ok(Purged {
        applied: false,
        space: space.name().to_string(),
        count: plan.chosen.len(),
        events: with_passages(space, &plan.chosen, plan.words.as_ref())?,
        receipt: None,
        files: Vec::new(),
        left: Vec::new(),
        warnings: Vec::new(),
    })
}

/// What a program that embeds the memory may ask to be forgotten.
#[derive(Debug, Clone, Copy)]
pub enum Forget<'a> {
    /// One event, by its id or number.
    Event(&'a str),
    /// Whatever says a text.
    Matching(&'a str),
}

/// Purges what the owner of a space asks for; nothing found is no error.
pub fn forget(memory: &Memory, space: &Arc<Space>, what: &Forget) -> Result<Purged> {
    let wanted = match what {
        Forget::Event(id) => Selection { event: Some((*id).to_owned()), with_versions: true, ..Selection::default() },
        Forget::Matching(text) => Selection { matching: Some(TextPattern::new(text)?), ..Selection::default() },
    };
    resume(memory, space)?;
    let plan = Plan::of(space, &wanted, &mut |_, _| {})?;
    if plan.chosen.is_empty() && wanted.matching.is_none() {
        return planned(space, &plan);
    }
    purge(memory, space, plan, None)
}

/// Erases what has expired and may be erased, as a purge does; none where there is nothing.
pub fn erase_expired(
    memory: &Memory,
    space: &Arc<Space>,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Option<Purged>> {
    // Also where nothing has expired any more: what was stopped half way is not found again.
    resume(memory, space)?;
    if space.erasable(space.horizon(None)?)?.is_empty() {
        return Ok(None);
    }
    let plan = Plan::of(space, &Selection { expired: true, ..Selection::default() }, progress)?;
    if plan.chosen.is_empty() {
        return Ok(None);
    }
    purge(memory, space, plan, Some(EXPIRED)).map(Some)
}

/// Finishes a purge that was stopped; none where none was.
pub fn resume(memory: &Memory, space: &Arc<Space>) -> Result<Option<Purged>> {
    let lock = LockFile::open(&space.folder().join(LOCK))?;
    let _alone = lock.hold()?;
    match PurgeJournal::load(space)? {
        Some(intent) => carry_out(memory, space, &intent, None, &[]).map(Some),
        None => Ok(None),
    }
}

/// Carries a plan out.
pub fn purge(memory: &Memory, space: &Arc<Space>, plan: Plan, reason: Option<&str>) -> Result<Purged> {
    let lock = LockFile::open(&space.folder().join(LOCK))?;
    let _alone = lock.hold()?;
    let seqs: Vec<u64> = plan.chosen.iter().map(|chosen| chosen.seq).collect();
    let receipt = receipt(memory.env(), &seqs, reason)?;
    let intent = PurgeJournal::new(space, &plan.chosen, receipt)?;
    intent.save(space)?;
    carry_out(memory, space, &intent, plan.words, &plan.chosen)
}

fn carry_out(
    memory: &Memory,
    space: &Arc<Space>,
    intent: &PurgeJournal,
    words: Option<TextPattern>,
    chosen: &[PurgeCandidate],
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
    let (folders, projects) = (folders(memory, space, &mut warnings)?, projects(space, &mut warnings));
    for folder in &folders {
        files.extend(Bound::open(Arc::clone(space), folder)?.strip(&gone)?);
    }
    for project in &projects {
        files.extend(Project::of(Arc::clone(space), project)?.strip(&gone)?);
    }
    files.extend(remains::clean(space, &gone)?);
    markdown::forget_texts(space, &gone)?;
    space.signal_erasure()?;
    space.discard_derived()?;
    space.vectors().remove(&inputs)?;
    space.raw_log().erase(&seqs)?;
    // Once more: whoever read or embedded meanwhile made something of what is gone now.
    space.signal_erasure()?;
    space.discard_derived()?;
    space.vectors().remove(&inputs)?;
    space.vectors().leave_no_trace()?;
    space.drop_caches();
    if let Err(error) = space.sweep_snapshots() {
        warnings.push(format!(
            "old snapshots could not be removed: {error}; nobody can read them any more, and the next server or \
             `idetic snapshot` removes them once the folder can be reached"
        ));
    }
    for folder in &folders {
        Bound::open(Arc::clone(space), folder)?.refresh()?;
    }
    for project in &projects {
        Project::of(Arc::clone(space), project)?.refresh()?;
    }
    intent.forget(space)?;
    warnings.extend(remains::warnings(space, &gone, folders.iter().chain(&projects)));
    let left = remains::left(memory.home(), space, &gone, &folders, &projects);
    let (name, count, events) = (space.name().to_string(), chosen.len(), bare(chosen));
    Ok(Purged { applied: true, space: name, count, events, receipt, files, left, warnings })
}

/// The A-MEM folders that have, or may have, lines of this space.
fn folders(memory: &Memory, space: &Space, warnings: &mut Vec<String>) -> Result<Vec<PathBuf>> {
    let (mut folders, gone) = amem::known_folders(space)?;
    let config = memory.config();
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
    format!("{} does not exist: wherever the folder is now, its files are unchanged", folder.display())
}

/// The projects whose Markdown files follow this space.
fn projects(space: &Space, warnings: &mut Vec<String>) -> Vec<PathBuf> {
    let Some(project) = markdown::bound_project(space) else { return Vec::new() };
    if project.is_dir() {
        return vec![project];
    }
    warnings.push(not_there(&project));
    Vec::new()
}
