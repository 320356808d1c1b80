//! Retention: what is moved out of the way when it is old, and what is given up when that is asked for.

use std::collections::HashSet;

use idetic_core::views::{NOTES, TIMELINE};
use idetic_core::{Event, Time};
use idetic_search::{Document, InputHash, input_hash};
use idetic_store::{Archive, Filter, Select};
use serde::Serialize;

use crate::{Error, Result, Space};

/// Events read at a time.
const PAGE_EVENTS: u64 = 1000;
/// There only while content is being given up: where it was left, what is derived must be thrown away once more.
const DROPPING: &str = "dropping";

/// What was done for the sake of retention, or would be.
#[derive(Debug, Clone, Serialize)]
pub struct Retained {
    /// Whether it was done, or only looked at.
    pub applied: bool,
    /// What happened before this moment is old; none where nothing ever is.
    pub older_than: Option<Time>,
    /// Events that move from the log's database to archive files.
    pub archived: u64,
    /// Events whose content is given up.
    pub dropped: u64,
    /// Of the events that are old, those that keep it: the texts of notes as they stand.
    pub kept: u64,
    /// Bytes of the log's database, before and after.
    pub database_bytes: (u64, u64),
    /// The archive files, with those of earlier times.
    pub archives: Vec<ArchiveLine>,
}

/// One archive file.
#[derive(Debug, Clone, Serialize)]
pub struct ArchiveLine {
    /// Its name in the space's folder.
    pub file: String,
    /// Its first event.
    pub first: u64,
    /// Its last event.
    pub last: u64,
    /// How many of them have lost their content.
    pub erased: u64,
    /// Its size.
    pub bytes: u64,
}

impl From<Archive> for ArchiveLine {
    fn from(archive: Archive) -> Self {
        let Archive { first, last, file, bytes, erased } = archive;
        Self { file, first, last, erased, bytes }
    }
}

/// What is asked for.
#[derive(Debug, Clone, Copy)]
pub struct RetentionOptions {
    /// What happened before this moment is old.
    pub older_than: Option<Time>,
    /// Whether it is done, or only looked at.
    pub apply: bool,
    /// Whether the content of what is old is given up.
    pub drop: bool,
}

/// Does what is wanted to the log of a space.
pub fn retain(space: &Space, wanted: RetentionOptions, progress: &mut dyn FnMut(u64, u64)) -> Result<Retained> {
    // What has expired and is not erased yet is there like anything else.
    let space = &*space.with_expired();
    let log = space.log();
    let last = wanted.older_than.map_or(Ok(0), |cut| old_prefix(space, cut))?;
    let archived_before = log.archives()?.last().map_or(0, |archive| archive.last);
    let before = database_bytes(space);
    let mut archived = last.saturating_sub(archived_before);
    if wanted.apply {
        archived = log.archive(last, &mut |seq| progress(seq, last))?;
    }
    let (dropped, kept) = if wanted.drop { give_up(space, last, wanted.apply, progress)? } else { (0, 0) };
    let archives = log.archives()?.into_iter().map(ArchiveLine::from).collect();
    Ok(Retained {
        applied: wanted.apply,
        older_than: wanted.older_than,
        archived,
        dropped,
        kept,
        database_bytes: (before, database_bytes(space)),
        archives,
    })
}

/// The last event of the longest beginning of the log of which all happened before a moment, whenever they were written. The
/// very last event of the log always stays where it is: the next one is linked to it.
fn old_prefix(space: &Space, cut: Time) -> Result<u64> {
    let head = space.horizon(None)?;
    let young = Select { limit: Some(1), ..Select::from(&TIMELINE, head).filter(Filter::AtLeast("ts", cut.0.into())) };
    let young = space.seqs(&young)?.first().copied().unwrap_or(u64::MAX);
    Ok((young - 1).min(head.saturating_sub(1)))
}

/// Gives up the content of the archived events up to a seq: bodies, vectors, and everything derived from them. Gives how
/// many, and how many keep theirs.
fn give_up(space: &Space, last: u64, apply: bool, progress: &mut dyn FnMut(u64, u64)) -> Result<(u64, u64)> {
    if last == 0 {
        return Ok((0, 0));
    }
    let head = space.horizon(None)?;
    let notes = space.select(&Select::from(&NOTES, head))?;
    let column = |name: &str| NOTES.columns.iter().position(|own| *own == name);
    let cell = |row: &idetic_store::Row, name: &str| column(name).map_or(0, |at| row.values[at].int());
    let standing: HashSet<u64> = notes
        .iter()
        .filter(|row| cell(row, "deleted") == 0)
        .filter_map(|row| u64::try_from(cell(row, "seq")).ok())
        .filter(|seq| *seq <= last)
        .collect();
    let keeps = |seq: u64| standing.contains(&seq);
    let mark = space.folder().join(DROPPING);
    let unfinished = mark.exists();
    if apply {
        std::fs::write(&mark, "").map_err(Error::io("cannot write into the space's folder"))?;
        // After a power failure too the next one must know.
        space.flush_names()?;
    }
    let (mut count, mut next) = (0, 1);
    while next <= last {
        let page = (last - next + 1).min(PAGE_EVENTS);
        let events = space.raw_page(next, usize::try_from(page).unwrap_or(0))?;
        let given_up = events.iter().filter(|event| event.secret.is_some() && !keeps(event.header.seq));
        let mut inputs = Vec::new();
        for stored in given_up {
            count += 1;
            inputs.extend(input_of(&Event::read(stored)?));
        }
        if apply {
            // Before their texts: without these nobody could tell any more which vectors were theirs.
            space.vectors().remove(&inputs)?;
        }
        next += page;
        progress(next - 1, last);
    }
    if apply && (count > 0 || unfinished) {
        space.signal_erasure()?;
        space.discard_derived()?;
        count = space.log().erase_archived(last, &keeps)?;
        // Once more: whoever read meanwhile has folded what is gone now.
        space.signal_erasure()?;
        space.discard_derived()?;
        space.drop_caches();
        space.sweep_or_record();
    }
    if apply {
        std::fs::remove_file(&mark).map_err(Error::io("cannot write into the space's folder"))?;
    }
    Ok((count, standing.len() as u64))
}

/// Under what the vectors of an event's text are kept.
pub fn input_of(event: &Event) -> Option<InputHash> {
    let text = event.whole_text();
    let (lane, document) = Document::of(event, &text)?;
    Some(input_hash(&lane, document.text))
}

fn database_bytes(space: &Space) -> u64 {
    let length = |name: &str| std::fs::metadata(space.folder().join(name)).map_or(0, |data| data.len());
    length("log.db") + length("log.db-wal")
}
