//! The log as readers see it: an event in quarantine has no body for them, as if it had been erased.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use idetic_core::record::IdKey;
use idetic_core::words::Origin;
use idetic_core::{Record, Stored, Tip};
use idetic_search::InputHash;
use serde::{Deserialize, Serialize};

use crate::{Ack, Archive, Batch, Error, EventVectors, HeadState, Log, Problem, Result, Snapshot, Witness};

/// The file in a space's folder that lists what is hidden. It follows from the log, and is rebuilt by `rebuild`.
const FILE: &str = "quarantine";
/// The file that says which events came with an import that nobody accepted, one range a line.
const FOREIGN: &str = "foreign";

/// What the file says: ranges of numbers, both ends included.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Listed {
    hidden: Vec<(u64, u64)>,
}

/// When a file was last read: its length, and when it was changed.
type Stamp = Option<(u64, SystemTime)>;

/// The hidden events, and the file they were read from.
#[derive(Default)]
struct Hidden {
    read: Stamp,
    seqs: Arc<BTreeSet<u64>>,
}

/// The foreign events likewise, as ranges.
#[derive(Default)]
struct Foreign {
    read: Stamp,
    ranges: Arc<Vec<(u64, u64)>>,
}

/// A log, and what is hidden of it.
pub struct FilteredLog {
    log: Box<dyn Log>,
    file: PathBuf,
    hidden: Mutex<Hidden>,
    foreign_file: PathBuf,
    foreign: Mutex<Foreign>,
}

impl FilteredLog {
    /// Over a log whose space has this folder.
    pub fn over(log: Box<dyn Log>, folder: &Path) -> Self {
        let (file, foreign_file) = (folder.join(FILE), folder.join(FOREIGN));
        Self { log, file, hidden: Mutex::default(), foreign_file, foreign: Mutex::default() }
    }

    /// The log with nothing hidden.
    pub fn raw(&self) -> &dyn Log {
        &*self.log
    }

    /// The numbers of the hidden events. Other processes may change them at any time.
    pub fn hidden(&self) -> Result<Arc<BTreeSet<u64>>> {
        let failed = |error| Error::io("cannot read the list of what is in quarantine")(error);
        let stamp = stamp(&self.file).map_err(failed)?;
        let mut hidden = self.hidden.lock().unwrap_or_else(PoisonError::into_inner);
        if hidden.read != stamp {
            let seqs = match stamp {
                None => BTreeSet::new(),
                Some(_) => {
                    let text = std::fs::read_to_string(&self.file).map_err(failed)?;
                    // Nothing is shown while nobody knows what is hidden.
                    let listed: Listed = serde_json::from_str(&text).map_err(|_| {
                        Error::Unavailable(
                            "the list of what is in quarantine is damaged: run `idetic rebuild`".to_owned(),
                        )
                    })?;
                    listed.hidden.into_iter().flat_map(|(from, to)| from..=to).collect()
                }
            };
            *hidden = Hidden { read: stamp, seqs: Arc::new(seqs) };
        }
        Ok(Arc::clone(&hidden.seqs))
    }

    /// The ranges of what came with an import that nobody accepted.
    pub fn foreign(&self) -> Result<Arc<Vec<(u64, u64)>>> {
        let failed = |error| Error::io("cannot read which events are foreign")(error);
        let stamp = stamp(&self.foreign_file).map_err(failed)?;
        let mut foreign = self.foreign.lock().unwrap_or_else(PoisonError::into_inner);
        if foreign.read != stamp {
            let text = if stamp.is_some() {
                std::fs::read_to_string(&self.foreign_file).map_err(failed)?
            } else {
                String::new()
            };
            let mut ranges: Vec<(u64, u64)> = Vec::new();
            for line in text.lines() {
                let (from, to): (u64, u64) = serde_json::from_str(line).map_err(|_| {
                    Error::Unavailable("the list of foreign events is damaged: import them again".to_owned())
                })?;
                match ranges.last_mut() {
                    Some(last) if last.1 + 1 == from => last.1 = to,
                    _ => ranges.push((from, to)),
                }
            }
            *foreign = Foreign { read: stamp, ranges: Arc::new(ranges) };
        }
        Ok(Arc::clone(&foreign.ranges))
    }

    /// Marks further events as foreign.
    pub fn mark_foreign(&self, from: u64, to: u64) -> Result<()> {
        let file = std::fs::OpenOptions::new().create(true).append(true).open(&self.foreign_file);
        let done = file.and_then(|mut file| {
            std::io::Write::write_all(&mut file, format!("[{from},{to}]\n").as_bytes())?;
            file.sync_all()?;
            flush_folder_of(&self.foreign_file)
        });
        done.map_err(Error::io("cannot mark the events as foreign"))
    }

    /// Makes these the foreign events, and no others.
    pub fn set_foreign(&self, ranges: &[(u64, u64)]) -> Result<()> {
        let lines: String = ranges.iter().map(|(from, to)| format!("[{from},{to}]\n")).collect();
        replace(&self.foreign_file, &lines).map_err(Error::io("cannot mark the events as foreign"))
    }

    /// Says of what came with an import that it did, whatever it claims itself.
    pub fn label(&self, events: &mut [Stored]) -> Result<()> {
        let foreign = self.foreign()?;
        for event in events.iter_mut().filter(|_| !foreign.is_empty()) {
            let seq = event.header.seq;
            if let Some(secret) = &mut event.secret
                && foreign.iter().any(|(from, to)| (*from..=*to).contains(&seq))
                && let Ok(mut record) = Record::parse(secret.body.as_bytes())
                && record.set("origin", Origin::Import.word()).is_ok()
            {
                secret.body = record.body;
            }
        }
        Ok(())
    }

