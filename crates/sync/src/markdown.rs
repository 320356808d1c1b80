//! The Markdown protocol (specifications 003 and 004): the files of a project in sync with a space.
//!
//! The space's log is the truth. New events of CHANGELOG.md are taken in, events that came elsewhere are written to its end;
//! what was changed in it is told and never taken. graph.md, context.md and TODO.md follow from the events in the order of
//! the file, so that every clone of a project has the same.

mod adopt;
mod append;
mod archive;
mod away;
mod bind;
mod boot;
mod committed;
mod compare;
mod derive;
mod derived;
mod drawn;
mod files;
mod git;
mod handoff;
mod history;
mod init;
mod merging;
mod purge;
mod read;
mod records;
mod repair;
mod reply;
mod stage;
mod state;
mod story;
mod tail;
mod take_in;
mod tampered;
mod tasks_file;
mod validate;
mod write_out;

use std::collections::BTreeMap;
use std::fs::File;
use std::sync::Arc;

use idetic_core::views::graph::{ENTRIES, GraphEvent};
use idetic_store::{Filter, Select};

pub use append::{NewEvent, check_agent, detail, draft_from_git};
pub use bind::space_of;
pub use boot::Boot;
pub use handoff::Payload;
pub use merging::merge_files;
pub use purge::{bound_project, forget_texts, protocol_files};
pub use read::EventFilter;
pub use reply::*;

use self::compare::Known;
use self::state::{Seen, State};
use idetic_memory::folder::Folder;
use idetic_memory::{Error, Kind, Result, Space};

/// A project and the space it is in sync with.
pub struct Project {
    /// The space; none for one that was never seen and is only read.
    space: Option<Arc<Space>>,
    folder: Folder,
    state: State,
    report: MdReport,
    /// Whether what others made is written over even where it is up to date; it is kept beside.
    wants_all_anew: bool,
}

impl Project {
    /// Waits until nobody else works on the project; what this gives is to be kept meanwhile.
    pub fn lock(&mut self) -> Result<File> {
        let lock = self.folder.lock()?;
        if let Some(space) = &self.space {
            self.state = State::load(space.folder());
        }
        Ok(lock)
    }

    /// Refuses a folder that has no changelog and never had one.
    pub fn must_have_begun(&self) -> Result<()> {
        if self.folder.has(files::LOG) || !self.rows()?.is_empty() {
            return Ok(());
        }
        Err(Error::not_found(format!("there is no {} in {}", files::LOG, self.folder.root().display()))
            .hint("`idetic md init` creates one; --project names another folder"))
    }

    /// Brings log and files together: takes in, writes out, and derives the rest. The lock is held.
    pub fn sync(&mut self) -> Result<()> {
        self.folder.sweep(&files::ALL)?;
        self.finish_archiving()?;
        let is_plain = self.is_told_by_files();
        if is_plain && self.is_fresh()? {
            self.state.head = git::checked_out(self.folder.root());
            self.report.horizon.clone_from(&self.state.horizon);
            return Ok(());
        }
        if is_plain && self.sync_tail()? {
            return Ok(());
        }
        let mut logs = self.mend_log()?;
        loop {
            let troubles = self.report.troubles.len();
            let (story, base) = self.take_in(&logs)?;
            if !self.write_out(&logs)? {
                self.follow_numbers(&story.numbers)?;
                let drawn = self.drawn(&story.told, base.as_ref())?;
                if self.tier()? >= derive::Tier::Full && self.take_in_ticks(&drawn)? {
                    self.report.troubles.truncate(troubles);
                    continue;
                }
                self.derive(&drawn, &story)?;
                let seen = self.seen(&logs, &story);
                return self.remember(seen, logs.log.text().len());
            }
            // What is to be told is told again by the next look at the file.
            self.report.troubles.truncate(troubles);
            logs = self.mend_log()?;
        }
    }

    /// Tells something that is good to know.
    fn tell_about(&mut self, file: &str, rule: &str, message: &str, remedy: &str) {
        self.report.troubles.push(MdTrouble::of_file(MdSeverity::Remark, file, rule, message, remedy));
    }

    /// Tells of a broken rule.
    fn wrong(&mut self, file: &str, rule: &str, message: &str, remedy: &str) {
        self.report.troubles.push(MdTrouble::of_file(MdSeverity::Error, file, rule, message, remedy));
    }

    /// What was done.
    pub fn into_report(self) -> MdReport {
        self.report
    }

    /// Whether nothing has changed since the last time, neither in the log nor in the files.
    fn is_fresh(&self) -> Result<bool> {
        if self.wants_all_anew
            || self.state.rules != drawn::RULES
            || self.state.files.is_empty()
            || self.state.files != self.stamps()?
        {
            return Ok(false);
        }
        let later = Select::from(&ENTRIES, self.head()?).filter(Filter::BornAfter(self.state.seq));
        Ok(self.log()?.select(&Select { limit: Some(1), ..later })?.is_empty())
    }

