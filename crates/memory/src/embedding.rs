//! Embedding: gives documents their vectors, in batches, behind the appends, and says which still wait.

use std::collections::HashMap;
use std::sync::Arc;

use idetic_core::Event;
use idetic_core::recall::InputHash;
use idetic_model::{EmbedError, Embedder};
use idetic_store::{Made, Series};
use serde::Serialize;

use crate::long_term::Waiting;
use crate::{Result, Space};

/// Texts embedded at a time.
const BATCH_TEXTS: usize = 32;
/// Documents embedded by the way, after an append or before a question; `dream` does the rest.
pub(crate) const EMBED_BY_THE_WAY: usize = 32;
/// Documents whose state is looked up at a time.
const PAGE_DOCUMENTS: usize = 1024;

/// How far the vectors of a model cover the documents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Coverage {
    /// The documents that have vectors.
    pub embedded: u64,
    /// Those that wait for their first try.
    pub pending: u64,
    /// Those that are tried again because it failed.
    pub retry: u64,
}

/// What an attempt to embed did.
#[derive(Debug, Clone, Default)]
pub(crate) struct Embedded {
    /// Documents that got their vectors.
    pub embedded: u64,
    /// Of those the ones that had failed before.
    pub retried: u64,
    /// Documents that failed now.
    pub failed: u64,
    /// Why the model could not be used at all.
    pub unavailable: Option<String>,
}

/// Which documents are to be embedded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Which {
    /// Those that were never tried.
    Pending,
    /// Those that failed as well.
    All,
}

impl Space {
    /// How the documents up to a seq stand with a model.
    pub(crate) fn coverage(&self, model: &str, seq: u64) -> Result<Coverage> {
        let long_term = self.long_term(seq)?;
        let covered = self.lane_files().manifest().covered(Series::Vectors(model)).0;
        let sealed = long_term.count_with_words(covered.min(seq))?;
        let mut coverage = Coverage { embedded: sealed, ..Coverage::default() };
        for (_, state) in self.waiting(model, None, covered, seq)? {
            match state {
                Some(Made::Vectors(_)) => coverage.embedded += 1,
                Some(Made::Failed { .. }) => coverage.retry += 1,
                None => coverage.pending += 1,
            }
        }
        Ok(coverage)
    }

    /// The documents of some lanes or of all behind a seq, up to another, with what became of each.
    pub(crate) fn waiting(
        &self,
        model: &str,
        lanes: Option<&[String]>,
        from: u64,
        to: u64,
    ) -> Result<Vec<(Waiting, Option<Made>)>> {
        let mut documents = self.long_term(to)?.behind(from, lanes)?;
        documents.retain(|document| document.seq <= to);
        let mut all = Vec::with_capacity(documents.len());
        for page in documents.chunks(PAGE_DOCUMENTS) {
            let inputs: Vec<InputHash> = page.iter().map(|document| document.input).collect();
            let states = self.vectors().get(model, &inputs)?;
            // The vectors themselves are not kept here: there may be very many.
            let slim = states.into_iter().map(|made| match made {
                Some(Made::Vectors(_)) => Some(Made::Vectors(Vec::new())),
                other => other,
            });
            all.extend(page.iter().cloned().zip(slim));
        }
        Ok(all)
    }

    /// Gives up to `most` documents of some lanes or of all their vectors, the oldest first, and seals what is complete. A
    /// model that cannot be used is no error here: what it was asked for waits for the next time.
    pub(crate) fn embed(
        &self,
        model: &Arc<dyn Embedder>,
        lanes: Option<&[String]>,
        which: Which,
        most: usize,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<Embedded> {
        let id = model.id().to_string();
        let head = self.log().tip()?.seq;
        let covered = self.lane_files().manifest().covered(Series::Vectors(&id)).0;
        let mut done = Embedded::default();
        if head > covered {
            let waiting = self.waiting(&id, lanes, covered, head)?;
            let wanted = |made: &Option<Made>| match made {
                None => true,
                Some(Made::Failed { .. }) => which == Which::All,
                Some(Made::Vectors(_)) => false,
            };
            // The same text said twice in a lane is embedded once.
            let mut tries: HashMap<InputHash, u32> = HashMap::new();
            let mut todo: Vec<Waiting> = Vec::new();
            for (document, made) in waiting.into_iter().filter(|(_, made)| wanted(made)) {
                let before = if let Some(Made::Failed { tries, .. }) = made { tries } else { 0 };
                if tries.insert(document.input, before).is_none() {
                    todo.push(document);
                }
            }
            todo.truncate(most);
            self.embed_all(model, &id, &todo, &tries, &mut done, progress)?;
        }
        self.seal_vectors(&id, model.dimensions(), None)?;
        Ok(done)
    }

    fn embed_all(
        &self,
        model: &Arc<dyn Embedder>,
        id: &str,
        todo: &[Waiting],
        tries: &HashMap<InputHash, u32>,
        done: &mut Embedded,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<()> {
        let before = |input: &InputHash| tries.get(input).copied().unwrap_or(0);
        for batch in todo.chunks(BATCH_TEXTS) {
            let seqs: Vec<u64> = batch.iter().map(|document| document.seq).collect();
            let texts: Vec<String> = self.events(&seqs)?.iter().map(Event::whole_text).collect();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let mut made: Vec<(InputHash, Made)> = Vec::with_capacity(batch.len());
            let fail = |input: InputHash, why: &str, done: &mut Embedded| {
                done.failed += 1;
                (input, Made::Failed { tries: before(&input) + 1, why: why.to_owned() })
            };
            match vectors_of(model, &texts) {
                Ok(vectors) => made.extend(batch.iter().map(|d| d.input).zip(vectors.into_iter().map(Made::Vectors))),
                Err(EmbedError::Unavailable(why)) => {
                    made.extend(batch.iter().map(|document| fail(document.input, &why, done)));
                    done.unavailable = Some(why);
                }
                // One text of the batch may be to blame: each is asked for alone.
                Err(EmbedError::Wrong(_)) => {
                    for (document, text) in batch.iter().zip(&texts) {
                        made.push(match vectors_of(model, &[text]) {
                            Ok(mut vectors) => (document.input, Made::Vectors(vectors.pop().unwrap_or_default())),
                            Err(error) => fail(document.input, &error.to_string(), done),
                        });
                    }
                    if made.iter().all(|(_, made)| matches!(made, Made::Failed { .. })) {
                        done.unavailable = Some("the model answered nothing that could be used".to_owned());
                    }
                }
            }
            for (input, _) in made.iter().filter(|(_, made)| matches!(made, Made::Vectors(_))) {
                done.embedded += 1;
                done.retried += u64::from(before(input) > 0);
            }
            self.vectors().put(id, &made)?;
            progress(done.embedded + done.failed, todo.len() as u64);
            if done.unavailable.is_some() {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// The vectors of the passages of each text.
fn vectors_of(model: &Arc<dyn Embedder>, texts: &[&str]) -> std::result::Result<Vec<Vec<Vec<f32>>>, EmbedError> {
    let passages: Vec<Vec<&str>> =
        texts.iter().map(|text| model.passages(text).into_iter().map(|range| &text[range]).collect()).collect();
    let flat: Vec<&str> = passages.iter().flatten().copied().collect();
    let vectors = model.embed(&flat)?;
    if vectors.len() != flat.len() || vectors.iter().any(|vector| vector.len() != model.dimensions()) {
        return Err(EmbedError::Wrong("vectors of another number or length than asked for".to_owned()));
    }
    let mut vectors = vectors.into_iter();
    Ok(passages.iter().map(|p| vectors.by_ref().take(p.len()).collect()).collect())
}
