//! The files of the recall index: read where they lie, and damaged by whoever can write to a home.

use std::sync::LazyLock;

use idetic_core::Time;
use idetic_search::{
    Block, Builder, Changes, Codes, CodesBuilder, Document, Filters, Lanes, Mode, Query, Segment, Weights, rank,
};

use crate::patch::damaged;

/// Numbers of a vector here.
const DIMENSIONS: usize = 8;
/// Most numbers of a vector for which a question is asked here.
const ASKED_MAX_DIMENSIONS: usize = 64;

/// A block of documents as it is written.
pub static SEGMENT: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut builder = Builder::new("shared");
    for (seq, text) in (1..).zip(["tea is green", "the tea is cold", "nobody drinks it", "tea"]) {
        let document = Document { author: Some("ann"), conversation: Some("c"), ..Document::plain(seq, text) };
        builder.push(&document).expect("in order");
    }
    builder.finish()
});

static CODES: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut builder = CodesBuilder::new(DIMENSIONS);
    for seq in 1..=4_u8 {
        let passage: Vec<f32> =
            (0..DIMENSIONS).map(|at| f32::from(seq) - if at % 2 == 0 { 2.0 } else { 0.5 }).collect();
        builder.push(seq.into(), &vec![passage; usize::from(seq % 3)]);
    }
    builder.finish()
});

/// A block of documents is refused, or what is asked of it stays within it.
pub fn segment(data: &[u8]) {
    let block = Block::new(&damaged(&SEGMENT, data));
    let Ok(segment) = Segment::read(block.bytes()) else { return };
    let visible = segment.visible_at(3);
    assert!(visible <= segment.len());
    let _ = (segment.is_empty(), segment.length_sums(visible));
    for word in ["tea", "t", "", "zebra"] {
        let (documents, counts) = segment.postings(word, visible);
        assert_eq!(documents.len(), counts.len());
        let _ = segment.postings_of_beginning(word, visible);
    }
}

/// A block of vectors is refused, or a question is answered from it: its checksum is not looked at on the way.
pub fn vectors(data: &[u8]) {
    let block = Block::new(&damaged(&CODES, data));
    let Ok(codes) = Codes::read(block.bytes()) else { return };
    let documents = Block::new(&SEGMENT);
    let segment = Segment::read(documents.bytes()).expect("a segment that was written");
    let changes = Changes::default();
    let mut builder = CodesBuilder::new(DIMENSIONS);
    let lanes = Lanes::new([(segment, &changes)], [codes], u64::MAX);
    assert!(lanes.with_vectors() <= lanes.len());
    for dimensions in [DIMENSIONS, ASKED_MAX_DIMENSIONS] {
        let vector = vec![0.25_f32; dimensions];
        let query = Query {
            text: "tea",
            now: Time(0),
            mode: Mode::Hybrid,
            k: 3,
            filters: Filters::default(),
            weights: Weights::default(),
        };
        let hits = rank(&lanes, &query, Some(&vector));
        assert!(hits.len() <= 3 && hits.iter().all(|hit| hit.place < lanes.len()));
    }
    builder.append(&codes);
    let _ = builder.finish();
}
