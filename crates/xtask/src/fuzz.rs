//! Coverage-guided fuzzing: builds the targets with LLVM's coverage instrumentation and runs libFuzzer over each.

use std::path::{Path, PathBuf};
use std::process::Command;

/// How rustc puts counters into the code, as libFuzzer reads them.
const INSTRUMENTATION: [&str; 5] = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
];
/// Inputs of each target when nobody says how many.
const RUNS: u64 = 20_000;
/// Longest input that is made; a target may stop at less.
const INPUT_MAX_BYTES: usize = 16 << 10;
/// Memory that one target may take.
const MEMORY_MAX_MIB: usize = 2048;
/// Time that one input may take.
const INPUT_MAX_SECONDS: usize = 20;

/// Targets that need the whole product: for any other alone, only the parsers are built.
const DOORS: [&str; 8] = ["archive_file", "backup_file", "http", "lane_file", "mcp", "operation", "query", "token"];

/// What is asked for.
struct Asked {
    target: Option<String>,
    runs: u64,
}

/// Runs one target, or all of them, each for so many inputs.
pub fn run(root: &Path, words: &[String]) -> Result<(), String> {
    let asked = read(words)?;
    let known = targets(root)?;
    if let Some(name) = asked.target.as_ref().filter(|name| !known.contains(name)) {
        return Err(format!("there is no target '{name}': {}", known.join(", ")));
    }
    let is_parser = asked.target.as_ref().is_some_and(|name| !DOORS.contains(&name.as_str()));
    let program = build(root, is_parser)?;
    for target in known.iter().filter(|name| asked.target.as_ref().is_none_or(|wanted| wanted == *name)) {
        println!("==> {target}");
        fuzz(root, &program, target, asked.runs)?;
    }
    Ok(())
}

fn read(words: &[String]) -> Result<Asked, String> {
    let mut asked = Asked { target: None, runs: RUNS };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--runs" => {
                let runs = words.next().and_then(|runs| runs.parse().ok());
                asked.runs = runs.ok_or("--runs takes a number of inputs")?;
            }
            flag if flag.starts_with('-') => return Err(format!("fuzz has no flag {flag}")),
            name => asked.target = Some(name.to_owned()),
        }
    }
    Ok(asked)
}

/// Every target has a folder in the corpus.
fn targets(root: &Path) -> Result<Vec<String>, String> {
    let folder = root.join("crates/fuzz/corpus");
    let entries = std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut names: Vec<String> =
        entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    Ok(names)
}

/// Builds the program. A target is named so that build scripts and macros are not instrumented, and the folder is one of
/// its own so that the other builds stay as they are.
fn build(root: &Path, parsers: bool) -> Result<PathBuf, String> {
    let host = host()?;
    let mut command = Command::new(env!("CARGO"));
    command.current_dir(root).env("RUSTFLAGS", INSTRUMENTATION.join(" "));
    command.args(["build", "--profile", "fuzz", "--package", "idetic-fuzz", "--features", "libfuzzer"]);
    command.args(["--target-dir", "target/fuzz", "--target", &host]);
    if parsers {
        command.arg("--no-default-features");
    }
    let status = command.status().map_err(|error| format!("cannot run cargo: {error}"))?;
    let program = root.join("target/fuzz").join(host).join("fuzz/idetic-fuzz");
    if status.success() { Ok(program) } else { Err("the targets do not build".to_owned()) }
}

fn host() -> Result<String, String> {
    let output = Command::new("rustc").arg("-vV").output().map_err(|error| format!("cannot run rustc: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "rustc does not tell the host".to_owned())
}

/// New inputs go to the first folder; the corpus of the repository is only read.
fn fuzz(root: &Path, program: &Path, target: &str, runs: u64) -> Result<(), String> {
    let (kept, found) = (root.join("target/fuzz/corpus").join(target), root.join("target/fuzz/found"));
    for folder in [&kept, &found] {
        std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    let mut command = Command::new(program);
    command.current_dir(root).env("IDETIC_FUZZ_TARGET", target);
    command.arg(&kept).arg(root.join("crates/fuzz/corpus").join(target));
    command.arg(format!("-runs={runs}")).arg(format!("-max_len={INPUT_MAX_BYTES}"));
    command.arg(format!("-rss_limit_mb={MEMORY_MAX_MIB}")).arg(format!("-timeout={INPUT_MAX_SECONDS}"));
    command.arg(format!("-artifact_prefix={}/{target}-", found.display())).arg("-print_final_stats=1");
    let status = command.status().map_err(|error| format!("cannot run {}: {error}", program.display()))?;
    if status.success() {
        return Ok(());
    }
    let place = found.display();
    Err(format!("{target} broke: the input is in {place}; once it is repaired, keep it in crates/fuzz/corpus/{target}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_doors_are_those_of_the_table() {
        let table = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/src/table.rs");
        let text = std::fs::read_to_string(table).expect("the table of targets");
        let slow = text.lines().filter_map(|line| line.trim().strip_prefix("slow(\"")?.split('"').next());
        let mut slow: Vec<&str> = slow.collect();
        slow.sort_unstable();
        assert_eq!(slow, DOORS);
    }

    #[test]
    fn a_target_and_a_number_of_inputs_are_read() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let asked = read(&words("record --runs 7")).expect("both are known");
        assert_eq!((asked.target.as_deref(), asked.runs), (Some("record"), 7));
        assert!(read(&words("record --runs many")).is_err() && read(&words("--walks 7")).is_err());
    }
}
