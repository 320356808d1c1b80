//! Equality with RapidFuzz on recorded pairs, and of the index with comparing every pair.

use super::*;
use std::collections::BTreeMap;

/// Recorded from the Python package; the columns are explained at [`golden`].
const GOLDEN: &str = include_str!("golden.tsv");

/// Bits of the raw and of the processed ratio, and two texts in which `\x{hex}` stands for one character.
fn golden() -> Vec<(u64, u64, String, String)> {
    let bits = |field: &str| u64::from_str_radix(field, 16).expect("hexadecimal bits");
    let read = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        (bits(fields[0]), bits(fields[1]), unescape(fields[2]), unescape(fields[3]))
    };
    GOLDEN.split_terminator('\n').map(read).collect()
}

fn unescape(text: &str) -> String {
    let mut parts = text.split("\\x{");
    let mut out = parts.next().expect("a split has one part").to_owned();
    for part in parts {
        let (code, rest) = part.split_once('}').expect("a closed escape");
        let code = u32::from_str_radix(code, 16).ok().and_then(char::from_u32);
        out.push(code.expect("a code point"));
        out.push_str(rest);
    }
    out
}

/// A small generator of numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % limit
    }

    /// Words over a small alphabet of one script, so that texts share some words and many letters.
    fn text(&mut self, most: usize) -> String {
        let first = [0x61, 0x61, 0x61, 0xe0, 0x430, 0x5d0, 0x4e00, 0x1f600][self.below(8)];
        let letters = [3, 12, 26, 400][self.below(4)];
        let mut text = String::new();
        for _ in 0..self.below(most) {
            for _ in 0..=self.below(5) {
                text.extend(char::from_u32(first + self.below(letters) as u32));
            }
            text.push_str([" ", " ", " ", "  ", "\n", "_", "\u{a0}", "\u{2003}"][self.below(8)]);
        }
        text
    }
}

#[test]
fn processor_is_equal_on_every_code_point() {
    // A hash (FNV-1a over code points) of what Python gives for each of them.
    let hash = ('\0'..=char::MAX).fold(0xcbf2_9ce4_8422_2325_u64, |hash, letter| {
        (hash ^ u64::from(u32::from(processed(letter)))).wrapping_mul(0x0100_0000_01b3)
    });
    assert_eq!(hash, 0x7236_8bff_32c6_2783);
}

#[test]
fn processor_trims_and_keeps_inner_spaces() {
    assert_eq!(default_process("  Hello,  World! "), "hello   world");
    assert_eq!(default_process("İΣ\u{1c}"), "iσ");
    assert_eq!(default_process(" \u{a0}!"), "");
}

#[test]
fn ratios_are_equal_to_recorded_ones() {
    for (raw, processed, a, b) in golden() {
        assert_eq!(token_set_ratio(&a, &b).to_bits(), raw, "{a:?} {b:?}");
        assert_eq!(token_set_ratio(&b, &a).to_bits(), raw, "{b:?} {a:?}");
        assert_eq!(token_set_ratio_processed(&a, &b).to_bits(), processed, "{a:?} {b:?}");
        for cutoff in [0.0, 35.0, 60.0, f64::from_bits(raw), 100.0, 101.0] {
            let expected = if f64::from_bits(raw) >= cutoff { f64::from_bits(raw) } else { 0.0 };
            assert_eq!(token_set_ratio_cutoff(&a, &b, cutoff), expected, "{cutoff} {a:?} {b:?}");
        }
    }
}

