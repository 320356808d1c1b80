//! A segment: the documents of one lane over a range of the log, with the postings of their words, as one block that
//! is never changed. Any prefix of it can be searched as if the rest did not exist.

mod builder;
mod join;

use super::Damaged;
use super::columns::{Columns, Texts, mark};

pub use builder::{Builder, OutOfOrder, input_hash};
pub use join::join;

/// Stands for "no document", "no conversation".
pub const NONE: u32 = u32::MAX;

/// Which kind of block, in which version.
pub const FORMAT: &str = "idtlane3";
const MARK: u64 = mark(FORMAT);

/// The columns in their order. One more, and the mark must change.
#[derive(Debug, Clone, Copy)]
enum Column {
    Seqs,
    Ids,
    Times,
    Fingerprints,
    Inputs,
    LengthSums,
    SquareSums,
    Questions,
    Lengths,
    Authors,
    Conversations,
    Kinds,
    Importances,
    Trusts,
    AuthorFirsts,
    AuthorBytes,
    AuthorEnds,
    ConversationFirsts,
    ConversationBytes,
    ConversationEnds,
    KindFirsts,
    KindBytes,
    KindEnds,
    TermBytes,
    TermEnds,
    PostingEnds,
    PostingDocuments,
    PostingCounts,
}

const COLUMNS: usize = Column::PostingCounts as usize + 1;

/// The hash of a document's text: what its vectors are kept under.
pub type InputHash = [u8; 32];

/// A short hash of an event's id.
pub fn id_hash(id: &str) -> u64 {
    first_eight(blake3::hash(id.as_bytes()))
}

fn first_eight(hash: blake3::Hash) -> u64 {
    let mut first = [0; 8];
    first.copy_from_slice(&hash.as_bytes()[..8]);
    u64::from_le_bytes(first)
}

/// A segment, read where it lies. Columns are by document number, which counts from 0 in order of seq.
#[derive(Debug, Clone, Copy)]
pub struct Segment<'a> {
    /// The events the documents are.
    pub seqs: &'a [u64],
    /// A hash of what other events call each.
    pub(super) ids: &'a [u64],
    /// When each happened, in microseconds.
    pub(super) times: &'a [i64],
    /// What makes two documents the same text by the same author.
    pub(super) fingerprints: &'a [u64],
    /// The hash of each text.
    pub inputs: &'a [InputHash],
    /// The share of each text that is questions.
    pub(super) questions: &'a [f64],
    /// How many tokens each has.
    pub lengths: &'a [u32],
    /// The number of each one's author, conversation and kind in the directories below.
    pub(super) authors: &'a [u32],
    pub(super) conversations: &'a [u32],
    pub(super) kinds: &'a [u32],
    /// How much each matters by itself.
    pub(super) importances: &'a [f32],
    /// Where each comes from: the number of the word.
    pub(super) trusts: &'a [u8],
    pub(super) author_names: Directory<'a>,
    pub(super) conversation_names: Directory<'a>,
    pub(super) kind_names: Directory<'a>,
    length_sums: &'a [u64],
    square_sums: &'a [u64],
    terms: Texts<'a>,
    posting_ends: &'a [u64],
    posting_documents: &'a [u32],
    posting_counts: &'a [u32],
}

/// Names in order of first appearance, so that those of a prefix are the first few.
#[derive(Debug, Clone, Copy)]
pub struct Directory<'a> {
    /// The first document of each.
    firsts: &'a [u32],
    names: Texts<'a>,
}

impl<'a> Directory<'a> {
    fn read(columns: &Columns<'a>, firsts: Column, bytes: Column, ends: Column) -> Result<Self, Damaged> {
        let names = Texts::read(columns.get(bytes as usize)?, columns.get(ends as usize)?)?;
        let firsts = columns.exactly(firsts as usize, names.len())?;
        if firsts.is_sorted() { Ok(Self { firsts, names }) } else { Err(Damaged) }
    }

    /// The names that appear among the first `visible` documents.
    pub fn visible(&self, visible: usize) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let (names, count) = (self.names, self.firsts.partition_point(|first| (*first as usize) < visible));
        (0..count).map(move |number| names.get(number))
    }
}

