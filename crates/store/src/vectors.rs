//! The vectors of texts: dear to compute, so they are kept beside the log, under the model that made them.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use idetic_core::recall::InputHash;
use rusqlite::{Connection, OpenFlags, OptionalExtension, params};

use crate::{Error, Result, database};

/// What became of a text.
#[derive(Debug, Clone, PartialEq)]
pub enum Made {
    /// One vector for each of its passages.
    Vectors(Vec<Vec<f32>>),
    /// The model could not, so many times; it is tried again.
    Failed {
        /// How often it was tried.
        tries: u32,
        /// What was said the last time.
        why: String,
    },
}

/// The vectors of a space.
pub struct Vectors {
    file: PathBuf,
    connection: Mutex<Option<Connection>>,
}

const VECTORS: &str = "CREATE TABLE IF NOT EXISTS vectors (model TEXT NOT NULL, input BLOB NOT NULL, \
     dimensions INTEGER NOT NULL, passages BLOB NOT NULL, PRIMARY KEY (model, input)) WITHOUT ROWID";
const FAILURES: &str = "CREATE TABLE IF NOT EXISTS failures (model TEXT NOT NULL, input BLOB NOT NULL, \
     tries INTEGER NOT NULL, why TEXT NOT NULL, PRIMARY KEY (model, input)) WITHOUT ROWID";

/// Where another process was luckier meanwhile, nothing failed.
const FAILED: &str = "INSERT OR REPLACE INTO failures SELECT ?1, ?2, ?3, ?4 \
     WHERE NOT EXISTS (SELECT 1 FROM vectors WHERE model = ?1 AND input = ?2)";

impl Vectors {
    /// The vectors kept in a folder; nothing is opened before it is needed.
    pub fn open(folder: &Path) -> Self {
        Self { file: folder.join("vectors.db"), connection: Mutex::new(None) }
    }

    /// What became of each text, where anything did.
    pub fn get(&self, model: &str, inputs: &[InputHash]) -> Result<Vec<Option<Made>>> {
        if inputs.is_empty() || !self.file.exists() {
            return Ok(vec![None; inputs.len()]);
        }
        self.with(|connection| {
            let snapshot = connection.unchecked_transaction()?;
            let mut vectors =
                snapshot.prepare_cached("SELECT dimensions, passages FROM vectors WHERE model = ?1 AND input = ?2")?;
            let mut failures =
                snapshot.prepare_cached("SELECT tries, why FROM failures WHERE model = ?1 AND input = ?2")?;
            let mut found = Vec::with_capacity(inputs.len());
            for input in inputs {
                let key = params![model, input.as_slice()];
                let row = vectors.query_row(key, |row| Ok((row.get::<_, usize>(0)?, row.get::<_, Vec<u8>>(1)?)));
                found.push(match row.optional()? {
                    Some((dimensions, bytes)) => Some(Made::Vectors(decode(dimensions, &bytes))),
                    None => failures
                        .query_row(key, |row| Ok(Made::Failed { tries: row.get(0)?, why: row.get(1)? }))
                        .optional()?,
                });
            }
            Ok(found)
        })
    }

    /// Keeps what became of some texts.
    pub fn put(&self, model: &str, made: &[(InputHash, Made)]) -> Result<()> {
        self.with(|connection| {
            let transaction =
                rusqlite::Transaction::new_unchecked(connection, rusqlite::TransactionBehavior::Immediate)?;
            for (input, made) in made {
                let input = input.as_slice();
                match made {
                    Made::Vectors(passages) => {
                        let bytes: Vec<u8> = passages.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
                        let dimensions = passages.first().map_or(0, Vec::len);
                        transaction
                            .prepare_cached("INSERT OR REPLACE INTO vectors VALUES (?1, ?2, ?3, ?4)")?
                            .execute(params![model, input, dimensions, bytes])?;
                        transaction
                            .prepare_cached("DELETE FROM failures WHERE model = ?1 AND input = ?2")?
                            .execute(params![model, input])?;
                    }
                    Made::Failed { tries, why } => {
                        transaction.prepare_cached(FAILED)?.execute(params![model, input, tries, why])?;
                    }
                }
            }
            Ok(transaction.commit()?)
        })
    }

