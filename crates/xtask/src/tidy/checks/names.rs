//! Names that say nothing about what is inside.

use syn::ItemMod;
use syn::visit::{self, Visit};

use crate::tidy::finding::Finding;
use crate::tidy::reading::rust_file::RustFile;

const RULE: &str = "name";

const EMPTY_WORDS: &[&str] = &["utils", "util", "helpers", "helper", "common", "misc", "manager"];

/// Looks at the file's own name and at every folder above it.
pub fn check_path(path: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut end = 0;
    for part in path.split('/') {
        end += part.len();
        if let Some(message) = objection(part.trim_end_matches(".rs")) {
            // Named by the folder itself, so that ten files in it are one finding.
            findings.push(Finding::new(&path[..end], 1, RULE, message));
        }
        end += 1;
    }
    findings
}

/// Looks at module names, which need not be file names.
pub fn check_modules(file: &RustFile) -> Vec<Finding> {
    struct Modules<'a>(&'a str, Vec<Finding>);

    impl Visit<'_> for Modules<'_> {
        fn visit_item_mod(&mut self, module: &ItemMod) {
            if let Some(message) = objection(&module.ident.to_string()) {
                let line = module.ident.span().start().line;
                self.1.push(Finding::new(self.0, line, RULE, message));
            }
            visit::visit_item_mod(self, module);
        }
    }

    let mut modules = Modules(&file.path, Vec::new());
    modules.visit_file(&file.syntax);
    modules.1
}

fn objection(name: &str) -> Option<String> {
    if EMPTY_WORDS.contains(&name) {
        return Some(format!("`{name}` does not say what is inside"));
    }
    let (_, version) = name.rsplit_once("_v")?;
    let versioned = !version.is_empty() && version.chars().all(|it| it.is_ascii_digit());
    versioned.then(|| format!("`{name}`: replace the old one instead of numbering the new one"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_words_are_findings_as_file_and_as_folder() {
        for word in EMPTY_WORDS {
            let file = check_path(&format!("crates/core/src/{word}.rs"));
            assert_eq!(file[0].path, format!("crates/core/src/{word}.rs"));
            let folder = check_path(&format!("crates/core/src/{word}/a.rs"));
            assert_eq!(folder[0].path, format!("crates/core/src/{word}"));
        }
    }

    #[test]
    fn version_suffixes_are_findings() {
        for name in ["index_v2", "index_v10"] {
            assert_eq!(check_path(&format!("crates/core/src/{name}.rs")).len(), 1);
        }
        for name in ["index_value", "tree_view", "sha2", "utf8", "command", "miscount"] {
            assert!(check_path(&format!("crates/core/src/{name}.rs")).is_empty());
        }
    }

    #[test]
    fn modules_are_looked_at_even_when_inline() {
        let text = "mod fine {\n mod helpers {}\n}\n#[path = \"fine.rs\"]\nmod index_v2;";
        let file = RustFile::parse("crates/core/src/a.rs", text).expect("the example parses");
        let lines: Vec<_> = check_modules(&file).iter().map(|it| it.line).collect();
        assert_eq!(lines, [2, 5]);
    }
}
