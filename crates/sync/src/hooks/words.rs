//! What is kept of a prompt: nothing of one that its author takes off the record, and no secret.

use idetic_extract::{kept_of, without_secrets};

/// What may be kept of a prompt; `None` where its author says that nothing may.
pub(super) fn kept(prompt: &str) -> Option<String> {
    kept_of(prompt).map(|kept| without_secrets(&kept))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_and_what_is_off_the_record_are_not_kept() {
        assert_eq!(
            kept("Deploy it.\nThe password is hunter2").as_deref(),
            Some("Deploy it.\nThe password is [masked]")
        );
        let text = "use Node 20\nthe password is hunter2";
        assert_eq!(kept(text).as_deref(), Some("use Node 20\nthe password is [masked]"));
        for private in
            ["Off the record: I am leaving", "I am ill, don’t remember this", "[private] x", "<private>x</private>"]
        {
            assert_eq!(kept(private), None, "{private}");
        }
        assert_eq!(kept("use Node 20 <Private>my salary</Private>").as_deref(), Some("use Node 20"));
        for plain in [
            "tidy up",
            "Make the field confidential",
            "passwords should not be stored in plain text",
            "don't forget this",
            "a private plan",
            "Go on.",
            "ok",
            "Move the login to port 7000",
            "Add a logout button to the header and run the tests",
            "Do not store this value twice",
        ] {
            assert_eq!(kept(plain).as_deref(), Some(plain));
        }
    }
}
