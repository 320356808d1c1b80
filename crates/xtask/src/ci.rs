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

/// Cargo in this repository, as if it were called by hand: what the cargo around this program says of its own package would make
/// some dependencies be built again.
pub fn cargo(root: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    for (name, _) in std::env::vars_os() {
        let own =
            name.to_str().is_some_and(|name| ["CARGO_PKG_", "CARGO_MANIFEST_"].iter().any(|of| name.starts_with(of)));
        if own {
            command.env_remove(name);
        }
    }
    command.current_dir(root);
    command
}

/// Stops at the first step that fails.
pub fn run(root: &Path) -> Result<(), String> {
    for step in STEPS {
        let line = format!("cargo {}", step.join(" "));
        println!("==> {line}");
        let status = cargo(root).args(step).status();
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
