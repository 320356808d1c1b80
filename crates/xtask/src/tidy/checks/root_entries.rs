//! What may stand in the root of the repository.

use std::collections::BTreeSet;

use crate::tidy::finding::Finding;

/// The first thing a visitor sees: everything else goes into a folder.
const ALLOWED: &[&str] = &[
    ".cargo",
    ".ci",
    ".github",
    ".gitignore",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "NOTICE",
    "README.md",
    "SECURITY.md",
    "TESTING.md",
    "clients",
    "crates",
    "docs",
    "packaging",
    "rustfmt.toml",
    "scripts",
];

pub fn check(paths: &BTreeSet<String>) -> Vec<Finding> {
    let entries: BTreeSet<&str> = paths.iter().filter_map(|it| it.split('/').next()).collect();
    let strangers = entries.into_iter().filter(|it| !ALLOWED.contains(it));
    strangers.map(|it| Finding::new(it, 1, "root", "does not belong in the root")).collect()
}

/// Whether the name is that of a document which may stand in the root.
pub fn is_root_document(name: &str) -> bool {
    name.ends_with(".md") && ALLOWED.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stranger_is_one_finding() {
        let paths = ["README.md", "crates/a", "notes.txt", "tools/a", "tools/b"];
        let findings = check(&paths.map(str::to_owned).into());
        let strangers: Vec<_> = findings.iter().map(|it| it.path.as_str()).collect();
        assert_eq!(strangers, ["notes.txt", "tools"]);
    }

    #[test]
    fn only_known_documents_are_root_documents() {
        assert!(is_root_document("TESTING.md"));
        assert!(!is_root_document("docs"));
        assert!(!is_root_document("other.md"));
    }
}
