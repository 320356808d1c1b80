//! A file that is read, with the checksum and the number of lines of all that was read of it.

use std::io::Read;

use idetic_core::hash::Running;

use super::state::KnownFile;

pub struct Summed<R> {
    inner: R,
    sum: Running,
    pub bytes: u64,
    lines: u64,
}

impl<R: Read> Summed<R> {
    pub fn new(inner: R) -> Self {
        Self { inner, sum: Running::default(), bytes: 0, lines: 0 }
    }

    /// The checksum up to here.
    pub fn sum(&self) -> String {
        self.sum.hash().to_string()
    }

    /// What is known of the file when this was all of it.
    pub fn known(&self, changed: i128) -> KnownFile {
        KnownFile { bytes: self.bytes, changed, lines: self.lines, sum: self.sum(), unread: 0 }
    }
}

impl<R: Read> Read for Summed<R> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let count = self.inner.read(into)?;
        self.sum.add(&into[..count]);
        self.bytes += count as u64;
        self.lines += into[..count].iter().filter(|byte| **byte == b'\n').count() as u64;
        Ok(count)
    }
}