    /// Hides just these; nobody finds the file half written.
    pub fn hide(&self, seqs: &BTreeSet<u64>) -> Result<()> {
        let listed = Listed { hidden: ranges(seqs) };
        let text = if seqs.is_empty() { String::new() } else { serde_json::to_string(&listed).unwrap_or_default() };
        replace(&self.file, &text).map_err(Error::io("cannot write the list of what is in quarantine"))
    }
}

/// Replaces a file at once and for good, so that not even a power cut brings the old one back; an empty one goes away.
fn replace(file: &Path, text: &str) -> std::io::Result<()> {
    if text.is_empty() {
        match std::fs::remove_file(file) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            _ => return flush_folder_of(file),
        }
    }
    let beside = file.with_extension("new");
    std::fs::write(&beside, text)?;
    std::fs::File::open(&beside)?.sync_all()?;
    std::fs::rename(&beside, file)?;
    flush_folder_of(file)
}

fn flush_folder_of(file: &Path) -> std::io::Result<()> {
    file.parent().map_or(Ok(()), |folder| std::fs::File::open(folder)?.sync_all())
}

fn stamp(file: &Path) -> std::io::Result<Stamp> {
    match std::fs::metadata(file) {
        Ok(file) => Ok(Some((file.len(), file.modified()?))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Numbers as ranges, both ends included.
pub fn ranges(seqs: &BTreeSet<u64>) -> Vec<(u64, u64)> {
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for seq in seqs {
        match ranges.last_mut() {
            Some((_, to)) if *to + 1 == *seq => *to = *seq,
            _ => ranges.push((*seq, *seq)),
        }
    }
    ranges
}

impl Log for FilteredLog {
    fn tip(&self) -> Result<Tip> {
        self.log.tip()
    }

    fn tip_and_mark(&self) -> Result<(Tip, u64)> {
        self.log.tip_and_mark()
    }

    fn mark_erasure(&self) -> Result<()> {
        self.log.mark_erasure()
    }

    fn vectors(&self, model: &str, inputs: &[InputHash]) -> Result<Vec<Option<Vec<Vec<f32>>>>> {
        self.log.vectors(model, inputs)
    }

    fn keep_vectors(&self, model: &str, vectors: &[EventVectors], mark: u64) -> Result<()> {
        self.log.keep_vectors(model, vectors, mark)
    }

    fn forget_vectors(&self, model: &str) -> Result<()> {
        self.log.forget_vectors(model)
    }

    fn snapshots(&self) -> Result<Vec<Snapshot>> {
        self.log.snapshots()
    }

    fn add_snapshot(&self, snapshot: &Snapshot, mark: u64) -> Result<bool> {
        self.log.add_snapshot(snapshot, mark)
    }

    fn prune_snapshots(&self, fold: &str, keep: u32) -> Result<Vec<String>> {
        self.log.prune_snapshots(fold, keep)
    }

    fn learn_head(&self, known: HeadState) -> Result<()> {
        self.log.learn_head(known)
    }

    fn check_files(&self) -> Result<()> {
        self.log.check_files()
    }

    fn witness(&self) -> Option<Witness> {
        self.log.witness()
    }

    fn check_witness(&self, witness: &Witness) -> Result<()> {
        self.log.check_witness(witness)
    }

    fn append(&self, batch: Batch) -> Result<Vec<Ack>> {
        self.log.append(batch)
    }

    fn read(&self, from: u64, limit: usize) -> Result<Vec<Stored>> {
        let hidden = self.hidden()?;
        let mut events = self.log.read(from, limit)?;
        if !hidden.is_empty() {
            let is_hidden = |event: &&mut Stored| hidden.contains(&event.header.seq);
            events.iter_mut().filter(is_hidden).for_each(|event| event.secret = None);
        }
        self.label(&mut events)?;
        Ok(events)
    }

    fn find(&self, key: IdKey) -> Result<Option<u64>> {
        self.log.find(key)
    }

    fn graft(&self, events: &[Stored]) -> Result<(Tip, u64)> {
        self.log.graft(events)
    }

    fn replace(&self, expect: Option<u64>, events: &mut dyn Iterator<Item = Result<Stored>>) -> Result<Tip> {
        self.log.replace(expect, events)
    }

    fn archive(&self, up_to: u64, progress: &mut dyn FnMut(u64)) -> Result<u64> {
        self.log.archive(up_to, progress)
    }

    fn erase_archived(&self, up_to: u64, keeps: &dyn Fn(u64) -> bool) -> Result<u64> {
        self.log.erase_archived(up_to, keeps)
    }

    fn erase(&self, seqs: &BTreeSet<u64>) -> Result<u64> {
        self.log.erase(seqs)
    }

    fn archives(&self) -> Result<Vec<Archive>> {
        self.log.archives()
    }

    fn head(&self) -> Result<HeadState> {
        self.log.head()
    }

    fn accept(&self) -> Result<Tip> {
        self.log.accept()
    }

    fn drop_caches(&self) {
        self.log.drop_caches();
    }

    fn keep_connections(&self, keep: bool) {
        self.log.keep_connections(keep);
    }

    fn check_storage(&self) -> Result<Vec<Problem>> {
        self.log.check_storage()
    }
}
