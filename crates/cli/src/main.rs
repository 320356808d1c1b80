//! The program `idetic`: reads the surroundings, runs one operation, shows its answers.
#![expect(clippy::print_stderr, reason = "a program talks to its user")]

mod command;
mod home;
mod output;
mod people;
mod run;
mod surroundings;

use std::process::ExitCode;

use idetic_memory::{Error, Kind};

fn main() -> ExitCode {
    let matches = command::build().get_matches();
    match run::run(&matches) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            report(&error, matches.get_flag("json"));
            ExitCode::from(exit_code(error.kind))
        }
    }
}

fn exit_code(kind: Kind) -> u8 {
    match kind {
        Kind::CheckFailed => 1,
        Kind::Invalid => 2,
        Kind::NotFound => 3,
        Kind::Conflict => 4,
        Kind::Unavailable => 5,
    }
}

fn report(error: &Error, json: bool) {
    if json {
        eprintln!("{}", serde_json::json!({ "error": error }));
        return;
    }
    eprintln!("error: {}", error.message);
    if !error.hint.is_empty() {
        eprintln!("  try: {}", error.hint);
    }
}
