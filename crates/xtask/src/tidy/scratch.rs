//! A throw-away folder for tests that need real files.

use std::fs;
use std::path::{Path, PathBuf};

pub struct Scratch(PathBuf);

impl Scratch {
    /// The name must be unique among the tests, which run at the same time.
    pub fn new(name: &str) -> Self {
        let folder = format!("xtask-{name}-{}", std::process::id());
        let root = std::env::temp_dir().join(folder);
        fs::create_dir_all(&root).expect("the temporary directory is writable");
        Self(root)
    }

    pub fn root(&self) -> &Path {
        &self.0
    }

    pub fn write(&self, path: &str, text: &str) {
        let full = self.0.join(path);
        fs::create_dir_all(full.parent().expect("the root is above it")).expect("a folder can be made");
        fs::write(full, text).expect("a file can be written");
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A folder left behind in the temporary directory harms nobody.
        let _ = fs::remove_dir_all(&self.0);
    }
}
