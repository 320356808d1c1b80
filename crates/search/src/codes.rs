//! The vectors of one lane over a range of the log: exact, as bytes and as bits, in one block that is never changed.

use super::Damaged;
use super::columns::{Columns, bytes, mark, pack};
use super::vectors::{Part, quantise, sign_bits};

/// Which kind of block, in which version.
pub const FORMAT: &str = "idtvecs1";
const MARK: u64 = mark(FORMAT);

/// The columns in their order. One more, and the mark must change.
#[derive(Debug, Clone, Copy)]
enum Column {
    Dimensions,
    Seqs,
    Ends,
    Scales,
    Bytes,
    Bits,
    Exact,
}

const COLUMNS: usize = Column::Exact as usize + 1;

/// A block of vectors, read where it lies. A document has one for each of its passages.
#[derive(Debug, Clone, Copy)]
pub struct Codes<'a> {
    /// How many numbers a vector has.
    pub(super) dimensions: usize,
    /// The events the documents are.
    pub(super) seqs: &'a [u64],
    /// Where each document's passages end.
    ends: &'a [u32],
    /// What a byte of each passage's code stands for, the bytes, the signs and the numbers themselves.
    scales: &'a [f32],
    bytes: &'a [i8],
    bits: &'a [u64],
    exact: &'a [f32],
    /// All of these together.
    pub(super) vectors: Part<'a>,
}

impl<'a> Codes<'a> {
    /// Reads a block.
    pub fn read(block: &'a [u8]) -> Result<Self, Damaged> {
        let columns = Columns::read(block, MARK, COLUMNS)?;
        let dimensions = columns.exactly::<u64>(Column::Dimensions as usize, 1)?[0];
        let dimensions =
            usize::try_from(dimensions).ok().filter(|n| (1..=DIMENSIONS_MAX).contains(n)).ok_or(Damaged)?;
        let seqs: &[u64] = columns.get(Column::Seqs as usize)?;
        let ends: &[u32] = columns.exactly(Column::Ends as usize, seqs.len())?;
        let passages = ends.last().map_or(0, |end| *end as usize);
        let scales: &[f32] = columns.exactly(Column::Scales as usize, passages)?;
        let bytes: &[i8] = columns.get(Column::Bytes as usize)?;
        let bits: &[u64] = columns.get(Column::Bits as usize)?;
        let exact: &[f32] = columns.get(Column::Exact as usize)?;
        let vectors = Part::new(dimensions, bytes, scales, bits, exact).ok_or(Damaged)?;
        let codes = Self { dimensions, seqs, ends, scales, bytes, bits, exact, vectors };
        if ends.is_sorted() && seqs.is_sorted() { Ok(codes) } else { Err(Damaged) }
    }

    /// How many documents there are.
    pub fn documents(&self) -> usize {
        self.seqs.len()
    }

    /// The passages of a document.
    pub(super) fn passages(&self, document: usize) -> std::ops::Range<usize> {
        let begin = document.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        begin..self.ends[document] as usize
    }

    /// How many passages the first so many documents have.
    pub(super) fn passages_of(&self, documents: usize) -> usize {
        documents.checked_sub(1).map_or(0, |last| self.ends[last] as usize)
    }
}

/// The most numbers a vector may have.
pub const DIMENSIONS_MAX: usize = 8192;

/// A block of vectors being built.
#[derive(Debug)]
pub struct CodesBuilder {
    dimensions: usize,
    seqs: Vec<u64>,
    ends: Vec<u32>,
    scales: Vec<f32>,
    bytes: Vec<i8>,
    bits: Vec<u64>,
    exact: Vec<f32>,
}

impl CodesBuilder {
    /// A block for vectors of so many numbers.
    pub fn new(dimensions: usize) -> Self {
        let (seqs, ends, scales) = (Vec::new(), Vec::new(), Vec::new());
        Self { dimensions, seqs, ends, scales, bytes: Vec::new(), bits: Vec::new(), exact: Vec::new() }
    }

    /// Whether there is no vector.
    pub fn is_empty(&self) -> bool {
        self.seqs.is_empty()
    }

    /// Adds a document with its passages, in order of seq. Vectors of another length are not taken: models never mix.
    pub fn push(&mut self, seq: u64, passages: &[Vec<f32>]) {
        let right = passages.iter().filter(|passage| passage.len() == self.dimensions);
        for passage in right {
            let (scale, codes) = quantise(passage);
            self.scales.push(scale);
            self.bytes.extend(codes);
            self.bits.extend(sign_bits(passage));
            self.exact.extend_from_slice(passage);
        }
        self.seqs.push(seq);
        self.ends.push(u32::try_from(self.scales.len()).unwrap_or(u32::MAX));
    }

    /// Adds what another block holds, whose documents come after those here.
    pub fn append(&mut self, codes: &Codes<'_>) {
        let begin = u32::try_from(self.scales.len()).unwrap_or(u32::MAX);
        self.seqs.extend_from_slice(codes.seqs);
        self.ends.extend(codes.ends.iter().map(|end| begin + end));
        self.scales.extend_from_slice(codes.scales);
        self.bytes.extend_from_slice(codes.bytes);
        self.bits.extend_from_slice(codes.bits);
        self.exact.extend_from_slice(codes.exact);
    }

    /// The block.
    pub fn finish(&self) -> Vec<u8> {
        let dimensions = [self.dimensions as u64];
        let mut columns: [&[u8]; COLUMNS] = [&[]; COLUMNS];
        let mut set = |column: Column, bytes| columns[column as usize] = bytes;
        set(Column::Dimensions, bytes(&dimensions));
        set(Column::Seqs, bytes(&self.seqs));
        set(Column::Ends, bytes(&self.ends));
        set(Column::Scales, bytes(&self.scales));
        set(Column::Bytes, bytes(&self.bytes));
        set(Column::Bits, bytes(&self.bits));
        set(Column::Exact, bytes(&self.exact));
        pack(MARK, &columns)
    }
}
