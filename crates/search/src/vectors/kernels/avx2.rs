//! The kernels for x86 processors with AVX2.

#![expect(unsafe_code, reason = "loads into registers")]

use std::arch::x86_64::*;

use super::portable;

/// How many codes one register holds after each became sixteen bits wide.
const WIDTH: usize = 16;

/// The dot product of the query with each row of codes.
#[target_feature(enable = "avx2")]
pub fn dots(query: &[i8], rows: &[i8], out: &mut [i32]) {
    let (whole, rest) = query.as_chunks::<WIDTH>();
    let mut wide_query = Vec::with_capacity(whole.len());
    for chunk in whole {
        wide_query.push(widened(chunk));
    }
    let query_rest = widened(&padded(rest));
    for (row, out) in rows.chunks_exact(query.len()).zip(out) {
        let (whole, rest) = row.as_chunks::<WIDTH>();
        let mut sums = _mm256_setzero_si256();
        for (chunk, query) in whole.iter().zip(&wide_query) {
            sums = _mm256_add_epi32(sums, _mm256_madd_epi16(widened(chunk), *query));
        }
        if !rest.is_empty() {
            sums = _mm256_add_epi32(sums, _mm256_madd_epi16(widened(&padded(rest)), query_rest));
        }
        *out = total(sums);
    }
}

/// The number of bits in which the query differs from each row: the portable loop, compiled for these instructions.
#[target_feature(enable = "avx2,popcnt")]
pub fn distances(query: &[u64], rows: &[u64], out: &mut [u16]) {
    portable::distances(query, rows, out);
}

/// Sixteen codes, sixteen bits each.
#[inline]
#[target_feature(enable = "avx2")]
fn widened(chunk: &[i8; WIDTH]) -> __m256i {
    // SAFETY: the reference is to sixteen bytes, and the load needs no alignment.
    _mm256_cvtepi8_epi16(unsafe { _mm_loadu_si128(chunk.as_ptr().cast()) })
}

/// Fewer than sixteen codes, filled up with zeros.
#[inline]
fn padded(rest: &[i8]) -> [i8; WIDTH] {
    let mut chunk = [0; WIDTH];
    chunk[..rest.len()].copy_from_slice(rest);
    chunk
}

/// The sum of the eight numbers.
#[inline]
#[target_feature(enable = "avx2")]
fn total(sums: __m256i) -> i32 {
    let four = _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256::<1>(sums));
    let two = _mm_add_epi32(four, _mm_unpackhi_epi64(four, four));
    _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32::<1>(two)))
}
