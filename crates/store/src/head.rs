//! The `head` file: how far the log had come, so that a log that lost its end, or was exchanged, is noticed.
//!
//! SQLite drops a damaged end of its write-ahead log without a word. This line, written after every commit, is what
//! the log is held against. It is not flushed: after a power failure it may be old, which is harmless, or unreadable, but
//! it can never be ahead of what was flushed. Now and then a copy of it is put beside it and flushed: where the line is
//! unreadable the copy speaks for it. Only where neither can be read was it something else than a power failure.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use idetic_core::{Hash, SpaceId, Tip};

use crate::lock::{LOG_LOCK, LockFile};
use crate::{Error, Result, make_folder};

/// What the file says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeadState {
    /// There is no such file.
    Missing,
    /// The file is there and says nothing that can be believed, and neither does its flushed copy.
    Damaged,
    /// The log had reached this event.
    At {
        /// Which space.
        space: SpaceId,
        /// The last event.
        seq: u64,
        /// Its hash.
        hash: Hash,
    },
}

impl HeadState {
    /// What a line of the file says, wherever it was kept.
    pub(crate) fn of_line(line: &[u8]) -> Self {
        state_of(line)
    }

    /// Refuses a log that is shorter than it was, or not the same.
    pub(crate) fn compare(self, tip: &Tip, hash_of: impl FnOnce(u64) -> Result<Hash>) -> Result<()> {
        // Of an empty log nothing can be lost; and a space whose creation a power loss undid may have left its head behind.
        let Self::At { space, seq: seq @ 1.., hash } = self else { return Ok(()) };
        if tip.seq < seq {
            return Err(Error::Shortened { have: tip.seq, had: seq });
        }
        let there = if tip.seq == seq { tip.hash } else { hash_of(seq)? };
        if space == tip.space && there == hash { Ok(()) } else { Err(Error::Replaced { seq }) }
    }

    /// Where there is no log now, this tells whether there was one.
    fn refuse_if_there_was_one(self) -> Result<()> {
        match self {
            Self::At { seq: had @ 1.., .. } => Err(Error::Shortened { have: 0, had }),
            _ => Ok(()),
        }
    }

    /// What is wrong with the file, for whoever checks.
    pub(crate) fn problem(self) -> Option<&'static str> {
        match self {
            Self::Missing => Some("the head file is missing: the log's length cannot be checked"),
            Self::Damaged => Some("the head file is damaged: the log's length cannot be checked"),
            Self::At { .. } => None,
        }
    }
}

/// The file.
pub struct HeadFile {
    path: PathBuf,
    /// The copy that was flushed.
    copy: PathBuf,
    kept: Mutex<Option<Kept>>,
}

/// Which file it is: by this a file that was exchanged is noticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Identity {
    device: u64,
    inode: u64,
    /// An inode may be used again.
    created: Option<SystemTime>,
}

impl Identity {
    fn of(metadata: &Metadata) -> Self {
        Self { device: metadata.dev(), inode: metadata.ino(), created: metadata.created().ok() }
    }
}

/// What a process acknowledged last, and the head file it wrote that to. Where log and head are exchanged together, as with
/// the folder they lie in, only the process still knows.
#[derive(Debug, Clone, Copy)]
pub struct Witness {
    head: Identity,
    state: HeadState,
}

impl Witness {
    /// Where there is no log now, the witness tells whether there was one.
    pub fn refuse_if_there_was_one(&self) -> Result<()> {
        self.state.refuse_if_there_was_one()
    }
}

/// The file as it was last written or read here, open for the next commit unless none is expected soon.
struct Kept {
    file: Option<File>,
    identity: Identity,
    line: String,
    state: HeadState,
}

const NAME: &str = "head";
const LONGEST_BYTES: u64 = 512;

impl HeadFile {
    /// The head of the log in a folder.
    pub fn new(folder: &Path) -> Self {
        Self { path: folder.join(NAME), copy: folder.join("head.flushed"), kept: Mutex::default() }
    }

