//! The Python client against the real program: every route, and the frameworks' own packages with their adapters.
#![expect(clippy::print_stderr, reason = "a test says what Python said")]

use std::path::Path;
use std::process::{Command, Stdio};

const CLIENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../clients/python");

#[test]
#[ignore = "needs packages of Python and npm: `cargo xtask ci` runs it"]
fn the_python_client_and_its_adapters_work() {
    passes("python-client", &[]);
}

#[test]
#[ignore = "needs packages of Python and npm: `cargo xtask ci` runs it"]
fn the_adapters_of_large_frameworks_work() {
    if std::env::var_os("IDETIC_LONG").is_none() {
        eprintln!("skipped: their packages take minutes to install; IDETIC_LONG=1 runs it");
        return;
    }
    passes("python-frameworks", &["--frameworks"]);
}

/// Runs the client's own tests, with the packages in a folder that stays.
fn passes(folder: &str, flags: &[&str]) {
    let venv = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
    let mut run = Command::new("python3");
    run.arg(format!("{CLIENT}/run.py")).args(flags).arg("--venv").arg(venv).arg(env!("CARGO_BIN_EXE_idetic"));
    let output = run.stdin(Stdio::null()).output().expect("python3 is needed for this");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    eprintln!("{out}{err}");
    assert!(output.status.success(), "what Python said stands above");
}
