//! The wire format of chat completions: what is sent, and what a server says when it does not answer.

use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use super::draft::Draft;
use super::{ChatAnswer, ChatError, ChatMessage, ChatRequest, ChatSettings};
use crate::http::{self, Failure, Secrets};

/// No request is longer; the longest windows are shorter.
const REQUEST_MAX_BYTES: usize = 16 * 1024 * 1024;
/// How servers say that a question does not fit into the model's window.
const TOO_LONG: &[&str] = &[
    "context_length",
    "context length",
    "context window",
    "context size",
    "exceed_context",
    "prompt is too long",
    "prompt too long",
    "input is too long",
];

#[derive(Serialize)]
struct Question<'a> {
    model: &'a str,
    messages: Vec<Message<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    stop: &'a [String],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<Value>,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<Value>,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    /// An assistant that only calls tools says `null`.
    content: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<&'a str>,
}

impl<'a> From<&'a ChatMessage> for Message<'a> {
    fn from(message: &'a ChatMessage) -> Self {
        let said = |role, text: &'a str| Self { role, content: Some(text), tool_calls: Vec::new(), tool_call_id: None };
        match message {
            ChatMessage::System(text) => said("system", text),
            ChatMessage::User(text) => said("user", text),
            ChatMessage::Tool { call_id, text } => Self { tool_call_id: Some(call_id), ..said("tool", text) },
            ChatMessage::Assistant { text, tool_calls } => {
                let calls = tool_calls.iter().map(|call| {
                    let function = serde_json::json!({ "name": call.name, "arguments": call.arguments });
                    serde_json::json!({ "id": call.id, "type": "function", "function": function })
                });
                let silent = text.is_empty() && !tool_calls.is_empty();
                let content = (!silent).then_some(text.as_str());
                Self { content, tool_calls: calls.collect(), ..said("assistant", text) }
            }
        }
    }
}

/// The body of a request.
pub fn body(settings: &ChatSettings, request: &ChatRequest) -> Result<Vec<u8>, ChatError> {
    let tools = request.tools.iter().map(|tool| {
        let function = serde_json::json!({
            "name": tool.name, "description": tool.description, "parameters": tool.parameters,
        });
        serde_json::json!({ "type": "function", "function": function })
    });
    let format = request.schema.as_ref().map(|schema| {
        let inside = serde_json::json!({ "name": schema.name, "schema": schema.schema, "strict": true });
        serde_json::json!({ "type": "json_schema", "json_schema": inside })
    });
    let question = Question {
        model: &settings.model,
        messages: request.messages.iter().map(Message::from).collect(),
        temperature: settings.temperature,
        max_tokens: request.max_tokens.filter(|_| !settings.completion_limit),
        max_completion_tokens: request.max_tokens.filter(|_| settings.completion_limit),
        stop: &request.stop,
        tools: tools.collect(),
        response_format: format,
        stream: request.stream,
        stream_options: request.stream.then(|| serde_json::json!({ "include_usage": true })),
    };
    let body = serde_json::to_vec(&question).map_err(|error| ChatError::Wrong(error.to_string()))?;
    if body.len() > REQUEST_MAX_BYTES {
        let length = body.len();
        return Err(ChatError::TooLong(format!(
            "{length} bytes, but at most {REQUEST_MAX_BYTES} are sent; shorten it"
        )));
    }
    Ok(body)
}

/// The answer that a whole body is.
pub fn whole_answer(
    body: &[u8],
    request: &ChatRequest,
    model: &str,
    secrets: &Secrets,
) -> Result<ChatAnswer, Failure<ChatError>> {
    let wrong = |why: String| {
        let shown = secrets.excerpt(body);
        Failure::Final(ChatError::Wrong(format!("not a chat answer ({why}): {shown}")))
    };
    let value: Value = serde_json::from_slice(body).map_err(|error| wrong(error.to_string()))?;
    if let Some(complaint) = Complaint::in_answer(&value) {
        return Err(complaint.failure(secrets));
    }
    let mut draft = Draft::default();
    draft.add(&value).map_err(wrong)?;
    if draft.begun { Ok(draft.answer(request, model)) } else { Err(wrong("without choices".to_owned())) }
}

/// What a server says in place of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complaint {
    words: String,
    status: Option<u16>,
    too_long: bool,
    retry_after: Option<Duration>,
}

impl Complaint {
    /// The error that stands where an answer, or a part of one, should.
    pub fn in_answer(value: &Value) -> Option<Self> {
        let error = match &value["error"] {
            Value::Null if value["object"] == "error" => value,
            Value::Null => return None,
            error => error,
        };
        let words = ["message", "detail"].iter().find_map(|name| error[*name].as_str()).or(error.as_str());
        let words = words.map_or_else(|| error.to_string(), str::to_owned);
        let number = |value: &Value| value.as_u64().or_else(|| value.as_str()?.parse().ok());
        let status = [&error["code"], &error["status"]].into_iter().find_map(number);
        let status = status.and_then(|status| u16::try_from(status).ok());
        let kinds = [&error["code"], &error["type"]].map(|kind| kind.as_str().unwrap_or_default());
        let too_long = says_too_long(&words) || kinds.into_iter().any(says_too_long);
        Some(Self { words, status, too_long, retry_after: None })
    }

    /// What came with a status that is not one of success.
    pub fn with_status(status: u16, body: &[u8], retry_after: Option<Duration>) -> Self {
        let value = serde_json::from_slice::<Value>(body).unwrap_or_default();
        let said = Self::in_answer(&value).unwrap_or_else(|| {
            let words = String::from_utf8_lossy(body).into_owned();
            Self { too_long: says_too_long(&words), words, status: None, retry_after: None }
        });
        Self { status: Some(status), retry_after, ..said }
    }

    /// What follows from it. Without a status nobody knows whose fault it is, so it is not called ours.
    pub fn failure(&self, secrets: &Secrets) -> Failure<ChatError> {
        let why = self.why(secrets);
        match self.status {
            Some(429) => Failure::Passing(ChatError::Unavailable(why), self.retry_after),
            _ if self.too_long => Failure::Final(ChatError::TooLong(why)),
            Some(413) => Failure::Final(ChatError::TooLong(why)),
            Some(status @ 300..500) if !http::passes(status) => Failure::Final(ChatError::Refused(why)),
            _ => Failure::Passing(ChatError::Unavailable(why), self.retry_after),
        }
    }

    /// In words that may be shown.
    pub fn why(&self, secrets: &Secrets) -> String {
        let words = secrets.excerpt(self.words.as_bytes());
        match self.status {
            Some(status @ 300..400) => {
                format!("status {status}: redirects are not followed; set the address it redirects to")
            }
            Some(status) => format!("status {status}: {words}"),
            None => words,
        }
    }
}

fn says_too_long(words: &str) -> bool {
    let words = words.to_ascii_lowercase();
    TOO_LONG.iter().any(|marker| words.contains(marker))
}
