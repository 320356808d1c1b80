//! Calls that have a name: what became of each, kept for a day, so that one made again is not carried out again, whichever
//! server of the memory it reaches.

mod local;

use std::path::Path;

use crate::named_call::{Beginning, Erasures, Known, NamedCall};
use crate::pg_log::{Call, SharedCalls};
use crate::{Logs, Result};
use local::LocalCalls;

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
    Here(Box<LocalCalls>),
    Shared(SharedCalls),
}

impl Idempotency {
    /// Those of a home whose logs are kept so; nothing is made before the first is begun. `new_name` gives a name that nobody
    /// else has.
    pub fn of(home: &Path, logs: &Logs, new_name: impl Fn() -> String + Send + Sync + 'static) -> Self {
        Self(match logs.shared_database() {
            Some(database) => Kept::Shared(SharedCalls::of(database, new_name)),
            None => Kept::Here(Box::new(LocalCalls::of(home, new_name))),
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
