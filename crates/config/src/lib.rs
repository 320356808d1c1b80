//! The settings of a home: one commented file, one struct, one loader, and where each value came from. Pure.

mod agent;
mod config;
mod edit;
pub mod quota;
mod server;
mod webhook;

pub use agent::{AgentMem, LanguageModel};
pub use config::*;
pub use edit::with_log_url;
pub use server::Server;
pub use webhook::Webhook;
