//! How much failures and notes resemble a text: by its words and its meaning alone.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use idetic_search::{Filters, Weights};

use super::links::Links;
use crate::as_of::AsOf;
use crate::recall::{Models, Question, RecallOptions};
use crate::space::embedding::{EmbedBudget, Which};
use crate::viewpoint::Viewpoint;
use crate::{Error, RecallHit, Result};

/// Failures and notes looked at, of each.
const LOOKED_AT: usize = 100;
/// A note speaks of the solution too: its text is never as much like the failure as another failure.
const NOTE_BONUS: f64 = 0.05;
/// What the share of the words counts beside the cosine.
const WORDS_WEIGHT: f64 = 0.3;
/// What the share of the words counts without a model: it seldom exceeds two thirds.
const WORDS_ALONE: f64 = 1.5;

/// What a text is compared with, through one reader's eyes.
pub struct Compared<'a> {
    pub viewpoint: &'a Viewpoint,
    pub as_of: Option<&'a AsOf>,
    pub horizon: u64,
    pub links: Links,
    models: Models,
    failures: Arc<[u64]>,
    linked: Arc<[u64]>,
    notes: Arc<[u64]>,
    told: bool,
    /// The traces of failures that were looked at, by id.
    traces: HashMap<String, Option<String>>,
}

/// A failure that resembles a text.
#[derive(Debug, Clone)]
pub struct Failure {
    pub hit: RecallHit,
    pub alike: f64,
    pub trace: Option<String>,
}

/// What speaks for a note.
#[derive(Debug, Clone, Default)]
pub struct Evidence {
    /// How much the best of it resembles the text.
    pub alike: f64,
    /// The events.
    pub causes: Vec<String>,
    /// The trace in which it solved what resembles the text most.
    pub trace: Option<String>,
    /// Whether the note's own text resembles it.
    pub by_text: bool,
    /// Whether another failure, which the note did not solve, resembles the text more.
    pub outdone: bool,
}

/// What resembles a text.
#[derive(Debug, Default)]
pub struct Resembling {
    /// Failures, the most alike first.
    pub failures: Vec<Failure>,
    /// Notes by what speaks for them.
    pub notes: BTreeMap<String, Evidence>,
}

