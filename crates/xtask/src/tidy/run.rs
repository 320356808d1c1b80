//! Runs every check over a repository.

use std::collections::BTreeSet;
use std::path::Path;

use super::checks::{
    banned, circles, declaration_files, dependency_reasons, direction, documents, first_line, inherited_dependencies,
    integration_tests, machine_paths, names, promises, root_entries, sizes, style_words, word_lists,
};
use super::finding::Finding;
use super::reading::manifest::Manifest;
use super::reading::modules::Modules;
use super::reading::rust_file::RustFile;
use super::reading::tree;

/// All findings, sorted; none means the repository is tidy.
pub fn run(root: &Path) -> Vec<Finding> {
    let paths = tree::list(root);
    let texts: Vec<(&str, String)> =
        paths.iter().filter_map(|path| Some((path.as_str(), tree::text(root, path)?))).collect();
    let mut findings = root_entries::check(&paths);
    findings.extend(direction::unknown_crates(&paths));
    findings.extend(check_texts(root, &texts));
    findings.extend(check_manifests(&texts));
    findings.extend(check_rust(&paths, &texts));
    findings.sort();
    findings.dedup();
    findings
}

fn check_texts(root: &Path, texts: &[(&str, String)]) -> Vec<Finding> {
    let exists = |path: &str| root.join(path).exists();
    let guide = texts.iter().find(|(path, _)| *path == style_words::GUIDE);
    let phrases = guide.map(|(_, text)| style_words::phrases(text)).unwrap_or_default();
    let mut findings = Vec::new();
    for (path, text) in texts {
        findings.extend(style_words::check(path, text, &phrases));
        findings.extend(machine_paths::check(path, text));
        findings.extend(word_lists::check(path, text));
        if path.ends_with(".md") {
            findings.extend(documents::check(path, text, &exists));
            findings.extend(promises::check(path, text, &|file| tree::text(root, file)));
        }
    }
    findings
}

fn check_manifests(texts: &[(&str, String)]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let Some((path, root_text)) = texts.iter().find(|(path, _)| *path == "Cargo.toml") else {
        let message = "there is no manifest, so nothing about dependencies can be checked";
        return vec![Finding::new("Cargo.toml", 1, "manifest", message)];
    };
    let root = match Manifest::parse(path, root_text) {
        Ok(root) => root,
        Err(finding) => return vec![finding],
    };
    findings.extend(dependency_reasons::check(&root, root_text));
    let mut members = Vec::new();
    for (path, text) in texts.iter().filter(|(path, _)| is_member_manifest(path)) {
        match Manifest::parse(path, text) {
            Ok(member) => members.push(member),
            Err(finding) => findings.push(finding),
        }
    }
    findings.extend(members.iter().flat_map(inherited_dependencies::check));
    findings.extend(direction::check(&root, &members));
    findings
}

fn is_member_manifest(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    matches!(parts.as_slice(), ["crates", _, "Cargo.toml"])
}

