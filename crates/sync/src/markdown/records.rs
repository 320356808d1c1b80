//! An event of a changelog as a record of the log, and the other way about.

use idetic_core::event::Event;
use idetic_core::kind::CHANGELOG_KINDS;
use idetic_core::limits::METADATA_MAX_BYTES;
use idetic_core::{Fields, Hash, Record, hash};
use idetic_formats::markdown::changelog::event_id;
use idetic_formats::markdown::{Changelog, Detail, Draft, Entry, Generation, Identity};
use idetic_memory::Result;
use serde_json::{Map, Value, json};

/// The key under which metadata holds what is about the file and not about what happened.
const ABOUT: &str = "_md";
/// The key under which it holds the order of the details.
pub const ORDER: &str = "_order";

/// What an event is known by, whatever its number: its block with its references, alone, and without the number of any
/// other event, where it names some in its words.
pub fn key(identity: &Identity) -> String {
    let two = format!("{}.{}", identity.full, half(&identity.alone));
    if identity.bare == identity.alone { two } else { format!("{two}.{}", half(&identity.bare)) }
}

/// The part of a hash that a key has.
pub fn half(of: &Hash) -> String {
    hash::hex(&of.0[..16])
}

/// The identity that a key names.
pub fn full(key: &str) -> Option<Hash> {
    Hash::parse(key.split_once('.')?.0).ok()
}

/// A few letters that stand for a text.
pub fn short(text: &str) -> String {
    hash::hex(&Hash::of(text.as_bytes()).0[..4])
}

/// The part of a key that an edit of another event does not touch.
pub fn alone(key: &str) -> &str {
    key.split('.').nth(1).unwrap_or(key)
}

/// The part of a key that another number of another event does not touch.
pub fn bare(key: &str) -> &str {
    key.rsplit('.').next().unwrap_or(key)
}

/// The id that an event of a file gets; equal blocks are told apart by how many there were before.
pub fn id(full: &Hash, before: usize) -> String {
    let full = hash::hex(&full.0[..16]);
    if before == 0 { format!("md-{full}") } else { format!("md-{full}-{}", before + 1) }
}

/// What is to be appended for an event of a file. One that an adopted graph shows already says so.
pub fn record(entry: &Entry, raw: &str, id: &str, key: &str, refs: &[String], reflected: bool) -> Result<Record> {
    let known = CHANGELOG_KINDS.contains(&entry.kind.as_str());
    let mut about = json!({"number": entry.number, "identity": key});
    let mut put = |key: &str, value: Value| {
        about[key] = value;
    };
    if entry.generation == Generation::One {
        put("generation", json!(1));
    }
    if entry.only_day {
        put("date_only", json!(true));
    }
    if !known && !entry.kind.is_empty() {
        put("type", json!(entry.kind));
    }
    if reflected {
        put("reflected", json!(true));
    }
    let (links, ties) = entry.links();
    if !links.is_empty() {
        put("links", json!(links));
    }
    if !ties.is_empty() {
        put("ties", json!(ties));
    }
    let mut metadata = details(&entry.details);
    metadata.insert(ABOUT.to_owned(), about.clone());
    if Value::from(metadata.clone()).to_string().len() > METADATA_MAX_BYTES {
        // The block has them.
        metadata = Map::from_iter([(ABOUT.to_owned(), about)]);
    }
    let scope = entry.scope.join(", ");
    let mut record = json!({
        "id": id,
        "kind": if known { entry.kind.as_str() } else { "change" },
        "ts": entry.time.to_string(),
        "status": status(entry),
        "scope": if scope.is_empty() { "project" } else { scope.as_str() },
        "summary": entry.summary,
        "content": raw,
        "refs": refs,
        "tags": entry.tags,
        "metadata": metadata,
    });
    if !entry.agent.is_empty() {
        record["author"] = json!(entry.agent);
    }
    Ok(Record::parse(record.to_string().as_bytes())?)
}

/// A test says how it went; everything else is in the log because it was done.
fn status(entry: &Entry) -> &'static str {
    let result = entry.detail("result").map(|detail| detail.value.to_lowercase()).unwrap_or_default();
    match result.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default() {
        "fail" | "failed" | "failure" | "error" => "failure",
        "skip" | "skipped" | "pending" => "pending",
        _ => "success",
    }
}

