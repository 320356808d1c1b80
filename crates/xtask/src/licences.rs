//! Every package we build on has a licence we can live with, and they are few.

mod expression;

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::tidy::Finding;

/// Licences that ask for no more than to be named.
const ALLOWED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "MIT-0",
    "NCSA",
    "Unicode-3.0",
    "Unicode-DFS-2016",
    "Unlicense",
    "Zlib",
];

/// Each package of others is code to trust, to compile and to update; the lock
/// file counts those of all platforms and of the tests. HTTP, MCP and the
/// signatures of tokens are worth some forty of them, the client of PostgreSQL
/// twenty-four and its TLS seven more, one keeps config.toml as it was written.
const PACKAGES_MAX: usize = 372;

const LOCK_FILE: &str = "Cargo.lock";

/// Fails when cargo does not answer, which is no statement about licences.
pub fn run(root: &Path) -> Result<Vec<Finding>, String> {
    let metadata = metadata(root)?;
    let lock = fs::read_to_string(root.join(LOCK_FILE)).map_err(|error| format!("{LOCK_FILE}: {error}"))?;
    let mut findings = check_licences(&metadata, &lock)?;
    findings.extend(check_budget(&lock));
    findings.sort();
    Ok(findings)
}

/// What cargo knows of every package: without the network first, which is faster and usually enough.
pub fn metadata(root: &Path) -> Result<Value, String> {
    ask_cargo(root, &["--offline"]).or_else(|_| ask_cargo(root, &[]))
}

fn ask_cargo(root: &Path, extra: &[&str]) -> Result<Value, String> {
    // Inside of cargo this names the cargo that runs us.
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .current_dir(root)
        .args(["metadata", "--format-version", "1"])
        .args(extra)
        .output()
        .map_err(|error| format!("cargo metadata: {error}"))?;
    if !output.status.success() {
        let complaint = String::from_utf8_lossy(&output.stderr);
        return Err(format!("cargo metadata: {}", complaint.trim()));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo metadata: {error}"))
}

fn check_licences(metadata: &Value, lock: &str) -> Result<Vec<Finding>, String> {
    let packages = metadata["packages"].as_array().ok_or("cargo metadata: no list of packages")?;
    let mut findings = Vec::new();
    for package in packages {
        if let Some(complaint) = complaint(package["license"].as_str()) {
            let field = |name: &str| package[name].as_str().unwrap_or("?");
            let (name, version) = (field("name"), field("version"));
            let message = format!("{name} {version}: {complaint}");
            let line = line_in_lock(lock, name, version);
            findings.push(Finding::new(LOCK_FILE, line, "licence", message));
        }
    }
    Ok(findings)
}

fn complaint(licence: Option<&str>) -> Option<String> {
    let Some(licence) = licence else {
        return Some("no licence is given".to_owned());
    };
    match expression::holds(licence, &|name| ALLOWED.contains(&name)) {
        Ok(true) => None,
        Ok(false) => Some(format!("`{licence}` is not on the list of allowed licences")),
        Err(reason) => Some(format!("`{licence}` cannot be read: {reason}")),
    }
}

/// The place in the lock file, which is where a dependency can be looked up.
fn line_in_lock(lock: &str, name: &str, version: &str) -> usize {
    let lines: Vec<&str> = lock.lines().collect();
    let wanted = [format!("name = \"{name}\""), format!("version = \"{version}\"")];
    let at = lines.windows(2).position(|pair| pair == wanted);
    at.map_or(1, |index| index + 1)
}

fn check_budget(lock: &str) -> Option<Finding> {
    // Our own have no source.
    let packages = lock.lines().filter(|line| line.starts_with("source = ")).count();
    (packages > PACKAGES_MAX).then(|| {
        let message = format!("{packages} packages, but the budget is {PACKAGES_MAX}");
        Finding::new(LOCK_FILE, 1, "package-budget", message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::scratch::Scratch;
    use serde_json::json;

    const LOCK: &str = "version = 4\n\n[[package]]\nname = \"a\"\nversion = \"1.0.0\"\n";

    fn findings(licence: &Value) -> Vec<String> {
        let package = json!({ "name": "a", "version": "1.0.0", "license": licence });
        let metadata = json!({ "packages": [package] });
        let findings = check_licences(&metadata, LOCK).expect("there are packages");
        findings.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_gpl_package_is_a_finding() {
        let wanted = "Cargo.lock:4: licence: a 1.0.0: \
            `GPL-3.0-only` is not on the list of allowed licences";
        assert_eq!(findings(&json!("GPL-3.0-only")), [wanted]);
        assert_eq!(findings(&json!("MIT AND GPL-2.0")).len(), 1);
        assert!(findings(&json!("GPL-2.0 OR MIT")).is_empty());
    }

    #[test]
    fn a_missing_or_unreadable_licence_is_a_finding() {
        assert_eq!(findings(&Value::Null).len(), 1);
        assert_eq!(findings(&json!("MIT OR")).len(), 1);
    }

    #[test]
    fn an_answer_without_packages_is_an_error() {
        assert!(check_licences(&json!({}), LOCK).is_err());
    }

    #[test]
    fn the_budget_is_kept_to_the_package() {
        let lock = |packages| "[[package]]\nsource = \"registry\"\n".repeat(packages);
        assert_eq!(check_budget(&lock(PACKAGES_MAX)), None);
        assert!(check_budget(&lock(PACKAGES_MAX + 1)).is_some());
    }

    #[test]
    fn cargo_is_asked_about_the_workspace_itself() {
        let scratch = Scratch::new("licences");
        scratch.write("src/lib.rs", "");
        let manifest = "[package]\nname = \"a\"\nedition = \"2024\"\nlicense = ";
        scratch.write("Cargo.toml", &format!("{manifest}\"MIT\""));
        assert_eq!(run(scratch.root()), Ok(vec![]));
        scratch.write("Cargo.toml", &format!("{manifest}\"GPL-3.0-only\""));
        assert_eq!(run(scratch.root()).map(|found| found.len()), Ok(1));
        scratch.write("Cargo.toml", "[");
        assert!(run(scratch.root()).is_err());
    }
}
