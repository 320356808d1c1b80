//! No path of a developer's machine in anything we publish.

use crate::tidy::finding::Finding;

/// Written in pieces, so that this file does not report itself.
const HOME: &str = concat!("/ho", "me/");
const PREFIXES: &[&str] = &[concat!("/Us", "ers/"), concat!("/ro", "ot/"), concat!("/wo", "rk/")];

pub fn check(path: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if let Some(prefix) = machine_path(line) {
            let message = format!("`{prefix}` is a path of somebody's machine");
            findings.push(Finding::new(path, index + 1, "machine-path", message));
        }
    }
    findings
}

fn machine_path(line: &str) -> Option<&'static str> {
    // The folder itself is no secret; a name behind it is.
    let mut after_home = line.split(HOME).skip(1);
    if after_home.any(|rest| rest.starts_with(|it: char| it.is_ascii_lowercase())) {
        return Some(HOME);
    }
    PREFIXES.iter().find(|prefix| line.contains(**prefix)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_machine_path_is_a_finding() {
        let lines: Vec<String> =
            [&[concat!("/ho", "me/ann")], PREFIXES].concat().iter().map(|prefix| format!("see {prefix}x")).collect();
        let findings = check("a.md", &lines.join("\n"));
        let found: Vec<_> = findings.iter().map(|it| it.line).collect();
        assert_eq!(found, [1, 2, 3, 4]);
    }

    #[test]
    fn other_paths_are_fine() {
        let text = format!("{HOME}<name>, {HOME}$USER, /usr/bin, homework/x, /rooted/x");
        assert!(check("a.md", &text).is_empty());
    }
}
