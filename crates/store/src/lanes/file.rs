//! One file of the index: a table of contents with the checksum of each block, then the blocks.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use idetic_core::Hash;
use idetic_search::ALIGNMENT;
use memmap2::Mmap;
use serde::{Deserialize, Serialize};

use super::{Blocks, map};
use crate::sums::Stamp;
use crate::{Error, Result};

/// What files of the index end in.
pub const SUFFIX: &str = ".lanes";
/// What files end in that are still being written.
pub const UNFINISHED: &str = ".unfinished";

const MARK: &[u8; 8] = b"idtfile1";
/// Mark, length of the table and its checksum.
const HEAD_BYTES: usize = 8 + 8 + 32;

/// Where a block is.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Entry {
    lane: String,
    begin: u64,
    length: u64,
    sum: String,
}

/// A file, mapped.
#[derive(Debug)]
pub struct LaneFile {
    path: PathBuf,
    stamp: Stamp,
    bytes: Mmap,
    blocks: BTreeMap<String, Block>,
}

#[derive(Debug)]
struct Block {
    begin: usize,
    end: usize,
    sum: String,
    /// Whether its bytes were found to be those that were written.
    is_whole: OnceLock<bool>,
}

/// Writes a file under a name that no other content has, flushed, and gives that name.
pub fn write(folder: &Path, stem: &str, blocks: &Blocks) -> Result<String> {
    let mut table: Vec<Entry> = Vec::with_capacity(blocks.len());
    // The table's own length moves the blocks; with room for the longest numbers it does not depend on them.
    let mut begin = 0_u64;
    for (lane, block) in blocks {
        let length = block.len() as u64;
        table.push(Entry { lane: lane.clone(), begin, length, sum: Hash::of(block).to_string() });
        begin += length.next_multiple_of(ALIGNMENT as u64);
    }
    let text = serde_json::to_vec(&table).map_err(|e| Error::Unavailable(e.to_string()))?;
    let sum = Hash::of(&text);
    let name = format!("{stem}-{}{SUFFIX}", &sum.to_string()[..12]);
    let beside = folder.join(format!("{name}{UNFINISHED}"));
    let failed = || Error::io(format!("cannot write {}", beside.display()));
    let mut file = std::io::BufWriter::new(File::create(&beside).map_err(failed())?);
    let mut put = |bytes: &[u8]| file.write_all(bytes).map_err(failed());
    put(MARK)?;
    put(&(text.len() as u64).to_le_bytes())?;
    put(&sum.0)?;
    put(&text)?;
    put(&padding(HEAD_BYTES + text.len()))?;
    for block in blocks.values() {
        put(block)?;
        put(&padding(block.len()))?;
    }
    let file = file.into_inner().map_err(|e| failed()(e.into_error()))?;
    file.sync_all().map_err(failed())?;
    fs::rename(&beside, folder.join(&name)).map_err(failed())?;
    Ok(name)
}

fn padding(length: usize) -> Vec<u8> {
    vec![0; length.next_multiple_of(ALIGNMENT) - length]
}

impl LaneFile {
    /// Opens a file; `None` when it is not there.
    pub fn open(path: &Path) -> Result<Option<Self>> {
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::io(format_args!("cannot open {}", path.display()))(error)),
        };
        let failed = || Error::io(format!("cannot open {}", path.display()));
        let stamp = Stamp::from(&file.metadata().map_err(failed())?);
        let bytes = map::map(&file)?;
        let damaged = || Error::Corrupt(format!("{} is damaged", path.display()));
        let (table, begin) = table(&bytes).ok_or_else(damaged)?;
        let mut blocks = BTreeMap::new();
        for entry in table {
            let whole = usize::try_from(entry.begin).ok().zip(usize::try_from(entry.length).ok());
            let (from, length) = whole.ok_or_else(damaged)?;
            let from = begin.checked_add(from).ok_or_else(damaged)?;
            let end = from.checked_add(length).filter(|end| *end <= bytes.len()).ok_or_else(damaged)?;
            blocks.insert(entry.lane, Block { begin: from, end, sum: entry.sum, is_whole: OnceLock::new() });
        }
        Ok(Some(Self { path: path.to_owned(), stamp, bytes, blocks }))
    }

    /// What it looked like when it was opened.
    pub(super) fn stamp(&self) -> Stamp {
        self.stamp
    }

    /// Whether nobody has touched the file since: what is mapped follows every change of it.
    pub fn is_untouched(&self) -> bool {
        // One that was removed because others took its place stays readable, and is what it was.
        Stamp::of(&self.path).is_none_or(|now| now == self.stamp)
    }

    /// All of it, as it lies on the disk.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The lanes that have a block here.
    pub fn lanes(&self) -> impl Iterator<Item = &str> {
        self.blocks.keys().map(String::as_str)
    }

    /// The block of a lane, held against its checksum the first time.
    pub fn block(&self, lane: &str) -> Result<Option<&[u8]>> {
        let Some(block) = self.blocks.get(lane) else { return Ok(None) };
        if *block.is_whole.get_or_init(|| self.is_whole(block)) {
            Ok(Some(&self.bytes[block.begin..block.end]))
        } else {
            Err(not_written(lane))
        }
    }

    /// Whether the block of a lane is here and was not yet held against its checksum.
    pub(super) fn is_unchecked(&self, lane: &str) -> bool {
        self.blocks.get(lane).is_some_and(|block| block.is_whole.get().is_none())
    }

    /// Takes the block of a lane as whole: somebody checked it when the file looked as it does.
    pub(super) fn believe(&self, lane: &str) {
        if let Some(block) = self.blocks.get(lane) {
            let _ = block.is_whole.set(true);
        }
    }

    /// Holds every block against its checksum, whoever did so before.
    pub fn check(&self) -> Result<()> {
        self.blocks.iter().try_for_each(|(lane, block)| match self.is_whole(block) {
            true => Ok(()),
            false => Err(not_written(lane)),
        })
    }

    fn is_whole(&self, block: &Block) -> bool {
        Hash::of(&self.bytes[block.begin..block.end]).to_string() == block.sum
    }
}

fn not_written(lane: &str) -> Error {
    Error::Corrupt(format!("a block of the index for '{lane}' does not match its checksum"))
}

/// The table of contents and where the blocks begin.
fn table(bytes: &[u8]) -> Option<(Vec<Entry>, usize)> {
    let (mark, rest) = bytes.split_at_checked(MARK.len())?;
    let (length, rest) = rest.split_first_chunk::<8>()?;
    let (sum, rest) = rest.split_first_chunk::<32>()?;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
    let text = rest.get(..length)?;
    let right = mark == MARK && Hash::of(text).0 == *sum;
    let table = serde_json::from_slice(text).ok().filter(|_| right)?;
    Some((table, (HEAD_BYTES + length).next_multiple_of(ALIGNMENT)))
}
