//! Embedding: gives documents their vectors, in batches, behind the appends, and says which still wait.

use std::collections::HashSet;
use std::sync::Arc;

use idetic_model::{EmbedError, Embedder};
use idetic_search::InputHash;
use idetic_store::{EventVectors, Made, Series};
use serde::Serialize;

use crate::space::index::Waiting;
use crate::{Result, Space};

/// Texts embedded at a time.
const BATCH_TEXTS: usize = 32;
/// Words embedded at a time: what is made is kept after each batch, so that a long run that is cut off loses little.
const BATCH_WORDS: usize = 4096;
/// Bytes that a word has with the space behind it, where they are limited.
const WORD_BYTES: usize = 6;
/// Documents whose state is looked up at a time.
const PAGE_DOCUMENTS: usize = 1024;
/// The newest documents go first, so that a backlog does not delay what was just said. The rest goes from the oldest, because
/// files are sealed from the front.
const NEWEST_FIRST: usize = 128;
/// Documents whose vectors are read from the log at a time, and at most unless all are wanted.
const READ_PAGE: usize = 256;
const READ_MOST: usize = 4096;

/// What any model can embed.
const HARMLESS: &str = "ready?";

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
pub struct Embedded {
    /// Documents that got their vectors.
    pub embedded: u64,
    /// Of those the ones that had failed before.
    pub retried: u64,
    /// Documents that failed now.
    pub failed: u64,
    /// Documents that were to be embedded and were too many for one go.
    pub left: usize,
    /// Why the model could not be used at all.
    pub unavailable: Option<String>,
}

/// How much is embedded in one go.
#[derive(Debug, Clone, Copy)]
pub struct EmbedBudget {
    documents: usize,
    words: usize,
}

impl EmbedBudget {
    /// All of it.
    pub const UNLIMITED: Self = Self { documents: usize::MAX, words: usize::MAX };
    /// By the way, after an append or before a question: what takes a fraction of a second. `dream` does the rest.
    pub const OPPORTUNISTIC: Self = Self { documents: 32, words: 1024 };
    /// A part of a backlog, between two looks at what is new.
    pub const BACKGROUND: Self = Self { documents: 64, words: 2048 };
    /// One document, however long it is.
    pub const ONE_DOCUMENT: Self = Self { documents: 1, words: usize::MAX };
    /// What an answer depends on and is worth a few seconds, once.
    pub const INTERACTIVE: Self = Self { documents: 512, words: 16_384 };
}

/// Which documents are to be embedded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which<'a> {
    /// Those that were never tried.
    Pending,
    /// Of these events those that were never tried.
    PendingOf(&'a HashSet<u64>),
    /// Those that failed as well.
    All,
}

impl Space {
    /// How the documents up to a seq stand with a model.
    pub fn coverage(&self, model: &str, seq: u64) -> Result<Coverage> {
        let all = self.long_term(seq)?.count_with_words(seq)?;
        let mut coverage = Coverage::default();
        for (_, state) in self.waiting(model, None, seq)? {
            match state {
                Some(Made::Vectors(_)) => {}
                Some(Made::Failed { tries: 1.., .. }) => coverage.retry += 1,
                _ => coverage.pending += 1,
            }
        }
        coverage.embedded = all - coverage.pending - coverage.retry;
        Ok(coverage)
    }

    /// Where rows of the vectors were lost, nobody knows which documents a file was sealed without: all are sealed again.
    pub(crate) fn reseal_what_was_salvaged(&self) -> Result<()> {
        if self.vectors().was_salvaged()?
            && let Some(writing) = self.lane_files().write()?
        {
            let models: Vec<String> = self.lane_files().manifest().models().map(str::to_owned).collect();
            models.iter().try_for_each(|model| writing.forget(model))?;
            self.vectors().settle()?;
        }
        Ok(())
    }

