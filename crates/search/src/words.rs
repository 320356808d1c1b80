//! Words as the index knows them: normalised, without stop words, reduced to stems; scripts written without spaces as
//! pairs of characters.

use snowball_stemmers_rs::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Words that say nothing about what a text is about, and the halves of contractions cut at the apostrophe; sorted.
const STOP_WORDS: [&str; 121] = [
    "a", "about", "also", "am", "an", "and", "are", "aren", "as", "at", "be", "been", "being", "but", "by", "can",
    "could", "d", "did", "didn", "do", "does", "doesn", "doing", "don", "done", "down", "for", "from", "had", "has",
    "have", "having", "he", "her", "here", "hers", "herself", "him", "himself", "his", "how", "i", "if", "in", "into",
    "is", "isn", "it", "its", "itself", "just", "ll", "m", "may", "me", "might", "mine", "must", "my", "myself", "no",
    "nor", "not", "of", "off", "on", "onto", "or", "our", "ours", "out", "over", "re", "s", "shall", "she", "should",
    "so", "t", "than", "that", "the", "their", "theirs", "them", "then", "there", "these", "they", "this", "those",
    "to", "too", "under", "up", "us", "ve", "very", "was", "wasn", "we", "were", "weren", "what", "when", "where",
    "which", "who", "whom", "whose", "why", "will", "with", "won", "would", "wouldn", "you", "your", "yours",
    "yourself",
];

