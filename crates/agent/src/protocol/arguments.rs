//! The arguments of an action, out of whatever a model wrote behind `Args:`.

use serde_json::{Map, Value};

use super::labels::{Start, start};
use super::lenient;

/// Reads the object. Nothing, and words for nothing, are no arguments.
pub fn read(raw: &str) -> Result<Map<String, Value>, String> {
    let text = unfenced(raw);
    let read = match any(text) {
        Err(_) if is_nothing(before_next_label(text)) => Ok(Value::Null),
        read => read,
    };
    match read.map_err(|why| format!("the JSON behind Args: cannot be read: {why}"))? {
        Value::Object(map) => Ok(map),
        Value::Null => Ok(Map::new()),
        // Encoded twice.
        Value::String(inner) => match any(&inner) {
            Ok(Value::Object(map)) => Ok(map),
            _ => Err(NOT_AN_OBJECT.to_owned()),
        },
        _ => Err(NOT_AN_OBJECT.to_owned()),
    }
}

/// Reads the value a text starts with. In proper JSON anything may stand inside a string; what is not proper ends, at
/// the latest, before the next line that is a label: what a model writes there is never part of an argument.
pub fn any(text: &str) -> Result<Value, String> {
    match lenient::strict(text) {
        Some(value) => Ok(value),
        None => lenient::value(without_last_fence(before_next_label(text))),
    }
}

const NOT_AN_OBJECT: &str = "what stands behind Args: is not a JSON object";

fn is_nothing(text: &str) -> bool {
    let word = text.trim().trim_matches(['`', '*', '"', '.']).trim();
    word.is_empty() || super::NO_TOOL.iter().any(|none| word.eq_ignore_ascii_case(none))
}

/// Without a fence, its language and marks in front.
fn unfenced(raw: &str) -> &str {
    let text = raw.trim_start();
    let inner = text.trim_start_matches(['`', '*']);
    if inner.len() == text.len() {
        return text;
    }
    let word = inner.trim_start_matches(|c: char| c.is_ascii_alphanumeric()).trim_start();
    if word.starts_with(['{', '[']) { word } else { inner.trim_start() }
}

fn before_next_label(text: &str) -> &str {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if at > 0 && matches!(start(line.trim(), true), Start::Label(..)) {
            return &text[..at];
        }
        at += line.len();
    }
    text
}

/// Keeps the white space before the fence, which tells that a number there is whole.
fn without_last_fence(text: &str) -> &str {
    let end = text.trim_end();
    let last = end.rfind('\n').map_or(end, |at| &end[at + 1..]);
    if matches!(start(last.trim_start(), true), Start::Fence(_)) { &text[..end.len() - last.len()] } else { text }
}
