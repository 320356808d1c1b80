//! The files of the recall index: blocks that are written once, mapped into memory, and listed in one manifest.
//!
//! Everything here can be deleted at any time and comes back the same. A file is written beside, flushed and named
//! before the manifest that lists it takes the place of the old one; so a process killed at any moment leaves at most a
//! file that nobody lists, which the next one to write removes.

mod checked;
mod file;
mod manifest;
mod map;

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use idetic_core::Hash;

use crate::lock::LockFile;
use crate::sums::Stamp;
use crate::{Error, Result};
use checked::Checked;
pub use file::LaneFile;
pub use manifest::{Manifest, Sealed};

/// How many files of one size are joined into one of the next.
const FAN: usize = 8;
/// Events in a file of the smallest size.
const SMALLEST_EVENTS: u64 = 256;

/// The blocks of a file, by the name of their lane.
pub type Blocks = BTreeMap<String, Vec<u8>>;

/// The index files of one space.
pub struct LaneFiles {
    folder: PathBuf,
    /// Made when something is first written; none where nothing may be.
    lock: OnceLock<Option<LockFile>>,
    open: Mutex<HashMap<String, Arc<LaneFile>>>,
}

/// Which files: those of the documents, or those of the vectors a model made of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Series<'a> {
    /// Words and columns.
    Documents,
    /// The vectors of one model.
    Vectors(&'a str),
}

impl Series<'_> {
    fn stem(self) -> String {
        match self {
            Self::Documents => "documents".to_owned(),
            Self::Vectors(model) => format!("vectors-{}", &Hash::of(model.as_bytes()).to_string()[..8]),
        }
    }
}

/// The right to write, held by one thread of one process.
pub struct Writing<'a> {
    files: &'a LaneFiles,
    _held: crate::lock::Held<'a>,
}

impl LaneFiles {
    /// The files in a space's folder. Nothing is opened before it is needed.
    pub fn open(space: &Path) -> Self {
        Self { folder: space.join("lanes"), lock: OnceLock::new(), open: Mutex::default() }
    }

    fn lock(&self) -> Option<&LockFile> {
        let make = || {
            // Where it is there already, or cannot be made, opening the lock tells.
            let _ = fs::create_dir(&self.folder);
            LockFile::open(&self.folder.join("lock")).ok()
        };
        self.lock.get_or_init(make).as_ref()
    }

    /// What there is now. A manifest that cannot be read is as good as none: it lists nothing that cannot be rebuilt.
    pub fn manifest(&self) -> Manifest {
        Manifest::read(&self.folder)
    }

    /// Whether the list of files is there and is not what was written.
    pub fn list_is_damaged(&self) -> bool {
        Manifest::is_damaged(&self.folder)
    }

    /// The files of a series, mapped. `None` when one of them went away meanwhile: look at the manifest again.
    pub fn map(&self, manifest: &Manifest, series: Series) -> Result<Option<Vec<Arc<LaneFile>>>> {
        let mut files = Vec::new();
        self.keep_only(manifest);
        for sealed in manifest.series(series) {
            let known = self.opened().get(&sealed.file).cloned().filter(|file| file.is_untouched());
            let file = match known {
                Some(file) => file,
                None => match LaneFile::open(&self.folder.join(&sealed.file))? {
                    Some(file) => Arc::new(file),
                    None => return Ok(None),
                },
            };
            self.opened().insert(sealed.file.clone(), Arc::clone(&file));
            files.push(file);
        }
        Ok(Some(files))
    }

    /// Vectors are large, and a question needs a small part of them: the blocks of some lanes are held against their checksums
    /// where their file looks other than when that was last done, and not by every process. No other lane's are looked at.
    pub fn check_changed(
        &self,
        manifest: &Manifest,
        series: Series,
        files: &[Arc<LaneFile>],
        lanes: &[String],
    ) -> Result<()> {
        let is_due = |file: &LaneFile| lanes.iter().any(|lane| file.is_unchecked(lane));
        if !files.iter().any(|file| is_due(file)) {
            return Ok(());
        }
        let checked = Checked::read(&self.folder);
        let mut found = Vec::new();
        for (sealed, file) in manifest.series(series).iter().zip(files) {
            for lane in lanes.iter().filter(|lane| file.is_unchecked(lane)) {
                if checked.knows(&sealed.file, file.stamp(), lane) {
                    file.believe(lane);
                } else {
                    file.block(lane)?;
                    found.push((sealed.file.as_str(), file.stamp(), lane.as_str()));
                }
            }
        }
        if !found.is_empty()
            && let Some(_held) = self.lock().map(LockFile::try_hold).transpose()?.flatten()
        {
            Checked::read(&self.folder).add(&self.folder, &found, |name| manifest.files().any(|file| file == name));
        }
        Ok(())
    }

    /// Lets go of files that are no longer listed: as long as one is mapped it takes up its place on the disk.
    fn keep_only(&self, manifest: &Manifest) {
        let listed: std::collections::HashSet<&str> = manifest.files().collect();
        self.opened().retain(|file, _| listed.contains(file.as_str()));
    }

