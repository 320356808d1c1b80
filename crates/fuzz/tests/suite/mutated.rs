//! Inputs made from the corpus: the same ones in every run, many more where a long campaign is asked for.

use std::time::Instant;

use idetic_fuzz::{Target, targets};

use super::corpus::inputs;
use super::random::Random;

/// Inputs of one target: of those that take microseconds, and of those that take a millisecond.
const FAST_INPUTS: usize = 1_000;
const SLOW_INPUTS: usize = 400;
/// How many times as many a long campaign tries.
const LONG_FACTOR: usize = 100;
/// Most changes to one input.
const CHANGES_MAX: usize = 6;
/// What parsers stumble over more often than over any other bytes.
const WORDS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    "\"",
    "\\",
    ",",
    ":",
    "null",
    "true",
    "-1",
    "1e999",
    "18446744073709551615",
    "\n",
    "\r\n",
    "\r",
    "\u{feff}",
    "\u{0}",
    "\u{2028}",
    "é",
    "東",
    "👩‍👩‍👧",
    "\\u0000",
    "\\ud800",
    "---",
    "###",
    "**",
    "| ",
    "<!--",
    "-->",
    "[[",
    "]]",
    "`",
    "```",
    "' OR 1=1 --",
    ";",
    "../",
    "%00",
    "id",
    "kind",
    "evt-001",
    "\"id\":",
    "2026-02-30",
    "1970-01-01T00:00:00Z",
    "9999-12-31T23:59:59.999999Z",
    "SELECT",
    "UNION ALL",
    "WITH RECURSIVE",
    "ATTACH",
];

fn changed(random: &mut Random, inputs: &[(String, Vec<u8>)], max_bytes: usize) -> Vec<u8> {
    let mut bytes = random.of(inputs).1.clone();
    for _ in 0..=random.below(CHANGES_MAX) {
        let at = random.below(bytes.len() + 1);
        let end = (at + random.below(16)).min(bytes.len());
        match random.below(8) {
            0 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            1 if at < bytes.len() => bytes[at] = random.byte(),
            2 => drop(bytes.drain(at..end)),
            3 => drop(bytes.splice(at..at, random.of(WORDS).bytes())),
            4 => drop(bytes.splice(at..end, random.of(WORDS).bytes())),
            5 => {
                let piece = bytes[at..end].to_vec();
                bytes.splice(at..at, piece);
            }
            6 => {
                let other = &random.of(inputs).1;
                let from = random.below(other.len() + 1);
                bytes.truncate(at);
                bytes.extend_from_slice(&other[from..]);
            }
            _ => bytes.insert(at, random.byte()),
        }
    }
    bytes.truncate(max_bytes);
    bytes
}

/// Tries one target, and gives the first input that breaks it: it belongs into the corpus.
fn try_target(target: &Target, seed: u64, count: usize) -> Option<String> {
    let inputs = inputs(target.name);
    let mut random = Random::new(seed);
    (0..count).find_map(|number| {
        let input = changed(&mut random, &inputs, target.input_max_bytes);
        let broken = std::panic::catch_unwind(|| (target.run)(&input)).is_err();
        broken.then(|| format!("{} breaks on input {number}: {}", target.name, input.escape_ascii()))
    })
}

#[test]
fn mutated_inputs_break_nothing() {
    let factor = if std::env::var_os("IDETIC_LONG").is_some() { LONG_FACTOR } else { 1 };
    let start = Instant::now();
    let (mut total, mut broken) = (0, Vec::new());
    for (seed, target) in (1..).zip(targets()) {
        let count = factor * if target.is_slow { SLOW_INPUTS } else { FAST_INPUTS };
        broken.extend(try_target(target, seed, count));
        total += count;
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    eprintln!("figure: fuzzing, mutated: {total} inputs in {:.1} s", start.elapsed().as_secs_f64());
}
