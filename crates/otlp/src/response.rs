//! What an exporter is answered: nothing when all was taken, else how many spans were not, and why.

use serde_json::json;

use crate::wire::{put_bytes, put_varint};

/// An `ExportTraceServiceResponse` in JSON.
pub fn response_json(rejected: u64, message: &str) -> String {
    if rejected == 0 && message.is_empty() {
        return "{}".to_owned();
    }
    // A number of 64 bits is a text in JSON.
    json!({"partialSuccess": {"rejectedSpans": rejected.to_string(), "errorMessage": message}}).to_string()
}

/// An `ExportTraceServiceResponse` in protobuf.
pub fn response_protobuf(rejected: u64, message: &str) -> Vec<u8> {
    let mut partial = Vec::with_capacity(message.len() + 16);
    if rejected > 0 {
        put_varint(&mut partial, 1, rejected);
    }
    if !message.is_empty() {
        put_bytes(&mut partial, 2, message.as_bytes());
    }
    let mut response = Vec::with_capacity(partial.len() + 8);
    if !partial.is_empty() {
        put_bytes(&mut response, 1, &partial);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_taken_is_an_empty_answer() {
        assert_eq!(response_json(0, ""), "{}");
        assert_eq!(response_protobuf(0, ""), b"");
    }

    #[test]
    fn what_was_not_taken_is_counted() {
        let said: serde_json::Value = serde_json::from_str(&response_json(300, "too \"deep\"")).expect("JSON");
        assert_eq!(said, json!({"partialSuccess": {"rejectedSpans": "300", "errorMessage": "too \"deep\""}}));
        // As the protobuf library of Python prints rejected_spans: 300, error_message: "ab".
        assert_eq!(response_protobuf(300, "ab"), [0x0a, 7, 0x08, 0xac, 0x02, 0x12, 2, b'a', b'b']);
    }
}
