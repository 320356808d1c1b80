//! The file of sums: a head that says for which state of the database it holds, then the sum of each page.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{ErrorKind, Read, Write};
use std::path::Path;

use super::stamp::{STAMP_BYTES, Stamp};
use super::sum;
use super::wal::Salt;
use crate::{Error, Result};

const MARK: &[u8; 8] = b"idtsums1";
/// Mark, stamp, salt and frames of the write-ahead log, how many pages, how many in flux, and the sum of all that.
const HEAD_BYTES: usize = 8 + STAMP_BYTES + 8 + 8 + 8 + 8 + 8;

/// What a table begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The database as it was when its pages were last known to be right.
    pub stamp: Stamp,
    /// The write-ahead log whose frames were being moved into it, and how many. All zero where none was.
    pub salt: Salt,
    /// How many of its frames are in the database, or on their way there.
    pub frames: u32,
    pages: u64,
    /// How many pages a checkpoint was exchanging.
    pub in_flux: u64,
}

/// The sums of a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// What it begins with.
    pub head: Head,
    /// The sum of each page.
    pub pages: Vec<u64>,
    /// The sums of those that a checkpoint was exchanging.
    pub in_flux: BTreeMap<u32, u64>,
}

impl Head {
    /// Reads only the head; `None` where there is no file.
    pub fn read(path: &Path) -> Result<Option<Self>> {
        Ok(open(path)?.map(|mut file| Self::from(path, &mut file)).transpose()?.map(|(head, _)| head))
    }

    fn from(path: &Path, file: &mut File) -> Result<(Self, [u8; HEAD_BYTES])> {
        let mut bytes = [0; HEAD_BYTES];
        file.read_exact(&mut bytes).map_err(|_| damaged(path))?;
        let number = |at: usize| bytes[at..at + 8].iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte));
        if bytes[..8] != *MARK || number(HEAD_BYTES - 8) != sum(&bytes[..HEAD_BYTES - 8]) {
            return Err(damaged(path));
        }
        let numbers = 8 + STAMP_BYTES;
        let stamp = bytes[8..numbers].try_into().map(Stamp::from_bytes).map_err(|_| damaged(path))?;
        let salt = bytes[numbers..numbers + 8].try_into().map_err(|_| damaged(path))?;
        let frames = u32::try_from(number(numbers + 8)).map_err(|_| damaged(path))?;
        let head = Self { stamp, salt, frames, pages: number(numbers + 16), in_flux: number(numbers + 24) };
        Ok((head, bytes))
    }
}

impl Table {
    /// Sums of a database in which no checkpoint is under way.
    pub fn new(stamp: Stamp, pages: Vec<u64>) -> Self {
        let head = Head { stamp, salt: [0; 8], frames: 0, pages: 0, in_flux: 0 };
        Self { head, pages, in_flux: BTreeMap::new() }
    }

    /// Reads all of it; `None` where there is no file.
    pub fn read(path: &Path) -> Result<Option<Self>> {
        let Some(mut file) = open(path)? else { return Ok(None) };
        let (head, _) = Head::from(path, &mut file)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(Error::io(format_args!("cannot read {}", path.display())))?;
        let (body, own) = bytes.split_last_chunk::<8>().ok_or_else(|| damaged(path))?;
        let words: Vec<u64> = body.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
        let is_whole = u64::from_le_bytes(*own) == sum(body)
            && head.in_flux.checked_mul(2).and_then(|flux| flux.checked_add(head.pages)) == Some(words.len() as u64);
        let pages = usize::try_from(head.pages).ok().filter(|_| is_whole).ok_or_else(|| damaged(path))?;
        let (pages, flux) = words.split_at(pages);
        let in_flux = flux.as_chunks::<2>().0.iter().map(|[page, sum]| Ok((u32::try_from(*page)?, *sum)));
        let in_flux = in_flux.collect::<std::result::Result<_, std::num::TryFromIntError>>();
        Ok(Some(Self { head, pages: pages.to_vec(), in_flux: in_flux.map_err(|_| damaged(path))? }))
    }

    /// Writes it beside and puts it in place of the old one, flushed: what comes after a checkpoint relies on it.
    pub fn write(&self, path: &Path, beside: &Path) -> Result<()> {
        let failed = || Error::io(format!("cannot write {}", path.display()));
        let mut bytes = MARK.to_vec();
        bytes.extend(self.head.stamp.to_bytes());
        bytes.extend(self.head.salt);
        for number in [u64::from(self.head.frames), self.pages.len() as u64, self.in_flux.len() as u64] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(sum(&bytes).to_le_bytes());
        let flux = self.in_flux.iter().flat_map(|(page, sum)| [u64::from(*page), *sum]);
        let body: Vec<u8> = self.pages.iter().copied().chain(flux).flat_map(u64::to_le_bytes).collect();
        bytes.extend(&body);
        bytes.extend(sum(&body).to_le_bytes());
        let mut file = File::create(beside).map_err(failed())?;
        file.write_all(&bytes).and_then(|()| file.sync_data()).map_err(failed())?;
        fs::rename(beside, path).map_err(failed())
    }
}

fn open(path: &Path) -> Result<Option<File>> {
    match File::open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io(format_args!("cannot open {}", path.display()))(error)),
    }
}

fn damaged(path: &Path) -> Error {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Error::Corrupt(format!("{name} is damaged"))
}
