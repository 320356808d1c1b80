//! What a language model is asked, what it answers, and why it may not.

mod draft;
mod endpoint;
mod ledger;
mod scripted;
mod settings;
mod stream;
mod wire;

use std::fmt;

use idetic_core::tokens;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use endpoint::ChatEndpoint;
pub use ledger::{Budget, Ledger, Measure, Metered, Prices, Report, Spent};
pub use scripted::{Scripted, Step};
pub use settings::ChatSettings;

/// What a message costs beside its text: its role and the marks around it.
const MESSAGE_TOKENS: usize = 4;

/// A language model, whatever it is.
pub trait Chat: Send + Sync {
    /// The model's name, as it is recorded with what it said.
    fn name(&self) -> &str;

    /// How many tokens a question and its answer have together at most.
    fn window_tokens(&self) -> usize;

    /// Whether it understands tools. One that does not must be told about them in words.
    fn native_tools(&self) -> bool;

    /// Asks and returns the whole answer. If the request wants a stream, `hear` gets all of its text once, in pieces as
    /// they come; otherwise it gets nothing.
    fn ask(&self, request: &ChatRequest, hear: &mut dyn FnMut(&str)) -> Result<ChatAnswer, ChatError>;
}

/// What a model is asked.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ChatRequest {
    /// The conversation so far.
    pub messages: Vec<ChatMessage>,
    /// What the model may call.
    pub tools: Vec<ToolSpec>,
    /// What the answer must look like.
    pub schema: Option<AnswerSchema>,
    /// How long the answer may become; the model's own limit without it.
    pub max_tokens: Option<u32>,
    /// Texts before which the model stops.
    pub stop: Vec<String>,
    /// Whether the answer is heard while it comes.
    pub stream: bool,
}

impl ChatRequest {
    /// About how many tokens the model has to read.
    pub fn estimate_tokens(&self) -> usize {
        let messages: usize = self.messages.iter().map(ChatMessage::estimate_tokens).sum();
        let tools: usize = self.tools.iter().map(ToolSpec::estimate_tokens).sum();
        let schema = self.schema.as_ref().map_or(0, |schema| tokens::estimate(&schema.schema.to_string()));
        messages + tools + schema
    }
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChatMessage {
    /// What the model is to be.
    System(String),
    /// What somebody says to it.
    User(String),
    /// What it said.
    Assistant {
        /// Its words.
        text: String,
        /// What it called.
        tool_calls: Vec<ToolCall>,
    },
    /// What a tool gave back.
    Tool {
        /// Which call this answers.
        call_id: String,
        /// The tool's output.
        text: String,
    },
}

impl ChatMessage {
    fn estimate_tokens(&self) -> usize {
        let inside = match self {
            Self::System(text) | Self::User(text) => tokens::estimate(text),
            Self::Assistant { text, tool_calls } => {
                let calls: usize = tool_calls.iter().map(ToolCall::estimate_tokens).sum();
                tokens::estimate(text) + calls
            }
            Self::Tool { call_id, text } => tokens::estimate(call_id) + tokens::estimate(text),
        };
        inside + MESSAGE_TOKENS
    }
}

/// A tool the model may call.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// Its name: letters, digits, `_` and `-`.
    pub name: String,
    /// What it does, for the model to read.
    pub description: String,
    /// The JSON schema of its arguments.
    pub parameters: Value,
}

impl ToolSpec {
    fn estimate_tokens(&self) -> usize {
        let inside = [&self.name, &self.description, &self.parameters.to_string()].map(|text| tokens::estimate(text));
        inside.iter().sum::<usize>() + MESSAGE_TOKENS
    }
}

/// A model's wish to have a tool called.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Tells this call from others; its result names it.
    pub id: String,
    /// Which tool, as the model wrote it: it may not exist.
    pub name: String,
    /// The arguments, as the model wrote them: they may be bad JSON.
    pub arguments: String,
}

impl ToolCall {
    fn estimate_tokens(&self) -> usize {
        tokens::estimate(&self.name) + tokens::estimate(&self.arguments) + MESSAGE_TOKENS
    }
}

/// What an answer must look like.
#[derive(Debug, Clone, PartialEq)]
pub struct AnswerSchema {
    /// Its name: letters, digits, `_` and `-`.
    pub name: String,
    /// The JSON schema. Strict servers want every property required and no additional ones.
    pub schema: Value,
}

/// What a model answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatAnswer {
    /// Its words.
    pub text: String,
    /// What it wants called.
    pub tool_calls: Vec<ToolCall>,
    /// Why it stopped.
    pub finish: Finish,
    /// What it cost.
    pub usage: Usage,
    /// Which model answered, as the server says.
    pub model: String,
}

