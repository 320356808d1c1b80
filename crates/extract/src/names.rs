//! Names of subjects and attributes in one spelling, and which attributes hold one value at a time.

use super::words::Words;

/// Attributes that hold many values at a time; every other holds one.
const MANY: Words = Words(include_str!("../data/names/many.txt"));

/// Words that end in s and are no plural.
const NO_PLURAL: Words = Words(include_str!("../data/names/no_plural.txt"));

/// Whether a new value of an attribute takes the place of the old one.
pub fn is_single(attribute: &str) -> bool {
    let name = normal_attribute(attribute);
    if name.is_empty() || MANY.contains(name.as_str()) {
        return false;
    }
    // A plural names many of something: "hobbies", "friends", "work_emails"; a verb in the third person does not.
    let last = name.rsplit('_').next().unwrap_or_default();
    let singular = [last.strip_suffix("ies").map(|stem| format!("{stem}y")), last.strip_suffix('s').map(str::to_owned)];
    let is_plural = !NO_PLURAL.contains(last) && singular.into_iter().flatten().any(|one| is_noun(&one));
    !is_plural
}

/// Nouns whose plural holds many.
fn is_noun(word: &str) -> bool {
    const NOUNS: Words = Words(include_str!("../data/names/nouns.txt"));
    word.is_empty() || NOUNS.contains(word) || MANY.contains(word)
}

/// A subject in one spelling: lower case, single blanks, no article; whoever speaks without a name is "user".
pub fn normal_subject(subject: &str) -> String {
    let lower = subject.to_lowercase().replace('’', "'");
    let words: Vec<&str> = lower.split_whitespace().collect();
    let bare = match words.as_slice() {
        ["the" | "a" | "an", rest @ ..] if !rest.is_empty() => rest,
        all => all,
    };
    match bare {
        ["i" | "me" | "myself" | "user"] => "user".to_owned(),
        ["my", rest @ ..] if !rest.is_empty() => format!("user's {}", rest.join(" ")),
        ["our", rest @ ..] if !rest.is_empty() => rest.join(" "),
        _ => bare.join(" "),
    }
}

/// An attribute in one spelling: lower case, words joined by `_`, "favorite" as "favourite", "color" as "colour".
pub fn normal_attribute(attribute: &str) -> String {
    let lower = attribute.to_lowercase().replace('’', "'").replace("'s", "");
    let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let one_spelling = words.map(|word| match word {
        "favorite" | "fav" | "fave" => "favourite",
        "color" => "colour",
        "bday" => "birthday",
        "hobbies" => "hobby",
        "mail" | "e-mail" => "email",
        other => other,
    });
    one_spelling.collect::<Vec<_>>().join("_")
}
