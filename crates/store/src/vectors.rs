//! The vectors of texts: dear to compute, so they are kept beside the log, under the model that made them.
//!
//! The file has a sum for every page and each row one of its own: damage is noticed before it is read, and what it did not
//! reach is kept.

mod absent;
mod kept;
mod rows;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, OnceLock};

use idetic_search::InputHash;
use rusqlite::{OptionalExtension, Transaction, TransactionBehavior, params};

use crate::lock::LockFile;
use crate::sums::Sums;
use crate::{Error, Result};
use absent::Absent;
use kept::{Open, Use};
pub(crate) use rows::vector_sum;

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
    /// Made when something is first needed; none where nothing may be written.
    lock: OnceLock<Option<LockFile>>,
    open: Mutex<Option<Open>>,
    /// Whether it is closed after each use.
    is_closed: AtomicBool,
    /// Texts that are known to have no row.
    absent: Mutex<Absent>,
    sums: Sums,
    /// What was repaired, to be told.
    repaired: Mutex<Vec<String>>,
}

/// Where another process was luckier meanwhile, nothing failed.
const FAILED: &str = "INSERT OR REPLACE INTO failures SELECT ?1, ?2, ?3, ?4, ?5 \
     WHERE NOT EXISTS (SELECT 1 FROM vectors WHERE model = ?1 AND input = ?2)";

impl Vectors {
    /// The vectors kept in a folder; nothing is opened before it is needed.
    pub fn open(folder: &Path) -> Self {
        let file = folder.join("vectors.db");
        let sums = Sums::of(&file);
        let (lock, open, is_closed, absent, repaired) = Default::default();
        Self { file, lock, open, is_closed, absent, sums, repaired }
    }

    /// What became of each text, where anything did.
    pub fn get(&self, model: &str, inputs: &[InputHash]) -> Result<Vec<Option<Made>>> {
        if inputs.is_empty() || !self.file.exists() {
            return Ok(vec![None; inputs.len()]);
        }
        self.with(Use::Read, |connection| {
            let snapshot = connection.unchecked_transaction()?;
            let mut absent = self.absent();
            let absent = absent.of(model, &snapshot)?;
            let mut vectors = snapshot
                .prepare_cached("SELECT dimensions, passages, sum FROM vectors WHERE model = ?1 AND input = ?2")?;
            let mut failures =
                snapshot.prepare_cached("SELECT tries, why, sum FROM failures WHERE model = ?1 AND input = ?2")?;
            let mut found = Vec::with_capacity(inputs.len());
            for input in inputs {
                if absent.contains(input) {
                    found.push(None);
                    continue;
                }
                let key = params![model, input.as_slice()];
                let vector = vectors.query_row(key, |row| {
                    let (dimensions, bytes): (i64, Vec<u8>) = (row.get(0)?, row.get(1)?);
                    let right = row.get::<_, i64>(2)? == vector_sum(model, input, dimensions, &bytes);
                    Ok((right, Made::Vectors(decode(dimensions, &bytes))))
                });
                let row = match vector.optional()? {
                    Some(vector) => Some(vector),
                    None => {
                        let failure = failures.query_row(key, |row| {
                            let (tries, why): (i64, String) = (row.get(0)?, row.get(1)?);
                            let right = row.get::<_, i64>(2)? == rows::failure_sum(model, input, tries, &why);
                            Ok((right, Made::Failed { tries: u32::try_from(tries).unwrap_or(u32::MAX), why }))
                        });
                        failure.optional()?
                    }
                };
                found.push(match row {
                    Some((false, _)) => return Err(Error::Corrupt("a row does not match its checksum".to_owned())),
                    Some((true, made)) => Some(made),
                    None => {
                        absent::note(absent, input);
                        None
                    }
                });
            }
            Ok(found)
        })
    }

