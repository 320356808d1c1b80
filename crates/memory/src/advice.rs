//! Advice about a failure: failures like it, what was done then, and the notes that solved it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use idetic_core::invalid::excerpt;
use idetic_core::recall::{Filters, Weights};
use idetic_core::views::{NOTE_OUTCOME, TIMELINE};
use idetic_store::{Filter, Select};

use crate::as_of::AsOf;
use crate::failures::{failure_text, failures};
use crate::notes::{About, level};
use crate::recall::{Manner, Models, Question};
use crate::viewpoint::Viewpoint;
use crate::{Advice, Advised, Attempt, NoteRow, NoteSeen, PastFailure, RecallHit, Result};

/// Failures and notes looked at.
const LOOKED_AT: usize = 100;
/// What is this much like the failure is like it. Chosen with the built-in model on one half of generated failures, checked on
/// the other: see docs/ranking.md. How much better the best match is says nothing: the same failure is told in many ways, and
/// only one of them may have led to the note.
const LEAST_ALIKE: f64 = 0.50;
/// A note speaks of the solution too: its text is never as much like the failure as another failure.
const NOTE_BONUS: f64 = 0.05;
/// What the share of the words counts beside the cosine.
const WORDS_WEIGHT: f64 = 0.3;
/// What the share of the words counts without a model: it seldom exceeds two thirds.
const WORDS_ALONE: f64 = 1.5;
/// Events after a failure that are shown of one trace.
const ATTEMPTS: usize = 5;
/// Traces whose events are shown.
const TRACES: usize = 3;

/// What speaks for a note.
#[derive(Default)]
struct Evidence {
    /// How much the best of it resembles the failure.
    alike: f64,
    /// The events.
    causes: Vec<String>,
    /// The trace in which it was solved.
    trace: Option<String>,
    /// Whether the note's own text matches.
    by_text: bool,
}

/// What is known about a failure, through one reader's eyes.
pub(crate) fn advise(
    viewpoint: &Viewpoint,
    models: &Models,
    error: &str,
    most: usize,
    as_of: Option<&AsOf>,
    notice: &mut dyn FnMut(&str),
) -> Result<Advice> {
    let horizon = viewpoint.horizon(as_of)?;
    let space = viewpoint.space();
    let mut find = |only: Vec<u64>| -> Result<Vec<(RecallHit, f64)>> {
        if only.is_empty() {
            return Ok(Vec::new());
        }
        let question =
            Question { query: error.to_owned(), k: Some(LOOKED_AT), as_of: as_of.cloned(), ..Question::default() };
        let recalled = viewpoint.recall_one(models, &manner(only), question, notice)?;
        let mut hits: Vec<(RecallHit, f64)> =
            recalled.hits.into_iter().map(|hit| (alike(&hit), hit)).map(|(alike, hit)| (hit, alike)).collect();
        hits.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        Ok(hits)
    };
    let rows = space.living_notes(horizon)?;
    let past = find(failures(viewpoint, horizon, None)?)?;
    let direct = find(rows.iter().map(|row| row.seq).collect())?;
    let past: Vec<(RecallHit, f64)> = past.into_iter().filter(|(_, alike)| *alike >= LEAST_ALIKE).collect();

    let mut evidence: BTreeMap<String, Evidence> = BTreeMap::new();
    let (mut shown, mut tried) = (Vec::new(), Vec::new());
    let mut traces: BTreeSet<String> = BTreeSet::new();
    for (hit, alike) in past {
        let event = viewpoint.get(&hit.place.number().to_string(), horizon)?;
        let trace = event.fields.as_ref().and_then(|fields| fields.trace_id.clone());
        if let Some(trace) = &trace {
            for (note, cause) in solved_in(viewpoint, trace, &rows, horizon)? {
                let for_note = evidence.entry(note).or_default();
                for_note.causes.extend([hit.id.clone()].into_iter().chain(cause));
                if alike > for_note.alike {
                    (for_note.alike, for_note.trace) = (alike, Some(trace.clone()));
                }
            }
            if traces.len() < TRACES && traces.insert(trace.clone()) {
                tried.extend(attempts(viewpoint, trace, event.seq(), horizon)?);
            }
        }
        let text = failure_text(&event);
        shown.push(PastFailure {
            place: hit.place,
            id: hit.id,
            ts: hit.ts,
            trace_id: trace,
            alike: rounded(alike),
            text,
        });
    }
    for (hit, alike) in direct {
        let Some(seen) = &hit.note else { continue };
        let alike = alike + NOTE_BONUS;
        if alike >= LEAST_ALIKE {
            let for_note = evidence.entry(seen.note.clone()).or_default();
            for_note.by_text = true;
            for_note.alike = for_note.alike.max(alike);
            for_note.causes.push(hit.id.clone());
        }
    }
    let mut notes = Vec::new();
    for (id, found) in evidence {
        notes.extend(advised(viewpoint, &id, found, &rows, horizon)?);
    }
    notes.sort_by(|a, b| b.sure.total_cmp(&a.sure).then_with(|| a.seen.note.cmp(&b.seen.note)));
    notes.dedup_by(|a, b| a.seen.note == b.seen.note);
    notes.truncate(most);
    shown.truncate(most);
    Ok(Advice { known: !notes.is_empty(), notes, failures: shown, tried })
}

