//! Inputs that hold two things.

/// What stands before the first line break, and what behind it: for targets that take two things.
pub fn first_line(text: &str) -> (&str, &str) {
    text.split_once('\n').unwrap_or((text, ""))
}
