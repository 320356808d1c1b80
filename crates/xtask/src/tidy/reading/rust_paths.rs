//! Paths such as `std::env::var` read from tokens, with `use` groups spelt out.

use proc_macro2::{Delimiter, TokenTree};

use super::tokens::{group, is_ident, is_path_separator, is_punct};

#[derive(Debug, PartialEq, Eq)]
pub struct RustPath {
    pub segments: Vec<String>,
    /// The name after `as`, which only an import can have.
    pub alias: Option<String>,
    pub line: usize,
}

impl RustPath {
    /// The name the rest of the file can say instead of the whole path.
    pub fn local_name(&self) -> Option<&str> {
        let last = self.segments.last().map(String::as_str);
        self.alias.as_deref().or(last)
    }
}

/// Reads a path outside of `use` and returns it with the index after it.
pub fn read(trees: &[TokenTree], start: usize) -> (Option<RustPath>, usize) {
    let (mut paths, next) = Reader::default().read(trees, start);
    (paths.pop(), next)
}

/// Reads everything the `use` before `start` imports.
pub fn read_import(trees: &[TokenTree], start: usize) -> (Vec<RustPath>, usize) {
    let leading = is_path_separator(trees, start);
    let reader = Reader { import: true, ..Reader::default() };
    reader.read(trees, if leading { start + 2 } else { start })
}

#[derive(Default)]
struct Reader {
    segments: Vec<String>,
    line: usize,
    import: bool,
}

impl Reader {
    fn read(mut self, trees: &[TokenTree], mut at: usize) -> (Vec<RustPath>, usize) {
        loop {
            match trees.get(at) {
                Some(TokenTree::Ident(ident)) => {
                    self.segments.push(ident.to_string());
                    self.line = ident.span().start().line;
                }
                Some(TokenTree::Punct(star)) if self.import && star.as_char() == '*' => {
                    self.segments.push("*".to_owned());
                    self.line = star.span().start().line;
                }
                other => {
                    let Some(entries) = group(other, Delimiter::Brace).filter(|_| self.import) else {
                        // A turbofish or the `use<..>` of a bound: the path ends.
                        return (self.finish(None), at);
                    };
                    let entries: Vec<TokenTree> = entries.stream().into_iter().collect();
                    return (self.read_entries(&entries), at + 1);
                }
            }
            at += 1;
            if !is_path_separator(trees, at) {
                break;
            }
            at += 2;
        }
        // Outside of an import `as` is a cast and its type a path of its own.
        if self.import && is_ident(trees.get(at), "as") {
            let alias = trees.get(at + 1).map(ToString::to_string);
            return (self.finish(alias), at + 2);
        }
        (self.finish(None), at)
    }

    fn read_entries(&self, entries: &[TokenTree]) -> Vec<RustPath> {
        let mut paths = Vec::new();
        for entry in entries.split(|tree| is_punct(Some(tree), ',')) {
            let reader = Reader { segments: self.segments.clone(), ..*self };
            if !entry.is_empty() {
                paths.extend(reader.read(entry, 0).0);
            }
        }
        paths
    }

    fn finish(mut self, alias: Option<String>) -> Vec<RustPath> {
        // `a::{self}` imports `a`.
        if self.segments.len() > 1 && self.segments.last().is_some_and(|last| last == "self") {
            self.segments.pop();
        }
        if self.segments.is_empty() {
            return Vec::new();
        }
        vec![RustPath { segments: self.segments, alias, line: self.line }]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trees(source: &str) -> Vec<TokenTree> {
        let stream: proc_macro2::TokenStream = source.parse().expect("the example lexes");
        stream.into_iter().collect()
    }

    fn imported(source: &str) -> Vec<String> {
        let (paths, _) = read_import(&trees(source), 1);
        let show = |path: &RustPath| match &path.alias {
            Some(alias) => format!("{} as {alias}", path.segments.join("::")),
            None => path.segments.join("::"),
        };
        paths.iter().map(show).collect()
    }

    #[test]
    fn groups_aliases_and_globs_are_spelt_out() {
        let source = "use std::{env::{self, var}, fs as disk, net::*,};";
        let wanted = ["std::env", "std::env::var", "std::fs as disk", "std::net::*"];
        assert_eq!(imported(source), wanted);
        assert_eq!(imported("use ::std::env;"), ["std::env"]);
        assert_eq!(imported("use {a::b, c};"), ["a::b", "c"]);
        assert!(imported("use<'a>").is_empty());
    }

    #[test]
    fn every_name_of_a_group_keeps_its_own_line() {
        let (paths, _) = read_import(&trees("use std::{\n env,\n fs,\n};"), 1);
        let lines: Vec<_> = paths.iter().map(|path| path.line).collect();
        assert_eq!(lines, [2, 3]);
    }

    #[test]
    fn an_expression_path_stops_at_a_turbofish_and_at_a_cast() {
        let read_text = |source: &str| {
            let (path, next) = read(&trees(source), 0);
            (path.expect("a path").segments.join("::"), next)
        };
        assert_eq!(read_text("a::b(c)"), ("a::b".to_owned(), 4));
        assert_eq!(read_text("a::<u8>::b"), ("a".to_owned(), 3));
        assert_eq!(read_text("a as u8"), ("a".to_owned(), 1));
    }
}
