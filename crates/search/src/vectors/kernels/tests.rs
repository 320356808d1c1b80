//! Every kernel of this machine gives the numbers of the portable one, bit for bit.

use super::*;

/// A small generator of random numbers (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    fn codes(&mut self, len: usize) -> Vec<i8> {
        (0..len).map(|_| self.next() as i8).collect()
    }

    fn words(&mut self, len: usize) -> Vec<u64> {
        (0..len).map(|_| self.next()).collect()
    }
}

/// The dot products by the definition.
fn dots(query: &[i8], rows: &[i8], n: usize) -> Vec<i32> {
    let row = |at: usize| &rows[at * query.len()..][..query.len()];
    (0..n).map(|at| query.iter().zip(row(at)).map(|(&a, &b)| i32::from(a) * i32::from(b)).sum()).collect()
}

/// The distances by the definition.
fn distances(query: &[u64], rows: &[u64], n: usize) -> Vec<u16> {
    let row = |at: usize| &rows[at * query.len()..][..query.len()];
    (0..n).map(|at| query.iter().zip(row(at)).map(|(a, b)| (a ^ b).count_ones() as u16).sum()).collect()
}

fn assert_dots(query: &[i8], rows: &[i8], n: usize) {
    let expected = dots(query, rows, n);
    for kernel in DotKernel::all() {
        let mut out = vec![i32::MIN; n];
        kernel.run(query, rows, &mut out);
        assert_eq!(out, expected, "{}: {} dimensions, {n} rows", kernel.name, query.len());
    }
}

fn assert_distances(query: &[u64], rows: &[u64], n: usize) {
    let expected = distances(query, rows, n);
    for kernel in DistanceKernel::all() {
        let mut out = vec![u16::MAX; n];
        kernel.run(query, rows, &mut out);
        assert_eq!(out, expected, "{}: {} words, {n} rows", kernel.name, query.len());
    }
}

#[test]
fn dots_are_equal_on_random_codes() {
    let mut random = Random(1);
    for dims in 0..=1000 {
        let n = dims % 11;
        let (query, rows) = (random.codes(dims), random.codes(dims * n));
        assert_dots(&query, &rows, n);
    }
}

#[test]
fn dots_are_equal_on_the_greatest_and_least_codes() {
    for dims in [1, 2, 15, 16, 17, 63, 64, 65, 127, 128, 384, 1000, MAX_DIMS] {
        for query in [i8::MIN, -127, -1, 0, 1, i8::MAX] {
            for row in [i8::MIN, -127, 0, i8::MAX] {
                assert_dots(&vec![query; dims], &vec![row; dims * 5], 5);
            }
        }
    }
}

#[test]
fn dots_are_equal_for_every_number_of_rows_and_any_alignment() {
    let mut random = Random(2);
    let (query, rows) = (random.codes(384), random.codes(384 * 40 + 64));
    for n in 0..40 {
        assert_dots(&query, &rows[n..][..384 * n], n);
    }
}

#[test]
fn distances_are_equal_on_random_words() {
    let mut random = Random(3);
    for words in 0..=1000_usize.div_ceil(64) * 2 {
        for n in 0..14 {
            let (query, rows) = (random.words(words), random.words(words * n));
            assert_distances(&query, &rows, n);
        }
    }
}

#[test]
fn distances_are_equal_on_opposite_and_equal_rows() {
    for words in [1, 2, 3, 6, 7, 8, 9, 16, 17, MAX_DIMS / 64] {
        for (query, row) in [(0, 0), (0, u64::MAX), (u64::MAX, u64::MAX), (1 << 63, 1)] {
            assert_distances(&vec![query; words], &vec![row; words * 7], 7);
        }
    }
}

#[test]
#[should_panic(expected = "one row of codes for each result")]
fn rows_that_are_cut_short_are_refused() {
    DotKernel::best().run(&[1, 2], &[1, 2, 3], &mut [0; 2]);
}

#[test]
#[should_panic(expected = "one row of bits for each result")]
fn bits_that_are_cut_short_are_refused() {
    DistanceKernel::best().run(&[1, 2], &[1, 2, 3], &mut [0; 2]);
}
