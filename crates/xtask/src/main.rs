//! The entry point of `cargo xtask`: picks a task and prints what it found.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a task reports to the terminal")]

mod ci;
mod dist;
mod figures;
mod fuzz;
mod licences;
mod tidy;
mod tour;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use tidy::Finding;

const USAGE: &str = "usage: cargo xtask <task>
  tour [--built]              build idetic, unless it is built, and run the steps in README.md and docs/tour.md
  ci                          every check and every test
  dist [STEP]... [--binary PATH] [--out DIR]
                              packages to install without Rust: wheel, npm, deb, tar, all of these, brew (docs/install.md)
  dist try [STEP]... [--out DIR]
                              install those packages in fresh folders and recall something with each
  figures [--long | --from F] run the tests and write what they measured into TESTING.md, or what they printed into F
  bench log [--quick]         the log against a plain SQLite database, into docs/benchmarks.md
  bench recall [--quick]      search and the model against Python's libraries, into docs/benchmarks.md
  bench agents                what coding agents are told in scripted projects, into docs/benchmarks.md
  bench amem [--quick]        the A-MEM folder as the log grows, into docs/benchmarks.md
  bench md [--quick]          a project in Markdown as its changelog grows, into docs/benchmarks.md
  bench services [--quick]    facts, episodes and conversations for an invocation, into docs/benchmarks.md
  bench server [--quick]      the server against calls in one process, into docs/benchmarks.md
  bench fuzzy-equal           100 000 pairs of texts compared as RapidFuzz compares them
  eval [DIR]... [--ablate]    how much of the known evidence recall finds, and what each part of it adds
  fuzz [TARGET] [--runs N]    look for inputs that break a parser or a door, guided by coverage
  model [DIR]                 make the built-in model's asset from weights in a folder
  train directives|private    make the weights of the small models that read prompts
  train embedder              train an embedding model on conversations; hours without a GPU
  tidy                        the rules of this repository
  licences                    the licences of everything it builds on";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (task, rest) = words.split_first().map_or(("", &[][..]), |(task, rest)| (task.as_str(), rest));
    let root = workspace_root();
    let outcome = match task {
        "tidy" => Ok(report(&tidy::run(&root))),
        "licences" => licences::run(&root).map(|findings| report(&findings)),
        "tour" if rest == ["--built"] => tour::walk(&root).map(|()| ExitCode::SUCCESS),
        "tour" => tour::run(&root).map(|()| ExitCode::SUCCESS),
        "ci" => ci::run(&root).map(|()| ExitCode::SUCCESS),
        "dist" => dist::start(&root, rest).map(|()| ExitCode::SUCCESS),
        "figures" => figures::run(&root, rest).map(|()| ExitCode::SUCCESS),
        "fuzz" => fuzz::run(&root, rest).map(|()| ExitCode::SUCCESS),
        "bench" | "eval" | "model" | "train" => measure(&root, &words),
        _ => Err(USAGE.to_owned()),
    };
    outcome.unwrap_or_else(|message| {
        eprintln!("xtask: {message}");
        ExitCode::from(2)
    })
}

/// What is measured needs the whole product, which a task runner should not have to build.
fn measure(root: &Path, words: &[String]) -> Result<ExitCode, String> {
    let mut command = Command::new(env!("CARGO"));
    command.args(["run", "--release", "--quiet", "--package", "bench", "--"]).args(words).current_dir(root);
    let status = command.status().map_err(|error| format!("cannot run cargo: {error}"))?;
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from))
}

fn report(findings: &[Finding]) -> ExitCode {
    for finding in findings {
        println!("{finding}");
    }
    if findings.is_empty() {
        ExitCode::SUCCESS
    } else {
        eprintln!("{} finding(s)", findings.len());
        ExitCode::FAILURE
    }
}

/// xtask lives in `crates/xtask`, so the workspace is two folders up no matter
/// where cargo was called from.
fn workspace_root() -> PathBuf {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).map_or(here.clone(), PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_repository_is_tidy() {
        let findings = tidy::run(&workspace_root());
        assert!(findings.is_empty(), "{}", lines(&findings));
    }

    #[test]
    fn this_repository_builds_on_licences_we_can_live_with() {
        let findings = licences::run(&workspace_root()).expect("cargo answers");
        assert!(findings.is_empty(), "{}", lines(&findings));
    }

    fn lines(findings: &[Finding]) -> String {
        findings.iter().map(|finding| format!("\n{finding}")).collect()
    }
}
