//! The README's first steps and the tour: runs every line of them in a temporary folder and compares what it prints with what is
//! written.

use std::path::Path;
use std::process::{Command, Stdio};

/// One line of the tour and what it prints.
struct Step {
    command: String,
    expected: Vec<String>,
}

/// Builds the program, runs the tour and prints it; the error says which line did something else.
pub fn run(root: &Path) -> Result<(), String> {
    let built = Command::new(env!("CARGO"))
        .args(["build", "--release", "--quiet", "--package", "idetic-cli"])
        .current_dir(root)
        .status()
        .map_err(|e| format!("cannot run cargo: {e}"))?;
    if !built.success() {
        return Err("idetic does not build".to_owned());
    }
    walk(root)
}

/// The documents whose steps are run, each in a folder of its own.
const DOCUMENTS: [&str; 2] = ["README.md", "docs/tour.md"];

/// Runs the tour with the program that is built.
pub fn walk(root: &Path) -> Result<(), String> {
    DOCUMENTS.iter().try_for_each(|document| walk_through(root, document))
}

fn walk_through(root: &Path, document: &str) -> Result<(), String> {
    let text = std::fs::read_to_string(root.join(document)).map_err(|e| format!("cannot read {document}: {e}"))?;
    let folder = std::env::temp_dir().join(format!("idetic-tour-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|e| format!("cannot make {}: {e}", folder.display()))?;
    // Cargo puts the program beside this one, wherever that is.
    let here = std::env::current_exe().map_err(|e| format!("cannot tell where the program is: {e}"))?;
    let programs = here.parent().unwrap_or(root);
    let outcome = steps(&text).iter().try_for_each(|step| take(step, &folder, programs));
    let _ = std::fs::remove_dir_all(&folder);
    outcome
}

/// The steps of every fenced block marked `console`.
fn steps(text: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        if line.starts_with("```") {
            inside = line == "```console";
        } else if let (true, Some(command)) = (inside, line.strip_prefix("$ ")) {
            steps.push(Step { command: command.to_owned(), expected: Vec::new() });
        } else if let (true, Some(step)) = (inside, steps.last_mut()) {
            step.expected.push(line.to_owned());
        }
    }
    steps
}

fn take(step: &Step, folder: &Path, programs: &Path) -> Result<(), String> {
    println!("$ {}", step.command);
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Command::new("sh")
        .args(["-c", &format!("({}) 2>&1", step.command)])
        .current_dir(folder)
        .env("PATH", format!("{}:{path}", programs.display()))
        .env_remove("IDETIC_HOME")
        .stdin(Stdio::null())
        .output()
        .map_err(|e| format!("cannot run '{}': {e}", step.command))?;
    let printed = String::from_utf8_lossy(&output.stdout);
    print!("{printed}");
    if !output.status.success() {
        return Err(format!("'{}' failed with {}", step.command, output.status));
    }
    let lines: Vec<&str> = printed.lines().collect();
    let same = lines.len() == step.expected.len() && lines.iter().zip(&step.expected).all(|(l, e)| matches(l, e));
    if same { Ok(()) } else { Err(format!("'{}' should print\n{}", step.command, step.expected.join("\n"))) }
}

/// Whether a line is as written, where … stands for anything.
fn matches(line: &str, written: &str) -> bool {
    let mut parts = written.split('…');
    let Some(mut rest) = line.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_console_blocks_are_steps() {
        let found = steps("```sh\n$ no\n```\ntext\n```console\n$ one\nout\n$ two\n```\n");
        let commands: Vec<_> = found.iter().map(|s| (s.command.as_str(), s.expected.len())).collect();
        assert_eq!(commands, [("one", 1), ("two", 0)]);
    }

    #[test]
    fn the_ellipsis_stands_for_anything_and_nothing_else_does() {
        assert!(matches("ok: 4 events, head abc", "ok: 4 events, head …"));
        assert!(matches("1 2 3", "1 … 3") && matches("a", "a"));
        assert!(!matches("ok: 5 events, head abc", "ok: 4 events, head …"));
        assert!(!matches("a b", "a") && !matches("1 2 4", "1 … 3"));
    }
}
