//! Small files that all machines of a database share, such as the keys of the server.

use tokio_postgres::types::Type;

use super::cells::{bigint, column, number};
use super::connection::Parameter;
use super::database::Database;
use crate::{Error, Result};

/// What belongs to no space.
const HOME: &str = "";

/// A file as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedFile {
    /// How often it was written.
    pub version: u64,
    /// What is in it.
    pub contents: String,
}

impl Database {
    /// A file of the home; `None` where there is none, or where it is still this version.
    pub fn shared_file(&self, name: &str, unless: Option<u64>) -> Result<Option<SharedFile>> {
        let sql = "SELECT version, contents FROM idetic.shared_files WHERE space = $1 AND name = $2 AND version <> $3";
        let known = bigint(unless.unwrap_or(0));
        let values: [Parameter; 3] = [(&HOME, Type::TEXT), (&name, Type::TEXT), (&known, Type::INT8)];
        let rows = self.retrying(|connection| connection.query(sql, &values))?;
        rows.first().map(|row| Ok(SharedFile { version: number(row, 0)?, contents: column(row, 1)? })).transpose()
    }

    /// Changes a file of the home: made from what it is now, and made again where another machine was faster.
    pub fn change_shared_file<E: From<Error>>(
        &self,
        name: &str,
        mut change: impl FnMut(Option<&str>) -> std::result::Result<String, E>,
    ) -> std::result::Result<(), E> {
        let mut tried: Option<String> = None;
        loop {
            let now = self.shared_file(name, None)?;
            // The answer to the last try was lost, and it was carried out.
            if tried.is_some() && tried.as_deref() == now.as_ref().map(|file| file.contents.as_str()) {
                return Ok(());
            }
            let contents = change(now.as_ref().map(|file| file.contents.as_str()))?;
            let version = bigint(now.map_or(0, |file| file.version));
            let sql = match version {
                0 => {
                    "INSERT INTO idetic.shared_files (space, name, version, contents) VALUES ($1, $2, $3 + 1, $4) \
                     ON CONFLICT (space, name) DO NOTHING"
                }
                _ => {
                    "UPDATE idetic.shared_files SET version = version + 1, contents = $4 \
                     WHERE space = $1 AND name = $2 AND version = $3"
                }
            };
            let values: [Parameter; 4] =
                [(&HOME, Type::TEXT), (&name, Type::TEXT), (&version, Type::INT8), (&contents, Type::TEXT)];
            if self.retrying(|connection| connection.execute(sql, &values))? == 1 {
                return Ok(());
            }
            tried = Some(contents);
        }
    }
}
