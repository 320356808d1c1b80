//! Events that wait for the end of the work, and that end: they are appended together.

use std::path::Path;

use idetic_core::Record;
use idetic_memory::purge::PurgedItems;
use idetic_memory::{Env, Error, Result, new_trace};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::append::NewEvent;
use super::{MdAppended, Project, files, git, state};

const STAGED: &str = "staged.json";
/// Most events that wait.
const STAGED_MAX: usize = 1_000;

/// What waits: records as they will be appended, each with its id, so that none comes twice.
#[derive(Default, Serialize, Deserialize)]
struct Staged {
    records: Vec<Box<RawValue>>,
}

/// Takes what says something that was purged out of what waits.
pub(super) fn unstage(space: &Path, gone: &PurgedItems) -> Result<()> {
    let Some(mut staged) = state::load::<Staged>(space, STAGED) else { return Ok(()) };
    let before = staged.records.len();
    staged.records.retain(|raw| !gone.says_record(raw.get()));
    if staged.records.len() < before { state::save(space, STAGED, &staged) } else { Ok(()) }
}

impl Project {
    /// Puts an event aside until the end of the work. The lock is held.
    pub fn stage(&mut self, env: &Env, new: &NewEvent) -> Result<MdAppended> {
        self.sync()?;
        let id = new_trace(env);
        let record = self.record(new, &id, env.now())?;
        let mut staged = self.staged()?;
        if staged.records.len() >= STAGED_MAX {
            return Err(Error::invalid(format!("{STAGED_MAX} events are staged already"))
                .hint("`idetic md shutdown` appends them"));
        }
        let raw = RawValue::from_string(record.body).map_err(|error| Error::unavailable(error.to_string()))?;
        staged.records.push(raw);
        state::save(self.log()?.folder(), STAGED, &staged)?;
        let waiting = Some(staged.records.len());
        Ok(MdAppended { event: None, id, file: files::LOG.to_owned(), staged: waiting })
    }

    /// How many events wait.
    pub fn waiting_events(&self) -> Result<usize> {
        Ok(if self.space.is_some() { self.staged()?.records.len() } else { 0 })
    }

    /// What waits and is not in the log: a run that was cut short may have appended it.
    fn staged(&self) -> Result<Staged> {
        let space = self.log()?;
        let mut staged: Staged = state::load(space.folder(), STAGED).unwrap_or_default();
        let head = self.head()?;
        let is_new = |raw: &RawValue| {
            let id = Record::parse(raw.get().as_bytes()).ok().and_then(|record| record.claim.id);
            id.is_none_or(|id| space.by_id(&id, head).is_err())
        };
        staged.records.retain(|raw| is_new(raw));
        Ok(staged)
    }

    /// Appends what waits as one batch, and brings everything in step. The lock is held.
    pub fn shut_down(&mut self) -> Result<u64> {
        self.sync()?;
        let staged = self.staged()?;
        let records = staged.records.iter().map(|raw| Ok(Record::parse(raw.get().as_bytes())?));
        let records: Vec<Record> = records.collect::<Result<_>>()?;
        let count = records.len() as u64;
        if count > 0 {
            // One batch: all of them or none.
            self.log()?.append(records, None)?;
        }
        state::save(self.log()?.folder(), STAGED, &Staged::default())?;
        self.sync()?;
        Ok(count)
    }

    /// The commit that is checked out.
    pub fn last_commit(&self) -> Option<String> {
        git::head(self.folder.root())
    }

    /// Commits the files of the protocol, and what was staged in git, as one commit.
    pub fn commit(&mut self, message: &str) -> Result<()> {
        let root = self.folder.root();
        if !git::is_repository(root) {
            return Err(Error::not_found(format!("{} is not a git repository", root.display()))
                .hint("`git init`, or leave --commit out"));
        }
        let there: Vec<&str> = files::COMMITTED.into_iter().filter(|name| self.folder.has(name)).collect();
        let mut add = vec!["add", "--"];
        add.extend(&there);
        git::run(root, &add)?;
        if git::run(root, &["diff", "--cached", "--quiet"]).is_ok() {
            return Ok(());
        }
        git::run(root, &["commit", "--quiet", "-m", message])?;
        self.report.commit = git::head(root);
        Ok(())
    }
}
