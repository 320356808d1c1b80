//! Every rule of both documents: each file by itself, files against each other, and all of them against the log.

use idetic_core::Hash;
use idetic_formats::markdown::rules::{self, Finding, Layer, Severity};
use idetic_formats::markdown::seal::{self, Seal};
use idetic_formats::markdown::{Changelog, ContextFile, Entry, Generation, GraphFile, Todo};
use idetic_memory::Result;

use super::derive::Tier;
use super::files::{AGENTS, ARCHIVE, CONTEXT, GRAPH, LOG, Logs, TODO, conflict_marker, text};
use super::{MdSeverity, MdTrouble, Project};

impl Project {
    /// Looks at everything and writes nothing.
    pub fn validate(&mut self) -> Result<()> {
        let tier = self.tier()?;
        let logs = Logs::read(&self.folder)?;
        if !logs.is_there {
            self.wrong(LOG, "layer-missing", "there is no event log", "`idetic md init` creates one");
        }
        let read = |path| text(&self.folder, path);
        let (graph_text, context_text, todo_text) = (read(GRAPH)?, read(CONTEXT)?, read(TODO)?);
        let graph = graph_text.as_deref().map(GraphFile::read).filter(|file| file.generation.is_some());
        let context = context_text.as_deref().map(ContextFile::read).filter(|file| file.generation.is_some());
        let todo = todo_text.as_deref().map(Todo::read);
        if let Some(line) = conflict_marker(logs.log.text()) {
            self.wrong(LOG, "conflict-marker", "there is an unresolved merge conflict", "resolve it, or merge again");
            self.report.troubles.iter_mut().for_each(|trouble| trouble.line = line);
            return Ok(());
        }
        let archives = Archives::join(&logs);
        let files = rules::Files {
            archive: archives.joined.as_ref(),
            log: Some(&logs.log).filter(|_| logs.is_there),
            graph: graph.as_ref().filter(|_| tier >= Tier::Full),
            context: context.as_ref().filter(|_| tier >= Tier::Core),
            todo: todo.as_ref(),
        };
        let exists = |path: &str| self.folder.has(path);
        let mut found = rules::check(&files, &exists);
        let (story, base) = self.look(&logs)?;
        let drawn = self.drawn_anew(&story.told, base.as_ref())?;
        self.tell_unplaced(&drawn.unplaced);
        let derived = drawn.derived();
        let is_ours = |text: &Option<String>| text.as_deref().is_some_and(|text| seal::check(text) != Seal::Foreign);
        if let Some(file) = graph.as_ref().filter(|_| tier >= Tier::Full && is_ours(&graph_text)) {
            // The first layout does not say which events made a node.
            if derived.layout == Generation::Two {
                found.extend(rules::compare(&derived.graph, file));
            }
            let expected = self.as_written(GRAPH, &derived, graph_text.as_deref());
            found.extend(rules::compare_text(Layer::Graph, &expected, graph_text.as_deref().unwrap_or_default()));
        }
        if tier >= Tier::Core && is_ours(&context_text) {
            let expected = self.as_written(CONTEXT, &derived, context_text.as_deref());
            found.extend(rules::compare_text(Layer::Context, &expected, context_text.as_deref().unwrap_or_default()));
        }
        found.iter().for_each(|finding| self.find(finding, &archives));
        for (path, text, wanted) in [(GRAPH, &graph_text, Tier::Full), (CONTEXT, &context_text, Tier::Core)] {
            let is_wanted = tier >= wanted && !story.told.is_empty();
            let is_empty = text.as_deref().is_none_or(|text| text.trim().is_empty());
            if is_wanted && is_empty {
                self.wrong(path, "layer-missing", "it is not there, or empty", "`idetic md boot` generates it");
            } else if is_wanted && text.as_deref().is_some_and(|text| is_of_another_kind(path, text)) {
                let is_old = self.space.is_none() || self.state.foreign.iter().any(|own| own == path);
                let (rule, message) = ("foreign", "it is a file of another kind");
                if is_old {
                    self.tell_about(path, rule, message, "move it, and `idetic md boot` generates ours");
                } else {
                    self.wrong(path, rule, message, "`idetic md repair` generates it, and keeps a copy of this one");
                }
            }
        }
        if let Some(old) = todo_text.filter(|_| tier >= Tier::Full)
            && Todo::read(&old).update(&drawn.tasks(&derived.graph)) != old
        {
            self.tell_about(TODO, "todo-in-step", "its tasks differ from the graph", "`idetic md sync` writes it");
        }
        self.tell_changed_rules()?;
        self.report.horizon = story.horizon().map(idetic_formats::markdown::changelog::event_id);
        Ok(())
    }

