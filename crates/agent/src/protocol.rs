//! What a model that has no tool calls of its own writes: labelled lines, read tolerantly, printed in one way.
//!
//! ```text
//! Thought: what to do and why
//! Action: the tool's name
//! Args: {"argument": "value"}
//! ```
//! or, at the end, `Thought:` and `Final Answer:` with the rest of the reply.
//!
//! Labels count at the start of a line only. What stands before the first label is thought. The first `Final Answer:`
//! takes everything after it, whatever that looks like. After an action only its arguments are read: what a model writes
//! behind them, an `Observation:` of its own above all, is never taken for something that happened. The older form, one
//! JSON object with `thought` and either `action` and `arguments` or `final-answer`, is read too.

mod arguments;
mod labels;
mod lenient;
mod reader;
#[cfg(test)]
mod tests;

use std::fmt;

use serde_json::{Map, Value};

pub use reader::{Part, Piece, Reader};

/// The longest reply that is read.
pub const REPLY_MAX_BYTES: usize = 1 << 20;

/// The name under which a reply that could not be read stands among the actions.
pub const PARSE_ERROR_ACTION: &str = "__parse_error__";

/// Names that models write when they mean that no tool is called.
pub const NO_TOOL: [&str; 5] = ["none", "null", "n/a", "no action", "final answer"];

/// A reply that could be read.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed {
    /// What the model thought.
    pub thought: Option<String>,
    /// What it wants done.
    pub step: Step,
}

/// What a model decided.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Calls a tool.
    Act {
        /// Its name, not yet known to exist.
        tool: String,
        /// Its arguments, not yet checked.
        arguments: Map<String, Value>,
    },
    /// Answers.
    Final(String),
}

/// A reply that could not be read. Its text tells the model what to write instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseTrouble {
    /// What is wrong.
    pub why: String,
    /// What was understood as thought all the same.
    pub thought: Option<String>,
}

impl ParseTrouble {
    /// What the loop records in place of a tool's result.
    pub fn observation(&self) -> String {
        format!("Error: LLM parse error: {self}")
    }
}

impl fmt::Display for ParseTrouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let form = "To call a tool write these three lines and nothing after them:\nThought: your reasoning\nAction: the \
                    name of one tool\nArgs: {\"argument\": \"value\"}\nTo answer write:\nThought: your reasoning\nFinal \
                    Answer: your answer";
        write!(f, "{}. {form}", self.why)
    }
}

impl std::error::Error for ParseTrouble {}

/// Reads a whole reply.
pub fn parse(text: &str) -> Result<Parsed, ParseTrouble> {
    let mut reader = Reader::default();
    reader.feed(text);
    reader.finish().1
}

/// Prints a step in the form that is asked for.
pub fn print(parsed: &Parsed) -> String {
    let thought = parsed.thought.as_ref().map_or(String::new(), |thought| format!("Thought: {thought}\n"));
    match &parsed.step {
        Step::Act { tool, arguments } => {
            format!("{thought}Action: {tool}\nArgs: {}", Value::Object(arguments.clone()))
        }
        Step::Final(answer) => format!("{thought}Final Answer: {answer}"),
    }
}
