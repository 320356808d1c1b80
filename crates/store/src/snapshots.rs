//! What machines that share a log keep for each other beside it, in a folder: snapshots of what each derived, and
//! how far the log of each space had come.

mod folder;
mod sealed;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use idetic_core::{Invalid, SpaceName, Tip};

use crate::{Error, HeadState, Result, TimeLimit, head};
use folder::Folder;
pub use sealed::{Contents, Opened, Sealer};

/// The object that says how far a log had come.
const HEAD: &str = "head";
const HEAD_MAX_BYTES: u64 = 512;
/// How long it is waited for: a share may hang. So many may be outstanding.
const HEAD_PATIENCE: Duration = Duration::from_secs(2);
const HEADS_OUTSTANDING: usize = 32;
/// The same for whatever else is read.
const READ_PATIENCE: Duration = Duration::from_secs(30);
const READS_OUTSTANDING: usize = 256;

/// Where snapshots are kept.
pub struct SnapshotStore {
    folder: Arc<Folder>,
    address: String,
    heads: TimeLimit,
    reads: TimeLimit,
}

impl SnapshotStore {
    /// The place at an address: `file:///folder`. Nothing is opened yet.
    pub fn at(address: &str) -> std::result::Result<Self, Invalid> {
        match address.strip_prefix("file://") {
            Some(path) if path.starts_with('/') => Ok(Self {
                folder: Arc::new(Folder::at(path)),
                address: address.to_owned(),
                heads: TimeLimit::new(HEAD_PATIENCE, HEADS_OUTSTANDING),
                reads: TimeLimit::new(READ_PATIENCE, READS_OUTSTANDING),
            }),
            _ => Err(Invalid::new(format!("'{address}' is no place for snapshots"))
                .hint("use file:///folder that all machines share")),
        }
    }

    /// Where it is.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Keeps an object, whole or not at all.
    fn put(&self, path: &str, bytes: &[u8]) -> Result<()> {
        self.told(self.folder.put(path, bytes))
    }

    /// An object, so many bytes at most; `None` where there is none.
    fn get(&self, limit: &TimeLimit, path: &str, most: u64) -> Result<Option<Vec<u8>>> {
        let path = path.to_owned();
        self.in_time(limit, move |folder| folder.get(&path, most))
    }

    /// The paths of all objects below one, from there.
    fn list(&self, path: &str) -> Result<Vec<String>> {
        let path = path.to_owned();
        self.in_time(&self.reads, move |folder| folder.list(&path))
    }

    /// Removes objects where they are there.
    fn remove(&self, paths: &[String]) -> Result<()> {
        self.told(self.folder.remove(paths))
    }

    /// What the folder answers; one that does not answer in time is an error.
    fn in_time<T: Send + 'static>(
        &self,
        limit: &TimeLimit,
        ask: impl FnOnce(&Folder) -> std::result::Result<T, String> + Send + 'static,
    ) -> Result<T> {
        let folder = Arc::clone(&self.folder);
        let answer = limit.ask(move || ask(&folder));
        self.told(answer.unwrap_or_else(|| Err("there is no answer".to_owned())))
    }

    fn told<T>(&self, done: std::result::Result<T, String>) -> Result<T> {
        done.map_err(|why| Error::Unavailable(format!("snapshots in {}: {why}", self.address)))
    }
}

/// What is kept there of one space.
#[derive(Clone)]
pub struct SpaceSnapshots {
    store: Arc<SnapshotStore>,
    folder: String,
}

impl SpaceSnapshots {
    /// Those of a space.
    pub fn of(store: Arc<SnapshotStore>, space: &SpaceName) -> Self {
        Self { store, folder: space.folders().join("/") }
    }

    /// Where they are.
    pub fn address(&self) -> &str {
        self.store.address()
    }

    /// How far the log had come when a machine last said so. What cannot be read says nothing. A share that hangs is not
    /// waited for long: so this is asked before anything that has no limit, because it must not be given up half way.
    pub fn head(&self) -> Result<HeadState> {
        let line = self.store.get(&self.store.heads, &format!("{}/{HEAD}", self.folder), HEAD_MAX_BYTES)?;
        Ok(line.map_or(HeadState::Missing, |line| HeadState::of_line(&line)))
    }

    /// Says how far the log has come.
    pub fn put_head(&self, tip: &Tip) -> Result<()> {
        self.head()?;
        let line = head::line(tip.space, tip.seq, tip.hash);
        self.store.put(&format!("{}/{HEAD}", self.folder), line.as_bytes())
    }

    /// Forgets it.
    pub fn remove_head(&self) -> Result<()> {
        self.head()?;
        self.store.remove(&[format!("{}/{HEAD}", self.folder)])
    }

    /// Begins a snapshot that can only be read with a key. The key must be new.
    pub fn seal(&self, name: &str, key: &[u8; 32]) -> Sealer<'_> {
        Sealer::new(&self.store, format!("{}/{name}", self.folder), key)
    }

    /// A snapshot that is there.
    pub fn open(&self, name: &str, key: &[u8; 32]) -> Result<Opened<'_>> {
        Opened::read(&self.store, format!("{}/{name}", self.folder), key)
    }

    /// The names of all that is there of snapshots, unfinished ones among them.
    pub fn names(&self) -> Result<BTreeSet<String>> {
        let paths = self.store.list(&self.folder)?;
        Ok(paths.iter().filter_map(|path| Some(path.split_once('/')?.0.to_owned())).collect())
    }

    /// Removes a snapshot, or what there is of it.
    pub fn remove(&self, name: &str) -> Result<()> {
        let folder = format!("{}/{name}", self.folder);
        let paths: Vec<String> = self.store.list(&folder)?.iter().map(|path| format!("{folder}/{path}")).collect();
        self.store.remove(&paths)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_leads_nowhere_is_refused() {
        for address in ["", "/srv/x", "file://srv/x", "http://x/y", "s3://bucket/prefix"] {
            assert!(SnapshotStore::at(address).is_err(), "{address}");
        }
        assert_eq!(SnapshotStore::at("file:///srv/x").expect("an address").address(), "file:///srv/x");
    }
}
