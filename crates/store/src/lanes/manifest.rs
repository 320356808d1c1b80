//! The manifest: which files make up the index, and which events they cover. A line of JSON and a line with its checksum.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::ops::Range;
use std::path::Path;

use idetic_core::Hash;
use idetic_search::BLOCK_FORMATS;
use serde::{Deserialize, Serialize};

use super::Series;
use crate::{Error, Result};

const NAME: &str = "manifest.json";
/// Raised when events have other words or another part of their lane: the index is then rebuilt, as it is where blocks have another form.
const VERSION: u32 = 5;

/// One file of the index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sealed {
    /// Its name.
    pub file: String,
    /// The first event it covers.
    pub from: u64,
    /// The last event it covers.
    pub to: u64,
    /// The hash of that event.
    #[serde(with = "as_text")]
    pub hash: Hash,
}

/// All files of the index.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    version: u32,
    #[serde(default)]
    blocks: Vec<String>,
    documents: Vec<Sealed>,
    vectors: BTreeMap<String, Vec<Sealed>>,
}

impl Manifest {
    pub(super) fn read(folder: &Path) -> Self {
        Self::read_whole(folder).unwrap_or_default()
    }

    /// Whether there is one that is not what was written.
    pub(super) fn is_damaged(folder: &Path) -> bool {
        match fs::read(folder.join(NAME)) {
            Ok(bytes) => checked(&bytes).is_none(),
            Err(error) => error.kind() != ErrorKind::NotFound && folder.is_dir(),
        }
    }

    /// One of another version, or of blocks in another form, is as good as none, and no damage.
    fn read_whole(folder: &Path) -> Option<Self> {
        let bytes = fs::read(folder.join(NAME)).ok()?;
        let read: Self = serde_json::from_str(checked(&bytes)?).ok()?;
        (read.version == VERSION && read.blocks == BLOCK_FORMATS && read.is_whole()).then_some(read)
    }

    /// Writes it beside and puts it in place of the old one, both flushed.
    pub(super) fn write(&self, folder: &Path) -> Result<()> {
        let failed = || Error::io(format!("cannot write the list of index files in {}", folder.display()));
        let beside = folder.join(format!("{NAME}{}", super::file::UNFINISHED));
        let blocks = BLOCK_FORMATS.map(str::to_owned).to_vec();
        let versioned = Self { version: VERSION, blocks, ..self.clone() };
        let text = serde_json::to_string(&versioned).map_err(|e| Error::Unavailable(e.to_string()))?;
        let text = format!("{text}\n{}\n", Hash::of(text.as_bytes()));
        let mut file = File::create(&beside).map_err(failed())?;
        file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(failed())?;
        fs::rename(&beside, folder.join(NAME)).map_err(failed())?;
        File::open(folder).and_then(|f| f.sync_all()).map_err(failed())
    }

    /// The files of a series, in order.
    pub fn series(&self, series: Series) -> &[Sealed] {
        match series {
            Series::Documents => &self.documents,
            Series::Vectors(model) => self.vectors.get(model).map_or(&[], Vec::as_slice),
        }
    }

    /// Up to which event a series goes, and its hash.
    pub fn covered(&self, series: Series) -> (u64, Hash) {
        self.series(series).last().map_or((0, Hash([0; 32])), |last| (last.to, last.hash))
    }

    /// The models that have files.
    pub fn models(&self) -> impl Iterator<Item = &str> {
        self.vectors.keys().map(String::as_str)
    }

    /// Which form the files have: another one is rebuilt.
    pub fn form() -> String {
        format!("{VERSION} {}", BLOCK_FORMATS.join(" "))
    }

    /// Where each file ends, with the hash of that event.
    pub fn ends(&self) -> impl Iterator<Item = (u64, Hash)> {
        self.documents.iter().chain(self.vectors.values().flatten()).map(|sealed| (sealed.to, sealed.hash))
    }

    /// The names of the files, in one order.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.documents.iter().chain(self.vectors.values().flatten()).map(|sealed| sealed.file.as_str())
    }

    pub(super) fn push(&mut self, series: Series, sealed: Sealed) {
        self.series_mut(series).push(sealed);
    }

    pub(super) fn replace(&mut self, series: Series, range: Range<usize>, by: Sealed) {
        self.series_mut(series).splice(range, [by]);
    }

    /// Forgets the files of a model.
    pub fn forget(&mut self, model: &str) -> bool {
        self.vectors.remove(model).is_some()
    }

    /// Forgets the files of a model from the one on that covers an event.
    pub(super) fn forget_from(&mut self, model: &str, seq: u64) {
        if let Some(files) = self.vectors.get_mut(model) {
            files.retain(|file| file.to < seq);
        }
    }

    fn series_mut(&mut self, series: Series) -> &mut Vec<Sealed> {
        match series {
            Series::Documents => &mut self.documents,
            Series::Vectors(model) => self.vectors.entry(model.to_owned()).or_default(),
        }
    }

    /// Every series begins at the first event and has no gap, and no name leads elsewhere.
    pub fn is_whole(&self) -> bool {
        let follows = |files: &Vec<Sealed>| {
            let mut next = 1;
            files.iter().all(|file| {
                let right = file.from == next && file.to >= file.from;
                next = file.to.saturating_add(1);
                right
            })
        };
        let plain = |name: &str| name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-.".contains(&b));
        follows(&self.documents) && self.vectors.values().all(follows) && self.files().all(plain)
    }
}

/// The line that says what there is, if it is what was written.
fn checked(bytes: &[u8]) -> Option<&str> {
    let (text, sum) = std::str::from_utf8(bytes).ok()?.strip_suffix('\n')?.split_once('\n')?;
    (Hash::of(text.as_bytes()).to_string() == sum).then_some(text)
}

/// Takes the manifest away.
pub(super) fn remove(folder: &Path) -> Result<()> {
    match fs::remove_file(folder.join(NAME)) {
        Err(error) if !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Err(Error::io("cannot remove the list of index files")(error))
        }
        _ => Ok(()),
    }
}

/// A hash as the text it is shown as.
mod as_text {
    use idetic_core::Hash;
    use serde::{Deserialize, Deserializer, Serializer, de};

    pub fn serialize<S: Serializer>(hash: &Hash, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(hash)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Hash, D::Error> {
        let text = String::deserialize(deserializer)?;
        Hash::parse(&text).map_err(|invalid| de::Error::custom(invalid.message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_with_blocks_of_another_form_is_made_anew_and_is_no_damage() {
        let folder = tempfile::tempdir().expect("a folder");
        let sealed = Sealed { file: "documents-1-2-aa.lanes".to_owned(), from: 1, to: 2, hash: Hash([7; 32]) };
        Manifest { documents: vec![sealed], ..Manifest::default() }.write(folder.path()).expect("writes");
        assert_eq!(Manifest::read(folder.path()).covered(Series::Documents).0, 2);
        let path = folder.path().join(NAME);
        let written = fs::read_to_string(&path).expect("reads");
        for other in ["\"idtlane2\"", ""] {
            let text = written.lines().next().expect("a line").replace(&format!("\"{}\"", BLOCK_FORMATS[0]), other);
            let text = text.replace("[,", "[");
            fs::write(&path, format!("{text}\n{}\n", Hash::of(text.as_bytes()))).expect("writes");
            assert!(!Manifest::is_damaged(folder.path()), "{text}");
            assert_eq!(Manifest::read(folder.path()), Manifest::default(), "{text}");
        }
    }
}
