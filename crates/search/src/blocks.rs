//! The forms of the blocks that are written.

use super::{codes, segment};

/// Files with blocks of another form are rebuilt.
pub const BLOCK_FORMATS: [&str; 2] = [segment::FORMAT, codes::FORMAT];
