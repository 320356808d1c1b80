//! The list of files that belong to the repository, and their text.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Every path relative to `root`, with `/` as the separator.
///
/// Files git does not know yet count too, so that a forgotten `git add` does
/// not hide a finding; hidden ones do not, because they are the private
/// folders of tools. Without git the directory itself is the answer.
pub fn list(root: &Path) -> BTreeSet<String> {
    let mut paths: BTreeSet<String> = git_ls_files(root, &["--cached"]).into_iter().collect();
    let untracked = git_ls_files(root, &["--others", "--exclude-standard"]);
    paths.extend(untracked.into_iter().filter(|path| !is_hidden(path)));
    // A file deleted but not yet committed is still in the index.
    paths.retain(|path| root.join(path).symlink_metadata().is_ok());
    if paths.is_empty() {
        walk(root, "", &mut paths);
    }
    paths
}

/// The text of a regular file, or nothing for binaries and symbolic links.
pub fn text(root: &Path, path: &str) -> Option<String> {
    let full = root.join(path);
    if !full.symlink_metadata().ok()?.is_file() {
        return None;
    }
    let text = String::from_utf8(fs::read(full).ok()?).ok()?;
    (!text.contains('\0')).then_some(text)
}

fn is_hidden(path: &str) -> bool {
    path.split('/').any(|part| part.starts_with('.'))
}

/// Empty when git is missing or `root` is no repository: the caller walks then.
fn git_ls_files(root: &Path, selection: &[&str]) -> Vec<String> {
    let mut git = Command::new("git");
    git.arg("-C").arg(root).args(["ls-files", "-z"]);
    let Ok(output) = git.args(selection).output() else {
        return Vec::new();
    };
    if !output.status.success() {
        return Vec::new();
    }
    String::from_utf8_lossy(&output.stdout).split_terminator('\0').map(str::to_owned).collect()
}

fn walk(root: &Path, folder: &str, paths: &mut BTreeSet<String>) {
    let Ok(entries) = fs::read_dir(root.join(folder)) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if folder.is_empty() && (name == ".git" || name == "target") {
            continue;
        }
        let path = if folder.is_empty() { name } else { format!("{folder}/{name}") };
        // `file_type` does not follow links, so a link cannot make a loop.
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            walk(root, &path, paths);
        } else {
            paths.insert(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::scratch::Scratch;

    fn git(root: &Path, arguments: &[&str]) {
        let mut git = Command::new("git");
        let status = git.arg("-C").arg(root).args(arguments).status().expect("git runs");
        assert!(status.success());
    }

    #[test]
    fn without_git_it_lists_the_directory_but_not_target() {
        let scratch = Scratch::new("tree-walk");
        scratch.write("a/b.txt", "");
        scratch.write("target/x", "");
        scratch.write(".git/x", "");
        let paths = list(scratch.root());
        assert_eq!(paths.into_iter().collect::<Vec<_>>(), ["a/b.txt"]);
    }

    #[test]
    fn with_git_untracked_hidden_and_ignored_files_do_not_count() {
        let scratch = Scratch::new("tree-git");
        scratch.write(".gitignore", "ignored.txt\n");
        scratch.write("ignored.txt", "");
        scratch.write("new.txt", "");
        scratch.write(".tool/settings", "");
        scratch.write("gone.txt", "");
        git(scratch.root(), &["init", "--quiet"]);
        git(scratch.root(), &["add", ".gitignore", "gone.txt"]);
        fs::remove_file(scratch.root().join("gone.txt")).expect("the file is there");
        let paths = list(scratch.root());
        let paths: Vec<_> = paths.into_iter().collect();
        assert_eq!(paths, [".gitignore", "new.txt"]);
    }

    #[test]
    fn a_binary_has_no_text() {
        let scratch = Scratch::new("tree-text");
        scratch.write("zero", "a\0b");
        scratch.write("text", "ab");
        assert_eq!(text(scratch.root(), "zero"), None);
        assert_eq!(text(scratch.root(), "text").as_deref(), Some("ab"));
        assert_eq!(text(scratch.root(), "missing"), None);
    }
}
