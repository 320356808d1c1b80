//! The form of a snapshot: its files in parts, each encrypted and numbered, and last of all a list of what they are. Without the
//! key, which is with the log, nobody can read a part, and none can be changed, exchanged or left out unnoticed.

use std::fs::{File, OpenOptions};
use std::io::Read;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};

use idetic_core::Hash;
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use serde::{Deserialize, Serialize};

use super::SnapshotStore;
use crate::lanes::Manifest;
use crate::{Error, Result};

/// Bytes of a file in one part.
pub const PART_BYTES: usize = 8 << 20;
/// Parts that are read at once.
const READERS: usize = 4;
/// The object that lists the others, its number, and how long it may be.
const CONTENTS: &str = "contents";
const NUMBER_OF_CONTENTS: u64 = u64::MAX;
const CONTENTS_MAX_BYTES: u64 = 64 << 20;

/// What a snapshot holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contents {
    /// The id of the space.
    pub space: String,
    /// The last event that is folded in the views.
    pub seq: u64,
    /// Its hash.
    pub hash: Hash,
    /// The events in quarantine, as ranges: nothing is derived from them.
    pub hidden: Vec<(u64, u64)>,
    /// The files of the recall index.
    pub lanes: Manifest,
    /// How long the views and then each file of the recall index are.
    pub bytes: Vec<u64>,
}

/// A snapshot that is being written.
pub struct Sealer<'a> {
    store: &'a SnapshotStore,
    folder: String,
    key: LessSafeKey,
    parts: u64,
    bytes: Vec<u64>,
}

impl<'a> Sealer<'a> {
    pub(super) fn new(store: &'a SnapshotStore, folder: String, key: &[u8; 32]) -> Self {
        Self { store, folder, key: cipher(key), parts: 0, bytes: Vec::new() }
    }

    /// Adds a file: the views first, then those of the recall index in the order of their list.
    pub fn add(&mut self, from: &mut dyn Read) -> Result<()> {
        let mut length = 0;
        loop {
            let mut part = Vec::with_capacity(PART_BYTES + AES_256_GCM.tag_len());
            let failed = Error::io("cannot read what a snapshot is taken of");
            from.take(PART_BYTES as u64).read_to_end(&mut part).map_err(failed)?;
            if part.is_empty() {
                break;
            }
            length += part.len() as u64;
            self.put(&part_name(self.parts), self.parts, part)?;
            self.parts += 1;
        }
        self.bytes.push(length);
        Ok(())
    }

    /// Adds the list. Gives how many bytes the files have.
    pub fn finish(self, contents: Contents) -> Result<u64> {
        let contents = Contents { bytes: self.bytes.clone(), ..contents };
        let text = serde_json::to_vec(&contents).map_err(|error| Error::Unavailable(error.to_string()))?;
        self.put(CONTENTS, NUMBER_OF_CONTENTS, text)?;
        Ok(self.bytes.iter().sum())
    }

    fn put(&self, name: &str, number: u64, mut bytes: Vec<u8>) -> Result<()> {
        let sealed = self.key.seal_in_place_append_tag(nonce(number), Aad::empty(), &mut bytes);
        sealed.map_err(|_| Error::Unavailable("a part of a snapshot cannot be encrypted".to_owned()))?;
        self.store.put(&format!("{}/{name}", self.folder), &bytes)
    }
}

/// A snapshot that is read.
pub struct Opened<'a> {
    store: &'a SnapshotStore,
    folder: String,
    key: LessSafeKey,
    /// What it holds.
    pub contents: Contents,
}

/// A part of a file.
struct Part {
    number: u64,
    file: usize,
    begin: u64,
    length: u64,
}

impl<'a> Opened<'a> {
    pub(super) fn read(store: &'a SnapshotStore, folder: String, key: &[u8; 32]) -> Result<Self> {
        let key = cipher(key);
        let text = get(store, &key, &format!("{folder}/{CONTENTS}"), NUMBER_OF_CONTENTS)?;
        let contents: Contents =
            serde_json::from_slice(&text).map_err(|_| Error::Unavailable("its list of files is damaged".to_owned()))?;
        if contents.bytes.len() != contents.lanes.files().count() + 1 || !contents.lanes.is_whole() {
            return Err(Error::Unavailable("its list of files is not whole".to_owned()));
        }
        Ok(Self { store, folder, key, contents })
    }

    /// Writes its files to new ones, in the order of the list, flushed.
    pub fn write_files(&self, to: &[PathBuf]) -> Result<()> {
        let failed = |path: &PathBuf| Error::io(format!("cannot write {}", path.display()));
        let mut files = Vec::with_capacity(to.len());
        for path in to {
            let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).map_err(failed(path))?;
            files.push(file);
        }
        let (parts, next, wrong) = (self.parts(), AtomicUsize::new(0), Mutex::new(None));
        std::thread::scope(|scope| {
            for _ in 0..READERS.min(parts.len()) {
                scope.spawn(|| {
                    while let Some(part) = parts.get(next.fetch_add(1, Ordering::Relaxed)) {
                        if let Err(error) = self.write_part(part, &files, to) {
                            // The others have nothing more to do.
                            next.store(parts.len(), Ordering::Relaxed);
                            *wrong.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                        }
                    }
                });
            }
        });
        wrong.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)?;
        files.iter().zip(to).try_for_each(|(file, path)| file.sync_all().map_err(failed(path)))
    }

    fn parts(&self) -> Vec<Part> {
        let mut parts = Vec::new();
        for (file, bytes) in self.contents.bytes.iter().enumerate() {
            for begin in (0..*bytes).step_by(PART_BYTES) {
                let length = (bytes - begin).min(PART_BYTES as u64);
                parts.push(Part { number: parts.len() as u64, file, begin, length });
            }
        }
        parts
    }

    fn write_part(&self, part: &Part, files: &[File], to: &[PathBuf]) -> Result<()> {
        let name = part_name(part.number);
        let bytes = get(self.store, &self.key, &format!("{}/{name}", self.folder), part.number)?;
        if bytes.len() as u64 != part.length {
            return Err(Error::Unavailable(format!("{name} has another length")));
        }
        let Some((file, path)) = files.get(part.file).zip(to.get(part.file)) else { return Ok(()) };
        file.write_all_at(&bytes, part.begin).map_err(Error::io(format_args!("cannot write {}", path.display())))
    }
}

