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
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(path)
            .map_err(Error::io(format_args!("cannot open {}", path.display())))?;
        Ok(Self { path: path.to_owned(), file, threads: Mutex::new(()) })
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

impl Drop for Held<'_> {
    fn drop(&mut self) {
        // Closing the file releases it too, so a failure here cannot hold anybody up for longer than this process lives.
        let _ = self.file.unlock();
    }
}
