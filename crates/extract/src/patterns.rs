//! The table of what is understood (`data/patterns.tsv`): a phrase, the attribute it states, what its value looks like, whom it
//! is said of. A new way to say something is a new row.

use std::sync::LazyLock;

use super::kind::Kind;
use super::tell::third;

/// Whom a pattern can be said of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// People: whoever speaks, their kin, anyone with a name.
    Person,
    /// Whoever speaks, and their kin: of others it is not said so plainly.
    Own,
    /// Things: "the server", "our build", and what has a name.
    Thing,
    /// Things that are described: "the server", and not what only has a name.
    The,
    /// Both.
    Any,
}

/// In which forms a pattern is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// "live", "lives", "do not live", "no longer live", "stopped living".
    State,
    /// The same, and "am living", "have been living".
    Going,
    /// In the past, as written, for what has been true since.
    Event,
}

/// One row.
#[derive(Debug)]
pub struct Pattern {
    /// Words before the value, the verb first and in its base form (as written for an event).
    pub phrase: &'static str,
    /// What it states.
    pub attribute: &'static str,
    /// What the value looks like.
    pub kind: Kind,
    /// Whom it is said of.
    pub who: Who,
    /// In which forms.
    pub form: Form,
    /// The phrase it is told with, if another.
    pub told: &'static str,
}

/// The rows of `data/patterns.tsv`.
pub static PATTERNS: LazyLock<Vec<Pattern>> = LazyLock::new(|| {
    let rows = include_str!("../data/patterns.tsv").lines().filter(|line| !line.starts_with('#'));
    rows.map(|line| pattern(line).unwrap_or_else(|| panic!("data/patterns.tsv: {line:?}"))).collect()
});

fn pattern(line: &'static str) -> Option<Pattern> {
    let mut columns = line.split('\t');
    let (phrase, attribute) = (columns.next()?, columns.next()?);
    let kind = Kind::named(columns.next()?)?;
    let who = match columns.next()? {
        "person" => Who::Person,
        "own" => Who::Own,
        "thing" => Who::Thing,
        "the" => Who::The,
        "any" => Who::Any,
        _ => return None,
    };
    let form = match columns.next()? {
        "state" => Form::State,
        "going" => Form::Going,
        "event" => Form::Event,
        _ => return None,
    };
    let told = columns.next().unwrap_or_default();
    columns.next().is_none().then_some(Pattern { phrase, attribute, kind, who, form, told })
}

/// Whether nearly anything can be the value of an attribute: what one uses, likes, prefers.
pub fn is_open(attribute: &str) -> bool {
    let open = |kind| matches!(kind, Kind::Tool | Kind::Preference | Kind::Liking);
    PATTERNS.iter().any(|pattern| pattern.attribute == attribute && open(pattern.kind))
}

/// Whether a word is a verb of the table, in its base form or third person, or a form of "be".
pub fn is_verb(word: &str) -> bool {
    matches!(word, "is" | "are")
        || is_third(word)
        || PATTERNS
            .iter()
            .any(|pattern| pattern.form != Form::Event && head(pattern) == word && word != "be" && word != "can")
        || PATTERNS
            .iter()
            .any(|pattern| pattern.form == Form::Event && head(pattern) == word && word != "just" && word != "was")
}

/// Whether a word is a verb of the table in its third person.
pub fn is_third(word: &str) -> bool {
    let begins = |verb: &str| verb.len() > 1 && word.starts_with(&verb[..2]);
    let fits = |pattern: &Pattern| pattern.form != Form::Event && begins(head(pattern)) && third(head(pattern)) == word;
    word.ends_with('s') && PATTERNS.iter().any(fits)
}

fn head(pattern: &Pattern) -> &'static str {
    pattern.phrase.split(' ').next().unwrap_or_default()
}
