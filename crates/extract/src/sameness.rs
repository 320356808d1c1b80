//! Whether two texts state the same thing: what remains of a text without its wording.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use idetic_search::words::stem;

/// What two texts must have in common to state the same thing.
///
/// Nearly every word counts, in its order: "up" and "down", "my" and "your", "lived" and "lives" are different statements, and
/// so are "Ann likes Bob" and "Bob likes Ann". Only articles, forms of "be" in the present, auxiliaries and fillers are
/// passed over, and endings of the present tense.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Gist {
    words: Vec<String>,
}

/// Most words of a text that count; what is longer is not one statement, and is told apart by a checksum.
pub const GIST_MAX_WORDS: usize = 256;

/// Words that deny.
const DENYING: &[&str] = &["not", "no", "never", "nor", "cannot", "without", "neither", "none"];
/// Endings of words that deny, and the same words without their apostrophe.
const NOT_ENDINGS: &[&str] = &["n't", "n’t"];
const JOINED_DENYING: &[&str] = &["dont", "doesnt", "didnt", "isnt", "arent", "wasnt", "cant", "wont"];
/// Words that change nothing of what is stated.
const FILLING: &[&str] = &[
    "a",
    "an",
    "the",
    "is",
    "are",
    "am",
    "be",
    "do",
    "does",
    "currently",
    "now",
    "really",
    "actually",
    "still",
    "please",
    "today",
    "already",
    "anymore",
    "longer",
    "any",
    "more",
];

/// The gist of a text.
pub fn gist(text: &str) -> Gist {
    // Accents are often left out.
    let plain: String = text.nfkd().filter(|c| !is_combining_mark(*c)).collect();
    let mut words = Vec::new();
    let mut count = 0_usize;
    for written in plain.split(|c: char| c.is_whitespace() || c == '/' || c == '—') {
        let bare = written
            .trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '$' | '€' | '£' | '%' | '+' | '#' | '-'));
        let bare = bare.trim_end_matches(['-', '.']).to_lowercase();
        if bare.is_empty() {
            continue;
        }
        count += 1;
        if words.len() < GIST_MAX_WORDS {
            take(&bare, &mut words);
        }
    }
    if count > GIST_MAX_WORDS {
        // Long texts that begin alike must still differ.
        words.push(format!("{count}-{}", blake3::hash(text.as_bytes()).to_hex()));
    }
    Gist { words }
}

fn take(word: &str, words: &mut Vec<String>) {
    let joined = JOINED_DENYING.contains(&word).then(|| word.strip_suffix("nt")).flatten();
    if let Some(denied) = NOT_ENDINGS.iter().find_map(|end| word.strip_suffix(end)).or(joined) {
        // "Wasn't" is of the past, and "doesn't" only denies.
        if !FILLING.contains(&denied) {
            words.push(denied.to_owned());
        }
        words.push("not".to_owned());
        return;
    }
    let word = word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word);
    // "No longer" and "not any more" deny like "not".
    if word == "longer" && words.last().is_some_and(|last| last == "no") {
        words.pop();
        words.push("not".to_owned());
        return;
    }
    if FILLING.contains(&word) {
        return;
    }
    // The past is another statement than the present: only endings of the present are passed over.
    let is_plain = word.chars().all(char::is_alphabetic) && !word.ends_with("ed");
    let stemmed = if is_plain && !DENYING.contains(&word) { stem(word) } else { None };
    words.push(stemmed.unwrap_or_else(|| word.to_owned()));
}

impl Gist {
    /// A text that is equal for texts that state the same, and for others not.
    pub fn key(&self) -> String {
        self.words.join(" ")
    }

    /// Whether it denies something.
    pub fn is_negated(&self) -> bool {
        self.words.iter().any(|word| DENYING.contains(&word.as_str()))
    }

    /// The key without numbers and denial, opposites as one: equal topics with different keys may contradict one another.
    pub fn topic(&self) -> String {
        let is_number = |word: &str| word.chars().any(|c| c.is_ascii_digit()) && !word.chars().any(char::is_alphabetic);
        let words = self.words.iter().filter(|word| !is_number(word) && !DENYING.contains(&word.as_str()));
        words.map(|word| one_of_two(word)).collect::<Vec<_>>().join(" ")
    }
}

