//! Events as we write them: schema v1.0, with what it has no place for under `metadata._idetic`, undone when read.

use idetic_core::words::Status;
use idetic_core::{Invalid, Time, kind};
use serde_json::value::RawValue;

use super::{Incoming, Shape, SourcePosition, checked, identity};
use crate::json::{self, Entries, Writer, quote};

/// Where the schema's own fields end and ours begin.
const OWN_KEY: &str = "_idetic";

/// A note that is written for the first time is what the catalogue calls knowledge learned; the kind and what the catalogue
/// wants to be said of the note are undone when read.
const NOTE_WRITTEN: &str = "note.written";
const KNOWLEDGE_LEARNED: &str = "agent.knowledge_learned";
const NOTE_ID: &str = "note_id";

const CONFIDENCE: &str = "confidence";
const TAGS: &str = "tags";
/// The schema's types are `namespace.action`: a kind of one word is put into this namespace, undone when read.
const NAMESPACE: &str = "memory.";

/// The fields of a record that schema v1.0 has no place for, in the order they are written.
const OURS: [&str; 15] = [
    "agent_id",
    "persona",
    "visibility",
    "author",
    "loop_id",
    "conversation_id",
    "scope",
    "summary",
    "content",
    "refs",
    "tags",
    "trust",
    "causes",
    "origin",
    "metadata",
];

/// An event of the log that is to be written.
#[derive(Debug, Clone, Copy)]
pub struct Exported<'a> {
    /// Its id.
    pub id: &'a str,
    /// When it was written, for those that do not say when they happened.
    pub recorded_at: Time,
    /// The record as the log keeps it.
    pub body: &'a str,
    /// The program or project that writes: the source of those that name none.
    pub source: &'a str,
}

/// Writes an event as one line of schema v1.0, without the line break. An event that came in that way and still says
/// only that leaves as it came.
pub fn write(event: &Exported) -> Result<String, Invalid> {
    let fields = Fields::read(event.body)?;
    if let Some(line) = plain(event, &fields) {
        return Ok(line);
    }
    let mut defaulted = Vec::new();
    let mut or_else = |name: &'static str, default: &dyn Fn() -> String| match fields.get(name) {
        Some(value) => value.get().to_owned(),
        None => {
            defaulted.push(name);
            default()
        }
    };
    let other = |name: &str| fields.get(name).map(|v| v.get().to_owned());
    let trace_id =
        or_else("trace_id", &|| other("loop_id").or(other("conversation_id")).unwrap_or_else(|| quote(event.id)));
    let status = or_else("status", &|| quote(Status::Success.word()));
    let schema_version = or_else("schema_version", &|| quote("1.0"));
    let source = or_else("source", &|| quote(event.source));
    let metadata = or_else("metadata", &|| "{}".to_owned());
    // The time is always said: in another log it could not be told from the moment of taking in.
    let timestamp = other("ts").unwrap_or_else(|| quote(&event.recorded_at.to_string()));

    let inner = json::entries(&metadata).map_err(Invalid::new)?;
    let is_ours = inner.iter().any(|(key, _)| key == OWN_KEY);
    let mut own = Writer::default();
    own.raw("v", "1");
    own.text("id", event.id);
    let note = if is_ours { None } else { learned(&fields.kind, &inner) };
    let event_type = match note {
        Some(_) => KNOWLEDGE_LEARNED.to_owned(),
        None if fields.kind.contains('.') => fields.kind.clone(),
        None => format!("{NAMESPACE}{}", fields.kind),
    };
    if event_type != fields.kind {
        own.text("kind", &fields.kind);
    }
    for name in OURS {
        match fields.get(name) {
            Some(_) if name == "metadata" && !is_ours => {}
            Some(value) => own.raw(name, value.get()),
            None => {}
        }
    }
    own.list("defaulted", &defaulted);
    let mut outer = Writer::default();
    if let Some(note) = note {
        let tags = other("tags").unwrap_or_else(|| "[]".to_owned());
        let wanted = [(NOTE_ID, note.get()), (CONFIDENCE, "null"), (TAGS, tags.as_str())];
        let filled: Vec<_> = wanted.iter().filter(|(key, _)| json::get(&inner, key).is_none()).collect();
        filled.iter().for_each(|(key, value)| outer.raw(key, value));
        own.list("filled", &filled.iter().map(|(key, _)| *key).collect::<Vec<_>>());
    }
    // A metadata that itself has our key is kept whole inside ours.
    for (key, value) in inner.iter().filter(|_| !is_ours) {
        outer.raw(key, value.get());
    }
    outer.raw(OWN_KEY, &own.finish());
    let event_type = quote(&event_type);
    Ok(line([&timestamp, &trace_id, &status, &schema_version, &event_type, &source], Some(&outer.finish())))
}

/// The id of a note that is written for the first time.
fn learned<'a>(kind: &str, metadata: &Entries<'a>) -> Option<&'a RawValue> {
    let is_new = kind == NOTE_WRITTEN && ["supersedes", NOTE_ID].iter().all(|key| json::get(metadata, key).is_none());
    json::get(metadata, "note").filter(|_| is_new)
}

