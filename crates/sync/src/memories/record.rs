//! What an item of another program becomes: a record of the log. What has no field of its own is kept in the metadata, under the
//! name of the program.

use idetic_clients::memories::{Item, What};
use idetic_core::views::FACT_STORED;
use idetic_core::{Event, Time};
use idetic_extract::without_secrets;
use idetic_memory::facts::FactDraft;
use idetic_memory::{Error, Result, Viewpoint};
use serde_json::{Map, Value, json};

use super::{ImportOptions, MemorySource, Session};
use crate::hooks::record;
use crate::transcripts::used;

/// What something that was remembered is.
pub(super) const REMEMBERED: &str = "memory.remembered";
/// The key of metadata that would end another memory.
const SUPERSEDES: &str = "supersedes";
/// Longest line that stands for a text.
const SUMMARY_MAX_CHARS: usize = 1000;
/// Calls of one conversation that wait for what they give back.
const CALLS_MAX: usize = 1000;

/// The record of an item. `session` is the conversation it is part of.
pub(super) fn of(
    source: MemorySource,
    options: &ImportOptions,
    id: &str,
    mut item: Item,
    session: Option<&mut Session>,
) -> Result<Value> {
    let name = source.name();
    let author = item.agent.clone().unwrap_or_else(|| name.to_owned());
    let about = about(name, &mut item);
    let mut body = match &item.what {
        What::Memory => json!({"kind": REMEMBERED, "trust": "agent", "content": without_secrets(&item.text)}),
        What::Fact { .. } => fact(&item, &about)?,
        What::Prompt => prompt(&item, options),
        What::Answer => record::answer(&item.text, None, None, &author),
        What::System => json!({"kind": "system_event", "trust": "agent", "content": without_secrets(&item.text)}),
        What::Call { tool, input } => record::tool_call(&used(tool, input, &Value::Null, false), id, &author),
        What::Output { tool, failed, .. } => json!({"kind": "tool_result", "trust": "tool",
            "status": if *failed { "failure" } else { "success" }, "origin": format!("tool:{tool}"),
            "content": without_secrets(&item.text), "metadata": {"tool_name": tool}}),
    };
    let is_private_prompt = item.what == What::Prompt && body["content"].is_null();
    if body["kind"] != FACT_STORED && !is_private_prompt {
        let own = body["metadata"].as_object().cloned().unwrap_or_default();
        body["metadata"] = about.into_iter().chain(own).collect();
    }
    if body["trust"] == "agent" {
        body["origin"] = json!(format!("agent:{name}"));
    }
    if let Some(summary) = &item.summary {
        let line: String = summary.split_whitespace().collect::<Vec<_>>().join(" ");
        body["summary"] = json!(without_secrets(&line).chars().take(SUMMARY_MAX_CHARS).collect::<String>());
    }
    join(&mut body, id, &item, session);
    Ok(body)
}

/// The fields that say where an item belongs.
fn join(body: &mut Value, id: &str, item: &Item, session: Option<&mut Session>) {
    body["id"] = json!(id);
    let texts = [
        ("ts", item.made.map(|made| made.to_string())),
        ("agent_id", item.agent.clone()),
        ("conversation_id", item.conversation.clone()),
        ("source", item.project.clone()),
        ("expires_at", item.expires.map(|expires| expires.to_string())),
    ];
    for (key, text) in texts {
        if let Some(text) = text {
            body[key] = json!(text);
        }
    }
    if !item.tags.is_empty() {
        let own = body["tags"].as_array().cloned().unwrap_or_default();
        body["tags"] = own.into_iter().chain(item.tags.iter().map(|tag| json!(tag))).collect();
    }
    let Some(session) = session else { return };
    if !matches!(item.what, What::Memory | What::Fact { .. })
        && let Some(turn) = &session.turn
    {
        body["loop_id"] = json!(turn);
    }
    let prefix = id.split_once(':').map_or("", |(prefix, _)| prefix);
    match &item.what {
        What::Call { .. } if session.calls.len() < CALLS_MAX => {
            session.calls.insert(id.to_owned());
        }
        What::Output { call: Some(call), .. } => {
            let call = format!("{prefix}:{call}");
            if session.calls.remove(&call) {
                body["causes"] = json!([call]);
            }
        }
        _ => {}
    }
}

fn prompt(item: &Item, options: &ImportOptions) -> Value {
    let (mut body, _) = record::prompt(&item.text);
    let author = Some(options.author).filter(|author| !author.is_empty()).or(item.user.as_deref());
    if let Some(author) = author {
        body["author"] = json!(author);
    }
    body
}

/// The metadata: what its owner kept beside the item as it was, and what the program says of it.
fn about(name: &str, item: &mut Item) -> Map<String, Value> {
    let mut own = std::mem::take(&mut item.metadata);
    let mut rest = std::mem::take(&mut item.rest);
    // What would mean something else here is kept where it means nothing.
    let apart: Map<String, Value> =
        [SUPERSEDES, name].iter().filter_map(|key| Some(((*key).to_owned(), own.remove(*key)?))).collect();
    if !apart.is_empty() {
        rest.insert("metadata".to_owned(), Value::Object(apart));
    }
    for (key, text) in [
        ("user", item.user.clone()),
        ("agent", item.agent_key.clone()),
        ("changed", item.changed.map(|changed| changed.to_string())),
    ] {
        if let Some(text) = text {
            rest.insert(key.to_owned(), json!(text));
        }
    }
    if !rest.is_empty() {
        own.insert(name.to_owned(), Value::Object(rest));
    }
    own
}

/// A statement with the time for which it holds. It is held beside others of its kind: which of them holds, they say themselves.
fn fact(item: &Item, about: &Map<String, Value>) -> Result<Value> {
    let What::Fact { subject, attribute, value, from, until } = &item.what else {
        return Err(Error::invalid("it is no fact"));
    };
    let is_whole = subject.is_some() && attribute.is_some() && value.is_some();
    let part = |part: &Option<String>| part.clone().filter(|_| is_whole);
    let draft = FactDraft {
        text: without_secrets(&item.text),
        subject: part(subject),
        attribute: part(attribute),
        value: part(value),
        many: Some(true),
        from: *from,
        until: *until,
        given: Some(about.clone()),
        trust: Some("agent".to_owned()),
        ..FactDraft::default()
    };
    let record = draft.to_record()?;
    serde_json::from_str(&record.body).map_err(|error| Error::invalid(error.to_string()))
}

/// When an item was last changed there, or else made, as an event says that was made of it.
pub(super) fn said(event: &Event, source: MemorySource) -> Option<Time> {
    let metadata = event.metadata();
    let about = [&metadata, &metadata["given"]].map(|about| &about[source.name()]["changed"]);
    let changed = about.into_iter().find_map(|changed| Time::parse(changed.as_str()?).ok());
    changed.or_else(|| event.fields.as_ref()?.ts)
}

/// A body as the version after another one.
pub(super) fn version(viewpoint: &Viewpoint, body: &Value, id: &str, newest: &Event, horizon: u64) -> Result<Value> {
    let mut body = body.clone();
    body["id"] = json!(id);
    body["metadata"][SUPERSEDES] = json!(newest.header.id);
    if body["kind"] == FACT_STORED
        && let Some(fact) = viewpoint.fact_stated_by(newest.seq(), horizon)?
    {
        body["metadata"]["fact"] = json!(fact.fact);
    }
    Ok(body)
}
