//! The constructs of a Rust file that a rule could object to, found by tokens.
//!
//! Tokens rather than the syntax tree, because the inside of a macro call is
//! tokens only; comments and string contents are no tokens, so they cannot
//! raise a false alarm.

use std::collections::BTreeMap;
use std::fmt;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use super::rust_paths::{RustPath, read, read_import};
use super::test_code;
use super::tokens::{attribute, group, is_ident, is_punct, string};

#[derive(Debug, PartialEq, Eq)]
pub struct Sighting {
    pub line: usize,
    pub in_test: bool,
    pub what: What,
}

#[derive(Debug, PartialEq, Eq)]
pub enum What {
    /// A macro call, by the last segment of its path.
    Macro(String),
    /// A method call; the text is its argument if that is one string literal.
    Method(String, Option<String>),
    /// A path of two or more segments, with the file's imports put in.
    Path(Vec<String>),
    Unsafe,
    AsyncFn,
    /// `allow` or `expect` in an attribute, and whether it gives a reason.
    Lint(String, bool),
}

impl fmt::Display for What {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Macro(name) => write!(out, "`{name}!`"),
            Self::Method(name, _) => write!(out, "`.{name}()`"),
            Self::Path(segments) => write!(out, "`{}`", segments.join("::")),
            Self::Unsafe => write!(out, "`unsafe`"),
            Self::AsyncFn => write!(out, "`async fn`"),
            Self::Lint(level, _) => write!(out, "`#[{level}(..)]`"),
        }
    }
}

/// `in_test` says that the whole stream is test code already.
pub fn sightings(tokens: TokenStream, in_test: bool) -> Vec<Sighting> {
    let mut scan = Scan::default();
    scan.level(tokens, in_test);
    for sighting in &mut scan.found {
        if let What::Path(segments) = &mut sighting.what
            && let Some(import) = scan.imports.get(&segments[0])
        {
            segments.splice(0..1, import.iter().cloned());
        }
    }
    scan.found
}

#[derive(Default)]
struct Scan {
    found: Vec<Sighting>,
    /// Local name to full path. One map for the file, not one per module: an
    /// alias reused for two things in one file is not worth a resolver.
    imports: BTreeMap<String, Vec<String>>,
}

impl Scan {
    fn level(&mut self, tokens: TokenStream, outer_is_test: bool) {
        let trees: Vec<TokenTree> = tokens.into_iter().collect();
        let mask = test_code::mask(&trees);
        let mut at = 0;
        while at < trees.len() {
            let in_test = outer_is_test || mask[at];
            at = match &trees[at] {
                TokenTree::Group(group) => {
                    self.level(group.stream(), in_test);
                    at + 1
                }
                TokenTree::Ident(_) => self.word(&trees, at, in_test),
                TokenTree::Punct(_) => self.punct(&trees, at, in_test),
                TokenTree::Literal(_) => at + 1,
            };
        }
    }

    /// Returns the index to go on from, as all readers below do.
    fn word(&mut self, trees: &[TokenTree], at: usize, in_test: bool) -> usize {
        let line = trees[at].span().start().line;
        if is_ident(trees.get(at), "use") {
            let (paths, next) = read_import(trees, at + 1);
            for path in paths {
                self.import(path, in_test);
            }
            return next;
        }
        if is_ident(trees.get(at), "unsafe") {
            self.add(line, in_test, What::Unsafe);
            return at + 1;
        }
        if is_ident(trees.get(at), "async") {
            if starts_async_fn(&trees[at + 1..]) {
                self.add(line, in_test, What::AsyncFn);
            }
            return at + 1;
        }
        let (path, next) = read(trees, at);
        let Some(RustPath { mut segments, .. }) = path else {
            return at + 1;
        };
        let called = matches!(trees.get(next + 1), Some(TokenTree::Group(_)));
        if is_punct(trees.get(next), '!') && called {
            let name = segments.pop().unwrap_or_default();
            self.add(line, in_test, What::Macro(name));
        } else if segments.len() > 1 {
            self.add(line, in_test, What::Path(segments));
        }
        next
    }

    fn punct(&mut self, trees: &[TokenTree], at: usize, in_test: bool) -> usize {
        if let Some((body, _, _)) = attribute(trees, at) {
            // The attribute's own tokens are scanned when the loop gets there.
            self.lints(body.stream(), in_test);
        } else if is_punct(trees.get(at), '.')
            && let Some(TokenTree::Ident(name)) = trees.get(at + 1)
            && let Some(arguments) = group(trees.get(at + 2), Delimiter::Parenthesis)
        {
            let mut arguments = arguments.stream().into_iter();
            let first = arguments.next().and_then(|tree| string(&tree));
            let only = first.filter(|_| arguments.next().is_none());
            let line = name.span().start().line;
            self.add(line, in_test, What::Method(name.to_string(), only));
            return at + 2;
        }
        at + 1
    }

