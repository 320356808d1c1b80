//! Every Rust file opens with a sentence saying what it is.

use crate::tidy::finding::Finding;

pub fn check(path: &str, text: &str) -> Option<Finding> {
    let first = text.lines().next().unwrap_or_default();
    let sentence = first.strip_prefix("//!").unwrap_or_default();
    let message = "the first line must be `//!` and a sentence saying what the file is";
    sentence.trim().is_empty().then(|| Finding::new(path, 1, "first-line", message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anything_but_a_sentence_is_a_finding() {
        for bad in ["", "fn f() {}", "\n//! Late.", "// Plain.", "//!\n//! Late."] {
            assert!(check("a.rs", bad).is_some(), "{bad:?}");
        }
        assert_eq!(check("a.rs", "//! What it is.\n"), None);
    }
}