    /// Keeps what became of some texts.
    pub fn put(&self, model: &str, made: &[(InputHash, Made)]) -> Result<()> {
        self.with(Use::Write, |connection| {
            let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
            self.absent().remove(model, made.iter().map(|(input, _)| input));
            for (input, made) in made {
                let input = input.as_slice();
                match made {
                    Made::Vectors(passages) => {
                        let bytes = encode(passages);
                        let dimensions = passages.first().map_or(0, Vec::len).cast_signed() as i64;
                        let sum = vector_sum(model, input, dimensions, &bytes);
                        transaction
                            .prepare_cached("INSERT OR REPLACE INTO vectors VALUES (?1, ?2, ?3, ?4, ?5)")?
                            .execute(params![model, input, dimensions, bytes, sum])?;
                        transaction
                            .prepare_cached("DELETE FROM failures WHERE model = ?1 AND input = ?2")?
                            .execute(params![model, input])?;
                    }
                    Made::Failed { tries, why } => {
                        let sum = rows::failure_sum(model, input, i64::from(*tries), why);
                        transaction.prepare_cached(FAILED)?.execute(params![model, input, tries, why, sum])?;
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
        self.with(Use::Read, |connection| {
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
        self.with(Use::Read, |connection| {
            let mut statement =
                connection.prepare_cached("SELECT input, tries, why, sum FROM failures WHERE model = ?1")?;
            let mut rows = statement.query([model])?;
            let mut failed = HashSet::new();
            while let Some(row) = rows.next()? {
                let (input, why): (InputHash, String) = (row.get(0)?, row.get(2)?);
                if row.get::<_, i64>(3)? != rows::failure_sum(model, &input, row.get(1)?, &why) {
                    return Err(Error::Corrupt("a row does not match its checksum".to_owned()));
                }
                failed.insert(input);
            }
            Ok(failed)
        })
    }

    /// Forgets everything a model made.
    pub fn forget(&self, model: &str) -> Result<()> {
        self.with(Use::Write, |connection| {
            let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
            transaction.execute("DELETE FROM vectors WHERE model = ?1", [model])?;
            transaction.execute("DELETE FROM failures WHERE model = ?1", [model])?;
            Ok(transaction.commit()?)
        })
    }

    /// Forgets what became of all texts but these, and leaves no trace of it in the file.
    pub fn retain(&self, inputs: &HashSet<InputHash>) -> Result<()> {
        if !self.file.exists() {
            return Ok(());
        }
        let there = self.with(Use::Read, |connection| {
            let mut statement = connection.prepare("SELECT input FROM vectors UNION SELECT input FROM failures")?;
            let there = statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<Vec<InputHash>>>()?;
            Ok(there)
        })?;
        let others: Vec<InputHash> = there.into_iter().filter(|input| !inputs.contains(input)).collect();
        self.remove(&others)?;
        // Whoever was stopped before this did the first half of it.
        self.leave_no_trace()
    }

    /// Forgets what became of some texts, and leaves no trace of it in the file.
    pub fn remove(&self, inputs: &[InputHash]) -> Result<()> {
        if inputs.is_empty() || !self.file.exists() {
            return Ok(());
        }
        self.with(Use::Write, |connection| {
            connection.pragma_update(None, "secure_delete", true)?;
            let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
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
        self.with(Use::Write, |connection| {
            connection.execute_batch("VACUUM")?;
            if self.sums.checkpoint_all(connection)? {
                let why = "others are reading the vectors, so erased data cannot be overwritten yet";
                return Err(Error::Unavailable(why.to_owned()));
            }
            Ok(())
        })
    }
}

/// Vectors as bytes, one after the other.
pub(crate) fn encode(passages: &[Vec<f32>]) -> Vec<u8> {
    passages.iter().flatten().flat_map(|x| x.to_le_bytes()).collect()
}

/// Vectors of so many dimensions from their bytes.
pub(crate) fn decode(dimensions: i64, bytes: &[u8]) -> Vec<Vec<f32>> {
    let numbers: Vec<f32> = bytes.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
    match usize::try_from(dimensions) {
        Ok(dimensions @ 1..) => numbers.chunks_exact(dimensions).map(<[f32]>::to_vec).collect(),
        _ => Vec::new(),
    }
}
