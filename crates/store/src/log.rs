//! The contract of a log: the only truth of a space.

use std::collections::BTreeSet;

use idetic_core::record::IdKey;
use idetic_core::{Hash, Stored, Tip};
use idetic_search::InputHash;

use crate::{HeadState, Result, Witness};

/// An event that wants to be appended. What it says has been checked.
#[derive(Debug, Clone)]
pub struct NewEvent {
    /// The caller's id and what makes it unique; without one an id is made.
    pub id: Option<(String, IdKey)>,
    /// Its kind, for the header.
    pub kind: String,
    /// Its body.
    pub body: String,
    /// Whether the body leaves it to the log to say when. While the last event is ahead of the clock, `recorded_at` cannot say
    /// it: then the time of the clock is added to the body.
    pub undated: bool,
}

/// Events that are appended together or not at all.
#[derive(Debug, Clone, Default)]
pub struct Batch {
    /// The events, in order.
    pub events: Vec<NewEvent>,
    /// The head the caller saw: when it has moved, nothing is appended.
    pub expect: Option<u64>,
}

/// The acknowledgement of one event: it is on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ack {
    /// Its number.
    pub seq: u64,
    /// Its id.
    pub id: String,
}

/// A file that holds the beginning of a log, or a part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Archive {
    /// Its first event.
    pub first: u64,
    /// Its last event.
    pub last: u64,
    /// Its name.
    pub file: String,
    /// Its size.
    pub bytes: u64,
    /// How many of its events have lost their bodies.
    pub erased: u64,
}

/// The vectors of an event's text, as they are kept with the log.
#[derive(Debug, Clone, PartialEq)]
pub struct EventVectors {
    /// The event.
    pub seq: u64,
    /// The hash of its text.
    pub input: InputHash,
    /// One vector for each of its passages.
    pub passages: Vec<Vec<f32>>,
}

/// A snapshot of what is derived from a log, as it is listed with the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// Its name in the place where snapshots are kept.
    pub name: String,
    /// The last event that is folded in it.
    pub seq: u64,
    /// The hash of that event.
    pub hash: Hash,
    /// The versions of the rules and forms by which it was derived.
    pub fold: String,
    /// What opens it.
    pub key: [u8; 32],
}

/// Something a check found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The first event concerned, where there is one.
    pub seq: Option<u64>,
    /// What is wrong.
    pub message: String,
}

/// One space's log.
///
/// What every implementation guarantees, and the conformance suite checks:
/// - Events are numbered 1, 2, 3… without gaps, and each is linked to the one before it.
/// - `append` is atomic, and when it returns, its events are on disk: acknowledged means flushed, also of events that were
///   known, whoever wrote them. Many threads and processes may append at once; none starves.
/// - What is read is flushed too: what a process left behind that was killed before its flush is flushed before it is seen.
/// - A log whose files are removed or replaced while it is open acknowledges nothing more, and has no tip.
/// - An event whose `IdKey` is known is not appended again: with the same content it is acknowledged as it was, with
///   other content the whole batch is refused. A batch of which every event is known is acknowledged whatever `expect`
///   says, so that a retry always gets its answer.
/// - After a failed flush nothing more is written through this handle.
/// - `read` gives back exactly what was appended, with the time where `undated` asked for it, or an error that names the first event that is not: it checks every
///   event it returns. A log that became shorter, or another, is an error and never an empty answer.
/// - `tip` and `read` see whole batches only, and everything that was acknowledged before they were called.
pub trait Log: Send + Sync {
    /// The end of the log.
    fn tip(&self) -> Result<Tip>;

    /// The end of the log, and the mark of the last erasure: another one means that something was erased since. Always 0 where
    /// the log belongs to one machine, whose folder says it.
    fn tip_and_mark(&self) -> Result<(Tip, u64)> {
        Ok((self.tip()?, 0))
    }

    /// Changes the mark, so that every machine drops what it derived before.
    fn mark_erasure(&self) -> Result<()> {
        Ok(())
    }

    /// Says if the files that were opened are no longer the ones by their names: then another log may lie there, or none,
    /// and this one is of no more use.
    fn check_files(&self) -> Result<()>;

    /// What this process acknowledged last, to be remembered while the log is closed.
    fn witness(&self) -> Option<Witness> {
        None
    }