/// What an object says, if it is what was written under this number.
fn get(store: &SnapshotStore, key: &LessSafeKey, path: &str, number: u64) -> Result<Vec<u8>> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let most = match number {
        NUMBER_OF_CONTENTS => CONTENTS_MAX_BYTES,
        // With a byte more than a part has: one that is longer is not what was written.
        _ => (PART_BYTES + AES_256_GCM.tag_len() + 1) as u64,
    };
    let found = store.get(&store.reads, path, most)?;
    let mut bytes = found.ok_or_else(|| Error::Unavailable(format!("{name} is missing")))?;
    let opened = key.open_in_place(nonce(number), Aad::empty(), &mut bytes);
    let length = opened.map_err(|_| Error::Unavailable(format!("{name} is not what was written")))?.len();
    bytes.truncate(length);
    Ok(bytes)
}

fn cipher(key: &[u8; 32]) -> LessSafeKey {
    LessSafeKey::new(UnboundKey::new(&AES_256_GCM, key).expect("a key of its length"))
}

/// Each number is used once with a key, and each key for one snapshot.
fn nonce(number: u64) -> Nonce {
    let mut nonce = [0; 12];
    nonce[..8].copy_from_slice(&number.to_le_bytes());
    Nonce::assume_unique_for_key(nonce)
}

fn part_name(number: u64) -> String {
    format!("part-{number:08}")
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    fn take(folder: &Path, key: &[u8; 32], files: &[Vec<u8>]) -> (SnapshotStore, Contents) {
        let store = SnapshotStore::at(&format!("file://{}", folder.display())).expect("a place");
        let mut sealer = Sealer::new(&store, "a/b/one".to_owned(), key);
        files.iter().for_each(|file| sealer.add(&mut file.as_slice()).expect("added"));
        let (lanes, hash) = (Manifest::default(), Hash::of(b"x"));
        let contents = Contents { space: "s".to_owned(), seq: 7, hash, hidden: vec![(2, 3)], lanes, bytes: vec![] };
        assert_eq!(sealer.finish(contents.clone()), Ok(files.iter().map(|file| file.len() as u64).sum()));
        let bytes = files.iter().map(|file| file.len() as u64).collect();
        (store, Contents { bytes, ..contents })
    }

    #[test]
    fn what_is_sealed_comes_back_and_can_be_read_with_its_key_only() {
        let (place, target) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        let views: Vec<u8> = (0..PART_BYTES + 5).map(|n| (n % 251) as u8).collect();
        let (store, contents) = take(place.path(), &[7; 32], std::slice::from_ref(&views));
        let opened = Opened::read(&store, "a/b/one".to_owned(), &[7; 32]).expect("it opens");
        assert_eq!(opened.contents, contents);
        let to = target.path().join("views.db");
        opened.write_files(std::slice::from_ref(&to)).expect("written");
        assert!(fs::read(&to).expect("read") == views);
        assert!(Opened::read(&store, "a/b/one".to_owned(), &[8; 32]).is_err());
        let part = fs::read(place.path().join("a/b/one/part-00000000")).expect("a part");
        assert!(!part.windows(8).any(|bytes| bytes == &views[..8]));
    }

    #[test]
    fn a_part_that_is_changed_exchanged_cut_or_missing_is_noticed() {
        let (place, target) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        let (store, _) = take(place.path(), &[7; 32], &[vec![1; 2 * PART_BYTES]]);
        let opened = Opened::read(&store, "a/b/one".to_owned(), &[7; 32]).expect("it opens");
        let [first, second] = ["part-00000000", "part-00000001"].map(|name| place.path().join("a/b/one").join(name));
        let [whole, other] = [&first, &second].map(|path| fs::read(path).expect("a part"));
        let flipped: Vec<u8> = whole.iter().enumerate().map(|(at, byte)| byte ^ u8::from(at == 4711)).collect();
        let (cut, longer) = (whole[..whole.len() - 1].to_vec(), [&whole[..], b"more"].concat());
        for wrong in [Some(flipped), Some(other), Some(cut), Some(longer), Some(Vec::new()), None] {
            match &wrong {
                Some(bytes) => fs::write(&first, bytes).expect("written"),
                None => fs::remove_file(&first).expect("removed"),
            }
            let to = target.path().join("views.db");
            let _ = fs::remove_file(&to);
            assert!(matches!(opened.write_files(&[to]), Err(Error::Unavailable(_))), "{:?}", wrong.map(|w| w.len()));
        }
    }
}
