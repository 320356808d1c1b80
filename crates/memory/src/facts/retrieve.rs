//! Finding facts: by what they say, among those that are true at a moment.

use std::collections::HashSet;
use std::sync::Arc;

use idetic_core::Time;
use idetic_core::views::{FACT_STORED, FactRow};
use idetic_search::filter::Condition;
use idetic_search::{Filters, Mode, Weights};

use crate::as_of::AsOf;
use crate::recall::{HITS_MAX, Models, Question, RecallOptions};
use crate::viewpoint::Viewpoint;
use crate::{Error, Fact, Result};

/// Facts when nothing is said.
pub const DEFAULT_FACTS: usize = 5;
/// Most facts of one question.
pub const FACTS_MAX: usize = 100;

/// What is asked of facts.
#[derive(Debug, Clone, Default)]
pub struct FactQuery {
    /// In words.
    pub query: String,
    /// As a vector of the configured model.
    pub vector: Option<Vec<f32>>,
    /// How many.
    pub top_k: Option<usize>,
    /// Those that are true at this moment; without it, now.
    pub at: Option<Time>,
    /// As the memory stood then.
    pub as_of: Option<AsOf>,
    /// Whether those that are no longer or not yet true count as well.
    pub all: bool,
    /// Whether only what is near enough to the question counts.
    pub only_good: bool,
    /// What must hold of the events that state them.
    pub filter: Option<Arc<Condition>>,
}

/// A fact that was found.
pub(crate) struct FoundFact {
    pub row: FactRow,
    pub score: f64,
}

impl Viewpoint {
    /// The facts that answer a question, the best first.
    pub(crate) fn find_facts(
        &self,
        models: &Models,
        asked: &FactQuery,
        now: Time,
        notice: &mut dyn FnMut(&str),
    ) -> Result<Vec<FoundFact>> {
        let wanted = asked.top_k.unwrap_or(DEFAULT_FACTS);
        if !(1..=FACTS_MAX).contains(&wanted) {
            return Err(Error::invalid(format!("top_k {wanted} is out of range")).hint(format!("1 to {FACTS_MAX}")));
        }
        let (reader, horizon) = self.as_of(asked.as_of.as_ref())?;
        let moment = self.moment_asked(asked.at, asked.as_of.as_ref(), horizon, now)?.0;
        let filters = Filters { kind: Some(FACT_STORED.to_owned()), ..Filters::default() };
        let mode = if asked.query.trim().is_empty() { Mode::Vector } else { Mode::Hybrid };
        // Some of what is found was true once, or says the same twice: more is asked for until there is enough.
        let mut window = wanted * 3 + 10;
        loop {
            let options = RecallOptions {
                filters: filters.clone(),
                filter: asked.filter.clone(),
                k: Some(window),
                mode,
                waits_told: true,
                weights: Weights { collapse: false, ..Weights::default() },
                as_ranked: true,
                ..RecallOptions::default()
            };
            let question = Question {
                query: asked.query.clone(),
                as_of: asked.as_of.clone(),
                at: Some(Time(moment).to_string()),
                vector: asked.vector.clone(),
                ..Question::default()
            };
            let hits = self.recall_one(models, &options, &question, notice)?.hits;
            let (count, mut seen, mut found) = (hits.len(), HashSet::new(), Vec::new());
            for hit in hits {
                if asked.only_good && !crate::recalled::is_good(hit.standing.0, hit.standing.1) {
                    continue;
                }
                let Some(fact) = reader.space().fact_of(hit.seq, horizon)?.filter(|fact| seen.insert(fact.clone()))
                else {
                    continue;
                };
                let row = reader.fact_row(&fact, horizon)?;
                if let Some(row) = row.filter(|row| if asked.all { !row.deleted } else { row.holds_at(moment) }) {
                    found.push(FoundFact { row, score: hit.score });
                }
            }
            if found.len() >= wanted || count < window || window >= HITS_MAX {
                found.truncate(wanted);
                return Ok(found);
            }
            window = (window * 4).min(HITS_MAX);
        }
    }

    /// The same as they are shown, each with what it possibly contradicts.
    pub fn retrieve_facts(
        &self,
        models: &Models,
        asked: &FactQuery,
        now: Time,
        notice: &mut dyn FnMut(&str),
    ) -> Result<Vec<Fact>> {
        let (reader, horizon) = self.as_of(asked.as_of.as_ref())?;
        let moment = self.moment_asked(asked.at, asked.as_of.as_ref(), horizon, now)?.0;
        let found = self.find_facts(models, asked, now, notice)?;
        let (wanted, mut shown): (usize, Vec<Fact>) = (found.len(), Vec::new());
        for FoundFact { row, score } in found {
            let conflicts = reader.conflicts_of(&row, horizon)?;
            // However well it fits the question, what is trusted less does not stand before what it contradicts.
            for other in &conflicts {
                let other = reader.fact_row(&other.fact, horizon)?;
                let counts = |other: &FactRow| other.trust() < row.trust() && (asked.all || other.holds_at(moment));
                if let Some(other) = other.filter(counts) {
                    reader.show_once(&mut shown, other, score, horizon)?;
                }
            }
            reader.show_once(&mut shown, row, score, horizon)?;
        }
        shown.truncate(wanted);
        Ok(shown)
    }

    fn show_once(&self, shown: &mut Vec<Fact>, row: FactRow, score: f64, horizon: u64) -> Result<()> {
        if shown.iter().all(|known| known.id != row.fact) && self.may_hear_fact(&row, horizon)? {
            let conflicts = self.conflicts_of(&row, horizon)?;
            shown.push(Fact { score: Some(score), conflicts, ..self.shown_fact(&row, horizon)? });
        }
        Ok(())
    }

    /// The moment a question is about: as said, else now, which in the past was when the last event was written.
    pub fn moment_asked(&self, at: Option<Time>, as_of: Option<&AsOf>, horizon: u64, now: Time) -> Result<Time> {
        match (at, as_of) {
            (Some(at), _) => Ok(at),
            (None, None) => Ok(now),
            (None, Some(AsOf::Time(time))) => Ok(*time),
            (None, Some(_)) => Ok(self.last_recorded(horizon)?.unwrap_or(now)),
        }
    }
}
