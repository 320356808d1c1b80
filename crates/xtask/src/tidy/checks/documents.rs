//! What a document points to in this repository must exist.

use super::root_entries::is_root_document;
use crate::tidy::finding::Finding;
use crate::tidy::reading::markdown::{Kind, references};
use crate::tidy::reading::place::join;

/// Inline code that starts so is taken for a path of this repository.
const FOLDERS: &[&str] = &["clients/", "crates/", "docs/", "scripts/", ".ci/"];

/// Signs of a pattern or a placeholder rather than a path.
const PLACEHOLDERS: &[char] = &['<', '*', '…', '{'];

/// `exists` is asked about paths relative to the root of the repository.
pub fn check(path: &str, text: &str, exists: &dyn Fn(&str) -> bool) -> Vec<Finding> {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut findings = Vec::new();
    for reference in references(text) {
        let target = match reference.kind {
            Kind::Link => link_target(folder, &reference.target),
            Kind::Code => code_target(&reference.target),
        };
        if let Some(target) = target
            && (target.starts_with("..") || !exists(&target))
        {
            let message = format!("`{}` does not exist", reference.target);
            findings.push(Finding::new(path, reference.line, "dead-path", message));
        }
    }
    findings
}

fn link_target(folder: &str, link: &str) -> Option<String> {
    if has_scheme(link) || link.contains(PLACEHOLDERS) {
        return None;
    }
    let target = without_position(link);
    if target.is_empty() {
        return None;
    }
    // A leading slash means the root of the repository.
    let folder = if target.starts_with('/') { "" } else { folder };
    Some(join(folder, target))
}

fn code_target(code: &str) -> Option<String> {
    // The rest of a command such as `scripts/check --fast` is not the path.
    let first = code.split_whitespace().next()?;
    // What stands behind two colons is a test in that file.
    let first = first.split("::").next()?;
    let target = without_position(first.trim_start_matches("./"));
    let ours = FOLDERS.iter().any(|folder| target.starts_with(folder)) || is_root_document(target);
    (ours && !first.contains(PLACEHOLDERS)).then(|| join("", target))
}

/// `https:` or `mailto:`, but not the `a.rs:` of `a.rs:12`.
fn has_scheme(link: &str) -> bool {
    let Some((scheme, _)) = link.split_once(':') else {
        return false;
    };
    !scheme.is_empty() && scheme.chars().all(|it| it.is_ascii_alphanumeric() || it == '+')
}

/// Drops `#anchor` and then `:12`, `:12:3` or `:12-14`.
fn without_position(target: &str) -> &str {
    let target = target.split('#').next().unwrap_or_default();
    let bare = target.trim_end_matches(|it: char| it.is_ascii_digit() || it == ':' || it == '-');
    match target[bare.len()..].find(':') {
        Some(colon) => &target[..bare.len() + colon],
        None => target,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dead(path: &str, text: &str) -> Vec<String> {
        let there = ["README.md", "docs", "docs/a.md", "docs/2024-10", "crates/core/src/a.rs"];
        let findings = check(path, text, &|path| there.contains(&path));
        findings.into_iter().map(|it| it.message).collect()
    }

    #[test]
    fn dead_links_are_findings() {
        assert_eq!(dead("README.md", "[a](docs/b.md)"), ["`docs/b.md` does not exist"]);
        assert_eq!(dead("docs/a.md", "[a](README.md)").len(), 1);
        assert_eq!(dead("docs/a.md", "[a]: b.md#part").len(), 1);
        assert_eq!(dead("docs/a.md", "[a](../../README.md)").len(), 1);
    }

    #[test]
    fn living_links_are_fine() {
        for link in ["a.md", "../README.md", "/docs/a.md#part", "#part", "2024-10"] {
            assert!(dead("docs/a.md", &format!("[a]({link})")).is_empty(), "{link}");
        }
        for link in ["https://a.b/c", "mailto:a@b.c", "<name>.md"] {
            assert!(dead("docs/a.md", &format!("[a]({link})")).is_empty(), "{link}");
        }
    }

    #[test]
    fn dead_paths_in_code_are_findings() {
        for code in ["crates/core/src/b.rs", "docs/b.md", "scripts/x --y", ".ci/x", "TESTING.md"] {
            assert_eq!(dead("docs/a.md", &format!("See `{code}`.")).len(), 1, "{code}");
        }
    }

    #[test]
    fn living_paths_and_other_code_are_fine() {
        for code in [
            "crates/core/src/a.rs:12",
            "crates/core/src/a.rs:12:3",
            "crates/core/src/a.rs:1-9",
            "docs/",
            "docs/a.md#part",
            "docs/2024-10",
            "README.md",
            "crates/*/tests",
            "crates/<name>/x",
            "docs/{a,b}",
            "docs/…",
            "other/x.rs",
            "x.md",
        ] {
            assert!(dead("docs/a.md", &format!("See `{code}`.")).is_empty(), "{code}");
        }
        assert!(dead("docs/a.md", "```\n`docs/b.md`\n```").is_empty());
    }
}
