//! Advice about a failure: failures like it, what was done then, and the notes that solved it.

mod alike;
mod links;

use std::collections::BTreeSet;

use idetic_core::invalid::excerpt;
use idetic_core::views::{NOTE_OUTCOME, TIMELINE};
use idetic_core::words::Trust;
use idetic_store::{Filter, Select};

use self::alike::{Compared, Evidence, Failure, Resembling};
use self::links::Links;
use crate::as_of::AsOf;
use crate::failures::failures;
use crate::notes::level;
use crate::recall::Models;
use crate::repeated::fixed;
use crate::viewpoint::Viewpoint;
use crate::{Advice, Advised, Attempt, NoteRow, NoteSeen, PastFailure, Result};

/// What is this much like the failure is like it. Chosen with the built-in model on generated failures, checked on others: see
/// docs/ranking.md.
const LEAST_ALIKE: f64 = 0.48;
/// Failures more like the question than a note's evidence is that are asked what they have to do with the note.
const RIVALS: usize = 4;
/// A rival that is less like what speaks for the note is another failure.
const RELATED: f64 = 0.45;
/// What a note loses of the distance by which another failure is nearer.
const RIVAL_COST: f64 = 0.5;
/// What the standing of a note counts in the order, beside how much it matches.
const STANDING_WEIGHT: f64 = 0.1;
/// Events after a failure that are shown of one trace.
const ATTEMPTS: usize = 5;
/// Traces whose events are shown.
const TRACES: usize = 3;

/// What is known about a failure, through one reader's eyes.
pub fn advise(
    viewpoint: &Viewpoint,
    models: &Models,
    error: &str,
    most: usize,
    as_of: Option<&AsOf>,
    notice: &mut dyn FnMut(&str),
) -> Result<Advice> {
    let (viewpoint, horizon) = &viewpoint.as_of(as_of)?;
    let horizon = *horizon;
    let rows = viewpoint.space().living_notes(horizon)?;
    let links = Links::read(viewpoint, &rows, horizon)?;
    let failures = failures(viewpoint, horizon, None)?;
    let mut seqs: Vec<u64> = rows.iter().map(|row| row.seq).collect();
    seqs.sort_unstable();
    let mut compared = Compared::new(viewpoint, (as_of, horizon), links, failures, seqs)?;
    compared.by_meaning(models, notice);
    let mut found = compared.with(&[error], LEAST_ALIKE, notice)?.pop().unwrap_or_default();
    found.notes.retain(|_, evidence| evidence.alike >= LEAST_ALIKE);
    weigh_rivals(&mut compared, &mut found, notice)?;
    found.notes.retain(|_, evidence| evidence.alike >= LEAST_ALIKE);

    let mut notes: Vec<(f64, Advised)> = Vec::new();
    for (id, evidence) in found.notes {
        let alike = evidence.alike;
        let advised = advised(viewpoint, &id, evidence, &rows, horizon)?;
        notes.extend(advised.map(|advised| (alike + STANDING_WEIGHT * advised.seen.standing, advised)));
    }
    notes.sort_by(|(a, one), (b, other)| b.total_cmp(a).then_with(|| one.seen.note.cmp(&other.seen.note)));
    let mut named = BTreeSet::new();
    let mut notes: Vec<Advised> = notes.into_iter().map(|(_, note)| note).collect();
    notes.retain(|note| named.insert(note.seen.note.clone()));
    notes.truncate(most);
    found.failures.truncate(most);
    let tried = tried(viewpoint, &found.failures, horizon)?;
    let mut fixes = Vec::new();
    for failure in found.failures.iter().take(TRACES) {
        let event = viewpoint.get(&failure.hit.place.number().to_string(), horizon)?;
        let fix = fixed(viewpoint, &event)?.filter(|fix| !fixes.contains(fix));
        fixes.extend(fix);
    }
    let failures = found.failures.into_iter().map(past).collect();
    Ok(Advice { known: !notes.is_empty() || !fixes.is_empty(), fixes, notes, failures, tried })
}

