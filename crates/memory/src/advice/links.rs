//! From traces to notes: which notes came from a trace, worked in it, or were learned there, and the failures in it.

use std::collections::{BTreeMap, HashSet};

use idetic_core::Event;
use idetic_core::views::{NOTE_OUTCOME, TIMELINE};
use idetic_store::{Filter, Select};
use serde::Deserialize;

use crate::notes::About;
use crate::viewpoint::Viewpoint;
use crate::{NoteRow, Result};

/// What the A-MEM document calls an event that tells of a new note.
const LEARNED: &str = "agent.knowledge_learned";
/// Most events of each kind that are read, the latest.
const EVENTS_MAX: usize = 5000;
/// Most traces whose failures are looked up, those of the latest notes first.
const TRACES_MAX: usize = 2000;

/// Which notes each trace leads to.
#[derive(Debug, Default)]
pub struct Links {
    /// By trace, the notes with the events that say so.
    by_trace: BTreeMap<String, BTreeMap<String, String>>,
    /// The traces, those that lead to the latest notes first.
    order: Vec<String>,
}

impl Links {
    /// What the notes, their outcomes and the events that tell of them say.
    pub fn read(viewpoint: &Viewpoint, rows: &[NoteRow], horizon: u64) -> Result<Self> {
        let mut links = Self::default();
        for row in rows.iter().rev() {
            row.traces.iter().for_each(|trace| links.add(trace, &row.note, &row.event));
        }
        let known: HashSet<&str> = rows.iter().map(|row| row.note.as_str()).collect();
        for event in latest(viewpoint, LEARNED, horizon)? {
            if let (Some(trace), Some(note)) = (trace_of(&event), note_learned(&event).filter(|n| known.contains(&**n)))
            {
                links.add(trace, &note, &event.header.id);
            }
        }
        for event in latest(viewpoint, NOTE_OUTCOME, horizon)? {
            let (about, Some(trace)) = (About::read(&event), trace_of(&event)) else { continue };
            let Some(note) = about.note else { continue };
            if about.worked == Some(true) {
                links.add(trace, &note, &event.header.id);
            } else if let Some(notes) = links.by_trace.get_mut(trace) {
                // What did not help in a trace is no advice from it, whatever the note says.
                notes.remove(&note);
            }
        }
        Ok(links)
    }

    fn add(&mut self, trace: &str, note: &str, event: &str) {
        if !self.by_trace.contains_key(trace) {
            self.order.push(trace.to_owned());
        }
        self.by_trace.entry(trace.to_owned()).or_default().insert(note.to_owned(), event.to_owned());
    }

    /// The notes a trace leads to, with the events that say so.
    pub fn of<'a>(&'a self, trace: Option<&str>) -> impl Iterator<Item = (&'a str, &'a str)> + use<'a> {
        let notes = trace.and_then(|trace| self.by_trace.get(trace));
        notes.into_iter().flatten().map(|(note, event)| (note.as_str(), event.as_str()))
    }

    /// Of some failures those in a trace that leads to a note, in order of seq.
    pub fn linked(&self, viewpoint: &Viewpoint, failures: &[u64], horizon: u64) -> Result<Vec<u64>> {
        let mut linked = Vec::new();
        for trace in self.order.iter().take(TRACES_MAX) {
            let of_trace = Select::from(&TIMELINE, horizon).filter(Filter::Is("trace", trace.as_str().into()));
            let seqs = viewpoint.seqs(&of_trace)?;
            linked.extend(seqs.into_iter().filter(|seq| failures.binary_search(seq).is_ok()));
        }
        linked.sort_unstable();
        linked.dedup();
        Ok(linked)
    }
}

/// The latest events of a kind, in order of seq.
fn latest(viewpoint: &Viewpoint, kind: &str, horizon: u64) -> Result<Vec<Event>> {
    let select = Select { newest_first: true, limit: Some(EVENTS_MAX), ..Select::from(&TIMELINE, horizon) };
    let mut seqs = viewpoint.seqs(&select.filter(Filter::Is("kind", kind.into())))?;
    seqs.reverse();
    viewpoint.space().events(&seqs)
}

fn trace_of(event: &Event) -> Option<&str> {
    event.fields.as_ref()?.trace_id.as_deref()
}

/// The note that an event tells to have been learned.
fn note_learned(event: &Event) -> Option<String> {
    #[derive(Deserialize)]
    struct Learned {
        note_id: Option<String>,
    }
    let metadata = event.fields.as_ref()?.metadata.as_ref()?;
    serde_json::from_str::<Learned>(metadata.get()).ok()?.note_id
}