impl<'a> Segment<'a> {
    /// Reads a block.
    pub fn read(block: &'a [u8]) -> Result<Self, Damaged> {
        let columns = Columns::read(block, MARK, COLUMNS)?;
        let seqs: &[u64] = columns.get(Column::Seqs as usize)?;
        let n = seqs.len();
        let numbers = |column: Column| columns.exactly::<u32>(column as usize, n);
        let terms = Texts::read(columns.get(Column::TermBytes as usize)?, columns.get(Column::TermEnds as usize)?)?;
        let posting_documents: &[u32] = columns.get(Column::PostingDocuments as usize)?;
        let segment = Self {
            seqs,
            ids: columns.exactly(Column::Ids as usize, n)?,
            times: columns.exactly(Column::Times as usize, n)?,
            fingerprints: columns.exactly(Column::Fingerprints as usize, n)?,
            inputs: columns.exactly(Column::Inputs as usize, n)?,
            questions: columns.exactly(Column::Questions as usize, n)?,
            lengths: numbers(Column::Lengths)?,
            authors: numbers(Column::Authors)?,
            conversations: numbers(Column::Conversations)?,
            kinds: numbers(Column::Kinds)?,
            importances: columns.exactly(Column::Importances as usize, n)?,
            trusts: columns.exactly(Column::Trusts as usize, n)?,
            author_names: Directory::read(&columns, Column::AuthorFirsts, Column::AuthorBytes, Column::AuthorEnds)?,
            conversation_names: Directory::read(
                &columns,
                Column::ConversationFirsts,
                Column::ConversationBytes,
                Column::ConversationEnds,
            )?,
            kind_names: Directory::read(&columns, Column::KindFirsts, Column::KindBytes, Column::KindEnds)?,
            length_sums: columns.exactly(Column::LengthSums as usize, n)?,
            square_sums: columns.exactly(Column::SquareSums as usize, n)?,
            terms,
            posting_ends: columns.exactly(Column::PostingEnds as usize, terms.len())?,
            posting_documents,
            posting_counts: columns.exactly(Column::PostingCounts as usize, posting_documents.len())?,
        };
        let ends = segment.posting_ends;
        let whole = ends.is_sorted() && ends.last().map_or(0, |end| *end) == posting_documents.len() as u64;
        if whole { Ok(segment) } else { Err(Damaged) }
    }

    /// How many documents there are.
    pub fn len(&self) -> usize {
        self.seqs.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.seqs.is_empty()
    }

    /// How many documents have a seq of at most `seq`: what a reader as of that seq may see.
    pub fn visible_at(&self, seq: u64) -> usize {
        self.seqs.partition_point(|own| *own <= seq)
    }

    /// The sum of the lengths of the first `visible` documents, and of their squares.
    pub fn length_sums(&self, visible: usize) -> (u64, u64) {
        let last = visible.checked_sub(1);
        last.map_or((0, 0), |last| (self.length_sums[last], self.square_sums[last]))
    }

    /// The documents among the first `visible` in which a token occurs, in order, and how often it does.
    pub fn postings(&self, token: &str, visible: usize) -> (&'a [u32], &'a [u32]) {
        let Some(term) = self.terms.find(token.as_bytes()) else { return (&[], &[]) };
        let (documents, counts) = self.postings_of(term);
        let count = documents.partition_point(|document| (*document as usize) < visible);
        (&documents[..count], &counts[..count])
    }

    /// The same for a token that stands for every term it begins.
    pub fn postings_of_beginning(&self, beginning: &str, visible: usize) -> Vec<(u32, u32)> {
        let mut found: Vec<(u32, u32)> = Vec::new();
        let terms = self.terms.first_from(beginning.as_bytes())..self.terms.len();
        for term in terms.take_while(|term| self.terms.get(*term).starts_with(beginning.as_bytes())) {
            let (documents, counts) = self.postings_of(term);
            let all = documents.iter().copied().zip(counts.iter().copied());
            found.extend(all.take_while(|(document, _)| (*document as usize) < visible));
        }
        found.sort_unstable();
        found.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 = kept.1.saturating_add(next.1);
            }
            same
        });
        found
    }

    fn postings_of(&self, term: usize) -> (&'a [u32], &'a [u32]) {
        let begin = term.checked_sub(1).map_or(0, |before| self.posting_ends[before] as usize);
        let range = begin..self.posting_ends[term] as usize;
        (&self.posting_documents[range.clone()], &self.posting_counts[range])
    }
}
