//! What can go wrong below an operation, as values.

use std::fmt;
use std::io;
use std::path::PathBuf;

use idetic_core::Invalid;
use idetic_core::chain::Fault;
use rusqlite::ErrorCode;

/// Extended codes of SQLite for a flush that failed.
const FLUSH_FAILED: [i32; 2] = [rusqlite::ffi::SQLITE_IOERR_FSYNC, rusqlite::ffi::SQLITE_IOERR_DIR_FSYNC];

/// The result of everything in this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Why something could not be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// Somebody else was first.
    Conflict(Conflict),
    /// An event is missing or is not what was written.
    Damaged {
        /// The first event concerned.
        seq: u64,
        /// What is wrong with it.
        fault: Fault,
    },
    /// The log ends before a position that was reached.
    Shortened {
        /// The last event there is.
        have: u64,
        /// The last event there was.
        had: u64,
    },
    /// The log holds another event than it did.
    Replaced {
        /// Where it differs.
        seq: u64,
    },
    /// A database file cannot be read.
    Corrupt(String),
    /// The kept vectors cannot be read.
    VectorsDamaged(String),
    /// A flush to disk failed in this process: what it wrote may be lost, so it writes no more.
    Poisoned,
    /// A file of the log was removed or replaced while it was open: what would be written to it nobody would find.
    Exchanged {
        /// Which file.
        file: PathBuf,
    },
    /// The log was moved to another place.
    Elsewhere {
        /// Which place.
        place: String,
    },
    /// Locking a file keeps nobody out here.
    LocksDoNothing(PathBuf),
    /// There is no room on the disk.
    DiskFull,
    /// The disk, a lock or a file did not do what was asked.
    Unavailable(String),
    /// The database server that holds the log is away, or did not do what was asked.
    Database(String),
    /// What was asked for makes no sense.
    Invalid(Invalid),
}

/// A refusal because the log is not as the caller saw it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Conflict {
    /// The head is not where the caller expected it.
    Moved {
        /// Where the caller expected it.
        expected: u64,
        /// Where it is.
        head: u64,
    },
    /// The id belongs to an event that says something else.
    IdTaken {
        /// The caller's id.
        id: String,
        /// The event that has it.
        seq: u64,
    },
    /// There is another log where one is to be moved.
    Occupied {
        /// In which folder.
        folder: PathBuf,
    },
    /// The events to take in are not the ones that are here.
    Diverged {
        /// Where they differ.
        seq: u64,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Conflict(conflict) => write!(f, "{conflict}"),
            Self::Damaged { seq, fault } => write!(f, "event {seq} is damaged: {fault}"),
            Self::Shortened { have, had } => {
                write!(f, "the log was shortened: events {} to {had} are missing, it ends at {have}", have + 1)
            }
            Self::Replaced { seq } => write!(f, "the log was replaced: event {seq} is not the one that was there"),
            Self::Corrupt(what) => write!(f, "a database file is damaged: {what}"),
            Self::VectorsDamaged(what) => write!(f, "vectors.db is damaged: {what}"),
            Self::Poisoned => f.write_str("a flush to disk failed: this process no longer writes"),
            Self::Exchanged { file } => write!(
                f,
                "{} was removed or replaced while it was open: nothing was appended, and nothing more will be",
                file.display()
            ),
            Self::Elsewhere { place } => write!(f, "the log of this space was moved to {place}"),
            Self::LocksDoNothing(file) => {
                write!(f, "file locks do not work here: {} was locked twice at once", file.display())
            }
            Self::DiskFull => f.write_str("the disk is full"),
            Self::Unavailable(what) | Self::Database(what) => f.write_str(what),
            Self::Invalid(invalid) => write!(f, "{invalid}"),
        }
    }
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Moved { expected, head } => write!(f, "the head was expected at {expected} and is at {head}"),
            Self::IdTaken { id, seq } => {
                write!(f, "id '{id}' belongs to event {seq}, which has other content or was erased")
            }
            Self::Occupied { folder } => write!(f, "{} holds a log of its own", folder.display()),
            Self::Diverged { seq } => write!(f, "event {seq} is here with other content: this is another chain"),
        }
    }
}

impl std::error::Error for Error {}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        let extended = error.sqlite_error().map(|e| e.extended_code);
        if extended.is_some_and(|code| FLUSH_FAILED.contains(&code)) {
            return Self::Poisoned;
        }
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Corrupt(error.to_string()),
            Some(ErrorCode::DiskFull) => Self::DiskFull,
            Some(_) => Self::Unavailable(format!("database error: {error}")),
            // A column of another type than was written, text that is not UTF-8: the file is not what we wrote.
            None => Self::Corrupt(error.to_string()),
        }
    }
}

impl Error {
    /// An I/O error, with what was being done.
    pub fn io(doing: impl fmt::Display) -> impl FnOnce(io::Error) -> Self {
        move |error| Self::Unavailable(format!("{doing}: {error}"))
    }
}

impl From<Invalid> for Error {
    fn from(invalid: Invalid) -> Self {
        Self::Invalid(invalid)
    }
}
