//! Text to word pieces as BERT (uncased) cuts them.

use unicode_normalization::UnicodeNormalization;

use crate::characters::{is_dropped, is_ideograph, is_mark, is_punctuation};
use crate::vocabulary::{CONTINUATION, PieceHash, Vocabulary};

const UNKNOWN: u32 = 100;
const FIRST: u32 = 101;
const LAST: u32 = 102;
/// Written out in a text, these stand for themselves: the reference does the same.
const LITERALS: [(&str, u32); 5] =
    [("[PAD]", 0), ("[UNK]", UNKNOWN), ("[CLS]", FIRST), ("[SEP]", LAST), ("[MASK]", 103)];
/// A longer word is one unknown piece.
const WORD_MAX_CHARS: usize = 100;

/// Cuts texts into the pieces of one vocabulary.
#[derive(Clone, Copy)]
pub struct Tokenizer {
    vocabulary: Vocabulary,
}

impl Tokenizer {
    /// A tokenizer for this vocabulary.
    pub fn new(vocabulary: Vocabulary) -> Self {
        Self { vocabulary }
    }

    /// The pieces of a text as the model reads them: framed, and at most `max` with the frame.
    pub fn framed(&self, text: &str, max: usize) -> Vec<u32> {
        let mut cut = Cut::new(self.vocabulary, max.saturating_sub(1));
        cut.ids.push(FIRST);
        cut.text(text);
        cut.ids.truncate(max.saturating_sub(1));
        cut.ids.push(LAST);
        cut.ids
    }

    /// How many pieces a text has, without the frame and without a limit.
    pub fn count(&self, text: &str) -> usize {
        self.count_up_to(text, usize::MAX)
    }

    /// Like `count`, but stops soon after `limit`: for asking whether a text fits.
    pub fn count_up_to(&self, text: &str, limit: usize) -> usize {
        let mut cut = Cut::new(self.vocabulary, limit);
        cut.text(text);
        cut.ids.len()
    }
}

/// The state of cutting one text.
struct Cut {
    vocabulary: Vocabulary,
    ids: Vec<u32>,
    /// Cutting stops at the first word that begins at or beyond this many pieces.
    enough: usize,
    word: String,
    word_chars: usize,
    /// Ends and hashes of the prefixes that may be the next piece.
    prefixes: Vec<(usize, PieceHash)>,
}

impl Cut {
    fn new(vocabulary: Vocabulary, enough: usize) -> Self {
        let prefixes = Vec::with_capacity(vocabulary.longest());
        Self { vocabulary, ids: Vec::new(), enough, word: String::new(), word_chars: 0, prefixes }
    }

    fn is_full(&self) -> bool {
        // One more than enough, so that a caller can tell "exactly" from "more".
        self.ids.len() > self.enough
    }

    fn text(&mut self, text: &str) {
        let mut rest = text;
        while let Some((at, literal, id)) = next_literal(rest) {
            self.plain(&rest[..at]);
            self.ids.push(id);
            rest = &rest[at + literal.len()..];
            if self.is_full() {
                return;
            }
        }
        self.plain(rest);
    }

    fn plain(&mut self, text: &str) {
        if text.is_ascii() {
            for byte in text.bytes() {
                match byte {
                    b' ' | b'\t' | b'\n' | b'\r' => self.end_word(),
                    0..0x20 | 0x7f => {}
                    _ => self.letter(char::from(byte.to_ascii_lowercase())),
                }
                if self.is_full() {
                    break;
                }
            }
        } else {
            let kept = text.chars().filter(|c| matches!(c, '\t' | '\n' | '\r') || !is_dropped(*c));
            let bare = kept.flat_map(spaced).nfd().filter(|c| !is_mark(*c));
            for c in bare.flat_map(char::to_lowercase) {
                if c.is_whitespace() {
                    self.end_word()
                } else {
                    self.letter(c)
                }
                if self.is_full() {
                    break;
                }
            }
        }
        self.end_word();
    }

    fn letter(&mut self, c: char) {
        if is_punctuation(c) {
            self.end_word();
            self.push(c);
            self.end_word();
        } else {
            self.push(c);
        }
    }

    fn push(&mut self, c: char) {
        self.word_chars += 1;
        // What is beyond the limit is never looked at.
        if self.word_chars <= WORD_MAX_CHARS {
            self.word.push(c);
        }
    }

    fn end_word(&mut self) {
        if self.word_chars == 0 {
            return;
        }
        let before = self.ids.len();
        if self.word_chars > WORD_MAX_CHARS || !self.pieces() {
            self.ids.truncate(before);
            self.ids.push(UNKNOWN);
        }
        self.word.clear();
        self.word_chars = 0;
    }

    /// The longest piece that fits, again and again; false if at some point none does.
    fn pieces(&mut self) -> bool {
        let word = self.word.as_bytes();
        let mut start = 0;
        while start < word.len() {
            let prefix = if start == 0 { "" } else { CONTINUATION };
            let mut hash = PieceHash::new().with_all(prefix);
            self.prefixes.clear();
            for (at, byte) in word.iter().enumerate().skip(start).take(self.vocabulary.longest()) {
                hash = hash.with(*byte);
                self.prefixes.push((at + 1, hash));
            }
            let found = self.prefixes.iter().rev().find_map(|(end, hash)| {
                // A piece is whole characters, so an end inside one is never found.
                self.vocabulary.find(*hash, prefix, &word[start..*end]).map(|id| (*end, id))
            });
            let Some((end, id)) = found else { return false };
            self.ids.push(id);
            start = end;
        }
        true
    }
}

/// An ideograph stands between spaces; white space of any kind is a space.
fn spaced(c: char) -> impl Iterator<Item = char> {
    let around = is_ideograph(c).then_some(' ');
    let c = if c.is_whitespace() { ' ' } else { c };
    around.into_iter().chain([c]).chain(around)
}

/// The first of the literals in a text: where, which and its number.
fn next_literal(text: &str) -> Option<(usize, &'static str, u32)> {
    text.match_indices('[').find_map(|(at, _)| {
        let here = &text[at..];
        LITERALS.iter().find(|(literal, _)| here.starts_with(literal)).map(|(literal, id)| (at, *literal, *id))
    })
}
