//! The rules of both documents that need only the files: each broken one by file, line, name and remedy.

mod compare;
mod context;
mod graph;
mod log;
mod summary;
mod tasks;

use super::changelog::Changelog;
use super::context_file::ContextFile;
use super::graph_file::GraphFile;
use super::todo::Todo;

pub use compare::{compare, compare_text};
pub use summary::stands_alone;

/// Which file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Layer {
    /// The archive of the log.
    Archive,
    /// CHANGELOG.md.
    Log,
    /// graph.md.
    Graph,
    /// context.md.
    Context,
    /// TODO.md.
    Todo,
}

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// A rule is broken.
    Error,
    /// Something is not as it should be.
    Warning,
}

/// One broken rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// In which file.
    pub layer: Layer,
    /// On which line, counted from 1.
    pub line: u64,
    /// The rule, a short name that stays the same.
    pub rule: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What it is about: an event, a node, a section.
    pub subject: String,
    /// What is wrong, in plain words.
    pub message: String,
    /// What to do about it.
    pub remedy: String,
}

/// The files of a project, as far as there are any.
#[derive(Default, Clone, Copy)]
pub struct Files<'f> {
    /// The archive.
    pub archive: Option<&'f Changelog>,
    /// The log.
    pub log: Option<&'f Changelog>,
    /// The graph.
    pub graph: Option<&'f GraphFile>,
    /// The narrative.
    pub context: Option<&'f ContextFile>,
    /// The tasks.
    pub todo: Option<&'f Todo>,
}

/// Everything that breaks a rule, by file and line. `exists` says whether a file that is linked to is there.
pub fn check(files: &Files, exists: &dyn Fn(&str) -> bool) -> Vec<Finding> {
    let known = log::Known::of(files);
    let mut found = log::check(files, &known, exists);
    found.extend(files.graph.iter().flat_map(|file| graph::check(file, &known)));
    found.extend(files.context.iter().flat_map(|file| context::check(file, files, &known)));
    found.extend(files.todo.iter().flat_map(|file| tasks::check(file, &known)));
    found.sort_by(|a, b| (a.layer, a.line, a.rule).cmp(&(b.layer, b.line, b.rule)));
    found
}

/// Collects what is wrong with one file.
struct Findings {
    layer: Layer,
    found: Vec<Finding>,
}

impl Findings {
    fn new(layer: Layer) -> Self {
        Self { layer, found: Vec::new() }
    }

    fn error(&mut self, line: u64, rule: &'static str, subject: &str, message: String, remedy: &str) {
        self.add(Severity::Error, line, rule, subject, message, remedy);
    }

    fn warning(&mut self, line: u64, rule: &'static str, subject: &str, message: String, remedy: &str) {
        self.add(Severity::Warning, line, rule, subject, message, remedy);
    }

    fn add(&mut self, severity: Severity, line: u64, rule: &'static str, subject: &str, message: String, remedy: &str) {
        let (layer, subject, remedy) = (self.layer, subject.to_owned(), remedy.to_owned());
        self.found.push(Finding { layer, line: line.max(1), rule, severity, subject, message, remedy });
    }
}

#[cfg(test)]
mod tests;
