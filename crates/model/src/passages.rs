//! Cuts a long text into passages that a model can read whole.

use std::ops::Range;

use crate::tokenizer::Tokenizer;

/// Ranges of at most `max` word pieces that cover the text: whole sentences where possible.
///
/// A passage may hold a single character of more than `max` pieces, since nothing smaller can be cut off.
pub fn cut(tokenizer: &Tokenizer, text: &str, max: usize) -> Vec<Range<usize>> {
    let max = max.max(1);
    let mut passages: Vec<Range<usize>> = Vec::new();
    let mut pieces = 0;
    for part in sentences(text).flat_map(|sentence| fitting(tokenizer, text, sentence, max, words)) {
        let more = tokenizer.count(&text[part.clone()]);
        match passages.last_mut() {
            Some(last) if pieces + more <= max && joins(tokenizer, text, last.start..part.end, part.start, max) => {
                last.end = part.end;
                pieces += more;
            }
            _ => {
                passages.push(part);
                pieces = more;
            }
        }
    }
    passages
}

/// Ranges of at most `max` characters that cover the text: whole sentences where possible, then whole words.
pub fn by_length(text: &str, max: usize) -> Vec<Range<usize>> {
    let count = |range: &Range<usize>| text[range.clone()].chars().count();
    let mut passages: Vec<Range<usize>> = Vec::new();
    for sentence in sentences(text) {
        let mut start = sentence.start;
        let inside = &text[sentence.clone()];
        let ends = if count(&sentence) <= max { vec![inside.len()] } else { words(inside) };
        for part in ends.into_iter().flat_map(|end| {
            let word = std::mem::replace(&mut start, sentence.start + end)..sentence.start + end;
            if count(&word) <= max { vec![word] } else { pieces_of(text, word, max) }
        }) {
            match passages.last_mut() {
                Some(last) if count(&(last.start..part.end)) <= max => last.end = part.end,
                _ => passages.push(part),
            }
        }
    }
    passages
}

/// A word of more than `max` characters, in pieces of that many.
fn pieces_of(text: &str, word: Range<usize>, max: usize) -> Vec<Range<usize>> {
    let starts = text[word.clone()].char_indices().map(|(at, _)| word.start + at).step_by(max.max(1));
    let starts: Vec<usize> = starts.chain([word.end]).collect();
    starts.windows(2).map(|pair| pair[0]..pair[1]).collect()
}

/// Whether what is joined at `seam` still fits. Across white space the counts add up; two halves of a word may be cut
/// into more pieces together than each by itself.
fn joins(tokenizer: &Tokenizer, text: &str, whole: Range<usize>, seam: usize, max: usize) -> bool {
    text[..seam].ends_with(char::is_whitespace) || tokenizer.count_up_to(&text[whole], max) <= max
}

/// The range itself if it fits, else what `finer` makes of it.
fn fitting(
    tokenizer: &Tokenizer,
    text: &str,
    range: Range<usize>,
    max: usize,
    finer: fn(&str) -> Vec<usize>,
) -> Vec<Range<usize>> {
    let inside = &text[range.clone()];
    if tokenizer.count_up_to(inside, max) <= max {
        return vec![range];
    }
    let mut parts = Vec::new();
    let mut start = range.start;
    for end in finer(inside) {
        let part = start..range.start + end;
        start = part.end;
        let one_char = text[part.clone()].chars().nth(1).is_none();
        if one_char || tokenizer.count_up_to(&text[part.clone()], max) <= max {
            parts.push(part);
        } else {
            parts.extend(fitting(tokenizer, text, part, max, characters));
        }
    }
    parts
}

/// The sentences of a text, each with the white space behind it.
fn sentences(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let range = start..start + sentence_length(&text[start..]);
        start = range.end;
        (!range.is_empty()).then_some(range)
    })
}

/// Up to and with the first end of a sentence: a line break, a full stop of a script that writes no spaces, or a full
/// stop with its closing marks before white space.
fn sentence_length(text: &str) -> usize {
    let mut chars = text.char_indices().peekable();
    while let Some((_, c)) = chars.next() {
        if !matches!(c, '\n' | '。' | '！' | '？' | '.' | '!' | '?' | '…') {
            continue;
        }
        // A quotation mark that begins a line opens something.
        while c != '\n' && chars.next_if(|(_, next)| is_closing(*next)).is_some() {}
        let needs_space = matches!(c, '.' | '!' | '?' | '…');
        if !needs_space || chars.peek().is_none_or(|(_, next)| next.is_whitespace()) {
            while chars.next_if(|(_, next)| next.is_whitespace()).is_some() {}
            return chars.peek().map_or(text.len(), |(at, _)| *at);
        }
    }
    text.len()
}

fn is_closing(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '…' | '"' | '\'' | ')' | ']' | '}' | '”' | '’' | '»' | '」' | '』' | '）')
}

/// Where each word ends, with the white space behind it.
fn words(text: &str) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut in_space = false;
    for (at, c) in text.char_indices() {
        if in_space && !c.is_whitespace() {
            ends.push(at);
        }
        in_space = c.is_whitespace();
    }
    ends.push(text.len());
    ends
}

/// Where each character ends.
fn characters(text: &str) -> Vec<usize> {
    text.char_indices().map(|(at, c)| at + c.len_utf8()).collect()
}
