//! The entry point of `cargo xtask`: picks a task and prints what it found.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a task reports to the terminal")]

mod licences;
mod tidy;

use std::path::PathBuf;
use std::process::ExitCode;

use tidy::Finding;

fn main() -> ExitCode {
    let task = std::env::args().nth(1).unwrap_or_default();
    let root = workspace_root();
    let outcome = match task.as_str() {
        "tidy" => Ok(tidy::run(&root)),
        "licences" => licences::run(&root),
        _ => Err("usage: cargo xtask <tidy|licences>".to_owned()),
    };
    match outcome {
        Ok(findings) => report(&findings),
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::from(2)
        }
    }
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
