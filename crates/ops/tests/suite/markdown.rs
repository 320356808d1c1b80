//! A project that keeps to the Markdown protocol, through the operations of the library.

#[path = "markdown/expired.rs"]
mod expired;
#[path = "markdown/histories.rs"]
mod histories;
#[path = "markdown/mutations.rs"]
mod mutations;

use std::fs;
use std::path::PathBuf;

use idetic_ops::{Kind, Result};
use serde_json::{Value, json};

use super::hermetic::Hermetic;

/// A project in a temporary folder, kept in a space of a home.
pub struct Project<'h> {
    home: &'h Hermetic,
    pub folder: PathBuf,
    space: String,
}

impl<'h> Project<'h> {
    pub fn new(home: &'h Hermetic, name: &str) -> Self {
        let folder = home.folder.path().join("projects").join(name);
        fs::create_dir_all(&folder).expect("a folder");
        Self { home, folder, space: format!("test/{name}") }
    }

    /// Runs an operation about the project.
    pub fn run(&self, operation: &str, mut arguments: Value) -> (Vec<Value>, Result<()>) {
        arguments["project"] = json!(self.folder);
        let (lines, end) = self.home.call_all(&self.space, operation, &arguments.to_string());
        (lines.iter().map(|line| serde_json::from_str(line).expect("JSON")).collect(), end)
    }

    /// The same where nothing may go wrong.
    pub fn ok(&self, operation: &str, arguments: Value) -> Vec<Value> {
        let (lines, end) = self.run(operation, arguments);
        end.unwrap_or_else(|error| panic!("{operation}: {error}: {lines:?}"));
        lines
    }

    /// What `md validate` finds: rule, file, line and event, errors first.
    pub fn findings(&self) -> Vec<(String, String, u64, String)> {
        let (lines, end) = self.run("md validate", json!({}));
        let report = lines.first().expect("a report");
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let troubles = report["troubles"].as_array().expect("a list");
        let has_errors = troubles.iter().any(|trouble| trouble["severity"] == "error");
        assert_eq!(end.as_ref().err().map(|error| error.kind), has_errors.then_some(Kind::CheckFailed), "{report}");
        let of = |t: &Value| (text(&t["rule"]), text(&t["file"]), t["line"].as_u64().unwrap_or(0), text(&t["event"]));
        troubles.iter().map(of).collect()
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.folder.join(name)).unwrap_or_default()
    }

    pub fn write(&self, name: &str, text: &str) {
        let path = self.folder.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        fs::write(path, text).expect("writes");
    }

    /// Appends a record elsewhere.
    pub fn append_elsewhere(&self, record: &Value) {
        self.home.append(&self.space, &[record.to_string()]);
    }
}