#[test]
fn index_is_equal_to_recorded_ratios() {
    let golden = golden();
    let (mut raw, mut processed) = (FuzzyIndex::unprocessed(), FuzzyIndex::new());
    for (id, (_, _, _, b)) in golden.iter().enumerate() {
        raw.insert(id as u64, b);
        processed.insert(id as u64, b);
    }
    for (id, (raw_bits, processed_bits, a, _)) in golden.iter().enumerate() {
        // The full answer of a long query over 600 texts would take a while; its own text is what is recorded.
        let threshold = if a.len() > 2000 { f64::from_bits(*processed_bits) } else { 0.0 };
        let mine = |found: Vec<(u64, f64)>| found.iter().find(|hit| hit.0 == id as u64).map(|hit| hit.1.to_bits());
        assert_eq!(mine(processed.search(a, threshold)), Some(*processed_bits), "{a:?}");
        let threshold = if a.len() > 2000 { f64::from_bits(*raw_bits) } else { 0.0 };
        assert_eq!(mine(raw.search(a, threshold)), Some(*raw_bits), "{a:?}");
    }
}

#[test]
fn index_is_equal_to_comparing_every_pair() {
    for seed in 1..=12 {
        let mut random = Random(0x9e37_79b9_7f4a_7c15 + seed * 0x1234_5678_9abd);
        let process = seed % 2 == 0;
        let mut index = if process { FuzzyIndex::new() } else { FuzzyIndex::unprocessed() };
        let ratio = if process { token_set_ratio_processed } else { token_set_ratio };
        let mut texts: BTreeMap<u64, String> = BTreeMap::new();
        for round in 0..600 {
            let id = random.below(if round < 300 { 200 } else { 60 }) as u64;
            // The second half removes more than it adds, which closes holes on the way.
            if random.below(10) < if round < 300 { 2 } else { 7 } {
                assert_eq!(index.remove(id), texts.remove(&id).is_some());
            } else {
                let text = random.text(40);
                index.insert(id, &text);
                texts.insert(id, text);
            }
            assert_eq!(index.len(), texts.len());
            if round % 20 != 0 {
                continue;
            }
            let most = [4, 12, 40, 80, 300][random.below(5)];
            let query = if random.below(3) == 0 {
                texts.values().nth(random.below(texts.len().max(1))).cloned().unwrap_or_default()
            } else {
                random.text(most)
            };
            let all: Vec<(u64, f64)> = texts.iter().map(|(&id, text)| (id, ratio(&query, text))).collect();
            let exact = all.get(random.below(all.len().max(1))).map_or(50.0, |hit| hit.1);
            for threshold in [-1.0, 0.0, 30.0, 60.0, exact, 90.0, 100.0, 100.5] {
                let expected: Vec<_> = all.iter().copied().filter(|hit| hit.1 >= threshold).collect();
                assert_eq!(index.search(&query, threshold), expected, "seed {seed}, {query:?} at {threshold}");
            }
        }
    }
}

#[test]
fn removing_all_leaves_nothing() {
    let mut index = FuzzyIndex::new();
    for id in 0..500 {
        index.insert(id, &format!("user_input: word{id}"));
    }
    for id in 0..500 {
        assert!(index.remove(id) && !index.remove(id));
    }
    assert!(index.is_empty() && index.search("user", 0.0).is_empty());
    index.insert(7, "User input");
    assert_eq!(index.search("input user", 60.0), [(7, 100.0)]);
}

#[test]
fn longest_is_equal_to_the_textbook_table() {
    let mut random = Random(42);
    for round in 0..150 {
        let letters = [1, 2, 4, 30, 300][round % 5];
        let mut string =
            |most: usize| -> Vec<u32> { (0..random.below(most)).map(|_| random.below(letters) as u32 * 7).collect() };
        let (a, b) = (string(1400), string(if round % 2 == 0 { 1400 } else { 70 }));
        let mut row = vec![0; b.len() + 1];
        for x in &a {
            let mut diagonal = 0;
            for (at, y) in b.iter().enumerate() {
                let above = row[at + 1];
                row[at + 1] = if x == y { diagonal + 1 } else { above.max(row[at]) };
                diagonal = above;
            }
        }
        assert_eq!(lcs::longest(&a, &b), row[b.len()]);
    }
}
