//! What other programs remember, read one item at a time into one form. Whatever has no place of its own in that form is kept
//! under the name that the program gives it.

pub mod basic_memory;
pub mod chroma;
pub mod claude_mem;
pub mod langgraph;
pub mod letta;
pub mod mem0;
pub mod zep;

mod msgpack;

use idetic_core::Time;
use serde_json::{Map, Value};

/// Most digits of a moment in seconds since 1970: what has more is milliseconds.
const SECONDS_MAX: f64 = 1e11;
/// Keys under which programs keep the text of something, where they do not say which it is.
const TEXTS: [&str; 8] = ["content", "text", "memory", "data", "document", "page_content", "fact", "summary"];

/// One thing that another program remembers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Item {
    /// What it is known by there, the same whenever it is read.
    pub id: String,
    /// What it is.
    pub what: What,
    /// What it says.
    pub text: String,
    /// The same in one line, where it says so.
    pub summary: Option<String>,
    /// When it was made or said.
    pub made: Option<Time>,
    /// When it was last changed.
    pub changed: Option<Time>,
    /// When it is forgotten there.
    pub expires: Option<Time>,
    /// Whose it is.
    pub user: Option<String>,
    /// The agent it belongs to.
    pub agent: Option<String>,
    /// What tells that agent from others of its name, where agents may share one.
    pub agent_key: Option<String>,
    /// The conversation it is part of.
    pub conversation: Option<String>,
    /// The project it is about.
    pub project: Option<String>,
    /// Labels.
    pub tags: Vec<String>,
    /// What its owner keeps beside it.
    pub metadata: Map<String, Value>,
    /// Everything else that the program says of it.
    pub rest: Map<String, Value>,
}

/// What an item is.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum What {
    /// Something that was remembered.
    #[default]
    Memory,
    /// A statement that holds for a time.
    Fact {
        /// Whom or what it is about.
        subject: Option<String>,
        /// What of it.
        attribute: Option<String>,
        /// And what that is.
        value: Option<String>,
        /// From when it holds.
        from: Option<Time>,
        /// Until when.
        until: Option<Time>,
    },
    /// What a person said.
    Prompt,
    /// What an agent said.
    Answer,
    /// What the program said to the agent.
    System,
    /// The call of a tool.
    Call {
        /// The tool.
        tool: String,
        /// What it was given.
        input: Value,
    },
    /// What a tool gave back.
    Output {
        /// The tool.
        tool: String,
        /// The item that called it, where that is known.
        call: Option<String>,
        /// Whether it says that it failed.
        failed: bool,
    },
}

/// Takes a text out of an object; one that is empty stands for none. A number is a text too.
fn take_text(object: &mut Map<String, Value>, key: &str) -> Option<String> {
    let text = match object.get(key)? {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Null => String::new(),
        _ => return None,
    };
    object.remove(key);
    Some(text).filter(|text| !text.is_empty())
}

/// The first of some texts.
fn take_first(object: &mut Map<String, Value>, keys: &[&str]) -> Option<String> {
    keys.iter().find_map(|key| take_text(object, key))
}

/// Takes a moment out of an object; what is no moment stays.
fn take_time(object: &mut Map<String, Value>, key: &str) -> Option<Time> {
    let time = match object.get(key)? {
        Value::String(text) => Time::parse(text).ok()?,
        Value::Number(number) => moment(number.as_f64()?)?,
        _ => return None,
    };
    object.remove(key);
    Some(time)
}

/// Seconds or milliseconds since 1970 as a moment.
fn moment(number: f64) -> Option<Time> {
    let seconds = if number < SECONDS_MAX { number } else { number / 1000.0 };
    #[expect(clippy::cast_possible_truncation, reason = "a time of this millennium")]
    (0.0..SECONDS_MAX).contains(&seconds).then(|| Time((seconds * 1e6).round() as i64))
}

