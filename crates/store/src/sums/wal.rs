//! SQLite's write-ahead log, read as SQLite does when it recovers: frames up to the last whole transaction.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, ErrorKind, Read};
use std::path::Path;

use super::{PAGE_BYTES, sum};
use crate::{Error, Result};

const HEADER_BYTES: usize = 32;
const FRAME_HEADER_BYTES: usize = 24;
/// The first word of the file; the last bit says in which order its checksums read the bytes of a word.
const MAGIC: u32 = 0x377f_0682;
/// Bytes read at a time.
const BUFFER_BYTES: usize = 1 << 18;

/// What marks all frames that belong together: exchanged whenever the file is begun anew.
pub type Salt = [u8; 8];

/// What the file holds.
#[derive(Debug, PartialEq, Eq)]
pub struct Wal {
    /// Its mark.
    pub salt: Salt,
    /// How many frames are whole and committed.
    pub frames: u32,
    /// The pages in them, by number, with the sum of the latest version of each.
    pub pages: BTreeMap<u32, u64>,
    /// How many pages the database has after the last of them.
    pub database_pages: u32,
}

/// Words in the order that the file says.
#[derive(Clone, Copy)]
struct Checksum {
    big_endian: bool,
    sums: [u32; 2],
}

impl Checksum {
    fn add(&mut self, bytes: &[u8]) {
        let word = |bytes: [u8; 4]| if self.big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) };
        let [mut a, mut b] = self.sums;
        for [b0, b1, b2, b3, b4, b5, b6, b7] in bytes.as_chunks::<8>().0 {
            a = a.wrapping_add(word([*b0, *b1, *b2, *b3])).wrapping_add(b);
            b = b.wrapping_add(word([*b4, *b5, *b6, *b7])).wrapping_add(a);
        }
        self.sums = [a, b];
    }
}

impl Wal {
    /// Reads the file; `None` where there is none, or none that SQLite would read.
    pub fn read(file: &Path) -> Result<Option<Self>> {
        let (mut pages, mut open) = (BTreeMap::new(), Vec::new());
        let walked = walk(file, &mut |number, page, is_commit| {
            open.push((number, sum(page)));
            if is_commit {
                pages.extend(open.drain(..));
            }
        })?;
        Ok(walked.map(|Walked { salt, frames, database_pages }| Self { salt, frames, pages, database_pages }))
    }

    /// How many frames are whole and committed.
    pub fn frames(file: &Path) -> Result<u32> {
        Ok(walk(file, &mut |_, _, _| {})?.map_or(0, |walked| walked.frames))
    }

    /// The mark of a file without the rest of it.
    pub fn salt(file: &Path) -> Option<Salt> {
        let mut header = [0; HEADER_BYTES];
        File::open(file).ok()?.read_exact(&mut header).ok()?;
        begin(&header).map(|(salt, _)| salt)
    }
}

/// What stands in a file, without its pages.
struct Walked {
    salt: Salt,
    frames: u32,
    database_pages: u32,
}

/// Walks over the frames that are whole: their pages, and whether a transaction ends with them.
fn walk(file: &Path, take: &mut dyn FnMut(u32, &[u8], bool)) -> Result<Option<Walked>> {
    let failed = || Error::io(format!("cannot read {}", file.display()));
    let mut reader = match File::open(file) {
        Ok(file) => BufReader::with_capacity(BUFFER_BYTES, file),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed()(error)),
    };
    let mut header = [0; HEADER_BYTES];
    if !fill(&mut reader, &mut header).map_err(failed())? {
        return Ok(None);
    }
    let Some((salt, mut checksum)) = begin(&header) else { return Ok(None) };
    let mut walked = Walked { salt, frames: 0, database_pages: 0 };
    let mut seen = 0;
    let (mut frame, mut page) = ([0; FRAME_HEADER_BYTES], vec![0; PAGE_BYTES]);
    while fill(&mut reader, &mut frame).map_err(failed())? && fill(&mut reader, &mut page).map_err(failed())? {
        checksum.add(&frame[..8]);
        checksum.add(&page);
        let number = big(&frame, 0);
        if number == 0 || frame[8..16] != salt || checksum.sums != [big(&frame, 16), big(&frame, 20)] {
            break;
        }
        seen += 1;
        let pages = big(&frame, 4);
        take(number, &page, pages > 0);
        if pages > 0 {
            (walked.frames, walked.database_pages) = (seen, pages);
        }
    }
    Ok(Some(walked))
}

/// The mark, and the checksum with which the frames go on.
fn begin(header: &[u8; HEADER_BYTES]) -> Option<(Salt, Checksum)> {
    let magic = big(header, 0);
    let mut checksum = Checksum { big_endian: magic & 1 == 1, sums: [0; 2] };
    checksum.add(&header[..24]);
    let is_whole = magic & !1 == MAGIC
        && big(header, 8) as usize == PAGE_BYTES
        && checksum.sums == [big(header, 24), big(header, 28)];
    let salt = header[16..24].try_into().ok()?;
    is_whole.then_some((salt, checksum))
}

fn big(bytes: &[u8], at: usize) -> u32 {
    bytes[at..at + 4].iter().fold(0, |number, byte| number << 8 | u32::from(*byte))
}

/// Fills a buffer; false at the end of the file, and so where only a part is left.
fn fill(reader: &mut impl Read, buffer: &mut [u8]) -> std::io::Result<bool> {
    match reader.read_exact(buffer) {
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
        read => read.map(|()| true),
    }
}
