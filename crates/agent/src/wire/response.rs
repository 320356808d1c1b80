//! What the agent answers, message by message, in the order and with the ends that clients wait for.

use serde::Serialize;
use serde_json::{Map, Value};

/// What clients compare the type of an error with.
const AGENT_ERROR: &str = "agent-error";

/// What a message holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MessageType {
    /// What the model thought.
    Thought,
    /// A tool that is called.
    Action,
    /// What came back.
    Observation,
    /// The answer, or a piece of it.
    Answer,
    /// Where an explanation can be found.
    Explain,
    /// Why there is no answer.
    Error,
}

/// What a run cost.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens read by the model.
    pub in_token: usize,
    /// Tokens written by it.
    pub out_token: usize,
    /// The model.
    pub model: String,
}

/// Why there is no answer. The kind stands under both names that clients read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AgentError {
    /// What happened.
    pub message: String,
    /// Always `agent-error`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The same.
    pub code: &'static str,
}

/// A message. `chunk_type` repeats `message_type` for older clients; `answer`, `thought` and `observation` repeat the
/// content for those that do not stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AgentResponse {
    /// What it holds.
    pub message_type: MessageType,
    /// The same, under its older name.
    pub chunk_type: MessageType,
    /// The text.
    pub content: String,
    /// Whether this thought, observation or answer is complete.
    pub end_of_message: bool,
    /// Whether nothing follows.
    pub end_of_dialog: bool,
    /// Names the message.
    pub message_id: String,
    /// The whole answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// The whole thought.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thought: Option<String>,
    /// The whole observation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observation: Option<String>,
    /// Names what is explained.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explain_id: Option<String>,
    /// Why there is no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<AgentError>,
    /// Tokens read by the model, in the last message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_token: Option<usize>,
    /// Tokens written by it, in the last message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub out_token: Option<usize>,
    /// The model, in the last message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// What happens in a loop.
#[derive(Debug, Clone, PartialEq)]
pub enum Happening {
    /// More of a thought. Every thought that came in parts is followed by the whole.
    ThoughtPart(String),
    /// A whole thought.
    Thought(String),
    /// A tool is called.
    Action {
        /// Its name.
        tool: String,
        /// What it is given.
        arguments: Map<String, Value>,
    },
    /// What came back; ends the iteration.
    Observation(String),
    /// Something can be looked up under this id.
    Explain(String),
    /// More of the answer. An answer that came in parts is followed by the whole.
    AnswerPart(String),
    /// The whole answer; ends the dialog.
    AnswerWhole(String),
    /// There will be no answer; ends the dialog.
    Failed(String),
}

/// Turns what happens into messages. After the end of the dialog there are none.
#[derive(Debug, Clone)]
pub struct Responses {
    urn: String,
    streaming: bool,
    iteration: usize,
    /// The part of the present thought or answer that was sent.
    sent: String,
    usage: Option<Usage>,
    ended: bool,
}

impl Responses {
    /// For one invocation.
    pub fn new(session: &str, streaming: bool) -> Self {
        let urn = format!("urn:trustgraph:agent:{}", urn_part(session));
        Self { urn, streaming, iteration: 1, sent: String::new(), usage: None, ended: false }
    }

    /// What the run cost so far; the last message carries it.
    pub fn usage(&mut self, usage: Usage) {
        self.usage = Some(usage);
    }

    /// Whether the last message was given.
    pub fn ended(&self) -> bool {
        self.ended
    }

    /// The messages for what happened.
    pub fn on(&mut self, happening: Happening) -> Vec<AgentResponse> {
        if self.ended {
            return Vec::new();
        }
        match happening {
            Happening::ThoughtPart(text) => self.part(MessageType::Thought, text),
            Happening::AnswerPart(text) => self.part(MessageType::Answer, text),
            Happening::Thought(text) => self.thought(text),
            Happening::Action { tool, arguments } => {
                let content = format!("{tool} {}", Value::Object(arguments));
                vec![self.whole(MessageType::Action, content)]
            }
            Happening::Observation(text) => {
                let mut message = self.whole(MessageType::Observation, text);
                message.observation = self.legacy(&message);
                self.iteration += 1;
                vec![message]
            }
            Happening::Explain(id) => {
                let mut message = self.whole(MessageType::Explain, String::new());
                message.explain_id = Some(id);
                vec![message]
            }
            Happening::AnswerWhole(text) => self.answer(text),
            Happening::Failed(why) => {
                let mut message = self.last(MessageType::Error, why.clone());
                message.error = Some(AgentError { message: why, kind: AGENT_ERROR, code: AGENT_ERROR });
                vec![message]
            }
        }
    }

    fn part(&mut self, what: MessageType, text: String) -> Vec<AgentResponse> {
        if !self.streaming || text.is_empty() {
            return Vec::new();
        }
        self.sent.push_str(&text);
        let mut message = self.whole(what, text);
        message.end_of_message = false;
        vec![message]
    }

    /// What of a whole text was not sent in parts.
    fn unsent(&mut self, text: &str) -> String {
        let sent = std::mem::take(&mut self.sent);
        text.strip_prefix(sent.as_str()).map_or(String::new(), str::to_owned)
    }

    fn thought(&mut self, text: String) -> Vec<AgentResponse> {
        if self.streaming {
            let rest = self.unsent(&text);
            return vec![self.whole(MessageType::Thought, rest)];
        }
        let mut message = self.whole(MessageType::Thought, text);
        message.thought = self.legacy(&message);
        vec![message]
    }

    fn answer(&mut self, text: String) -> Vec<AgentResponse> {
        if self.streaming {
            let rest = self.unsent(&text);
            let mut messages = self.part(MessageType::Answer, rest);
            messages.push(self.last(MessageType::Answer, String::new()));
            return messages;
        }
        let mut message = self.last(MessageType::Answer, text);
        message.answer = self.legacy(&message);
        vec![message]
    }

    fn legacy(&self, message: &AgentResponse) -> Option<String> {
        (!self.streaming).then(|| message.content.clone())
    }

    fn last(&mut self, what: MessageType, content: String) -> AgentResponse {
        self.ended = true;
        let mut message = self.whole(what, content);
        message.end_of_dialog = true;
        if let Some(usage) = self.usage.take() {
            message.in_token = Some(usage.in_token);
            message.out_token = Some(usage.out_token);
            message.model = Some(usage.model);
        }
        message
    }

    fn whole(&self, what: MessageType, content: String) -> AgentResponse {
        let iteration = format!("{}/i{}", self.urn, self.iteration);
        let message_id = match what {
            MessageType::Thought => format!("{iteration}/thought"),
            MessageType::Observation => format!("{iteration}/observation"),
            MessageType::Action | MessageType::Explain => iteration,
            MessageType::Answer => format!("{}/final", self.urn),
            MessageType::Error => self.urn.clone(),
        };
        AgentResponse {
            message_type: what,
            chunk_type: what,
            content,
            end_of_message: true,
            end_of_dialog: false,
            message_id,
            answer: None,
            thought: None,
            observation: None,
            explain_id: None,
            error: None,
            in_token: None,
            out_token: None,
            model: None,
        }
    }
}

/// A session's name as part of a URN: what may not stand there, and the slash, is percent-encoded.
fn urn_part(text: &str) -> String {
    let encode = |byte: u8| match byte {
        b'-' | b'.' | b'_' | b'~' | b':' => char::from(byte).to_string(),
        byte if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    text.bytes().map(encode).collect()
}
