//! OpenTelemetry traces (OTLP) of an agent: its GenAI spans become events, JSON and protobuf alike, the same each time.
//!
//! Every id is the hash of all that its event says, so the same id is the same event: what is sent again adds nothing
//! and never conflicts. A chat span carries the whole history of its conversation. Only what is new in it is taken: the
//! messages behind the model's last answer, at the time the span starts. The answers before it were outputs of earlier
//! spans. A system prompt is said in every span and belongs to none, so its event has neither time nor trace and is
//! stored once for each agent.
//!
//! Within one export a message that several spans report (a call that is tried again, a tool's result that its own span
//! and the next chat span both have) is one event, that of the earliest. Nothing is known here of earlier exports: a
//! message that two different spans in two exports report as new is two events, each with its own time.

mod attributes;
mod export;
mod flat;
mod json;
mod mapping;
mod message;
mod protobuf;
mod record;
mod response;
mod text;
mod wire;

pub use export::{
    ATTRIBUTES_MAX, Export, MESSAGES_MAX, NAME_MAX_BYTES, SPAN_EVENTS_MAX, SPANS_MAX, TEXT_MAX_BYTES, VALUE_MAX_DEPTH,
    VALUE_MAX_ITEMS,
};
pub use json::read_json;
pub use mapping::events;
pub use protobuf::read_protobuf;
pub use record::{Incoming, Taken};
pub use response::{response_json, response_protobuf};