impl<'a> Compared<'a> {
    /// Failures and notes of a reader as of a seq, each in order of seq.
    pub fn new(
        viewpoint: &'a Viewpoint,
        (as_of, horizon): (Option<&'a AsOf>, u64),
        links: Links,
        failures: Vec<u64>,
        notes: Vec<u64>,
    ) -> Result<Self> {
        let linked = links.linked(viewpoint, &failures, horizon)?;
        let (models, told, traces) = (Models::default(), false, HashMap::new());
        let [failures, linked, notes] = [failures, linked, notes].map(Arc::from);
        Ok(Self { viewpoint, as_of, horizon, links, models, failures, linked, notes, told, traces })
    }

    /// Compares by meaning too. What is compared gets its vectors first, where the model costs nothing: nobody should
    /// hear that nothing is known because nothing was embedded yet.
    pub fn by_meaning(&mut self, models: &Models, notice: &mut dyn FnMut(&str)) {
        // The rest is for others to embed: here it would be done again for each question.
        self.models = Models { local: false, ..models.clone() };
        let Some(model) = models.wanted.as_ref().filter(|_| models.local) else { return };
        let first: HashSet<u64> = self.notes.iter().chain(self.linked.iter()).copied().collect();
        let others: HashSet<u64> = self.failures.iter().copied().collect();
        let mut left = 0;
        for seqs in [first, others] {
            let which = Which::PendingOf(&seqs);
            match self.viewpoint.space().embed(model, None, which, EmbedBudget::INTERACTIVE, &mut |_, _| {}) {
                Ok(done) => left += done.left,
                Err(error) => return notice(&format!("{error}: searched by words only")),
            }
        }
        self.told = left == 0;
    }

    /// What resembles each of some texts, of failures at least so much.
    pub fn with(&mut self, texts: &[&str], least: f64, notice: &mut dyn FnMut(&str)) -> Result<Vec<Resembling>> {
        let linked = self.find(&Arc::clone(&self.linked), texts, notice)?;
        let all = self.find(&Arc::clone(&self.failures), texts, notice)?;
        let notes = self.find(&Arc::clone(&self.notes), texts, notice)?;
        let mut found = Vec::with_capacity(texts.len());
        for ((linked, all), notes) in linked.into_iter().zip(all).zip(notes) {
            let mut resembling = Resembling::default();
            for (hit, alike) in linked {
                let failure = self.failure(hit, alike)?;
                resembling.count(&self.links, &failure);
            }
            for (hit, alike) in all.into_iter().filter(|(_, alike)| *alike >= least) {
                let failure = self.failure(hit, alike)?;
                resembling.count(&self.links, &failure);
                resembling.failures.push(failure);
            }
            for (hit, alike) in notes {
                resembling.count_text(&hit, alike + NOTE_BONUS, least);
            }
            found.push(resembling);
        }
        Ok(found)
    }

    fn failure(&mut self, hit: RecallHit, alike: f64) -> Result<Failure> {
        let known = self.traces.get(&hit.id).cloned();
        let trace = match known {
            Some(trace) => trace,
            None => {
                let event = self.viewpoint.get(&hit.place.number().to_string(), self.horizon)?;
                event.fields.and_then(|fields| fields.trace_id)
            }
        };
        self.traces.insert(hit.id.clone(), trace.clone());
        Ok(Failure { hit, alike, trace })
    }

    /// For each text the best of some events, the most alike first.
    fn find(
        &self,
        only: &Arc<[u64]>,
        texts: &[&str],
        notice: &mut dyn FnMut(&str),
    ) -> Result<Vec<Vec<(RecallHit, f64)>>> {
        if only.is_empty() {
            return Ok(texts.iter().map(|_| Vec::new()).collect());
        }
        let mut asked = texts.iter().map(|text| Question {
            query: (*text).to_owned(),
            k: Some(LOOKED_AT),
            as_of: self.as_of.cloned(),
            ..Question::default()
        });
        let mut found = Vec::with_capacity(texts.len());
        let mut keep = |_: &Question, recalled: Result<crate::Recalled>| {
            let mut hits: Vec<(RecallHit, f64)> = recalled?.hits.into_iter().map(with_likeness).collect();
            hits.sort_by(|(_, a), (_, b)| b.total_cmp(a));
            found.push(hits);
            Ok(())
        };
        let options = options(Arc::clone(only), self.told);
        self.viewpoint.recall(&self.models, &options, &mut || Ok(asked.next()), &mut keep, notice)?;
        let answered = found.len() == texts.len();
        if answered { Ok(found) } else { Err(Error::unavailable("a question was not answered")) }
    }
}

impl Resembling {
    /// Counts a failure for the notes its trace leads to.
    fn count(&mut self, links: &Links, failure: &Failure) {
        for (note, cause) in links.of(failure.trace.as_deref()) {
            let evidence = self.notes.entry(note.to_owned()).or_default();
            evidence.causes.extend([failure.hit.id.clone(), cause.to_owned()]);
            if failure.alike > evidence.alike {
                (evidence.alike, evidence.trace) = (failure.alike, failure.trace.clone());
            }
        }
    }

    /// Counts a note's own text, which is said to speak of it only where it does so enough.
    fn count_text(&mut self, hit: &RecallHit, alike: f64, least: f64) {
        let Some(seen) = &hit.note else { return };
        let evidence = self.notes.entry(seen.note.clone()).or_default();
        evidence.alike = evidence.alike.max(alike);
        if alike >= least {
            evidence.by_text = true;
            evidence.causes.push(hit.id.clone());
        }
    }
}

/// Nothing but how much a text resembles the failure. Equal texts stay several: the same failure may have come again, and only
/// one of its traces led to a note.
fn options(only: Arc<[u64]>, waits_told: bool) -> RecallOptions {
    let weights = Weights::of_the_text_alone();
    RecallOptions {
        filters: Filters { only: Some(only), ..Filters::default() },
        weights,
        waits_told,
        ..RecallOptions::default()
    }
}

/// A hit and how much it resembles the question, from 0 to 1. Without a model the words alone must do.
fn with_likeness(hit: RecallHit) -> (RecallHit, f64) {
    let (words, cosine) = hit.standing;
    let alike = match cosine {
        Some(cosine) => cosine + WORDS_WEIGHT * words,
        None => WORDS_ALONE * words,
    };
    (hit, alike.min(1.0))
}
