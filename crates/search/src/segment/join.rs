//! Joins segments that follow each other into one: the same bytes as if it had been built at once.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::builder::{Names, Postings, Rows};
use super::{Directory, NONE, Segment};

/// The block of segments in order of seq.
pub fn join(segments: &[Segment<'_>]) -> Vec<u8> {
    let mut rows = Rows::default();
    let mut begins = Vec::with_capacity(segments.len());
    for segment in segments {
        begins.push(u32::try_from(rows.seqs.len()).unwrap_or(NONE));
        append(&mut rows, segment);
    }
    rows.pack(&postings(segments, &begins))
}

fn append(rows: &mut Rows, segment: &Segment<'_>) {
    let begin = u32::try_from(rows.seqs.len()).unwrap_or(NONE);
    let authors = renumber(&mut rows.author_names, &segment.author_names, begin);
    let conversations = renumber(&mut rows.conversation_names, &segment.conversation_names, begin);
    let kinds = renumber(&mut rows.kind_names, &segment.kind_names, begin);
    let common = |numbers: &[u32], own: u32| numbers.get(own as usize).copied().unwrap_or(NONE);
    rows.seqs.extend_from_slice(segment.seqs);
    rows.ids.extend_from_slice(segment.ids);
    rows.times.extend_from_slice(segment.times);
    rows.fingerprints.extend_from_slice(segment.fingerprints);
    rows.inputs.extend_from_slice(segment.inputs);
    rows.questions.extend_from_slice(segment.questions);
    rows.importances.extend_from_slice(segment.importances);
    rows.trusts.extend_from_slice(segment.trusts);
    rows.authors.extend(segment.authors.iter().map(|own| common(&authors, *own)));
    rows.kinds.extend(segment.kinds.iter().map(|own| common(&kinds, *own)));
    rows.conversations.extend(segment.conversations.iter().map(|own| common(&conversations, *own)));
    segment.lengths.iter().for_each(|length| rows.measure(*length));
}

/// The common numbers of a segment's names, in its own order.
fn renumber(names: &mut Names, own: &Directory<'_>, begin: u32) -> Vec<u32> {
    own.firsts.iter().enumerate().map(|(number, first)| names.number(own.names.get(number), begin + first)).collect()
}

/// All postings, word by word in order; those of one word in order of the segments.
fn postings(segments: &[Segment<'_>], begins: &[u32]) -> Postings {
    let mut joined = Postings::default();
    let mut heads: BinaryHeap<Reverse<(&[u8], usize, usize)>> = BinaryHeap::new();
    let head = |segment: usize, term: usize| {
        (term < segments[segment].terms.len()).then(|| Reverse((segments[segment].terms.get(term), segment, term)))
    };
    heads.extend((0..segments.len()).filter_map(|segment| head(segment, 0)));
    let mut last: Option<&[u8]> = None;
    while let Some(Reverse((text, segment, term))) = heads.pop() {
        if last != Some(text) {
            joined.terms.push(text);
            joined.ends.push(0);
            last = Some(text);
        }
        let (documents, counts) = segments[segment].postings_of(term);
        joined.documents.extend(documents.iter().map(|document| document + begins[segment]));
        joined.counts.extend_from_slice(counts);
        if let Some(end) = joined.ends.last_mut() {
            *end = joined.documents.len() as u64;
        }
        heads.extend(head(segment, term + 1));
    }
    joined
}