/// Where a failure that a note did not solve is nearer to the question than all that speaks for the note, and has nothing
/// to do with that, the question is rather about the other failure: the note counts less.
fn weigh_rivals(compared: &mut Compared<'_>, found: &mut Resembling, notice: &mut dyn FnMut(&str)) -> Result<()> {
    let least = found.notes.values().map(|evidence| evidence.alike).fold(f64::INFINITY, f64::min);
    let mut texts = BTreeSet::new();
    let nearer = found.failures.iter().filter(|failure| failure.alike > least);
    let rivals: Vec<Failure> =
        nearer.filter(|failure| texts.insert(failure.hit.text.clone())).take(RIVALS).cloned().collect();
    if rivals.is_empty() {
        return Ok(());
    }
    let texts: Vec<&str> = rivals.iter().map(|rival| rival.hit.text.as_str()).collect();
    let like_rivals = compared.with(&texts, LEAST_ALIKE, notice)?;
    for (note, evidence) in &mut found.notes {
        let mut nearest: f64 = 0.0;
        for (rival, like_it) in rivals.iter().zip(&like_rivals) {
            let related = like_it.notes.get(note).is_some_and(|evidence| evidence.alike >= RELATED);
            if !related {
                nearest = nearest.max(rival.alike);
            }
        }
        if nearest > evidence.alike {
            evidence.alike -= RIVAL_COST * (nearest - evidence.alike);
            evidence.outdone = true;
        }
    }
    Ok(())
}

/// A failure as it is shown.
fn past(failure: Failure) -> PastFailure {
    let Failure { hit, alike, trace } = failure;
    PastFailure { place: hit.place, id: hit.id, ts: hit.ts, trace_id: trace, alike: rounded(alike), text: hit.text }
}

/// What was done after some failures, in the traces of the first of them.
fn tried(viewpoint: &Viewpoint, failures: &[Failure], horizon: u64) -> Result<Vec<Attempt>> {
    let mut traces: BTreeSet<&str> = BTreeSet::new();
    let mut tried = Vec::new();
    for failure in failures {
        let Some(trace) = failure.trace.as_deref() else { continue };
        if traces.len() < TRACES && traces.insert(trace) {
            let event = viewpoint.get(&failure.hit.place.number().to_string(), horizon)?;
            tried.extend(attempts(viewpoint, trace, event.seq(), horizon)?);
        }
    }
    Ok(tried)
}

/// What was done in a trace after a failure.
fn attempts(viewpoint: &Viewpoint, trace: &str, after: u64, horizon: u64) -> Result<Vec<Attempt>> {
    let select = Select { limit: Some(ATTEMPTS), ..Select::from(&TIMELINE, horizon) }
        .filter(Filter::Is("trace", trace.into()))
        .filter(Filter::BornAfter(after));
    let seqs = viewpoint.seqs(&select)?;
    let places = viewpoint.places(&seqs, horizon)?;
    let events = viewpoint.space().events(&seqs)?;
    let attempt = |(event, place): (idetic_core::Event, crate::EventNumber)| Attempt {
        place,
        ts: event.ts(),
        trace_id: trace.to_owned(),
        status: event.fields.as_ref().and_then(|fields| fields.status).map(|status| status.word()),
        text: event.text().to_owned(),
        kind: event.header.kind,
        id: event.header.id,
    };
    // Nobody is advised to do what somebody from outside says was done.
    let counts = |event: &idetic_core::Event| event.header.kind != NOTE_OUTCOME && event.trust() < Trust::External;
    Ok(events.into_iter().zip(places).filter(|(event, _)| counts(event)).map(attempt).collect())
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
        (Some(trace), true) => format!("it solved a similar failure in trace {} and mentions it", excerpt(trace)),
        (Some(trace), false) => format!("it solved a similar failure in trace {}", excerpt(trace)),
        (None, _) => "it mentions a similar failure".to_owned(),
    };
    if found.outdone {
        because.push_str(", though another failure is more similar");
    }
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
    let origin = event.origin().to_owned();
    let text = event.fields.and_then(|fields| fields.content).unwrap_or_default();
    Ok(Some(Advised { how_sure: level(sure), seen, id: row.event.clone(), sure, because, causes, origin, text }))
}

fn rounded(number: f64) -> f64 {
    (number * 1000.0).round() / 1000.0
}
