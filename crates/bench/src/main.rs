//! What is measured: each bench in child processes of its own, compared inside one run and written to docs/benchmarks.md.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a bench reports to the terminal")]

mod agents;
mod amem;
mod clocks;
mod dispatch;
mod document;
mod eval;
mod ground;
mod machine;
mod md;
mod model;
mod options;
mod plain;
mod progress;
mod python;
mod recall;
mod records;
mod report;
mod run;
mod server;
mod services;
mod strace;
mod subjects;
mod task;
mod tasks;
mod train;

use std::path::PathBuf;
use std::process::ExitCode;

/// Called by `cargo xtask bench|eval|model|train`, and by itself for what is measured in a process of its own.
fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (what, rest) = words.split_first().map_or(("", &[][..]), |(what, rest)| (what.as_str(), rest));
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let root = here.ancestors().nth(2).map_or(here.clone(), PathBuf::from);
    let outcome = match what {
        "bench" => dispatch::run(&root, rest).map(|met| if met { ExitCode::SUCCESS } else { ExitCode::FAILURE }),
        "train" => train::run(&root, rest.first().map_or("", String::as_str)).map(|()| ExitCode::SUCCESS),
        "child" => task::answer(rest.first().map_or("", String::as_str)).map(|line| {
            println!("{line}");
            ExitCode::SUCCESS
        }),
        "eval" => eval::run(&root, rest).map(|()| ExitCode::SUCCESS),
        "model" => model::run(&root, rest.first().map(String::as_str)).map(|()| ExitCode::SUCCESS),
        _ => Err("usage: cargo xtask bench|eval|model|train".to_owned()),
    };
    outcome.unwrap_or_else(|message| {
        eprintln!("bench: {message}");
        ExitCode::from(2)
    })
}