    fn lints(&mut self, attribute: TokenStream, in_test: bool) {
        let trees: Vec<TokenTree> = attribute.into_iter().collect();
        for (at, tree) in trees.iter().enumerate() {
            let Some(arguments) = group(trees.get(at + 1), Delimiter::Parenthesis) else {
                continue;
            };
            if is_ident(Some(tree), "cfg_attr") {
                self.lints(arguments.stream(), in_test);
            } else if is_ident(Some(tree), "allow") || is_ident(Some(tree), "expect") {
                let reasoned = gives_reason(arguments.stream());
                let line = tree.span().start().line;
                self.add(line, in_test, What::Lint(tree.to_string(), reasoned));
            }
        }
    }

    fn import(&mut self, path: RustPath, in_test: bool) {
        if let Some(name) = path.local_name() {
            self.imports.insert(name.to_owned(), path.segments.clone());
        }
        if path.segments.len() > 1 {
            self.add(path.line, in_test, What::Path(path.segments));
        }
    }

    fn add(&mut self, line: usize, in_test: bool, what: What) {
        self.found.push(Sighting { line, in_test, what });
    }
}

/// `async` may be followed by `unsafe extern "C"` before its `fn`.
fn starts_async_fn(after_async: &[TokenTree]) -> bool {
    after_async
        .iter()
        .take(4)
        .take_while(|tree| !matches!(tree, TokenTree::Group(_)))
        .any(|tree| is_ident(Some(tree), "fn"))
}

fn gives_reason(arguments: TokenStream) -> bool {
    let trees: Vec<TokenTree> = arguments.into_iter().collect();
    trees.windows(3).any(|window| {
        is_ident(window.first(), "reason")
            && is_punct(window.get(1), '=')
            && string(&window[2]).is_some_and(|reason| !reason.trim().is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(source: &str) -> Vec<String> {
        let found = sightings(source.parse().expect("the example lexes"), false);
        found.iter().map(|it| it.what.to_string()).collect()
    }

    #[test]
    fn strings_and_comments_are_not_seen() {
        let source = "/// `x.unwrap()`\nfn f() { /* todo!() */ a(\"std::env x.unwrap()\") }";
        assert!(seen(source).is_empty(), "{:?}", seen(source));
    }

    #[test]
    fn the_inside_of_macro_calls_is_seen() {
        let source = "fn f() { assert!(a.unwrap(), \"{}\", std::env::args()) }";
        assert_eq!(seen(source), ["`assert!`", "`.unwrap()`", "`std::env::args`"]);
    }

    #[test]
    fn a_macro_named_by_a_path_is_a_macro_and_not_a_path() {
        assert_eq!(seen("const A: &str = std::env!(\"A\");"), ["`env!`"]);
        assert!(seen("fn f() { if print != a {} }").is_empty());
    }

    #[test]
    fn aliases_are_looked_through_even_before_their_import() {
        let source = "fn f() { Tick::now() } use std::time::Instant as Tick;";
        let wanted = ["`std::time::Instant::now`", "`std::time::Instant`"];
        assert_eq!(seen(source), wanted);
    }

    #[test]
    fn async_functions_differ_from_async_blocks() {
        assert_eq!(seen("async fn f() {}"), ["`async fn`"]);
        assert_eq!(seen("async unsafe fn f() {}"), ["`async fn`", "`unsafe`"]);
        assert!(seen("fn f() { async { fn g() {} } }").is_empty());
    }

    #[test]
    fn lint_attributes_are_found_with_their_reason() {
        let lint = |source: &str| {
            let found = sightings(source.parse().expect("the example lexes"), false);
            found.into_iter().map(|it| it.what).collect::<Vec<_>>()
        };
        let allow = What::Lint("allow".to_owned(), false);
        assert_eq!(lint("#![allow(dead_code)]"), [allow]);
        let source = "#[cfg_attr(unix, expect(dead_code, reason = \"r\"))] fn f() {}";
        assert_eq!(lint(source), [What::Lint("expect".to_owned(), true)]);
    }

    #[test]
    fn test_code_is_marked_down_to_nested_groups() {
        let source = "fn a() { x.unwrap() } #[cfg(test)] mod t { fn b() { y.unwrap() } }";
        let found = sightings(source.parse().expect("the example lexes"), false);
        let in_test: Vec<_> = found.iter().map(|it| it.in_test).collect();
        assert_eq!(in_test, [false, true]);
    }
}
