//! The kernels for x86 processors with AVX-512: byte products (VNNI) and bit counts (VPOPCNTDQ).

#![expect(unsafe_code, reason = "loads into registers")]

use std::arch::x86_64::*;

/// How many codes one register holds.
const BYTES: usize = 64;
/// How many words one register holds.
const WORDS: usize = 8;
/// How many rows are summed up together.
const ROWS: usize = 4;

/// The dot product of the query with each row of codes.
///
/// The instruction multiplies unsigned bytes with signed ones. So each code of a row is raised by 128, which makes it
/// unsigned, and 128 times the sum of the query's codes is taken off the result: exact for every code.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub fn dots(query: &[i8], rows: &[i8], out: &mut [i32]) {
    let dims = query.len();
    let (whole, rest) = query.as_chunks::<BYTES>();
    let mut loaded = Vec::with_capacity(whole.len() + 1);
    for chunk in whole {
        loaded.push(load_bytes(chunk));
    }
    loaded.push(load_last_bytes(rest));
    let raised = query.iter().fold(0, |sum, &code| sum + 128 * i32::from(code));
    let (fours, last) = out.as_chunks_mut::<ROWS>();
    let (rows, last_rows) = rows.split_at(fours.len() * ROWS * dims);
    for (rows, out) in rows.chunks_exact(ROWS * dims).zip(fours) {
        let (a, b) = rows.split_at(2 * dims);
        let ((a, b), (c, d)) = (a.split_at(dims), b.split_at(dims));
        let totals = totals([dot(&loaded, a), dot(&loaded, b), dot(&loaded, c), dot(&loaded, d)]);
        // SAFETY: the reference is to four numbers, sixteen bytes, and the store needs no alignment.
        unsafe { _mm_storeu_si128(out.as_mut_ptr().cast(), _mm_sub_epi32(totals, _mm_set1_epi32(raised))) }
    }
    for (row, out) in last_rows.chunks_exact(dims).zip(last) {
        *out = _mm512_reduce_add_epi32(dot(&loaded, row)).wrapping_sub(raised);
    }
}

/// The partial sums of the query, in registers, with a row whose codes are raised by 128.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn dot(query: &[__m512i], row: &[i8]) -> __m512i {
    // Turning the highest bit of a signed byte over raises it by 128.
    let raise = _mm512_set1_epi8(i8::MIN);
    let (whole, rest) = row.as_chunks::<BYTES>();
    let mut sums = _mm512_setzero_si512();
    for (chunk, query) in whole.iter().zip(query) {
        sums = _mm512_dpbusd_epi32(sums, _mm512_xor_si512(load_bytes(chunk), raise), *query);
    }
    if let (false, Some(query)) = (rest.is_empty(), query.last()) {
        // The query is zero after its last code, so what the row has there does not count.
        sums = _mm512_dpbusd_epi32(sums, _mm512_xor_si512(load_last_bytes(rest), raise), *query);
    }
    sums
}

/// The sum of each of four registers.
#[inline]
#[target_feature(enable = "avx512f")]
fn totals([a, b, c, d]: [__m512i; ROWS]) -> __m128i {
    let ab = _mm512_add_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
    let cd = _mm512_add_epi32(_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
    let four = _mm512_add_epi32(_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd));
    let two = _mm256_add_epi32(_mm512_castsi512_si256(four), _mm512_extracti64x4_epi64::<1>(four));
    _mm_add_epi32(_mm256_castsi256_si128(two), _mm256_extracti128_si256::<1>(two))
}

/// The number of bits in which the query differs from each row.
#[target_feature(enable = "avx512f,avx512vpopcntdq")]
pub fn distances(query: &[u64], rows: &[u64], out: &mut [u16]) {
    let words = query.len();
    let (whole, rest) = query.as_chunks::<WORDS>();
    let mut loaded = Vec::with_capacity(whole.len() + 1);
    for chunk in whole {
        loaded.push(load_words(chunk));
    }
    loaded.push(load_last_words(rest));
    let (fours, last) = out.as_chunks_mut::<ROWS>();
    let (rows, last_rows) = rows.split_at(fours.len() * ROWS * words);
    for (rows, out) in rows.chunks_exact(ROWS * words).zip(fours) {
        let (a, b) = rows.split_at(2 * words);
        let ((a, b), (c, d)) = (a.split_at(words), b.split_at(words));
        // Four counts of sixteen bits share a word, so one sum is enough for four rows.
        let low = _mm512_or_si512(distance(&loaded, a), _mm512_slli_epi64::<16>(distance(&loaded, b)));
        let high = _mm512_or_si512(distance(&loaded, c), _mm512_slli_epi64::<16>(distance(&loaded, d)));
        let total = _mm512_reduce_add_epi64(_mm512_or_si512(low, _mm512_slli_epi64::<32>(high)));
        *out = [0, 16, 32, 48].map(|shift| (total >> shift) as u16);
    }
    for (row, out) in last_rows.chunks_exact(words).zip(last) {
        *out = _mm512_reduce_add_epi64(distance(&loaded, row)) as u16;
    }
}

/// The differing bits of the query, in registers, and a row, counted in eight words.
#[inline]
#[target_feature(enable = "avx512f,avx512vpopcntdq")]
fn distance(query: &[__m512i], row: &[u64]) -> __m512i {
    let (whole, rest) = row.as_chunks::<WORDS>();
    let mut counts = _mm512_setzero_si512();
    for (chunk, query) in whole.iter().zip(query) {
        counts = _mm512_add_epi64(counts, _mm512_popcnt_epi64(_mm512_xor_si512(load_words(chunk), *query)));
    }
    if let (false, Some(query)) = (rest.is_empty(), query.last()) {
        let differing = _mm512_xor_si512(load_last_words(rest), *query);
        counts = _mm512_add_epi64(counts, _mm512_popcnt_epi64(differing));
    }
    counts
}

/// A register full of codes.
#[inline]
#[target_feature(enable = "avx512f")]
fn load_bytes(chunk: &[i8; BYTES]) -> __m512i {
    // SAFETY: the reference is to 64 bytes, and the load needs no alignment.
    unsafe { _mm512_loadu_si512(chunk.as_ptr().cast()) }
}

/// Fewer than 64 codes, filled up with zeros.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn load_last_bytes(rest: &[i8]) -> __m512i {
    let mask = (1_u64 << rest.len()) - 1;
    // SAFETY: the mask lets only the bytes of the slice be read; there are fewer than 64, or the shift would panic.
    unsafe { _mm512_maskz_loadu_epi8(mask, rest.as_ptr()) }
}

/// A register full of words.
#[inline]
#[target_feature(enable = "avx512f")]
fn load_words(chunk: &[u64; WORDS]) -> __m512i {
    // SAFETY: the reference is to eight words, and the load needs no alignment.
    unsafe { _mm512_loadu_si512(chunk.as_ptr().cast()) }
}

/// Fewer than eight words, filled up with zeros.
#[inline]
#[target_feature(enable = "avx512f")]
fn load_last_words(rest: &[u64]) -> __m512i {
    let mask = (1_u8 << rest.len()) - 1;
    // SAFETY: the mask lets only the words of the slice be read; there are fewer than eight, by the type of the mask.
    unsafe { _mm512_maskz_loadu_epi64(mask, rest.as_ptr().cast()) }
}
