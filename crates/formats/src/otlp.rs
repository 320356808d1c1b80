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

use std::collections::BTreeMap;

use idetic_core::Invalid;
use serde_json::Value;

mod attributes;
mod flat;
mod json;
mod mapping;
mod message;
mod protobuf;
mod record;
mod response;
mod text;
mod wire;

pub use mapping::events;
pub use record::{Incoming, Taken};
pub use response::{response_json, response_protobuf};

/// Most GenAI spans that are taken from one export.
pub const SPANS_MAX: usize = 10_000;
/// Most attributes of one span, span event or resource: messages that are flattened need many.
pub const ATTRIBUTES_MAX: usize = 4096;
/// Most events of one span.
pub const SPAN_EVENTS_MAX: usize = 1024;
/// Deepest nesting of one attribute's value, a plain value counting as one.
pub const VALUE_MAX_DEPTH: usize = 16;
/// Most entries of one list inside an attribute's value.
pub const VALUE_MAX_ITEMS: usize = 10_000;
/// Longest text of one attribute: it may hold a whole conversation, of which each message becomes an event.
pub const TEXT_MAX_BYTES: usize = 4 << 20;
/// Longest name of an attribute, a span or a span event.
pub const NAME_MAX_BYTES: usize = 1024;
/// Most messages in the history of one span.
pub const MESSAGES_MAX: usize = 4096;

/// The GenAI spans of one export request, and how many of its spans are not among them.
#[derive(Debug, Clone, Default)]
pub struct Export {
    spans: Vec<Span>,
    /// Spans that tell of no model, tool or agent: they are fine, and not for this memory.
    pub ignored: u64,
    /// Spans that are broken or above a limit.
    pub rejected: u64,
    /// Why the first of them was.
    reason: Option<String>,
}

/// One span that tells of a model, a tool or an agent.
#[derive(Debug, Clone, Default)]
struct Span {
    trace_id: String,
    span_id: String,
    parent_id: Option<String>,
    kind: u64,
    start_nanos: u64,
    end_nanos: u64,
    attributes: Attributes,
    events: Vec<SpanEvent>,
    failed: bool,
    status_message: String,
    service: Option<String>,
}

/// Something that happened within a span.
#[derive(Debug, Clone)]
struct SpanEvent {
    nanos: u64,
    name: String,
    attributes: Attributes,
}

/// Attributes by name; of a name that stands twice the last counts.
type Attributes = BTreeMap<String, Value>;

/// The number that says in a span's status that it failed.
const STATUS_ERROR: u64 = 2;

/// Reads an `ExportTraceServiceRequest` as OTLP writes it in JSON.
pub fn read_json(bytes: &[u8]) -> Result<Export, Invalid> {
    json::read(bytes)
}

/// Reads an `ExportTraceServiceRequest` in protobuf.
pub fn read_protobuf(bytes: &[u8]) -> Result<Export, Invalid> {
    protobuf::read(bytes)
}

impl Export {
    /// Takes in what became of one span.
    fn take(&mut self, mut span: Result<Span, String>) {
        span.iter_mut().for_each(Span::gather);
        match span {
            Ok(span) if !span.is_genai() => self.ignored += 1,
            Ok(_) if self.spans.len() >= SPANS_MAX => {
                self.reject(format!("more than {SPANS_MAX} GenAI spans in one export; send fewer at once"));
            }
            Ok(span) => self.spans.push(span),
            Err(reason) => self.reject(reason),
        }
    }

    fn reject(&mut self, reason: String) {
        self.rejected += 1;
        self.reason.get_or_insert(reason);
    }
}

/// Refuses a text that is too long for its place.
fn check_text(what: &str, text: &str, limit_bytes: usize) -> Result<(), String> {
    let size = text.len();
    if size > limit_bytes { Err(format!("{what} is {size} bytes long; at most {limit_bytes}")) } else { Ok(()) }
}

/// Refuses a list that is too long for its place.
fn check_count(what: &str, count: usize, limit: usize) -> Result<(), String> {
    if count > limit { Err(format!("{count} {what}; at most {limit}")) } else { Ok(()) }
}

/// Refuses a value inside too many others.
fn check_depth(depth: usize) -> Result<(), String> {
    if depth > VALUE_MAX_DEPTH {
        return Err(format!("an attribute is nested more than {VALUE_MAX_DEPTH} deep"));
    }
    Ok(())
}

/// The hex of an id of `N` bytes. An id of zeros only is none.
fn id<const N: usize>(what: &str, bytes: &[u8]) -> Result<String, String> {
    if bytes.len() != N || bytes.iter().all(|b| *b == 0) {
        return Err(format!("{what} is not an id of {N} bytes that are not all zero"));
    }
    Ok(idetic_core::hash::hex(bytes))
}
