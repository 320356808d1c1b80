//! The phrases that docs/style.md replaces are not written again, in documents or in code.

use crate::tidy::finding::Finding;

/// Where the phrases are listed.
pub const GUIDE: &str = "docs/style.md";
/// Records of the past, and what lists the phrases themselves.
const EXEMPT: [&str; 4] = ["docs/decisions/", "CHANGELOG.md", GUIDE, "crates/xtask/src/tidy/"];

/// The phrases of the left column. A single word has other uses, and is left to the reader.
pub fn phrases(guide: &str) -> Vec<String> {
    let cells = guide.lines().filter_map(|line| line.strip_prefix("| ")?.split_once(" | ").map(|(left, _)| left));
    cells.filter(|left| left.contains(' ') && *left != "instead of").map(str::to_lowercase).collect()
}

/// Whether a line has a phrase as words of its own.
fn has(line: &str, phrase: &str) -> bool {
    line.match_indices(phrase).any(|(at, _)| {
        let ends = |part: Option<char>| part.is_none_or(|c| !c.is_alphanumeric());
        ends(line[..at].chars().next_back()) && ends(line[at + phrase.len()..].chars().next())
    })
}

pub fn check(path: &str, text: &str, phrases: &[String]) -> Vec<Finding> {
    let is_read = path.ends_with(".md") || path.ends_with(".rs") && path.contains("/src/");
    if !is_read || EXEMPT.iter().any(|exempt| path.starts_with(exempt)) {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.to_lowercase();
        let found = phrases.iter().filter(|phrase| has(&line, phrase));
        findings.extend(found.map(|phrase| {
            Finding::new(path, number, "style-word", format!("`{phrase}`: {GUIDE} says what to write instead"))
        }));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phrase_is_found_and_a_word_is_not() {
        let phrases = phrases("| instead of | write |\n|---|---|\n| dear | expensive |\n| made anew | rebuilt |\n");
        assert_eq!(phrases, ["made anew"]);
        let found = |path: &str| check(path, "dear\nIt is Made anew.\n", &phrases).len();
        assert_eq!((found("docs/a.md"), found("crates/a/src/b.rs"), found("README.md")), (1, 1, 1));
        assert_eq!((found(GUIDE), found("crates/a/tests/b.rs"), found("docs/decisions/1.md")), (0, 0, 0));
    }
}
