//! A scripted project: what a person and their coding agents did in several days, and what each new session should know.

use std::fs;
use std::path::Path;

use serde::Deserialize;

/// Several days of work.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// What it is called.
    #[serde(rename = "name")]
    _name: String,
    /// In order of time.
    pub sessions: Vec<Session>,
}

/// One session of a client.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Session {
    pub id: String,
    pub day: i64,
    pub hour: i64,
    /// `claude` or `codex`.
    pub client: String,
    /// The repository.
    pub project: String,
    /// `main`, or the name of a worktree.
    pub checkout: String,
    pub branch: String,
    pub commit: String,
    pub events: Vec<Step>,
    /// What it should know as it begins.
    #[serde(default)]
    pub questions: Vec<Asked>,
    /// What is not true any more, or only in another project.
    #[serde(default)]
    pub wrong: Vec<String>,
}

/// One thing that happens.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum Step {
    Prompt { prompt: String },
    Answer { answer: String },
    Todos { todos: Vec<Todo> },
    Tool(Tool),
}

/// An item of the agent's own list.
#[derive(Debug, Deserialize)]
pub struct Todo {
    pub text: String,
    pub status: String,
}

/// The use of a tool.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Tool {
    pub tool: String,
    pub command: String,
    pub file: String,
    pub output: String,
    pub old: String,
    pub new: String,
    pub exit_code: i64,
    /// What a reminder should say: it failed like this before, and it is known what helped.
    pub warn: Vec<String>,
}

/// A question to a session that begins.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    pub question: String,
    /// What all must be told; alternatives are separated by `|`.
    pub answer: Vec<String>,
    /// `start`, or `recall` where it may be looked up.
    pub from: String,
    /// What it is about: `rule`, `decision`, `open`, `last`, `fact`, `failure`.
    pub about: String,
}

impl Script {
    pub fn read(file: &Path) -> Result<Self, String> {
        let wrong = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
        let text = fs::read_to_string(file).map_err(|error| wrong(&error))?;
        serde_json::from_str(&text).map_err(|error| wrong(&error))
    }
}
