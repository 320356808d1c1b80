//! Transcripts that chat and coding agents keep themselves, read one line or one conversation at a time.

mod chatgpt;
mod claude;
mod codex;
mod cursor;

use serde_json::Value;

pub use chatgpt::conversation as chatgpt;
pub use claude::Claude;
pub use codex::Codex;
pub use cursor::conversation as cursor;

/// One thing that happened in a session.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// What it is known by within the session, the same whenever the transcript is read.
    pub id: String,
    /// The session.
    pub session: String,
    /// When it happened, as written.
    pub ts: Option<String>,
    /// The folder that was worked in.
    pub folder: Option<String>,
    /// The branch that was checked out.
    pub branch: Option<String>,
    /// What happened.
    pub what: What,
}

/// What happened.
#[derive(Debug, Clone, PartialEq)]
pub enum What {
    /// A person asked for something.
    Prompt(String),
    /// An agent told another what to do.
    Task(String),
    /// The agent said something.
    Answer(String),
    /// A tool was called.
    Call {
        /// What the call is known by.
        call: String,
        /// The tool.
        tool: String,
        /// What it was given.
        input: Value,
    },
    /// What a call gave back.
    Output {
        /// The call.
        call: String,
        /// What it gave.
        output: Value,
        /// Whether it says that it failed.
        failed: bool,
    },
    /// The context was replaced by a summary.
    Compacted(String),
}

/// The words of a content that is a text or a list of parts with one.
fn words(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let text = |part: &Value| part.as_str().or_else(|| part["text"].as_str()).map(str::to_owned);
            parts.iter().filter_map(text).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

fn text(value: &Value) -> Option<String> {
    value.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}
