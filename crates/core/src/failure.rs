//! Failures: which events tell of one, and what went wrong in the words of their metadata.

use serde::Deserialize;
use serde_json::Value;

use crate::Event;
use crate::words::Status;

/// Words of a kind that tell of a failure where the event has no status.
const FAILING_WORDS: [&str; 7] = ["error", "failed", "failure", "crash", "crashed", "exception", "timeout"];
/// Longest text that is taken from one field: the beginning says what it was.
const SAID_MAX_CHARS: usize = 1000;

/// Where the words of errors stand in real logs.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Said {
    error: Option<Value>,
    error_message: Option<Value>,
    message: Option<Value>,
    exception: Option<Value>,
    reason: Option<Value>,
    errors: Option<Value>,
    stderr: Option<Value>,
}

/// Whether a kind tells of a failure by its last part: `error`, `job.failed`, `agent.error_encountered`.
pub fn is_failing_kind(kind: &str) -> bool {
    let last = kind.rsplit('.').next().unwrap_or(kind);
    last.split(['_', '-']).any(|word| FAILING_WORDS.contains(&word))
}

impl Event {
    /// Whether it tells of a failure: by its status, or by its kind where it has none.
    pub fn has_failed(&self) -> bool {
        match self.fields.as_ref().map(|fields| fields.status) {
            Some(Some(status)) => matches!(status, Status::Failure | Status::Timeout),
            Some(None) => is_failing_kind(&self.header.kind),
            None => false,
        }
    }

    /// What went wrong as its metadata says it; nothing unless it failed.
    pub(crate) fn errors_said(&self) -> Vec<String> {
        let metadata = self.fields.as_ref().and_then(|fields| fields.metadata.as_ref());
        let Some(metadata) = metadata.filter(|_| self.has_failed()) else { return Vec::new() };
        let said: Said = serde_json::from_str(metadata.get()).unwrap_or_default();
        let fields =
            [said.error, said.error_message, said.message, said.exception, said.reason, said.errors, said.stderr];
        let mut texts = Vec::new();
        for value in fields.iter().flatten() {
            // `{"error": {"message": …}}` is as usual as a plain text.
            match value {
                Value::Object(object) => texts.extend(object.get("message").and_then(Value::as_str)),
                Value::Array(values) => texts.extend(values.iter().filter_map(Value::as_str)),
                value => texts.extend(value.as_str()),
            }
        }
        let texts = texts.into_iter().map(|text| text.trim().chars().take(SAID_MAX_CHARS).collect::<String>());
        texts.filter(|text| !text.is_empty()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::is_failing_kind;

    #[test]
    fn a_kind_tells_of_a_failure_by_a_word_of_its_last_part() {
        for failing in ["error", "job.failed", "agent.error_encountered", "gateway.backend_failed", "ci.build-failure"]
        {
            assert!(is_failing_kind(failing), "{failing}");
        }
        for other in ["tool_result", "error.resolved", "agent.session_started", "app.terror", "failed.job"] {
            assert!(!is_failing_kind(other), "{other}");
        }
    }
}