fn line(values: [&str; 6], metadata: Option<&str>) -> String {
    let mut line = Writer::default();
    let names = ["timestamp", "trace_id", "status", "schema_version", "event_type", "source"];
    for (name, value) in names.into_iter().zip(values) {
        line.raw(name, value);
    }
    if let Some(metadata) = metadata {
        line.raw("metadata", metadata);
    }
    line.finish()
}

/// The line without anything of ours, if reading it gives this very event.
fn plain(event: &Exported, fields: &Fields) -> Option<String> {
    if !event.id.starts_with("amem-") {
        return None;
    }
    let value = |name: &str| fields.get(name).map(RawValue::get);
    let kind = quote(&fields.kind);
    let values =
        [value("ts")?, value("trace_id")?, value("status")?, value("schema_version")?, &kind, value("source")?];
    let line = line(values, value("metadata"));
    if identity(&line, 1) != event.id {
        return None;
    }
    let back = super::read(&line, &SourcePosition { line: 1, occurrence: 1 }).ok()?;
    let same = back.id == event.id && idetic_core::json::same(&back.record, &fields.canonical(event.id));
    same.then_some(line)
}

/// What we wrote into an event, if we did.
pub(super) fn own_part<'a>(entries: &Entries<'a>) -> Option<&'a RawValue> {
    let metadata = json::object(json::get(entries, "metadata")?)?;
    json::get(&metadata, OWN_KEY).filter(|own| own.get().starts_with('{'))
}

/// Reads back what [`write`] wrote: the same id and the same fields, without those that had been filled in.
pub(super) fn read(entries: &Entries, own: &RawValue) -> Result<Incoming, String> {
    let own = json::entries(own.get())?;
    let id = json::get(&own, "id").and_then(json::text).ok_or("metadata._idetic has no id")?;
    let defaulted =
        json::get(&own, "defaulted").map(|d| json::strings(d).ok_or("metadata._idetic.defaulted is not a list"));
    let defaulted = defaulted.transpose()?.unwrap_or_default();
    let said = |name: &str| defaulted.iter().all(|d| d != name);
    let mut remarks = Vec::new();
    let mut fields = vec![("id", quote(&id))];
    let names = [
        ("timestamp", "ts"),
        ("event_type", "kind"),
        ("status", "status"),
        ("source", "source"),
        ("trace_id", "trace_id"),
        ("schema_version", "schema_version"),
    ];
    let kind = json::get(&own, "kind");
    for (outer, inner) in names {
        if let Some(value) = json::get(entries, outer).filter(|_| said(outer)) {
            let value = kind.filter(|_| inner == "kind").unwrap_or(value);
            fields.push((inner, value.get().to_owned()));
        }
    }
    let ours = |name: &str| OURS.contains(&name) && name != "metadata";
    for (name, value) in own.iter().filter(|(name, value)| ours(name) && value.get() != "null") {
        let name = OURS.iter().find(|n| *n == name).copied().unwrap_or_default();
        fields.push((name, value.get().to_owned()));
    }
    let mut metadata = Writer::default();
    let inner = json::get(entries, "metadata").and_then(json::object).unwrap_or_default();
    let filled = match json::get(&own, "filled").and_then(json::strings) {
        Some(filled) => filled,
        // Lines of earlier versions do not say.
        None if kind.and_then(json::text).as_deref() == Some(NOTE_WRITTEN) => vec![NOTE_ID.to_owned()],
        None => Vec::new(),
    };
    for (key, value) in inner.iter().filter(|(key, _)| key != OWN_KEY && !filled.contains(key)) {
        metadata.raw(key, value.get());
    }
    for (key, value) in entries.iter().filter(|(key, _)| key != "metadata" && names.iter().all(|(n, _)| n != key)) {
        remarks.push(format!("key '{}' was added to an event of ours", idetic_core::invalid::excerpt(key)));
        metadata.raw(key, value.get());
    }
    if let Some(whole) = json::get(&own, "metadata") {
        fields.push(("metadata", whole.get().to_owned()));
    } else if said("metadata") || !metadata.is_empty() {
        fields.push(("metadata", metadata.finish()));
    }
    Ok(Incoming { id, record: checked(&fields)?, shape: Shape::Own, remarks })
}

/// The fields of a record as JSON, under their one name, without those that are null.
struct Fields<'a> {
    kind: String,
    all: Entries<'a>,
}

impl<'a> Fields<'a> {
    fn read(body: &'a str) -> Result<Self, Invalid> {
        let mut all = json::entries(body).map_err(Invalid::new)?;
        all.retain(|(_, value)| value.get() != "null");
        for (key, _) in &mut all {
            match key.as_str() {
                "timestamp" => "ts".clone_into(key),
                "event_type" => "kind".clone_into(key),
                _ => {}
            }
        }
        let said = json::get(&all, "kind").and_then(json::text).ok_or_else(|| Invalid::new("kind is missing"))?;
        let kind = kind::parse(&said)?.into_owned();
        Ok(Self { kind, all })
    }

    fn get(&self, name: &str) -> Option<&'a RawValue> {
        json::get(&self.all, name)
    }

    /// The record with the id the log knows it by.
    fn canonical(&self, id: &str) -> String {
        let mut record = Writer::default();
        record.text("id", id);
        for (key, value) in self.all.iter().filter(|(key, _)| key != "id") {
            record.raw(key, value.get());
        }
        record.finish()
    }
}
