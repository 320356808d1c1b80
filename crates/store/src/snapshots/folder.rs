//! A folder that machines share, as a place for snapshots: whatever is in it is for its owner only.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// What the name of a file ends in that is not in its place yet.
const UNFINISHED: &str = "unfinished";

type Result<T> = std::result::Result<T, String>;

/// The folder.
pub struct Folder {
    root: PathBuf,
}

impl Folder {
    pub fn at(path: &str) -> Self {
        Self { root: PathBuf::from(path) }
    }

    /// Writes a file beside, flushed, and puts it in place.
    pub fn put(&self, path: &str, bytes: &[u8]) -> Result<()> {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        self.check()?;
        let file = self.root.join(path);
        let parent = file.parent().unwrap_or(&self.root);
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let beside = file.with_extension(format!("{}-{number}.{UNFINISHED}", std::process::id()));
        let write = || {
            DirBuilder::new().recursive(true).mode(0o700).create(parent)?;
            let mut opened = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&beside)?;
            opened.write_all(bytes)?;
            opened.sync_all()?;
            fs::rename(&beside, &file)
        };
        write().map_err(|error| {
            let _ = fs::remove_file(&beside);
            failed("write", &file)(error)
        })
    }

    /// One that is not mounted is not made: nobody else would see what is written there.
    fn check(&self) -> Result<()> {
        if self.root.is_dir() { Ok(()) } else { Err("there is no such folder: create it, or mount it".to_owned()) }
    }

    pub fn get(&self, path: &str) -> Result<Option<Vec<u8>>> {
        self.check()?;
        let file = self.root.join(path);
        match fs::read(&file) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(failed("read", &file)(error)),
        }
    }

    pub fn list(&self, path: &str) -> Result<Vec<String>> {
        self.check()?;
        let mut found = Vec::new();
        gather(&self.root.join(path), "", &mut found)?;
        Ok(found)
    }

    /// Removes files, and the folder they were in once it is empty.
    pub fn remove(&self, paths: &[String]) -> Result<()> {
        for path in paths {
            let file = self.root.join(path);
            match fs::remove_file(&file) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(failed("remove", &file)(error)),
                _ => {}
            }
            // Where something is left in it, it stays.
            let _ = file.parent().map(fs::remove_dir);
        }
        Ok(())
    }
}

/// The files below a folder, those that were left unfinished among them.
fn gather(folder: &Path, before: &str, found: &mut Vec<String>) -> Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(failed("list", folder))?,
    };
    for entry in entries {
        let entry = entry.map_err(failed("list", folder))?;
        let name = format!("{before}{}", entry.file_name().to_string_lossy());
        match entry.file_type().map_err(failed("list", folder))?.is_dir() {
            true => gather(&entry.path(), &format!("{name}/"), found)?,
            false => found.push(name),
        }
    }
    Ok(())
}

fn failed(doing: &str, path: &Path) -> impl FnOnce(std::io::Error) -> String {
    let message = format!("cannot {doing} {}", path.display());
    move |error| format!("{message}: {error}")
}
