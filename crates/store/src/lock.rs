//! A lock that processes share: an empty file, locked with flock, released when its guard is dropped or its owner dies.

use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};

use crate::{Error, Result};

/// A lock file, opened once.
pub struct LockFile {
    path: PathBuf,
    file: File,
}

/// The lock, held.
pub struct Held<'a>(&'a LockFile);

impl LockFile {
    /// Opens or creates the file.
    pub fn open(path: &Path) -> Result<Self> {
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(path)
            .map_err(Error::io(format_args!("cannot open {}", path.display())))?;
        Ok(Self { path: path.to_owned(), file })
    }

    /// Waits for the lock.
    pub fn hold(&self) -> Result<Held<'_>> {
        self.file.lock().map_err(Error::io(format_args!("cannot lock {}", self.path.display())))?;
        Ok(Held(self))
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        // Closing the file releases it too, so a failure here cannot hold anybody up for longer than this process lives.
        let _ = self.0.file.unlock();
    }
}
