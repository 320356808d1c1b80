//! What a session is shown when it begins: what was done last in the project, what was left undone there, and what is
//! known to last.

use idetic_core::views::{CONVERSATION_INVOCATION, FACT_STORED, NOTE_WRITTEN, TIMELINE};
use idetic_core::words::Trust;
use idetic_core::{Event, Time};
use idetic_memory::packed;
use idetic_memory::viewpoint::Viewpoint;
use idetic_memory::writer::project_of;
use idetic_memory::{RecallHit, Result};
use idetic_search::{Changes, Lane, id_hash};
use idetic_store::{Filter, Select};

use super::OFF_THE_RECORD;

/// What is known to last: told on purpose, not in passing.
const LASTING: [&str; 4] = ["memory.remembered", "decision", FACT_STORED, NOTE_WRITTEN];
/// The latest of each kind.
const LASTING_EACH: usize = 12;
/// Turns that are shown.
const TURNS: usize = 8;
/// Most of one piece: many short ones say more than a long one.
const PIECE_MAX_CHARS: usize = 600;

/// The text, where there is anything to show.
pub(super) fn beginning(
    viewpoint: &Viewpoint,
    project: Option<&str>,
    budget: usize,
    now: Time,
) -> Result<Option<String>> {
    let horizon = viewpoint.horizon(None)?;
    let latest = |kind: &str, count: usize| {
        let select = Select::from(&TIMELINE, horizon).filter(Filter::Is("kind", kind.into()));
        Select { newest_first: true, limit: Some(count), ..select }
    };
    let of_project = |kind: &str| {
        let select = latest(kind, TURNS);
        project.map_or(select.clone(), |project| select.filter(Filter::Is("source", project.into())))
    };
    let mut events = read(viewpoint, &of_project(CONVERSATION_INVOCATION))?;
    for asked in read(viewpoint, &of_project("user_input"))? {
        if !is_summed_up(viewpoint, &asked, horizon)? {
            events.push(asked);
        }
    }
    events.sort_by_key(|event| std::cmp::Reverse(event.seq()));
    let mut lasting = Vec::new();
    for kind in LASTING {
        lasting.extend(read(viewpoint, &latest(kind, LASTING_EACH))?);
    }
    // What was learned in another project may still matter, after everything else.
    let is_of_another = |event: &Event| {
        let source = event.fields.as_ref().and_then(|fields| fields.source.as_deref());
        let its = project_of(source, event.origin());
        its.is_some() && its != project
    };
    lasting.sort_by_key(|event| (is_of_another(event), std::cmp::Reverse(event.seq())));
    // But only a person's own word: what an agent or a tool said in one project is not true in another.
    lasting.retain(|event| !is_of_another(event) || event.trust() == Trust::User);
    events.extend(lasting);
    let changes = viewpoint.changes(horizon)?;
    events.retain(|event| viewpoint.sees_event(event) && counts(event, &changes) && says_something(event));
    let mut true_now = Vec::with_capacity(events.len());
    for event in events {
        if event.header.kind != FACT_STORED || viewpoint.holds_at(event.seq(), horizon, now)? {
            true_now.push(event);
        }
    }
    let events = true_now;
    let seqs: Vec<u64> = events.iter().map(Event::seq).collect();
    let places = viewpoint.places(&seqs, horizon)?;
    let hits = events.into_iter().zip(places).map(|(event, place)| {
        // The content of a turn says all that its summary does.
        let content = event.fields.as_ref().and_then(|fields| fields.content.clone());
        let is_turn = event.header.kind == CONVERSATION_INVOCATION;
        let text = content.filter(|_| is_turn).unwrap_or_else(|| event.whole_text());
        let shown = shortened(&text);
        RecallHit {
            place,
            seq: event.seq(),
            ts: event.ts(),
            text: shown,
            trust: event.trust().word(),
            origin: event.origin().to_owned(),
            source: event.fields.as_ref().and_then(|fields| fields.source.clone()),
            kind: event.header.kind,
            author: event.fields.and_then(|fields| fields.author),
            causes: vec![event.header.id.clone()],
            id: event.header.id,
            score: 1.0,
            conversation_id: None,
            metadata: None,
            note: None,
            parts: None,
            standing: (1.0, None),
        }
    });
    let text = packed(hits.collect(), budget).text;
    Ok(Some(text).filter(|text| !text.is_empty()))
}

/// A long text by its beginning and its end: what was asked, and what came of it.
fn shortened(text: &str) -> String {
    let count = text.chars().count();
    if count <= PIECE_MAX_CHARS {
        return text.to_owned();
    }
    let part = |skip: usize| text.chars().skip(skip).take(PIECE_MAX_CHARS / 2).collect::<String>();
    format!("{} … {}", part(0), part(count - PIECE_MAX_CHARS / 2))
}

/// Whether the turn that began with what was asked came to its end, as far as anybody said.
fn is_summed_up(viewpoint: &Viewpoint, asked: &Event, horizon: u64) -> Result<bool> {
    let Some(loop_id) = asked.fields.as_ref().and_then(|fields| fields.loop_id.clone()) else { return Ok(true) };
    let sums = Select::from(&TIMELINE, horizon).filter(Filter::Is("loop", loop_id.as_str().into()));
    let sums = sums.filter(Filter::Is("kind", CONVERSATION_INVOCATION.into()));
    Ok(!viewpoint.seqs(&Select { limit: Some(1), ..sums })?.is_empty())
}

/// The events, the latest first.
fn read(viewpoint: &Viewpoint, select: &Select) -> Result<Vec<Event>> {
    let mut seqs = viewpoint.seqs(select)?;
    seqs.sort_unstable();
    let mut events = viewpoint.events(&seqs)?;
    events.reverse();
    Ok(events)
}

/// Whether there is something to show: a turn off the record leaves only that it was.
fn says_something(event: &Event) -> bool {
    let text = event.whole_text();
    !text.trim().is_empty() && !text.contains(OFF_THE_RECORD)
}

/// Whether an event still counts as a document.
fn counts(event: &Event, changes: &std::collections::HashMap<String, Changes>) -> bool {
    let lane = event.fields.as_ref().map(|fields| Lane::of(fields).name());
    let changes = lane.and_then(|lane| changes.get(&lane));
    !changes.is_some_and(|changes| changes.is_retired(id_hash(&event.header.id), event.seq(), event.trust() as u8))
}
