//! A lock that processes share: an empty file, locked with flock, released when its guard is dropped or its owner dies.
//!
//! flock knows open files, not threads: those of one process take turns at a mutex first.

use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use crate::{Error, Result};

/// A lock file, opened once.
pub struct LockFile {
    path: PathBuf,
    file: File,
    threads: Mutex<()>,
}

/// The lock, held.
pub struct Held<'a> {
    file: &'a File,
    _turn: MutexGuard<'a, ()>,
}

impl LockFile {
    /// Opens or creates the file.
    pub fn open(path: &Path) -> Result<Self> {
        Ok(Self { path: path.to_owned(), file: open(path)?, threads: Mutex::new(()) })
    }

    /// The same, and makes sure that the lock keeps others out: on some network file systems it does nothing, and two
    /// processes would write over each other.
    pub fn open_checked(path: &Path) -> Result<Self> {
        Self::open(path)?.checked_with(&open(path)?)
    }

    fn checked_with(self, other: &File) -> Result<Self> {
        match excludes(&self.file, other) {
            Ok(true) => Ok(self),
            Ok(false) => Err(Error::LocksDoNothing(self.path)),
            Err(error) => Err(Error::io(format_args!("cannot lock {}", self.path.display()))(error)),
        }
    }

    /// Waits for the lock.
    pub fn hold(&self) -> Result<Held<'_>> {
        let turn = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        self.file.lock().map_err(Error::io(format_args!("cannot lock {}", self.path.display())))?;
        Ok(Held { file: &self.file, _turn: turn })
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
        match self.file.try_lock() {
            Ok(()) => Ok(Some(Held { file: &self.file, _turn: turn })),
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
        // Closing the file releases it too, so a failure here cannot hold anybody up for longer than this process lives.
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
        let lock = LockFile::open(&path).expect("a lock");
        let refused = lock.checked_with(&open(&elsewhere).expect("a file")).err();
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
}
