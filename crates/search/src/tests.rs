//! Recall as a whole: the reference's answers, and answers that do not depend on how documents are stored.

mod dialogue;
mod golden;
mod languages;
mod properties;

use std::sync::LazyLock;

use idetic_core::words::Persona;

use super::{
    Block, Builder, Changes, Codes, CodesBuilder, Document, Lane, LaneSection, Lanes, Segment, input_hash, join,
};

/// Documents with vectors, being indexed.
struct Indexed {
    segment: Builder,
    codes: CodesBuilder,
}

/// The blocks of any number of segments.
#[derive(Default)]
struct Blocks {
    segments: Vec<Block>,
    codes: Vec<Block>,
}

impl Indexed {
    fn new(dimensions: usize) -> Self {
        Self { segment: Builder::new("lane"), codes: CodesBuilder::new(dimensions) }
    }

    fn push(&mut self, document: &Document<'_>, vectors: &[Vec<f32>]) {
        self.segment.push(document).expect("in order");
        if !vectors.is_empty() {
            self.codes.push(document.seq, vectors);
        }
    }

    fn blocks(&self) -> Blocks {
        Blocks { segments: vec![Block::new(&self.segment.finish())], codes: vec![Block::new(&self.codes.finish())] }
    }
}

impl Blocks {
    fn lanes(&self, horizon: u64) -> Lanes<'_> {
        static NONE: LazyLock<Changes> = LazyLock::new(Changes::default);
        self.lanes_with(horizon, &NONE)
    }

    fn lanes_with<'a>(&'a self, horizon: u64, changes: &'a Changes) -> Lanes<'a> {
        let segments = self.segments.iter().map(|block| (Segment::read(block.bytes()).expect("a segment"), changes));
        let codes = self.codes.iter().map(|block| Codes::read(block.bytes()).expect("vectors"));
        Lanes::new(segments, codes, horizon)
    }

    fn and(mut self, other: Self) -> Self {
        self.segments.extend(other.segments);
        self.codes.extend(other.codes);
        self
    }

    /// All of them as one segment and one block of vectors.
    fn joined(&self, dimensions: usize) -> Self {
        let segments: Vec<Segment> =
            self.segments.iter().map(|b| Segment::read(b.bytes()).expect("a segment")).collect();
        let mut codes = CodesBuilder::new(dimensions);
        self.codes.iter().for_each(|block| codes.append(&Codes::read(block.bytes()).expect("vectors")));
        Self { segments: vec![Block::new(&join(&segments))], codes: vec![Block::new(&codes.finish())] }
    }
}

#[test]
fn what_repeats_is_embedded_once_with_what_it_repeats_in_its_lane_and_no_other() {
    let of = |lane: &Lane, part| input_hash(&lane.part_name(part), "The port is 4747.");
    let lane = Lane::Of("a".to_owned(), Persona::Actor);
    assert_eq!(of(&lane, LaneSection::Ranked), of(&lane, LaneSection::Echo));
    for other in
        [Lane::Shared, Lane::Of("a".to_owned(), Persona::Subconscious), Lane::Of("b".to_owned(), Persona::Actor)]
    {
        assert_ne!(of(&lane, LaneSection::Ranked), of(&other, LaneSection::Echo));
    }
}
