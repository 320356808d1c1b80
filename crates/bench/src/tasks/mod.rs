//! The work itself, as it runs in a measuring child.

pub mod append;
pub mod ask;
pub mod copy;
pub mod fill;
pub mod flush;
pub mod home;
pub mod ingest;
pub mod open;
pub mod read;
pub mod views;
