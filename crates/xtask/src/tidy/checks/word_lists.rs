//! The lists of words that extraction knows: one entry a line, none twice.

use std::collections::BTreeSet;

use crate::tidy::finding::Finding;

const RULE: &str = "word-list";

/// Where they are.
const FOLDER: &str = "crates/extract/data/";

pub fn check(path: &str, text: &str) -> Vec<Finding> {
    if !path.starts_with(FOLDER) || !path.ends_with(".txt") {
        return Vec::new();
    }
    let mut known = BTreeSet::new();
    let wrong = |line: &str| match line {
        "" => Some("the line is empty".to_owned()),
        _ if line.trim() != line => Some("there are blanks around the entry".to_owned()),
        _ if line.contains('|') => Some("an entry has no `|`".to_owned()),
        _ => None,
    };
    let mut findings = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let twice = (!known.insert(line)).then(|| format!("`{line}` stands there twice"));
        findings.extend(wrong(line).or(twice).map(|message| Finding::new(path, number, RULE, message)));
    }
    if !text.ends_with('\n') {
        findings.push(Finding::new(path, known.len(), RULE, "the last line does not end"));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let path = "crates/extract/data/doubt/jokes.txt";
        check(path, text).iter().map(|finding| format!("{} {}", finding.line, finding.message)).collect()
    }

    #[test]
    fn what_is_wrong_with_a_line_is_named() {
        assert_eq!(found("lol\njust kidding\n"), Vec::<String>::new());
        assert_eq!(found("lol\nlol\n"), ["2 `lol` stands there twice"]);
        assert_eq!(found("lol\n\n"), ["2 the line is empty"]);
        assert_eq!(found(" lol\n"), ["1 there are blanks around the entry"]);
        assert_eq!(found("a|b\n"), ["1 an entry has no `|`"]);
        assert_eq!(found("lol"), ["1 the last line does not end"]);
    }
}
