//! Spellings that are the same words, and such that are not.

use super::*;

#[test]
fn words_are_found_however_they_are_written() {
    let words = TextPattern::new(" Zoë  Quill \u{1f98a}").expect("long enough");
    for text in [
        "zoë quill \u{1f98a}",
        "said ZOË\n\t QUILL \u{1f98a}!",
        "Zoe\u{308} Quill \u{1f98a}",
        r#"{"content":"Zo\u00eb Quill \ud83e\udd8a"}"#,
        r#"{"raw":"{\"content\":\"Zo\\u00eb\\nQuill \\ud83e\\udd8a\"}"}"#,
    ] {
        assert!(words.matches(text), "{text}");
    }
    for text in ["zoequill", "Zoë", r#"{"a":"Zo\u00e Quill"}"#, "\\", "\\u12", "\\ud83e\\u0041"] {
        assert!(!words.matches(text), "{text}");
    }
    assert!(TextPattern::new(" a\n ").is_err());
}

#[test]
fn words_are_found_inside_of_markup() {
    let words = TextPattern::new("Zoë Quill").expect("long enough");
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
        assert!(words.matches(text), "{text}");
    }
    for text in ["Zoë, Quill", "Zoë/Quill", "Zo&eacute; Quill", "100% Zoë %zz Quill", "<Zoë Quil", "Zoë) Quill"] {
        assert!(!words.matches(text), "{text}");
    }
}

#[test]
fn what_joins_the_parts_of_a_name_does_not_matter() {
    for (wanted, texts) in [
        ("k-17_a", &["in K-17_A it is", "in k 17 a"][..]),
        (
            "Anne-Marie Dupont",
            &["Anne&ndash;Marie Dupont", "Anne&mdash;Marie Dupont", "Anne&shy;-Marie Dupont", "Anne_Marie Dupont"],
        ),
        ("Anne-Marie Dupont", &["anne marie dupont", "Anne\u{5be}Marie Dupont", "Anne\u{1806}Marie Dupont"]),
        ("O'Brien-Smith", &["O&apos;Brien-Smith", "O\u{2019}Brien Smith"]),
        ("+49 170 1234567", &["+49-170-1234567", "+49_170_1234567"]),
        ("李小龍", &["李\n小龍", "李 小龍"]),
    ] {
        let words = TextPattern::new(wanted).expect("long enough");
        texts.iter().for_each(|text| assert!(words.matches(text), "{wanted}: {text}"));
    }
    let words = TextPattern::new("Anne-Marie Dupont").expect("long enough");
    assert!(!words.matches("Anne, Marie Dupont") && !words.matches("Annemarie Dupont"));
}

#[test]
fn words_are_found_escaped_several_times_and_in_the_output_of_a_terminal() {
    let words = TextPattern::new("Zoë Quill").expect("long enough");
    for text in [
        "Zo&amp;euml; Quill",
        "Zo&amp;amp;#235; Quill",
        "Zo%25C3%25AB Quill",
        "Zo%C3%AB&nbsp;Quill",
        "{\"html\":\"Zo&amp;euml;\\nQuill\"}",
        "\u{1b}[31mZoë\u{1b}[0m Quill",
        "\u{1b}[1;38;5;9mZoë Quill",
        "Zoëx\u{8} Quill",
        "Zo&ZeroWidthSpace;ë Quill",
    ] {
        assert!(words.matches(text), "{text:?}");
    }
    assert!(TextPattern::new("Smith & Sons").is_ok_and(|words| words.matches("Smith &amp;amp; Sons")));
    assert!(TextPattern::new("Νίκος").is_ok_and(|words| words.matches("&Nu;&iota;&kappa;&omicron;&sigmaf;")));
}

#[test]
fn two_characters_are_enough_where_they_are_a_name() {
    for name in ["王芳", "김구", "さき"] {
        assert!(TextPattern::new(name).is_ok_and(|words| words.matches(&format!("({name})"))), "{name}");
    }
    let markup = ["***", "---", "___", "```", "|||", "<b>", "[]()", "- - -", "&nbsp;&nbsp;", "***a", "?!?!", "~~~"];
    for name in ["ab", "王", "é1", "\u{200b}\u{200b}\u{200b}a"].into_iter().chain(markup) {
        assert!(TextPattern::new(name).is_err(), "{name}");
    }
}

#[test]
fn a_passage_shows_what_stands_around_the_words() {
    let words = TextPattern::new("Zoë Quill").expect("long enough");
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

#[test]
fn names_are_found_as_addresses_lists_and_code_write_them() {
    let name = TextPattern::new("Ann Quill").expect("long enough");
    for text in [
        "write to ann.quill@example.com",
        "class AnnQuill {}",
        "{\"by\": \"annQuill\"}",
        "Quill, Ann (1984)",
        "QUILL,\n  Ann",
        "**Quill**, Ann",
        "see Quill, Ann today",
        "mail Quill,Ann about it",
        "Ann\u{200b}Quill",
        "ann.quill%40example.com",
    ] {
        assert!(name.matches(text), "{text}");
    }
    for text in [
        "We met Ann. Quill pens are sold here.",
        "annabel quill",
        "Quill; Ann",
        "Quillann",
        "Quill, Joe Ann",
        "Peter Quill, Ann Smith",
        "Quill, Anna",
        "McQuill, Ann",
    ] {
        assert!(!name.matches(text), "{text}");
    }
    let town = TextPattern::new("Istanbul").expect("long enough");
    for text in ["Istan-\nbul", "> Istan-  \r\n> bul", "Istan\u{2010}\n  bul"] {
        assert!(town.matches(text), "{text}");
    }
    assert!(!town.matches("Istan-bul and Istan\nbul"), "it is broken at the end of a line alone");
    assert!(town.matches("Istan\u{ad}\nbul"));
    for (number, other) in [("5.12", "2025-12-03T10:00:00Z"), ("1.7", "018f3c11-7a2b"), ("3.14", "on 2026-03-14")] {
        let pattern = TextPattern::new(number).expect("long enough");
        assert!(pattern.matches(&format!("it is {number}")) && !pattern.matches(other), "{number}");
    }
    assert!(TextPattern::new("Zoë Quill").expect("long enough").matches("Zoe\u{308}Quill"));
    assert!(TextPattern::new("McDonald").expect("long enough").matches("**mcdonald**'s"));
}
