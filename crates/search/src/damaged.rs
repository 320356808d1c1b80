//! A block of the index that is not what was written.

use std::fmt;

/// A block is not what was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Damaged;

impl fmt::Display for Damaged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a block of the index is damaged")
    }
}

impl std::error::Error for Damaged {}
