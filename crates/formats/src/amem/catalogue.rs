//! The document's catalogue of event types: which statuses and which metadata each has.

use idetic_core::words::Status::{self, Failure, Success};

/// What the document says of one type of event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DocumentedType {
    /// Its name.
    pub event_type: &'static str,
    /// The statuses it may have.
    pub statuses: &'static [Status],
    /// The keys its metadata should have.
    pub metadata: &'static [&'static str],
    /// What it records.
    pub meaning: &'static str,
}

/// How an event differs from what the catalogue says of its type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Warning {
    /// A key that the metadata of this type should have.
    MissingMetadata(&'static str),
    /// A status that this type should not have; and those it may.
    Status(Status, &'static [Status]),
}

impl std::fmt::Display for Warning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::MissingMetadata(key) => write!(f, "metadata.{key} is missing"),
            Self::Status(status, allowed) => {
                let words: Vec<&str> = allowed.iter().map(|s| s.word()).collect();
                write!(f, "status is {}, and should be {}", status.word(), words.join(" or "))
            }
        }
    }
}

const OK: &[Status] = &[Success];
const EITHER: &[Status] = &[Success, Failure];
const FAILED: &[Status] = &[Failure];

const fn entry(
    event_type: &'static str,
    statuses: &'static [Status],
    metadata: &'static [&'static str],
    meaning: &'static str,
) -> DocumentedType {
    DocumentedType { event_type, statuses, metadata, meaning }
}

/// The table of section 3.2, in its order.
pub const CATALOGUE: [DocumentedType; 14] = [
    entry("gateway.started", OK, &["port", "version"], "the gateway began to serve"),
    entry("gateway.stopped", OK, &["uptime_seconds"], "the gateway ceased to serve"),
    entry(
        "gateway.tool_call",
        EITHER,
        &["tool_name", "backend", "duration_ms"],
        "a tool call was passed to its backend",
    ),
    entry("gateway.backend_registered", OK, &["backend", "version"], "a backend made itself known"),
    entry("gateway.backend_started", EITHER, &["backend", "startup_time_ms"], "a backend's process was begun"),
    entry("gateway.backend_failed", FAILED, &["backend", "error", "stderr"], "a backend did not come up or broke down"),
    entry("backend.tool_executed", EITHER, &["tool_name", "duration_ms", "result"], "a backend ran a tool"),
    entry("backend.content_generated", EITHER, &["template", "tokens", "duration_ms"], "content was made"),
    entry(
        "backend.artifact_assembled",
        EITHER,
        &["artifact_type", "size_bytes", "duration_ms"],
        "an artifact was put together",
    ),
    entry("backend.validation_completed", EITHER, &["validator", "passed", "errors"], "something was validated"),
    entry("agent.session_started", OK, &["agent_name", "agent_version"], "an agent began a session"),
    entry(
        "agent.session_ended",
        OK,
        &["agent_name", "duration_minutes", "operations_count"],
        "an agent ended a session",
    ),
    entry(
        "agent.error_encountered",
        FAILED,
        &["error_type", "error_message", "recovery_action"],
        "an agent met an error",
    ),
    entry("agent.knowledge_learned", OK, &["note_id", "confidence", "tags"], "an agent wrote a note"),
];

/// What the catalogue says of a type; `None` for types of one's own.
pub fn find(event_type: &str) -> Option<&'static DocumentedType> {
    CATALOGUE.iter().find(|entry| entry.event_type == event_type)
}

/// How an event differs from the catalogue. A type that is not in it is anyone's own, and never wrong.
pub fn check(event_type: &str, status: Option<Status>, metadata_keys: &[&str]) -> Vec<Warning> {
    let Some(entry) = find(event_type) else { return Vec::new() };
    let missing = entry.metadata.iter().filter(|key| !metadata_keys.contains(key));
    let mut warnings: Vec<Warning> = missing.map(|key| Warning::MissingMetadata(key)).collect();
    if let Some(status) = status.filter(|s| !entry.statuses.contains(s)) {
        warnings.push(Warning::Status(status, entry.statuses));
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_table_asks_for_is_missed_and_nothing_else() {
        assert_eq!(check("gateway.tool_call", Some(Failure), &["tool_name", "backend", "duration_ms", "extra"]), []);
        let warnings = check("gateway.backend_failed", Some(Success), &["backend"]);
        let said: Vec<String> = warnings.iter().map(Warning::to_string).collect();
        assert_eq!(
            said,
            ["metadata.error is missing", "metadata.stderr is missing", "status is success, and should be failure"]
        );
        assert_eq!(check("app.anything", Some(Status::Timeout), &[]), []);
        assert_eq!(check("agent.session_started", None, &["agent_name", "agent_version"]), []);
    }

    #[test]
    fn every_type_of_the_table_is_a_kind_of_ours() {
        for entry in CATALOGUE {
            assert!(idetic_core::kind::parse(entry.event_type).is_ok());
            assert_eq!(find(entry.event_type), Some(&entry));
        }
    }
}
