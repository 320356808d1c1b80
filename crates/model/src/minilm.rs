//! all-MiniLM-L6-v2, ready to run.

use std::num::NonZero;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use std::thread::available_parallelism;

use crate::asset::{Asset, NAME, Section};
use crate::embedder::{EmbedError, Embedder, ModelId};
use crate::error::ModelError;
use crate::forward::{GROUP_ROWS, Room, forward};
use crate::kernels::Kernels;
use crate::passages;
use crate::shape::{HIDDEN, PIECES, PLACES};
use crate::tokenizer::Tokenizer;
use crate::vocabulary::Vocabulary;
use crate::weights::Weights;

/// Texts from which on they are shared among threads.
const PARALLEL_TEXTS: usize = 16;

/// Word pieces of a passage: the model reads some more, and a vector of fewer says more about each.
const PASSAGE_PIECES: usize = 200;

/// The built-in model. A text's vector is the same bits alone or in any batch, on one thread or many, on every
/// processor.
pub struct MiniLm {
    id: ModelId,
    tokenizer: Tokenizer,
    weights: Weights,
    kernels: Kernels,
    /// Room of past calls, one for each thread that was ever inside at the same time.
    rooms: Mutex<Vec<Room>>,
}

impl MiniLm {
    /// How many numbers a vector has.
    pub const DIMENSIONS: usize = HIDDEN;

    /// How many word pieces of a text the model reads; what is beyond is not seen. See [`MiniLm::passages`].
    pub const MAX_PIECES: usize = PLACES - 2;

    /// Takes the bytes of an asset. Almost nothing is copied or computed here: the bytes are read where they are when
    /// a text needs them.
    pub fn from_bytes(bytes: &'static [u8]) -> Result<Self, ModelError> {
        let asset = Asset::new(bytes)?;
        let sections = [Section::Pieces, Section::Ends, Section::Slots].map(|it| asset.section(it));
        let vocabulary = Vocabulary::new(sections[0], sections[1], sections[2])
            .filter(|_| sections[1].len() == PIECES * size_of::<u32>())
            .ok_or(ModelError::Damaged("the vocabulary"))?;
        Ok(Self {
            id: ModelId { name: NAME.to_owned(), revision: asset.revision() },
            tokenizer: Tokenizer::new(vocabulary),
            weights: Weights::read(asset)?,
            kernels: Kernels::best(),
            rooms: Mutex::new(Vec::new()),
        })
    }

    /// Which processor instructions are used.
    pub fn instructions(&self) -> &'static str {
        self.kernels.name()
    }

    /// The same model on each kind of instructions that this machine has, the portable kind last. The vectors are the
    /// same; this is for showing that they are.
    pub fn on_all_instructions(bytes: &'static [u8]) -> Result<Vec<Self>, ModelError> {
        Kernels::all().into_iter().map(|kernels| Ok(Self { kernels, ..Self::from_bytes(bytes)? })).collect()
    }

    /// The vector of a text, of length one.
    pub fn embed(&self, text: &str) -> Vec<f32> {
        self.embed_batch(&[text]).pop().unwrap_or_default()
    }

    /// The vectors of many texts, in order, on this thread.
    pub fn embed_batch(&self, texts: &[&str]) -> Vec<Vec<f32>> {
        let mut room = self.rooms.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        let mut vectors = Vec::with_capacity(texts.len());
        let mut group = Vec::new();
        let mut rows = 0;
        for text in texts {
            let pieces = self.word_piece_ids(text);
            if rows + pieces.len() > GROUP_ROWS && !group.is_empty() {
                vectors.extend(forward(self.kernels, &self.weights, &group, &mut room));
                group.clear();
                rows = 0;
            }
            rows += pieces.len();
            group.push(pieces);
        }
        if !group.is_empty() {
            vectors.extend(forward(self.kernels, &self.weights, &group, &mut room));
        }
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner).push(room);
        vectors
    }

    /// Like `embed_batch`, on up to `threads` threads.
    pub fn embed_parallel(&self, texts: &[&str], threads: usize) -> Vec<Vec<f32>> {
        if threads <= 1 {
            return self.embed_batch(texts);
        }
        let share = texts.len().div_ceil(threads).max(1);
        std::thread::scope(|scope| {
            let workers: Vec<_> =
                texts.chunks(share).map(|texts| scope.spawn(move || self.embed_batch(texts))).collect();
            let joined = workers.into_iter().map(|worker| worker.join());
            joined.flat_map(|vectors| vectors.expect("embedding does not panic")).collect()
        })
    }

    /// How many word pieces a text has, beyond the model's limit too.
    pub fn word_pieces(&self, text: &str) -> usize {
        self.tokenizer.count(text)
    }

    /// The numbers of the word pieces the model reads of a text, with the two that frame it.
    pub fn word_piece_ids(&self, text: &str) -> Vec<u32> {
        self.tokenizer.framed(text, PLACES)
    }

    /// Cuts a text into passages of at most `max_pieces` word pieces: whole sentences as far as they fit, then whole
    /// words, then whole characters. The ranges are bytes, follow each other and cover the text.
    pub fn passages(&self, text: &str, max_pieces: usize) -> Vec<Range<usize>> {
        passages::cut(&self.tokenizer, text, max_pieces)
    }
}

impl Embedder for MiniLm {
    fn id(&self) -> &ModelId {
        &self.id
    }

    fn dimensions(&self) -> usize {
        HIDDEN
    }

    fn passages(&self, text: &str) -> Vec<Range<usize>> {
        Self::passages(self, text, PASSAGE_PIECES)
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        // Few texts are done before a thread has begun.
        let threads = if texts.len() < PARALLEL_TEXTS { 1 } else { available_parallelism().map_or(1, NonZero::get) };
        Ok(self.embed_parallel(texts, threads))
    }
}