/// Nothing but how much a text resembles the failure: neither when it was, nor who said it, nor what stands beside it.
fn manner(only: Vec<u64>) -> Manner {
    let weights = Weights {
        author: 0.0,
        question: 0.0,
        recency: 0.0,
        importance: 0.0,
        distrust: 0.0,
        conversation: 0.0,
        date: 0.0,
        relative_date: 0.0,
        neighbour_words: 0.0,
        neighbour_meaning: 0.0,
        names: false,
        // The same failure may have come again, and only one of its traces led to a note.
        collapse: false,
        ..Weights::default()
    };
    let only: Arc<[u64]> = only.into();
    Manner { filters: Filters { only: Some(only), ..Filters::default() }, weights, ..Manner::default() }
}

/// How much a hit resembles the question, from 0 to 1. Without a model the words alone must do.
fn alike(hit: &RecallHit) -> f64 {
    let (words, cosine) = hit.standing;
    match cosine {
        Some(cosine) => (cosine + WORDS_WEIGHT * words).min(1.0),
        None => (WORDS_ALONE * words).min(1.0),
    }
}

/// The notes that came from a trace, or worked in it; with the event that says so.
fn solved_in(
    viewpoint: &Viewpoint,
    trace: &str,
    rows: &[NoteRow],
    horizon: u64,
) -> Result<Vec<(String, Option<String>)>> {
    let mut notes: Vec<(String, Option<String>)> = rows
        .iter()
        .filter(|row| row.traces.iter().any(|other| other == trace))
        .map(|row| (row.note.clone(), Some(row.event.clone())))
        .collect();
    let select = Select::from(&TIMELINE, horizon)
        .filter(Filter::Is("trace", trace.into()))
        .filter(Filter::Is("kind", NOTE_OUTCOME.into()));
    for event in viewpoint.space().events(&viewpoint.seqs(&select)?)? {
        let about = About::read(&event);
        let Some(note) = about.note else { continue };
        if about.worked == Some(true) {
            notes.push((note, Some(event.header.id)));
        } else {
            notes.retain(|(other, _)| *other != note);
        }
    }
    Ok(notes)
}

/// What was done in a trace after a failure.
fn attempts(viewpoint: &Viewpoint, trace: &str, after: u64, horizon: u64) -> Result<Vec<Attempt>> {
    let select = Select { limit: Some(ATTEMPTS), ..Select::from(&TIMELINE, horizon) }
        .filter(Filter::Is("trace", trace.into()))
        .filter(Filter::BornAfter(after));
    let seqs = viewpoint.seqs(&select)?;
    let places = viewpoint.places(&seqs, horizon)?;
    let events = viewpoint.space().events(&seqs)?;
    let attempt = |(event, place): (idetic_core::Event, crate::Place)| Attempt {
        place,
        ts: event.ts(),
        trace_id: trace.to_owned(),
        status: event.fields.as_ref().and_then(|fields| fields.status).map(|status| status.word()),
        text: event.text().to_owned(),
        kind: event.header.kind,
        id: event.header.id,
    };
    Ok(events.into_iter().zip(places).filter(|(event, _)| event.header.kind != NOTE_OUTCOME).map(attempt).collect())
}

/// A note with what speaks for it; one that is deprecated gives its place to what replaces it.
fn advised(
    viewpoint: &Viewpoint,
    id: &str,
    mut found: Evidence,
    rows: &[NoteRow],
    horizon: u64,
) -> Result<Option<Advised>> {
    let space = viewpoint.space();
    let named = |id: &str| rows.iter().find(|row| row.note == id);
    let Some(mut row) = named(id) else { return Ok(None) };
    let mut because = match (&found.trace, found.by_text) {
        (Some(trace), true) => format!("it solved a failure like this in trace {} and speaks of it", excerpt(trace)),
        (Some(trace), false) => format!("it solved a failure like this in trace {}", excerpt(trace)),
        (None, _) => "it speaks of a failure like this".to_owned(),
    };
    if row.is_deprecated() {
        let Some(instead) = row.replaced_by.as_deref().and_then(named) else { return Ok(None) };
        because = format!("it replaces {}: {because}", row.note);
        row = instead;
    }
    let event = space.event(row.seq)?;
    let seen = NoteSeen::of(row, space.tried(&row.note, horizon)?);
    found.causes.push(row.event.clone());
    let mut causes: Vec<String> = Vec::new();
    for cause in found.causes {
        if !causes.contains(&cause) {
            causes.push(cause);
        }
    }
    // Half of it is how sure the match is, half how sure the note is.
    let matched = ((found.alike - LEAST_ALIKE) / (1.0 - LEAST_ALIKE)).clamp(0.0, 1.0);
    let sure = rounded((0.5 + 0.5 * matched) * seen.standing);
    let text = event.fields.and_then(|fields| fields.content).unwrap_or_default();
    Ok(Some(Advised { how_sure: level(sure), seen, id: row.event.clone(), sure, because, causes, text }))
}

fn rounded(number: f64) -> f64 {
    (number * 1000.0).round() / 1000.0
}
