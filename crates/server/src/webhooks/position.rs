//! How far a webhook has come in a space, on disk: a server that starts again goes on there.

use std::fs::{File, create_dir_all, rename};
use std::io::{ErrorKind, Write};
use std::path::Path;

use idetic_ops::core::Time;
use idetic_ops::{Error, Result};
use serde::{Deserialize, Serialize};

/// Up to where everything was delivered, and what stands in the way of the next one.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Position {
    /// The seq of the last event that was delivered or is none of the receiver's.
    pub after: u64,
    /// Since when the next one has been refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failing_since: Option<String>,
    /// How often.
    pub attempts: u32,
    /// Why, the last time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Whether the receiver was given up.
    pub is_dead: bool,
}

impl Position {
    pub fn read(path: &Path) -> Result<Option<Self>> {
        let text = match std::fs::read_to_string(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            read => read.map_err(Error::io(format_args!("cannot read {}", path.display())))?,
        };
        serde_json::from_str(&text).map(Some).map_err(|error| {
            Error::unavailable(format!("{} is damaged: {error}", path.display()))
                .hint("remove it: the webhook then goes on with the events that come from now on")
        })
    }

    /// Puts it on disk, so that it is there after a power cut, the old one or the new one.
    pub fn write(&self, path: &Path) -> Result<()> {
        let failed = || Error::io(format!("cannot write {}", path.display()));
        let (folder, beside) = (path.parent().unwrap_or(Path::new(".")), path.with_extension("new"));
        create_dir_all(folder).map_err(failed())?;
        let text = serde_json::to_string(self).map_err(|error| Error::unavailable(error.to_string()))?;
        let mut file = File::create(&beside).map_err(failed())?;
        file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(failed())?;
        rename(&beside, path).map_err(failed())?;
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed())
    }

    /// The next one was taken.
    pub fn reached(&mut self, seq: u64) {
        *self = Self { after: seq, ..Self::default() };
    }

    /// The next one was refused.
    pub fn refused(&mut self, why: String, now: Time, give_up: std::time::Duration, is_final: bool) {
        let since = self.failing_since.get_or_insert_with(|| now.to_string());
        let since = Time::parse(since).unwrap_or(now);
        let is_over = u128::try_from(now.0.saturating_sub(since.0)).is_ok_and(|micros| micros >= give_up.as_micros());
        (self.attempts, self.error, self.is_dead) = (self.attempts.saturating_add(1), Some(why), is_final || is_over);
    }

    /// Somebody who starts the server again wants it tried again; while no server ran, nothing was refused.
    pub fn revive(&mut self) {
        *self = Self { after: self.after, ..Self::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_starts_again_counts_anew() {
        let mut position = Position { after: 7, ..Position::default() };
        let day = std::time::Duration::from_secs(24 * 60 * 60);
        position.refused("status 500".to_owned(), Time(0), day, false);
        position.revive();
        position.refused("status 500".to_owned(), Time(10 * 24 * 60 * 60 * 1_000_000), day, false);
        assert_eq!((position.after, position.attempts, position.is_dead), (7, 1, false), "nobody was asked meanwhile");
    }
}