    fn find(&mut self, finding: &Finding, archives: &Archives) {
        let (archive, line) = archives.place(finding.line);
        let line = if finding.layer == Layer::Archive { line } else { finding.line };
        let file = match finding.layer {
            Layer::Archive => archive,
            Layer::Log => LOG,
            Layer::Graph => GRAPH,
            Layer::Context => CONTEXT,
            Layer::Todo => TODO,
        };
        self.report.troubles.push(MdTrouble {
            severity: match finding.severity {
                Severity::Error => MdSeverity::Error,
                Severity::Warning => MdSeverity::Warning,
            },
            rule: finding.rule.to_owned(),
            file: file.to_owned(),
            line,
            event: finding.subject.clone(),
            message: finding.message.clone(),
            remedy: finding.remedy.clone(),
        });
    }

    /// Warns of events that the graph could not do anything with.
    fn tell_unplaced(&mut self, unplaced: &[Entry]) {
        for entry in unplaced {
            let remedy = "name what it is about: a detail such as `entity`, or a Scope that is a node's name";
            self.report.troubles.push(MdTrouble {
                severity: MdSeverity::Warning,
                rule: "unplaced".to_owned(),
                file: LOG.to_owned(),
                line: entry.line,
                event: entry.name(),
                message: format!("the graph shows nothing of {}: it names nothing there is", entry.label()),
                remedy: remedy.to_owned(),
            });
        }
    }

    /// Says when the rules for agents are not those of the last boot.
    fn tell_changed_rules(&mut self) -> Result<()> {
        let now = text(&self.folder, AGENTS)?.map(|rules| Hash::of(rules.as_bytes()).to_string());
        if self.state.agents.is_some() && self.state.agents != now {
            let message = "it was changed since the last boot: a running agent never writes layer 0";
            self.wrong(
                AGENTS,
                "agents-changed",
                message,
                "undo the change, or `idetic md boot` to work by the new rules",
            );
        }
        Ok(())
    }
}

/// Whether a file in the place of one of ours is none.
fn is_of_another_kind(path: &str, text: &str) -> bool {
    if path == GRAPH {
        GraphFile::read(text).generation.is_none()
    } else {
        ContextFile::read(text).generation.is_none()
    }
}

/// Archives as one, since events of one may refer to those of another.
struct Archives {
    joined: Option<Changelog>,
    /// Their names with the number of their lines.
    parts: Vec<(&'static str, u64)>,
}

impl Archives {
    fn join(logs: &Logs) -> Self {
        let (mut text, mut parts) = (String::new(), Vec::new());
        for (name, archive) in &logs.archives {
            let part = archive.text();
            let end = if part.ends_with('\n') { "" } else { "\n" };
            parts.push((*name, part.lines().count() as u64));
            text.push_str(part);
            text.push_str(end);
        }
        Self { joined: (!parts.is_empty()).then(|| Changelog::read(&text)), parts }
    }

    /// The file and the line there of a line of all.
    fn place(&self, line: u64) -> (&'static str, u64) {
        let mut before = 0;
        for (name, lines) in &self.parts {
            if line <= before + lines {
                return (name, line - before);
            }
            before += lines;
        }
        (ARCHIVE, line)
    }
}
