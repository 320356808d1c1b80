//! Operations that check a log and mend it.

pub mod repair;
pub mod verify;
