//! What kind of thing an event records: a known word, or a dotted name of one's own.

use std::borrow::Cow;

use crate::{Invalid, invalid, limits};

/// The kinds of a conversation loop (specification 001).
pub const LOOP_KINDS: [&str; 9] = [
    "user_input",
    "actor_output",
    "tool_call",
    "tool_result",
    "subconscious_prompt",
    "subconscious_output",
    "system_event",
    "error",
    "feedback",
];

/// Those of them that only an agent's subconscious says or hears.
pub const SUBCONSCIOUS_KINDS: [&str; 2] = ["subconscious_prompt", "subconscious_output"];

/// The kinds of a changelog (specifications 003 and 004).
pub const CHANGELOG_KINDS: [&str; 15] = [
    "decision",
    "create",
    "modify",
    "delete",
    "test",
    "fix",
    "dependency",
    "blocker",
    "milestone",
    "escalation",
    "handoff",
    "archive",
    "change",
    "result",
    "session",
];

/// Checks a kind and resolves its aliases.
pub fn parse(text: &str) -> Result<Cow<'_, str>, Invalid> {
    if text == "tool_output" {
        return Ok(Cow::Borrowed("tool_result"));
    }
    if LOOP_KINDS.contains(&text) || CHANGELOG_KINDS.contains(&text) || is_dotted(text) {
        return Ok(Cow::Borrowed(text));
    }
    Err(Invalid::new(format!("kind '{}' is not known", invalid::excerpt(text))).hint(known()))
}

/// `namespace.action`, in any depth, each part of `[a-z][a-z0-9_-]*`.
fn is_dotted(text: &str) -> bool {
    let part = |p: &str| {
        p.starts_with(|c: char| c.is_ascii_lowercase())
            && p.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_' || b == b'-')
    };
    text.len() <= limits::KIND_MAX_BYTES && text.contains('.') && text.split('.').all(part)
}

/// The known kinds, for a message.
pub fn known() -> String {
    format!(
        "known kinds: {}, {}; or a dotted name of your own such as gateway.tool_call (a-z 0-9 _ -)",
        LOOP_KINDS.join(", "),
        CHANGELOG_KINDS.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_words_and_dotted_names_are_kinds() {
        for good in ["user_input", "archive", "gateway.tool_call", "a.b.c", "x.y-z_1"] {
            assert_eq!(parse(good).as_deref(), Ok(good));
        }
        assert_eq!(parse("tool_output").as_deref(), Ok("tool_result"));
    }

    #[test]
    fn anything_else_is_refused_with_the_known_ones() {
        for bad in ["", "banana", "User_Input", "a.", ".a", "a..b", "a.B", "a.1", "a b.c", "é.b"] {
            let refused = parse(bad).expect_err(bad);
            assert!(refused.hint.contains("user_input") && refused.hint.contains("milestone"));
        }
        assert!(parse(&format!("a.{}", "b".repeat(limits::KIND_MAX_BYTES))).is_err());
    }
}
