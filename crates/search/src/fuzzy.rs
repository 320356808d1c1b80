//! Fuzzy comparison of texts by their words, with exactly the values of RapidFuzz's `token_set_ratio`.
//!
//! The ratio treats a text as the set of its words. Words that both texts have count fully; the words that are left
//! over on each side are sorted, joined, and compared letter by letter. "Exactly" means the same 64 bits as the
//! compiled Python package 3.14.6, which differs from its own documentation in small ways that are noted here.

mod index;
mod kept;
mod lcs;
#[cfg(test)]
mod tests;

pub use index::FuzzyIndex;

use std::cmp::Ordering;

/// Lower-cases letters, turns everything that is neither letter nor number into a space, and trims.
///
/// Equal to `rapidfuzz.utils.default_process`. One character always becomes one character, so `İ` becomes a plain `i`
/// and a final `Σ` becomes `σ`.
pub fn default_process(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        // Leading spaces are never written, which saves a second pass.
        match processed(letter) {
            ' ' if out.is_empty() => {}
            letter => out.push(letter),
        }
    }
    out.truncate(out.trim_end_matches(' ').len());
    out
}

/// What the default processor makes of one character.
fn processed(letter: char) -> char {
    if letter.is_ascii() {
        return if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { ' ' };
    }
    if !is_kept(letter) {
        return ' ';
    }
    // A lower-case form outside the table belongs to a newer Unicode version than RapidFuzz's and is not used.
    letter.to_lowercase().next().filter(|&lower| is_kept(lower)).unwrap_or(letter)
}

/// Whether the default processor keeps the character.
fn is_kept(letter: char) -> bool {
    let code = u32::from(letter);
    kept::KEPT
        .binary_search_by(|&(first, last)| {
            if last < code {
                Ordering::Less
            } else if first > code {
                Ordering::Greater
            } else {
                Ordering::Equal
            }
        })
        .is_ok()
}

/// The similarity of two texts from 0 to 100, as `rapidfuzz.fuzz.token_set_ratio(a, b)` gives it.
///
/// The texts are compared as they are. Most callers want [`token_set_ratio_processed`].
pub fn token_set_ratio(a: &str, b: &str) -> f64 {
    token_set_ratio_cutoff(a, b, 0.0)
}

/// The same with both texts through [`default_process`] first (`processor=utils.default_process`).
pub fn token_set_ratio_processed(a: &str, b: &str) -> f64 {
    token_set_ratio(&default_process(a), &default_process(b))
}

/// The same with `score_cutoff`: 0 when the ratio is below the cutoff, which is often known without comparing letters.
pub fn token_set_ratio_cutoff(a: &str, b: &str, cutoff: f64) -> f64 {
    let (a, b) = (token_set(a), token_set(b));
    if a.is_empty() || b.is_empty() {
        return 0.0;
    }
    let (only_a, only_b, shared) = split(&a, &b);
    let sizes = Sizes { a: total(&a), b: total(&b), shared };
    let ratio = sizes.ratio(cutoff, |_| Some(lcs::longest(&joined(&only_a), &joined(&only_b))));
    ratio.filter(|&ratio| ratio >= cutoff).unwrap_or(0.0)
}

/// The words of a text, sorted, each once.
///
/// RapidFuzz splits like Python's `str.split()`, except that it does not see the two separators U+0085 and U+00A0 in a
/// text that fits Latin-1 entirely (Python stores such a text in bytes, and there only ASCII separators are known).
fn token_set(text: &str) -> Vec<&str> {
    let latin = text.chars().all(|letter| u32::from(letter) < 0x100);
    let mut tokens: Vec<&str> =
        text.split(|letter| is_separator(letter, latin)).filter(|token| !token.is_empty()).collect();
    // The order of UTF-8 bytes is the order of code points, which is what RapidFuzz sorts by.
    tokens.sort_unstable();
    tokens.dedup();
    tokens
}

