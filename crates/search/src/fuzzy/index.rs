//! An index that finds all texts above a token set ratio without comparing the query with each of them.
//!
//! Lists of the texts that hold a word give the shared words of every text at once. From these and the lengths alone
//! most ratios are known to be too small, or are known exactly; only the rest needs letters compared, against the
//! query's bits that are prepared once per search.

use super::{Sizes, default_process, lcs, size, token_set};
use std::collections::HashMap;

/// Letters below this number are stored in a byte.
const NARROW: usize = 256;

/// Texts by number, ready for fuzzy search.
///
/// The index holds at most 2^32 texts and distinct words, more than fits in memory.
#[derive(Debug, Clone)]
pub struct FuzzyIndex {
    /// Whether texts and queries go through [`default_process`].
    process: bool,
    /// Texts by slot; a removed text leaves a hole until the next [`Self::compact`].
    entries: Vec<Option<Entry>>,
    /// Size of the words of each slot, 0 for a hole. Apart from the entries, because every search reads all of them.
    totals: Vec<usize>,
    /// Slot of each text.
    slots: HashMap<u64, u32>,
    /// Number of each word.
    vocabulary: HashMap<Box<str>, u32>,
    /// Slots that have the word, ascending, by the word's number. Holes may be listed.
    postings: Vec<Vec<u32>>,
    /// Number of each letter beyond ASCII, from 128; ASCII letters are their own number.
    alphabet: HashMap<char, u32>,
}

/// One text.
#[derive(Debug, Clone)]
struct Entry {
    id: u64,
    /// Its distinct words, sorted by their letters.
    words: Box<[Word]>,
    /// The letters of these words, each word followed by a space.
    letters: Letters,
}

/// A word of a text.
#[derive(Debug, Clone, Copy)]
struct Word {
    /// Number in the vocabulary.
    token: u32,
    /// Where the word and its space end among the letters.
    end: u32,
}

/// Letters by number, in bytes where possible: a search reads them all, and most texts use few different letters.
#[derive(Debug, Clone)]
enum Letters {
    Narrow(Box<[u8]>),
    Wide(Box<[u32]>),
}

impl Default for FuzzyIndex {
    fn default() -> Self {
        Self::new()
    }
}

impl FuzzyIndex {
    /// An empty index whose texts and queries go through [`default_process`].
    pub fn new() -> Self {
        Self {
            process: true,
            entries: Vec::new(),
            totals: Vec::new(),
            slots: HashMap::new(),
            vocabulary: HashMap::new(),
            postings: Vec::new(),
            alphabet: HashMap::new(),
        }
    }

    /// An empty index that compares texts as they are.
    pub fn unprocessed() -> Self {
        Self { process: false, ..Self::new() }
    }

    /// The number of texts.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there are no texts.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Adds a text, in place of the one with the same id if there is one.
    pub fn insert(&mut self, id: u64, text: &str) {
        self.remove(id);
        let slot = self.entries.len();
        let processed;
        let text = if self.process {
            processed = default_process(text);
            &processed
        } else {
            text
        };
        let (mut words, mut letters) = (Vec::new(), Vec::new());
        for token in token_set(text) {
            let known = self.vocabulary.get(token).copied();
            let number = known.unwrap_or_else(|| {
                let number = self.postings.len() as u32;
                self.vocabulary.insert(token.into(), number);
                self.postings.push(Vec::new());
                number
            });
            self.postings[number as usize].push(slot as u32);
            letters.extend(token.chars().map(|letter| intern(&mut self.alphabet, letter)));
            letters.push(u32::from(' '));
            words.push(Word { token: number, end: letters.len() as u32 });
        }
        self.totals.push(letters.len());
        let narrow: Result<Box<[u8]>, _> = letters.iter().map(|&letter| u8::try_from(letter)).collect();
        let letters = narrow.map_or_else(|_| Letters::Wide(letters.into()), Letters::Narrow);
        self.entries.push(Some(Entry { id, words: words.into(), letters }));
        self.slots.insert(id, slot as u32);
    }

    /// Removes a text. Returns whether it was there.
    pub fn remove(&mut self, id: u64) -> bool {
        let Some(slot) = self.slots.remove(&id) else { return false };
        self.entries[slot as usize] = None;
        self.totals[slot as usize] = 0;
        // Taking a slot out of long lists one by one is slow; when holes are the majority one pass removes them all.
        if self.entries.len() > 2 * self.slots.len() + 32 {
            self.compact();
        }
        true
    }

    /// Closes the holes and forgets words that no text has any more.
    fn compact(&mut self) {
        self.entries.retain(Option::is_some);
        let mut renumbered = vec![None; self.postings.len()];
        self.postings.clear();
        self.totals.clear();
        for (slot, entry) in self.entries.iter_mut().flatten().enumerate() {
            self.slots.insert(entry.id, slot as u32);
            self.totals.push(entry.words.last().map_or(0, |word| word.end as usize));
            for word in &mut entry.words {
                let number = *renumbered[word.token as usize].get_or_insert_with(|| {
                    self.postings.push(Vec::new());
                    self.postings.len() as u32 - 1
                });
                self.postings[number as usize].push(slot as u32);
                word.token = number;
            }
        }
        self.vocabulary.retain(|_, number| match renumbered[*number as usize] {
            Some(renumbered) => {
                *number = renumbered;
                true
            }
            None => false,
        });
    }

