//! Operations on what is old, unwanted or suspect: retention, forgetting, purge, quarantine.

pub mod forget;
pub mod purge;
pub mod quarantine;
pub mod retain;
