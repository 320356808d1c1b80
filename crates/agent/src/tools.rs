//! The tools an agent may call, as the configuration describes them: read strictly, offered by group and state.

mod arguments;
mod http;
mod load;
#[cfg(test)]
mod tests;

use serde_json::{Map, Value, json};

use crate::placeholders::{self, Piece};

pub use arguments::{ArgumentTrouble, Checked, check};
pub use http::{Header, Http, HttpRequest, HttpTrouble};
pub use load::load;

/// Most tools of one configuration.
pub const TOOLS_MAX: usize = 256;
/// Most arguments of one tool.
pub const ARGUMENTS_MAX: usize = 64;
/// Most groups, states or headers of one tool.
pub const LIST_MAX_ITEMS: usize = 64;
/// Longest name of a tool, an argument, a group or a state.
pub const NAME_MAX_BYTES: usize = 64;
/// Longest description.
pub const DESCRIPTION_MAX_BYTES: usize = 8 << 10;
/// Longest template, body or address.
pub const TEMPLATE_MAX_BYTES: usize = 64 << 10;
/// Most results a query may ask for.
pub const LIMIT_MAX: usize = 1000;

/// The group of a tool, and of a request, that names none.
pub const DEFAULT_GROUP: &str = "default";
/// The state of a request that names none.
pub const NO_STATE: &str = "undefined";
/// Every group, or every state.
const ANY: &str = "*";

/// The memory's own tools: the name, and the one argument with its description.
pub const MEMORY_TOOLS: [(&str, &str, &str); 6] = [
    ("retrieve-facts", "query", "what the facts should be about"),
    ("recall-episodes", "query", "the problem that similar past ones are wanted for"),
    ("store-fact", "fact_content", "the fact, as one sentence that can be understood alone"),
    ("recall", "query", "what is to be remembered, in words"),
    ("note", "text", "what was learned; its first line is the title"),
    ("fetch-step", "reference", "the reference behind 'fetch', such as #3 or an event id"),
];

/// A tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// What the model calls it.
    pub name: String,
    /// What it is good for.
    pub description: String,
    /// What happens when it is called.
    pub work: Work,
    /// What it must be given.
    pub arguments: Vec<Argument>,
    /// The groups it belongs to.
    pub group: Vec<String>,
    /// The state after it succeeded; empty leaves the state as it is.
    pub state: String,
    /// The states in which it is offered.
    pub applicable_states: Vec<String>,
}

/// What happens when a tool is called.
#[derive(Debug, Clone, PartialEq)]
pub enum Work {
    /// Asks the memory a question.
    KnowledgeQuery {
        /// The collection that is asked; the request's own if none.
        collection: Option<String>,
        /// How many results at most.
        limit: Option<usize>,
    },
    /// Asks the model a question, without tools.
    TextCompletion,
    /// Runs a query that was saved under this name.
    StructuredQuery {
        /// The name of the saved query.
        query: String,
        /// The collection that is asked; the request's own if none.
        collection: Option<String>,
        /// How many results at most.
        limit: Option<usize>,
    },
    /// Calls a tool of a connected server.
    McpTool {
        /// The server's name for it.
        mcp_tool: String,
    },
    /// Hands a filled template to the model.
    Prompt(Template),
    /// Calls an address.
    Http(Http),
    /// One of [`MEMORY_TOOLS`].
    Memory {
        /// Its name there.
        operation: String,
    },
}

/// An argument. All of them are required.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Argument {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: ArgumentType,
    /// What it is for.
    pub description: String,
}

/// What an argument is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgumentType {
    /// A text.
    String,
    /// A number.
    Number,
}

impl ArgumentType {
    /// The name in the configuration and in a schema.
    pub fn name(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Number => "number",
        }
    }
}

/// A text with places for arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template(Vec<Piece>);

impl Template {
    /// Puts checked arguments in. What is put in is not expanded.
    pub fn fill(&self, arguments: &Map<String, Value>) -> String {
        self.fill_with(arguments, plain)
    }

    fn fill_with(&self, arguments: &Map<String, Value>, write: impl Fn(&Value) -> String) -> String {
        placeholders::fill(&self.0, |place| argument(arguments, place).map_or(String::new(), &write))
    }
}

/// An argument by the name of its place, in which `-` is written as `_`.
fn argument<'a>(arguments: &'a Map<String, Value>, place: &str) -> Option<&'a Value> {
    arguments.iter().find(|(name, _)| name.replace('-', "_") == place).map(|(_, value)| value)
}

/// A value as text: a string without its quotes.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The tools that are offered to a request of these groups in this state. No group at all means no tools; a request
/// that names none is one of the [`DEFAULT_GROUP`], which is the caller's to say.
pub fn available<'a>(tools: &'a [Tool], group: &[String], state: &str) -> Vec<&'a Tool> {
    let state = if state.is_empty() { NO_STATE } else { state };
    let in_group = |tool: &Tool| group.iter().any(|name| name == ANY || tool.group.contains(name));
    let in_state = |tool: &Tool| tool.applicable_states.iter().any(|name| name == ANY || name == state);
    tools.iter().filter(|tool| in_group(tool) && in_state(tool)).collect()
}

/// The state after a tool succeeded.
pub fn next_state<'a>(tool: &'a Tool, state: &'a str) -> &'a str {
    if tool.state.is_empty() { state } else { &tool.state }
}

/// The JSON schema of a tool's arguments, for models that call tools natively.
pub fn schema(tool: &Tool) -> Value {
    let property = |argument: &Argument| {
        let schema = json!({"type": argument.kind.name(), "description": argument.description});
        (argument.name.clone(), schema)
    };
    let properties: Map<String, Value> = tool.arguments.iter().map(property).collect();
    let required: Vec<&str> = tool.arguments.iter().map(|argument| argument.name.as_str()).collect();
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}
