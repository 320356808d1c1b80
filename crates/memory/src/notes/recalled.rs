//! Notes and facts among what was recalled: what is linked with a good match rises a little, what is deprecated or superseded
//! comes last.

use idetic_core::Time;
use idetic_core::views::{FACT_EVENTS, FACT_STORED, FACTS, FactRow, NOTE_WRITTEN};
use idetic_search::{Hit, Lanes};
use idetic_store::{Filter, Select};

use crate::notes::{About, level};
use crate::recalled::is_good;
use crate::{NoteRow, NoteSeen, Result, Space};

/// Notes are weighed among so many of the best hits, and so many more than are asked for.
const WINDOW_HITS: usize = 50;
/// What a link with a note that matches well adds, of that note's own score.
const LINK_WEIGHT: f64 = 0.1;

/// A hit, and what is known of it as a note.
pub(crate) struct Weighed {
    pub hit: Hit,
    pub note: Option<NoteSeen>,
    /// What its links add.
    pub links: f64,
    /// Whether it comes after everything that is not deprecated, whatever its score.
    pub is_last: bool,
}

impl Weighed {
    pub fn new(hit: Hit) -> Self {
        Self { hit, note: None, links: 0.0, is_last: false }
    }

    /// The score with what being a note adds.
    pub fn score(&self) -> f64 {
        self.hit.score + self.links
    }
}

impl Space {
    /// How many hits are looked at for so many that are wanted. Where there are no notes nothing is weighed anew.
    pub(crate) fn window(&self, wanted: usize, horizon: u64) -> Result<usize> {
        Ok(if wanted > 0 && (self.has_notes(horizon)? || self.has_facts(horizon)?) {
            wanted.max(WINDOW_HITS) + WINDOW_HITS
        } else {
            wanted
        })
    }

    /// Weighs the notes among hits. Those of a version that is no longer the last are left out, should nothing have
    /// retired them. Facts that are not true at the moment come last. Nothing changes where there are neither.
    pub(crate) fn weigh(&self, lanes: &Lanes<'_>, hits: Vec<Hit>, horizon: u64, moment: Time) -> Result<Vec<Weighed>> {
        let mut weighed = Vec::with_capacity(hits.len());
        let mut rows: Vec<Option<NoteRow>> = Vec::with_capacity(hits.len());
        let mut any_last = false;
        for hit in hits {
            if !lanes.is_of_kind(hit.place, NOTE_WRITTEN) {
                let is_last = lanes.is_of_kind(hit.place, FACT_STORED) && !self.holds_at(hit.seq, horizon, moment)?;
                any_last |= is_last;
                weighed.push(Weighed { is_last, ..Weighed::new(hit) });
                rows.push(None);
                continue;
            }
            let about = About::read(&self.event(hit.seq)?);
            let row = about.note.map(|id| self.note(&id, horizon)).transpose()?.flatten();
            if row.as_ref().is_none_or(|row| row.seq == hit.seq) {
                weighed.push(Weighed::new(hit));
                rows.push(row);
            }
        }
        if rows.iter().all(Option::is_none) && !any_last {
            return Ok(weighed);
        }
        for at in 0..weighed.len() {
            let Some(row) = &rows[at] else { continue };
            let linked = (0..weighed.len()).filter(|other| {
                let parts = &weighed[*other].hit.parts;
                let joined = |other: &NoteRow| other.links.contains(&row.note) || row.links.contains(&other.note);
                *other != at && is_good(parts.lexical, parts.cosine) && rows[*other].as_ref().is_some_and(joined)
            });
            let best = linked.map(|other| weighed[other].hit.score).fold(0.0, f64::max);
            let tried = self.tried(&row.note, horizon)?;
            weighed[at].links = LINK_WEIGHT * best;
            weighed[at].is_last = row.is_deprecated();
            weighed[at].note = Some(NoteSeen::of(row, tried));
        }
        // Stable, so that equal scores stay in the order they had: the newer first.
        weighed.sort_by(|a, b| a.is_last.cmp(&b.is_last).then_with(|| b.score().total_cmp(&a.score())));
        Ok(weighed)
    }
}

impl Space {
    fn has_facts(&self, horizon: u64) -> Result<bool> {
        let one = Select { limit: Some(1), ..Select::from(&FACT_EVENTS, horizon) };
        Ok(!self.select(&one)?.is_empty())
    }

    /// Whether what an event states is true at a moment, as far as it is a fact.
    pub fn holds_at(&self, seq: u64, horizon: u64, moment: Time) -> Result<bool> {
        Ok(self.facts_at(seq, horizon)?.iter().all(|row| row.holds_at(moment.0)))
    }

    /// The fact that an event states.
    fn facts_at(&self, seq: u64, horizon: u64) -> Result<Vec<FactRow>> {
        let Some(fact) = self.fact_of(seq, horizon)? else { return Ok(Vec::new()) };
        let rows = self.select(&Select::from(&FACTS, horizon).filter(Filter::Is("fact", fact.as_str().into())))?;
        Ok(rows.iter().map(|row| FactRow::of(&row.values)).collect())
    }
}

impl NoteSeen {
    /// What is shown of a note wherever it is recalled.
    pub(crate) fn of(row: &NoteRow, tried: crate::Tried) -> Self {
        let standing = tried.standing(row.confidence.as_deref());
        Self {
            note: row.note.clone(),
            title: row.title.clone(),
            status: row.status.clone(),
            stated: row.confidence.clone(),
            confidence: level(standing),
            standing: (standing * 1000.0).round() / 1000.0,
            worked: tried.worked,
            failed: tried.failed,
            replaced_by: row.replaced_by.clone(),
        }
    }

    /// Whether it should no longer be used.
    pub fn is_deprecated(&self) -> bool {
        self.status.as_deref().is_some_and(|status| status.eq_ignore_ascii_case(crate::notes::DEPRECATED))
    }

    /// In a few words: which note, how sure, how it went, and what to use instead.
    pub fn brief(&self) -> String {
        format!("note {}, {}", self.note, self.state())
    }

    /// The same of a note that is named already.
    pub fn state(&self) -> String {
        let outcomes = match (self.worked, self.failed) {
            (0, 0) => String::new(),
            (worked, failed) => format!(", worked {worked}, failed {failed}"),
        };
        let instead = match (self.is_deprecated(), &self.replaced_by) {
            (true, Some(other)) => format!(", deprecated: use {other}"),
            (true, None) => ", deprecated".to_owned(),
            (false, _) => String::new(),
        };
        format!("confidence {}{outcomes}{instead}", self.confidence)
    }
}