    /// The documents of some lanes or of all up to a seq whose vectors are not in the files, in order, with what became of
    /// each.
    pub fn waiting(&self, model: &str, lanes: Option<&[String]>, to: u64) -> Result<Vec<(Waiting, Option<Made>)>> {
        self.reseal_what_was_salvaged()?;
        let covered = self.lane_files().manifest().covered(Series::Vectors(model)).0;
        let failed = self.vectors().failed(model)?;
        let mut documents = self.long_term(to)?.behind(if failed.is_empty() { covered } else { 0 }, lanes)?;
        documents.retain(|document| document.seq <= to && (document.seq > covered || failed.contains(&document.input)));
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

    /// Gives at most so many documents of some lanes or of all their vectors and seals what is complete: first those that were
    /// never tried, so that none is kept waiting by others that fail each time. A model that cannot be
    /// used is no error here: what it was asked for waits for the next time.
    pub fn embed(
        &self,
        model: &Arc<dyn Embedder>,
        lanes: Option<&[String]>,
        which: Which<'_>,
        most: EmbedBudget,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<Embedded> {
        let id = model.id().to_string();
        let (tip, mark) = self.log().tip_and_mark()?;
        self.follow_erasures(mark)?;
        let (start, head) = (Start { erasures: self.erasures(), mark }, tip.seq);
        let mut done = Embedded::default();
        // The same text said twice in a lane is embedded once.
        let mut seen: HashSet<InputHash> = HashSet::new();
        let mut todo: Vec<Todo> = Vec::new();
        for (document, made) in self.waiting(&id, lanes, head)? {
            let tries = match made {
                None => 0,
                Some(Made::Failed { tries, .. }) if tries == 0 || which == Which::All => tries,
                Some(_) => continue,
            };
            let wanted = !matches!(which, Which::PendingOf(seqs) if !seqs.contains(&document.seq));
            if wanted && seen.insert(document.input) {
                todo.push(Todo { document, tries });
            }
        }
        todo.sort_by_key(|todo| todo.tries);
        newest_first(&mut todo);
        if most.documents != usize::MAX {
            done.left = todo.len().saturating_sub(READ_MOST);
            todo.truncate(READ_MOST);
        }
        self.read_vectors(&id, &mut todo, &start, &mut done)?;
        // One that is too long to be embedded by the way does not keep those behind it waiting.
        let mut words = 0;
        let wanted = todo.len();
        todo.retain(|todo| {
            let fits = todo.words() <= most.words - words;
            words += if fits { todo.words() } else { 0 };
            fits
        });
        todo.truncate(most.documents);
        self.retain_short(&mut todo, most.words)?;
        done.left += wanted - todo.len();
        let mut rest = &todo[..];
        while !rest.is_empty() {
            let (batch, later) = rest.split_at(at_once(rest));
            rest = later;
            let made = self.embed_batch(model, batch, &mut done)?;
            if !self.keep(&id, batch, &made, &start)? {
                done.left += rest.len();
                break;
            }
            self.share(&id, batch, &made, &start)?;
            progress(done.embedded + done.failed, todo.len() as u64);
            if done.unavailable.is_some() {
                break;
            }
        }
        self.seal_vectors(&id, model.dimensions())?;
        Ok(done)
    }

    /// Drops those whose text is too long all the same: words that stand in every text are not counted, and cost as much.
    fn retain_short(&self, todo: &mut Vec<Todo>, words: usize) -> Result<()> {
        if words == usize::MAX {
            return Ok(());
        }
        let mut left = words * WORD_BYTES;
        let mut short = Vec::with_capacity(todo.len());
        for todo in todo.drain(..) {
            let bytes = self.event(todo.document.seq)?.whole_text().len();
            if bytes <= left {
                left -= bytes;
                short.push(todo);
            }
        }
        *todo = short;
        Ok(())
    }

    /// Takes the vectors that another machine computed from the log; the documents that have none are left.
    fn read_vectors(&self, model: &str, todo: &mut Vec<Todo>, start: &Start, done: &mut Embedded) -> Result<()> {
        let mut without = Vec::with_capacity(todo.len());
        for page in std::mem::take(todo).chunks(READ_PAGE) {
            let inputs: Vec<InputHash> = page.iter().map(|todo| todo.document.input).collect();
            let (mut found, mut made) = (Vec::new(), Vec::new());
            for (todo, vectors) in page.iter().zip(self.log().vectors(model, &inputs)?) {
                match vectors {
                    Some(vectors) => {
                        found.push(todo.clone());
                        made.push(Made::Vectors(vectors));
                    }
                    None => without.push(todo.clone()),
                }
            }
            if !found.is_empty() && self.keep(model, &found, &made, start)? {
                done.embedded += found.len() as u64;
            }
        }
        *todo = without;
        Ok(())
    }

    /// Keeps vectors with the log, for other machines.
    fn share(&self, model: &str, batch: &[Todo], made: &[Made], start: &Start) -> Result<()> {
        let new = batch.iter().zip(made).filter_map(|(todo, made)| match made {
            Made::Vectors(passages) => {
                Some(EventVectors { seq: todo.document.seq, input: todo.document.input, passages: passages.clone() })
            }
            Made::Failed { .. } => None,
        });
        Ok(self.log().keep_vectors(model, &new.collect::<Vec<_>>(), start.mark)?)
    }

    /// What becomes of each text of a batch, in order.
    fn embed_batch(&self, model: &Arc<dyn Embedder>, batch: &[Todo], done: &mut Embedded) -> Result<Vec<Made>> {
        let mut texts: Vec<String> = Vec::with_capacity(batch.len());
        for todo in batch {
            texts.push(self.event(todo.document.seq)?.whole_text());
        }
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let mut made = Vec::with_capacity(batch.len());
        match vectors_of(model, &texts) {
            Ok(vectors) => made.extend(vectors.into_iter().map(Made::Vectors)),
            Err(error) => {
                let mut blame = Blame { model, unavailable: None };
                blame.after(error);
                // One text may be to blame: each is asked for alone, as long as the model answers at all.
                for (todo, text) in batch.iter().zip(&texts) {
                    let alone = match &blame.unavailable {
                        Some(why) => Err(why.clone()),
                        None => vectors_of(model, &[text]).map_err(|error| blame.after(error)),
                    };
                    made.push(match alone {
                        Ok(mut vectors) => Made::Vectors(vectors.pop().unwrap_or_default()),
                        Err(why) => Made::Failed { tries: todo.tries + 1, why },
                    });
                }
                done.unavailable = blame.unavailable;
            }
        }
        for (todo, made) in batch.iter().zip(&made) {
            match made {
                Made::Vectors(_) => {
                    done.embedded += 1;
                    done.retried += u64::from(todo.tries > 0);
                }
                Made::Failed { .. } => done.failed += 1,
            }
        }
        Ok(made)
    }

    /// Keeps what became of some texts. Files that were sealed without one of them are let go first, under the lock under
    /// which files are sealed, so that nobody ever takes a file for complete that is not. Nothing is kept when something was
    /// erased since the start: it may be one of these.
    fn keep(&self, model: &str, batch: &[Todo], made: &[Made], start: &Start) -> Result<bool> {
        let files = self.lane_files();
        let writing = files.write()?;
        if self.erasures() != start.erasures {
            return Ok(false);
        }
        let covered = files.manifest().covered(Series::Vectors(model)).0;
        let inputs: Vec<InputHash> = batch.iter().map(|todo| todo.document.input).collect();
        let is_new = |made: &Made, known: &Option<Made>| {
            matches!(made, Made::Vectors(_)) && !matches!(known, Some(Made::Vectors(_)))
        };
        let known = self.vectors().get(model, &inputs)?;
        let new = batch.iter().zip(made.iter().zip(&known)).filter(|(_, (made, known))| is_new(made, known));
        let first_late = new.map(|(todo, _)| todo.document.seq).filter(|seq| *seq <= covered).min();
        if let (Some(writing), Some(seq)) = (&writing, first_late) {
            writing.forget_from(model, seq)?;
        }
        let made: Vec<(InputHash, Made)> = inputs.iter().copied().zip(made.iter().cloned()).collect();
        self.vectors().put(model, &made)?;
        if self.erasures() != start.erasures {
            // One of the texts may have been erased meanwhile. Those that were not are embedded again.
            self.vectors().remove(&inputs)?;
            self.vectors().leave_no_trace()?;
            return Ok(false);
        }
        Ok(true)
    }
}

/// How things stood before any text was read: how often something had been erased here, and the mark of the last erasure in
/// the log.
struct Start {
    erasures: u64,
    mark: u64,
}

/// A document to be embedded, and how often that failed before.
#[derive(Clone)]
struct Todo {
    document: Waiting,
    tries: u32,
}

impl Todo {
    fn words(&self) -> usize {
        self.document.length as usize
    }
}

/// Puts the last of the documents that were never tried before the others.
fn newest_first(todo: &mut [Todo]) {
    let never_tried = todo.partition_point(|todo| todo.tries == 0);
    let older = never_tried.saturating_sub(NEWEST_FIRST);
    todo[..never_tried].rotate_left(older);
    todo[..never_tried - older].reverse();
}

/// How many of some documents make up the next batch: few enough words, or one document that has more.
fn at_once(todo: &[Todo]) -> usize {
    let mut words = 0;
    let fits = |todo: &&Todo| {
        words += todo.words();
        words <= BATCH_WORDS
    };
    todo.iter().take(BATCH_TEXTS).take_while(fits).count().max(1)
}

/// Who is to blame for a failure: the texts, or the model.
struct Blame<'a> {
    model: &'a Arc<dyn Embedder>,
    /// Why the model cannot be used, once that is known.
    unavailable: Option<String>,
}

impl Blame<'_> {
    /// A model that does not answer to a harmless text either cannot be used. Gives what the failure was.
    fn after(&mut self, error: EmbedError) -> String {
        if self.model.embed_query(HARMLESS).is_err() {
            self.unavailable = Some(error.to_string());
        }
        error.to_string()
    }
}

/// The vectors of the passages of each text.
fn vectors_of(model: &Arc<dyn Embedder>, texts: &[&str]) -> std::result::Result<Vec<Vec<Vec<f32>>>, EmbedError> {
    let passages: Vec<Vec<&str>> =
        texts.iter().map(|text| model.passages(text).into_iter().map(|range| &text[range]).collect()).collect();
    let flat: Vec<&str> = passages.iter().flatten().copied().collect();
    let vectors = model.embed(&flat)?;
    if vectors.len() != flat.len() || vectors.iter().any(|vector| vector.len() != model.dimensions()) {
        return Err(EmbedError::Wrong("the number or length of the vectors is not what was requested".to_owned()));
    }
    let mut vectors = vectors.into_iter();
    Ok(passages.iter().map(|p| vectors.by_ref().take(p.len()).collect()).collect())
}
