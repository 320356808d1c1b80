//! The `head` file: how far the log had come, so that a log that lost its end, or was exchanged, is noticed.
//!
//! SQLite drops a damaged end of its write-ahead log without a word. This line, written after every commit, is what
//! the log is held against. It is not flushed: after a power failure it may be old, which is harmless, but it can never
//! be ahead of what was flushed.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use idetic_core::{Hash, SpaceId, Tip};

use crate::{Error, Result};

/// What the file says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeadState {
    /// There is no such file.
    Missing,
    /// The file is there and says nothing that can be believed.
    Damaged,
    /// The log had reached this event.
    At {
        /// Which space.
        space: SpaceId,
        /// The last event.
        seq: u64,
        /// Its hash.
        hash: Hash,
    },
}

/// The file.
pub struct HeadFile {
    path: PathBuf,
}

const LONGEST_BYTES: u64 = 512;

impl HeadFile {
    /// The head of the log in a folder.
    pub fn new(folder: &Path) -> Self {
        Self { path: folder.join("head") }
    }

    /// Reads it. A file that cannot be opened for lack of rights is an error, not a missing head.
    pub fn read(&self) -> Result<HeadState> {
        let mut bytes = Vec::with_capacity(200);
        match File::open(&self.path) {
            Ok(file) => file.take(LONGEST_BYTES).read_to_end(&mut bytes).map_err(self.failed("read"))?,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(HeadState::Missing),
            Err(error) => return Err(self.failed("open")(error)),
        };
        Ok(std::str::from_utf8(&bytes).ok().and_then(parse).unwrap_or(HeadState::Damaged))
    }

    /// Writes it in place: one line of fixed length, so one write. What somebody put behind it is cut off.
    pub fn write(&self, tip: &Tip) -> Result<()> {
        let line = line(tip.space, tip.seq, tip.hash);
        let length = line.len() as u64;
        let write = |file: File| {
            file.write_all_at(line.as_bytes(), 0)?;
            if file.metadata()?.len() > length { file.set_len(length) } else { Ok(()) }
        };
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(&self.path);
        file.and_then(write).map_err(self.failed("write"))
    }

    /// Takes it away, flushed: until it is written again it vouches for nothing.
    pub fn forget(&self) -> Result<()> {
        match std::fs::remove_file(&self.path) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(self.failed("remove")(error)),
            _ => {}
        }
        let folder = File::open(self.path.parent().unwrap_or(&self.path));
        folder.and_then(|f| f.sync_all()).map_err(self.failed("remove"))
    }

    fn failed(&self, doing: &str) -> impl FnOnce(std::io::Error) -> Error {
        Error::io(format!("cannot {doing} {}", self.path.display()))
    }
}

fn line(space: SpaceId, seq: u64, hash: Hash) -> String {
    let said = format!("idetic-head 1 {space} {seq:020} {hash}");
    let sum = &Hash::of(said.as_bytes()).to_string()[..16];
    format!("{said} {sum}\n")
}

fn parse(text: &str) -> Option<HeadState> {
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    let [_, _, space, seq, hash, _] = words[..] else { return None };
    let (space, seq, hash) = (SpaceId::parse(space)?, seq.parse().ok()?, Hash::parse(hash).ok()?);
    (line(space, seq, hash) == text).then_some(HeadState::At { space, seq, hash })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_changed_byte_of_the_line_is_noticed() {
        let line = line(SpaceId([5; 16]), 42, Hash::of(b"x"));
        assert_eq!(parse(&line), Some(HeadState::At { space: SpaceId([5; 16]), seq: 42, hash: Hash::of(b"x") }));
        for at in 0..line.len() {
            let mut bytes = line.clone().into_bytes();
            bytes[at] ^= 1;
            assert_eq!(String::from_utf8(bytes).ok().and_then(|t| parse(&t)), None, "byte {at}");
            assert_eq!(parse(&line[..at]), None, "cut at {at}");
        }
    }
}
