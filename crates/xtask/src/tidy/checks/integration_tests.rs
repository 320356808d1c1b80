//! One integration test binary for each crate, and no test file left out of it.

use std::collections::{BTreeMap, BTreeSet};

use crate::tidy::finding::Finding;
use crate::tidy::reading::modules::Modules;
use crate::tidy::reading::place::crate_of;

const RULE: &str = "test-binary";

pub fn check(paths: &BTreeSet<String>, modules: &Modules) -> Vec<Finding> {
    // Crate folder to what lies under its `tests/`.
    let mut suites: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for path in paths {
        if let Some(folder) = crate_of(path)
            && let Some(inside) = path.strip_prefix(&format!("crates/{folder}/tests/"))
        {
            suites.entry(folder).or_default().push(inside);
        }
    }
    let each = suites.iter();
    each.flat_map(|(folder, inside)| check_suite(&format!("crates/{folder}/tests"), inside, modules)).collect()
}

fn check_suite(suite: &str, inside: &[&str], modules: &Modules) -> Vec<Finding> {
    let mut findings = Vec::new();
    let sources = inside.iter().filter(|path| path.ends_with(".rs"));
    let (nested, binaries): (Vec<&str>, Vec<&str>) = sources.partition(|path| path.contains('/'));
    if binaries.len() != 1 {
        let message = format!("exactly one .rs file stands here, not {}: [{}]", binaries.len(), binaries.join(", "));
        findings.push(Finding::new(suite, 1, RULE, message));
    }
    let roots: Vec<String> = binaries.iter().map(|it| format!("{suite}/{it}")).collect();
    let reached = modules.reachable(roots.iter().map(String::as_str));
    for path in nested {
        let full = format!("{suite}/{path}");
        if matches!(path.split_once('/'), Some((_, "main.rs"))) {
            let message = "cargo makes a second test binary of a folder's main.rs";
            findings.push(Finding::new(&full, 1, RULE, message));
        } else if !reached.contains(full.as_str()) {
            let message = "no `mod` leads here: these tests never run";
            findings.push(Finding::new(&full, 1, "forgotten-test", message));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::reading::rust_file::RustFile;

    fn findings(files: &[(&str, &str)]) -> Vec<(String, &'static str)> {
        let paths = files.iter().map(|(path, _)| (*path).to_owned()).collect();
        let sources = files.iter().filter(|(path, _)| path.ends_with(".rs"));
        let parsed: Vec<_> =
            sources.map(|(path, text)| RustFile::parse(path, text).expect("the example parses")).collect();
        let findings = check(&paths, &Modules::of(&parsed)).into_iter();
        findings.map(|it| (it.path, it.rule)).collect()
    }

    #[test]
    fn one_binary_with_modules_and_data_is_fine() {
        let found = findings(&[
            ("crates/a/tests/all.rs", "mod cases;"),
            ("crates/a/tests/cases/mod.rs", "mod one;"),
            ("crates/a/tests/cases/one.rs", ""),
            ("crates/a/tests/data/x.json", "{}"),
            ("crates/b/src/lib.rs", ""),
        ]);
        assert!(found.is_empty(), "{found:?}");
    }

    #[test]
    fn two_binaries_none_and_a_hidden_one_are_findings() {
        let suite = ("crates/a/tests".to_owned(), "test-binary");
        let two = [("crates/a/tests/a.rs", ""), ("crates/a/tests/b.rs", "")];
        assert!(findings(&two).contains(&suite));
        assert_eq!(findings(&[("crates/a/tests/x.json", "")]), [suite]);
        let hidden = [("crates/a/tests/a.rs", ""), ("crates/a/tests/it/main.rs", "")];
        let main = ("crates/a/tests/it/main.rs".to_owned(), "test-binary");
        assert_eq!(findings(&hidden), [main]);
    }

    #[test]
    fn a_file_no_mod_leads_to_is_a_finding() {
        let found = findings(&[
            ("crates/a/tests/all.rs", "mod cases { mod one; }"),
            ("crates/a/tests/cases/one.rs", ""),
            ("crates/a/tests/cases/two.rs", ""),
        ]);
        let two = "crates/a/tests/cases/two.rs".to_owned();
        assert_eq!(found, [(two, "forgotten-test")]);
    }
}
