//! The logs of a home, as whoever needs one opens it: which implementation that is, is known here alone.

use std::path::Path;
use std::sync::Arc;

use idetic_core::{Invalid, SpaceName};
use serde::Deserialize;

use crate::pg_log::{Database, PgLog};
use crate::snapshots::{SnapshotStore, SpaceSnapshots};
use crate::sqlite_log::{Options, SqliteLog, given_up};
use crate::{Env, Error, Log, Result};

/// What the configuration says of the log.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LogSettings {
    /// The address of a PostgreSQL database; empty for a log in the folder of each space.
    pub url: String,
    /// Where machines that share it keep snapshots for each other; empty for nowhere.
    pub snapshots: String,
}

impl LogSettings {
    /// The settings of a log at an address.
    pub fn of(url: &str) -> Self {
        Self { url: url.to_owned(), ..Self::default() }
    }

    /// Says what is wrong with them.
    pub fn check(&self) -> std::result::Result<(), String> {
        self.database().map_err(|error| format!("log.url: {error}"))?;
        self.store().map_err(|error| format!("log.snapshots: {error}"))?;
        Ok(())
    }

    fn database(&self) -> Result<Option<Arc<Database>>> {
        match self.url.as_str() {
            "" => Ok(None),
            url => Ok(Some(Arc::new(Database::new(url)?))),
        }
    }

    /// Nothing is kept of logs that no other machine sees.
    fn store(&self) -> Result<Option<Arc<SnapshotStore>>> {
        match self.snapshots.as_str() {
            "" => Ok(None),
            place => {
                let store = SnapshotStore::at(place)?;
                Ok(Some(Arc::new(store)).filter(|_| !self.url.is_empty()))
            }
        }
    }

    /// Each value under its key, as it is shown: without a password.
    pub fn values(&self) -> [(&'static str, String); 2] {
        let shown = match (self.url.split_once("://"), self.url.rsplit_once('@')) {
            (Some((scheme, rest)), Some((_, host))) => {
                match rest.split_once('@').and_then(|(who, _)| who.split_once(':')) {
                    Some((user, _)) => format!("{scheme}://{user}:[masked]@{host}"),
                    None => self.url.clone(),
                }
            }
            _ => self.url.clone(),
        };
        [("log.url", shown), ("log.snapshots", self.snapshots.clone())]
    }
}

/// Where the logs of a home are kept.
#[derive(Clone, Default)]
pub struct Logs {
    /// Where they are not in the folders of their spaces.
    database: Option<Arc<Database>>,
    /// Where snapshots of what is derived from them are kept.
    snapshots: Option<Arc<SnapshotStore>>,
}

impl Logs {
    /// The logs that the settings name. Nothing is opened yet.
    pub fn at(settings: &LogSettings) -> Result<Self> {
        Ok(Self { database: settings.database()?, snapshots: settings.store()? })
    }

    /// Whether there is a place for snapshots.
    pub fn keep_snapshots(&self) -> bool {
        self.snapshots.is_some()
    }

    /// What machines that share the log of a space keep for each other, where there is a place for it.
    pub fn snapshots(&self, space: &SpaceName) -> Option<SpaceSnapshots> {
        self.snapshots.as_ref().map(|store| SpaceSnapshots::of(Arc::clone(store), space))
    }

    /// The database they are in, where they are in one.
    pub fn database(&self) -> Option<&Database> {
        self.database.as_deref()
    }

    /// The same, for those who keep something beside the logs.
    pub fn shared_database(&self) -> Option<Arc<Database>> {
        self.database.clone()
    }

    /// The log of a space, if it has one.
    pub fn open(&self, space: &SpaceName, folder: &Path, env: Env) -> Result<Option<Box<dyn Log>>> {
        match &self.database {
            Some(database) => {
                refuse_embedded(folder, env.clone())?;
                let log = PgLog::open(Arc::clone(database), &space.to_string(), folder, env)?;
                Ok(log.map(|log| Box::new(log) as Box<dyn Log>))
            }
            None => {
                let log = SqliteLog::open(folder, env, &Options::default())?;
                Ok(log.map(|log| Box::new(log) as Box<dyn Log>))
            }
        }
    }

    /// The log of a space, made where there is none.
    pub fn create(&self, space: &SpaceName, folder: &Path, env: Env) -> Result<Box<dyn Log>> {
        match &self.database {
            Some(database) => {
                refuse_embedded(folder, env.clone())?;
                Ok(Box::new(PgLog::create(Arc::clone(database), &space.to_string(), folder, env)?))
            }
            None => Ok(Box::new(SqliteLog::create(folder, env, &Options::default())?)),
        }
    }

    /// Whether somebody has begun to make the log of a space in its folder.
    pub fn is_begun(&self, folder: &Path) -> bool {
        self.database.is_none() && SqliteLog::is_begun(folder)
    }

    /// How many events the log of a space had, when it is gone and its head is still there to tell.
    pub fn lost(&self, space: &SpaceName, folder: &Path, env: &Env) -> Option<u64> {
        match self.open(space, folder, env.clone()) {
            Err(Error::Shortened { have: 0, had }) => Some(had),
            _ => None,
        }
    }

    /// The spaces that there are, by name; `None` where their folders tell.
    pub fn spaces(&self) -> Result<Option<Vec<SpaceName>>> {
        let Some(database) = &self.database else { return Ok(None) };
        let names = PgLog::spaces(database)?;
        let mut names: Vec<SpaceName> = names.iter().filter_map(|name| SpaceName::parse(name).ok()).collect();
        names.sort();
        Ok(Some(names))
    }
}

/// A space whose events lie in its folder is not begun anew in a database: they would be out of sight.
fn refuse_embedded(folder: &Path, env: Env) -> Result<()> {
    // Where a note says that the log is elsewhere, what lies there is a copy that a move has not completed.
    if !SqliteLog::is_begun(folder) || given_up::refuse(folder).is_err() {
        return Ok(());
    }
    match SqliteLog::open(folder, env, &Options::default())?.map(|log| log.tip()) {
        // The head is that of the database.
        None | Some(Err(Error::Shortened { have: 0, .. })) => Ok(()),
        Some(Ok(tip)) if tip.seq == 0 => Ok(()),
        _ => {
            let there = Invalid::new(format!("log.url is set, and {} holds a log of its own", folder.display()));
            Err(there.hint("finish a move that was stopped with `idetic move --to folder`; else remove log.url from config.toml and run `idetic move --to URL`, \
                 which moves every log of this home").into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_its_password() {
        for (url, shown) in [
            ("", ""),
            ("postgres://ann@db/memory", "postgres://ann@db/memory"),
            ("postgres://ann:pa55@db:6432/memory", "postgres://ann:[masked]@db:6432/memory"),
            ("postgres://ann:p@ss@db/memory", "postgres://ann:[masked]@db/memory"),
        ] {
            assert_eq!(LogSettings::of(url).values()[0], ("log.url", shown.to_owned()));
        }
        assert!(LogSettings::of("sqlite://x").check().is_err());
        let settings = LogSettings { snapshots: "ftp://x".to_owned(), ..LogSettings::of("") };
        assert!(settings.check().is_err_and(|why| why.starts_with("log.snapshots: ")));
    }
}
