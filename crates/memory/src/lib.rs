//! Idetic as a library: a `Memory` holds spaces, a `Space` is one log and its views, and every operation is a row of a
//! table that the command line and the servers walk.

mod accept;
mod as_of;
pub mod config;
mod error;
mod lines;
mod memory;
mod operation;
mod reply;
mod space;

pub mod ops;

pub use config::{Config, Setting};
pub use error::{Error, Kind, Result};
pub use idetic_core as core;
pub use idetic_store::Sources;
pub use memory::{Home, Memory};
pub use operation::{Context, Face, Operation, Reader, Rights};
pub use reply::*;
pub use space::Space;
