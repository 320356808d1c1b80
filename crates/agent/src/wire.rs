//! The messages of the agent service as other programs send and expect them.

mod request;
mod response;
#[cfg(test)]
mod tests;

pub use request::{AgentRequest, AgentStep, HISTORY_MAX_ITEMS, Message, Past};
pub use response::{AgentError, AgentResponse, Happening, MessageType, Responses, Usage};
