//! Operations that check a log and repair it.

pub mod repair;
pub mod verify;
