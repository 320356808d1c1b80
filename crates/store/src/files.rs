//! Whether the files that were opened are still the ones by their names: what is written to a file that was unlinked is
//! flushed and acknowledged like anything else, and nobody ever finds it.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::{Error, Result};

/// Device and inode.
type Identity = (u64, u64);

/// The files of an open database, as they were found when it was opened.
pub struct DatabaseFiles {
    files: Vec<(PathBuf, Identity)>,
}

impl DatabaseFiles {
    /// Remembers those of the files that are there.
    pub fn of(files: impl IntoIterator<Item = PathBuf>) -> Self {
        let files = files.into_iter().filter_map(|file| identity(&file).map(|identity| (file, identity)));
        Self { files: files.collect() }
    }

    /// Says which file is not where it was, or is another.
    pub fn check(&self) -> Result<()> {
        match self.files.iter().find(|(file, opened)| identity(file) != Some(*opened)) {
            Some((file, _)) => Err(Error::Exchanged { file: file.clone() }),
            None => Ok(()),
        }
    }
}

fn identity(file: &Path) -> Option<Identity> {
    let metadata = std::fs::metadata(file).ok()?;
    Some((metadata.dev(), metadata.ino()))
}
