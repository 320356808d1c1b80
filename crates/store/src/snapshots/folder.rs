//! A folder that machines share, as a place for snapshots: whatever is in it is for its owner only.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use ring::rand::{SecureRandom, SystemRandom};

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
        self.check()?;
        let file = self.path(path)?;
        let parent = file.parent().unwrap_or(&self.root);
        // Processes on several machines may have the same number.
        let mut unique = [0_u8; 8];
        SystemRandom::new().fill(&mut unique).map_err(|_| "there is no random number".to_owned())?;
        let beside = file.with_extension(format!("{:016x}.{UNFINISHED}", u64::from_le_bytes(unique)));
        let write = || {
            DirBuilder::new().recursive(true).mode(0o700).create(parent)?;
            let mut opened = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&beside)?;
            opened.write_all(bytes)?;
            opened.sync_all()?;
            fs::rename(&beside, &file)?;
            // Not every file system can flush a folder: there the rename has to do.
            let _ = fs::File::open(parent).and_then(|folder| folder.sync_all());
            Ok::<(), std::io::Error>(())
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

    /// The path of what is kept. A link on the way would lead to files of others.
    fn path(&self, path: &str) -> Result<PathBuf> {
        let mut there = self.root.clone();
        for part in path.split('/') {
            there.push(part);
            if fs::symlink_metadata(&there).is_ok_and(|metadata| metadata.is_symlink()) {
                return Err(format!("{} is a link: put the folder or file itself there", there.display()));
            }
        }
        Ok(there)
    }

    /// What a file holds, so many bytes at most.
    pub fn get(&self, path: &str, most: u64) -> Result<Option<Vec<u8>>> {
        self.check()?;
        let file = self.path(path)?;
        // To open a pipe would be to wait for whoever writes into it.
        if fs::metadata(&file).is_ok_and(|metadata| !metadata.is_file()) {
            return Err(format!("{} is no file", file.display()));
        }
        let mut bytes = Vec::new();
        match fs::File::open(&file).and_then(|opened| opened.take(most).read_to_end(&mut bytes)) {
            Ok(_) => Ok(Some(bytes)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(failed("read", &file)(error)),
        }
    }

    pub fn list(&self, path: &str) -> Result<Vec<String>> {
        self.check()?;
        let mut found = Vec::new();
        gather(&self.path(path)?, "", &mut found)?;
        Ok(found)
    }

    /// Removes files, and the folder they were in once it is empty.
    pub fn remove(&self, paths: &[String]) -> Result<()> {
        for path in paths {
            let file = self.path(path)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_not_followed_and_only_a_file_is_read() {
        let (place, other) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        let folder = Folder { root: place.path().to_owned() };
        folder.put("ann/notes/head", b"a line").expect("written");
        assert_eq!(folder.get("ann/notes/head", 512), Ok(Some(b"a line".to_vec())));
        assert_eq!(folder.get("ann/notes/head", 3), Ok(Some(b"a l".to_vec())));
        assert_eq!(folder.get("ann/notes/none", 512), Ok(None));
        assert!(folder.get("ann/notes", 512).is_err_and(|why| why.contains("is no file")));
        let theirs = other.path().join("theirs");
        fs::write(&theirs, "theirs").expect("written");
        std::os::unix::fs::symlink(other.path(), place.path().join("ann/link")).expect("linked");
        let refused = |why: String| why.contains("is a link");
        assert!(folder.get("ann/link/theirs", 512).is_err_and(refused));
        assert!(folder.put("ann/link/theirs", b"ours").is_err_and(refused));
        assert!(folder.list("ann/link").is_err_and(refused));
        assert!(folder.remove(&["ann/link/theirs".to_owned()]).is_err_and(refused));
        assert_eq!(fs::read(&theirs).expect("read"), b"theirs");
    }
}
