//! The messages of a span: every published shape of them read into one.

use serde_json::{Map, Value};

use crate::export::{MESSAGES_MAX, Span, SpanEvent, check_count};
use crate::{flat, text};

/// Who said a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    System,
    User,
    Assistant,
    Tool,
    /// A word of somebody's own.
    Other,
}

/// One message.
#[derive(Debug, Clone)]
pub(crate) struct Message {
    pub(crate) role: Role,
    pub(crate) parts: Vec<Part>,
    /// When it was said, where it is known better than from its span.
    pub(crate) nanos: Option<u64>,
    pub(crate) finish_reason: Option<String>,
}

/// A part of a message.
#[derive(Debug, Clone)]
pub(crate) enum Part {
    Text(String),
    Thought(String),
    Call { id: Option<String>, tool: String, arguments: Option<String> },
    Result { id: Option<String>, text: Option<String> },
}

/// All messages of a span.
#[derive(Debug, Clone, Default)]
pub(crate) struct Messages {
    /// The whole history, oldest first.
    pub(crate) input: Vec<Message>,
    /// What the model answered.
    pub(crate) output: Vec<Message>,
    /// Attributes that should be messages and are not: an exporter that cuts long texts breaks their JSON.
    pub(crate) unread: Vec<&'static str>,
}

/// The attributes that hold messages, whole or spread out.
const SYSTEM: [&str; 1] = ["gen_ai.system_instructions"];
const INPUT: [&str; 2] = ["gen_ai.input.messages", "gen_ai.prompt"];
const INPUT_FLAT: [&str; 2] = ["gen_ai.prompt.", "llm.input_messages."];
const OUTPUT: [&str; 2] = ["gen_ai.output.messages", "gen_ai.completion"];
const OUTPUT_FLAT: [&str; 2] = ["gen_ai.completion.", "llm.output_messages."];

/// The span events of the older conventions, and who speaks in them.
const EVENTS: [(&str, Role); 7] = [
    ("gen_ai.system.message", Role::System),
    ("gen_ai.user.message", Role::User),
    ("gen_ai.assistant.message", Role::Assistant),
    ("gen_ai.tool.message", Role::Tool),
    ("gen_ai.choice", Role::Assistant),
    ("gen_ai.content.prompt", Role::User),
    ("gen_ai.content.completion", Role::Assistant),
];

/// Reads all messages of a span. Newer attributes go before older ones, and those before span events.
pub(crate) fn read(span: &Span) -> Result<Messages, String> {
    let mut all = Messages::default();
    all.input = all.listed(span, &SYSTEM, &[], Role::System)?;
    let history = all.listed(span, &INPUT, &INPUT_FLAT, Role::User)?;
    all.output = all.listed(span, &OUTPUT, &OUTPUT_FLAT, Role::Assistant)?;
    let (no_input, no_output) = (history.is_empty(), all.output.is_empty());
    all.input.extend(history);
    for event in &span.events {
        let Some((name, role)) = EVENTS.iter().find(|(name, _)| *name == event.name) else { continue };
        let is_output = ["gen_ai.choice", "gen_ai.content.completion"].contains(name);
        match is_output {
            true if no_output => all.output.extend(of_event(event, *role)),
            false if no_input => all.input.extend(of_event(event, *role)),
            _ => {}
        }
    }
    check_count("messages in a span", all.input.len() + all.output.len(), MESSAGES_MAX)?;
    Ok(all)
}

