//! The memory over the network. Every operation of the table is a route and can be a tool; the caller shows a key and
//! gets what the key allows. No operation is written here: this crate decides who may ask what, and carries answers.

mod background;
mod budget;
mod concurrency;
mod connections;
mod cursor;
mod hints;
mod http;
mod mcp;
mod metrics;
mod oauth;
mod openapi;
mod principal;
mod rate;
mod serve;
mod service;
mod traceparent;
mod turn;
mod upkeep;
mod webhooks;
mod write_timeout;

pub use mcp::{Profile, brief, over_pipe, over_stdio};
pub use principal::Principal;
pub use serve::{Listening, run, serve};
pub use service::{OperationCall, Refusal, Service, Settings};
