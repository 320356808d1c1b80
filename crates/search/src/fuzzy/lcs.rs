//! The length of the longest common subsequence, 64 letters of one side at a time.
//!
//! One side (the pattern) is spread over the bits of machine words. For each letter of the other side a few word
//! operations update a whole row of the classic table: a bit is 0 where the best length grows by one. The method is
//! that of Crochemore and others (2001) in the form of Hyyrö (2004); a carry joins neighbouring words.

use std::collections::HashMap;

/// Words in one strip of the pattern: 512 letters, so that the state of a strip stays in registers.
const STRIP: usize = 8;

/// Moves one row of the table on by one letter, whose places in the pattern are `places`. Returns the carry.
#[inline(always)]
fn step<const W: usize>(row: &mut [u64; W], places: impl Fn(usize) -> u64, mut carry: bool) -> bool {
    for (word, bits) in row.iter_mut().enumerate() {
        let matched = *bits & places(word);
        let (sum, over) = bits.overflowing_add(matched);
        let (sum, over_again) = sum.overflowing_add(u64::from(carry));
        carry = over | over_again;
        *bits = sum | (*bits ^ matched);
    }
    carry
}

/// The number of pattern letters matched so far.
#[inline(always)]
fn matched<const W: usize>(row: &[u64; W]) -> usize {
    row.iter().map(|bits| bits.count_zeros() as usize).sum()
}

/// The longest common subsequence of a pattern of at most `64 * W` letters and a text, or `None` if it is shorter than
/// `least`. `places` gives the pattern's bits for a letter; only the bits in `keep` take part.
#[inline(always)]
pub(super) fn within<'a, const W: usize, T: Copy>(
    text: &[T],
    places: impl Fn(T) -> &'a [u64; W],
    keep: &[u64; W],
    least: usize,
) -> Option<usize> {
    let mut row = [u64::MAX; W];
    let mut left = text.len();
    // From time to time see whether matching every letter that is left could still be enough.
    for part in text.chunks(32) {
        for &letter in part {
            let found = places(letter);
            step(&mut row, |word| found[word] & keep[word], false);
        }
        left -= part.len();
        if matched(&row) + left < least {
            return None;
        }
    }
    Some(matched(&row))
}

/// The longest common subsequence of two strings of any length.
pub(super) fn longest(a: &[u32], b: &[u32]) -> usize {
    let start = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[start..], &b[start..]);
    let end = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[..a.len() - end], &b[..b.len() - end]);
    let (pattern, text) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    start + end + inner(pattern, text)
}

/// The same without the equal ends.
fn inner(pattern: &[u32], text: &[u32]) -> usize {
    if pattern.is_empty() {
        return 0;
    }
    let mut rows = Rows::default();
    let pattern: Vec<usize> = pattern.iter().map(|&letter| rows.add(letter)).collect();
    // A letter that the pattern does not have cannot be part of the answer.
    let text: Vec<usize> = text.iter().filter_map(|&letter| rows.get(letter)).collect();
    match pattern.len().div_ceil(64) {
        1 => strips::<1>(&pattern, &text, rows.count),
        2 => strips::<2>(&pattern, &text, rows.count),
        3..=4 => strips::<4>(&pattern, &text, rows.count),
        _ => strips::<STRIP>(&pattern, &text, rows.count),
    }
}

/// Goes through the pattern strip by strip. What a strip passes on to the next is one carry per letter of the text, so
/// memory grows with the text and not with the product of both.
fn strips<const W: usize>(pattern: &[usize], text: &[usize], letters: usize) -> usize {
    let mut carries = vec![false; text.len()];
    let mut places = vec![[0u64; W]; letters];
    let mut found = 0;
    for strip in pattern.chunks(64 * W) {
        places.fill([0; W]);
        for (at, &letter) in strip.iter().enumerate() {
            places[letter][at / 64] |= 1 << (at % 64);
        }
        let mut row = [u64::MAX; W];
        for (&letter, carry) in text.iter().zip(&mut carries) {
            let here = &places[letter];
            *carry = step(&mut row, |word| here[word], *carry);
        }
        found += matched(&row);
    }
    found
}

/// Numbers the letters of a pattern from 0.
struct Rows {
    /// Number plus one of the letters below 128, the common case.
    low: [usize; 128],
    /// Number of the others.
    high: HashMap<u32, usize>,
    /// How many there are.
    count: usize,
}

impl Default for Rows {
    fn default() -> Self {
        Self { low: [0; 128], high: HashMap::new(), count: 0 }
    }
}

impl Rows {
    /// The number of a letter, a new one if needed.
    fn add(&mut self, letter: u32) -> usize {
        if let Some(known) = self.get(letter) {
            return known;
        }
        match self.low.get_mut(letter as usize) {
            Some(low) => *low = self.count + 1,
            None => {
                self.high.insert(letter, self.count);
            }
        }
        self.count += 1;
        self.count - 1
    }

    /// The number of a letter that the pattern has.
    fn get(&self, letter: u32) -> Option<usize> {
        match self.low.get(letter as usize) {
            Some(&low) => low.checked_sub(1),
            None => self.high.get(&letter).copied(),
        }
    }
}
