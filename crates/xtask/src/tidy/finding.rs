//! What a check reports: one line a person can act on.

use std::fmt;

/// The field order is the sort order of the report.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// Relative to the repository root, with `/` on every platform.
    pub path: String,
    /// Counted from 1; 1 as well when the whole file or folder is meant.
    pub line: usize,
    pub rule: &'static str,
    pub message: String,
}

impl Finding {
    pub fn new(path: &str, line: usize, rule: &'static str, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, rule, message: message.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, line, rule, message } = self;
        write!(out, "{path}:{line}: {rule}: {message}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_as_an_editor_can_jump_to_it() {
        let finding = Finding::new("a/b.rs", 7, "unwrap", "say why");
        assert_eq!(finding.to_string(), "a/b.rs:7: unwrap: say why");
    }

    #[test]
    fn sorts_by_path_and_then_by_number_of_the_line() {
        let mut findings =
            [Finding::new("b", 1, "r", ""), Finding::new("a", 10, "r", ""), Finding::new("a", 9, "r", "")];
        findings.sort();
        let order: Vec<_> = findings.iter().map(|f| (f.path.as_str(), f.line)).collect();
        assert_eq!(order, [("a", 9), ("a", 10), ("b", 1)]);
    }
}