impl Messages {
    /// The messages under the first of these names that has some.
    fn listed(
        &mut self,
        span: &Span,
        names: &[&'static str],
        flat: &[&str],
        role: Role,
    ) -> Result<Vec<Message>, String> {
        for name in names {
            let Some(value) = span.value(&[*name]) else { continue };
            if let Some(messages) = of_value(value, role) {
                check_count("messages in a span", messages.len(), MESSAGES_MAX)?;
                return Ok(messages);
            }
            self.unread.push(name);
        }
        let spread = flat.iter().find_map(|prefix| flat::messages(&span.attributes, prefix));
        Ok(spread.and_then(|value| of_value(&value, role)).unwrap_or_default())
    }
}

/// The messages of an attribute: a list, one alone, or a plain text. `None` when it is JSON that broke.
fn of_value(value: &Value, role: Role) -> Option<Vec<Message>> {
    if let Value::String(text) = value
        && !text.trim_start().starts_with(['[', '{'])
    {
        return Some(vec![plain(role, text.clone())]);
    }
    match text::parsed(value)? {
        // Instructions are a list of parts rather than of messages.
        Value::Array(items) if items.iter().all(|item| item.get("role").is_none() && is_part(item)) => {
            Some(if items.is_empty() { Vec::new() } else { vec![message(&with_parts(items), role)] })
        }
        Value::Array(items) => Some(items.iter().map(|item| message(item, role)).collect()),
        other => Some(vec![message(&other, role)]),
    }
}

/// The message of an older span event: in its own attributes, or as JSON in one of them.
fn of_event(event: &SpanEvent, role: Role) -> Vec<Message> {
    let whole = ["gen_ai.event.content", "gen_ai.prompt", "gen_ai.completion", "message"];
    let body = whole.iter().find_map(|name| event.attributes.get(*name));
    let mut messages = match body {
        Some(body) => {
            of_value(body, role).unwrap_or_else(|| text::any(body).map(|t| plain(role, t)).into_iter().collect())
        }
        None => {
            let entries = event.attributes.iter().map(|(key, value)| (key.clone(), value.clone()));
            vec![message(&Value::Object(entries.collect::<Map<_, _>>()), role)]
        }
    };
    for message in &mut messages {
        message.nanos = Some(event.nanos).filter(|nanos| *nanos > 0);
        message.finish_reason =
            message.finish_reason.take().or_else(|| text::plain(event.attributes.get("finish_reason")));
    }
    messages
}

fn plain(role: Role, text: String) -> Message {
    Message { role, parts: vec![Part::Text(text)], nanos: None, finish_reason: None }
}

fn with_parts(parts: Vec<Value>) -> Value {
    Value::Object([("parts".to_owned(), Value::Array(parts))].into_iter().collect())
}

/// One message, whoever designed it. What says nothing of its role has that of its place.
fn message(value: &Value, place: Role) -> Message {
    if let Value::String(text) = value {
        return plain(place, text.clone());
    }
    // A choice of OpenAI wraps its message.
    let inner = value.get("message").and_then(text::parsed).filter(Value::is_object);
    let body = inner.as_ref().unwrap_or(value);
    let said_role = text::plain(body.get("role")).map(|word| role(&word));
    let mut parts = Vec::new();
    for key in ["parts", "content", "contents"] {
        body.get(key).into_iter().for_each(|content| add_content(content, &mut parts));
    }
    let calls = body.get("tool_calls").and_then(text::parsed);
    let calls = calls.iter().filter_map(Value::as_array).flatten();
    parts.extend(calls.map(call));
    // An item of a list of responses stands alone and has a type of its own.
    if parts.is_empty() && is_part(body) {
        add_content(body, &mut parts);
    }
    let role = said_role.or_else(|| role_of_parts(&parts)).unwrap_or(place);
    if role == Role::Tool {
        let id = first_text(body, &["tool_call_id", "id", "gen_ai.tool.call.id"]);
        parts = parts.into_iter().map(|part| answered(part, &id)).collect();
    }
    let finish_reason = text::plain(value.get("finish_reason"));
    Message { role, parts, nanos: None, finish_reason }
}

/// Calls are a model's and results a tool's, where nobody says whose they are.
fn role_of_parts(parts: &[Part]) -> Option<Role> {
    match parts.first()? {
        Part::Call { .. } | Part::Thought(_) => Some(Role::Assistant),
        Part::Result { .. } if parts.iter().all(|part| matches!(part, Part::Result { .. })) => Some(Role::Tool),
        _ => None,
    }
}

/// In a tool's message every text is its result.
fn answered(part: Part, id: &Option<String>) -> Part {
    match part {
        Part::Text(text) => Part::Result { id: id.clone(), text: Some(text) },
        Part::Result { id: None, text } => Part::Result { id: id.clone(), text },
        other => other,
    }
}

fn role(word: &str) -> Role {
    match word.to_lowercase().as_str() {
        "system" | "developer" => Role::System,
        "user" | "human" => Role::User,
        "assistant" | "model" | "ai" => Role::Assistant,
        "tool" | "function" => Role::Tool,
        _ => Role::Other,
    }
}

/// The parts of a content: a text, one part, or a list of parts, as a value or as JSON in a text.
fn add_content(content: &Value, parts: &mut Vec<Part>) {
    match content {
        Value::String(text) if text.is_empty() => {}
        Value::String(text) => match Some(content).filter(|_| text.starts_with('[')).and_then(text::parsed) {
            Some(Value::Array(items)) if !items.is_empty() && items.iter().all(is_part) => {
                parts.extend(items.iter().filter_map(part));
            }
            _ => parts.push(Part::Text(text.clone())),
        },
        Value::Array(items) => parts.extend(items.iter().filter_map(part)),
        other => parts.extend(part(other)),
    }
}

fn is_part(value: &Value) -> bool {
    let has = |key: &str| value.get(key).is_some_and(Value::is_string);
    has("type") || has("text") || CONVERSE.iter().any(|key| value.get(*key).is_some())
}

/// The parts of Bedrock's Converse API have a key of their own instead of a type.
const CONVERSE: [&str; 2] = ["toolUse", "toolResult"];

fn part(value: &Value) -> Option<Part> {
    if let Value::String(text) = value {
        return Some(Part::Text(text.clone()));
    }
    if let Some(used) = value.get(CONVERSE[0]) {
        return Some(call(used));
    }
    if let Some(result) = value.get(CONVERSE[1]) {
        let id = first_text(result, &["toolUseId"]);
        return Some(Part::Result { id, text: result.get("content").and_then(text::any) });
    }
    let said = |keys: &[&str]| keys.iter().find_map(|key| text::any(value.get(*key)?));
    let id = || first_text(value, &["call_id", "id", "tool_use_id", "tool_call_id"]);
    let kind = text::plain(value.get("type")).unwrap_or_else(|| "text".to_owned());
    match kind.as_str() {
        "text" | "input_text" | "output_text" | "refusal" | "message" => {
            said(&["content", "text", "refusal"]).map(Part::Text)
        }
        "reasoning" | "thinking" => said(&["content", "thinking", "text"]).map(Part::Thought),
        "tool_call" | "function_call" | "tool_use" | "server_tool_call" | "function" => Some(call(value)),
        "tool_call_response" | "function_call_output" | "tool_result" | "server_tool_call_response" => {
            let keys = ["response", "result", "output", "content", "server_tool_call_response"];
            Some(Part::Result { id: id(), text: said(&keys) })
        }
        // Pictures, sounds and files are not kept; that there was one is.
        other => {
            let what: Vec<String> = [Some(other.to_owned()), said(&["mime_type"]), said(&["uri", "file_id"])]
                .into_iter()
                .flatten()
                .collect();
            Some(Part::Text(format!("[{}]", what.join(" "))))
        }
    }
}

fn call(value: &Value) -> Part {
    let function = value.get("function").filter(|function| function.is_object()).unwrap_or(value);
    let arguments = ["arguments", "input", "args", "server_tool_call"].iter().find_map(|key| function.get(*key));
    Part::Call {
        id: first_text(value, &["call_id", "id", "toolUseId"]),
        tool: first_text(function, &["name"]).unwrap_or_else(|| "tool".to_owned()),
        // The same arguments are the same text, whether they come as JSON in a text or as a value.
        arguments: arguments.and_then(text::compact),
    }
}

fn first_text(value: &Value, keys: &[&str]) -> Option<String> {
    keys.iter().find_map(|key| text::plain(value.get(*key)))
}
