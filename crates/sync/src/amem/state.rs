//! What is known of a folder from the last time: how far it was read and written. Kept with the space, never in the
//! folder, which may be shared, merged and copied; without it everything is compared anew.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use idetic_core::{Hash, hash};
use idetic_memory::folder::io;
use idetic_memory::{Error, Result};
use serde::{Deserialize, Serialize};

use super::diff::Print;

const STATE: &str = "state.json";
const TRACES: &str = "traces.json";
const UNFINISHED: &str = ".unfinished";

/// What is known of one folder.
pub struct State {
    /// Where it is kept.
    home: PathBuf,
    pub known: Known,
    /// The files of traces. There may be many more of them than of all others, so they are kept apart.
    pub traces: BTreeMap<String, KnownFile>,
    /// As they were when they were last kept.
    kept_traces: BTreeMap<String, KnownFile>,
}

/// What is written down.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Known {
    /// The folder, for people who look.
    folder: String,
    /// Events up to this seq are written out, or stand in the folder already.
    pub written: u64,
    /// The seqs of events behind that one that stand in an event file already.
    pub present: BTreeSet<u64>,
    /// The same for those that stand in the file of their trace, or are not to be put there.
    pub traced: BTreeSet<u64>,
    /// The event files.
    pub files: BTreeMap<String, KnownFile>,
    /// The notes: what each file said when both sides last agreed.
    pub notes: BTreeMap<String, KnownNote>,
    /// The checksums of the indexes as they were written.
    pub indexes: BTreeMap<String, String>,
    /// The checksums of indexes of others that the log has.
    pub kept: BTreeSet<String>,
    /// The profiles: what each file said when it was last read or written.
    pub profiles: BTreeMap<String, KnownProfile>,
}

/// What is known of an event file.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownFile {
    /// How long it was, and when it was last changed.
    pub bytes: u64,
    pub changed: i128,
    /// The lines up to there.
    pub lines: u64,
    /// The checksum of the bytes up to there; empty where old lines were tampered with.
    pub sum: String,
    /// Places in it that did not become events.
    #[serde(default)]
    pub unread: u64,
}

/// What is known of a note's file.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct KnownNote {
    /// The note.
    pub note: String,
    /// The checksum of its text.
    pub sum: String,
    /// The event that holds that text.
    pub event: String,
    /// How long the file was, and when it was last changed.
    pub bytes: u64,
    pub changed: i128,
}

/// What is known of a profile's file.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownProfile {
    /// How long it was, and when it was last changed.
    pub bytes: u64,
    pub changed: i128,
    /// What it said.
    pub text: String,
}

/// A line of an event file that was read or written: what it said, and which event that is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownLine {
    pub print: Print,
    pub seq: u64,
}

impl State {
    /// Where the state of a folder is kept.
    pub fn of(space: &Path, folder: &Path) -> Result<Self> {
        let name = folder.to_string_lossy().into_owned();
        let key = hash::hex(&Hash::of(name.as_bytes()).0[..8]);
        let home = space.join("amem").join(key);
        fs::create_dir_all(&home).map_err(io("make", &home))?;
        let known = Known { folder: name, ..Known::default() };
        Ok(Self { home, known, traces: BTreeMap::new(), kept_traces: BTreeMap::new() })
    }

    /// The folders that something is known of in a space, each with where that is kept.
    pub fn folders(space: &Path) -> Vec<(PathBuf, PathBuf)> {
        let homes = fs::read_dir(space.join("amem")).into_iter().flatten().flatten().map(|entry| entry.path());
        let folder = |home: &PathBuf| -> String {
            let known = fs::read(home.join(STATE)).ok().and_then(|text| serde_json::from_slice::<Known>(&text).ok());
            known.unwrap_or_default().folder
        };
        homes.map(|home| (PathBuf::from(folder(&home)), home)).collect()
    }

    /// Removes what a run that was cut short did not finish writing down.
    pub fn sweep(&self) -> Result<()> {
        for entry in fs::read_dir(&self.home).map_err(io("read", &self.home))?.flatten() {
            if entry.file_name().to_string_lossy().ends_with(UNFINISHED) {
                fs::remove_file(entry.path()).map_err(io("remove", &entry.path()))?;
            }
        }
        Ok(())
    }

    /// Forgets the lines of an event file.
    pub fn forget_lines(&self, path: &str) -> Result<()> {
        let name = self.home.join(lines_name(path));
        match fs::remove_file(&name) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(io("remove", &name)(error)),
            _ => Ok(()),
        }
    }

    /// Reads what was written down. What cannot be read is as good as nothing: everything is compared anew.
    pub fn load(&mut self) -> Result<()> {
        let folder = std::mem::take(&mut self.known.folder);
        let read = |name: &str| fs::read(self.home.join(name)).unwrap_or_default();
        self.known = serde_json::from_slice(&read(STATE)).unwrap_or_default();
        self.known.folder = folder;
        self.traces = serde_json::from_slice(&read(TRACES)).unwrap_or_default();
        self.kept_traces = self.traces.clone();
        Ok(())
    }

    /// Writes it down.
    pub fn save(&mut self) -> Result<()> {
        let as_text = |e: serde_json::Error| Error::unavailable(e.to_string());
        if self.traces != self.kept_traces {
            self.put(TRACES, &serde_json::to_vec(&self.traces).map_err(as_text)?)?;
            self.kept_traces = self.traces.clone();
        }
        self.put(STATE, &serde_json::to_vec(&self.known).map_err(as_text)?)
    }

    /// The lines of an event file as they were.
    pub fn lines(&self, path: &str) -> Vec<KnownLine> {
        let text = fs::read_to_string(self.home.join(lines_name(path))).unwrap_or_default();
        let pairs = text.lines().filter_map(|line| line.split_once(' '));
        pairs
            .filter_map(|(print, seq)| Some(KnownLine { print: hash::hex_decode(print)?, seq: seq.parse().ok()? }))
            .collect()
    }

    /// Keeps the lines of an event file.
    pub fn keep_lines(&self, path: &str, lines: &[KnownLine]) -> Result<()> {
        let text: String = lines.iter().map(|line| format!("{} {}\n", hash::hex(&line.print), line.seq)).collect();
        self.put(&lines_name(path), text.as_bytes())
    }

    /// Adds lines to those of an event file.
    pub fn add_lines(&self, path: &str, lines: &[KnownLine]) -> Result<()> {
        use std::io::Write;
        let name = self.home.join(lines_name(path));
        let text: String = lines.iter().map(|line| format!("{} {}\n", hash::hex(&line.print), line.seq)).collect();
        let opened = fs::OpenOptions::new().append(true).create(true).open(&name);
        opened.and_then(|mut file| file.write_all(text.as_bytes())).map_err(io("write", &name))
    }

    fn put(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let (path, beside) = (self.home.join(name), self.home.join(format!("{name}{UNFINISHED}")));
        fs::write(&beside, bytes).map_err(io("write", &beside))?;
        fs::rename(&beside, &path).map_err(io("write", &path))
    }
}

fn lines_name(path: &str) -> String {
    format!("{}.lines", hash::hex(&Hash::of(path.as_bytes()).0[..8]))
}