    /// Reads it. A file that cannot be opened for lack of rights is an error, not a missing head.
    pub fn read(&self) -> Result<HeadState> {
        match self.read_one(&self.path)? {
            // As a power failure leaves it behind. The copy is older, never wrong.
            HeadState::Damaged => match self.read_one(&self.copy)? {
                HeadState::Missing => Ok(HeadState::Damaged),
                state => Ok(state),
            },
            state => Ok(state),
        }
    }

    /// Where there is no log now, the head tells whether there was one.
    pub fn refuse_if_there_was_one(&self) -> Result<()> {
        self.read()?.refuse_if_there_was_one()
    }

    fn read_one(&self, path: &Path) -> Result<HeadState> {
        let mut bytes = Vec::with_capacity(200);
        match File::open(path) {
            Ok(file) => file.take(LONGEST_BYTES).read_to_end(&mut bytes).map_err(self.failed("read"))?,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(HeadState::Missing),
            Err(error) => return Err(self.failed("open")(error)),
        };
        Ok(state_of(&bytes))
    }

    /// Reads it before a commit, through the file that the last commit left open, as long as that is the one by this
    /// name.
    pub fn read_before_commit(&self) -> Result<HeadState> {
        let mut kept = self.kept();
        let there = match std::fs::metadata(&self.path) {
            Ok(metadata) => Some(Identity::of(&metadata)),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(self.failed("open")(error)),
        };
        let mut bytes = [0; LONGEST_BYTES as usize];
        let read = match &mut *kept {
            Some(kept) if Some(kept.identity) == there => {
                let file = match kept.file.take() {
                    Some(file) => file,
                    // To write as well: where that cannot be, it shows before the commit.
                    None => OpenOptions::new().read(true).write(true).open(&self.path).map_err(self.failed("open"))?,
                };
                let length = kept.file.insert(file).read_at(&mut bytes, 0).map_err(self.failed("read"))?;
                (bytes[..length] == *kept.line.as_bytes()).then_some(kept.state)
            }
            _ => None,
        };
        if let Some(state) = read {
            return Ok(state);
        }
        // Another process wrote it, or somebody exchanged it.
        *kept = None;
        self.read()
    }

    /// Writes it in place: one line of fixed length, so one write. What somebody put behind it is cut off.
    pub fn write(&self, tip: &Tip) -> Result<()> {
        let line = line(tip.space, tip.seq, tip.hash);
        let state = HeadState::At { space: tip.space, seq: tip.seq, hash: tip.hash };
        let mut kept = self.kept();
        // Where writing fails, what was acknowledged last is still known.
        let (file, identity) = match kept.as_mut().and_then(|kept| Some((kept.file.take()?, kept.identity))) {
            // It has the length of a line: that was read before this commit.
            Some(open) => open,
            None => self.open_to_write(line.len() as u64).map_err(self.failed("write"))?,
        };
        file.write_all_at(line.as_bytes(), 0).map_err(self.failed("write"))?;
        *kept = Some(Kept { file: Some(file), identity, line, state });
        Ok(())
    }

    fn open_to_write(&self, length: u64) -> std::io::Result<(File, Identity)> {
        let file = OpenOptions::new().create(true).truncate(false).read(true).write(true).open(&self.path)?;
        let metadata = file.metadata()?;
        if metadata.len() > length {
            file.set_len(length)?;
        }
        Ok((file, Identity::of(&metadata)))
    }

    /// Closes the file until the next commit; what was acknowledged is still known.
    pub fn close(&self) {
        self.kept().iter_mut().for_each(|kept| kept.file = None);
    }

    /// What this process acknowledged last, if it was here.
    pub fn witness(&self) -> Option<Witness> {
        self.kept().as_ref().map(|kept| Witness { head: kept.identity, state: kept.state })
    }

    /// What a witness knows of the log that this head does not: nothing where it is the file that the witness wrote, which
    /// whoever changed the log on purpose has written since.
    pub fn unknown_to_it(&self, witness: &Witness) -> HeadState {
        match std::fs::metadata(&self.path) {
            Ok(metadata) if Identity::of(&metadata) == witness.head => HeadState::Missing,
            _ => witness.state,
        }
    }

