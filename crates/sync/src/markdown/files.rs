//! The files of a project that keeps to the Markdown protocol: where they are, and what they say.

use std::collections::BTreeSet;
use std::fs;

use idetic_formats::markdown::Changelog;
use idetic_memory::folder::{Folder, io};
use idetic_memory::{Error, Kind, Result};

/// Layer 0: the rules for agents.
pub const AGENTS: &str = "AGENTS.md";
/// Layer 1: the log.
pub const LOG: &str = "CHANGELOG.md";
/// Where old events go.
pub const ARCHIVE: &str = "CHANGELOG-archive.md";
/// The names under which archives are found; one of them is written.
pub const ARCHIVES: [&str; 2] = ["changelog-archive.md", ARCHIVE];
/// Layer 2: the graph.
pub const GRAPH: &str = ".memory/graph.md";
/// Layer 3: the narrative.
pub const CONTEXT: &str = ".memory/context.md";
/// Copies of the two that somebody else made before us.
pub const ADOPTED_GRAPH: &str = ".memory/graph.adopted.md";
pub const ADOPTED_CONTEXT: &str = ".memory/context.adopted.md";
/// The tasks.
pub const TODO: &str = "TODO.md";

/// Everything that is looked at to see whether something changed.
pub const ALL: [&str; 8] = [AGENTS, LOG, ARCHIVES[0], ARCHIVE, GRAPH, CONTEXT, ADOPTED_GRAPH, TODO];

/// What a commit of the protocol's own work has.
pub const COMMITTED: [&str; 10] =
    [".gitattributes", AGENTS, LOG, ARCHIVES[0], ARCHIVE, GRAPH, CONTEXT, ADOPTED_GRAPH, ADOPTED_CONTEXT, TODO];

/// The longest file that is read.
const FILE_MAX_BYTES: u64 = 256 << 20;

/// The log and its archives, read.
pub struct Logs {
    /// The archives, the older one first.
    pub archives: Vec<(&'static str, Changelog)>,
    /// The log itself; empty where there is none.
    pub log: Changelog,
    /// Whether there is one.
    pub is_there: bool,
}

impl Logs {
    /// Reads them.
    pub fn read(folder: &Folder) -> Result<Self> {
        let mut archives = Vec::new();
        // Where case does not count, one file answers to both names: what it is really called decides.
        let names = names(folder)?;
        for name in ARCHIVES.into_iter().filter(|name| names.contains(*name)) {
            archives.extend(text(folder, name)?.map(|text| (name, Changelog::read(&text))));
        }
        let log = text(folder, LOG)?;
        let is_there = log.is_some();
        Ok(Self::sorted(archives, Changelog::read(&log.unwrap_or_default()), is_there))
    }

    /// Those of texts, by their names.
    pub fn of(texts: Vec<(&'static str, String)>) -> Self {
        let (log, archives): (Vec<_>, Vec<_>) = texts.into_iter().partition(|(name, _)| *name == LOG);
        let is_there = !log.is_empty();
        let log = log.into_iter().next().map(|(_, text)| text).unwrap_or_default();
        let archives = archives.into_iter().map(|(name, text)| (name, Changelog::read(&text))).collect();
        Self::sorted(archives, Changelog::read(&log), is_there)
    }

    fn sorted(mut archives: Vec<(&'static str, Changelog)>, log: Changelog, is_there: bool) -> Self {
        archives.sort_by_key(|(_, archive)| archive.entries().first().and_then(|entry| entry.number));
        Self { archives, log, is_there }
    }

    /// All of them in the order in which events happened.
    pub fn all(&self) -> Vec<&Changelog> {
        self.archives.iter().map(|(_, archive)| archive).chain([&self.log]).collect()
    }

    /// The name of one of them.
    pub fn name(&self, at: usize) -> &'static str {
        self.archives.get(at).map_or(LOG, |(name, _)| name)
    }

    /// Refuses files in which two branches were not joined to the end.
    pub fn check_joined(&self) -> Result<()> {
        for (at, log) in self.all().into_iter().enumerate() {
            if let Some(line) = conflict_marker(log.text()) {
                return Err(Error::new(
                    Kind::Conflict,
                    format!("{}:{line}: there is an unresolved merge conflict", self.name(at)),
                )
                .hint("`git merge --abort` and merge again: the driver is installed now; or resolve it by hand"));
            }
        }
        Ok(())
    }

    /// The highest number that was ever given.
    pub fn highest(&self) -> u64 {
        self.all().iter().filter_map(|log| log.highest()).max().unwrap_or(0)
    }
}

/// What a file of the project says; none where it is not there.
pub fn text(folder: &Folder, path: &str) -> Result<Option<String>> {
    if !folder.has(path) {
        return Ok(None);
    }
    match folder.read_text(path, FILE_MAX_BYTES)? {
        Ok(text) => Ok(Some(text)),
        Err(why) => Err(Error::invalid(format!("{path} cannot be read: {why}")).hint("fix the file and try again")),
    }
}

/// The line of the first mark that git leaves where it could not join two branches.
pub fn conflict_marker(text: &str) -> Option<u64> {
    let is_marked = |line: &&str| line.starts_with("<<<<<<< ") || line.starts_with(">>>>>>> ");
    text.lines().zip(1..).find(|(line, _)| is_marked(line)).map(|(_, number)| number)
}

fn names(folder: &Folder) -> Result<BTreeSet<String>> {
    let entries = fs::read_dir(folder.root()).map_err(io("read", folder.root()))?;
    Ok(entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect())
}
