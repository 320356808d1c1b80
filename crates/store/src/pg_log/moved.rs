//! A log that is moved into the database or out of it: its copy, which nobody else sees until it is complete, and its removal.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use idetic_core::Tip;

use super::cells::Place;
use super::{Database, PgLog, rows};
use crate::{Conflict, Env, Error, Result};

impl PgLog {
    /// Creates the copy of a log that is moved here, or goes on with it.
    pub(crate) fn copy(database: Arc<Database>, space: &str, folder: &Path, env: Env) -> Result<Self> {
        let log = Self::moved(database, space, folder, env)?;
        match log.place()? {
            Some(Place { tip, is_copy: false, .. }) => Err(Error::Conflict(Conflict::Diverged { seq: tip.seq })),
            _ => log.begun(),
        }
    }

    /// A log that was moved here, whether or not its copy was made the log.
    pub(crate) fn moved(database: Arc<Database>, space: &str, folder: &Path, env: Env) -> Result<Self> {
        Ok(Self { is_copy: true, ..Self::over(database, space, folder, env)? })
    }

    /// Makes a copy that is complete the log. Whoever read an earlier log of this name reads it anew.
    pub(crate) fn complete(&self) -> Result<()> {
        self.transact(&HashSet::new(), |open| {
            self.compare_with_head(open)?;
            if !open.before.is_copy {
                return Ok((None, ()));
            }
            self.change_mark(open)?;
            Ok((Some(open.before.tip), ()))
        })
    }

    /// Removes a copy that is not completed.
    pub(crate) fn cancel(&self) -> Result<()> {
        self.transact(&HashSet::new(), |open| {
            if !open.before.is_copy {
                return Ok((None, ()));
            }
            open.remove()?;
            Ok((Some(open.before.tip), ()))
        })
    }

    /// Whether the database has a copy of a space that a move has not completed.
    pub(crate) fn is_begun_copy(database: &Database, space: &str) -> Result<bool> {
        let place = database.retrying(|connection| rows::current(connection, space))?;
        Ok(place.is_some_and(|place| place.is_copy))
    }

    /// Gives the log up to `take`, which keeps the events elsewhere while nobody can append here: then the space is removed.
    /// Where `take` fails all is as it was; where the connection is lost it is called again.
    pub(crate) fn give_up(&self, take: &mut dyn FnMut(&Tip) -> Result<()>) -> Result<()> {
        let mut is_taken = false;
        let given_up = self.transact(&HashSet::new(), |open| {
            self.compare_with_head(open)?;
            // However long it takes: nobody waits for it without being told.
            open.connection()
                .batch("SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0")?;
            let tip = open.before.tip;
            take(&tip)?;
            is_taken = true;
            open.remove()?;
            Ok((Some(tip), ()))
        });
        match given_up {
            // The answer to its commit was lost: it was carried out if the space is gone.
            Err(error) if !is_taken || self.place()?.is_some() => Err(error),
            _ => Ok(()),
        }
    }
}
