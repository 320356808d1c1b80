//! One error for everything an operation can answer.

mod error;

pub use error::{Cause, Error, Kind, Result};
