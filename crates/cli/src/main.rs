//! The program `idetic`: reads the environment, runs one operation, shows its answers.

mod child;
mod command;
mod environment;
mod help;
mod home;
mod hook;
mod human;
mod mcp;
mod models;
mod open;
mod output;
mod overview;
mod run;
mod serve;
mod setup;
mod usage;

use std::alloc::System;
use std::io::Write;
use std::process::ExitCode;

use idetic_ops::{Error, Kind};
use zeroizing_alloc::ZeroAlloc;

/// What is no longer needed is overwritten: else a server's memory would have it for as long as nothing else comes to lie there.
#[global_allocator]
static ALLOCATOR: ZeroAlloc<System> = ZeroAlloc(System);

fn main() -> ExitCode {
    let matches = match command::build().try_get_matches() {
        Ok(matches) => matches,
        Err(error) if usage::is_help(&error) => error.exit(),
        // To a coding agent some exit codes mean that it is not to go on.
        Err(_) if environment::is_hook() => return ExitCode::SUCCESS,
        Err(error) => {
            report(&usage::explain(&error), environment::asks_for_json());
            return ExitCode::from(exit_code(Kind::Invalid));
        }
    };
    match run::run(&matches) {
        Ok(code) => code,
        Err(mut error) => {
            if error.hint.is_empty() {
                error.hint = what_to_do(error.kind).to_owned();
            }
            report(&error, matches.get_flag("json"));
            ExitCode::from(exit_code(error.kind))
        }
    }
}

/// What to do where the error itself knows nothing better.
fn what_to_do(kind: Kind) -> &'static str {
    match kind {
        Kind::CheckFailed => "`idetic verify` says what is wrong",
        Kind::Invalid => "fix the input; --help of the command shows what it takes",
        Kind::NotFound => "check the name",
        Kind::Conflict => "read what was added, then decide",
        Kind::Unavailable => "check the disk and the permissions of the home folder, then try again",
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
    // Whoever does not listen misses it.
    let mut err = std::io::stderr();
    if json {
        let _ = writeln!(err, "{}", serde_json::json!({ "error": error }));
        return;
    }
    let _ = writeln!(err, "error: {}", human::plain(&error.message));
    let _ = writeln!(err, "  try: {}", human::plain(&error.hint));
}