    /// Refuses a log that lies where another lay, of which this process acknowledged more or something else.
    fn check_witness(&self, _witness: &Witness) -> Result<()> {
        Ok(())
    }

    /// Appends a batch: one acknowledgement an event, in order.
    fn append(&self, batch: Batch) -> Result<Vec<Ack>>;

    /// Up to `limit` consecutive events from number `from`; fewer only at the end of the log.
    fn read(&self, from: u64, limit: usize) -> Result<Vec<Stored>>;

    /// The event with this caller's id.
    fn find(&self, key: IdKey) -> Result<Option<u64>>;

    /// Takes in events that were sealed elsewhere: they continue this chain, or the log is empty. Those that are here
    /// already are passed over; gives the tip and how many were new.
    fn graft(&self, events: &[Stored]) -> Result<(Tip, u64)>;

    /// Makes these events the whole log, in one step; with `expect`, only if the head is still where the caller saw it.
    fn replace(&self, expect: Option<u64>, events: &mut dyn Iterator<Item = Result<Stored>>) -> Result<Tip>;

    /// Moves the events up to a number to archive files, from which they are read as ever; the last event of the log
    /// stays. Whenever it is stopped, each event is where it was or where it goes to. Gives how many were moved.
    fn archive(&self, up_to: u64, progress: &mut dyn FnMut(u64)) -> Result<u64>;

    /// Removes the bodies of the archived events up to a number for good, but of those that `keeps` names. The chain stays
    /// whole. Gives how many were removed.
    fn erase_archived(&self, up_to: u64, keeps: &dyn Fn(u64) -> bool) -> Result<u64>;

    /// Removes the bodies of these events for good, wherever they lie: when it returns no file of the log has a byte of them.
    /// The chain stays whole, and the ids stay taken. Whenever it is stopped, calling it again finishes it. Gives how many
    /// there were to remove.
    fn erase(&self, seqs: &BTreeSet<u64>) -> Result<u64>;

    /// The vectors of some texts by a model that are kept with the log: none where the log belongs to one machine.
    fn vectors(&self, _model: &str, inputs: &[InputHash]) -> Result<Vec<Option<Vec<Vec<f32>>>>> {
        Ok(vec![None; inputs.len()])
    }

    /// Keeps vectors with the log, unless something was erased since `mark`; they are removed with their events.
    fn keep_vectors(&self, _model: &str, _vectors: &[EventVectors], _mark: u64) -> Result<()> {
        Ok(())
    }

    /// Removes every vector of a model that is kept with the log.
    fn forget_vectors(&self, _model: &str) -> Result<()> {
        Ok(())
    }

    /// The snapshots of what is derived from the log that were taken since the last erasure, the newest first: none where the
    /// log belongs to one machine.
    fn snapshots(&self) -> Result<Vec<Snapshot>> {
        Ok(Vec::new())
    }

    /// Lists a snapshot, unless something was erased since `mark`: then it is not listed, and the answer is false.
    fn add_snapshot(&self, _snapshot: &Snapshot, _mark: u64) -> Result<bool> {
        Ok(false)
    }

    /// Strikes old snapshots off the list, but for the newest so many of the versions that are in use, and gives their names.
    fn prune_snapshots(&self, _fold: &str, _keep: u32) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    /// Takes note that another machine saw the log reach an event. A log that does not have it is refused from then on, until
    /// the loss is accepted.
    fn learn_head(&self, _known: HeadState) -> Result<()> {
        Ok(())
    }

    /// Lets go of what is kept in memory of what the log says; it is read again when it is needed.
    fn drop_caches(&self);

    /// Whether connections stay open for the next reader, or are closed after each. Whoever has many logs open has few of them
    /// read at a time.
    fn keep_connections(&self, _keep: bool) {}

    /// The archive files, in order.
    fn archives(&self) -> Result<Vec<Archive>>;

    /// What the log had reached, as remembered beside it.
    fn head(&self) -> Result<HeadState>;

    /// Accepts the log as it stands, after a loss that was reported: what was remembered beside it is written anew.
    fn accept(&self) -> Result<Tip>;

    /// Checks what lies below the events: the files, the indexes. The chain is checked by reading it.
    fn check_storage(&self) -> Result<Vec<Problem>>;
}
