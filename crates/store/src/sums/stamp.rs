//! What tells that a file was changed without reading it: which file it is, how long it is, and when it was last touched.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Bytes of a stamp as it is stored.
pub const STAMP_BYTES: usize = 7 * 8;

/// A file at one moment. Whoever writes to it, puts another in its place or only touches it changes this; a copy has another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp([i64; 7]);

impl Stamp {
    /// The stamp of a file; `None` where there is none to be seen.
    pub fn of(file: &Path) -> Option<Self> {
        std::fs::metadata(file).ok().map(|metadata| Self::from(&metadata))
    }

    /// Which file it is: its device and number.
    pub fn inode(&self) -> (i64, i64) {
        (self.0[0], self.0[1])
    }

    /// How many bytes the file has.
    pub fn bytes(&self) -> u64 {
        self.0[2].cast_unsigned()
    }

    /// As it is stored.
    pub fn to_bytes(self) -> Vec<u8> {
        self.0.iter().flat_map(|number| number.to_le_bytes()).collect()
    }

    /// From what is stored.
    pub fn from_bytes(bytes: &[u8; STAMP_BYTES]) -> Self {
        let mut numbers = [0; 7];
        for (number, bytes) in numbers.iter_mut().zip(bytes.as_chunks::<8>().0) {
            *number = i64::from_le_bytes(*bytes);
        }
        Self(numbers)
    }
}

impl From<&Metadata> for Stamp {
    fn from(of: &Metadata) -> Self {
        Self([
            of.dev().cast_signed(),
            of.ino().cast_signed(),
            of.size().cast_signed(),
            of.mtime(),
            of.mtime_nsec(),
            of.ctime(),
            of.ctime_nsec(),
        ])
    }
}