    /// How many texts each model has vectors of.
    pub fn counts(&self) -> Result<Vec<(String, u64)>> {
        if !self.file.exists() {
            return Ok(Vec::new());
        }
        self.with(|connection| {
            let mut statement =
                connection.prepare("SELECT model, count(*) FROM vectors GROUP BY model ORDER BY model")?;
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// The texts that a model could not give vectors to.
    pub fn failed(&self, model: &str) -> Result<HashSet<InputHash>> {
        if !self.file.exists() {
            return Ok(HashSet::new());
        }
        self.with(|connection| {
            let mut statement = connection.prepare_cached("SELECT input FROM failures WHERE model = ?1")?;
            let rows = statement.query_map([model], |row| row.get(0))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Whether the file is sound, as far as SQLite can tell.
    pub fn check(&self) -> Result<()> {
        if !self.file.exists() {
            return Ok(());
        }
        self.with(|connection| {
            let said: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
            if said == "ok" { Ok(()) } else { Err(Error::Corrupt(said)) }
        })
    }

    /// Forgets everything a model made.
    pub fn forget(&self, model: &str) -> Result<()> {
        self.with(|connection| {
            let transaction =
                rusqlite::Transaction::new_unchecked(connection, rusqlite::TransactionBehavior::Immediate)?;
            transaction.execute("DELETE FROM vectors WHERE model = ?1", [model])?;
            transaction.execute("DELETE FROM failures WHERE model = ?1", [model])?;
            Ok(transaction.commit()?)
        })
    }

    /// Forgets what became of some texts, and leaves no trace of it in the file.
    pub fn remove(&self, inputs: &[InputHash]) -> Result<()> {
        if inputs.is_empty() || !self.file.exists() {
            return Ok(());
        }
        self.with(|connection| {
            connection.pragma_update(None, "secure_delete", true)?;
            let transaction =
                rusqlite::Transaction::new_unchecked(connection, rusqlite::TransactionBehavior::Immediate)?;
            let mut models: Vec<String> = Vec::new();
            for sql in ["SELECT DISTINCT model FROM vectors", "SELECT DISTINCT model FROM failures"] {
                let mut statement = transaction.prepare(sql)?;
                models.extend(statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<Vec<String>>>()?);
            }
            for (model, input) in models.iter().flat_map(|model| inputs.iter().map(move |input| (model, input))) {
                for sql in [
                    "DELETE FROM vectors WHERE model = ?1 AND input = ?2",
                    "DELETE FROM failures WHERE model = ?1 AND input = ?2",
                ] {
                    transaction.prepare_cached(sql)?.execute(params![model, input.as_slice()])?;
                }
            }
            Ok(transaction.commit()?)
        })
    }

    /// Leaves nothing of what was removed in pages that are free, nor in the write-ahead log.
    pub fn leave_no_trace(&self) -> Result<()> {
        if !self.file.exists() {
            return Ok(());
        }
        self.with(|connection| {
            connection.execute_batch("VACUUM")?;
            let busy: bool = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
            if busy {
                let why = "others are reading the vectors, so that what was erased cannot be overwritten yet";
                return Err(Error::Unavailable(why.to_owned()));
            }
            Ok(())
        })
    }

    /// Throws the file away, where nothing in it can be read.
    pub fn discard(&self) -> Result<()> {
        *self.connection.lock().unwrap_or_else(PoisonError::into_inner) = None;
        database::remove(&self.file)
    }

    fn with<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let mut held = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let connection = match held.take() {
            Some(connection) => Ok(connection),
            None => connect(&self.file),
        };
        // Unlike what is derived it is never thrown away unasked: computing it again may take long or cost money.
        connection.and_then(|connection| work(held.insert(connection))).map_err(|error| match error {
            Error::Corrupt(what) => Error::VectorsDamaged(what),
            error => error,
        })
    }
}

fn connect(file: &Path) -> Result<Connection> {
    let connection = Connection::open(file)?;
    database::set_up(&connection)?;
    if connection.is_readonly("main")? {
        let uri =
            format!("file:{}?mode=ro&immutable=1", file.to_string_lossy().replace('%', "%25").replace('?', "%3f"));
        return Ok(Connection::open_with_flags(uri, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI)?);
    }
    database::enter_wal(&connection)?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.execute(VECTORS, [])?;
    connection.execute(FAILURES, [])?;
    Ok(connection)
}

fn decode(dimensions: usize, bytes: &[u8]) -> Vec<Vec<f32>> {
    let numbers: Vec<f32> = bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    if dimensions == 0 { Vec::new() } else { numbers.chunks_exact(dimensions).map(<[f32]>::to_vec).collect() }
}
