//! A promise names the test that shows it, and that test is there.

use crate::tidy::finding::Finding;

/// How a document names a test: `crates/cli/tests/suite/kill.rs::its_name`.
const BETWEEN: &str = ".rs::";
/// The document whose tables hold the promises, one a row.
const PROMISES: &str = "SECURITY.md";
/// The document whose first list makes them.
const FRONT: &str = "README.md";

/// `text_of` gives the text of a file of the repository.
pub fn check(path: &str, text: &str, text_of: &dyn Fn(&str) -> Option<String>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        for (file, name) in tests(line) {
            let is_there = text_of(&file).is_some_and(|code| code.contains(&format!("fn {name}(")));
            if !is_there {
                let message = format!("there is no test `{file}::{name}`");
                findings.push(Finding::new(path, number, "promise", message));
            }
        }
    }
    let unshown = match path {
        PROMISES => rows(text),
        FRONT => bullets(text),
        _ => Vec::new(),
    };
    findings.extend(unshown.into_iter().map(|line| Finding::new(path, line, "promise", "no test shows it")));
    findings
}

/// The tests that a line names.
fn tests(line: &str) -> Vec<(String, String)> {
    let is_path = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '_' | '-' | '.');
    line.match_indices(BETWEEN)
        .map(|(at, _)| {
            let start = line[..at].rfind(|c| !is_path(c)).map_or(0, |before| before + 1);
            let rest = &line[at + BETWEEN.len()..];
            let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
            (format!("{}.rs", &line[start..at]), rest[..end].to_owned())
        })
        .collect()
}

/// Rows of tables with a column of tests that name none.
fn rows(text: &str) -> Vec<usize> {
    let (mut found, mut in_table) = (Vec::new(), false);
    for (number, line) in (1..).zip(text.lines()) {
        if !line.starts_with('|') {
            in_table = false;
        } else if line.contains("| test |") {
            in_table = true;
        } else if in_table && !line.starts_with("|--") && tests(line).is_empty() {
            found.push(number);
        }
    }
    found
}

/// Points of the list before the first heading of the second level that name no test.
fn bullets(text: &str) -> Vec<usize> {
    let mut found: Vec<usize> = Vec::new();
    let mut open: Option<usize> = None;
    for (number, line) in (1..).zip(text.lines()) {
        if line.starts_with("## ") {
            break;
        }
        if line.starts_with("- **") {
            found.extend(open.replace(number));
        }
        if !tests(line).is_empty() {
            open = None;
        }
    }
    found.extend(open);
    found
}

#[cfg(test)]
mod tests_of_promises {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<(usize, String)> {
        let there = |file: &str| (file == "crates/a/tests/x.rs").then(|| "fn it_holds() {}".to_owned());
        check(path, text, &there).into_iter().map(|it| (it.line, it.message)).collect()
    }

    #[test]
    fn a_test_that_is_not_there_is_named() {
        let text = "Kept: `crates/a/tests/x.rs::it_holds`, `crates/a/tests/x.rs::it_does_not`.";
        assert_eq!(found("docs/a.md", text), [(1, "there is no test `crates/a/tests/x.rs::it_does_not`".to_owned())]);
    }

    #[test]
    fn a_promise_without_a_test_is_named() {
        let table = "| promise | test |\n|---|---|\n| a | `crates/a/tests/x.rs::it_holds` |\n| b | soon |\n";
        assert_eq!(found("SECURITY.md", table), [(4, "no test shows it".to_owned())]);
        let front = "- **A.** x\n  <!-- crates/a/tests/x.rs::it_holds -->\n- **B.** y\n\n## Next\n- **C.** z\n";
        assert_eq!(found("README.md", front), [(3, "no test shows it".to_owned())]);
    }
}
