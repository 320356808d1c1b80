//! What the agent is asked: only the question is required, every key may be in snake or kebab case.

use idetic_core::{Invalid, invalid};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::tools::DEFAULT_GROUP;

/// Most entries of a history.
pub const HISTORY_MAX_ITEMS: usize = 10_000;

/// A question to the agent.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AgentRequest {
    /// What is asked.
    pub question: String,
    /// The state that decides which tools are offered.
    pub state: String,
    /// The groups whose tools are offered; an empty list means none.
    pub group: Vec<String>,
    /// What went before, as the caller remembers it.
    pub history: Vec<Past>,
    /// Whose memory it is.
    pub user: String,
    /// Which of the user's collections.
    pub collection: String,
    /// Whether answers are wanted in pieces.
    pub streaming: bool,
    /// The conversation the question belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation_id: Option<String>,
    /// The invocation, if the caller names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// Whether memory is read and written.
    pub enable_memory: bool,
}

/// An entry of the history.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Past {
    /// A step of the loop.
    Step(AgentStep),
    /// Something that was said: the form that chat clients send.
    Message(Message),
}

/// A step of the loop.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct AgentStep {
    /// What the model thought.
    pub thought: String,
    /// The tool that was called.
    pub action: String,
    /// What it was given.
    pub arguments: Map<String, Value>,
    /// What came back.
    pub observation: String,
    /// For whom.
    pub user: String,
}

/// Something that was said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Message {
    /// Who said it: `user`, `assistant` and the like.
    pub role: String,
    /// What was said.
    pub content: String,
}

impl AgentRequest {
    /// Reads a request. Unknown keys are left out; a value of the wrong type is refused by its name.
    pub fn read(value: &Value) -> Result<Self, Invalid> {
        let object = value
            .as_object()
            .ok_or_else(|| Invalid::new("the request is not a JSON object").hint("send {\"question\": \"…\"}"))?;
        let keys = Keys::new(object);
        let question = keys.text("question")?.filter(|question| !question.trim().is_empty());
        let question =
            question.ok_or_else(|| Invalid::new("the request has no question").hint("send {\"question\": \"…\"}"))?;
        let text = |key: &str, default: &str| {
            keys.text(key).map(|text| text.filter(|text| !text.is_empty()).unwrap_or_else(|| default.to_owned()))
        };
        Ok(Self {
            question,
            state: text("state", "")?,
            group: keys.texts("group")?.unwrap_or_else(|| vec![DEFAULT_GROUP.to_owned()]),
            history: history(&keys)?,
            user: text("user", "trustgraph")?,
            collection: text("collection", "default")?,
            streaming: keys.flag("streaming")?,
            conversation_id: keys.text("conversation_id")?.filter(|id| !id.is_empty()),
            session_id: keys.text("session_id")?.filter(|id| !id.is_empty()),
            enable_memory: keys.flag("enable_memory")?,
        })
    }
}

fn history(keys: &Keys<'_>) -> Result<Vec<Past>, Invalid> {
    let list = match keys.get("history") {
        None => return Ok(Vec::new()),
        Some(Value::Array(list)) => list,
        Some(_) => return Err(wrong("history", "a list")),
    };
    if list.len() > HISTORY_MAX_ITEMS {
        return Err(Invalid::new(format!("history has {} entries", list.len()))
            .hint(format!("at most {HISTORY_MAX_ITEMS}; name a conversation_id instead of sending everything again")));
    }
    let entries = list.iter().map(|entry| match entry {
        Value::Object(object) => past(&Keys::new(object)),
        // A bare text can only be something that was said.
        Value::String(content) => Ok(Some(said("user", content.clone()))),
        _ => Err(wrong("an entry of history", "an object")),
    });
    // An entry that says nothing is left out.
    entries.filter_map(Result::transpose).collect()
}

fn said(role: &str, content: String) -> Past {
    Past::Message(Message { role: role.to_owned(), content })
}

fn past(keys: &Keys<'_>) -> Result<Option<Past>, Invalid> {
    if let Some(role) = keys.text("role")? {
        let content = content(keys)?;
        return Ok((!content.is_empty()).then(|| said(&role, content)));
    }
    let text = |key: &str| keys.text(key).map(Option::unwrap_or_default);
    let arguments = match keys.get("arguments") {
        None => Map::new(),
        Some(Value::Object(map)) => map.clone(),
        Some(_) => return Err(wrong("arguments", "an object")),
    };
    let step = AgentStep {
        thought: text("thought")?,
        action: text("action")?,
        arguments,
        observation: text("observation")?,
        user: text("user")?,
    };
    let empty = step.thought.is_empty() && step.action.is_empty() && step.observation.is_empty();
    Ok((!empty).then_some(Past::Step(step)))
}

/// The content of a chat message: a text, or a list of parts of which those with text count.
fn content(keys: &Keys<'_>) -> Result<String, Invalid> {
    let Some(Value::Array(parts)) = keys.get("content") else {
        return keys.text("content").map(Option::unwrap_or_default);
    };
    let texts = parts.iter().filter_map(|part| part.as_str().or_else(|| part.get("text")?.as_str()));
    Ok(texts.collect::<Vec<_>>().join("\n"))
}

fn wrong(key: &str, wanted: &str) -> Invalid {
    Invalid::new(format!("{} is not {wanted}", invalid::excerpt(key)))
}

/// The keys of an object, in snake case; `null` is left out. A key in both spellings counts in snake case.
struct Keys<'a>(std::collections::BTreeMap<String, &'a Value>);

impl<'a> Keys<'a> {
    fn new(object: &'a Map<String, Value>) -> Self {
        let mut keys = std::collections::BTreeMap::new();
        for (key, value) in object.iter().filter(|(_, value)| !value.is_null()) {
            let snake = key.replace('-', "_");
            if snake == *key || !keys.contains_key(&snake) {
                keys.insert(snake, value);
            }
        }
        Self(keys)
    }

    fn get(&self, key: &str) -> Option<&'a Value> {
        self.0.get(key).copied()
    }

    fn text(&self, key: &str) -> Result<Option<String>, Invalid> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(wrong(key, "a text")),
        }
    }

    fn texts(&self, key: &str) -> Result<Option<Vec<String>>, Invalid> {
        let list = match self.get(key) {
            None => return Ok(None),
            Some(Value::Array(list)) => list,
            Some(_) => return Err(wrong(key, "a list of texts")),
        };
        let texts: Option<Vec<String>> = list.iter().map(|text| text.as_str().map(str::to_owned)).collect();
        texts.map(Some).ok_or_else(|| wrong(key, "a list of texts"))
    }

    fn flag(&self, key: &str) -> Result<bool, Invalid> {
        match self.get(key) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(Value::String(text)) if text == "true" || text == "false" => Ok(text == "true"),
            Some(_) => Err(wrong(key, "true or false")),
        }
    }
}