/// Takes an object out of an object; what is none stays.
fn take_object(object: &mut Map<String, Value>, key: &str) -> Map<String, Value> {
    match object.remove(key) {
        Some(Value::Object(inner)) => inner,
        Some(Value::Null) | None => Map::new(),
        Some(other) => {
            object.insert(key.to_owned(), other);
            Map::new()
        }
    }
}

/// Takes a list of texts out of an object, also where it is JSON in a text.
fn take_texts(object: &mut Map<String, Value>, key: &str) -> Vec<String> {
    let list = match object.get(key) {
        Some(Value::Array(list)) => Some(list.clone()),
        Some(Value::String(text)) => serde_json::from_str(text).ok(),
        _ => None,
    };
    let texts = list.filter(|list: &Vec<Value>| list.iter().all(Value::is_string));
    let Some(texts) = texts else { return Vec::new() };
    object.remove(key);
    texts.iter().filter_map(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned).collect()
}

/// The text in an object whose keys nobody prescribes: under the first of the usual names, else all that it says.
fn text_of(object: &mut Map<String, Value>) -> String {
    for key in TEXTS {
        match object.get_mut(key) {
            Some(Value::String(text)) if !text.trim().is_empty() => {
                let text = std::mem::take(text);
                object.remove(key);
                return text;
            }
            Some(Value::Object(inner)) if TEXTS.iter().any(|key| inner.get(*key).is_some_and(Value::is_string)) => {
                let text = text_of(inner);
                if inner.is_empty() {
                    object.remove(key);
                }
                return text;
            }
            _ => {}
        }
    }
    let line = |(key, value): (&String, &Value)| match value {
        Value::Null => None,
        Value::String(text) => Some(format!("{key}: {text}")),
        Value::Array(items) if items.iter().all(Value::is_string) => {
            let items: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
            Some(format!("{key}: {}", items.join(", ")))
        }
        other => Some(format!("{key}: {other}")),
    };
    object.iter().filter_map(line).collect::<Vec<_>>().join("\n")
}

/// The words of a message: a text, or a list of parts with one.
fn words(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let word = |part: &Value| part.as_str().or_else(|| part["text"].as_str()).map(str::to_owned);
            parts.iter().filter_map(word).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

/// An object, or why it is none.
fn object(said: Value) -> Result<Map<String, Value>, String> {
    match said {
        Value::Object(object) => Ok(object),
        _ => Err("it is not a JSON object".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn moments_are_read_in_every_usual_form() {
        let expected = Time::parse("2026-01-20T11:00:00Z").ok();
        for said in [
            json!("2026-01-20T12:00:00+01:00"),
            json!("2026-01-20 11:00:00"),
            json!(1_768_906_800),
            json!(1_768_906_800_000_i64),
        ] {
            let mut object = Map::from_iter([("at".to_owned(), said.clone())]);
            assert_eq!(take_time(&mut object, "at"), expected, "{said}");
            assert!(object.is_empty());
        }
        let mut object = Map::from_iter([("at".to_owned(), json!("soon"))]);
        assert_eq!((take_time(&mut object, "at"), object.len()), (None, 1), "what is no time is kept");
    }

    #[test]
    fn a_text_is_found_and_what_has_none_says_all_of_itself() {
        let read = |said: Value| {
            let mut object = object(said).expect("an object");
            (text_of(&mut object), Value::Object(object))
        };
        assert_eq!(read(json!({"memory": "tea", "n": 1})), ("tea".to_owned(), json!({"n": 1})));
        let nested = json!({"kind": "Memory", "content": {"content": "tea"}});
        assert_eq!(read(nested), ("tea".to_owned(), json!({"kind": "Memory"})));
        let profile = json!({"name": "Ann", "languages": ["nb", "en"], "age": 40});
        assert_eq!(read(profile.clone()), ("age: 40\nlanguages: nb, en\nname: Ann".to_owned(), profile));
    }
}
