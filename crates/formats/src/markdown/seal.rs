//! The mark at the end of a file that we wrote: a hash of the rest, so that an edit by hand is noticed.

use idetic_core::Hash;

const BEFORE: &str = "<!-- Written by Idetic; edits are noticed by this hash of the text above: ";
const AFTER: &str = " -->";

/// Who a file is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seal {
    /// We wrote it and nobody changed it.
    Ours,
    /// We wrote it and it was changed since.
    Edited,
    /// Somebody else wrote it.
    Foreign,
}

/// The text with our mark behind it.
pub(crate) fn seal(text: &str) -> String {
    format!("{text}\n{BEFORE}{}{AFTER}\n", digest(text))
}

/// Whether a text was written by us, and is still what we wrote. Line breaks that git changed are no edit.
pub fn check(text: &str) -> Seal {
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    let Some(at) = text.rfind(BEFORE).filter(|at| text[..*at].ends_with('\n')) else {
        return Seal::Foreign;
    };
    let mark = text[at + BEFORE.len()..].trim_end().strip_suffix(AFTER);
    let said = text[..at].strip_suffix('\n').unwrap_or_default();
    if mark == Some(digest(said).as_str()) { Seal::Ours } else { Seal::Edited }
}

/// Whether a line is our mark.
pub(crate) fn is_mark(line: &str) -> bool {
    line.starts_with(BEFORE)
}

fn digest(text: &str) -> String {
    Hash::of(text.as_bytes()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_is_noticed_and_a_line_break_of_another_system_is_none() {
        let text = seal("# A\n\nb\n");
        assert_eq!(check(&text), Seal::Ours);
        assert_eq!(check(&text.replace('\n', "\r\n")), Seal::Ours);
        assert_eq!(check(&text.replace("b\n", "c\n")), Seal::Edited);
        assert_eq!(check(&format!("{text}more\n")), Seal::Edited);
        assert_eq!(check("# A\n\nb\n"), Seal::Foreign);
    }
}
