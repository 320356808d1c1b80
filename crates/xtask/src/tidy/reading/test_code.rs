//! Which tokens of a file are compiled only for tests.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use super::tokens::{attribute, group, is_ident, is_path_separator, is_punct};

/// Words an item can start with, after its visibility.
const ITEM_WORDS: &[&str] = &[
    "async", "const", "enum", "extern", "fn", "impl", "let", "mod", "static", "struct", "trait", "type", "union",
    "unsafe", "use",
];

/// For every token of one nesting level, whether it belongs to an item under
/// `#[test]` or `#[cfg(test)]`.
///
/// Fields and match arms under `#[cfg(test)]` are not exempt: where they end
/// cannot be told from tokens, and the strict answer is the safe one.
pub fn mask(trees: &[TokenTree]) -> Vec<bool> {
    let mut mask = vec![false; trees.len()];
    let mut at = 0;
    while at < trees.len() {
        let start = at;
        let mut is_test = false;
        while let Some((body, next, inner)) = attribute(trees, at) {
            let marks = marks_test(body.stream());
            if marks && inner {
                // `#![cfg(test)]` speaks for the whole file or module.
                return vec![true; trees.len()];
            }
            is_test |= marks;
            at = next;
        }
        if is_test && starts_item(&trees[at..]) {
            at = item_end(trees, at);
            mask[start..at].fill(true);
        } else if at == start {
            at += 1;
        }
    }
    mask
}

/// Whether a `cfg(...)` predicate can only hold in a test build.
pub fn cfg_implies_test(predicate: TokenStream) -> bool {
    let trees: Vec<TokenTree> = predicate.into_iter().collect();
    if trees.len() == 1 {
        return is_ident(trees.first(), "test");
    }
    let Some(arguments) = group(trees.get(1), Delimiter::Parenthesis) else {
        return false;
    };
    let arguments: Vec<TokenTree> = arguments.stream().into_iter().collect();
    let mut implied = arguments
        .split(|tree| is_punct(Some(tree), ','))
        .filter(|argument| !argument.is_empty())
        .map(|argument| cfg_implies_test(argument.iter().cloned().collect()));
    if is_ident(trees.first(), "all") {
        implied.any(|it| it)
    } else {
        is_ident(trees.first(), "any") && !arguments.is_empty() && implied.all(|it| it)
    }
}

/// `test`, `tokio::test(...)` or a `cfg(...)` that implies `test`.
fn marks_test(attribute: TokenStream) -> bool {
    let trees: Vec<TokenTree> = attribute.into_iter().collect();
    if is_ident(trees.first(), "cfg") {
        return group(trees.get(1), Delimiter::Parenthesis)
            .is_some_and(|predicate| cfg_implies_test(predicate.stream()));
    }
    let mut at = 0;
    while is_path_separator(&trees, at + 1) {
        at += 3;
    }
    is_ident(trees.get(at), "test") && !is_punct(trees.get(at + 1), '=')
}

fn starts_item(trees: &[TokenTree]) -> bool {
    let mut at = usize::from(is_ident(trees.first(), "pub"));
    if at == 1 && group(trees.get(1), Delimiter::Parenthesis).is_some() {
        at += 1;
    }
    let Some(TokenTree::Ident(first)) = trees.get(at) else {
        return false;
    };
    // A call such as `proptest! { ... }` stands where an item stands.
    is_punct(trees.get(at + 1), '!') || ITEM_WORDS.iter().any(|word| first == word)
}

/// The index after the item: behind its body or its semicolon.
fn item_end(trees: &[TokenTree], start: usize) -> usize {
    let ends = |tree: &TokenTree| is_punct(Some(tree), ';') || group(Some(tree), Delimiter::Brace).is_some();
    trees[start..].iter().position(ends).map_or(trees.len(), |offset| start + offset + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The identifiers of the top level that count as test code.
    fn test_words(source: &str) -> Vec<String> {
        let stream: TokenStream = source.parse().expect("the example lexes");
        let trees: Vec<TokenTree> = stream.into_iter().collect();
        let masked = trees.iter().zip(mask(&trees)).filter(|(_, test)| *test);
        masked.filter(|(tree, _)| matches!(tree, TokenTree::Ident(_))).map(|(tree, _)| tree.to_string()).collect()
    }

    fn implies(predicate: &str) -> bool {
        cfg_implies_test(predicate.parse().expect("the example lexes"))
    }

    #[test]
    fn an_item_is_test_code_from_its_attribute_to_its_end() {
        assert_eq!(test_words("#[test] fn a() {} fn b() {}"), ["fn", "a"]);
        assert_eq!(test_words("#[cfg(test)] use a; use b;"), ["use", "a"], "ends at the semicolon");
        assert_eq!(
            test_words("/// Doc.\n#[tokio::test(x = 1)] pub(crate) async fn a() {} b"),
            ["pub", "async", "fn", "a"]
        );
        assert_eq!(test_words("#[cfg(test)] proptest! { x } b"), ["proptest"]);
    }

    #[test]
    fn other_attributes_and_other_places_are_not_test_code() {
        assert!(test_words("#[derive(Debug)] struct A;").is_empty());
        assert!(test_words("#[cfg(not(test))] fn a() {}").is_empty());
        assert!(test_words("#[cfg(test)] field: u8, other: u8").is_empty());
        assert!(test_words("#[cfg_attr(test, derive(Debug))] struct A;").is_empty());
    }

    #[test]
    fn an_inner_attribute_covers_everything() {
        assert_eq!(test_words("#![cfg(test)] fn a() {}"), ["fn", "a"]);
    }

    #[test]
    fn predicates_are_evaluated() {
        assert!(implies("test"));
        assert!(implies("all(unix, test)"));
        assert!(implies("any(test, all(test, unix))"));
        assert!(!implies("any(test, feature = \"x\")"));
        assert!(!implies("not(test)"));
        assert!(!implies("feature = \"test\""));
    }
}
