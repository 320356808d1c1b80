//! Spellings that are the same words, and such that are not.

use super::*;

#[test]
fn words_are_found_however_they_are_written() {
    let words = Words::new(" Zoë  Quill \u{1f98a}").expect("long enough");
    for text in [
        "zoë quill \u{1f98a}",
        "said ZOË\n\t QUILL \u{1f98a}!",
        "Zoe\u{308} Quill \u{1f98a}",
        r#"{"content":"Zo\u00eb Quill \ud83e\udd8a"}"#,
        r#"{"raw":"{\"content\":\"Zo\\u00eb\\nQuill \\ud83e\\udd8a\"}"}"#,
    ] {
        assert!(words.are_in(text), "{text}");
    }
    for text in ["zoequill", "Zoë", r#"{"a":"Zo\u00e Quill"}"#, "\\", "\\u12", "\\ud83e\\u0041"] {
        assert!(!words.are_in(text), "{text}");
    }
    assert!(Words::new(" a\n ").is_err());
}

#[test]
fn words_are_found_inside_of_markup() {
    let words = Words::new("Zoë Quill").expect("long enough");
    for text in [
        "**Zoë** Quill",
        "_Zoë_ `Quill`",
        "> said Zoë\n> Quill",
        "// Zoë\n   // Quill",
        "Zo<b>ë</b><br/>\nQuill",
        "Zo&euml;&nbsp;Quill",
        "Zo&#235; &#x51;uill",
        "[Zoë](https://example.org/) [[Quill]]",
        "| Zoë | Quill |",
        "https://example.org/?q=Zo%C3%AB+Quill&r=100%",
        "zo%c3%ab%20quill",
        "zoë_quill zoë",
        "people/zoë-quill.md",
        "Zoë\u{2011}Quill",
        "Zo\\xeb Quill",
        "Zo\\u{eb} Quill",
    ] {
        assert!(words.are_in(text), "{text}");
    }
    for text in ["Zoë, Quill", "Zoë/Quill", "Zo&eacute; Quill", "100% Zoë %zz Quill", "<Zoë Quil", "Zoë) Quill"] {
        assert!(!words.are_in(text), "{text}");
    }
    // What was searched for with signs in it is found as it stands.
    let signs = Words::new("k-17_a").expect("long enough");
    assert!(signs.are_in("in K-17_A it is") && !signs.are_in("in k 17 a"));
}

#[test]
fn two_characters_are_enough_where_they_are_a_name() {
    for name in ["王芳", "김구", "さき"] {
        assert!(Words::new(name).is_ok_and(|words| words.are_in(&format!("({name})"))), "{name}");
    }
    for name in ["ab", "王", "é1", "\u{200b}\u{200b}\u{200b}a"] {
        assert!(Words::new(name).is_err(), "{name}");
    }
}

#[test]
fn a_passage_shows_what_stands_around_the_words() {
    let words = Words::new("Zoë Quill").expect("long enough");
    assert_eq!(words.passage("nobody"), None);
    assert_eq!(words.passage("I am ZOË\n Quill.").as_deref(), Some("I am ZOË Quill."));
    let long = format!("{} and then Zo\u{ad}e\u{308} Quill came {}", "word ".repeat(5000), "more ".repeat(50_000));
    let passage = words.passage(&long).expect("there it stands");
    assert!(passage.starts_with('…') && passage.ends_with('…') && passage.chars().count() < 150, "{passage}");
    assert!(passage.contains("and then Zo\u{ad}e\u{308} Quill came more"), "{passage}");
    // Across the edge of a window as well.
    let edge = format!("{}Zoë Quill{}", "x".repeat(WINDOW_CHARS - 4), "y".repeat(WINDOW_CHARS));
    assert!(words.passage(&edge).is_some_and(|passage| passage.contains("xZoë Quilly")));
}