    /// All texts whose ratio with the query is at least the threshold, with the exact ratio, by ascending id.
    pub fn search(&self, query: &str, threshold: f64) -> Vec<(u64, f64)> {
        let processed;
        let query = if self.process {
            processed = default_process(query);
            &processed
        } else {
            query
        };
        let query = Query::new(self, &token_set(query));
        let mut found = match query.letters.len().div_ceil(64) {
            0 | 1 => self.scan(&query, threshold, &mut Bits::<1>::new(&query)),
            2 => self.scan(&query, threshold, &mut Bits::<2>::new(&query)),
            3 => self.scan(&query, threshold, &mut Bits::<3>::new(&query)),
            4 => self.scan(&query, threshold, &mut Bits::<4>::new(&query)),
            5 => self.scan(&query, threshold, &mut Bits::<5>::new(&query)),
            6 => self.scan(&query, threshold, &mut Bits::<6>::new(&query)),
            7..=8 => self.scan(&query, threshold, &mut Bits::<8>::new(&query)),
            9..=12 => self.scan(&query, threshold, &mut Bits::<12>::new(&query)),
            13..=16 => self.scan(&query, threshold, &mut Bits::<16>::new(&query)),
            _ => self.scan(&query, threshold, &mut Long { query: &query }),
        };
        found.sort_unstable_by_key(|&(id, _)| id);
        found
    }

    /// Goes through all texts, comparing letters only where lengths and shared words leave the answer open.
    fn scan(&self, query: &Query, threshold: f64, compare: &mut impl Compare) -> Vec<(u64, f64)> {
        let mut found = Vec::new();
        for ((entry, &b), &shared) in self.entries.iter().zip(&self.totals).zip(&query.shared) {
            let sizes = Sizes { a: query.letters.len(), b, shared };
            if sizes.a == 0 || sizes.b == 0 {
                // A text or query without words is like nothing.
                if let Some(entry) = entry
                    && 0.0 >= threshold
                {
                    found.push((entry.id, 0.0));
                }
                continue;
            }
            let Some(entry) = entry else { continue };
            let ratio = sizes.ratio(threshold, |least| compare.longest(entry, shared > 0, least));
            if let Some(ratio) = ratio.filter(|&ratio| ratio >= threshold) {
                found.push((entry.id, ratio));
            }
        }
        found
    }
}

/// The number of a letter, a new one if needed.
fn intern(alphabet: &mut HashMap<char, u32>, letter: char) -> u32 {
    if letter.is_ascii() {
        return u32::from(letter);
    }
    let next = alphabet.len() as u32 + 128;
    *alphabet.entry(letter).or_insert(next)
}

/// A query in the numbers of an index.
struct Query {
    /// Number of the letters of the sorted words, each word followed by a space. `None`: no text has the letter.
    letters: Vec<Option<u32>>,
    /// Where each word and its space end among the letters.
    ends: Vec<usize>,
    /// One more than the place in the query of each word of the vocabulary, 0 for words not in the query.
    places: Vec<u32>,
    /// Size of the words that each slot shares with the query.
    shared: Vec<usize>,
    /// How many letters the index numbers.
    alphabet: usize,
}

impl Query {
    fn new(index: &FuzzyIndex, tokens: &[&str]) -> Self {
        let (mut letters, mut ends) = (Vec::new(), Vec::new());
        let mut places = vec![0; index.postings.len()];
        let mut shared = vec![0; index.entries.len()];
        for (place, &token) in tokens.iter().enumerate() {
            if let Some(&number) = index.vocabulary.get(token) {
                places[number as usize] = place as u32 + 1;
                let size = size(token);
                for &slot in &index.postings[number as usize] {
                    shared[slot as usize] += size;
                }
            }
            letters.extend(token.chars().chain([' ']).map(|letter| match letter {
                '\0'..='\x7f' => Some(u32::from(letter)),
                _ => index.alphabet.get(&letter).copied(),
            }));
            ends.push(letters.len());
        }
        Self { letters, ends, places, shared, alphabet: index.alphabet.len() + 128 }
    }

    /// The place in the query of a word that it shares with a text.
    fn place(&self, word: &Word) -> Option<usize> {
        (self.places[word.token as usize] as usize).checked_sub(1)
    }

    /// Copies the letters of the words that the query does not have, and tells the places of the others.
    fn rest<T: Copy>(&self, words: &[Word], letters: &[T], rest: &mut Vec<T>, mut shared: impl FnMut(usize)) {
        rest.clear();
        let (mut copied, mut start) = (0, 0);
        for word in words {
            if let Some(place) = self.place(word) {
                shared(place);
                rest.extend_from_slice(&letters[copied..start]);
                copied = word.end as usize;
            }
            start = word.end as usize;
        }
        rest.extend_from_slice(&letters[copied..]);
        rest.pop();
    }
}

