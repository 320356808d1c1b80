//! An export as it was read: its spans, their limits, and how many are not among them.

use std::collections::BTreeMap;

use serde_json::Value;

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
    pub(crate) spans: Vec<Span>,
    /// Spans that tell of no model, tool or agent: they are fine, and not for this memory.
    pub ignored: u64,
    /// Spans that are broken or above a limit.
    pub rejected: u64,
    /// Why the first of them was.
    pub(crate) reason: Option<String>,
}

/// One span that tells of a model, a tool or an agent.
#[derive(Debug, Clone, Default)]
pub(crate) struct Span {
    pub(crate) trace_id: String,
    pub(crate) span_id: String,
    pub(crate) parent_id: Option<String>,
    pub(crate) kind: u64,
    pub(crate) start_nanos: u64,
    pub(crate) end_nanos: u64,
    pub(crate) attributes: Attributes,
    pub(crate) events: Vec<SpanEvent>,
    pub(crate) failed: bool,
    pub(crate) status_message: String,
    pub(crate) service: Option<String>,
}

/// Something that happened within a span.
#[derive(Debug, Clone)]
pub(crate) struct SpanEvent {
    pub(crate) nanos: u64,
    pub(crate) name: String,
    pub(crate) attributes: Attributes,
}

/// Attributes by name; of a name that stands twice the last counts.
pub(crate) type Attributes = BTreeMap<String, Value>;

/// The number that says in a span's status that it failed.
pub(crate) const STATUS_ERROR: u64 = 2;

impl Export {
    /// Takes in what became of one span.
    pub(crate) fn take(&mut self, mut span: Result<Span, String>) {
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

    pub(crate) fn reject(&mut self, reason: String) {
        self.rejected += 1;
        self.reason.get_or_insert(reason);
    }
}

/// Refuses a text that is too long for its place.
pub(crate) fn check_text(what: &str, text: &str, limit_bytes: usize) -> Result<(), String> {
    let size = text.len();
    if size > limit_bytes { Err(format!("{what} is {size} bytes long; at most {limit_bytes}")) } else { Ok(()) }
}

/// Refuses a list that is too long for its place.
pub(crate) fn check_count(what: &str, count: usize, limit: usize) -> Result<(), String> {
    if count > limit { Err(format!("{count} {what}; at most {limit}")) } else { Ok(()) }
}

/// Refuses a value inside too many others.
pub(crate) fn check_depth(depth: usize) -> Result<(), String> {
    if depth > VALUE_MAX_DEPTH {
        return Err(format!("an attribute is nested more than {VALUE_MAX_DEPTH} deep"));
    }
    Ok(())
}

/// The hex of an id of `N` bytes. An id of zeros only is none.
pub(crate) fn id<const N: usize>(what: &str, bytes: &[u8]) -> Result<String, String> {
    if bytes.len() != N || bytes.iter().all(|b| *b == 0) {
        return Err(format!("{what} is not an id of {N} bytes that are not all zero"));
    }
    Ok(idetic_core::hash::hex(bytes))
}
