//! Small files that all machines of a database share, such as the keys of the server.

use tokio_postgres::types::Type;
use uuid::Uuid;

use super::cells::column;
use super::connection::Parameter;
use super::database::Database;
use crate::{Error, Result};

/// What belongs to no space.
const HOME: &str = "";

/// A file as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedFile {
    /// Another one after each change, also after the database was set back: nobody else ever gives it.
    pub stamp: String,
    /// What is in it; `None` where it is as the caller knows it.
    pub contents: Option<String>,
}

impl Database {
    /// A file of the home, without its contents where its stamp is known; `None` where there is none.
    pub fn shared_file(&self, name: &str, known: Option<&str>) -> Result<Option<SharedFile>> {
        let sql = "SELECT stamp, CASE WHEN stamp = $3 THEN NULL ELSE contents END FROM idetic.shared_files \
             WHERE space = $1 AND name = $2";
        let known = known.unwrap_or_default();
        let values: [Parameter; 3] = [(&HOME, Type::TEXT), (&name, Type::TEXT), (&known, Type::TEXT)];
        let rows = self.retrying(|connection| connection.query(sql, &values))?;
        rows.first().map(|row| Ok(SharedFile { stamp: column(row, 0)?, contents: column(row, 1)? })).transpose()
    }

    /// Changes a file of the home: made from what it is now, and made again where another machine was faster, or where the
    /// answer was lost and another machine has changed it since: then `change` finds its own change done.
    pub fn change_shared_file<E: From<Error>>(
        &self,
        name: &str,
        mut change: impl FnMut(Option<&str>) -> std::result::Result<String, E>,
    ) -> std::result::Result<(), E> {
        let stamp = Uuid::now_v7().to_string();
        loop {
            let now = self.shared_file(name, None)?;
            // The answer to the last try was lost, and it was carried out.
            if now.as_ref().is_some_and(|file| file.stamp == stamp) {
                return Ok(());
            }
            let before = now.as_ref().map(|file| file.stamp.as_str());
            let contents = change(now.as_ref().and_then(|file| file.contents.as_deref()))?;
            let sql = match before {
                None => {
                    "INSERT INTO idetic.shared_files (space, name, stamp, contents) SELECT $1, $2, $3, $4 \
                     WHERE $5::text IS NULL ON CONFLICT (space, name) DO NOTHING"
                }
                Some(_) => {
                    "UPDATE idetic.shared_files SET stamp = $3, contents = $4 \
                     WHERE space = $1 AND name = $2 AND stamp = $5"
                }
            };
            let values: [Parameter; 5] = [
                (&HOME, Type::TEXT),
                (&name, Type::TEXT),
                (&stamp, Type::TEXT),
                (&contents, Type::TEXT),
                (&before, Type::TEXT),
            ];
            if self.retrying(|connection| connection.execute(sql, &values))? == 1 {
                return Ok(());
            }
        }
    }
}