    fn kept(&self) -> MutexGuard<'_, Option<Kept>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether there is a copy.
    pub fn has_copy(&self) -> bool {
        self.copy.exists()
    }

    /// Waits until it is on disk.
    pub fn flush(&self) -> Result<()> {
        File::open(&self.path).and_then(|file| file.sync_all()).map_err(self.failed("flush"))
    }

    /// Puts a copy of it beside it, all at once and flushed, and with it the names of both.
    pub fn write_copy(&self, tip: &Tip) -> Result<()> {
        let beside = self.copy.with_extension("new");
        let put = || {
            let mut file = File::create(&beside)?;
            file.write_all(line(tip.space, tip.seq, tip.hash).as_bytes())?;
            file.sync_all()?;
            std::fs::rename(&beside, &self.copy)?;
            File::open(self.path.parent().unwrap_or(&self.path))?.sync_all()
        };
        put().map_err(self.failed("flush"))
    }

    /// Sets it back to an empty log, flushed: until it is written again it vouches for nothing.
    pub fn reset(&self, space: SpaceId) -> Result<()> {
        let empty = Tip::empty(space);
        self.write(&empty)?;
        self.flush()?;
        self.write_copy(&empty)
    }

    fn failed(&self, doing: &str) -> impl FnOnce(std::io::Error) -> Error {
        Error::io(format!("cannot {doing} {}", self.path.display()))
    }
}

/// Whether a folder lacks a head, or has one of an empty log: nothing was ever known there of the log of its space.
fn lacks_head(folder: &Path) -> bool {
    matches!(HeadFile::new(folder).read(), Ok(HeadState::Missing | HeadState::At { seq: 0, .. }))
}

/// Begins the head of a folder that lacks it with what another machine saw.
pub fn begin_head(folder: &Path, known: HeadState) -> Result<()> {
    let HeadState::At { space, seq: seq @ 1.., hash } = known else { return Ok(()) };
    if !lacks_head(folder) {
        return Ok(());
    }
    make_folder(folder)?;
    let lock = LockFile::open(&folder.join(LOG_LOCK))?;
    let _held = lock.hold()?;
    // Somebody may have begun it meanwhile, and appended since: it is not set back.
    if !lacks_head(folder) {
        return Ok(());
    }
    let (head, reached) = (HeadFile::new(folder), Tip { seq, hash, ..Tip::empty(space) });
    head.write(&reached)?;
    head.write_copy(&reached)
}

/// The line that says how far a log has come.
pub(crate) fn line(space: SpaceId, seq: u64, hash: Hash) -> String {
    let said = format!("idetic-head 1 {space} {seq:020} {hash}");
    let sum = &Hash::of(said.as_bytes()).to_string()[..16];
    format!("{said} {sum}\n")
}

fn state_of(bytes: &[u8]) -> HeadState {
    std::str::from_utf8(bytes).ok().and_then(parse).unwrap_or(HeadState::Damaged)
}

