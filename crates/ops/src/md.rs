//! Operations on the Markdown files of a project (specifications 003 and 004).

pub mod append;
pub mod archive;
pub mod boot;
pub mod get;
pub mod handoff;
pub mod init;
pub mod merge;
pub mod relevant;
pub mod repair;
pub mod search;
pub mod shutdown;
pub mod summarize;
pub mod sync;
pub mod timeline;
pub mod todo;
pub mod validate;

use std::path::{Path, PathBuf};

use clap::Args;
use idetic_memory::folder::Folder;
use idetic_memory::{Error, Kind, Result};
use idetic_sync::markdown::{Boot, MdReport, MdSeverity, Project, check_agent, not_as_it_was, space_of};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::OwnerContext;

// The project in question. (No doc comment: it would become the help of every command.)
#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
#[serde(default)]
pub struct In {
    /// The folder of the project [default: the current folder]
    #[arg(long, value_name = "DIR")]
    pub project: Option<PathBuf>,
}

impl In {
    /// The folder.
    pub fn folder(&self) -> &Path {
        self.project.as_deref().unwrap_or(Path::new("."))
    }

    /// The project, in a space that is made where there is none.
    pub fn open(&self, cx: &OwnerContext) -> Result<Project> {
        let folder = Folder::open(self.folder())?;
        let memory = cx.memory()?;
        let name = space_of(memory, cx.space.is_some(), folder.root())?;
        let space = memory.space_or_new(&name)?;
        let project = Project::new(Some(space), folder);
        project.keep_driver(&cx.program)?;
        Ok(project)
    }

    /// The project with its space, if it has one: for what only reads.
    pub fn open_to_read(&self, cx: &OwnerContext) -> Result<Project> {
        let folder = Folder::open(self.folder())?;
        if cx.home().make_on_use && !cx.home().folder.join("config.toml").exists() {
            return Ok(Project::new(None, folder));
        }
        let memory = match cx.memory() {
            Err(error) if error.kind == Kind::NotFound && cx.space.is_none() => {
                return Ok(Project::new(None, folder));
            }
            memory => memory?,
        };
        let name = space_of(memory, cx.space.is_some(), folder.root())?;
        let space = memory.space(&name).map(Some).or_else(|error| match error.kind {
            Kind::NotFound if cx.space.is_none() => Ok(None),
            _ => Err(error),
        })?;
        Ok(Project::new(space, folder))
    }
}

/// The agent that was named, else the author in the settings.
pub fn agent(cx: &OwnerContext, named: Option<&str>) -> Result<String> {
    if named.is_some_and(|name| name.trim().is_empty()) {
        return Err(Error::invalid("the agent has no name").hint("name it, e.g. --agent claude"));
    }
    let author = || cx.config().map(|config| config.author.clone()).unwrap_or_default();
    check_agent(named.map_or_else(author, str::to_owned))
}

/// A context of one's own: as an agent sees it that boots now.
pub fn wishes(cx: &OwnerContext, named: Option<&str>, budget: Option<usize>, generation_one: bool) -> Result<Boot> {
    Ok(Boot { agent: agent(cx, named)?, budget, generation_one })
}

/// Answers with what became of a project's files.
pub fn answer(cx: &mut OwnerContext, mut report: MdReport) -> Result<()> {
    report.sum_up();
    let wrong = report.troubles.iter().filter(|trouble| trouble.severity == MdSeverity::Error).count();
    cx.answer(report)?;
    match wrong {
        0 => Ok(()),
        wrong => Err(not_as_it_was(wrong).hint("each is named above with what to do; everything else was done")),
    }
}