/// Why an answer ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Finish {
    /// The model was done.
    Stop,
    /// It was not, but may not say more.
    Length,
    /// It waits for its tools.
    ToolCalls,
    /// For another reason, as the server calls it.
    Other(String),
}

/// How many tokens a call took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Those of the question.
    pub prompt_tokens: u64,
    /// Those of the answer.
    pub answer_tokens: u64,
    /// Whether we counted, since the server did not.
    pub estimated: bool,
}

impl Usage {
    /// What a call took as far as we can tell from outside.
    fn estimate(request: &ChatRequest, text: &str, tool_calls: &[ToolCall]) -> Self {
        let answer = tokens::estimate(text) + tool_calls.iter().map(ToolCall::estimate_tokens).sum::<usize>();
        let [prompt_tokens, answer_tokens] = [request.estimate_tokens(), answer].map(wide);
        Self { prompt_tokens, answer_tokens, estimated: true }
    }
}

fn wide(tokens: usize) -> u64 {
    u64::try_from(tokens).unwrap_or(u64::MAX)
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChatError {
    /// The model cannot be reached or is too busy: trying later may help.
    Unavailable(String),
    /// The server does not want this request: it says why.
    Refused(String),
    /// What came is no answer of a language model.
    Wrong(String),
    /// The answer began and did not end.
    CutOff {
        /// What was heard of it.
        text_so_far: String,
        /// What happened then.
        why: String,
    },
    /// The question does not fit into the model's window.
    TooLong(String),
    /// The budget does not allow the call. Nothing was sent.
    Budget {
        /// For what the call was to be.
        operation: String,
        /// What is short.
        measure: Measure,
        /// How much the question with the shortest answer would take.
        needed: u64,
        /// How much there is.
        left: u64,
    },
}

impl fmt::Display for ChatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unavailable(why) => write!(f, "the language model is not available: {why}"),
            Self::Refused(why) => write!(f, "the language model refused the request: {why}"),
            Self::Wrong(why) => write!(f, "the language model's answer is invalid: {why}"),
            Self::CutOff { text_so_far, why } => {
                let chars = text_so_far.chars().count();
                write!(f, "the language model's answer was cut off after {chars} characters: {why}")
            }
            Self::TooLong(why) => write!(f, "the request is too long for the language model: {why}"),
            Self::Budget { operation, measure, needed, left } => {
                let [needed, left] = [needed, left].map(|amount| measure.of(*amount));
                write!(f, "the budget does not allow it: {operation} needs at least {needed}, and {left} remain; ")?;
                f.write_str("raise the budget or ask for less")
            }
        }
    }
}

impl std::error::Error for ChatError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_the_model_reads_is_counted() {
        let said = "The build needs Node 20.";
        let mut request = ChatRequest { messages: vec![ChatMessage::User(said.to_owned())], ..Default::default() };
        let alone = request.estimate_tokens();
        assert_eq!(alone, tokens::estimate(said) + MESSAGE_TOKENS);
        let call = ToolCall { id: "c".to_owned(), name: "find".to_owned(), arguments: "{}".to_owned() };
        let more = [
            ChatMessage::System(String::new()),
            ChatMessage::Assistant { text: "so".to_owned(), tool_calls: vec![call] },
            ChatMessage::Tool { call_id: "c".to_owned(), text: "20".to_owned() },
        ];
        request.messages.extend(more);
        let longer = request.estimate_tokens();
        assert_eq!(longer, alone + MESSAGE_TOKENS + (1 + 1 + 2 + 2 * MESSAGE_TOKENS) + (1 + 1 + MESSAGE_TOKENS));
        let parameters = serde_json::json!({ "type": "object" });
        let spec =
            ToolSpec { name: "find".to_owned(), description: "Finds".to_owned(), parameters: parameters.clone() };
        request.tools.push(spec);
        let with_tools = request.estimate_tokens();
        assert!(with_tools > longer);
        request.schema = Some(AnswerSchema { name: "a".to_owned(), schema: parameters });
        assert!(request.estimate_tokens() > with_tools);
    }

    #[test]
    fn errors_say_what_happened() {
        let cut = ChatError::CutOff { text_so_far: "né".to_owned(), why: "gone".to_owned() };
        assert_eq!(cut.to_string(), "the language model's answer was cut off after 2 characters: gone");
        let budget = |measure| ChatError::Budget { operation: "extract".to_owned(), measure, needed: 1_200, left: 7 };
        let text = budget(Measure::Tokens).to_string();
        assert!(text.contains("extract needs at least 1200 tokens, and 7 tokens remain;"), "{text}");
        let text = budget(Measure::Cost).to_string();
        assert!(text.contains("needs at least 0.001200, and 0.000007 remain;"), "{text}");
    }
}
