//! What a measuring child process is asked to do: a task in, what it took out, both as one line of JSON.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::clocks::Measured;
use super::tasks::append::Append;
use super::tasks::read::Reading;
use super::tasks::{append, ask, copy, fill, flush, ingest, open, read, views};

/// One piece of work that is measured in a process of its own.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Task {
    /// Durable commits.
    Append(Append),
    /// Writes of 4 KiB, each flushed, without any database.
    Flush {
        /// Where the files lie.
        folder: PathBuf,
        /// Whether each write makes its file longer.
        growing: bool,
        /// How many threads write, each to its own file.
        writers: usize,
        /// How many writes each makes.
        count: u64,
    },
    /// A home whose space has so many events.
    Fill {
        /// The home.
        home: PathBuf,
        /// How many.
        events: u64,
    },
    /// Appending to a new space without a model, and then sealing its documents.
    Ingest {
        /// The home.
        home: PathBuf,
        /// How many events.
        events: u64,
    },
    /// The rows of a space's databases into plain ones.
    Copy {
        /// The home of the space.
        home: PathBuf,
        /// Where the plain databases are made.
        folder: PathBuf,
    },
    /// Reading in a space that is open.
    Read {
        /// The home.
        home: PathBuf,
        /// What is read.
        what: Reading,
        /// How often.
        count: u64,
    },
    /// Questions by words.
    Ask {
        /// The home.
        home: PathBuf,
        /// How many.
        count: u64,
        /// Whether home and space are opened for each.
        opening: bool,
    },
    /// Opening the space and reading one event, again and again.
    Open {
        /// The home.
        home: PathBuf,
        /// How often.
        count: u64,
    },
    /// Folding the whole log into views that are not there.
    Fold {
        /// The home.
        home: PathBuf,
    },
    /// Folding the whole log into new views beside the old.
    Rebuild {
        /// The home.
        home: PathBuf,
    },
}

impl Task {
    fn run(self) -> Result<Measured, String> {
        match self {
            Self::Append(task) => append::run(&task),
            Self::Flush { folder, growing, writers, count } => flush::run(&folder, growing, writers, count),
            Self::Fill { home, events } => fill::run(&home, events),
            Self::Ingest { home, events } => ingest::run(&home, events),
            Self::Copy { home, folder } => copy::run(&home, &folder),
            Self::Read { home, what, count } => read::run(&home, what, count),
            Self::Ask { home, count, opening } => ask::run(&home, count, opening),
            Self::Open { home, count } => open::run(&home, count),
            Self::Fold { home } => views::fold(&home),
            Self::Rebuild { home } => views::rebuild(&home),
        }
    }
}

/// The child's side: does the task and gives the line to print.
pub fn answer(task: &str) -> Result<String, String> {
    let task: Task = serde_json::from_str(task).map_err(|e| format!("no task: {e}"))?;
    let measured = task.run()?;
    serde_json::to_string(&measured).map_err(|e| e.to_string())
}
