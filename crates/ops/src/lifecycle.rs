//! Operations on what is old, unwanted or suspect: retention, purge, quarantine.

pub mod purge;
pub mod quarantine;
pub mod retain;