/// A piece of a text, before stems.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece<'a> {
    /// A word in lower case; it may be a stop word.
    Word(&'a str),
    /// Two neighbouring characters (or a lone one) of a script written without spaces; never stemmed.
    Pair(&'a str),
    /// The last character of several. It is indexed and not counted: a lone character that is asked for is found in the
    /// pairs that begin with it, and here where no pair does.
    Last(&'a str),
}

/// The tokens of a text in order, repeats included.
pub fn tokens(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    pieces(text, |piece| match piece {
        Piece::Word(word) => found.extend(stem(word)),
        Piece::Pair(pair) => found.push(pair.to_owned()),
        Piece::Last(_) => {}
    });
    found
}

/// Whether a token is a lone character of a script written without spaces, which stands for every pair it begins.
pub fn is_lone(token: &str) -> bool {
    let mut rest = token.chars();
    rest.next().is_some_and(is_unspaced) && rest.all(is_combining_mark)
}

/// The stem of a word in lower case, or nothing for a stop word.
pub fn stem(word: &str) -> Option<String> {
    if STOP_WORDS.binary_search(&word).is_ok() {
        return None;
    }
    Some(Stemmer::create(Algorithm::English).stem(word).into_owned())
}

/// Calls `each` with every piece of a text in order.
pub fn pieces(text: &str, mut each: impl FnMut(Piece<'_>)) {
    let plain = fold(text);
    for run in plain.split(|c| !is_word_part(c)).filter(|run| !run.is_empty()) {
        if run.is_ascii() {
            each(Piece::Word(run));
        } else {
            pieces_of_run(run, &mut each);
        }
    }
}

/// A text in one spelling: NFKC and lower case, without the marks that writers of some scripts leave out.
pub fn fold(text: &str) -> String {
    // Most text is plain ASCII, which normalisation cannot change.
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut keeps = false;
    let parts = text.nfkd().filter(|&c| {
        if is_combining_mark(c) {
            return keeps && !is_variant(c);
        }
        if matches!(c, ZERO_WIDTH_NON_JOINER | ZERO_WIDTH_JOINER) {
            // It only says how the letters of an Indic word are drawn.
            return !keeps;
        }
        keeps = is_letter(c) && !is_marked_at_will(c);
        c != TATWEEL
    });
    parts.nfc().collect::<String>().to_lowercase()
}

const ZERO_WIDTH_NON_JOINER: char = '\u{200c}';
const ZERO_WIDTH_JOINER: char = '\u{200d}';
/// Makes an Arabic word longer on the page, and nothing else.
const TATWEEL: char = '\u{640}';

/// Marks that choose among the drawings of one character.
fn is_variant(c: char) -> bool {
    matches!(c, '\u{180b}'..='\u{180f}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

/// Latin, Greek, Cyrillic, Hebrew and Arabic, whose readers know a word without its accents and points. Elsewhere marks
/// are vowels.
fn is_marked_at_will(c: char) -> bool {
    matches!(c, '\0'..='\u{77f}' | '\u{860}'..='\u{8ff}' | '\u{1c80}'..='\u{1c8f}' | '\u{1d00}'..='\u{1fff}'
        | '\u{2c60}'..='\u{2c7f}' | '\u{2de0}'..='\u{2dff}' | '\u{a640}'..='\u{a69f}' | '\u{a720}'..='\u{a7ff}')
}

/// Cuts a run of letters where the script changes between one with spaces and one without.
fn pieces_of_run(run: &str, each: &mut impl FnMut(Piece<'_>)) {
    let mut rest = run;
    while let Some(first) = rest.chars().next() {
        let unspaced = is_unspaced(first);
        let changes = |c| is_unspaced(c) != unspaced && !is_combining_mark(c);
        let end = rest.find(changes).unwrap_or(rest.len());
        let (same, after) = rest.split_at(end);
        if unspaced {
            pairs(same, each);
        } else {
            each(Piece::Word(same));
        }
        rest = after;
    }
}

/// Overlapping pairs of characters, each with its marks; a lone character is itself.
fn pairs(run: &str, each: &mut impl FnMut(Piece<'_>)) {
    let begins = |&(at, c): &(usize, char)| at == 0 || !is_combining_mark(c);
    let starts: Vec<usize> = run.char_indices().filter(begins).map(|(at, _)| at).chain([run.len()]).collect();
    if starts.len() == 2 {
        each(Piece::Pair(run));
        return;
    }
    for window in starts.windows(3) {
        each(Piece::Pair(&run[window[0]..window[2]]));
    }
    each(Piece::Last(&run[starts[starts.len() - 2]..]));
}

/// What words are made of: letters, digits, and the marks on them.
pub fn is_word_part(c: char) -> bool {
    is_letter(c) || (!c.is_ascii() && is_combining_mark(c) && !is_variant(c))
}

/// Letters and digits of any script, without marks and the underscore: what the reference's `[^\W_]` accepts.
pub fn is_letter(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric();
    }
    // Letters drawn in a circle or a square count as alphabetic in Unicode but are pictures, not letters of a word.
    let is_picture = matches!(c, '\u{24b6}'..='\u{24e9}' | '\u{1f130}'..='\u{1f189}');
    c.is_alphanumeric() && !is_combining_mark(c) && !is_picture
}

/// White space, the four ASCII separators (U+001C to U+001F) included, as the reference has it.
pub fn is_space(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{1c}'..='\u{1f}')
}

/// Scripts written without spaces between words: kana, Han, Thai, Lao, Burmese, Khmer, and Hangul (whose words carry
/// their particles).
pub fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Makes white space single, removes it at the ends and before punctuation: what a cut leaves behind.
pub fn close_gaps(text: &str) -> String {
    let mut closed = String::with_capacity(text.len());
    for c in text.chars() {
        if is_space(c) {
            if !closed.is_empty() && !closed.ends_with(' ') {
                closed.push(' ');
            }
            continue;
        }
        if matches!(c, ',' | '.' | '?' | '!' | ';' | ':') && closed.ends_with(' ') {
            closed.pop();
        }
        closed.push(c);
    }
    closed.truncate(closed.trim_end_matches(' ').len());
    closed
}

/// Words that begin a question as a whole.
const QUESTION_WORDS: [&str; 27] = [
    "am", "any", "are", "can", "could", "did", "do", "does", "has", "have", "how", "is", "may", "shall", "should",
    "was", "were", "what", "when", "where", "which", "who", "whom", "whose", "why", "will", "would",
];

/// The share of a text's characters that ask something; 0 for an empty text. A sentence that ends in a question mark asks
/// from its last clause on ("I'm building a boat, can you help?"), or as a whole if it begins as a question.
pub fn question_share(text: &str) -> f64 {
    let (mut all, mut asked) = (0_u32, 0_u32);
    sentences(text, |sentence| {
        let length = u32::try_from(sentence.chars().count()).unwrap_or(u32::MAX);
        all = all.saturating_add(length);
        if sentence.ends_with(['?', '？']) {
            asked = asked.saturating_add(asking(sentence, length));
        }
    });
    if all == 0 { 0.0 } else { f64::from(asked) / f64::from(all) }
}

/// How many characters of a sentence with a question mark ask.
fn asking(sentence: &str, length: u32) -> u32 {
    let first: String = sentence.chars().take_while(|c| c.is_alphabetic()).flat_map(char::to_lowercase).collect();
    if QUESTION_WORDS.binary_search(&first.as_str()).is_ok() {
        return length;
    }
    let mut asked = length;
    let mut before = None;
    for (at, c) in (0..).zip(sentence.chars()) {
        let after_clause = matches!(before, Some(',' | ';' | '-' | '–' | '—')) && is_space(c);
        if after_clause || matches!(before, Some('，' | '；')) {
            asked = length - at;
        }
        before = Some(c);
    }
    asked
}

/// Calls `each` with every sentence, trimmed: they end at white space after a full stop, question or exclamation mark,
/// and at line ends.
pub fn sentences(text: &str, mut each: impl FnMut(&str)) {
    let mut start = 0;
    let mut ended = false;
    for (at, c) in text.char_indices() {
        if c == '\n' || (ended && is_space(c)) {
            each(text[start..at].trim_matches(is_space));
            start = at;
        }
        // White space after the mark still belongs to the gap, but it is trimmed from the next sentence anyway.
        ended = matches!(c, '.' | '!' | '?' | '。' | '！' | '？');
    }
    each(text[start..].trim_matches(is_space));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_normalised_stemmed_and_without_stop_words() {
        assert!(STOP_WORDS.is_sorted(), "binary search needs order");
        assert_eq!(tokens("She didn't repair_the ＫＡＹＡＫＳ, adding ﬁsh!"), ["repair", "kayak", "add", "fish"]);
        assert_eq!(tokens("The 12 bowls; Straße, Sázava"), ["12", "bowl", "straße", "sazava"]);
        assert!(tokens("what is it?").is_empty());
    }

    #[test]
    fn marks_are_folded_where_they_are_left_out_and_kept_where_they_are_vowels() {
        for (marked, bare) in [
            ("CAFÉ cafe\u{301}", "cafe cafe"),
            ("Ёлка άλλος", "елка αλλος"),
            ("كَتَبَ كتـــاب", "كتب كتاب"),
            ("שָׁלוֹם", "שלום"),
            ("1️⃣ ❤️ नमस्ते", "1 नमस्ते"),
        ] {
            assert_eq!(tokens(marked), tokens(bare), "{marked}");
        }
        assert_eq!(tokens("हिन्दी में किताब"), ["हिन्दी", "में", "किताब"]);
        assert_eq!(tokens("がｶﾞ"), ["がガ"], "kana keep their marks");
        assert_eq!(tokens("ที่นี่"), ["ที่นี่"], "a character and its marks are one");
        assert_eq!(tokens("❤️"), [""; 0]);
    }

    #[test]
    fn scripts_without_spaces_become_pairs() {
        let mut last = Vec::new();
        pieces("我想学习 买 abc", |piece| {
            if let Piece::Last(one) = piece {
                last.push(one.to_owned())
            }
        });
        assert_eq!(last, ["习"]);
        assert!(is_lone("猫") && !is_lone("猫咪") && !is_lone("a"));
        assert_eq!(tokens("我想学习"), ["我想", "想学", "学习"]);
        assert_eq!(tokens("买 USB线abc"), ["买", "usb", "线", "abc"]);
    }

    #[test]
    fn the_share_of_questions_counts_characters_of_sentences() {
        assert_eq!(question_share(""), 0.0);
        assert_eq!(question_share("Really? \n Yes."), 7.0 / 11.0);
        assert_eq!(question_share("3.5 km?"), 1.0);
        assert_eq!(question_share("好吗？ 好。"), 0.6);
        assert_eq!(question_share("I build a boat, can you help?"), 14.0 / 29.0);
        assert_eq!(question_share("我在造船，你能帮我吗？"), 6.0 / 11.0);
        assert_eq!(question_share("If so, when, where?"), 7.0 / 19.0);
        assert_eq!(question_share("When, and where?"), 1.0);
    }

    #[test]
    fn gaps_left_by_a_cut_close() {
        assert_eq!(close_gaps("  what ,  then\n ? "), "what, then?");
    }
}
