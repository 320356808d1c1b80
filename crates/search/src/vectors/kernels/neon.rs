//! The kernels for ARM processors of 64 bits, all of which have NEON.

#![expect(unsafe_code, reason = "loads into registers")]

use std::arch::aarch64::*;

/// How many codes one register holds.
const BYTES: usize = 16;
/// How many words one register holds.
const WORDS: usize = 2;

/// The dot product of the query with each row of codes.
#[target_feature(enable = "neon")]
pub fn dots(query: &[i8], rows: &[i8], out: &mut [i32]) {
    let (query_whole, query_rest) = query.as_chunks::<BYTES>();
    for (row, out) in rows.chunks_exact(query.len()).zip(out) {
        let (whole, rest) = row.as_chunks::<BYTES>();
        let (mut low, mut high) = (vdupq_n_s32(0), vdupq_n_s32(0));
        for (row, query) in whole.iter().zip(query_whole) {
            let (row, query) = (load_bytes(row), load_bytes(query));
            // A product of two codes fits sixteen bits, even -128 by -128; neighbours are added at thirty-two.
            low = vpadalq_s16(low, vmull_s8(vget_low_s8(row), vget_low_s8(query)));
            high = vpadalq_s16(high, vmull_high_s8(row, query));
        }
        let last = rest.iter().zip(query_rest).fold(0, |sum, (&a, &b)| sum + i32::from(a) * i32::from(b));
        *out = vaddvq_s32(vaddq_s32(low, high)) + last;
    }
}

/// The number of bits in which the query differs from each row.
#[target_feature(enable = "neon")]
pub fn distances(query: &[u64], rows: &[u64], out: &mut [u16]) {
    let (query_whole, query_rest) = query.as_chunks::<WORDS>();
    for (row, out) in rows.chunks_exact(query.len()).zip(out) {
        let (whole, rest) = row.as_chunks::<WORDS>();
        let mut counts = vdupq_n_u16(0);
        for (row, query) in whole.iter().zip(query_whole) {
            let differing = vreinterpretq_u8_u64(veorq_u64(load_words(row), load_words(query)));
            counts = vpadalq_u8(counts, vcntq_u8(differing));
        }
        let last = rest.iter().zip(query_rest).fold(0, |sum, (a, b)| sum + (a ^ b).count_ones() as u16);
        *out = vaddvq_u16(counts) + last;
    }
}

/// Sixteen codes.
#[inline]
#[target_feature(enable = "neon")]
fn load_bytes(chunk: &[i8; BYTES]) -> int8x16_t {
    // SAFETY: the reference is to sixteen codes.
    unsafe { vld1q_s8(chunk.as_ptr()) }
}

/// Two words.
#[inline]
#[target_feature(enable = "neon")]
fn load_words(chunk: &[u64; WORDS]) -> uint64x2_t {
    // SAFETY: the reference is to two words.
    unsafe { vld1q_u64(chunk.as_ptr()) }
}
