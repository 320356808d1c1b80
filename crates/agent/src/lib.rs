//! An agent that remembers: a memory-aware loop of thought and action, its working memory, its tools.

mod agent;
mod extraction;
mod invocation;
mod journal;
mod learning;
mod placeholders;
mod toolbox;
mod unanswered;

pub mod ops;
pub mod protocol;
pub mod retrieval;
pub mod template;
pub mod tools;
pub mod usage;
pub mod wire;
pub mod working;

pub use agent::Agent;
pub use extraction::{ANSWERED, Source, from_answer};
pub use invocation::Asked;
pub use learning::learn;
pub use toolbox::{Hands, Observation, Toolbox};
