//! A log that was moved from its folder to a database: its files are removed, and a note says where it is now.

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::FILE;
use crate::{Error, Result};

/// What the database is called from the moment on that its events are elsewhere: no process appends to it any more.
const ASIDE: &str = "log.db.moved";
/// Says where the log is.
const NOTE: &str = "log.moved";
/// What is left of a log beside its database.
const REST: [&str; 4] = ["log.db-wal", "log.db-shm", "log.unflushed", "archive"];

/// Takes the database out of the place where everybody looks for it, flushed.
pub fn set_aside(folder: &Path) -> Result<()> {
    fs::rename(folder.join(FILE), folder.join(ASIDE)).and_then(|()| flush(folder)).map_err(failed(folder))
}

/// Whether the events of a log are elsewhere, and its files only wait to be removed.
pub fn is_set_aside(folder: &Path) -> bool {
    folder.join(ASIDE).exists()
}

/// Removes the files of a log that was set aside, and notes where it is now. Whenever it is stopped it can be done again.
pub fn finish(folder: &Path, place: &str) -> Result<()> {
    write_note(folder, place)?;
    clear(folder)
}

/// Notes where the log is, flushed: from then on nobody takes what lies in the folder for it.
pub fn write_note(folder: &Path, place: &str) -> Result<()> {
    let write = || {
        let beside = folder.join(NOTE).with_extension("new");
        let mut note = File::create(&beside)?;
        note.write_all(place.as_bytes())?;
        note.sync_all()?;
        fs::rename(beside, folder.join(NOTE))?;
        flush(folder)
    };
    write().map_err(failed(folder))
}

/// Removes what a log that was moved left in its folder, flushed.
pub fn clear(folder: &Path) -> Result<()> {
    let remove = || {
        REST.iter().try_for_each(|name| remove_if_there(&folder.join(name)))?;
        flush(folder)?;
        // Last: as long as it is there, this is done again.
        remove_if_there(&folder.join(ASIDE))?;
        flush(folder)
    };
    remove().map_err(failed(folder))
}

/// Where the log is now, if it was moved.
pub fn note(folder: &Path) -> Option<String> {
    fs::read_to_string(folder.join(NOTE)).ok()
}

/// Removes the note: the log is here again.
pub fn remove_note(folder: &Path) -> Result<()> {
    remove_if_there(&folder.join(NOTE)).and_then(|()| flush(folder)).map_err(failed(folder))
}

/// Refuses to look for a log that was moved, which would seem to be lost.
pub fn refuse(folder: &Path) -> Result<()> {
    // In this order: whoever finishes a move writes the note before the files go.
    let is_aside = is_set_aside(folder);
    let place = note(folder).or_else(|| is_aside.then(|| "a database".to_owned()));
    place.map_or(Ok(()), |place| Err(Error::Elsewhere { place }))
}

fn remove_if_there(path: &Path) -> std::io::Result<()> {
    let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    match removed {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

fn flush(folder: &Path) -> std::io::Result<()> {
    File::open(folder)?.sync_all()
}

fn failed(folder: &Path) -> impl FnOnce(std::io::Error) -> Error {
    let folder: PathBuf = folder.to_owned();
    move |error| Error::io(format_args!("cannot move the log out of {}", folder.display()))(error)
}
