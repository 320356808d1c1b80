//! One error for everything an operation can answer: what kind, what happened, what to do.

use std::fmt;

use idetic_core::Invalid;
use idetic_store::Conflict;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

/// The result of an operation.
pub type Result<T> = std::result::Result<T, Error>;

/// What kind of failure: it decides the exit code and the status of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A check was made and failed.
    CheckFailed,
    /// The input is wrong.
    Invalid,
    /// There is no such thing.
    NotFound,
    /// Somebody else was first.
    Conflict,
    /// The disk, a lock or a file is not to be had.
    Unavailable,
}

/// An operation that was not carried out.
#[derive(Debug, Clone)]
pub struct Error {
    /// What kind.
    pub kind: Kind,
    /// What happened, in one line.
    pub message: String,
    /// What to do, in one line; may be empty.
    pub hint: String,
    /// The argument that is wrong, by its path.
    pub argument: Option<String>,
    /// What lies behind it, for whoever can do something about that.
    pub cause: Cause,
}

/// What lies behind an error.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Cause {
    /// Nothing that anybody could act on.
    #[default]
    Other,
    /// The log is not as the caller saw it.
    Conflict(Conflict),
    /// An event is damaged, or the log as a whole.
    Damaged,
    /// A file cannot be read, which is no loss where it is derived.
    Corrupt,
    /// There is no such space yet.
    NewSpace,
    /// The log was moved to another place.
    Elsewhere,
    /// A quota is used up; the message says how much there is.
    OverQuota,
    /// What was to be appended is on disk nevertheless; what went wrong came after.
    Appended(Box<Cause>),
}

impl Error {
    /// An error of a kind.
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), hint: String::new(), argument: None, cause: Cause::Other }
    }

    /// Wrong input.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(Kind::Invalid, message)
    }

    /// A missing thing.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(Kind::NotFound, message)
    }

    /// Something that cannot be had now.
    pub fn unavailable(message: impl Into<String>) -> Self {
        Self::new(Kind::Unavailable, message)
    }

    /// Adds what to do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = hint.into();
        self
    }

    /// The conflict, where it is one.
    pub fn conflict(&self) -> Option<&Conflict> {
        match &self.cause {
            Cause::Conflict(conflict) => Some(conflict),
            _ => None,
        }
    }

    /// The same where what was to be appended is on disk: what went wrong came after.
    #[must_use]
    pub fn after_append(self) -> Self {
        Self { cause: Cause::Appended(Box::new(self.cause)), ..self }
    }

    /// The same for one side of an agent: which event of the whole space is damaged is not for it to know.
    #[must_use]
    pub fn for_view(self) -> Self {
        let (cause, is_appended) = match &self.cause {
            Cause::Appended(cause) => (&**cause, true),
            cause => (cause, false),
        };
        if !matches!(cause, Cause::Damaged | Cause::Corrupt) {
            return self;
        }
        let hint = "its owner can find it with `idetic verify`";
        let told = Self::new(self.kind, "something in this space is damaged").hint(hint);
        if is_appended { told.after_append() } else { told }
    }

    /// Says where it happened.
    #[must_use]
    pub fn at(mut self, place: impl fmt::Display) -> Self {
        self.message = format!("{place}: {}", self.message);
        self
    }

    /// An I/O error, with what was being done.
    pub fn io(doing: impl fmt::Display) -> impl FnOnce(std::io::Error) -> Self {
        move |error| {
            let (kind, hint) = match error.kind() {
                std::io::ErrorKind::NotFound => (Kind::NotFound, "check the path"),
                _ => (Kind::Unavailable, "check the path, its permissions and the disk"),
            };
            Self::new(kind, format!("{doing}: {error}")).hint(hint)
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl From<Invalid> for Error {
    fn from(invalid: Invalid) -> Self {
        Self::invalid(invalid.message).hint(invalid.hint)
    }
}

impl From<idetic_store::Error> for Error {
    fn from(error: idetic_store::Error) -> Self {
        use idetic_store::Error as E;
        let message = error.to_string();
        match error {
            E::Invalid(invalid) => invalid.into(),
            E::Conflict(conflict) => {
                let hint = match conflict {
                    Conflict::Moved { .. } => "read what was added, then try again with the new head",
                    Conflict::IdTaken { .. } => "an id always names one event: use another id, or leave it out",
                    Conflict::Occupied { .. } => {
                        "it is no copy that `idetic move` made: keep that folder elsewhere, then try again"
                    }
                    Conflict::Diverged { .. } => "import into an empty space, e.g. --space local/imported",
                };
                Self { cause: Cause::Conflict(conflict), ..Self::new(Kind::Conflict, message).hint(hint) }
            }
            E::Shortened { .. } | E::Replaced { .. } => {
                let hint = "restore a backup with `idetic restore FILE`, or keep what is left with `idetic repair \
                            --accept-loss`; then restart servers that use it";
                Self { cause: Cause::Damaged, ..Self::new(Kind::CheckFailed, message).hint(hint) }
            }
            E::Damaged { .. } | E::Corrupt(_) => {
                let cause = if matches!(error, E::Corrupt(_)) { Cause::Corrupt } else { Cause::Damaged };
                let hint = "`idetic verify` says what is damaged; restore a backup with `idetic restore FILE`";
                Self { cause, ..Self::new(Kind::CheckFailed, message).hint(hint) }
            }
            E::VectorsDamaged(_) => Self::new(Kind::CheckFailed, message)
                .hint("`idetic reembed --afresh` discards them and embeds the texts again"),
            E::Poisoned => Self::unavailable(message)
                .hint("check the disk, then start the program again: it recovers what it can read"),
            E::Exchanged { .. } => Self::unavailable(message)
                .hint("put the log's files back or restore a backup, then try again: the log is then reopened"),
            E::Elsewhere { .. } => {
                let hint = "restart the program, so that it reads log.url in config.toml again; a move that was stopped is \
                            finished by the same `idetic move`";
                Self { cause: Cause::Elsewhere, ..Self::unavailable(message).hint(hint) }
            }
            E::LocksDoNothing(_) => Self::unavailable(message)
                .hint("keep the home on a local disk: processes that share it would overwrite each other's events"),
            E::DiskFull => {
                Self::unavailable(message).hint("free some space and try again: what was acknowledged is safe")
            }
            E::Database(_) => Self::unavailable(message).hint("check the database server and log.url in config.toml"),
            E::Unavailable(_) => {
                Self::unavailable(message).hint("check the disk and the permissions of the home folder")
            }
        }
    }
}

impl Serialize for Error {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("kind", &self.kind)?;
        // The name that specification 002 has for it.
        map.serialize_entry("type", &self.kind)?;
        // The name that clients look for first.
        map.serialize_entry("code", &self.kind)?;
        map.serialize_entry("message", &self.message)?;
        map.serialize_entry("hint", &self.hint)?;
        if let Some(argument) = &self.argument {
            map.serialize_entry("argument", argument)?;
        }
        match self.conflict() {
            Some(Conflict::Moved { expected, head }) => {
                map.serialize_entry("expected", expected)?;
                map.serialize_entry("head", head)?;
            }
            Some(Conflict::IdTaken { id, seq }) => {
                map.serialize_entry("id", id)?;
                map.serialize_entry("seq", seq)?;
            }
            Some(Conflict::Diverged { seq }) => map.serialize_entry("seq", seq)?,
            Some(Conflict::Occupied { .. }) | None => {}
        }
        map.end()
    }
}