fn check_rust(paths: &BTreeSet<String>, texts: &[(&str, String)]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut files = Vec::new();
    for (path, text) in texts.iter().filter(|(path, _)| path.ends_with(".rs")) {
        findings.extend(first_line::check(path, text));
        findings.extend(names::check_path(path));
        match RustFile::parse(path, text) {
            Ok(file) => files.push(file),
            Err(finding) => findings.push(finding),
        }
    }
    let modules = Modules::of(&files);
    let test_only = modules.test_only();
    for file in &files {
        let is_test_only = test_only.contains(file.path.as_str());
        findings.extend(sizes::check(file, sizes::EXCEPTIONS));
        findings.extend(banned::check(file, is_test_only, banned::UNSAFE_FILES));
        findings.extend(declaration_files::check(file));
        findings.extend(names::check_modules(file));
    }
    findings.extend(circles::check(&files, &test_only));
    findings.extend(sizes::check_crates(&files));
    findings.extend(integration_tests::check(paths, &modules));
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::scratch::Scratch;

    /// A small workspace nothing can be said against.
    fn tidy_workspace(name: &str) -> Scratch {
        let scratch = Scratch::new(name);
        scratch.write("Cargo.toml", "[workspace.dependencies]\nserde = \"1\" # data\n");
        scratch.write("README.md", "See [the notes](docs/notes.md).\n");
        scratch.write("docs/style.md", "| made anew | rebuilt |\n");
        scratch.write("docs/notes.md", "See `crates/core/src/lib.rs`.\n");
        let manifest = "[package]\nname = \"idetic-core\"\n[dependencies]\nserde.workspace = true\n";
        scratch.write("crates/core/Cargo.toml", manifest);
        scratch.write("crates/core/src/lib.rs", "//! Core.\nmod a;\n#[cfg(test)]\nmod b;\n");
        scratch.write("crates/core/src/a.rs", "//! A.\npub fn f() {}\n");
        scratch.write("crates/core/src/b.rs", "//! B.\nfn g() { h().unwrap() }\n");
        scratch.write("crates/core/tests/all.rs", "//! Tests.\n");
        scratch
    }

    fn rules(scratch: &Scratch) -> Vec<&'static str> {
        run(scratch.root()).iter().map(|it| it.rule).collect()
    }

    #[test]
    fn a_tidy_workspace_has_no_findings() {
        let scratch = tidy_workspace("run-tidy");
        assert_eq!(run(scratch.root()), []);
    }

    #[test]
    fn every_check_is_wired_up() {
        let long_function = format!("//! L.\nfn f() {{\n{}}}\n", "g();\n".repeat(600));
        let machine_path = format!("{}x\n", concat!("/wo", "rk/"));
        for (rule, path, text) in [
            ("dead-path", "README.md", "[a](b.md)"),
            ("dependency-reason", "Cargo.toml", "[workspace.dependencies]\na = \"1\"\n"),
            ("direction", "crates/odd/a.txt", ""),
            ("first-line", "crates/core/src/c.rs", "fn f() {}\n"),
            ("forgotten-test", "crates/core/tests/x/a.rs", "//! A.\n"),
            ("function-size", "crates/core/src/c.rs", &long_function),
            ("file-size", "crates/core/src/c.rs", &long_function),
            ("machine-path", "docs/a.txt", &machine_path),
            ("manifest", "Cargo.toml", "["),
            ("manifest", "crates/core/Cargo.toml", "["),
            ("name", "crates/core/src/utils.rs", "//! U.\n"),
            ("name", "crates/core/src/c.rs", "//! C.\nmod utils {}\n"),
            ("root", "notes.txt", ""),
            ("style-word", "docs/a.md", "It is made anew.\n"),
            ("syntax", "crates/core/src/c.rs", "//! C.\nfn (\n"),
            ("test-binary", "crates/core/tests/b.rs", "//! B.\n"),
            ("word-list", "crates/extract/data/a.txt", "x\nx\n"),
            ("unwrap", "crates/core/src/c.rs", "//! C.\nfn f() { g().unwrap() }\n"),
            ("declarations-only", "crates/core/src/c/mod.rs", "//! C.\nfn f() {}\n"),
            ("inherited-dependency", "crates/core/Cargo.toml", "[dependencies]\na = \"1\"\n"),
        ] {
            let scratch = tidy_workspace("run-wired");
            scratch.write(path, text);
            assert!(rules(&scratch).contains(&rule), "{rule} for {path}");
        }
    }

    #[test]
    fn dependencies_between_members_are_checked() {
        let scratch = tidy_workspace("run-direction");
        scratch.write("crates/store/Cargo.toml", "[package]\nname = \"idetic-store\"\n");
        let manifest = "[package]\nname = \"idetic-core\"\n\
            [dependencies]\nidetic-store.workspace = true\n";
        scratch.write("crates/core/Cargo.toml", manifest);
        assert_eq!(rules(&scratch), ["direction"]);
    }

    #[test]
    fn files_that_use_each_other_are_found() {
        let scratch = tidy_workspace("run-circle");
        scratch.write("crates/core/src/lib.rs", "//! Core.\nmod a;\nmod c;\n#[cfg(test)]\nmod b;\n");
        scratch.write("crates/core/src/a.rs", "//! A.\nuse crate::c::g;\npub fn f() {}\n");
        scratch.write("crates/core/src/c.rs", "//! C.\nuse crate::a::f;\npub fn g() {}\n");
        assert_eq!(rules(&scratch), ["circle"]);
    }

    #[test]
    fn an_empty_folder_is_not_tidy() {
        let scratch = Scratch::new("run-empty");
        assert_eq!(rules(&scratch), ["manifest"]);
    }
}
