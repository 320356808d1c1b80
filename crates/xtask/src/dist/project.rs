//! The files of the repository that go into packages, and the one version that all of them have.

use std::path::{Path, PathBuf};

use super::archive::File;

pub struct Project {
    root: PathBuf,
    pub version: String,
}

impl Project {
    /// Refused where Cargo, Python and npm are to publish different versions.
    pub fn read(root: &Path) -> Result<Self, String> {
        let project = Self { root: root.to_owned(), version: String::new() };
        let cargo: toml::Table = project.toml("Cargo.toml")?;
        let version = cargo["workspace"]["package"]["version"].as_str().unwrap_or_default().to_owned();
        let python = project.toml("clients/python/pyproject.toml")?["project"]["version"].as_str().map(str::to_owned);
        let node: serde_json::Value = serde_json::from_str(&project.text("clients/typescript/package.json")?)
            .map_err(|error| format!("clients/typescript/package.json: {error}"))?;
        for (file, other) in [("pyproject.toml", python.as_deref()), ("package.json", node["version"].as_str())] {
            if other != Some(version.as_str()) {
                return Err(format!("Cargo.toml is version {version}, but {file} is {}", other.unwrap_or("none")));
            }
        }
        Ok(Self { version, ..project })
    }

    pub fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    pub fn text(&self, relative: &str) -> Result<String, String> {
        std::fs::read_to_string(self.path(relative)).map_err(|error| format!("cannot read {relative}: {error}"))
    }

    pub fn toml(&self, relative: &str) -> Result<toml::Table, String> {
        self.text(relative)?.parse().map_err(|error| format!("{relative}: {error}"))
    }
}

/// Every file below a folder, in order, by its path from there.
pub fn files_below(folder: &Path) -> Result<Vec<File>, String> {
    let failed = |error: std::io::Error| format!("cannot read {}: {error}", folder.display());
    let mut entries = std::fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>).map_err(failed)?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    let mut files = Vec::new();
    for entry in entries {
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        if path.is_dir() {
            files.extend(files_below(&path)?.into_iter().map(|file| file.below(&name)));
        } else {
            files.push(File::new(name, std::fs::read(&path).map_err(failed)?));
        }
    }
    Ok(files)
}
