//! What is asked of git.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

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

/// Whether a merge is not committed yet, read from the files of the repository where these are plain.
pub fn is_merging(folder: &Path) -> bool {
    let inside = folder.ancestors().map(|above| above.join(".git")).find(|path| path.exists());
    match inside {
        Some(inside) if inside.is_dir() => inside.join("MERGE_HEAD").exists(),
        Some(_) => merged_in(folder).is_some(),
        None => false,
    }
}

/// Whether one commit came before what is checked out.
pub fn is_ancestor(folder: &Path, commit: &str) -> bool {
    run(folder, &["merge-base", "--is-ancestor", commit, "HEAD"]).is_ok()
}

/// The commits of any branch, of the stash, or of what was undone lately, in which a changelog began or ceased to say something.
pub fn said_anywhere(folder: &Path, text: &str) -> Vec<String> {
    said(folder, text, &["-m", "--all", "--reflog"])
}

/// The same, of branches, tags and the stash alone.
pub fn said_on_branches(folder: &Path, text: &str) -> Vec<String> {
    said(folder, text, &["-m", "--all"])
}

fn said(folder: &Path, text: &str, commits: &[&str]) -> Vec<String> {
    let wanted = format!("-S{text}");
    let mut arguments = vec!["log", "--format=%H", wanted.as_str()];
    arguments.extend(commits);
    arguments.extend(["--", LOG]);
    arguments.extend(ARCHIVES);
    run(folder, &arguments).map(|said| said.lines().map(str::to_owned).collect()).unwrap_or_default()
}

/// What is being merged into what is checked out.
pub fn merged_in(folder: &Path) -> Option<String> {
    Some(run(folder, &["rev-parse", "--quiet", "--verify", "MERGE_HEAD"]).ok()?.trim().to_owned())
}

/// Whether the clone was made of the last commits only.
pub fn is_shallow(folder: &Path) -> bool {
    run(folder, &["rev-parse", "--is-shallow-repository"]).is_ok_and(|said| said.trim() == "true")
}

/// The commits that touched the changelog, the oldest first, each with those that came before it.
pub fn commits_of_log(folder: &Path, tips: &[String]) -> Result<Vec<(String, Vec<String>)>> {
    let mut arguments = vec!["rev-list", "--topo-order", "--reverse", "--parents", "--full-history"];
    arguments.extend(tips.iter().map(String::as_str));
    arguments.extend(["--", LOG]);
    arguments.extend(ARCHIVES);
    let said = run(folder, &arguments)?;
    let line = |line: &str| {
        let mut words = line.split_whitespace().map(str::to_owned);
        Some((words.next()?, words.collect()))
    };
    Ok(said.lines().filter_map(line).collect())
}

/// The blobs that some files have in some commits.
pub fn blobs(folder: &Path, commits: &[String], paths: &[&str]) -> Result<Vec<Vec<Option<String>>>> {
    let asked = commits.iter().flat_map(|commit| paths.iter().map(move |path| format!("{commit}:./{path}\n")));
    let asked: String = asked.collect();
    let output = ask(folder, &["cat-file", "--batch-check=%(objectname) %(objecttype)"], &asked)?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let found: Vec<Option<String>> = said.lines().map(|line| line.strip_suffix(" blob").map(str::to_owned)).collect();
    Ok(found.chunks(paths.len().max(1)).map(<[_]>::to_vec).collect())
}

/// What some blobs say.
pub fn texts(folder: &Path, blobs: &[&str]) -> Result<Vec<String>> {
    let output = ask(folder, &["cat-file", "--batch=%(objectsize)"], &(blobs.join("\n") + "\n"))?;
    let mut rest = output.stdout.as_slice();
    let mut texts = Vec::with_capacity(blobs.len());
    for _ in blobs {
        let end = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
        let size: usize = String::from_utf8_lossy(&rest[..end]).trim().parse().unwrap_or(0);
        let text = rest.get(end + 1..end + 1 + size).unwrap_or_default();
        texts.push(String::from_utf8_lossy(text).into_owned());
        rest = rest.get(end + size + 2..).unwrap_or_default();
    }
    Ok(texts)
}

/// The commit that each line of a file comes from; none for one that no commit has.
pub fn blame(folder: &Path, path: &str) -> Vec<Option<String>> {
    let Ok(said) = run(folder, &["blame", "--porcelain", "--", path]) else { return Vec::new() };
    let mut commits = Vec::new();
    let mut commit = None;
    for line in said.lines() {
        if line.starts_with('\t') {
            commits.push(commit.take());
        } else if commit.is_none() {
            let word = line.split(' ').next().unwrap_or_default();
            commit = Some(word.to_owned()).filter(|word| word.bytes().any(|byte| byte != b'0'));
            if commit.is_none() {
                commit = Some(String::new());
            }
        }
    }
    commits.into_iter().map(|commit| commit.filter(|commit| !commit.is_empty())).collect()
}

/// The changelog and its archives in a commit, by their names.
pub fn logs_of(folder: &Path, commit: &str) -> Result<Vec<(&'static str, String)>> {
    let mut logs = Vec::new();
    for name in [ARCHIVES[0], ARCHIVES[1], LOG] {
        if let Ok(text) = run(folder, &["show", &format!("{commit}:./{name}")]) {
            logs.push((name, text));
        }
    }
    Ok(logs)
}

/// Runs git with something to read.
fn ask(folder: &Path, arguments: &[&str], asked: &str) -> Result<Output> {
    let failed = |error: std::io::Error| Error::unavailable(format!("git cannot be run: {error}")).hint("install git");
    let mut child = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(failed)?;
    let input = child.stdin.take();
    std::thread::scope(|scope| {
        // It answers while it reads: whoever writes everything first waits for ever.
        scope.spawn(move || input.map(|mut input| input.write_all(asked.as_bytes())));
        child.wait_with_output()
    })
    .map_err(failed)
}
