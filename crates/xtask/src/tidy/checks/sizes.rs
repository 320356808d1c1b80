//! Files and functions stay small enough to be read in one go, and crates to be known.

use std::collections::BTreeMap;

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Block, ImplItemFn, ItemFn, Macro, Signature, TraitItemFn};

use crate::tidy::finding::Finding;
use crate::tidy::reading::place::{crate_of, in_tests_folder};
use crate::tidy::reading::rust_file::RustFile;
use crate::tidy::reading::tokens::{group, is_ident, is_punct};

const FILE_LINES: usize = 600;
const FUNCTION_LINES: usize = 100;
/// Tests of their own folder are not counted.
const CRATE_LINES: usize = 14_000;

/// What may be longer, as `path` or `path::function`, with the reason.
pub const EXCEPTIONS: &[(&str, &str)] = &[];

pub fn check(file: &RustFile, exceptions: &[(&str, &str)]) -> Vec<Finding> {
    let excepted = |what: &str| exceptions.iter().any(|(name, _)| *name == what);
    let mut findings = Vec::new();
    let lines = file.text.lines().count();
    if lines > FILE_LINES && !excepted(&file.path) {
        let message = format!("{lines} lines, but a file has at most {FILE_LINES}");
        findings.push(Finding::new(&file.path, FILE_LINES + 1, "file-size", message));
    }
    let mut functions = Functions::default();
    functions.visit_file(&file.syntax);
    for Function { name, first, last } in functions.0 {
        let lines = last - first + 1;
        if lines > FUNCTION_LINES && !excepted(&format!("{}::{name}", file.path)) {
            let message = format!("`{name}` has {lines} lines, but a function has at most {FUNCTION_LINES}");
            findings.push(Finding::new(&file.path, first, "function-size", message));
        }
    }
    findings
}

/// The crates that are too large, of all files.
pub fn check_crates(files: &[RustFile]) -> Vec<Finding> {
    let mut sizes: BTreeMap<&str, usize> = BTreeMap::new();
    for file in files.iter().filter(|file| !in_tests_folder(&file.path)) {
        if let Some(name) = crate_of(&file.path) {
            *sizes.entry(name).or_default() += file.text.lines().count();
        }
    }
    let too_large = sizes.into_iter().filter(|(_, lines)| *lines > CRATE_LINES);
    let finding = |(name, lines)| {
        let message = format!("{lines} lines, but a crate has at most {CRATE_LINES}");
        Finding::new(&format!("crates/{name}"), 1, "crate-size", message)
    };
    too_large.map(finding).collect()
}

/// Measured from `fn` to the closing brace; documentation is free.
struct Function {
    name: String,
    first: usize,
    last: usize,
}

#[derive(Default)]
struct Functions(Vec<Function>);

impl Functions {
    fn add(&mut self, name: String, start: Span, end: Span) {
        self.0.push(Function { name, first: start.start().line, last: end.end().line });
    }

    fn add_parsed(&mut self, signature: &Signature, body: &Block) {
        let end = body.brace_token.span.close();
        self.add(signature.ident.to_string(), signature.fn_token.span, end);
    }

    /// Functions handed to a macro such as `proptest!` are only tokens.
    fn add_tokens(&mut self, tokens: TokenStream) {
        let trees: Vec<TokenTree> = tokens.into_iter().collect();
        for (at, tree) in trees.iter().enumerate() {
            if let TokenTree::Group(group) = tree {
                self.add_tokens(group.stream());
            }
            let Some(TokenTree::Ident(name)) = trees.get(at + 1) else {
                continue;
            };
            // Without a body, as in a trait, there is nothing to measure.
            let mut rest = trees[at..].iter().take_while(|it| !is_punct(Some(it), ';'));
            if is_ident(Some(tree), "fn")
                && let Some(body) = rest.find_map(|it| group(Some(it), Delimiter::Brace))
            {
                self.add(name.to_string(), tree.span(), body.span_close());
            }
        }
    }
}

