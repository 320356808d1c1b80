//! What a client was told: the text, and by number what it leads to, so that "what did it know then" has an answer.

use std::collections::HashSet;

use idetic_core::views::TIMELINE;
use idetic_core::{Event, Record, Time};
use idetic_memory::{RECALLED, Result, Viewpoint};
use idetic_store::{Filter, Select};
use serde_json::{Value, json};

/// Most events that one session was told by, which are looked at.
const TOLD_MAX: usize = 500;
const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// A text for a client.
pub struct InjectedContext {
    /// When it is told: `start`, `prompt`, `failure`, `edit`.
    pub moment: &'static str,
    /// The text.
    pub text: String,
    /// The events it comes from, in order.
    pub ids: Vec<String>,
    /// What each line of it is known by: an event may be told by several.
    pub keys: Vec<String>,
}

impl InjectedContext {
    /// The record of it: ids in their order, and no word of what they say.
    pub fn record(&self, session: &str, project: &str) -> Result<Record> {
        let mut seen = HashSet::new();
        let ids: Vec<&String> = self.ids.iter().filter(|id| seen.insert(*id)).collect();
        let record = json!({"kind": RECALLED, "trust": "agent", "refs": ids, "trace_id": session,
            "conversation_id": session, "source": project,
            "metadata": {"moment": self.moment, "lines": self.keys, "tokens": idetic_core::tokens::estimate(&self.text)}});
        Ok(Record::parse(record.to_string().as_bytes())?)
    }
}

/// What a session was told so far, by what its lines are known by.
pub fn told_before(viewpoint: &Viewpoint, session: &str) -> Result<HashSet<String>> {
    let own = Select::from(&TIMELINE, viewpoint.horizon(None)?).filter(Filter::Is("conversation", session.into()));
    let own = Select { limit: Some(TOLD_MAX), newest_first: true, ..own.filter(Filter::Is("kind", RECALLED.into())) };
    let events = viewpoint.events(&viewpoint.seqs(&own)?)?;
    let keys = |event: Event| {
        let lines = event.metadata()["lines"].as_array().cloned();
        let lines = lines.map(|lines| lines.iter().filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>());
        lines.unwrap_or_else(|| event.fields.map(|fields| fields.refs).unwrap_or_default())
    };
    Ok(events.into_iter().flat_map(keys).collect())
}

/// A day as a person says it.
pub fn day(ts: Time, now: Time) -> String {
    let (then, today) = (ts.civil().date(), now.civil().date());
    match today.since(then).map(|span| span.get_days()) {
        Ok(0) => "today".to_owned(),
        Ok(1) => "yesterday".to_owned(),
        _ => {
            let month = MONTHS[usize::from(then.month().unsigned_abs()).saturating_sub(1).min(11)];
            let year = if then.year() == today.year() { String::new() } else { format!(" {}", then.year()) };
            format!("{} {month}{year}", then.day())
        }
    }
}