/// Details by their keys; what is said under one key several times is a list.
fn details(details: &[Detail]) -> Map<String, Value> {
    let mut map: Map<String, Value> = Map::new();
    for detail in details {
        let mut said: Vec<String> = Vec::new();
        if !detail.value.is_empty() || detail.items.is_empty() {
            said.push(detail.value.clone());
        }
        said.extend(detail.items.iter().cloned());
        let mut name = detail.name();
        if name.is_empty() || name.starts_with('_') {
            name = "details".to_owned();
        }
        let old = map.remove(&name);
        let mut all: Vec<Value> = match old {
            Some(Value::Array(list)) => list,
            Some(one) => vec![one],
            None => Vec::new(),
        };
        all.extend(said.into_iter().map(Value::from));
        let one = if all.len() == 1 { all.pop() } else { None };
        map.insert(name, one.unwrap_or(Value::Array(all)));
    }
    map
}

/// An event that came from elsewhere as a file has it. Numbers of the events it refers to are asked for.
pub fn draft(event: &Event, number: u64, number_of: &dyn Fn(&str) -> Option<u64>) -> Draft {
    let fields = event.fields.as_ref();
    let text = |get: &dyn Fn(&Fields) -> Option<String>| fields.and_then(get).unwrap_or_default();
    let content = text(&|f| f.content.clone());
    let summary = text(&|f| f.summary.clone());
    let first_line = content.lines().next().unwrap_or_default().to_owned();
    let metadata = fields.and_then(|f| f.metadata.as_ref());
    let said: Map<String, Value> = metadata.and_then(|m| serde_json::from_str(m.get()).ok()).unwrap_or_default();
    let mut details: Vec<Detail> =
        said.iter().filter(|(key, _)| !key.starts_with('_')).map(|(key, value)| detail(key, value)).collect();
    let order = said.get(ORDER).and_then(Value::as_array).cloned().unwrap_or_default();
    details.sort_by_key(|detail| order.iter().position(|key| *key == *detail.key).unwrap_or(usize::MAX));
    let is_more = if summary.is_empty() { content.trim() != first_line.trim() } else { content != summary };
    if !content.is_empty() && is_more {
        details.push(detail("content", &Value::from(content.clone())));
    }
    let list = |text: &str| text.split(',').map(str::trim).filter(|t| !t.is_empty()).map(str::to_owned).collect();
    Draft {
        number,
        time: event.ts(),
        agent: text(&|f| f.author.clone().or_else(|| f.agent_id.clone())),
        kind: event.header.kind.clone(),
        scope: list(&text(&|f| f.scope.clone())),
        summary: match (summary.trim().is_empty(), first_line.trim().is_empty()) {
            (false, _) => summary,
            (true, false) => first_line,
            (true, true) => format!("Something of type {} happened", event.header.kind),
        },
        details,
        refs: fields.map(|f| f.refs.iter().filter_map(|id| number_of(id)).collect()).unwrap_or_default(),
        tags: fields.map(|f| f.tags.clone()).unwrap_or_default(),
    }
}

fn detail(key: &str, value: &Value) -> Detail {
    let plain = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let (value, items) = match value {
        Value::Array(list) => (String::new(), list.iter().map(plain).collect()),
        one => (plain(one), Vec::new()),
    };
    Detail { key: key.to_owned(), value, items, line: 0 }
}

/// The block of an event that came from a file, with the number it has now.
pub fn block(event: &Event, number: u64) -> Option<String> {
    let fields = event.fields.as_ref()?;
    let content = fields.content.as_ref().filter(|_| is_from_file(fields))?;
    let (heading, rest) = content.split_once('\n')?;
    let old = Changelog::read(content).entries().first()?.id.clone();
    Some(format!("{}\n{rest}", heading.replacen(&old, &event_id(number), 1)))
}

fn is_from_file(fields: &Fields) -> bool {
    let says = |m: &serde_json::value::RawValue| serde_json::from_str::<Value>(m.get()).ok();
    fields.metadata.as_ref().and_then(|m| says(m)).is_some_and(|said| said[ABOUT]["identity"].is_string())
}

/// The block of an event as a file would have it now, read: its own where it came from one, else the one it is written as.
pub fn entry(event: &Event, number: Option<u64>, number_of: &dyn Fn(&str) -> Option<u64>) -> Option<Entry> {
    let fields = event.fields.as_ref()?;
    let block = match (&fields.content, is_from_file(fields)) {
        (Some(content), true) => content.clone(),
        _ => draft(event, number.unwrap_or(0), number_of).print(),
    };
    let mut entry = Changelog::read(&block).entries().first().cloned()?;
    entry.number = number;
    entry.refs = fields.refs.iter().filter_map(|id| number_of(id)).collect();
    Some(entry)
}
