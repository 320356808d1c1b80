//! Every dependency of the workspace says in a comment why it is there.

use crate::tidy::finding::Finding;
use crate::tidy::reading::manifest::{Dependency, Manifest};

pub fn check(root: &Manifest, text: &str) -> Vec<Finding> {
    let silent =
        root.workspace_dependencies.iter().filter(|it| !comment_above(text, it.line) && !comment_behind(text, it));
    silent
        .map(|it| {
            let message = format!("`{}` needs a comment saying why: behind it or directly above", it.key);
            Finding::new(&root.path, it.line, "dependency-reason", message)
        })
        .collect()
}

fn comment_above(text: &str, line: usize) -> bool {
    // Lines count from 1, so the line above has the index `line - 2`.
    let above = line.checked_sub(2).and_then(|index| text.lines().nth(index));
    above.is_some_and(|above| above.trim_start().strip_prefix('#').is_some_and(says_something))
}

/// Looks behind the value only, so that a `#` in a string is no comment.
fn comment_behind(text: &str, dependency: &Dependency) -> bool {
    let rest_of_line = text[dependency.end..].lines().next().unwrap_or_default();
    rest_of_line.split_once('#').is_some_and(|(_, comment)| says_something(comment))
}

fn says_something(comment: &str) -> bool {
    comment.chars().any(char::is_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn silent(entries: &str) -> Vec<usize> {
        let text = format!("[workspace.dependencies]\n{entries}");
        let root = Manifest::parse("Cargo.toml", &text).expect("the example parses");
        let findings = check(&root, &text);
        findings.iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn a_dependency_without_a_reason_is_a_finding() {
        assert_eq!(silent("a = \"1\"\n"), [2]);
        assert_eq!(silent("a = \"1\" #\n"), [2], "an empty comment says nothing");
        assert_eq!(silent("a = \"#1\"\n"), [2], "a string is no comment");
        assert_eq!(silent("# why a\n\na = \"1\"\n"), [4], "not directly above");
    }

    #[test]
    fn one_comment_does_not_cover_the_next_line() {
        assert_eq!(silent("# why a\na = \"1\"\nb = \"1\"\n"), [4]);
        assert_eq!(silent("a = \"1\" # why a\nb = \"1\"\n"), [3]);
    }

    #[test]
    fn all_forms_of_comments_count() {
        assert!(silent("a = \"1\" # why\n# why\nb = { version = \"1\" }\n").is_empty());
        assert!(silent("a = { version = \"1\", features = [\n\"x\",\n] } # why\n").is_empty());
        assert!(silent("a.version = \"1\" # why\n").is_empty());
        assert!(silent("# why\n[workspace.dependencies.a]\nversion = \"1\"\n").is_empty());
    }
}