    /// Whether git brought nothing since the last time but what the files say. One commit can only add to what was there;
    /// several may also have edited or deleted what one of them added, which the commits alone tell.
    fn is_told_by_files(&self) -> bool {
        let root = self.folder.root();
        let before = self.state.head.as_ref().and_then(|(_, commit)| commit.clone());
        let Some(now) = git::checked_out(root).and_then(|(_, commit)| commit) else { return before.is_none() };
        if git::is_merging(root) {
            return false;
        }
        if before.as_ref() == Some(&now) {
            return true;
        }
        let since: Vec<String> = before.map(|before| format!("^{before}")).into_iter().chain([now]).collect();
        git::commits_of_log(root, &since).is_ok_and(|commits| commits.len() <= 1)
    }

    /// Writes down how the files were left; of the changelog so many bytes were read.
    fn remember(&mut self, seen: Option<Seen>, read_bytes: usize) -> Result<()> {
        let stamps = self.stamps()?;
        // What was added meanwhile is to be read, and what was tampered with is told for as long as it is so.
        let is_all = stamps.get(files::LOG).is_none_or(|(bytes, _)| *bytes == read_bytes as u64);
        self.state.files = if is_all && self.report.is_clean() { stamps } else { BTreeMap::new() };
        self.state.seq = self.head()?;
        self.state.horizon.clone_from(&self.report.horizon);
        self.state.appending = None;
        self.state.head = git::checked_out(self.folder.root());
        self.state.root = Some(self.folder.birth()?);
        self.state.seen = seen;
        self.state.rules = drawn::RULES;
        self.state.tasks = self.seen_tasks()?;
        self.state.project = self.folder.root().to_string_lossy().into_owned();
        self.save()
    }

    fn save(&self) -> Result<()> {
        self.state.save(self.log()?.folder())
    }

    /// How far the log has come.
    fn head(&self) -> Result<u64> {
        self.log()?.horizon(None)
    }

    fn stamps(&self) -> Result<BTreeMap<String, (u64, i128)>> {
        let mut stamps = BTreeMap::new();
        for name in files::ALL {
            if let Some(stamp) = self.folder.stamp(name)? {
                stamps.insert(name.to_owned(), stamp);
            }
        }
        Ok(stamps)
    }

    /// The events of the changelog that the log has.
    fn rows(&self) -> Result<Vec<GraphEvent>> {
        let Some(space) = &self.space else { return Ok(Vec::new()) };
        let rows = space.select(&Select::from(&ENTRIES, space.horizon(None)?))?;
        Ok(rows.iter().map(|row| GraphEvent::of(&row.values)).collect())
    }

    /// Of some rows those that are not in the changelog yet and are to be: what has expired is not written for the first time.
    fn unwritten(&self, mut rows: Vec<GraphEvent>) -> Result<Vec<GraphEvent>> {
        let expired = self.log()?.at_present().expired(self.head()?)?;
        rows.retain(|row| row.identity.is_none() && !u64::try_from(row.seq).is_ok_and(|seq| expired.contains(&seq)));
        Ok(rows)
    }

    /// Those of them that something holds for.
    fn rows_where(&self, filter: Filter) -> Result<Vec<GraphEvent>> {
        let Some(space) = &self.space else { return Ok(Vec::new()) };
        let rows = space.select(&Select::from(&ENTRIES, space.horizon(None)?).filter(filter))?;
        Ok(rows.iter().map(|row| GraphEvent::of(&row.values)).collect())
    }

    /// The one with a number.
    fn numbered(&self, number: u64) -> Result<Option<Known>> {
        Ok(self.rows_where(Filter::Is("number", number.into()))?.first().map(Known::from))
    }

    fn known(&self) -> Result<Vec<Known>> {
        Ok(self.rows()?.iter().map(Known::from).collect())
    }
}

impl From<&GraphEvent> for Known {
    fn from(row: &GraphEvent) -> Self {
        let number = row.number.and_then(|number| u64::try_from(number).ok());
        let away = row.identity.as_deref().and_then(|key| key.strip_prefix(compare::AWAY));
        let key = away.map(str::to_owned).or_else(|| row.identity.clone());
        Self { event: row.event.clone(), number, key, is_away: away.is_some() }
    }
}

/// The tier of a word.
pub fn tier(word: &str) -> Result<derive::Tier> {
    derive::Tier::parse(word)
        .ok_or_else(|| Error::invalid(format!("'{word}' is not a tier")).hint("one of: mvp, core, full"))
}

/// What is said when old things in the files are not as they were.
pub fn not_as_it_was(wrong: usize) -> Error {
    let what =
        if wrong == 1 { "1 thing is not as it was".to_owned() } else { format!("{wrong} things are not as they were") };
    Error::new(Kind::CheckFailed, what)
}
