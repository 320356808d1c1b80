//! A lane with so many texts and their vectors, as the library would seal it.

use idetic_core::Time;
use idetic_search::{Block, Builder, Changes, Codes, CodesBuilder, Document, Lanes, Segment};

use super::corpus::{Corpus, DIMENSIONS};

/// Texts of a conversation.
const TURNS: usize = 20;
const AUTHORS: [&str; 4] = ["Ada", "Grace", "Edsger", "Barbara"];
/// 2025-01-01T00:00:00Z, in microseconds, and the time between two texts.
const FIRST_TIME: i64 = 1_735_689_600_000_000;
const STEP: i64 = 60_000_000;

/// The blocks of one lane.
pub struct Indexed {
    segment: Block,
    codes: Block,
    unchanged: Changes,
}

impl Indexed {
    /// One segment and one block of vectors.
    pub fn new(corpus: &Corpus, vectors: &[f32]) -> Result<Self, String> {
        let mut segment = Builder::new("bench");
        let mut codes = CodesBuilder::new(DIMENSIONS);
        for (number, vector) in vectors.chunks_exact(DIMENSIONS).enumerate() {
            let (seq, conversation) = (number as u64 + 1, format!("c-{}", number / TURNS));
            let document = Document {
                ts: time(number),
                author: Some(AUTHORS[number % AUTHORS.len()]),
                conversation: Some(&conversation),
                ..Document::plain(seq, corpus.text(number))
            };
            segment.push(&document).map_err(|e| e.to_string())?;
            codes.push(seq, &[vector.to_vec()]);
        }
        let segment = Block::new(&segment.finish());
        let codes = codes.finish();
        Ok(Self { segment, codes: Block::new(&codes), unchanged: Changes::default() })
    }

    /// All of it.
    pub fn lanes(&self) -> Result<Lanes<'_>, String> {
        let segment = Segment::read(self.segment.bytes()).map_err(|e| e.to_string())?;
        let codes = Codes::read(self.codes.bytes()).map_err(|e| e.to_string())?;
        Ok(Lanes::new([(segment, &self.unchanged)], [codes], u64::MAX))
    }
}

/// When a text was said.
pub fn time(number: usize) -> Time {
    Time(FIRST_TIME + STEP * i64::try_from(number).unwrap_or(i64::MAX / STEP))
}
