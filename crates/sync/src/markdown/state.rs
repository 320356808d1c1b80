//! What is known of a project from the last time: the files as they were left. Without it everything is compared anew.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use idetic_memory::folder::{Folder, io};
use idetic_memory::{Error, Result};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

const STATE: &str = "state.json";

/// What is written down.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct State {
    /// The project.
    pub project: String,
    /// How far the log had come.
    pub seq: u64,
    /// How long each file was, and when it was last changed.
    pub files: BTreeMap<String, (u64, i128)>,
    /// The last event of the files.
    pub horizon: Option<String>,
    /// The hash of the rules for agents at the last boot.
    pub agents: Option<String>,
    /// The changelog as it was, where something added to its end can be told from that alone.
    pub seen: Option<Seen>,
    /// How much of the protocol is used, where the rules for agents do not say.
    pub tier: Option<String>,
    /// A move to the archive that may not be done yet.
    pub archiving: Option<Archiving>,
    /// What is being added to the changelog and may not be there, or not whole.
    pub appending: Option<Appending>,
    /// The branch and the commit that were checked out.
    pub head: Option<(String, Option<String>)>,
    /// Which folder it is, should another take its place.
    pub root: Option<String>,
    /// Files in the places of ours that are of another kind.
    pub foreign: Vec<String>,
    /// The rules that graph and narrative were made by.
    pub rules: u32,
    /// The tasks as they were left.
    pub tasks: SeenTasks,
}

/// TODO.md as it was left.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SeenTasks {
    /// The events that its lines name, by their ids.
    pub lines: BTreeMap<String, Vec<Option<String>>>,
    /// The tasks whose boxes were open.
    pub open: Vec<String>,
}

/// A changelog that was read to its end.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// How long it was.
    pub bytes: usize,
    /// The hash of that.
    pub hash: String,
    /// Where its last event begins.
    pub last_at: usize,
    /// The number of that.
    pub last: u64,
    /// When that happened, in microseconds.
    pub time: i64,
    /// How many events it and its archives had.
    pub events: usize,
    /// How many of them it had itself.
    pub in_log: usize,
}

/// Something that is added to a changelog.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Appending {
    /// How long the file was.
    pub at: u64,
    /// What is added.
    pub text: String,
    /// The ids of the events in it.
    pub events: Vec<String>,
}

/// A move of old events to the archive.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Archiving {
    /// The first number.
    pub first: u64,
    /// The last one.
    pub last: u64,
    /// How many.
    pub count: usize,
    /// The milestone it was done at.
    pub milestone: String,
    /// Who did it.
    pub agent: String,
    /// When, as the event says it.
    pub ts: String,
}

/// Where it is kept.
pub fn home(space: &Path) -> PathBuf {
    space.join("markdown")
}

impl State {
    /// Reads what was written down; what cannot be read is as good as nothing.
    pub fn load(space: &Path) -> Self {
        load(space, STATE).unwrap_or_default()
    }

    /// Writes it down.
    pub fn save(&self, space: &Path) -> Result<()> {
        save(space, STATE, self)
    }
}

/// Reads something that was written down beside it.
pub fn load<T: DeserializeOwned>(space: &Path, name: &str) -> Option<T> {
    serde_json::from_slice(&fs::read(home(space).join(name)).ok()?).ok()
}

/// Writes something down.
pub fn save<T: Serialize>(space: &Path, name: &str, value: &T) -> Result<()> {
    let home = home(space);
    fs::create_dir_all(&home).map_err(io("make", &home))?;
    let text = serde_json::to_vec(value).map_err(|e| Error::unavailable(e.to_string()))?;
    Folder::open(&home)?.put_bytes(name, &text)?;
    Ok(())
}
