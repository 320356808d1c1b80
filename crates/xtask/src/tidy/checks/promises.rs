//! A promise names the test that shows it, and that test is there.

use crate::tidy::finding::Finding;

/// How a document names a test: `crates/cli/tests/suite/kill.rs::its_name`.
const BETWEEN: &str = ".rs::";
/// The document whose tables hold the requirements of the specifications, one a row.
const SPECIFICATIONS: &str = "docs/specifications.md";
/// How a row of it says that no test shows it.
const OPEN: &str = "| none yet |";
/// The heading above a list of promises.
const LIST: &str = "## What it promises";

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
    let unshown = unshown(text, path == SPECIFICATIONS).into_iter().chain(bullets(text));
    findings.extend(unshown.map(|line| Finding::new(path, line, "promise", "no test shows it")));
    if path == SPECIFICATIONS {
        findings.extend(miscounted(text));
    }
    findings
}

/// The document says how many requirements it lists, and how many of them no test shows.
fn miscounted(text: &str) -> Option<Finding> {
    let rows = rows(text);
    let open = rows.iter().filter(|(_, row)| is_open(row)).count();
    let counted = format!("{} requirements, {open} without a test", rows.len());
    (!text.contains(&counted)).then(|| Finding::new(SPECIFICATIONS, 1, "promise", format!("it should say: {counted}")))
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

/// Rows that name no test, but for those that may say so.
fn unshown(text: &str, may_be_open: bool) -> Vec<usize> {
    let unshown = rows(text).into_iter().filter(|(_, row)| tests(row).is_empty() && !(may_be_open && is_open(row)));
    unshown.map(|(number, _)| number).collect()
}

fn is_open(row: &str) -> bool {
    row.ends_with(OPEN)
}

/// Rows of tables with a column of tests.
fn rows(text: &str) -> Vec<(usize, &str)> {
    let (mut found, mut in_table) = (Vec::new(), false);
    for (number, line) in (1..).zip(text.lines()) {
        if !line.starts_with('|') {
            in_table = false;
        } else if line.contains("| test |") {
            in_table = true;
        } else if in_table && !line.starts_with("|--") {
            found.push((number, line));
        }
    }
    found
}

/// Points of a list of promises that name no test.
fn bullets(text: &str) -> Vec<usize> {
    let mut found: Vec<usize> = Vec::new();
    let mut open: Option<usize> = None;
    let list = (1..).zip(text.lines()).skip_while(|(_, line)| *line != LIST).skip(1);
    for (number, line) in list.take_while(|(_, line)| !line.starts_with("## ")) {
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
        let list = "- **A.** x\n  <!-- crates/a/tests/x.rs::it_holds -->\n- **B.** y\n\n## Next\n- **C.** z\n";
        let front = format!("- **0.** w\n## What it promises\n{list}");
        assert_eq!(found("README.md", &front), [(5, "no test shows it".to_owned())]);
    }

    #[test]
    fn requirements_are_counted_and_those_without_a_test_say_so() {
        let table = "| requirement | test |\n|---|---|\n| a | `crates/a/tests/x.rs::it_holds` |\n| b | none yet |\n";
        assert_eq!(found("docs/specifications.md", &format!("2 requirements, 1 without a test.\n\n{table}")), []);
        let counted = "it should say: 3 requirements, 1 without a test".to_owned();
        let unshown = (5, "no test shows it".to_owned());
        assert_eq!(found("docs/specifications.md", &format!("{table}| c | |\n")), [unshown, (1, counted)]);
        assert_eq!(found("SECURITY.md", table), [(4, "no test shows it".to_owned())]);
    }
}
