//! Questions about the next few tokens of a token stream.

use proc_macro2::{Delimiter, Group, TokenTree};

pub fn is_punct(tree: Option<&TokenTree>, wanted: char) -> bool {
    matches!(tree, Some(TokenTree::Punct(punct)) if punct.as_char() == wanted)
}

pub fn is_ident(tree: Option<&TokenTree>, wanted: &str) -> bool {
    matches!(tree, Some(TokenTree::Ident(ident)) if ident == wanted)
}

/// Whether `::` starts at `at`.
pub fn is_path_separator(trees: &[TokenTree], at: usize) -> bool {
    is_punct(trees.get(at), ':') && is_punct(trees.get(at + 1), ':')
}

pub fn group(tree: Option<&TokenTree>, wanted: Delimiter) -> Option<&Group> {
    match tree {
        Some(TokenTree::Group(group)) if group.delimiter() == wanted => Some(group),
        _ => None,
    }
}

/// The value of a string literal, with quotes and escapes gone.
pub fn string(tree: &TokenTree) -> Option<String> {
    let TokenTree::Literal(literal) = tree else {
        return None;
    };
    match syn::Lit::new(literal.clone()) {
        syn::Lit::Str(text) => Some(text.value()),
        _ => None,
    }
}

/// The `[...]` of an attribute whose `#` is at `at`, with the index after it
/// and whether it is an inner one (`#![...]`).
pub fn attribute(trees: &[TokenTree], at: usize) -> Option<(&Group, usize, bool)> {
    if !is_punct(trees.get(at), '#') {
        return None;
    }
    let inner = is_punct(trees.get(at + 1), '!');
    let body = at + 1 + usize::from(inner);
    let group = group(trees.get(body), Delimiter::Bracket)?;
    Some((group, body + 1, inner))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proc_macro2::TokenStream;

    fn trees(source: &str) -> Vec<TokenTree> {
        let stream: TokenStream = source.parse().expect("the example lexes");
        stream.into_iter().collect()
    }

    #[test]
    fn attributes_are_read_with_what_follows_them() {
        let trees = trees("#![a] #[b] fn");
        let (group, next, inner) = attribute(&trees, 0).expect("an attribute");
        assert_eq!((group.stream().to_string().as_str(), inner), ("a", true));
        let (group, next, inner) = attribute(&trees, next).expect("an attribute");
        assert_eq!((group.stream().to_string().as_str(), inner), ("b", false));
        assert!(is_ident(trees.get(next), "fn"));
    }

    #[test]
    fn a_raw_string_is_a_string_and_a_number_is_not() {
        assert_eq!(string(&trees("r#\"a\"#")[0]).as_deref(), Some("a"));
        assert_eq!(string(&trees("1")[0]), None);
    }

    #[test]
    fn a_single_colon_is_no_path_separator() {
        assert!(is_path_separator(&trees("a::b"), 1));
        assert!(!is_path_separator(&trees("a: b"), 1));
    }
}
