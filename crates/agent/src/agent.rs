//! An agent: the memory it lives in, what it thinks with, and whose word it is held to.

use std::sync::Arc;

use idetic_ops::core::SpaceName;
use idetic_ops::model::Chat;
use idetic_ops::{Grant, Memory, Models};

/// An agent with a memory.
pub struct Agent<'a> {
    /// The memory it lives in.
    pub memory: Arc<Memory>,
    /// The space whose memory it uses.
    pub space: SpaceName,
    /// The agent's name; without one it uses what the space shares.
    pub agent: Option<String>,
    /// What turns texts into vectors.
    pub models: Models,
    /// What it thinks with.
    pub chat: Arc<dyn Chat>,
    /// What a variable of the environment holds, for the keys of tools.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
    /// What the caller is held to.
    pub grant: Grant,
}
