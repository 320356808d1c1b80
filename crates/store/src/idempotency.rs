//! Calls that have a name: what became of each, kept for a day, so that one made again is not carried out again, whichever
//! server of the memory it reaches.

mod local;

use std::path::Path;
use std::sync::Arc;

use crate::pg_log::{Call, SharedCalls};
use crate::{Logs, Result};
use local::LocalCalls;

/// How long an answer is kept.
pub(crate) const KEPT_MICROS: i64 = 24 * 3600 * 1_000_000;
/// Most calls that are kept, and most bytes of their answers; the oldest that are over go first. In a database they count for
/// each space.
pub(crate) const CALLS_MAX: u64 = 10_000;
pub(crate) const BYTES_MAX: u64 = 64 << 20;
/// The same for one caller, so that nobody pushes out what the others have.
pub(crate) const CALLER_CALLS_MAX: u64 = 2_500;
pub(crate) const CALLER_BYTES_MAX: u64 = 16 << 20;
/// A longer answer is not kept: that the call was carried out is.
pub(crate) const ANSWER_MAX_BYTES: usize = 4 << 20;

/// The states of a call, as they are kept.
pub(crate) const BEGUN: u8 = 0;
pub(crate) const ANSWERED: u8 = 1;
pub(crate) const DONE: u8 = 2;

/// A call that has a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedCall {
    /// The space it is about.
    pub space: String,
    /// Its name, as a hash of everything that makes it this call's: who calls what under which key.
    pub name: [u8; 32],
    /// Who calls, as a hash.
    pub caller: [u8; 32],
    /// What is asked, as a hash: under one name it is the same each time.
    pub asked: [u8; 32],
}

/// How often something was erased in the space, whenever it is asked.
pub type Erasures = Arc<dyn Fn() -> u64 + Send + Sync>;

/// How a call begins.
#[derive(Clone)]
pub struct Beginning {
    /// The call.
    pub call: NamedCall,
    /// The time.
    pub now_micros: i64,
    /// The head of the space's log.
    pub head: u64,
    /// Whether carrying it out twice comes to the same as once.
    pub is_repeatable: bool,
    /// Whether it changes nothing but the space's log: where that is as it was, nothing was carried out.
    pub writes_log_only: bool,
    /// How often something was erased.
    pub erasures: Erasures,
}

/// What is known of a call that is to begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Known {
    /// It is to be carried out now; whoever was told this ends it.
    New,
    /// Somebody carries it out.
    Begun,
    /// Something else was asked under that name.
    Other,
    /// It was answered so.
    Answered(u16, Vec<u8>),
    /// It was carried out, and its answer is not kept: too long, or something was erased since.
    Done,
    /// Whoever began it is gone, and nobody can tell whether it was carried out.
    Lost,
}

/// A call that was begun: what tells it from one of the same name that somebody else has begun since.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn(Option<Call>);

impl Turn {
    /// Does the work of the call. Where another machine has taken it over meanwhile, because this one was not heard of, what
    /// the work appends is refused.
    pub fn carry_out<T>(&self, work: impl FnOnce() -> T) -> T {
        Call::within(self.0.clone(), work)
    }
}

/// The named calls of a home, or of all machines that share its logs.
pub struct Idempotency(Kept);

enum Kept {
    Here(LocalCalls),
    Shared(SharedCalls),
}

impl Idempotency {
    /// Those of a home whose logs are kept so; nothing is made before the first is begun. `new_name` gives a name that nobody
    /// else has.
    pub fn of(home: &Path, logs: &Logs, new_name: impl Fn() -> String + Send + Sync + 'static) -> Self {
        Self(match logs.shared_database() {
            Some(database) => Kept::Shared(SharedCalls::of(database, new_name)),
            None => Kept::Here(LocalCalls::of(home, new_name)),
        })
    }

    /// Begins a call, unless it was begun before. What it is begun with is needed to do its work and to end it.
    pub fn begin(&self, beginning: Beginning) -> Result<(Known, Turn)> {
        match &self.0 {
            Kept::Here(calls) => Ok((calls.begin(beginning)?, Turn(None))),
            Kept::Shared(calls) => calls.begin(&beginning).map(|(known, call)| (known, Turn(call))),
        }
    }

    /// Ends a call that was begun here, with its answer, or without where it may be tried again. When this returns it is on
    /// disk.
    pub fn end(&self, call: NamedCall, turn: &Turn, answer: Option<(u16, Vec<u8>)>, erasures: Erasures) -> Result<()> {
        match (&self.0, &turn.0) {
            (Kept::Here(calls), _) => calls.end(call, answer, erasures),
            (Kept::Shared(calls), Some(open)) => calls.end(open, answer),
            (Kept::Shared(_), None) => Ok(()),
        }
    }

    /// Forgets what the calls about a space asked and were answered, those that are kept in this home; that they were carried
    /// out stays. When this returns nothing of it is on disk. In a database the erasure itself does it.
    pub fn forget(home: &Path, space: &str) -> Result<()> {
        LocalCalls::forget(home, space)
    }
}
