//! A call that has a name: how it begins, what may be known of it, and the limits on what is kept.

use std::sync::Arc;

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
