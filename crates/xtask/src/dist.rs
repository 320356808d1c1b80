//! Packages to install without Rust: which are made, of which program, and where they are put.

mod archive;
mod deb;
mod notices;
mod npm;
mod payload;
mod project;
mod registry;
mod tarball;
mod trial;
mod wheel;

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::ci;
use payload::Payload;
use project::Project;

/// What `all` makes. The formula is no part of it: it needs the archives of every platform.
const ALL: [Step; 4] = [Step::Wheel, Step::Npm, Step::Deb, Step::Tar];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Wheel,
    Npm,
    Deb,
    Tar,
    Brew,
}

/// One finished file.
struct Made {
    name: String,
    bytes: Vec<u8>,
}

/// What is asked for.
struct Asked {
    is_trial: bool,
    steps: Vec<Step>,
    binary: Option<PathBuf>,
    out: Option<PathBuf>,
}

/// Makes packages, or installs those that were made and uses them.
pub fn start(root: &Path, words: &[String]) -> Result<(), String> {
    let asked = read(words)?;
    let out = asked.out.unwrap_or_else(|| root.join("target/dist"));
    let project = Project::read(root)?;
    if asked.is_trial {
        return trial::start(&project, &out, &asked.steps);
    }
    let built = |steps: &[Step]| if steps == [Step::Brew] { Ok(PathBuf::new()) } else { build(root) };
    let binary = asked.binary.map_or_else(|| built(&asked.steps), Ok)?;
    let scratch = std::env::temp_dir().join(format!("idetic-dist-{}", std::process::id()));
    let outcome = asked.steps.iter().try_for_each(|step| {
        for made in make(*step, &project, &binary, &out, &scratch)? {
            println!("{:>7.1} MB  {}", megabytes(made.bytes.len()), made.name);
            write(&out.join(&made.name), &made.bytes)?;
        }
        Ok(())
    });
    let _ = std::fs::remove_dir_all(&scratch);
    outcome
}

fn make(step: Step, project: &Project, binary: &Path, out: &Path, scratch: &Path) -> Result<Vec<Made>, String> {
    let payload = || Payload::read(binary);
    match step {
        Step::Wheel => wheel::make(project, &payload()?),
        Step::Npm => npm::make(project, &payload()?, scratch),
        Step::Deb => deb::make(project, &payload()?).map(|made| vec![made]),
        Step::Tar => tarball::make(project, &payload()?),
        Step::Brew => tarball::formula(project, out).map(|made| vec![made]),
    }
}

fn read(words: &[String]) -> Result<Asked, String> {
    let mut asked = Asked { is_trial: false, steps: Vec::new(), binary: None, out: None };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let mut path = || words.next().map(|path| Some(PathBuf::from(path))).ok_or(format!("{word} takes a path"));
        match word.as_str() {
            "try" => asked.is_trial = true,
            "wheel" => asked.steps.push(Step::Wheel),
            "npm" => asked.steps.push(Step::Npm),
            "deb" => asked.steps.push(Step::Deb),
            "tar" => asked.steps.push(Step::Tar),
            "brew" => asked.steps.push(Step::Brew),
            "all" => asked.steps.extend(ALL),
            "--binary" => asked.binary = path()?,
            "--out" => asked.out = path()?,
            other => return Err(format!("dist does not know '{other}': wheel, npm, deb, tar, brew, all, try")),
        }
    }
    if asked.steps.is_empty() {
        asked.steps.extend(ALL);
    }
    Ok(asked)
}

/// Builds the program and tells where it is.
fn build(root: &Path) -> Result<PathBuf, String> {
    run(ci::cargo(root).args(["build", "--release", "--locked", "--package", "idetic-cli"]))?;
    let folder = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    Ok(folder.join("release/idetic"))
}

/// Runs a command to its end and tells which one failed.
fn run(command: &mut Command) -> Result<(), String> {
    let line = format!("{command:?}");
    let status = command.status().map_err(|error| format!("cannot run {line}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{line}: {status}")) }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let written = path.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| std::fs::write(path, bytes));
    written.map_err(|error| format!("cannot write {}: {error}", path.display()))
}

#[expect(clippy::cast_precision_loss, reason = "for people")]
fn megabytes(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_and_paths_are_read() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let asked = read(&words("wheel deb --binary a/idetic --out b")).expect("all are known");
        assert_eq!(asked.steps, [Step::Wheel, Step::Deb]);
        assert_eq!((asked.binary, asked.out), (Some(PathBuf::from("a/idetic")), Some(PathBuf::from("b"))));
        assert!(read(&words("try")).is_ok_and(|asked| asked.is_trial && asked.steps == ALL));
        assert!(read(&words("msi")).is_err() && read(&words("wheel --out")).is_err());
    }
}
