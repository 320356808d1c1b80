//! Why the bytes of a model were refused.

use std::fmt;

/// The bytes are not a model this program can run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelError {
    /// They do not begin as an asset does.
    NotAnAsset,
    /// They were written for another version of this program.
    Version {
        /// The version they have.
        found: u32,
        /// The version that can be read.
        wanted: u32,
    },
    /// A part is missing or has the wrong size.
    Damaged(&'static str),
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAnAsset => f.write_str("these bytes are not a model"),
            Self::Version { found, wanted } => {
                write!(f, "the model has format version {found}, but this program reads version {wanted}")
            }
            Self::Damaged(part) => write!(f, "the model is damaged: {part}"),
        }
    }
}

impl std::error::Error for ModelError {}
