//! The file that holds a model: what the converter writes and the program reads in place.
//!
//! All numbers are little-endian, and so are the machines it is read on. A header of 256 bytes: magic, version, the length of the name, the name, the hash of
//! the public weights, the sizes, and where each section is. Then the sections, each on a multiple of 64 bytes.

use crate::bytes::u32_at;
use crate::error::ModelError;
use crate::kernels::WIDTH;
use crate::shape::{HEADS, HIDDEN, INTERMEDIATE, LAYERS, PIECES, PLACES};

/// The first bytes.
pub const MAGIC: [u8; 8] = *b"idetic\0M";
/// The version of this layout.
pub const VERSION: u32 = 1;
/// The model inside.
pub const NAME: &str = "all-MiniLM-L6-v2";
/// The blake3 hash of the asset as published.
pub const CHECKSUM: &str = "cf9d33b41dc00c7af32c98592b69e61edcaaa89a19d63ed82970d5465db6d11d";

/// Length of the header.
pub const HEADER: usize = 256;
/// Sections start on multiples of this.
pub const ALIGNMENT: usize = 64;
/// Where the name, the hash, the sizes and the table of sections are in the header.
pub const NAME_AT: usize = 16;
/// See `NAME_AT`.
pub const REVISION_AT: usize = 48;
/// See `NAME_AT`.
pub const SIZES_AT: usize = 80;
/// See `NAME_AT`.
pub const SECTIONS_AT: usize = 112;
/// The sizes the kernels are built for, in the order of the header.
pub const SIZES: [usize; 7] = [HIDDEN, INTERMEDIATE, LAYERS, HEADS, PIECES, PLACES, WIDTH];

/// What the file holds, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    /// All word pieces, one after the other.
    Pieces,
    /// Where each piece ends, as u32.
    Ends,
    /// The hash table over the pieces, as u16.
    Slots,
    /// Everything that is kept as f32.
    Floats,
    /// A row for each piece, as f16.
    Rows,
    /// The weights of the layers in panels, as f16.
    Panels,
}

impl Section {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Pieces, Self::Ends, Self::Slots, Self::Floats, Self::Rows, Self::Panels];
}

/// A file whose header has been checked.
#[derive(Clone, Copy)]
pub struct Asset {
    bytes: &'static [u8],
}

impl Asset {
    /// Checks the header and that all sections are there. The bytes themselves are not read: the program that
    /// contains them was checked as a whole when it was built.
    pub fn new(bytes: &'static [u8]) -> Result<Self, ModelError> {
        if bytes.len() < HEADER || bytes[..MAGIC.len()] != MAGIC {
            return Err(ModelError::NotAnAsset);
        }
        let found = u32_at(bytes, 2);
        if found != VERSION {
            return Err(ModelError::Version { found, wanted: VERSION });
        }
        if name(bytes) != Some(NAME) {
            return Err(ModelError::Damaged("it has another name"));
        }
        let sizes = &bytes[SIZES_AT..];
        if SIZES.iter().enumerate().any(|(at, size)| u32_at(sizes, at) as usize != *size) {
            return Err(ModelError::Damaged("it has other sizes"));
        }
        let asset = Self { bytes };
        if Section::ALL.iter().any(|section| asset.find(*section).is_none()) {
            return Err(ModelError::Damaged("it is cut off"));
        }
        Ok(asset)
    }

    /// The hash of the public weights, in hexadecimal.
    pub fn revision(self) -> String {
        self.bytes[REVISION_AT..SIZES_AT].iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The bytes of a section.
    pub fn section(self, section: Section) -> &'static [u8] {
        self.find(section).unwrap_or_default()
    }

    fn find(self, section: Section) -> Option<&'static [u8]> {
        let entry = &self.bytes[SECTIONS_AT + section as usize * 8..];
        let start = u32_at(entry, 0) as usize;
        self.bytes.get(start..start.checked_add(u32_at(entry, 1) as usize)?)
    }
}

fn name(bytes: &[u8]) -> Option<&str> {
    let length = u32_at(bytes, 3) as usize;
    std::str::from_utf8(bytes[NAME_AT..REVISION_AT].get(..length)?).ok()
}
