//! What someone or something can be said to have, by its name, and what the value of each looks like.

use std::sync::LazyLock;

use super::kind::Kind;
use super::words::Words;

/// Nouns someone or something can be said to have, as in "my birthday is"; the last words of the noun are compared.
pub static NOUNS: LazyLock<Vec<(&str, Kind)>> = LazyLock::new(|| {
    let rows = include_str!("../data/nouns.tsv").lines().filter(|line| !line.starts_with('#'));
    rows.map(|line| noun(line).unwrap_or_else(|| panic!("data/nouns.tsv: {line:?}"))).collect()
});

fn noun(line: &'static str) -> Option<(&'static str, Kind)> {
    let (noun, kind) = line.split_once('\t')?;
    Some((noun, Kind::named(kind)?))
}

/// The kind of value that a noun has.
pub fn noun_kind(noun: &str) -> Option<Kind> {
    let fits = |name: &str| noun == name || noun.strip_suffix(name).is_some_and(|before| before.ends_with(' '));
    let liked = Words("favourite|favorite|fav|fave");
    if noun.split(' ').rev().skip(1).any(|word| liked.contains(word)) {
        let vague = Words("one|ones|thing|things|part|parts|bit|moment|to|way");
        return (!noun.split(' ').any(|word| vague.contains(word))).then_some(Kind::Favourite);
    }
    NOUNS.iter().find(|(name, _)| fits(name)).map(|(_, kind)| *kind)
}