/// Words that exclude each other, as they are once their endings are gone.
const OPPOSITES: &[(&str, &str)] = &[
    ("up", "down"),
    ("open", "closed"),
    ("on", "off"),
    ("enabled", "disabled"),
    ("passed", "failed"),
    ("alive", "dead"),
    ("allowed", "forbidden"),
    ("slow", "fast"),
    ("true", "false"),
    ("public", "private"),
    ("active", "inactive"),
    ("online", "offline"),
    ("full", "empty"),
    ("valid", "invalid"),
    ("required", "optional"),
    ("hot", "cold"),
    ("present", "absent"),
    ("safe", "unsafe"),
    ("stable", "unstable"),
    ("single", "married"),
    ("left", "right"),
    ("early", "late"),
    ("high", "low"),
];

/// Of two opposites the first.
fn one_of_two(word: &str) -> &str {
    let pair = OPPOSITES
        .iter()
        .find(|(one, other)| [*one, *other].iter().any(|own| *own == word || stem(own).is_some_and(|own| own == word)));
    pair.map_or(word, |(one, _)| one)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(one: &str, other: &str) -> (bool, bool) {
        let (one, other) = (gist(one), gist(other));
        (one.key() == other.key(), one.topic() == other.topic())
    }

    #[test]
    fn wording_does_not_matter() {
        for (one, other) in [
            ("Ann lives in Brno.", "ann lives in brno"),
            ("Ann lives in Brno.", "Ann is living in Brno"),
            ("Ann does not live in Brno.", "Ann doesn't live in Brno"),
            ("Ann no longer lives in Brno.", "Ann doesn’t live in Brno anymore"),
            ("The port is 8443.", "the port: 8443"),
            ("Ann bydlí v Brně", "ann bydli v brne"),
        ] {
            assert_eq!(same(one, other), (true, true), "{one} / {other}");
        }
    }

    #[test]
    fn denial_and_numbers_keep_the_topic() {
        assert_eq!(same("Ann lives in Brno.", "Ann does not live in Brno."), (false, true));
        assert_eq!(same("The port is 8443", "The port is 9443"), (false, true));
        assert_eq!(same("The server is up", "The server is down"), (false, true));
        assert_eq!(same("The shop is open on Mondays", "The shop is closed on Mondays"), (false, true));
        assert_eq!(same("The feature is enabled", "The feature is disabled"), (false, true));
        assert_eq!(same("The timeout is 3 s, the limit 30", "The timeout is 30 s, the limit 3"), (false, true));
    }

    #[test]
    fn what_is_opposite_of_another_time_or_about_another_is_another_statement() {
        for (one, other) in [
            ("The server is up", "The server is down"),
            ("The light is on", "The light is off"),
            ("Ann lived in Brno", "Ann lives in Brno"),
            ("Ann will live in Brno", "Ann lives in Brno"),
            ("My dog is old", "Your dog is old"),
            ("C++ is required", "C# is required"),
            ("C++ is required", "C is required"),
            ("The price is $5", "The price is €5"),
            ("Use tabs, not spaces", "Use spaces, not tabs"),
            ("Ann and Bob smoke", "Ann or Bob smoke"),
            ("Neither Ann nor Bob smokes", "Ann and Bob smoke"),
            ("At most ten fit", "At least ten fit"),
            ("Ann moved to Brno", "Ann moved from Brno"),
            ("Only admins may log in", "Admins may log in"),
            ("Ann wasn't there", "Ann isn't there"),
        ] {
            assert_ne!(gist(one).key(), gist(other).key(), "{one} / {other}");
        }
    }

    #[test]
    fn other_things_differ() {
        for (one, other) in
            [("Ann likes Bob", "Bob likes Ann"), ("Ann likes tea", "Ann likes coffee"), ("买车", "买房")]
        {
            assert_eq!(same(one, other), (false, false), "{one} / {other}");
        }
        let long = |end: &str| format!("{}{end}", "word ".repeat(GIST_MAX_WORDS + 5));
        assert_ne!(gist(&long("here")).key(), gist(&long("there")).key());
    }
}
