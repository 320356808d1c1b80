//! The trace id of a W3C `traceparent`, which becomes the workflow of what is written.

/// The workflow a request is part of.
#[derive(Debug, Clone, Default)]
pub struct TraceId(pub Option<String>);

/// The id, if there is one.
pub fn trace_id(traceparent: &str) -> Option<String> {
    let id = traceparent.split('-').nth(1).filter(|id| id.len() == 32 && id.bytes().all(|b| b.is_ascii_hexdigit()))?;
    id.bytes().any(|b| b != b'0').then(|| id.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::trace_id;

    #[test]
    fn what_is_no_id_is_none() {
        let id = "0af7651916cd43dd8448eb211c80319c";
        assert_eq!(trace_id(&format!("00-{}-00f067aa0ba902b7-01", id.to_uppercase())).as_deref(), Some(id));
        for wrong in ["", "00", "00-abc-1-01", "00-00000000000000000000000000000000-00f067aa0ba902b7-01"] {
            assert_eq!(trace_id(wrong), None, "{wrong}");
        }
    }
}
