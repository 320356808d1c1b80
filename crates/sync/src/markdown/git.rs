//! What is asked of git.

use std::path::Path;
use std::process::{Command, Stdio};

use idetic_memory::{Error, Result};

use super::files::{ARCHIVES, LOG};

/// Runs git in a folder and gives what it printed.
pub fn run(folder: &Path, arguments: &[&str]) -> Result<String> {
    let output = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| Error::unavailable(format!("git cannot be run: {error}")).hint("install git"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said = if said.trim().is_empty() { String::from_utf8_lossy(&output.stdout) } else { said };
    let what = arguments.first().copied().unwrap_or_default();
    Err(Error::unavailable(format!("git {what} failed: {}", said.trim())).hint("fix that and try again"))
}

/// Whether a folder is in a repository.
pub fn is_repository(folder: &Path) -> bool {
    run(folder, &["rev-parse", "--is-inside-work-tree"]).is_ok_and(|said| said.trim() == "true")
}

/// The last commit, where there is one.
pub fn head(folder: &Path) -> Option<String> {
    Some(run(folder, &["rev-parse", "--quiet", "--verify", "HEAD"]).ok()?.trim().to_owned())
}

/// What differs from the last commit: a letter and a path each. What git does not know yet is `A`.
pub fn changes(folder: &Path) -> Result<Vec<(char, String)>> {
    let said = run(folder, &["status", "--porcelain", "-z", "--untracked-files=all", "--no-renames", "--", "."])?;
    let change = |line: &str| {
        let (marks, path) = line.split_at_checked(3)?;
        let mark = marks.chars().find(|c| !c.is_whitespace())?;
        Some((if mark == '?' { 'A' } else { mark }, path.to_owned()))
    };
    Ok(said.split('\0').filter_map(change).collect())
}

/// The branch and the commit that are checked out, read from the files of the repository where these are plain.
pub fn checked_out(folder: &Path) -> Option<(String, Option<String>)> {
    let inside = folder.ancestors().map(|above| above.join(".git")).find(|path| path.exists())?;
    let said = |path: &Path| Some(std::fs::read_to_string(path).ok()?.trim().to_owned());
    let Some(at) = said(&inside.join("HEAD")) else {
        let branch = run(folder, &["symbolic-ref", "--quiet", "HEAD"]).unwrap_or_default();
        return Some((branch.trim().to_owned(), head(folder)));
    };
    let Some(name) = at.strip_prefix("ref: ") else { return Some((String::new(), Some(at))) };
    Some((name.to_owned(), said(&inside.join(name)).or_else(|| head(folder))))
}

/// Whether one commit came before what is checked out.
pub fn is_ancestor(folder: &Path, commit: &str) -> bool {
    run(folder, &["merge-base", "--is-ancestor", commit, "HEAD"]).is_ok()
}

/// Whether a changelog said something in a commit that came before.
pub fn once_said(folder: &Path, text: &str) -> bool {
    said(folder, text, &["HEAD"])
}

/// Whether a changelog said something in a commit of any branch, of the stash, or of what was undone lately.
pub fn said_anywhere(folder: &Path, text: &str) -> bool {
    said(folder, text, &["-m", "--all", "--reflog"])
}

fn said(folder: &Path, text: &str, commits: &[&str]) -> bool {
    let wanted = format!("-S{text}");
    let mut arguments = vec!["log", "-1", "--format=%h", wanted.as_str()];
    arguments.extend(commits);
    arguments.extend(["--", LOG]);
    arguments.extend(ARCHIVES);
    run(folder, &arguments).is_ok_and(|said| !said.trim().is_empty())
}
