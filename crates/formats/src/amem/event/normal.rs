//! Foreign events as records: what has a place goes there, everything else under metadata, and the text as it was.

use idetic_core::words::Status;
use idetic_core::{kind, limits};
use serde_json::value::RawValue;

use super::when::{self, Flaw};
use super::{Incoming, Shape, checked, content, first_text};
use crate::json::{self, Entries, Writer, quote};

/// The fields of schema v1.0.
const SCHEMA: [&str; 7] = ["timestamp", "trace_id", "status", "schema_version", "event_type", "source", "metadata"];

/// An event that keeps to the schema to the letter: its record needs nothing of ours. `None` when it does not.
pub(super) fn exact(entries: &Entries, id: &str) -> Option<Incoming> {
    if entries.iter().any(|(key, value)| !SCHEMA.contains(&key.as_str()) || value.get() == "null") {
        return None;
    }
    let text = |key: &str| json::get(entries, key).and_then(json::text);
    let name = text("event_type")?;
    if !name.contains('.') || kind::parse(&name).is_err() {
        return None;
    }
    let timestamp = text("timestamp")?;
    let (time, flaw) = when::read(json::get(entries, "timestamp"));
    time?;
    let status = Status::parse(&text("status")?).ok()?;
    let metadata = json::get(entries, "metadata");
    let inner = match metadata {
        Some(value) => Some(json::object(value)?),
        None => None,
    };
    let mut fields = vec![
        ("id", quote(id)),
        ("ts", quote(&timestamp)),
        ("kind", quote(&name)),
        ("status", quote(status.word())),
        ("source", quote(&text("source")?)),
        ("trace_id", quote(&text("trace_id")?)),
        ("schema_version", quote(&text("schema_version")?)),
    ];
    let author = inner.as_ref().and_then(|m| first_text(m, &["agent_name"]));
    fields.extend(author.map(|(_, author)| ("author", quote(&author))));
    fields.extend(content::content(&name, entries).map(|text| ("content", quote(&text))));
    let tags = inner.as_ref().map(tags).unwrap_or_default();
    fields.extend((!tags.is_empty()).then(|| ("tags", json::list(&tags))));
    fields.extend(metadata.map(|m| ("metadata", m.get().to_owned())));
    let record = checked(&fields).ok()?;
    let remarks = flaw.map(|f| f.remark().to_owned()).into_iter().collect();
    Some(Incoming { id: id.to_owned(), record, shape: Shape::A, remarks })
}

/// An event of any other shape. One that is too large or too deep for a record is carried as its text.
pub(super) fn foreign(raw: &str, entries: &Entries, shape: Shape, id: String) -> Result<Incoming, String> {
    let mut draft = Draft::new(entries, shape);
    draft.take_name();
    draft.take_time();
    draft.take_status();
    draft.take_people();
    draft.take_lists();
    let mut fields = vec![("id", quote(&id))];
    fields.extend(draft.fields.iter().cloned());
    let text = content::content(&draft.name, entries);
    fields.extend(text.map(|text| ("content", quote(&text))));
    fields.push(("metadata", draft.metadata(raw)));
    let record = match checked(&fields) {
        Ok(record) => record,
        Err(why) => {
            draft.remarks.push(format!("carried as its text: {why}"));
            draft.whole(&id, raw)?
        }
    };
    Ok(Incoming { id, record, shape, remarks: draft.remarks })
}

/// A record in the making.
struct Draft<'a> {
    entries: &'a Entries<'a>,
    shape: Shape,
    name: String,
    fields: Vec<(&'static str, String)>,
    /// Keys that are said whole elsewhere in the record.
    used: Vec<&'a str>,
    flaw: Option<Flaw>,
    remarks: Vec<String>,
}

impl<'a> Draft<'a> {
    fn new(entries: &'a Entries<'a>, shape: Shape) -> Self {
        let unsaid = (String::new(), Vec::new(), Vec::new(), None, Vec::new());
        let (name, fields, used, flaw, remarks) = unsaid;
        Self { entries, shape, name, fields, used, flaw, remarks }
    }

    fn take_name(&mut self) {
        let found = first_text(self.entries, &["event_type", "event", "action", "evaluation_type"]);
        let (key, name) = found.unwrap_or(("", "trace".to_owned()));
        // Only what is meant as a type can be a dotted name of a type: an action often ends in a file's name.
        let is_type = key == "event_type" || key == "event";
        let stays = is_type && name.contains('.') && kind::parse(&name).is_ok();
        self.fields.push(("kind", quote(&if stays { name.clone() } else { foreign_kind(&name) })));
        self.used.push(key);
        self.name = name;
    }

    fn take_time(&mut self) {
        let keys: &[&str] = match self.shape {
            Shape::Trace => &["end_time", "start_time"],
            _ => &["timestamp", "ts", "time"],
        };
        let value = keys.iter().find_map(|key| json::get(self.entries, key));
        let (time, flaw) = when::read(value);
        self.flaw = flaw;
        self.remarks.extend(flaw.map(|f| f.remark().to_owned()));
        if let Some(time) = time {
            self.fields.push(("ts", quote(&time.to_string())));
            self.used.push("timestamp");
        }
    }

    fn take_status(&mut self) {
        for key in ["status", "outcome"] {
            let Some(word) = json::get(self.entries, key).and_then(json::text) else { continue };
            if let Some(status) = status(&word) {
                self.fields.push(("status", quote(status.word())));
                if status.word() == word {
                    self.used.push(key);
                }
                return;
            }
        }
    }

