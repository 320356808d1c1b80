//! What is kept of a prompt: nothing of one that its author takes off the record, and no secret.

use idetic_extract::without_secrets;

/// What says so. A program may well be about what is private: only words to the one who listens count.
const OFF_THE_RECORD: [&str; 9] = [
    "off the record",
    "between you and me",
    "do not remember this",
    "do not store this",
    "do not record this",
    "do not save this",
    "forget this",
    "[private]",
    "#private",
];

/// What may be kept of a prompt; `None` where its author says that nothing may.
pub(super) fn kept(prompt: &str) -> Option<String> {
    let said = prompt.to_lowercase().replace(['’', '\''], "").replace("dont ", "do not ");
    let is_private = OFF_THE_RECORD.iter().any(|words| said.contains(words));
    (!is_private).then(|| without_secrets(prompt))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_and_what_is_off_the_record_are_not_kept() {
        let text = "use Node 20\nthe password is hunter2";
        assert_eq!(kept(text).as_deref(), Some("use Node 20\nthe password is [masked]"));
        for private in ["Off the record: I am leaving", "I am ill, don’t remember this", "[private] x"] {
            assert_eq!(kept(private), None, "{private}");
        }
        for plain in ["tidy up", "Make the field confidential", "passwords should not be stored in plain text"] {
            assert_eq!(kept(plain).as_deref(), Some(plain));
        }
    }
}
