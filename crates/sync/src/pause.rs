//! Where the hooks of coding agents keep silent: for a while, or in a project for good.

use std::collections::BTreeMap;
use std::path::Path;

use idetic_core::Time;
use idetic_core::invalid::excerpt;
use idetic_memory::folder::Folder;
use idetic_memory::{Error, Result};
use serde::{Deserialize, Serialize};

/// The file in a home that says so.
const FILE: &str = "paused.json";
/// Largest such file.
const FILE_MAX_BYTES: u64 = 1 << 20;
/// What stands for every project.
const EVERYWHERE: &str = "*";

/// What is paused, and until when; without an end until it is resumed.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Paused(BTreeMap<String, Option<Time>>);

impl Paused {
    /// What is paused in a home.
    pub fn of(home: &Path) -> Result<Self> {
        if !home.join(FILE).exists() {
            return Ok(Self::default());
        }
        let wrong = |why: &str| {
            Error::invalid(format!("{} cannot be read: {}", home.join(FILE).display(), excerpt(why)))
                .hint("correct or remove it; until then nothing is recorded by hooks")
        };
        let text = Folder::open(home)?.read_text(FILE, FILE_MAX_BYTES)?.map_err(|why| wrong(&why))?;
        serde_json::from_str(&text).map_err(|error| wrong(&error.to_string()))
    }

    /// Whether the hooks of a project keep silent.
    pub fn holds(&self, project: &[&str], now: Time) -> bool {
        let names = project.iter().copied().chain([EVERYWHERE]);
        names.filter_map(|name| self.0.get(name)).any(|until| until.is_none_or(|until| until > now))
    }

    /// Each project in which the hooks keep silent, and until when; none where they do everywhere.
    pub fn list(&self, now: Time) -> impl Iterator<Item = (Option<&str>, Option<Time>)> {
        let holding = self.0.iter().filter(move |(_, until)| until.is_none_or(|until| until > now));
        holding.map(|(name, until)| (Some(name.as_str()).filter(|name| *name != EVERYWHERE), *until))
    }

    /// Pauses a project, or everything, and keeps that in the home.
    pub fn pause(mut self, home: &Path, project: Option<&str>, until: Option<Time>, now: Time) -> Result<()> {
        self.0.insert(project.unwrap_or(EVERYWHERE).to_owned(), until);
        self.keep(home, now)
    }

    /// Ends the pause of a project under all its names, and that of everything. Says whether there was one.
    pub fn resume(mut self, home: &Path, project: &[&str], now: Time) -> Result<bool> {
        let was_paused = self.holds(project, now);
        self.0.retain(|name, _| name != EVERYWHERE && !project.contains(&name.as_str()));
        self.keep(home, now)?;
        Ok(was_paused)
    }

    fn keep(&mut self, home: &Path, now: Time) -> Result<()> {
        self.0.retain(|_, until| until.is_none_or(|until| until > now));
        let text = serde_json::to_string_pretty(&self).map_err(|error| Error::invalid(error.to_string()))?;
        Folder::open(home)?.put(FILE, &format!("{text}\n")).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_holds_where_and_as_long_as_it_was_meant() {
        let home = tempfile::tempdir().expect("a folder");
        let (now, later) = (Time(1_000), Time(2_000));
        let paused = || Paused::of(home.path()).expect("it can be read");
        assert!(!paused().holds(&["shop"], now));
        paused().pause(home.path(), Some("shop"), None, now).expect("paused");
        assert!(paused().holds(&["other", "shop"], later) && !paused().holds(&["blog"], now));
        paused().pause(home.path(), None, Some(later), now).expect("paused");
        assert!(paused().holds(&["blog"], now) && !paused().holds(&["blog"], later));
        assert!(paused().resume(home.path(), &["shop"], now).expect("resumed"));
        assert!(!paused().holds(&["shop"], now) && !paused().resume(home.path(), &["shop"], now).expect("nothing"));
        std::fs::write(home.path().join(FILE), "{").expect("written");
        assert!(Paused::of(home.path()).is_err());
    }
}
