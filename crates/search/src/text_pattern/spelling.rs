//! One spelling for all spellings of a text: what a reader takes for the same words is the same here.

use icu_casemap::CaseMapper;
use icu_properties::props::{DefaultIgnorableCodePoint, GeneralCategory};
use icu_properties::{CodePointMapData, CodePointSetData};
use unicode_normalization::UnicodeNormalization;

/// A text in small letters of one form, without what cannot be seen, and one blank for any number of them.
pub fn plain(text: &str) -> String {
    let mut plain = Plain { text: String::with_capacity(text.len()), base: ' ' };
    if text.is_ascii() {
        text.chars().for_each(|c| plain.put(c.to_ascii_lowercase()));
        return plain.text;
    }
    text.nfkd().for_each(|c| plain.take(c));
    // What Armenian capitals spell with two letters is one letter, or two others, when small.
    let folded = CaseMapper::new().fold_string(&plain.text).replace("եվ", "եւ");
    folded.nfc().collect()
}

struct Plain {
    text: String,
    /// The last character that is no mark.
    base: char,
}

impl Plain {
    /// Takes a character of a decomposed text.
    fn take(&mut self, c: char) {
        if is_unseen(c) || is_optional(c, self.base) {
            return;
        }
        if unicode_normalization::char::canonical_combining_class(c) == 0 {
            self.base = c;
        }
        match c {
            // Turkish has an i without a dot, whose capital is the I of everybody else.
            'ı' => self.put('i'),
            '\u{2018}' | '\u{2019}' | '\u{201b}' | '\u{2bb}' | '\u{2bc}' | '\u{2032}' => self.put('\''),
            '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{58a}' | '\u{5be}' | '\u{1400}' | '\u{1806}' => self.put('-'),
            '\u{2e3a}' | '\u{2e3b}' | '\u{301c}' | '\u{3030}' | '\u{30a0}' => self.put('-'),
            '\u{2800}' => self.put(' '),
            c => self.put(digit(c).unwrap_or(c)),
        }
    }

    fn put(&mut self, c: char) {
        if c.is_whitespace() {
            if !self.text.ends_with(' ') {
                self.text.push(' ');
            }
        } else if !c.is_control() {
            self.text.push(c);
        }
    }
}

/// Whether a character is not shown: soft hyphens, joiners, direction marks, variation selectors, tags; the stroke that
/// makes Arabic words longer; anchors of annotations.
fn is_unseen(c: char) -> bool {
    CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(c)
        || matches!(c, '\u{640}' | '\u{7fa}' | '\u{180a}' | '\u{fff9}'..='\u{fffb}')
}

/// Whether a mark may as well be left out: vowels of Hebrew and Arabic, which most texts lack; accents of Greek, which its
/// capitals lack; the dot that a Turkish capital I keeps when it becomes small.
fn is_optional(mark: char, base: char) -> bool {
    match mark {
        '\u{591}'..='\u{5bd}' | '\u{5bf}' | '\u{5c1}' | '\u{5c2}' | '\u{5c4}' | '\u{5c5}' | '\u{5c7}' => true,
        '\u{610}'..='\u{61a}' | '\u{64b}'..='\u{652}' | '\u{656}'..='\u{65f}' | '\u{670}' => true,
        '\u{6d6}'..='\u{6dc}' | '\u{6df}'..='\u{6e4}' | '\u{6e7}' | '\u{6e8}' | '\u{6ea}'..='\u{6ed}' => true,
        '\u{300}' | '\u{301}' | '\u{308}' | '\u{313}' | '\u{314}' | '\u{342}' => {
            matches!(base, '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}')
        }
        '\u{307}' => matches!(base, 'i' | 'I' | 'ı'),
        _ => false,
    }
}

/// The ASCII digit of the same value as a digit of another script. Unicode keeps those of one script together, from 0 to 9.
fn digit(c: char) -> Option<char> {
    let is_digit = |code| CodePointMapData::<GeneralCategory>::new().get32(code) == GeneralCategory::DecimalNumber;
    let code = u32::from(c);
    if c.is_ascii() || !is_digit(code) {
        return None;
    }
    let before = (0..code).rev().take_while(|code| is_digit(*code)).count();
    u32::try_from(before % 10).ok().and_then(|value| char::from_digit(value, 10))
}