fn parse(text: &str) -> Option<HeadState> {
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    let [_, _, space, seq, hash, _] = words[..] else { return None };
    let (space, seq, hash) = (SpaceId::parse(space)?, seq.parse().ok()?, Hash::parse(hash).ok()?);
    (line(space, seq, hash) == text).then_some(HeadState::At { space, seq, hash })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_that_a_power_failure_left_unreadable_is_spoken_for_by_its_copy() {
        let folder = tempfile::tempdir().expect("a folder");
        let head = HeadFile::new(folder.path());
        let at = |seq| Tip { seq, ..Tip::empty(SpaceId([5; 16])) };
        let state = |seq| HeadState::At { space: at(seq).space, seq, hash: at(seq).hash };
        head.write(&at(7)).expect("written");
        head.write_copy(&at(7)).expect("written");
        head.write(&at(9)).expect("written");
        assert_eq!(head.read(), Ok(state(9)));
        let whole = std::fs::read(&head.path).expect("a head");
        let torn = [&whole[..60], &vec![0; whole.len() - 60]].concat();
        for left in [&b""[..], &whole[..70], &torn, &vec![0; whole.len()], b"garbage", &[&whole[..], b"more"].concat()]
        {
            std::fs::write(&head.path, left).expect("written");
            assert_eq!(head.read(), Ok(state(7)), "{left:?}");
            assert_eq!(head.read_before_commit(), Ok(state(7)), "{left:?}");
        }
        // That is no power failure.
        std::fs::write(&head.copy, &whole[1..]).expect("written");
        assert_eq!(head.read(), Ok(HeadState::Damaged));
        head.write(&at(10)).expect("written");
        assert_eq!(head.read(), Ok(state(10)), "and the next commit repairs it");
        std::fs::remove_file(&head.path).expect("removed");
        assert_eq!(head.read(), Ok(HeadState::Missing));
    }

    #[test]
    fn a_closed_head_is_opened_before_a_commit_and_known_after_a_failed_write() {
        let folder = tempfile::tempdir().expect("a folder");
        let head = HeadFile::new(folder.path());
        let at = |seq| Tip { seq, ..Tip::empty(SpaceId([5; 16])) };
        let is_open = || head.kept().as_ref().is_some_and(|kept| kept.file.is_some());
        head.write(&at(7)).expect("written");
        head.close();
        assert!(!is_open());
        head.read_before_commit().expect("read");
        assert!(is_open(), "the write after the commit needs no further file");
        head.close();
        std::fs::remove_dir_all(folder.path()).expect("removed");
        assert!(head.write(&at(8)).is_err());
        assert_eq!(
            head.witness().map(|witness| witness.state),
            Some(HeadState::At { space: at(7).space, seq: 7, hash: at(7).hash })
        );
    }

    #[test]
    fn a_folder_that_knows_of_an_empty_log_only_lacks_a_head() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(lacks_head(folder.path()));
        for (seq, is_lacking) in [(0, true), (1, false)] {
            let tip = Tip { seq, ..Tip::empty(SpaceId([5; 16])) };
            HeadFile::new(folder.path()).write(&tip).expect("written");
            assert_eq!(lacks_head(folder.path()), is_lacking, "{seq}");
        }
    }

    #[test]
    fn what_another_machine_saw_does_not_set_a_head_back() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |seq| Tip { seq, ..Tip::empty(SpaceId([5; 16])) };
        let state = |seq| HeadState::At { space: at(seq).space, seq, hash: at(seq).hash };
        let head = HeadFile::new(folder.path());
        let lock = LockFile::open(&folder.path().join(LOG_LOCK)).expect("a lock");
        std::thread::scope(|scope| {
            let held = lock.hold().expect("it is free");
            let slower = scope.spawn(|| begin_head(folder.path(), state(100)));
            std::thread::sleep(std::time::Duration::from_millis(50));
            head.write(&at(105)).expect("written");
            drop(held);
            slower.join().expect("it ends").expect("no error");
        });
        assert_eq!(head.read(), Ok(state(105)));
        begin_head(folder.path(), state(200)).expect("no error");
        assert_eq!(head.read(), Ok(state(105)));
        let fresh = folder.path().join("fresh");
        begin_head(&fresh, state(100)).expect("no error");
        assert_eq!(HeadFile::new(&fresh).read(), Ok(state(100)));
    }

    #[test]
    fn any_changed_byte_of_the_line_is_noticed() {
        let line = line(SpaceId([5; 16]), 42, Hash::of(b"x"));
        assert_eq!(parse(&line), Some(HeadState::At { space: SpaceId([5; 16]), seq: 42, hash: Hash::of(b"x") }));
        for at in 0..line.len() {
            let mut bytes = line.clone().into_bytes();
            bytes[at] ^= 1;
            assert_eq!(String::from_utf8(bytes).ok().and_then(|t| parse(&t)), None, "byte {at}");
            assert_eq!(parse(&line[..at]), None, "cut at {at}");
        }
    }
}
