//! `mod.rs` and `lib.rs` show the shape of what they hold, and no logic.

use proc_macro2::Span;
use syn::Item;

use crate::tidy::finding::Finding;
use crate::tidy::reading::rust_file::RustFile;

pub fn check(file: &RustFile) -> Vec<Finding> {
    let mut findings = Vec::new();
    if only_declares(&file.path) {
        check_items(&file.path, &file.syntax.items, &mut findings);
    }
    findings
}

fn only_declares(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    matches!(parts.as_slice(), [.., "mod.rs"] | ["crates", _, "src", "lib.rs"])
}

fn check_items(path: &str, items: &[Item], findings: &mut Vec<Finding>) {
    for item in items {
        match item {
            Item::Use(_) => {}
            Item::Mod(module) => {
                // An inline module is fine as long as it only declares, too.
                if let Some((_, inner)) = &module.content {
                    check_items(path, inner, findings);
                }
            }
            other => {
                let (kind, span) = describe(other);
                let message = format!("{kind} belongs in a file of its own: only `mod` and `use`");
                let line = span.map_or(1, |span| span.start().line);
                findings.push(Finding::new(path, line, "declarations-only", message));
            }
        }
    }
}

fn describe(item: &Item) -> (&'static str, Option<Span>) {
    match item {
        Item::Const(it) => ("a constant", Some(it.ident.span())),
        Item::Enum(it) => ("an enum", Some(it.ident.span())),
        Item::Fn(it) => ("a function", Some(it.sig.ident.span())),
        Item::Impl(it) => ("an impl", Some(it.impl_token.span)),
        Item::Macro(it) => ("a macro", Some(it.mac.bang_token.span)),
        Item::Static(it) => ("a static", Some(it.ident.span())),
        Item::Struct(it) => ("a struct", Some(it.ident.span())),
        Item::Trait(it) => ("a trait", Some(it.ident.span())),
        Item::Type(it) => ("a type alias", Some(it.ident.span())),
        _ => ("an item", None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(path: &str, text: &str) -> Vec<Finding> {
        check(&RustFile::parse(path, text).expect("the example parses"))
    }

    #[test]
    fn every_kind_of_logic_is_a_finding() {
        for bad in [
            "fn f() {}",
            "struct A;",
            "enum A {}",
            "impl A {}",
            "trait A {}",
            "type A = u8;",
            "const A: u8 = 1;",
            "static A: u8 = 1;",
            "macro_rules! a { () => {} }",
            "extern crate a;",
            "mod tests { fn f() {} }",
        ] {
            for path in ["crates/core/src/lib.rs", "crates/core/src/a/mod.rs"] {
                assert_eq!(findings(path, bad).len(), 1, "{bad} in {path}");
            }
            assert!(findings("crates/core/src/a.rs", bad).is_empty());
            assert!(findings("crates/cli/src/main.rs", bad).is_empty());
        }
        let found = findings("crates/core/src/lib.rs", "mod a;\n\npub fn f() {}");
        assert_eq!(found[0].line, 3);
    }

    #[test]
    fn declarations_with_attributes_and_docs_are_fine() {
        let good = "//! Doc.\n#![forbid(unsafe_code)]\n/// A.\npub mod a;\n\
            #[cfg(test)] mod b;\npub use a::C;\npub mod prelude { pub use super::a::C; }";
        assert!(findings("crates/core/src/lib.rs", good).is_empty());
    }
}
