//! The figures in TESTING.md: runs the tests, or reads what they printed, collects what they measured, and writes it down.

use std::path::Path;

use crate::ci::{EVERY_TEST, cargo};

/// How a test says a figure: `figure: SUBJECT: TEXT`, on a line of its own.
const MARK: &str = "figure: ";
const BEGIN: &str = "<!-- figures: written by `cargo xtask figures`, do not edit -->";
const END: &str = "<!-- end of figures -->";

/// Rewrites the table with what every test measures, the long campaigns too when asked for, or with what is in a file: what
/// tests run one by one have printed.
pub fn run(root: &Path, words: &[String]) -> Result<(), String> {
    let printed = match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => printed_by_every_test(root, false)?,
        ["--long"] => printed_by_every_test(root, true)?,
        ["--from", file] => std::fs::read_to_string(file).map_err(|e| format!("cannot read {file}: {e}"))?,
        _ => return Err("figures takes --long, or --from FILE".to_owned()),
    };
    let figures = collect(&printed);
    let path = root.join("TESTING.md");
    let text = std::fs::read_to_string(&path).map_err(|e| format!("cannot read TESTING.md: {e}"))?;
    let written = replace(&text, &figures).ok_or("TESTING.md has no place for the figures")?;
    std::fs::write(&path, written).map_err(|e| format!("cannot write TESTING.md: {e}"))?;
    println!("{} figures written to TESTING.md", figures.len());
    Ok(())
}

fn printed_by_every_test(root: &Path, long: bool) -> Result<String, String> {
    let mut command = cargo(root);
    command.args(EVERY_TEST).arg("--nocapture");
    if long {
        command.env("IDETIC_LONG", "1");
    }
    let output = command.output().map_err(|e| format!("cannot run cargo: {e}"))?;
    if !output.status.success() {
        return Err("the tests do not pass, so there are no figures".to_owned());
    }
    Ok(String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

/// Subject and text of every figure, in order of the subject.
fn collect(printed: &str) -> Vec<(String, String)> {
    let said = printed.lines().filter_map(|l| l.split_once(MARK)?.1.split_once(": "));
    let mut figures: Vec<_> = said.map(|(subject, text)| (subject.to_owned(), text.to_owned())).collect();
    figures.sort();
    figures.dedup();
    figures
}

/// The document with the table in its place; a figure that was not measured this time is kept.
fn replace(text: &str, figures: &[(String, String)]) -> Option<String> {
    let (before, rest) = text.split_once(BEGIN)?;
    let (old, after) = rest.split_once(END)?;
    let kept = old.lines().filter_map(|l| {
        let (subject, text) = l.strip_prefix("| ")?.strip_suffix(" |")?.split_once(" | ")?;
        let measured = figures.iter().any(|(s, _)| s == subject);
        (!measured && subject != "what").then(|| (subject.to_owned(), text.to_owned()))
    });
    let mut all: Vec<(String, String)> = figures.iter().cloned().chain(kept).collect();
    all.sort();
    let rows: String = all.iter().map(|(subject, text)| format!("| {subject} | {text} |\n")).collect();
    Some(format!("{before}{BEGIN}\n\n| what | figure |\n|---|---|\n{rows}\n{END}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_found_and_take_the_place_of_the_old_ones() {
        let figures = collect("noise\ntest x ... figure: kills: 500, none lost\nfigure: a: 1\n");
        assert_eq!(figures, [("a".to_owned(), "1".to_owned()), ("kills".to_owned(), "500, none lost".to_owned())]);
        let text = format!("top\n{BEGIN}\n\n| what | figure |\n|---|---|\n| a | 0 |\n| b | 7 |\n\n{END}\nend\n");
        let written = replace(&text, &figures).expect("has the place");
        assert!(written.contains("| a | 1 |\n| b | 7 |\n| kills | 500, none lost |"), "{written}");
        assert!(written.starts_with("top\n") && written.ends_with("\nend\n"));
        assert_eq!(replace(&written, &figures).as_deref(), Some(written.as_str()), "writing it again changes nothing");
        assert_eq!(replace("nothing", &figures), None);
    }
}