    fn take_people(&mut self) {
        let fits = |(key, text): (&'static str, String)| (text.len() <= limits::NAME_MAX_BYTES).then_some((key, text));
        let find = |keys: &[&'static str]| first_text(self.entries, keys).and_then(fits);
        let author = find(&["actor", "agent_name", "author"]);
        let source = find(&["source", "project", "actor"]);
        let trace = find(&["trace_id"]);
        let conversation = find(&["session_id", "conversation_id"]);
        let named = [("author", author), ("source", source), ("trace_id", trace), ("conversation_id", conversation)];
        for (field, found) in named {
            if let Some((key, text)) = found {
                self.fields.push((field, quote(&text)));
                self.used.push(key);
            }
        }
    }

    fn take_lists(&mut self) {
        let mut all = tags(self.entries);
        self.used.extend((!all.is_empty()).then_some("tags"));
        let inner = json::get(self.entries, "metadata").and_then(json::object);
        for tag in inner.as_ref().map(tags).unwrap_or_default() {
            if !all.contains(&tag) {
                all.push(tag);
            }
        }
        if !all.is_empty() {
            self.fields.push(("tags", json::list(&all)));
        }
        let mut refs = Vec::new();
        for key in ["events", "knowledge_generated", "related_events", "related_traces"] {
            refs.extend(json::get(self.entries, key).and_then(json::strings).unwrap_or_default());
        }
        refs.retain(|r: &String| !r.is_empty() && r.len() <= limits::NAME_MAX_BYTES);
        refs.truncate(limits::LIST_MAX_ITEMS);
        if !refs.is_empty() {
            self.fields.push(("refs", json::list(&refs)));
        }
    }

    /// The event's own metadata, its other keys behind it, and what we keep of it.
    fn metadata(&self, raw: &str) -> String {
        let mut all = Writer::default();
        let mut top = Writer::default();
        let inner_key = if self.shape == Shape::H { "data" } else { "metadata" };
        let inner = json::get(self.entries, inner_key).and_then(json::object);
        let taken = |key: &str| inner.as_ref().is_some_and(|m| m.iter().any(|(k, _)| k == key));
        for (key, value) in inner.iter().flatten().filter(|(key, _)| key != "_amem") {
            all.raw(key, value.get());
        }
        for (key, value) in self.entries {
            let is_inner = inner.is_some() && key == inner_key;
            if is_inner || self.used.contains(&key.as_str()) || value.get() == "null" {
                continue;
            }
            let place = if taken(key) || key == "_amem" { &mut top } else { &mut all };
            place.raw(key, value.get());
        }
        let mut kept = self.kept();
        if !top.is_empty() {
            kept.raw("top", &top.finish());
        }
        kept.text("raw", raw);
        all.raw("_amem", &kept.finish());
        all.finish()
    }

    fn kept(&self) -> Writer {
        let mut kept = Writer::default();
        kept.text("shape", self.shape.word());
        kept.text("name", &self.name);
        if let Some(flaw) = self.flaw {
            kept.text("time", flaw.word());
        }
        kept
    }

    /// A record that carries the text as its content and nothing that could be too large or too deep.
    fn whole(&self, id: &str, raw: &str) -> Result<String, String> {
        let mut fields = vec![("id", quote(id))];
        let plain =
            |name: &str| ["kind", "ts", "status", "author", "source", "trace_id", "conversation_id"].contains(&name);
        fields.extend(self.fields.iter().filter(|(name, _)| plain(name)).cloned());
        fields.push(("content", quote(raw)));
        let mut kept = Writer::default();
        kept.text("shape", self.shape.word());
        kept.text("raw_in", "content");
        let mut metadata = Writer::default();
        metadata.raw("_amem", &kept.finish());
        fields.push(("metadata", metadata.finish()));
        checked(&fields)
    }
}

/// The tags of an event or of its metadata: without a leading `#`, each once.
fn tags(entries: &Entries) -> Vec<String> {
    let value: Option<&RawValue> = json::get(entries, "tags");
    let mut tags: Vec<String> = Vec::new();
    for tag in value.and_then(json::strings).unwrap_or_default() {
        let tag = tag.trim().trim_start_matches('#').to_owned();
        if !tag.is_empty() && tag.len() <= limits::NAME_MAX_BYTES && !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    tags.truncate(limits::LIST_MAX_ITEMS);
    tags
}

/// The four words of the document, and the words found where one of them was meant.
fn status(word: &str) -> Option<Status> {
    match word.trim().to_ascii_lowercase().as_str() {
        "success" | "succeeded" | "ok" | "passed" | "complete" | "completed" => Some(Status::Success),
        "failure" | "failed" | "fail" | "error" => Some(Status::Failure),
        "pending" | "in_progress" | "in-progress" | "running" | "started" => Some(Status::Pending),
        "timeout" | "timed_out" => Some(Status::Timeout),
        _ => None,
    }
}

/// `amem.` and the name in small letters, digits, `_` and `-`.
fn foreign_kind(name: &str) -> String {
    let mut slug = String::new();
    for c in name.trim().chars() {
        match c.to_ascii_lowercase() {
            c @ ('a'..='z' | '0'..='9' | '_') => slug.push(c),
            _ if slug.is_empty() || slug.ends_with('-') => {}
            _ => slug.push('-'),
        }
    }
    slug.truncate(limits::KIND_MAX_BYTES - 8);
    let slug = slug.trim_end_matches('-');
    match slug.bytes().next() {
        None => "amem.event".to_owned(),
        Some(b'a'..=b'z') => format!("amem.{slug}"),
        Some(_) => format!("amem.x{slug}"),
    }
}
