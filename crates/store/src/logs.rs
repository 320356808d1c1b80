//! The log of a folder, as whoever needs one opens it: which implementation that is, is known here alone.

use std::path::Path;

use crate::sqlite_log::{Options, SqliteLog};
use crate::{Env, Error, Log, Result};

/// The log of a folder, if it has one.
pub fn open_log(folder: &Path, env: Env) -> Result<Option<Box<dyn Log>>> {
    let log = SqliteLog::open(folder, env, &Options::default())?;
    Ok(log.map(|log| Box::new(log) as Box<dyn Log>))
}

/// The log of a folder, made where there is none.
pub fn create_log(folder: &Path, env: Env) -> Result<Box<dyn Log>> {
    Ok(Box::new(SqliteLog::create(folder, env, &Options::default())?))
}

/// Whether somebody has begun to make a log in a folder.
pub fn is_log_begun(folder: &Path) -> bool {
    SqliteLog::is_begun(folder)
}

/// How many events the log of a folder had, when it is gone and its head is still there to tell.
pub fn lost_log(folder: &Path, env: &Env) -> Option<u64> {
    match SqliteLog::open(folder, env.clone(), &Options::default()) {
        Err(Error::Shortened { have: 0, had }) => Some(had),
        _ => None,
    }
}
