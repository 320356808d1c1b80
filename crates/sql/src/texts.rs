//! What events say, read from the log when a query asks for it, and only then.

use std::sync::{Arc, Mutex, PoisonError};

use idetic_core::Event;
use idetic_memory::Space;
use idetic_store::{Datum, Result};

/// How many events are read at once where a query goes through them in order.
const AHEAD_EVENTS: usize = 32;
/// A step from one event to the next that still counts as in order.
const STEP_EVENTS: u64 = 8;

/// The events that were read last.
pub struct Texts {
    space: Arc<Space>,
    read: Mutex<Vec<Event>>,
}

impl Texts {
    pub fn of(space: &Arc<Space>) -> Self {
        Self { space: Arc::clone(space), read: Mutex::default() }
    }

    /// A part of an event, by its seq and the part's name.
    pub fn part(&self, arguments: &[Datum]) -> Result<Datum> {
        let [Datum::Int(seq), Datum::Text(part)] = arguments else { return Ok(Datum::Null) };
        let seq = u64::try_from(*seq).unwrap_or(0);
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if !read.iter().any(|event| event.seq() == seq) {
            let last = read.last().map_or(0, Event::seq);
            let in_order = seq > last && seq - last <= STEP_EVENTS;
            let stored = self.space.log().read(seq, if in_order { AHEAD_EVENTS } else { 1 })?;
            *read = stored.iter().map(Event::read).collect::<std::result::Result<_, _>>()?;
        }
        Ok(read.iter().find(|event| event.seq() == seq).map_or(Datum::Null, |event| part_of(event, part)))
    }
}

fn part_of(event: &Event, part: &str) -> Datum {
    if part == "recorded_at" {
        return Datum::Text(event.header.recorded_at.to_string());
    }
    let Some(fields) = &event.fields else { return Datum::Null };
    let list = |items: &[String]| Some(serde_json::Value::from(items).to_string());
    match part {
        "summary" => fields.summary.clone(),
        "content" => fields.content.clone(),
        "scope" => fields.scope.clone(),
        "tags" => list(&fields.tags),
        "refs" => list(&fields.refs),
        "causes" => list(&fields.causes),
        "metadata" => fields.metadata.as_ref().map(|metadata| metadata.get().to_owned()),
        "visibility" => Some(event.visibility().word().to_owned()),
        "origin" => Some(event.origin().to_owned()),
        _ => None,
    }
    .into()
}
