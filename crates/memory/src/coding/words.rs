//! What is kept of a prompt: nothing of one that is marked private, and no secret.

use idetic_core::statements::{is_marked_private, without_secrets};

/// What may be kept of a prompt; `None` where its author says that nothing may.
pub(super) fn kept(prompt: &str) -> Option<String> {
    (!is_marked_private(prompt)).then(|| without_secrets(prompt))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_and_what_is_private_are_not_kept() {
        assert_eq!(
            kept("use Node 20\nthe password is hunter2").as_deref(),
            Some("use Node 20\nthe password is [secret]")
        );
        assert_eq!(kept("off the record: I am leaving"), None);
        assert_eq!(kept("tidy up").as_deref(), Some("tidy up"));
    }
}
