//! What is kept of somebody's words: nothing that is marked private, and no secret.

use idetic_core::statements::{holds_secret, is_marked_private};

/// Stands for a line that holds a secret.
const LEFT_OUT: &str = "(a line with a secret was left out)";

/// What may be kept of a prompt; `None` where its author says that nothing may.
pub(super) fn kept(prompt: &str) -> Option<String> {
    (!is_marked_private(prompt)).then(|| without_secrets(prompt))
}

/// A text without the lines that hold a secret.
pub(super) fn without_secrets(text: &str) -> String {
    if !holds_secret(text) {
        return text.to_owned();
    }
    let line = |line| if holds_secret(line) { LEFT_OUT } else { line };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_and_what_is_private_are_not_kept() {
        assert_eq!(
            kept("use Node 20\nthe password is hunter2\ngo on"),
            Some(format!("use Node 20\n{LEFT_OUT}\ngo on"))
        );
        assert_eq!(kept("off the record: I am leaving"), None);
        assert_eq!(kept("tidy up").as_deref(), Some("tidy up"));
    }
}
