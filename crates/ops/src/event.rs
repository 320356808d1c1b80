//! Operations on single events: writing, reading, listing, tracing them.

pub mod append;
pub mod get;
pub mod history;
pub mod log;
pub mod loops;
pub mod remember;
pub mod trace;
pub mod update;