impl Visit<'_> for Functions {
    fn visit_item_fn(&mut self, function: &ItemFn) {
        self.add_parsed(&function.sig, &function.block);
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &ImplItemFn) {
        self.add_parsed(&function.sig, &function.block);
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &TraitItemFn) {
        if let Some(body) = &function.default {
            self.add_parsed(&function.sig, body);
        }
        visit::visit_trait_item_fn(self, function);
    }

    fn visit_macro(&mut self, call: &Macro) {
        self.add_tokens(call.tokens.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(text: &str, exceptions: &[(&str, &str)]) -> Vec<String> {
        let file = RustFile::parse("a.rs", text).expect("the example parses");
        let findings = check(&file, exceptions);
        findings.iter().map(ToString::to_string).collect()
    }

    /// A function of exactly so many lines.
    fn function(lines: usize) -> String {
        format!("fn f() {{\n{}}}\n", "    g();\n".repeat(lines - 2))
    }

    #[test]
    fn a_crate_may_have_fourteen_thousand_lines_besides_its_tests() {
        let file =
            |path: &str, lines: usize| RustFile::parse(path, &"const A: u8 = 1;\n".repeat(lines)).expect("parses");
        let mut files = vec![file("crates/a/src/lib.rs", 7_000), file("crates/a/src/b.rs", 7_000)];
        files.extend([file("crates/a/tests/suite.rs", 9), file("crates/b/src/lib.rs", 9)]);
        assert!(check_crates(&files).is_empty());
        files.push(file("crates/a/src/c.rs", 1));
        let found: Vec<String> = check_crates(&files).iter().map(ToString::to_string).collect();
        assert_eq!(found, ["crates/a:1: crate-size: 14001 lines, but a crate has at most 14000"]);
    }

    #[test]
    fn a_function_may_have_a_hundred_lines_and_no_more() {
        assert!(findings(&function(100), &[]).is_empty());
        let wanted = "a.rs:1: function-size: `f` has 101 lines, but a function has at most 100";
        assert_eq!(findings(&function(101), &[]), [wanted]);
    }

    #[test]
    fn long_functions_are_found_wherever_they_stand() {
        for (before, after) in [
            ("impl A {", "}"),
            ("trait A {", "}"),
            ("#[cfg(test)] mod tests { #[test]", "}"),
            ("proptest! {", "}"),
            ("fn outer() { vec![{", "}] }"),
        ] {
            let source = format!("{before} {} {after}", function(101));
            let found = findings(&source, &[]);
            assert!(found.iter().any(|it| it.contains("`f`")), "{before}");
        }
    }

    #[test]
    fn a_function_without_a_body_has_no_length() {
        let between = "const A: u8 = 1;\n".repeat(100);
        let source = format!("trait_macro! {{ fn f();\n{between} fn g() {{}} }}");
        assert!(findings(&source, &[]).is_empty());
    }

    #[test]
    fn closures_and_macros_count_with_their_function() {
        let body = "vec![\n".to_owned() + &"1,\n".repeat(99) + "]";
        assert_eq!(findings(&format!("fn f() {{ {body} }}"), &[]).len(), 1);
        let body = "|| {\n".to_owned() + &"g();\n".repeat(99) + "}";
        assert_eq!(findings(&format!("fn f() {{ {body} }}"), &[]).len(), 1);
    }

    #[test]
    fn a_file_may_have_six_hundred_lines_and_no_more() {
        assert!(findings(&"//\n".repeat(600), &[]).is_empty());
        let wanted = "a.rs:601: file-size: 601 lines, but a file has at most 600";
        assert_eq!(findings(&"//\n".repeat(601), &[]), [wanted]);
    }

    #[test]
    fn an_exception_covers_only_what_it_names() {
        let both = format!("{}{}", function(101), "//\n".repeat(600));
        assert_eq!(findings(&both, &[("a.rs", "why")]).len(), 1);
        assert_eq!(findings(&both, &[("a.rs::f", "why")]).len(), 1);
        assert!(findings(&both, &[("a.rs", "why"), ("a.rs::f", "why")]).is_empty());
    }
}
