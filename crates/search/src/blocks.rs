//! The forms of the blocks that are written.

use super::{codes, segment};

/// Files with blocks of another form are made anew.
pub const BLOCK_FORMATS: [&str; 2] = [segment::FORMAT, codes::FORMAT];
