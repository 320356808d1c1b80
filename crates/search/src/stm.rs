//! Short-term memory (specification 001): one entry for each loop, searched by fuzzy similarity and recency.

use std::collections::{HashMap, VecDeque};

use serde::Serialize;

use crate::fuzzy::FuzzyIndex;
use idetic_core::identity::StmSearch;
use idetic_core::words::Visibility;
use idetic_core::{Event, Time, limits};

/// One loop as short-term memory holds it.
#[derive(Debug, Clone, Serialize)]
pub struct StmEntry {
    /// Which loop.
    pub loop_id: String,
    /// When it began.
    pub started: Time,
    /// When its last event happened.
    pub ended: Time,
    /// What it counts as: of the kinds of its events the one that weighs most.
    pub kind: String,
    /// `internal` only if all its events are.
    pub visibility: &'static str,
    /// One line for each of its last events: `kind: text`.
    pub summary: String,
    /// Its long-term entries, in order: the ids of its events.
    pub ltm: Vec<String>,
}

/// An entry that was found, with what its score is made of.
#[derive(Debug, Clone, Serialize)]
pub struct StmHit {
    /// The score.
    pub score: f64,
    /// `token_set_ratio` of query and summary, 0 to 100.
    pub ratio: f64,
    /// 1 for now, half after each half-life.
    pub recency: f64,
    /// The boosts of its kind and visibility, multiplied.
    pub boost: f64,
    /// The entry.
    #[serde(flatten)]
    pub entry: StmEntry,
}

impl StmEntry {
    /// The entry of a loop, from its events in order; `None` when there are none.
    pub fn of<'e>(loop_id: &str, events: impl IntoIterator<Item = &'e Event>, search: &StmSearch) -> Option<Self> {
        let mut so_far = LoopSoFar::default();
        events.into_iter().for_each(|event| so_far.take(event, search));
        so_far.entry(loop_id)
    }
}

/// A loop while its events are gone through: a long one is never held whole.
#[derive(Debug, Default)]
pub struct LoopSoFar {
    span: Option<(Time, Time)>,
    heaviest: Option<(f64, String)>,
    external: bool,
    lines: VecDeque<String>,
    ltm: Vec<String>,
}

impl LoopSoFar {
    /// Takes the next event in.
    pub fn take(&mut self, event: &Event, search: &StmSearch) {
        let (ts, kind) = (event.ts(), &event.header.kind);
        self.span = Some(self.span.map_or((ts, ts), |(first, last)| (first.min(ts), last.max(ts))));
        let weight = search.weights.kind_boosts.get(kind).copied().unwrap_or(1.0);
        // The first of those that weigh the same, so that the answer does not depend on how they were gathered.
        if self.heaviest.as_ref().is_none_or(|(most, _)| weight.total_cmp(most).is_gt()) {
            self.heaviest = Some((weight, kind.clone()));
        }
        self.external |= event.visibility() == Visibility::External;
        if self.lines.len() == limits::STM_SUMMARY_MAX_LINES {
            self.lines.pop_front();
        }
        self.lines.push_back(line(event));
        self.ltm.push(event.header.id.clone());
    }

    /// The entry; `None` when there was no event.
    pub fn entry(self, loop_id: &str) -> Option<StmEntry> {
        let ((started, ended), (_, kind)) = self.span.zip(self.heaviest)?;
        let visibility = if self.external { Visibility::External } else { Visibility::Internal }.word();
        let summary = Vec::from(self.lines).join("\n");
        Some(StmEntry { loop_id: loop_id.to_owned(), started, ended, kind, visibility, summary, ltm: self.ltm })
    }
}

/// One event in a summary: a single line, however long its text.
fn line(event: &Event) -> String {
    let fields = event.fields.as_ref();
    let text = fields.and_then(|f| f.content.as_deref().or(f.summary.as_deref())).unwrap_or_default();
    let text: String = text.chars().take(limits::STM_LINE_MAX_CHARS).collect();
    format!("{}: {}", event.header.kind, text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The entries that are similar enough, the best first. The threshold is on the ratio, before anything is weighed.
pub fn search(query: &str, entries: Vec<StmEntry>, search: &StmSearch, now: Time) -> Vec<StmHit> {
    let mut index = FuzzyIndex::new();
    (0..).zip(&entries).for_each(|(number, entry)| index.insert(number, &entry.summary));
    let found: HashMap<u64, f64> = index.search(query, search.threshold).into_iter().collect();
    let similar = (0..).zip(entries).filter_map(|(number, entry)| found.get(&number).map(|ratio| (*ratio, entry)));
    let mut hits: Vec<StmHit> = similar.map(|(ratio, entry)| hit(ratio, entry, search, now)).collect();
    hits.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| b.entry.ended.cmp(&a.entry.ended)));
    hits.truncate(search.top_k);
    hits
}

fn hit(ratio: f64, entry: StmEntry, search: &StmSearch, now: Time) -> StmHit {
    #[expect(clippy::cast_precision_loss, reason = "an age in milliseconds is far below 2^52")]
    let age_seconds = now.millis_since(entry.ended).max(0) as f64 / 1000.0;
    let recency = (-std::f64::consts::LN_2 * age_seconds / search.recency_half_life_seconds).exp();
    let weights = &search.weights;
    let kind = weights.kind_boosts.get(&entry.kind).copied().unwrap_or(1.0);
    let visibility = weights.visibility_boosts.get(entry.visibility).copied().unwrap_or(1.0);
    let boost = kind * visibility;
    let score = (weights.similarity * (ratio / 100.0) + weights.recency * recency) * boost;
    StmHit { score, ratio, recency, boost, entry }
}
