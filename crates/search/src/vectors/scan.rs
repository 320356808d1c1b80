//! Scores of one question for the passages of a part: approximate ones for all, exact ones for some.

use std::ops::Range;

use super::kernels::DotKernel;
use super::product::product;
use super::quantise::{MAX_DIMS, quantise, sign_bits, words};

/// How many dot products are computed before they become scores: few enough to stay in the nearest cache.
const BLOCK: usize = 512;
/// The same for the passages of one document.
const FEW: usize = 8;

/// Passages with their vectors and the codes of these, each a run of equally long rows in the same order.
#[derive(Clone, Copy, Debug)]
pub struct Part<'a> {
    dims: usize,
    codes: &'a [i8],
    scales: &'a [f32],
    bits: &'a [u64],
    vectors: &'a [f32],
}

impl<'a> Part<'a> {
    /// A part of passages whose vectors have `dims` dimensions; nothing if the lengths do not belong together.
    ///
    /// `codes` and `scales` are what `quantise` gives for each vector, `bits` what `sign_bits` gives.
    pub fn new(dims: usize, codes: &'a [i8], scales: &'a [f32], bits: &'a [u64], vectors: &'a [f32]) -> Option<Self> {
        let passages = scales.len();
        let fits = (1..=MAX_DIMS).contains(&dims)
            && passages.checked_mul(dims).is_some_and(|all| codes.len() == all && vectors.len() == all)
            && bits.len() == passages * words(dims);
        fits.then_some(Self { dims, codes, scales, bits, vectors })
    }

    /// How many passages there are.
    pub fn passages(&self) -> usize {
        self.scales.len()
    }

    /// The first so many passages.
    pub fn first(&self, passages: usize) -> Self {
        let (dims, words) = (self.dims, words(self.dims));
        Self {
            dims,
            codes: &self.codes[..passages * dims],
            scales: &self.scales[..passages],
            bits: &self.bits[..passages * words],
            vectors: &self.vectors[..passages * dims],
        }
    }

    /// The sign bits of all vectors.
    pub fn bits(&self) -> &'a [u64] {
        self.bits
    }

    /// The cosine of the question and a passage, to the precision of a vector.
    ///
    /// Panics if the part has no such passage, or the vector has other dimensions.
    pub fn cosine(&self, vector: &[f32], passage: usize) -> f32 {
        product(vector, &self.vectors[passage * self.dims..][..self.dims])
    }

    /// Writes for every passage its approximate cosine with the question: the dot product of the two codes, times the
    /// scale of the passage, times the scale of the question.
    ///
    /// Panics if there is not one number to write for each passage, or the question has other dimensions.
    pub fn approximate_cosines(&self, question: &QueryVector<'_>, out: &mut [f32]) {
        assert_eq!(out.len(), self.passages(), "one cosine for each passage");
        let rows = self.codes.chunks(BLOCK * self.dims).zip(self.scales.chunks(BLOCK));
        for ((codes, scales), out) in rows.zip(out.chunks_mut(BLOCK)) {
            question.approximate_cosines::<BLOCK>(codes, scales, out);
        }
    }

    /// The greatest approximate cosine of the question and some passages, which lie one after another: the same as for
    /// all passages. Nothing if there are none.
    ///
    /// Panics if the part does not have all these passages, or the question has other dimensions.
    pub fn greatest_approximate_cosine(&self, question: &QueryVector<'_>, passages: Range<usize>) -> Option<f32> {
        let codes = &self.codes[passages.start * self.dims..passages.end * self.dims];
        let rows = codes.chunks(FEW * self.dims).zip(self.scales[passages].chunks(FEW));
        let greatest = rows.map(|(codes, scales)| {
            let mut cosines = [f32::NEG_INFINITY; FEW];
            question.approximate_cosines::<FEW>(codes, scales, &mut cosines[..scales.len()]);
            cosines.into_iter().fold(f32::NEG_INFINITY, f32::max)
        });
        greatest.reduce(f32::max)
    }
}

/// The vector of a question with its codes.
#[derive(Clone, Debug)]
pub struct QueryVector<'a> {
    vector: &'a [f32],
    scale: f32,
    codes: Vec<i8>,
    bits: Vec<u64>,
}

impl<'a> QueryVector<'a> {
    /// The codes of a vector.
    pub fn new(vector: &'a [f32]) -> Self {
        let (scale, codes) = quantise(vector);
        Self { vector, scale, codes, bits: sign_bits(vector) }
    }

    /// The vector itself.
    pub fn vector(&self) -> &'a [f32] {
        self.vector
    }

    /// The sign bits.
    pub fn bits(&self) -> &[u64] {
        &self.bits
    }

    /// Writes the approximate cosines with at most so many rows.
    fn approximate_cosines<const MOST: usize>(&self, codes: &[i8], scales: &[f32], out: &mut [f32]) {
        let mut dots = [0; MOST];
        let dots = &mut dots[..out.len()];
        DotKernel::best().run(&self.codes, codes, dots);
        for ((out, &dot), scale) in out.iter_mut().zip(&*dots).zip(scales) {
            *out = dot as f32 * scale * self.scale;
        }
    }
}
