//! The word pieces of the model and their numbers, read in place from the asset.

use crate::bytes::{u16_at, u32_at};

/// Slots of the hash table: a power of two, about twice the number of pieces.
pub const SLOTS: usize = 1 << 16;

const HASH_START: u32 = 0x811c_9dc5;
const HASH_STEP: u32 = 0x0100_0193;

/// What a piece that continues a word is written with.
pub const CONTINUATION: &str = "##";

/// A running hash of a piece, so that all prefixes of a word cost one pass.
#[derive(Clone, Copy)]
pub struct PieceHash(u32);

impl PieceHash {
    /// Nothing read yet.
    pub fn new() -> Self {
        Self(HASH_START)
    }

    /// One byte more.
    #[must_use]
    pub fn with(self, byte: u8) -> Self {
        Self((self.0 ^ u32::from(byte)).wrapping_mul(HASH_STEP))
    }

    /// All bytes of a text more.
    #[must_use]
    pub fn with_all(self, text: &str) -> Self {
        text.bytes().fold(self, Self::with)
    }

    /// Where the search in the table starts.
    pub fn slot(self) -> usize {
        (self.0 ^ (self.0 >> 16)) as usize & (SLOTS - 1)
    }
}

impl Default for PieceHash {
    fn default() -> Self {
        Self::new()
    }
}

/// Looks pieces up in a table that the converter has laid out, so that nothing is built when a program starts.
#[derive(Clone, Copy)]
pub struct Vocabulary {
    text: &'static [u8],
    ends: &'static [u8],
    slots: &'static [u8],
    longest: usize,
}

impl Vocabulary {
    /// Reads the three sections of an asset; `None` if they do not fit each other.
    pub fn new(text: &'static [u8], ends: &'static [u8], slots: &'static [u8]) -> Option<Self> {
        let fits = ends.len().is_multiple_of(4) && slots.len() == SLOTS * 2;
        if !fits {
            return None;
        }
        let count = ends.len() / 4;
        let mut before = 0;
        let mut longest = 0;
        for at in 0..count {
            let end = u32_at(ends, at) as usize;
            longest = longest.max(end.checked_sub(before)?);
            before = end;
        }
        let in_range = (0..SLOTS).all(|at| usize::from(u16_at(slots, at)) <= count);
        let has_gap = (0..SLOTS).any(|at| u16_at(slots, at) == 0);
        (before == text.len() && in_range && has_gap).then_some(Self { text, ends, slots, longest })
    }

    /// How many bytes the longest piece has, its mark of continuation included.
    pub fn longest(&self) -> usize {
        self.longest
    }

    /// The number of the piece that is `prefix` and `rest` together and hashes to `hash`.
    pub fn find(&self, hash: PieceHash, prefix: &str, rest: &[u8]) -> Option<u32> {
        let mut slot = hash.slot();
        loop {
            let id = u32::from(u16_at(self.slots, slot)).checked_sub(1)?;
            if self.piece(id).strip_prefix(prefix.as_bytes()) == Some(rest) {
                return Some(id);
            }
            slot = (slot + 1) & (SLOTS - 1);
        }
    }

    fn piece(&self, id: u32) -> &'static [u8] {
        let id = id as usize;
        let start = if id == 0 { 0 } else { u32_at(self.ends, id - 1) as usize };
        &self.text[start..u32_at(self.ends, id) as usize]
    }
}

/// The table of slots for these pieces, as the asset carries it: the piece's number and one, or zero.
pub fn lay_out(pieces: &[&str]) -> Vec<u16> {
    let mut slots = vec![0_u16; SLOTS];
    for (id, piece) in pieces.iter().enumerate() {
        let mut slot = PieceHash::new().with_all(piece).slot();
        while slots[slot] != 0 {
            slot = (slot + 1) & (SLOTS - 1);
        }
        slots[slot] = u16::try_from(id + 1).expect("a vocabulary has fewer pieces than slots");
    }
    slots
}
