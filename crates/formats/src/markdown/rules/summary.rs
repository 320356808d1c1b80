//! Whether a summary can be understood by itself.

use crate::markdown::changelog::event_numbers;

/// Fewest words of a summary.
const WORDS_MIN: usize = 3;
/// Words that point at something that is not there.
const POINTING: [&str; 9] = ["it", "this", "that", "these", "those", "they", "same", "ditto", "above"];

/// Why a summary does not stand alone; `None` when it does.
pub fn stands_alone(summary: &str) -> Option<&'static str> {
    let text = summary.trim();
    let lower = text.to_lowercase();
    let is_mark = |c: char| !c.is_alphanumeric();
    // A script without spaces says a lot in one word.
    let is_dense = text.chars().filter(|c| *c >= '\u{2e80}').count() >= 4;
    let words: Vec<&str> =
        lower.split_whitespace().map(|w| w.trim_matches(is_mark)).filter(|w| !w.is_empty()).collect();
    let said = words.iter().filter(|word| !POINTING.contains(word) && event_numbers(word).next().is_none()).count();
    if text.ends_with(':') {
        Some("it ends in a colon")
    } else if ["see details", "see below", "see above", "as above"].iter().any(|p| lower.trim_matches(is_mark) == *p) {
        Some("it only points at the details")
    } else if said == 0 {
        Some("it says nothing but what it points at")
    } else if words.len() < WORDS_MIN && !is_dense {
        Some("it has fewer than three words")
    } else if lower.starts_with("see details") || lower.starts_with("see below") || lower.starts_with("see evt-") {
        Some("it only points at the details")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_that_need_something_else_are_told_apart() {
        for good in ["Initialize TestProject documentation", "修复登录页面的错误", "Fixed the bug of evt-003"]
        {
            assert_eq!(stands_alone(good), None, "{good}");
        }
        for bad in [
            "it",
            "See evt-003 for more",
            "evt-003",
            "Fixed bug",
            "Changes made to the following:",
            "See details.",
            "this, that and evt-001:",
        ] {
            assert!(stands_alone(bad).is_some(), "{bad}");
        }
    }
}
