//! Secrets of many lines: private keys in armour, PuTTY's files, values of Kubernetes, lists of recovery codes, key pairs as numbers.

use std::ops::Range;

use crate::words::Words;

use super::{boundary, range};

const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";
const DASHES: &str = "-----";
const LABEL_MAX_BYTES: usize = 64;
/// Bytes of a key pair that is written as a list of numbers.
const PAIR_BYTES: usize = 64;
/// How many words restore a wallet.
const PHRASE_WORDS: [usize; 5] = [12, 15, 18, 21, 24];
/// Words that sentences are full of, and such rows are not.
const SENTENCE_WORDS: Words = Words(
    "the|and|for|with|are|was|were|not|but|you|your|from|have|has|had|its|our|their|when|which|will|would|should|must|been|does|\
     into|what|how|why|can|could|may|might|also|only|just|all|any|who|she|his|her|him|them|these|those|because|about",
);
/// Least and most characters of a recovery code.
const CODE_CHARS: Range<usize> = 8..33;

pub fn find(text: &str, found: &mut Vec<Range<usize>>) {
    armoured(text, found);
    numbers(text, found);
    if text.contains("Private-Lines:") {
        putty(text, found);
    }
    if text.contains("kind: Secret") {
        kubernetes(text, found);
    }
    if text.contains(" code") {
        codes(text, found);
    }
    phrases(text, found);
}

/// Rows of twelve to twenty-four words without any that a sentence needs: what wallets are restored from.
fn phrases(text: &str, found: &mut Vec<Range<usize>>) {
    let is_word = |word: &str| (3..=8).contains(&word.len()) && word.bytes().all(|b| b.is_ascii_lowercase());
    for line in text.split(['\n', '"', '\'', '`', ':', '(', ')', '[', ']', '{', '}', '=', ',']) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let rows = words.split(|word| !is_word(word)).filter(|row| row.len() >= PHRASE_WORDS[0]);
        let rows = rows.flat_map(|row| row.split(|word| SENTENCE_WORDS.contains(word)));
        for row in rows.filter(|row| PHRASE_WORDS.contains(&row.len())) {
            found.push(range(text, row[0]).start..range(text, row[row.len() - 1]).end);
        }
    }
}

/// From the line that begins a private key to the one that ends it; one that is not ended goes to the end of the text.
fn armoured(text: &str, found: &mut Vec<Range<usize>>) {
    let mut from = 0;
    while let Some(start) = text[from..].find(BEGIN).map(|at| from + at) {
        let label = start + BEGIN.len();
        let longest = boundary(text, label + LABEL_MAX_BYTES);
        let label_end = text[label..longest].find(['-', '\n']).map_or(longest, |at| label + at);
        let is_private = ["PRIVATE KEY", "Static key"].iter().any(|words| text[label..label_end].contains(words));
        if !is_private {
            from = label;
            continue;
        }
        let end = text[label_end..].find(END).map(|at| label_end + at + END.len());
        let end =
            end.map_or(text.len(), |end| text[end..].find(DASHES).map_or(text.len(), |at| end + at + DASHES.len()));
        found.push(start..end);
        from = end;
    }
}

/// Where public keys, certificates and signatures stand: they look like secrets, and are none.
pub fn public(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let (mut from, mut end) = (0, 0);
    while let Some(start) = text[from..].find(BEGIN).map(|at| from + at) {
        from = start + BEGIN.len();
        let label = text[from..boundary(text, from + LABEL_MAX_BYTES)].split('-').next().unwrap_or_default();
        if end < from {
            let Some(next) = text[from..].find(END) else { break };
            end = from + next;
        }
        // One that is cut off, or holds another, may hold anything.
        if text[from..end].contains(BEGIN) {
            continue;
        }
        let is_closed = text[end + END.len()..].starts_with(label);
        if is_closed && ["PUBLIC", "CERTIFICATE", "SIGNATURE"].iter().any(|word| label.contains(word)) {
            found.push(start..end);
        }
    }
    found
}

fn putty(text: &str, found: &mut Vec<Range<usize>>) {
    let mut left = 0_usize;
    for line in text.lines() {
        if let Some(count) = line.trim().strip_prefix("Private-Lines:") {
            left = count.trim().parse().unwrap_or(0);
        } else if left > 0 || line.trim().starts_with("Private-MAC:") {
            found.push(range(text, line.rsplit(": ").next().unwrap_or(line)));
            left = left.saturating_sub(1);
        }
    }
}

/// The values below `data:` and `stringData:` of a Secret.
fn kubernetes(text: &str, found: &mut Vec<Range<usize>>) {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut block = None;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        match (line.trim(), block) {
            ("data:" | "stringData:", _) => block = Some(indent(line)),
            (_, Some(outer)) if indent(line) > outer => {
                let value = line.split_once(": ").map_or("", |(_, value)| value.trim().trim_matches(['"', '\'']));
                found.push(range(text, if value.is_empty() { &line[line.len()..] } else { value }));
            }
            _ => block = None,
        }
    }
}

/// The lines behind one that speaks of recovery codes, as long as they hold nothing but codes.
fn codes(text: &str, found: &mut Vec<Range<usize>>) {
    const NAMES: [&str; 4] = ["recovery code", "backup code", "scratch code", "rescue code"];
    let mut follows = false;
    for line in text.lines() {
        let small = line.to_lowercase();
        let named = NAMES.iter().find_map(|name| small.find(name).map(|at| at + name.len()));
        // In small letters a text may have another length; then only what follows is looked at.
        let rest = named.filter(|_| small.len() == line.len()).and_then(|at| line.get(at..));
        let words = if named.is_some() { rest.unwrap_or_default() } else { line };
        let words =
            || words.split([' ', '\t', ',', ';']).map(|word| word.trim_matches(['"', '\'', '`', '.', ':', '*', '-']));
        let is_code = |word: &&str| {
            CODE_CHARS.contains(&word.len())
                && word.chars().any(|c| c.is_ascii_digit())
                && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
        };
        if named.is_some() {
            found.extend(words().filter(is_code).map(|word| range(text, word)));
            follows = true;
        } else if follows && words().all(|word| word.is_empty() || is_code(&word) || word.len() <= 2) {
            found.extend(words().filter(is_code).map(|word| range(text, word)));
        } else {
            follows = false;
        }
    }
}

/// A list of 64 bytes in brackets.
fn numbers(text: &str, found: &mut Vec<Range<usize>>) {
    for (start, _) in text.match_indices('[') {
        // With blanks it is no longer than this.
        let window = &text.as_bytes()[start..text.len().min(start + PAIR_BYTES * 8)];
        let Some(end) = window.iter().position(|b| *b == b']').map(|at| start + at) else { continue };
        let list = &text[start + 1..end];
        if list.len() >= PAIR_BYTES * 2
            && list.split(',').filter(|item| item.trim().parse::<u8>().is_ok()).count() == PAIR_BYTES
            && list.split(',').count() == PAIR_BYTES
        {
            found.push(start + 1..end);
        }
    }
}
