//! Hints as callers without a command line can follow them: a command is told as a route or a tool, an option as an
//! argument.

use idetic_ops::{Error, Operation};

use crate::{Service, openapi};

/// How a hint names a command line.
const COMMAND: &str = "`idetic ";

/// An error as a caller over HTTP reads it.
pub fn over_http(error: Error) -> Error {
    retold(error, &|operation| Some(format!("`POST {}`", openapi::path(operation))))
}

/// The error with every command in its hint as `call` names its operation. What cannot be called so stays a command, for
/// somebody who can run it where the memory is.
pub fn retold(mut error: Error, call: &dyn Fn(&Operation) -> Option<String>) -> Error {
    let mut told = String::new();
    let mut rest = error.hint.as_str();
    while let Some((before, (line, after))) =
        rest.split_once(COMMAND).and_then(|(before, after)| Some((before, after.split_once('`')?)))
    {
        told.push_str(&with_arguments(before));
        let (operation, words) = operation_of(line);
        match operation.and_then(call) {
            Some(called) => told.push_str(&format!("{called}{}", arguments_of(&words))),
            None => told.push_str(&format!("{COMMAND}{line}` in a terminal on the host")),
        }
        rest = after;
    }
    told.push_str(&with_arguments(rest));
    error.hint = told;
    error
}

/// The operation of a command line, and the words that follow its name.
fn operation_of(line: &str) -> (Option<&'static Operation>, Vec<&str>) {
    let words: Vec<&str> = line.split_whitespace().collect();
    let named = (1..=words.len()).rev().find_map(|count| Some((count, Service::operation(&words[..count].join(" "))?)));
    match named {
        Some((count, operation)) => (Some(operation), words[count..].to_vec()),
        None => (None, words),
    }
}

/// What the options of a command line are called as arguments.
fn arguments_of(words: &[&str]) -> String {
    let names: Vec<String> = words.iter().filter_map(|word| word.strip_prefix("--")).map(argument).collect();
    if names.is_empty() { String::new() } else { format!(" with {}", names.join(" and ")) }
}

/// A text with every option in it as an argument.
fn with_arguments(text: &str) -> String {
    let is_name = |c: char| c.is_ascii_lowercase() || c == '-';
    let mut told = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("--") {
        let end = after.find(|c| !is_name(c)).unwrap_or(after.len());
        told.push_str(before);
        if end == 0 || before.ends_with(is_name) {
            told.push_str("--");
            rest = after;
        } else {
            told.push_str(&argument(&after[..end]));
            rest = &after[end..];
        }
    }
    told + rest
}

/// The argument that an option stands for.
fn argument(option: &str) -> String {
    format!("`{}`", option.replace('-', "_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(hint: &str) -> String {
        over_http(Error::invalid("x").hint(hint)).hint
    }

    #[test]
    fn a_command_is_told_as_its_route_and_an_option_as_an_argument() {
        assert_eq!(told("`idetic note list` lists them"), "`POST /v1/note/list` lists them");
        assert_eq!(
            told("change it with `idetic note edit a-b`, or give the new one another --id"),
            "change it with `POST /v1/note/edit`, or give the new one another `id`"
        );
        assert_eq!(
            told("`idetic purge --matching TEXT --dry-run` looks"),
            "`POST /v1/purge` with `matching` and `dry_run` looks"
        );
        assert_eq!(told("a -- b, x--y, --since."), "a -- b, x--y, `since`.");
    }

    #[test]
    fn what_no_call_does_stays_a_command_for_whoever_can_run_it() {
        assert_eq!(told("`idetic restore FILE`"), "`idetic restore FILE` in a terminal on the host");
        assert_eq!(told("an open `idetic note list"), "an open `idetic note list");
    }
}
