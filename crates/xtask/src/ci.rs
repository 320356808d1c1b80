//! What CI runs, in order: layout, lints, every test, the tidy and licence tests among them, and the README's tour.

use std::path::Path;
use std::process::Command;

use crate::tour;

/// Every test, those that a quick run leaves out as well; golden files are written once, by hand.
pub const EVERY_TEST: [&str; 8] =
    ["test", "--release", "--workspace", "--no-fail-fast", "--", "--include-ignored", "--skip", "write_the_golden"];

const STEPS: [&[&str]; 3] = [
    &["fmt", "--all", "--check"],
    &["clippy", "--release", "--workspace", "--all-targets", "--", "-D", "warnings"],
    &EVERY_TEST,
];

/// Stops at the first step that fails.
pub fn run(root: &Path) -> Result<(), String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    for step in STEPS {
        let line = format!("cargo {}", step.join(" "));
        println!("==> {line}");
        let status = Command::new(&cargo).current_dir(root).args(step).status();
        match status {
            Ok(status) if status.success() => {}
            Ok(status) => return Err(format!("{line}: {status}")),
            Err(error) => return Err(format!("{line}: {error}")),
        }
    }
    println!("==> the steps in README.md and docs/tour.md");
    // With the program that the tests have built: as a package of its own it would be built once more.
    tour::walk(root)
}
