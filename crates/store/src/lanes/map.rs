//! Maps a file of the index into memory: the only place that does.
#![expect(unsafe_code, reason = "mapping a file is unsafe because another process could change it")]

use std::fs::File;

use memmap2::Mmap;

use crate::{Error, Result};

/// Maps a whole file for reading.
pub fn map(file: &File) -> Result<Mmap> {
    // SAFETY: index files are written once under a name of their own, flushed, and only ever removed afterwards, never
    // truncated or written in place; a removed file stays readable through its mapping. Whoever changes one by hand
    // changes numbers that are checked where they are used as lengths or places.
    let mapped = unsafe { Mmap::map(file) };
    mapped.map_err(Error::io("cannot map an index file"))
}