/// Whether a character separates words. Python counts four control characters that Rust's `is_whitespace` does not.
fn is_separator(letter: char, latin: bool) -> bool {
    match letter {
        '\u{1c}'..='\u{1f}' => true,
        '\u{85}' | '\u{a0}' => !latin,
        _ => letter.is_whitespace(),
    }
}

/// Splits two sorted sets into the words of only one side, and the total size of the words they share.
fn split<'a>(a: &[&'a str], b: &[&'a str]) -> (Vec<&'a str>, Vec<&'a str>, usize) {
    let (mut only_a, mut only_b, mut shared) = (Vec::new(), Vec::new(), 0);
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        let order = a[i].cmp(b[j]);
        match order {
            Ordering::Less => only_a.push(a[i]),
            Ordering::Greater => only_b.push(b[j]),
            Ordering::Equal => shared += size(a[i]),
        }
        i += usize::from(order != Ordering::Greater);
        j += usize::from(order != Ordering::Less);
    }
    only_a.extend_from_slice(&a[i..]);
    only_b.extend_from_slice(&b[j..]);
    (only_a, only_b, shared)
}

/// The number of characters of a word, plus one for the space that follows it when words are joined.
fn size(token: &str) -> usize {
    token.chars().count() + 1
}

/// The size of many words.
fn total(tokens: &[&str]) -> usize {
    tokens.iter().map(|token| size(token)).sum()
}

/// The words joined by single spaces, one code point per element.
fn joined(tokens: &[&str]) -> Vec<u32> {
    let mut letters: Vec<u32> = tokens.iter().flat_map(|token| token.chars().chain([' '])).map(u32::from).collect();
    letters.pop();
    letters
}

/// All that the ratio depends on, except the letters of the words that are not shared.
///
/// Every word counts its characters and one space. A joined string has one space less than that, so the differences
/// of these numbers give the length of every string the ratio is made of.
#[derive(Clone, Copy)]
struct Sizes {
    /// All words of the first text.
    a: usize,
    /// All words of the second text.
    b: usize,
    /// The words in both.
    shared: usize,
}

impl Sizes {
    /// The ratio, or `None` when it is certainly below the cutoff. Neither side may be without words.
    ///
    /// `longest` compares the letters of the rest. It is called only when the answer can matter, with the least common
    /// length that would matter; it may answer `None` if the true length is smaller.
    fn ratio(self, cutoff: f64, longest: impl FnOnce(usize) -> Option<usize>) -> Option<f64> {
        let Self { a, b, shared } = self;
        let mut best = None;
        if shared > 0 {
            if shared == a || shared == b {
                return Some(100.0);
            }
            // The shared words alone against the shared words followed by the rest of one side.
            let with_a = similarity(a - shared, shared + a - 2);
            let with_b = similarity(b - shared, shared + b - 2);
            best = Some(with_a.max(with_b)).filter(|&ratio| ratio >= cutoff);
        }
        // Shared words followed by the rest, one side against the other: only the rests can differ.
        let (rest_a, rest_b, whole) = (a - shared - 1, b - shared - 1, a + b - 2);
        let bar = best.unwrap_or(cutoff);
        let most = rest_a.min(rest_b);
        if similarity(rest_a + rest_b - 2 * most, whole) < bar {
            return best;
        }
        let Some(common) = longest(least_common(rest_a + rest_b, whole, bar)) else { return best };
        let ratio = similarity(rest_a + rest_b - 2 * common, whole);
        if ratio >= bar { Some(ratio) } else { best }
    }
}

/// 100 for no distance, 0 for a distance as large as the whole. The order of operations decides the last bit.
fn similarity(distance: usize, whole: usize) -> f64 {
    100.0 - 100.0 * distance as f64 / whole as f64
}

/// A common length below which the ratio is certainly under the bar. One less than computed, so that rounding cannot
/// make it too large.
fn least_common(rests: usize, whole: usize, bar: f64) -> usize {
    let distance = whole as f64 * (1.0 - bar / 100.0);
    let twice = rests as f64 - distance;
    // A float becomes an integer by cutting off, and a negative or undefined one becomes 0.
    ((twice / 2.0) as usize).saturating_sub(1)
}
