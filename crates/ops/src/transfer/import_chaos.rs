//! `import chaos`: takes in a `.chaos/` folder (specification 001): its identities and every event of its `raw.sqlite`.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use clap::Args;
use idetic_core::words::{Persona, Trust, Visibility};
use idetic_core::{Record, Time, kind};
use idetic_memory::identities::{agent_of, read_identity};
use idetic_memory::{Cause, Error, Result, Space, Writer};
use idetic_search::DEFAULT_IMPORTANCE;
use idetic_store::{Conflict, ForeignRow, read_table};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::operation::operation;
use crate::{Done, OwnerContext};

operation! {
    name: "import chaos",
    about: "Import a .chaos folder: its identities and every event of its raw.sqlite; run again, it adds what is new",
    example: "idetic import chaos ../agent/.chaos",
    rights: Admin, reader: Owner, interfaces: [Cli], destructive: false,
    answers: One, args: ImportChaos, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ImportChaos {
    /// The folder, or the project it is in
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Replace existing identities that have other content
    #[arg(long)]
    #[serde(default)]
    force: bool,
}

/// Where the bytes are kept that are not UTF-8.
const RAW: &str = "_chaos_bytes";

/// Most characters of them for one column; what is longer would not fit into the metadata.
const RAW_MAX_CHARS: usize = 24 << 10;

/// Events appended together.
const BATCH_EVENTS: usize = 500;

const EVENTS: [&str; 9] =
    ["id", "ts", "agent_id", "persona", "loop_id", "kind", "visibility", "content", "metadata_json"];
const ENTRIES: [&str; 3] = ["idetic_id", "summary", "importance"];

/// What long-term memory there says of an event.
struct Mirror {
    summary: Option<String>,
    /// The summary's bytes, where they are not UTF-8.
    summary_bytes: Option<Vec<u8>>,
    importance: Option<f64>,
}

/// What was not taken in.
#[derive(Default)]
struct Refusals(u64);

/// What came of the events.
#[derive(Default)]
struct Taken {
    /// How many there are.
    events: u64,
    /// How many of them were new.
    added: u64,
    /// How many of them had bytes that are not UTF-8.
    altered: u64,
}

fn run(cx: &mut OwnerContext, args: ImportChaos) -> Result<()> {
    let folder = Some(args.folder.join(".chaos")).filter(|inner| inner.is_dir()).unwrap_or(args.folder);
    let database = folder.join("db/raw.sqlite");
    if !database.exists() && !folder.join("identities").is_dir() {
        return Err(Error::not_found(format!("{} has neither identities nor db/raw.sqlite", folder.display()))
            .hint("name a .chaos folder, or the project it is in"));
    }
    let mut refusals = Refusals::default();
    let identities = take_identities(cx, &folder.join("identities"), args.force, &mut refusals)?;
    let mut taken = Taken::default();
    if database.exists() {
        let space = cx.space_or_new()?;
        taken = take_events(cx, &space, &database, &mut refusals)?;
    }
    let Taken { events, added, altered } = taken;
    let mut done = format!("imported {identities} identities and {added} new of {events} events");
    if altered > 0 {
        done.push_str(&format!("; {altered} are not UTF-8, each is named above"));
    }
    cx.answer(Done { done, events: added, head: None })?;
    match refusals.0 {
        0 => Ok(()),
        refused => Err(Error::invalid(format!("{refused} things could not be imported, each is named above"))
            .hint("fix them and import again: what exists already is skipped")),
    }
}

impl Refusals {
    fn add(&mut self, cx: &mut OwnerContext, what: &str, why: &dyn std::fmt::Display) {
        self.0 += 1;
        (cx.notice)(&format!("{what}: {why}"));
    }
}

/// Copies the identities that are right.
fn take_identities(cx: &mut OwnerContext, folder: &Path, force: bool, refusals: &mut Refusals) -> Result<u64> {
    let mut taken = 0;
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    files.sort();
    for file in files {
        let Some(agent) = agent_of(&file).map(str::to_owned) else { continue };
        let name = file.display().to_string();
        if let Err(error) = read_identity(&file, &agent) {
            refusals.add(cx, &name, &error);
            continue;
        }
        let Some(target) = cx.memory()?.identity_file(&agent) else {
            refusals.add(cx, &name, &"its name is not an agent's id");
            continue;
        };
        let failed = || Error::io(format!("cannot copy {} to {}", file.display(), target.display()));
        let text = std::fs::read(&file).map_err(failed())?;
        match std::fs::read(&target) {
            Ok(here) if here == text => continue,
            Ok(_) if !force => {
                refusals.add(cx, &name, &format!("{} has other content: --force replaces it", target.display()));
                continue;
            }
            _ => {}
        }
        std::fs::create_dir_all(target.parent().unwrap_or(Path::new("."))).map_err(failed())?;
        std::fs::write(&target, text).map_err(failed())?;
        taken += 1;
    }
    Ok(taken)
}

/// Appends the events that are not here yet.
fn take_events(cx: &mut OwnerContext, space: &Space, database: &Path, refusals: &mut Refusals) -> Result<Taken> {
    let mut mirrors: HashMap<String, Mirror> = HashMap::new();
    read_table(database, "ltm_entries", &ENTRIES, "rowid", &mut |mut row| {
        let summary_bytes = row.raw.remove(&1);
        let [Some(id), summary, importance] = fixed(row.cells) else { return Ok(()) };
        let importance = importance.and_then(|text| text.parse().ok());
        mirrors.insert(id, Mirror { summary, summary_bytes, importance });
        Ok(())
    })?;
    let mut rows: Vec<ForeignRow> = Vec::new();
    read_table(database, "idetic_events", &EVENTS, "ts, rowid", &mut |row| {
        rows.push(row);
        Ok(())
    })?;
    let before = space.log().tip()?.seq;
    let (total, mut altered) = (rows.len() as u64, 0);
    for (batch, rows) in rows.chunks(BATCH_EVENTS).enumerate() {
        let mut records = Vec::with_capacity(rows.len());
        for row in rows {
            let id = row.cells.first().cloned().flatten().unwrap_or_default();
            let mirror = mirrors.get(&id);
            let raw = raw(row, mirror);
            if !raw.is_empty() {
                altered += 1;
                for (column, bytes) in &raw {
                    let kept = if bytes.is_null() { "too long to keep" } else { "kept in metadata" };
                    (cx.notice)(&format!(
                        "event {id}: {column} is not UTF-8: what cannot be read is replaced, its bytes are {kept}"
                    ));
                }
            }
            match record(row.cells.clone(), mirror, raw) {
                Ok(record) => records.push((id, record)),
                Err(error) => refusals.add(cx, &format!("event {id}"), &error),
            }
        }
        let all = records.iter().map(|(_, record)| from_file(record)).collect::<Result<Vec<_>>>()?;
        if space.append(all, None).is_err() {
            // One of them is to blame: each is appended alone, and that one named.
            for (id, record) in records {
                let is_taken = |error: &Error| matches!(error.cause, Cause::Conflict(Conflict::IdTaken { .. }));
                let mut taken = space.append(vec![from_file(&record)?], None);
                // Taken in before what came from a file said so, or before secrets were masked: the same words are the same event.
                for older in [record.clone(), Record { is_verbatim: true, ..from_file(&record)? }] {
                    if taken.as_ref().is_err_and(is_taken) {
                        taken = space.append(vec![older], None);
                    }
                }
                if let Err(error) = taken {
                    refusals.add(cx, &format!("event {id}"), &error);
                }
            }
        }
        (cx.progress)(((batch + 1) * BATCH_EVENTS).min(rows.len() + batch * BATCH_EVENTS) as u64, total);
    }
    Ok(Taken { events: total, added: space.log().tip()?.seq - before, altered })
}

/// What stood in a database of another program is trusted as what stands in a file.
fn from_file(record: &Record) -> Result<Record> {
    Writer::of_file(Trust::Agent, None).sign(record.clone())
}

/// The bytes of a row that are not UTF-8, in Base64 by the name of the column; nothing in place of those that are too long.
fn raw(row: &ForeignRow, mirror: Option<&Mirror>) -> Map<String, Value> {
    let summary = mirror.and_then(|mirror| mirror.summary_bytes.as_ref());
    let cells = row.raw.iter().map(|(column, bytes)| (EVENTS[*column], bytes));
    let kept = |bytes: &Vec<u8>| Some(base64(bytes)).filter(|text| text.len() <= RAW_MAX_CHARS);
    let all = cells.chain(summary.map(|bytes| ("summary", bytes)));
    all.map(|(name, bytes)| (name.to_owned(), json!(kept(bytes)))).collect()
}

/// Bytes as text that every language reads back.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let number =
            three.iter().fold(0_usize, |number, byte| number << 8 | usize::from(*byte)) << (8 * (3 - three.len()));
        for digit in 0..4 {
            let shown = digit <= three.len();
            text.push(if shown { char::from(DIGITS[number >> (18 - 6 * digit) & 63]) } else { '=' });
        }
    }
    text
}

