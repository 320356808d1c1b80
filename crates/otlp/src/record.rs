//! The record of one event: its fields in one order, so that the same event is the same text, and an id made from all of it.

use idetic_core::{Hash, Record, Time, hash};

use idetic_formats::json::{Writer, quote};

/// What an export became.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Taken {
    /// Its events, in the order they happened.
    pub events: Vec<Incoming>,
    /// Spans that tell of no model, tool or agent.
    pub ignored: u64,
    /// Spans that were not taken.
    pub rejected: u64,
    /// How many were not taken and why the first was not, in one line; empty when all were.
    pub message: String,
}

/// An event as a record the log takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Incoming {
    /// Its id: the hash of all else in the record.
    pub id: String,
    /// The record, one line of JSON with the names of docs/format.md; the log accepts it.
    pub record: String,
}

/// What an event will say.
#[derive(Debug, Clone, Default)]
pub(crate) struct Draft {
    pub(crate) ts: Option<Time>,
    pub(crate) kind: String,
    pub(crate) status: Option<&'static str>,
    pub(crate) agent_id: Option<String>,
    pub(crate) author: Option<String>,
    pub(crate) source: Option<String>,
    pub(crate) trace_id: Option<String>,
    pub(crate) conversation_id: Option<String>,
    pub(crate) content: Option<String>,
    /// The call it belongs to; it stands in the metadata too.
    pub(crate) tool_call_id: Option<String>,
    /// Keys and JSON values, in the order they are written.
    pub(crate) metadata: Vec<(&'static str, String)>,
}

impl Draft {
    /// Adds a text to the metadata, if there is one.
    pub(crate) fn note(&mut self, key: &'static str, text: Option<&str>) {
        self.metadata.extend(text.map(|text| (key, quote(text))));
    }

    /// Adds a number to the metadata, if there is one.
    pub(crate) fn count(&mut self, key: &'static str, number: Option<impl ToString>) {
        self.metadata.extend(number.map(|number| (key, number.to_string())));
    }

    /// The record, checked as the log will check it.
    pub(crate) fn record(&self) -> Result<Incoming, String> {
        let ts = self.ts.map(|ts| ts.to_string());
        let texts = [
            ("ts", ts.as_deref()),
            ("kind", Some(self.kind.as_str())),
            ("status", self.status),
            ("agent_id", self.agent_id.as_deref()),
            ("author", self.author.as_deref()),
            ("source", self.source.as_deref()),
            ("trace_id", self.trace_id.as_deref()),
            ("conversation_id", self.conversation_id.as_deref()),
            ("content", self.content.as_deref()),
        ];
        let mut fields: Vec<(&str, String)> =
            texts.into_iter().filter_map(|(name, text)| Some((name, quote(text?)))).collect();
        if !self.metadata.is_empty() {
            let mut metadata = Writer::default();
            self.metadata.iter().for_each(|(key, json)| metadata.raw(key, json));
            fields.push(("metadata", metadata.finish()));
        }
        let id = format!("otlp-{}", hash::hex(&Hash::of(written(&fields).as_bytes()).0[..16]));
        fields.insert(0, ("id", quote(&id)));
        let parsed = Record::parse(written(&fields).as_bytes()).map_err(|e| e.message)?;
        Ok(Incoming { id, record: parsed.body })
    }
}

fn written(fields: &[(&str, String)]) -> String {
    let mut record = Writer::default();
    fields.iter().for_each(|(name, json)| record.raw(name, json));
    record.finish()
}
