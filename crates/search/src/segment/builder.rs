//! Builds a segment document by document.

use std::collections::HashMap;
use std::fmt;

use super::super::columns::{TextsWriter, bytes, pack};
use super::super::document::{Document, LaneSection};
use super::super::words::{Piece, pieces, question_share, stem};
use super::{COLUMNS, Column, InputHash, MARK, NONE, first_eight, id_hash};

/// Documents must come in order of seq, and be fewer than four thousand million.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutOfOrder;

impl fmt::Display for OutOfOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("documents must be added in order of seq")
    }
}

impl std::error::Error for OutOfOrder {}

/// Names, numbered in order of first appearance.
#[derive(Debug, Default)]
pub(super) struct Names {
    numbers: HashMap<Vec<u8>, u32>,
    pub firsts: Vec<u32>,
    pub texts: TextsWriter,
}

impl Names {
    /// The number of a name, given by its first document.
    pub fn number(&mut self, name: &[u8], document: u32) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = u32::try_from(self.firsts.len()).unwrap_or(NONE);
        self.firsts.push(document);
        self.texts.push(name);
        self.numbers.insert(name.to_owned(), number);
        number
    }
}

/// What the vectors of a text are kept under. Each lane has its own: that a text has vectors already would tell whoever
/// says it that somebody else has said it. What is repeated is of the same lane as what is said.
pub fn input_hash(lane: &str, text: &str) -> InputHash {
    let lane = LaneSection::Echo.lane(lane).unwrap_or(lane);
    let mut hasher = blake3::Hasher::new();
    hasher.update(&(lane.len() as u64).to_le_bytes());
    hasher.update(lane.as_bytes());
    hasher.update(text.as_bytes());
    *hasher.finalize().as_bytes()
}

/// The columns of a segment while they grow. Joining segments fills the same columns.
#[derive(Debug, Default)]
pub(super) struct Rows {
    pub seqs: Vec<u64>,
    pub ids: Vec<u64>,
    pub times: Vec<i64>,
    pub fingerprints: Vec<u64>,
    pub inputs: Vec<InputHash>,
    pub questions: Vec<f64>,
    pub lengths: Vec<u32>,
    pub authors: Vec<u32>,
    pub conversations: Vec<u32>,
    pub kinds: Vec<u32>,
    pub importances: Vec<f32>,
    pub trusts: Vec<u8>,
    length_sums: Vec<u64>,
    square_sums: Vec<u64>,
    pub author_names: Names,
    pub conversation_names: Names,
    pub kind_names: Names,
}

/// The words of a segment with where they occur, in order of the words.
#[derive(Debug, Default)]
pub(super) struct Postings {
    pub terms: TextsWriter,
    pub ends: Vec<u64>,
    pub documents: Vec<u32>,
    pub counts: Vec<u32>,
}

impl Rows {
    /// Adds the next document's length to the sums.
    pub fn measure(&mut self, length: u32) {
        self.lengths.push(length);
        let last = |sums: &[u64]| sums.last().copied().unwrap_or(0);
        self.length_sums.push(last(&self.length_sums) + u64::from(length));
        self.square_sums.push(last(&self.square_sums) + u64::from(length).pow(2));
    }

    pub fn pack(&self, postings: &Postings) -> Vec<u8> {
        let names = [&self.author_names, &self.conversation_names, &self.kind_names];
        let mut columns: [&[u8]; COLUMNS] = [&[]; COLUMNS];
        let mut set = |column: Column, bytes| columns[column as usize] = bytes;
        set(Column::Seqs, bytes(&self.seqs));
        set(Column::Ids, bytes(&self.ids));
        set(Column::Times, bytes(&self.times));
        set(Column::Fingerprints, bytes(&self.fingerprints));
        set(Column::Inputs, bytes(&self.inputs));
        set(Column::LengthSums, bytes(&self.length_sums));
        set(Column::SquareSums, bytes(&self.square_sums));
        set(Column::Questions, bytes(&self.questions));
        set(Column::Lengths, bytes(&self.lengths));
        set(Column::Authors, bytes(&self.authors));
        set(Column::Conversations, bytes(&self.conversations));
        set(Column::Kinds, bytes(&self.kinds));
        set(Column::Importances, bytes(&self.importances));
        set(Column::Trusts, bytes(&self.trusts));
        let places = [
            [Column::AuthorFirsts, Column::AuthorBytes, Column::AuthorEnds],
            [Column::ConversationFirsts, Column::ConversationBytes, Column::ConversationEnds],
            [Column::KindFirsts, Column::KindBytes, Column::KindEnds],
        ];
        for (names, [firsts, name_bytes, ends]) in names.into_iter().zip(places) {
            set(firsts, bytes(&names.firsts));
            set(name_bytes, &names.texts.bytes);
            set(ends, bytes(&names.texts.ends));
        }
        set(Column::TermBytes, &postings.terms.bytes);
        set(Column::TermEnds, bytes(&postings.terms.ends));
        set(Column::PostingEnds, bytes(&postings.ends));
        set(Column::PostingDocuments, bytes(&postings.documents));
        set(Column::PostingCounts, bytes(&postings.counts));
        pack(MARK, &columns)
    }
}