/// The event of a row. What our event has no place for is kept in its metadata.
fn record(row: Vec<Option<String>>, mirror: Option<&Mirror>, raw: Map<String, Value>) -> Result<Record> {
    let [id, ts, agent, persona, loop_id, kind_said, visibility, content, metadata] = fixed(row);
    let mut metadata = match metadata.as_deref().map(serde_json::from_str::<Value>) {
        Some(Ok(Value::Object(map))) => map,
        None => Map::new(),
        Some(_) => Map::from_iter([("_chaos_metadata".to_owned(), json!(metadata))]),
    };
    let said = kind_said.unwrap_or_default();
    let known = kind::parse(&said).map(|known| known.into_owned());
    if known.is_err() {
        metadata.insert("_chaos_kind".to_owned(), json!(said));
    }
    let persona = Persona::parse(persona.as_deref().unwrap_or("actor"))?;
    let visibility = visibility.as_deref().map(Visibility::parse).transpose()?;
    let mut body = json!({
        "id": id,
        "ts": Time::parse(&ts.unwrap_or_default())?.to_string(),
        "kind": known.unwrap_or_else(|_| format!("chaos.{}", slug(&said))),
        "agent_id": agent,
        "persona": persona.word(),
        "visibility": visibility.unwrap_or(Visibility::External).word(),
        "content": content.as_deref().unwrap_or_default(),
    });
    if let Some(loop_id) = loop_id.filter(|id| !id.is_empty()) {
        body["loop_id"] = json!(loop_id);
    }
    if let Some(mirror) = mirror {
        if let Some(summary) = mirror.summary.as_deref().filter(|s| Some(*s) != content.as_deref() && !s.is_empty()) {
            body["summary"] = json!(summary);
        }
        // The origin's store wrote 0 and its container 0.5 where nothing was graded.
        let graded = mirror.importance.filter(|i| *i > 0.0 && *i <= 1.0 && *i != f64::from(DEFAULT_IMPORTANCE));
        if let Some(importance) = graded {
            metadata.entry("importance".to_owned()).or_insert(json!(importance));
        }
    }
    if !raw.is_empty() {
        metadata.insert(RAW.to_owned(), Value::Object(raw));
    }
    if !metadata.is_empty() {
        body["metadata"] = Value::Object(metadata);
    }
    Ok(Record::parse(body.to_string().as_bytes())?)
}

/// A foreign kind as the action of a dotted one.
fn slug(kind: &str) -> String {
    let slug: String = kind
        .to_lowercase()
        .chars()
        .map(|c| if c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' { c } else { '-' })
        .collect();
    let slug = slug.trim_matches(|c: char| !c.is_ascii_lowercase());
    if slug.is_empty() { "event".to_owned() } else { slug.to_owned() }
}

fn fixed<const N: usize>(row: Vec<Option<String>>) -> [Option<String>; N] {
    let mut cells = row.into_iter();
    std::array::from_fn(|_| cells.next().flatten())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_written_as_everybody_writes_them() {
        let written = [&b""[..], b"f", b"fo", b"foo", b"foob", b"\xff\xfe\x00"].map(base64);
        assert_eq!(written, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "//4A"]);
    }

    #[test]
    fn foreign_kinds_become_dotted_ones() {
        assert_eq!(slug("Weird Kind!"), "weird-kind");
        assert_eq!(slug("42"), "event");
    }
}
