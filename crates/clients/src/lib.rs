//! The configuration files of coding agents, edited in place, what their hooks say and what their transcripts tell; and what
//! other memory programs keep: as pure functions over texts.
//!
//! Whatever is not ours in such a file stays byte for byte: comments, commas, tabs, line endings, the order of things.
//! `table` says where each client keeps what; `content` puts it in and takes it out again.

pub mod block;
pub mod content;
pub mod diff;
pub mod jsonc;
pub mod memories;
pub mod message;
pub mod table;
pub mod toml_text;
pub mod transcripts;

mod fault;

pub use content::{Content, Start, plan};
pub use fault::Fault;
pub use message::{Happened, Message};
pub use table::{CLIENTS, Client, Scope};
