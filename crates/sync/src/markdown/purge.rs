//! Taking what was purged out of a project's Markdown files: the blocks of its events, and what follows from them.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use idetic_formats::markdown::purged::without;
use idetic_memory::folder::{Folder, io};
use idetic_memory::purge::PurgedItems;
use idetic_memory::{Error, Result, Space};

use super::compare::placed;
use super::files::{ADOPTED_CONTEXT, ADOPTED_GRAPH, AGENTS, ARCHIVES, CONTEXT, GRAPH, LOG, Logs, TODO, text};
use super::state::{self, State};
use super::{Project, drawn, stage};

/// How often a file is tried to be replaced that others write to meanwhile.
const TRIES: usize = 100;
/// The folder of what is derived and of copies of it.
const DERIVED: &str = ".memory";

/// The project whose files follow a space, whether or not it is there.
pub fn bound_project(space: &Space) -> Option<PathBuf> {
    Some(State::load(space.folder()).project).filter(|project| !project.is_empty()).map(PathBuf::from)
}

/// The files of the protocol in a project.
pub fn protocol_files(project: &Path) -> Vec<PathBuf> {
    [AGENTS, LOG, ARCHIVES[0], ARCHIVES[1], TODO, DERIVED].iter().map(|name| project.join(name)).collect()
}

impl Project {
    /// The project of a space.
    pub fn of(space: Arc<Space>, project: &Path) -> Result<Self> {
        let folder = Folder::open(project)?;
        Ok(Self::new(Some(space), folder))
    }

    /// Takes out what is gone; gives the files that were changed or removed. The log still has the events: it knows which
    /// blocks are theirs.
    pub fn strip(mut self, gone: &PurgedItems) -> Result<Vec<String>> {
        let _alone = self.lock()?;
        let mut changed = self.strip_logs(gone)?;
        for path in self.copies()? {
            if text(&self.folder, &path)?.is_some_and(|text| gone.says(&text)) {
                self.folder.remove(&path)?;
                changed.push(path);
            }
        }
        Ok(changed.into_iter().map(|path| self.folder.root().join(path).display().to_string()).collect())
    }

    /// Takes the blocks of what is gone out of the changelog and its archives.
    fn strip_logs(&self, gone: &PurgedItems) -> Result<Vec<String>> {
        let known = self.known()?;
        let mut changed: Vec<String> = Vec::new();
        for _ in 0..TRIES {
            let logs = Logs::read(&self.folder)?;
            let mut found = placed(&logs);
            self.compared(&mut found, &known);
            let is_gone = |event: &str, raw: &str| gone.has_id(event) || gone.says(raw);
            let going = found.iter().filter(|placed| is_gone(&placed.event, placed.raw));
            let going: Vec<(usize, u64)> = going.map(|placed| (placed.file, placed.entry.line)).collect();
            let Some((file, _)) = going.first().copied() else { return Ok(changed) };
            let log = logs.all()[file];
            let lines: HashSet<u64> = going.iter().filter(|(own, _)| *own == file).map(|(_, line)| *line).collect();
            let places = log.entries().iter().enumerate().filter(|(_, entry)| lines.contains(&entry.line));
            let new = without(log, &places.map(|(at, _)| at).collect());
            let (name, old) = (logs.name(file), log.text());
            if self.folder.replace(name, &new, &|bytes| bytes == old.as_bytes())? {
                changed.push(name.to_owned());
            }
        }
        Err(Error::unavailable(format!("other programs keep writing {LOG}")).hint("try again"))
    }

    /// What is derived, and copies of what somebody else made or edited.
    fn copies(&self) -> Result<Vec<String>> {
        let mut copies: Vec<String> = [GRAPH, CONTEXT, ADOPTED_GRAPH, ADOPTED_CONTEXT].map(str::to_owned).into();
        let folder = self.folder.root().join(DERIVED);
        if folder.is_dir() && !folder.is_symlink() {
            for entry in std::fs::read_dir(&folder).map_err(io("read", &folder))?.flatten() {
                let name = entry.file_name().to_string_lossy().into_owned();
                if name.contains(".before-") && entry.file_type().is_ok_and(|kind| kind.is_file()) {
                    copies.push(format!("{DERIVED}/{name}"));
                }
            }
        }
        Ok(copies)
    }

    /// Brings the files in step with the log as it is now.
    pub fn refresh(mut self) -> Result<()> {
        let _alone = self.lock()?;
        if self.folder.has(LOG) { self.sync() } else { Ok(()) }
    }
}

/// What is known of a project's files may have their text: it is rebuilt when they are read again. Of what waits to be
/// appended goes what has the words.
pub fn forget_texts(space: &Space, gone: &PurgedItems) -> Result<()> {
    let home = state::home(space.folder());
    if !home.is_dir() {
        return Ok(());
    }
    stage::unstage(space.folder(), gone)?;
    Folder::open(&home)?.remove(drawn::KEPT)?;
    let mut state = State::load(space.folder());
    (state.appending, state.archiving, state.seen, state.files) = Default::default();
    state.save(space.folder())
}
