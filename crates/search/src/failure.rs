//! Failures of tools: what an error is known by, which calls try the same, and what differs only from run to run.

pub mod command;
pub mod error;

use super::fuzzy;

/// Longest text that is compared.
const COMPARED_CHARS: usize = 400;
/// Fewest hex digits in a row that are a name and no word.
const HEX_DIGITS: usize = 8;

/// A text without what differs from run to run: numbers, hex names, paths and addresses have one name each.
pub fn without_particulars(text: &str) -> String {
    let cut: String = text.chars().take(COMPARED_CHARS).collect();
    let words: Vec<String> = cut.split_whitespace().map(general).collect();
    fuzzy::default_process(&words.join(" "))
}

fn general(word: &str) -> String {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '/' && c != '~' && c != '.');
    let is_path = bare.len() > 1 && (bare.contains('/') || bare.contains('\\'));
    if is_path {
        return "path".to_owned();
    }
    let digits = bare.bytes().filter(u8::is_ascii_digit).count();
    let hex = bare.strip_prefix("0x").unwrap_or(bare);
    let all_hex = hex.len() >= HEX_DIGITS && hex.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-');
    if all_hex && digits > 0 {
        return "name".to_owned();
    }
    // A run of digits is one number, whatever stands around it.
    let mut out = String::with_capacity(word.len());
    let mut in_number = false;
    for c in word.chars() {
        match (c.is_ascii_digit(), in_number) {
            (true, true) => {}
            (true, false) => out.push_str(" number "),
            (false, _) => out.push(c),
        }
        in_number = c.is_ascii_digit();
    }
    out
}
