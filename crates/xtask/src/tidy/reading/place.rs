//! What a file's path alone says about it.

/// The folder under `crates/` the path lies in.
pub fn crate_of(path: &str) -> Option<&str> {
    let (folder, _) = path.strip_prefix("crates/")?.split_once('/')?;
    Some(folder)
}

/// Whether some folder above the file is called `tests`.
pub fn in_tests_folder(path: &str) -> bool {
    let folders = path.rsplit_once('/').map_or("", |(folders, _)| folders);
    folders.split('/').any(|folder| folder == "tests")
}

/// Whether cargo compiles the file as the root of a target, which decides
/// where its `mod` declarations look.
pub fn is_crate_root(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    matches!(
        parts.as_slice(),
        ["crates", _, "build.rs"]
            | ["crates", _, "src", "lib.rs" | "main.rs"]
            | ["crates", _, "src", "bin", _]
            | ["crates", _, "src", "bin", _, "main.rs"]
            | ["crates", _, "tests" | "benches" | "examples", _]
            | ["crates", _, "tests" | "benches" | "examples", _, "main.rs"]
    )
}

/// Joins two `/` paths and resolves `.` and `..`, so that paths can be
/// compared as text. What leaves the repository starts with `..` afterwards.
pub fn join(folder: &str, path: &str) -> String {
    let mut parts = Vec::new();
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_paths_are_plain() {
        assert_eq!(join("docs/a", "../b.md"), "docs/b.md");
        assert_eq!(join("", "./b.md"), "b.md");
        assert_eq!(join("docs", "../../b/../c.md"), "../c.md");
    }

    #[test]
    fn a_crate_is_named_by_its_folder() {
        assert_eq!(crate_of("crates/core/src/lib.rs"), Some("core"));
        assert_eq!(crate_of("crates/README.md"), None);
        assert_eq!(crate_of("docs/a.md"), None);
    }

    #[test]
    fn only_a_folder_makes_a_test_file() {
        assert!(in_tests_folder("crates/core/tests/all.rs"));
        assert!(in_tests_folder("crates/core/src/a/tests/b.rs"));
        assert!(!in_tests_folder("crates/core/src/tests.rs"));
    }

    #[test]
    fn a_module_called_main_is_no_root() {
        assert!(is_crate_root("crates/core/tests/all.rs"));
        assert!(is_crate_root("crates/cli/src/main.rs"));
        assert!(!is_crate_root("crates/cli/src/a/main.rs"));
        assert!(!is_crate_root("crates/core/tests/cases/a.rs"));
    }
}
