//! A lock that processes share: an empty file, locked with flock, released when its guard is dropped or its owner dies.
//!
//! flock knows open files, not threads: those of one process take turns at a mutex first.

use std::fs::{File, OpenOptions};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use crate::{Error, Result};

/// The lock of a log, in the folder of its space: held by the process of this machine that changes the log. It orders what is written
/// into the `head` file.
pub const LOG_LOCK: &str = "log.lock";

/// A lock file.
pub struct LockFile {
    path: PathBuf,
    /// Open for good where the lock is taken all the time. Else it is opened each time: a process that has many spaces open has
    /// several locks in each, and few of them in use.
    file: Option<File>,
    threads: Mutex<()>,
}

/// The lock, held.
pub struct Held<'a> {
    file: Lent<'a>,
    _turn: MutexGuard<'a, ()>,
}

/// The file of a lock that is held.
enum Lent<'a> {
    Kept(&'a File),
    Opened(File),
}

impl Deref for Lent<'_> {
    type Target = File;

    fn deref(&self) -> &File {
        match self {
            Self::Kept(file) => file,
            Self::Opened(file) => file,
        }
    }
}

impl LockFile {
    /// A lock that can be had: the file is there or can be made. It takes no file handle while it is free.
    pub fn open(path: &Path) -> Result<Self> {
        open(path)?;
        Ok(Self { path: path.to_owned(), file: None, threads: Mutex::new(()) })
    }

    /// A lock whose file stays open. Makes sure that it keeps others out: on some network file systems it does nothing, and two
    /// processes would write over each other.
    pub fn open_checked(path: &Path) -> Result<Self> {
        Self::checked(path, open(path)?, &open(path)?)
    }

    fn checked(path: &Path, file: File, other: &File) -> Result<Self> {
        match excludes(&file, other) {
            Ok(true) => Ok(Self { path: path.to_owned(), file: Some(file), threads: Mutex::new(()) }),
            Ok(false) => Err(Error::LocksDoNothing(path.to_owned())),
            Err(error) => Err(Error::io(format_args!("cannot lock {}", path.display()))(error)),
        }
    }

    fn lend(&self) -> Result<Lent<'_>> {
        self.file.as_ref().map_or_else(|| open(&self.path).map(Lent::Opened), |file| Ok(Lent::Kept(file)))
    }

    /// Waits for the lock.
    pub fn hold(&self) -> Result<Held<'_>> {
        let turn = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        let file = self.lend()?;
        file.lock().map_err(Error::io(format_args!("cannot lock {}", self.path.display())))?;
        Ok(Held { file, _turn: turn })
    }
}

impl LockFile {
    /// The lock, if nobody has it.
    pub fn try_hold(&self) -> Result<Option<Held<'_>>> {
        let turn = match self.threads.try_lock() {
            Ok(turn) => turn,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return Ok(None),
        };
        let file = self.lend()?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Held { file, _turn: turn })),
            Err(std::fs::TryLockError::WouldBlock) => Ok(None),
            Err(std::fs::TryLockError::Error(error)) => {
                Err(Error::io(format_args!("cannot lock {}", self.path.display()))(error))
            }
        }
    }
}

fn open(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    let opened = options.create(true).truncate(false).write(true).open(path);
    opened.map_err(Error::io(format_args!("cannot open {}", path.display())))
}

/// Whether the lock on one of two open files of the same name keeps the other from having it. Both are free afterwards.
fn excludes(first: &File, second: &File) -> std::io::Result<bool> {
    use std::fs::TryLockError::{Error, WouldBlock};
    match first.try_lock() {
        Ok(()) => {}
        // Somebody else has it, and that kept us out.
        Err(WouldBlock) => return Ok(true),
        Err(Error(error)) => return Err(error),
    }
    let answer = match second.try_lock() {
        Ok(()) => second.unlock().map(|()| false),
        Err(WouldBlock) => Ok(true),
        Err(Error(error)) => Err(error),
    };
    first.unlock()?;
    answer
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        // Closing the file would release it too, but for a program that is being started and still has a copy of it. A failure
        // here cannot hold anybody up for longer than this process lives.
        let _ = self.file.unlock();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_that_keeps_nobody_out_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, elsewhere) = (folder.path().join("log.lock"), folder.path().join("other"));
        // Where locks do nothing, two open files of one name are as good as two files.
        let opened = |path| open(path).expect("a file");
        let refused = LockFile::checked(&path, opened(&path), &opened(&elsewhere)).err();
        assert_eq!(refused, Some(Error::LocksDoNothing(path.clone())));
        let said = Error::LocksDoNothing(path).to_string();
        assert!(said.contains("file locks do not work") && said.contains("log.lock"), "{said}");
    }

    #[test]
    fn a_lock_that_works_is_free_after_the_check_and_may_be_held_by_another_during_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("log.lock");
        let one = LockFile::open_checked(&path).expect("a lock that works");
        let held = one.try_hold().expect("no error").expect("it is free");
        let other = LockFile::open_checked(&path).expect("that another holds it proves it");
        assert!(other.try_hold().expect("no error").is_none());
        drop(held);
        assert!(other.try_hold().expect("no error").is_some());
    }

    #[test]
    fn a_lock_that_is_opened_each_time_keeps_others_out_and_makes_threads_take_turns() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("views.lock");
        let (one, other) = (LockFile::open(&path).expect("a lock"), LockFile::open(&path).expect("a lock"));
        let held = one.hold().expect("it is free");
        assert!(one.try_hold().expect("no error").is_none() && other.try_hold().expect("no error").is_none());
        drop(held);
        assert!(other.try_hold().expect("no error").is_some());
    }
}