    /// What is wrong with the files: every block of each that is listed is held against its checksum.
    pub fn check(&self) -> Vec<String> {
        if self.list_is_damaged() {
            return vec!["the list of index files is damaged".to_owned()];
        }
        self.manifest().files().filter_map(|name| self.check_file(name).err()).collect()
    }

    /// The same for one of the files, by its place in the list; `None` behind the last.
    pub fn check_one(&self, place: usize) -> Option<std::result::Result<(), String>> {
        if self.list_is_damaged() {
            return Some(Err("its list of files is damaged".to_owned()));
        }
        self.manifest().files().nth(place).map(|name| self.check_file(name))
    }

    fn check_file(&self, name: &str) -> std::result::Result<(), String> {
        match LaneFile::open(&self.folder.join(name)) {
            Ok(Some(file)) => file.check().map_err(|error| format!("{name}: {error}")),
            // One that was exchanged meanwhile is no longer listed.
            Ok(None) if self.manifest().files().any(|listed| listed == name) => Err(format!("{name} is missing")),
            Ok(None) => Ok(()),
            Err(error) => Err(error.to_string()),
        }
    }

    /// The right to write, unless somebody else has it: whoever needs a file can do without it for now.
    pub fn try_write(&self) -> Result<Option<Writing<'_>>> {
        let Some(lock) = self.lock() else { return Ok(None) };
        Ok(lock.try_hold()?.map(|held| Writing { files: self, _held: held }))
    }

    /// The right to write, waited for. `None` where nothing may be written.
    pub fn write(&self) -> Result<Option<Writing<'_>>> {
        let Some(lock) = self.lock() else { return Ok(None) };
        Ok(Some(Writing { files: self, _held: lock.hold()? }))
    }

    /// The files that a manifest lists, in its order, each held against its checksums. `None` when one of them went away
    /// meanwhile: look at the manifest again.
    pub fn whole_files(&self, manifest: &Manifest) -> Result<Option<Vec<LaneFile>>> {
        let mut files = Vec::new();
        for name in manifest.files() {
            let Some(file) = LaneFile::open(&self.folder.join(name))? else { return Ok(None) };
            file.check()?;
            files.push(file);
        }
        Ok(Some(files))
    }

    /// Makes files that were copied elsewhere, and lie in another folder of the same disk, the index.
    pub fn adopt(&self, manifest: &Manifest, from: &Path) -> Result<()> {
        let nowhere = || Error::Unavailable("the recall index cannot be written".to_owned());
        let writing = self.write()?.ok_or_else(nowhere)?;
        for name in manifest.files() {
            let (from, to) = (from.join(name), self.folder.join(name));
            fs::rename(&from, &to).map_err(Error::io(format_args!("cannot put {} in place", to.display())))?;
        }
        writing.swap(manifest)
    }

    /// Throws everything away; it is rebuilt.
    pub fn discard(&self) -> Result<()> {
        if !self.folder.is_dir() {
            return Ok(());
        }
        let _held = self.lock().map(LockFile::hold).transpose()?;
        self.opened().clear();
        manifest::remove(&self.folder)?;
        Checked::read(&self.folder).add(&self.folder, &[], |_| false);
        self.sweep(&Manifest::default());
        Ok(())
    }

    /// Removes the files that a manifest does not list. What cannot be removed harms nobody.
    fn sweep(&self, manifest: &Manifest) {
        let listed: std::collections::HashSet<&str> = manifest.files().collect();
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let Some(name) = name.to_str() else { continue };
            if name.ends_with(file::SUFFIX) && !listed.contains(name) || name.ends_with(file::UNFINISHED) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    fn opened(&self) -> MutexGuard<'_, HashMap<String, Arc<LaneFile>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Writing<'_> {
    /// Adds a file for the events behind those already covered, up to and with `to`, whose hash is given.
    pub fn seal(&self, series: Series, to: u64, hash: Hash, blocks: &Blocks) -> Result<Manifest> {
        let mut manifest = self.files.manifest();
        let from = manifest.covered(series).0 + 1;
        if to < from {
            return Ok(manifest);
        }
        let file = file::write(&self.files.folder, &format!("{}-{from}-{to}", series.stem()), blocks)?;
        manifest.push(series, Sealed { file: file.clone(), from, to, hash });
        self.swap(&manifest)?;
        self.is_whole(series, &manifest, &file, blocks);
        Ok(manifest)
    }

    /// Joins files of about one size into one, as long as there are enough of them, up to a number of events.
    /// `join` makes one block of the blocks of one lane, in their order.
    pub fn merge(&self, series: Series, most_events: u64, join: impl Fn(&[&[u8]]) -> Result<Vec<u8>>) -> Result<bool> {
        let mut merged = false;
        loop {
            let mut manifest = self.files.manifest();
            let Some(range) = due(manifest.series(series), most_events) else { return Ok(merged) };
            let Some(files) = self.files.map(&manifest, series)? else { return Ok(merged) };
            let mut lanes: BTreeMap<&str, Vec<&[u8]>> = BTreeMap::new();
            for file in &files[range.clone()] {
                // What is damaged must not be given a checksum that is right.
                file.check()?;
                for lane in file.lanes() {
                    lanes.entry(lane).or_default().extend(file.block(lane)?);
                }
            }
            let mut blocks = Blocks::new();
            for (lane, parts) in lanes {
                blocks.insert(lane.to_owned(), join(&parts)?);
            }
            let sealed = manifest.series(series);
            let (first, last) = (&sealed[range.start], &sealed[range.end - 1]);
            let (from, to, hash) = (first.from, last.to, last.hash);
            let file = file::write(&self.files.folder, &format!("{}-{from}-{to}", series.stem()), &blocks)?;
            manifest.replace(series, range, Sealed { file: file.clone(), from, to, hash });
            self.swap(&manifest)?;
            self.is_whole(series, &manifest, &file, &blocks);
            merged = true;
        }
    }

    /// Lists nothing of a model any more.
    pub fn forget(&self, model: &str) -> Result<()> {
        let mut manifest = self.files.manifest();
        if manifest.forget(model) {
            self.swap(&manifest)?;
        }
        Ok(())
    }

    /// Lists the files of a model no more from the one on that covers an event; they are sealed again.
    pub fn forget_from(&self, model: &str, seq: u64) -> Result<()> {
        let mut manifest = self.files.manifest();
        manifest.forget_from(model, seq);
        self.swap(&manifest)
    }

    /// Notes down that a file of vectors is what was just written.
    fn is_whole(&self, series: Series, manifest: &Manifest, file: &str, blocks: &Blocks) {
        let folder = &self.files.folder;
        if let (Series::Vectors(_), Some(stamp)) = (series, Stamp::of(&folder.join(file))) {
            let whole: Vec<_> = blocks.keys().map(|lane| (file, stamp, lane.as_str())).collect();
            Checked::read(folder).add(folder, &whole, |name| manifest.files().any(|listed| listed == name));
        }
    }

    fn swap(&self, manifest: &Manifest) -> Result<()> {
        manifest.write(&self.files.folder)?;
        self.files.sweep(manifest);
        self.files.keep_only(manifest);
        Ok(())
    }
}

/// The size of a file: 0 for the smallest, one more for each time it is that much larger.
fn size(sealed: &Sealed) -> u32 {
    let events = (sealed.to - sealed.from + 1) / SMALLEST_EVENTS;
    events.max(1).ilog(FAN as u64)
}

/// The last files of one size, if there are enough of them to be joined.
fn due(files: &[Sealed], most_events: u64) -> Option<std::ops::Range<usize>> {
    let mut end = files.len();
    while end > 0 {
        let same = files[..end].iter().rev().take_while(|file| size(file) == size(&files[end - 1])).count();
        let range = end - same..end;
        let events = files[end - 1].to + 1 - files[range.start].from;
        if same >= FAN && events <= most_events {
            return Some(range);
        }
        end = range.start;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sealed(from: u64, to: u64) -> Sealed {
        Sealed { file: format!("{from}-{to}"), from, to, hash: Hash([0; 32]) }
    }

    #[test]
    fn files_of_one_size_are_joined_and_others_left() {
        let files: Vec<Sealed> = (0..8).map(|n| sealed(n * 256 + 1, (n + 1) * 256)).collect();
        assert_eq!(due(&files, u64::MAX), Some(0..8));
        assert_eq!(due(&files, 2047), None);
        assert_eq!(due(&files[..7], u64::MAX), None);
        let mut mixed = vec![sealed(1, 2048)];
        mixed.extend((0..8).map(|n| sealed(2049 + n * 256, 2048 + (n + 1) * 256)));
        assert_eq!(due(&mixed, u64::MAX), Some(1..9));
    }

    #[test]
    fn a_manifest_swapped_while_files_are_open_leaves_readers_what_they_have() {
        let folder = tempfile::tempdir().expect("a folder");
        let files = LaneFiles::open(folder.path());
        let writing = files.try_write().expect("no trouble").expect("nobody writes");
        assert!(files.try_write().expect("no trouble").is_none(), "one writes at a time");
        for n in 1..=8_u64 {
            let blocks = Blocks::from([("a".to_owned(), vec![n as u8; 3])]);
            writing.seal(Series::Documents, n * 256, Hash([n as u8; 32]), &blocks).expect("sealed");
        }
        let before = files.manifest();
        let mapped = files.map(&before, Series::Documents).expect("no trouble").expect("all there");
        assert!(writing.merge(Series::Documents, u64::MAX, |parts| Ok(parts.concat())).expect("merged"));
        let after = files.manifest();
        assert_eq!((after.series(Series::Documents).len(), after.covered(Series::Documents).0), (1, 2048));
        let joined = files.map(&after, Series::Documents).expect("no trouble").expect("all there");
        let whole: Vec<u8> =
            mapped.iter().flat_map(|f| f.block("a").expect("whole").expect("there").to_vec()).collect();
        assert_eq!(joined[0].block("a").expect("whole"), Some(whole.as_slice()));
        assert!(files.map(&before, Series::Documents).expect("no trouble").is_none(), "what is gone is noticed");
    }
}