/// A segment being built.
#[derive(Debug, Default)]
pub struct Builder {
    lane: String,
    rows: Rows,
    /// Every word seen with the number of its stem; stop words have none. Each word is stemmed once.
    known_words: HashMap<String, Option<u32>>,
    terms: HashMap<String, u32>,
    term_texts: Vec<String>,
    postings: Vec<Vec<(u32, u32)>>,
}

impl Builder {
    /// A segment of a lane, without documents.
    pub fn new(lane: &str) -> Self {
        Self { lane: lane.to_owned(), ..Self::default() }
    }

    /// How many documents there are.
    pub fn len(&self) -> usize {
        self.rows.seqs.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.seqs.is_empty()
    }

    /// Adds a document, whose seq must be above all before it.
    pub fn push(&mut self, document: &Document<'_>) -> Result<(), OutOfOrder> {
        if self.rows.seqs.last().is_some_and(|last| *last >= document.seq) {
            return Err(OutOfOrder);
        }
        let number = u32::try_from(self.len()).ok().filter(|number| *number != NONE).ok_or(OutOfOrder)?;
        let (mut tokens, lasts) = self.tokens(document.text);
        let fingerprint = self.fingerprint(document.author, &tokens);
        let input = input_hash(&self.lane, document.text);
        let rows = &mut self.rows;
        rows.seqs.push(document.seq);
        rows.ids.push(id_hash(document.id));
        rows.times.push(document.ts.0);
        rows.fingerprints.push(fingerprint);
        rows.inputs.push(input);
        rows.questions.push(question_share(document.text));
        rows.importances.push(document.importance);
        rows.trusts.push(document.trust as u8);
        let number_of =
            |names: &mut Names, name: Option<&str>| name.map_or(NONE, |name| names.number(name.as_bytes(), number));
        rows.authors.push(number_of(&mut rows.author_names, document.author));
        rows.kinds.push(number_of(&mut rows.kind_names, Some(document.kind)));
        rows.conversations.push(number_of(&mut rows.conversation_names, document.conversation));
        rows.measure(u32::try_from(tokens.len()).unwrap_or(u32::MAX));
        tokens.extend(lasts);
        self.count(tokens, number);
        Ok(())
    }

    /// The block of the documents so far.
    pub fn finish(&self) -> Vec<u8> {
        let mut order: Vec<u32> = (0..u32::try_from(self.term_texts.len()).unwrap_or(NONE)).collect();
        order.sort_unstable_by_key(|term| self.term_texts[*term as usize].as_str());
        let mut postings = Postings::default();
        for term in order {
            postings.terms.push(self.term_texts[term as usize].as_bytes());
            for (document, count) in &self.postings[term as usize] {
                postings.documents.push(*document);
                postings.counts.push(*count);
            }
            postings.ends.push(postings.documents.len() as u64);
        }
        self.rows.pack(&postings)
    }

    /// The numbers of a text's tokens in order, and those of last characters, which do not count for its length.
    fn tokens(&mut self, text: &str) -> (Vec<u32>, Vec<u32>) {
        let (mut found, mut lasts) = (Vec::new(), Vec::new());
        let Self { known_words, terms, term_texts, postings, .. } = self;
        let mut term = |text: String| {
            *terms.entry(text).or_insert_with_key(|text| {
                term_texts.push(text.clone());
                postings.push(Vec::new());
                u32::try_from(postings.len() - 1).unwrap_or(NONE)
            })
        };
        pieces(text, |piece| match piece {
            Piece::Word(word) => {
                let known = known_words.get(word).copied().unwrap_or_else(|| {
                    let number = stem(word).map(&mut term);
                    known_words.insert(word.to_owned(), number);
                    number
                });
                found.extend(known);
            }
            Piece::Pair(pair) => found.push(term(pair.to_owned())),
            Piece::Last(last) => lasts.push(term(last.to_owned())),
        });
        (found, lasts)
    }

    /// A short hash of author and tokens: the same on every machine and in every segment.
    fn fingerprint(&self, author: Option<&str>, tokens: &[u32]) -> u64 {
        let mut hasher = blake3::Hasher::new();
        // The author's length comes first, so that no author and text can pass for another pair.
        hasher.update(&author.map_or(u64::MAX, |name| name.len() as u64).to_le_bytes());
        hasher.update(author.unwrap_or_default().as_bytes());
        let mut text = String::new();
        for token in tokens {
            text.push_str(&self.term_texts[*token as usize]);
            text.push(' ');
        }
        hasher.update(text.as_bytes());
        first_eight(hasher.finalize())
    }

    /// Adds a document's tokens to the postings.
    fn count(&mut self, mut tokens: Vec<u32>, document: u32) {
        tokens.sort_unstable();
        for same in tokens.chunk_by(|a, b| a == b) {
            let count = u32::try_from(same.len()).unwrap_or(u32::MAX);
            self.postings[same[0] as usize].push((document, count));
        }
    }
}