/// A way to compare the query's letters with those of a text, leaving out shared words on both sides.
trait Compare {
    /// The longest common subsequence, or `None` if it is shorter than `least`.
    fn longest(&mut self, entry: &Entry, shares: bool, least: usize) -> Option<usize>;
}

/// The places of the letters in a query of at most `64 * W` letters, as bits.
///
/// A word shared with a text is taken out of the query by hiding its bits: a letter that never matches is as good as
/// no letter. So one set of bits serves for all texts.
struct Bits<'a, const W: usize> {
    query: &'a Query,
    /// Bits of the letters stored in a byte.
    narrow: Box<[[u64; W]; NARROW]>,
    /// Row in `rows` of each letter; row 0 is empty.
    row_of: Vec<u16>,
    rows: Vec<[u64; W]>,
    /// Bits of each word and its space.
    words: Vec<[u64; W]>,
    /// Bits of all words and their spaces.
    all: [u64; W],
    /// The same without the last space, for texts that share no word.
    joined: [u64; W],
    /// Letters of the text at hand without the shared words.
    rest: Vec<u8>,
    rest_wide: Vec<u32>,
}

impl<'a, const W: usize> Bits<'a, W> {
    fn new(query: &'a Query) -> Self {
        let mut bits = Self {
            query,
            narrow: Box::new([[0; W]; NARROW]),
            row_of: vec![0; query.alphabet],
            rows: vec![[0; W]],
            words: Vec::with_capacity(query.ends.len()),
            all: [0; W],
            joined: [0; W],
            rest: Vec::new(),
            rest_wide: Vec::new(),
        };
        let mut start = 0;
        for &end in &query.ends {
            let mut word = [0; W];
            for at in start..end {
                let (part, bit) = (at / 64, 1 << (at % 64));
                word[part] |= bit;
                let Some(letter) = query.letters[at] else { continue };
                let row = &mut bits.row_of[letter as usize];
                if *row == 0 {
                    *row = bits.rows.len() as u16;
                    bits.rows.push([0; W]);
                }
                bits.rows[*row as usize][part] |= bit;
                if let Some(row) = bits.narrow.get_mut(letter as usize) {
                    row[part] |= bit;
                }
            }
            for (all, word) in bits.all.iter_mut().zip(word) {
                *all |= word;
            }
            bits.words.push(word);
            start = end;
        }
        bits.joined = bits.all;
        drop_last(&mut bits.joined);
        bits
    }
}

/// Clears the highest bit that is set: the space after the last word, which is not there when words are joined.
fn drop_last<const W: usize>(bits: &mut [u64; W]) {
    if let Some(word) = bits.iter_mut().rev().find(|word| **word != 0) {
        *word &= !(1 << (63 - word.leading_zeros()));
    }
}

impl<const W: usize> Compare for Bits<'_, W> {
    fn longest(&mut self, entry: &Entry, shares: bool, least: usize) -> Option<usize> {
        let mut keep = if shares { self.all } else { self.joined };
        let hide = |place: usize| {
            for (keep, word) in keep.iter_mut().zip(self.words[place]) {
                *keep &= !word;
            }
        };
        match &entry.letters {
            Letters::Narrow(letters) => {
                let mut text = &letters[..letters.len() - 1];
                if shares {
                    self.query.rest(&entry.words, letters, &mut self.rest, hide);
                    drop_last(&mut keep);
                    text = &self.rest;
                }
                lcs::within(text, |letter: u8| &self.narrow[usize::from(letter)], &keep, least)
            }
            Letters::Wide(letters) => {
                let mut text = &letters[..letters.len() - 1];
                if shares {
                    self.query.rest(&entry.words, letters, &mut self.rest_wide, hide);
                    drop_last(&mut keep);
                    text = &self.rest_wide;
                }
                let places = |letter: u32| &self.rows[usize::from(self.row_of[letter as usize])];
                lcs::within(text, places, &keep, least)
            }
        }
    }
}

/// The comparison for queries longer than the bits reach. Few texts are long enough to come here.
struct Long<'a> {
    query: &'a Query,
}

impl Compare for Long<'_> {
    fn longest(&mut self, entry: &Entry, _: bool, _: usize) -> Option<usize> {
        let mut hidden = vec![false; self.query.ends.len()];
        let letters: Vec<u32> = match &entry.letters {
            Letters::Narrow(letters) => letters.iter().map(|&letter| u32::from(letter)).collect(),
            Letters::Wide(letters) => letters.to_vec(),
        };
        let mut rest = Vec::new();
        self.query.rest(&entry.words, &letters, &mut rest, |place| hidden[place] = true);
        let (mut mine, mut start) = (Vec::new(), 0);
        for (&end, hidden) in self.query.ends.iter().zip(hidden) {
            if !hidden {
                mine.extend(self.query.letters[start..end].iter().map(|letter| letter.unwrap_or(u32::MAX)));
            }
            start = end;
        }
        mine.pop();
        Some(lcs::longest(&mine, &rest))
    }
}
