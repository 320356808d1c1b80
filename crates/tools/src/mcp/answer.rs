//! What a tool answered, as text that a model can read.

use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};
use serde_json::Value;

/// The answer of a tool. Its text is a stranger's: data, never instructions.
#[derive(Debug, Clone, PartialEq)]
pub struct McpAnswer {
    /// All parts that are text, one below the other, with a note where something is not.
    pub text: String,
    /// Whether the tool says that it failed.
    pub is_error: bool,
    /// The answer as data, where the tool gives it.
    pub structured: Option<Value>,
}

impl From<CallToolResult> for McpAnswer {
    fn from(result: CallToolResult) -> Self {
        let parts: Vec<String> = result.content.into_iter().map(part).collect();
        let structured = result.structured_content;
        let text = match &structured {
            Some(value) if parts.is_empty() => value.to_string(),
            _ => parts.join("\n"),
        };
        Self { text, is_error: result.is_error.unwrap_or(false), structured }
    }
}

fn part(block: ContentBlock) -> String {
    match block {
        ContentBlock::Text(content) => content.text,
        ContentBlock::Image(content) => unseen("image", &content.mime_type, &content.data),
        ContentBlock::Audio(content) => unseen("sound", &content.mime_type, &content.data),
        ContentBlock::Resource(content) => match content.resource {
            ResourceContents::TextResourceContents { uri, text, .. } => format!("[{uri}]\n{text}"),
            ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
                format!("[{uri}] {}", unseen("file", mime_type.as_deref().unwrap_or("of an unknown type"), &blob))
            }
            _ => UNKNOWN.to_owned(),
        },
        ContentBlock::ResourceLink(link) => format!("[link: {} {}]", link.name, link.uri),
        _ => UNKNOWN.to_owned(),
    }
}

const UNKNOWN: &str = "[something of a kind that is not known here]";

/// Base64 needs four letters for three bytes.
fn unseen(what: &str, kind: &str, base64: &str) -> String {
    format!("[{what} {kind}, about {} bytes, not shown]", base64.len() / 4 * 3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn answer(result: Value) -> McpAnswer {
        let result: CallToolResult = serde_json::from_value(result).expect("the protocol allows it");
        result.into()
    }

    #[test]
    fn what_is_not_text_leaves_a_note() {
        let answer = answer(json!({ "content": [
            { "type": "text", "text": "a" },
            { "type": "image", "data": "AAAAAAAA", "mimeType": "image/png" },
            { "type": "audio", "data": "AAAA", "mimeType": "audio/wav" },
            { "type": "resource", "resource": { "uri": "file:///b", "text": "c" } },
            { "type": "resource", "resource": { "uri": "file:///d", "blob": "AAAA" } },
            { "type": "resource_link", "uri": "file:///e", "name": "f" },
        ], "isError": true }));
        let lines: Vec<&str> = answer.text.lines().collect();
        assert_eq!(
            lines,
            [
                "a",
                "[image image/png, about 6 bytes, not shown]",
                "[sound audio/wav, about 3 bytes, not shown]",
                "[file:///b]",
                "c",
                "[file:///d] [file of an unknown type, about 3 bytes, not shown]",
                "[link: f file:///e]",
            ]
        );
        assert!(answer.is_error);
    }

    #[test]
    fn data_alone_is_shown_as_json() {
        let answer = answer(json!({ "content": [], "structuredContent": { "n": 1 } }));
        assert_eq!(answer.text, r#"{"n":1}"#);
        assert_eq!(answer.structured, Some(json!({ "n": 1 })));
        assert!(!answer.is_error);
    }
}
