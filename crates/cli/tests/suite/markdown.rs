//! Projects that keep to the Markdown protocol, worked on by the program, by git and by hand.

mod branches;
mod branches_archive;
mod editing;
mod git_life;
mod killed;
mod random_histories;
mod refusals;
mod same_number;
mod samples;
mod story;
mod together;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use super::place::{Answer, Place, json_lines, one, text};

const LOG: &str = "CHANGELOG.md";
const ARCHIVE: &str = "CHANGELOG-archive.md";
const GRAPH: &str = ".memory/graph.md";
const CONTEXT: &str = ".memory/context.md";
const TODO: &str = "TODO.md";
const AGENTS: &str = "AGENTS.md";

/// A folder in a place that keeps to the protocol, with a home of its own in it.
struct Project<'p> {
    place: &'p Place,
    folder: PathBuf,
}

/// An event of a changelog, read by the simplest of readers.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Told {
    number: u64,
    kind: String,
    summary: String,
    refs: Vec<u64>,
}

impl<'p> Project<'p> {
    /// An empty folder.
    fn bare(place: &'p Place, name: &str) -> Self {
        let folder = place.path(name);
        std::fs::create_dir_all(&folder).expect("a folder can be made");
        Self { place, folder }
    }

    /// A project that has begun, without git.
    fn plain(place: &'p Place, name: &str) -> Self {
        let project = Self::bare(place, name);
        project.ok(&["md", "init"]);
        project
    }

    /// A project that has begun, in a git repository with its first commit.
    fn in_git(place: &'p Place, name: &str) -> Self {
        let project = Self::bare(place, name);
        project.git(&["init", "--quiet", "--initial-branch", "main"]);
        project.name_committer();
        project.ok(&["md", "init"]);
        project.commit("Begin");
        project
    }

    /// Another clone of it, with a home of its own.
    fn cloned(&self, name: &str) -> Self {
        let from = self.folder.to_str().expect("temporary folders have plain names");
        let clone = Self::bare(self.place, name);
        clone.git(&["clone", "--quiet", from, "."]);
        clone.name_committer();
        clone.ok(&["md", "init"]);
        clone
    }

    fn name_committer(&self) {
        self.git(&["config", "user.name", "Somebody"]);
        self.git(&["config", "user.email", "somebody@example.org"]);
    }

    /// The same in another folder, the home with it.
    fn copied(&self, name: &str) -> Self {
        let copy = Self::bare(self.place, name);
        copy_all(&self.folder, &copy.folder);
        copy
    }

    /// The program in the project, not yet started.
    fn command(&self, args: &[&str]) -> Command {
        let mut command = self.place.command(args);
        self.surround(&mut command);
        command.env_remove("IDETIC_HOME");
        command
    }

    fn surround(&self, command: &mut Command) {
        command
            .current_dir(&self.folder)
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.place.path("user"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CEILING_DIRECTORIES", self.place.path(""))
            .stdin(Stdio::null());
    }

    /// Runs the program.
    fn run(&self, args: &[&str]) -> Answer {
        Answer::of(self.command(args).output().expect("the program starts"))
    }

    /// Runs the program, which must succeed; it may say notes.
    fn ok(&self, args: &[&str]) -> String {
        let answer = self.run(args);
        assert_eq!(answer.code, 0, "{args:?} in {}: {answer:?}", self.folder.display());
        answer.out
    }

    /// Runs the program with `--json`, which must succeed with one object.
    fn json(&self, args: &[&str]) -> Value {
        one(self.lines(args))
    }

    /// The same with one object a line.
    fn lines(&self, args: &[&str]) -> Vec<Value> {
        json_lines(&self.ok(&[args, &["--json"]].concat()))
    }

    /// Runs git.
    fn run_git(&self, args: &[&str]) -> Answer {
        let mut command = Command::new("git");
        command.args(args).env_clear();
        self.surround(&mut command);
        Answer::of(command.output().expect("git starts"))
    }

    /// Runs git, which must succeed.
    fn git(&self, args: &[&str]) -> String {
        let answer = self.run_git(args);
        assert_eq!(answer.code, 0, "git {args:?} in {}: {answer:?}", self.folder.display());
        answer.out
    }

    /// Commits everything that is not ignored.
    fn commit(&self, message: &str) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "-m", message]);
    }

    /// Appends an event with the program; gives its number.
    fn append(&self, kind: &str, scope: &str, summary: &str, more: &[&str]) -> u64 {
        let args = ["md", "append", kind, "--scope", scope, "--summary", summary, "--agent", "builder"];
        number_of(text(&self.json(&[&args, more].concat()), "event"))
    }

    /// Appends records to the log of the project, not to its files.
    fn append_elsewhere(&self, records: &[String]) {
        let file = self.folder.join(".idetic/batch.jsonl");
        std::fs::write(&file, records.join("\n") + "\n").expect("a file can be written");
        self.ok(&["append", file.to_str().expect("temporary folders have plain names")]);
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn has(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|e| panic!("{name} in {}: {e}", self.folder.display()))
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("it is in the project")).expect("a folder can be made");
        std::fs::write(path, text).expect("a file can be written");
    }

    /// Adds to the end of the changelog by hand.
    fn write_by_hand(&self, blocks: &str) {
        self.write(LOG, &format!("{}\n{blocks}", self.read(LOG)));
    }

    /// The events of the archive and the changelog, as they stand.
    fn told(&self) -> Vec<Told> {
        let archive = if self.has(ARCHIVE) { self.read(ARCHIVE) } else { String::new() };
        let mut all = told(&archive);
        all.extend(told(&self.read(LOG)));
        all
    }

    /// Every summary with how often it is there.
    fn summaries(&self) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for event in self.told() {
            *counts.entry(event.summary).or_default() += 1;
        }
        counts
    }

    /// Every event that was told must be there once, with the numbers 1, 2, 3… over archive and changelog.
    fn is_sequential(&self) {
        let numbers: Vec<u64> = self.told().iter().map(|event| event.number).collect();
        let wanted: Vec<u64> = (1..=numbers.len() as u64).collect();
        assert_eq!(numbers, wanted, "1, 2, 3… without a gap in {}", self.folder.display());
    }

    /// Checks every rule: none must be broken.
    fn validate(&self) {
        let answer = self.run(&["md", "validate"]);
        assert_eq!(answer.code, 0, "{} breaks rules:\n{}{}", self.folder.display(), answer.out, answer.err);
    }

    /// Brings everything in step, which must find nothing wrong.
    fn sync(&self) -> Value {
        self.json(&["md", "sync"])
    }

    /// Boots, which must find nothing wrong.
    fn boot(&self) -> Value {
        self.json(&["md", "boot"])
    }

    /// Checks the whole log.
    fn verify(&self) {
        self.ok(&["verify"]);
    }

    /// What is wrong as `md sync` or `md validate` tells it, which must end with 1.
    fn troubles(&self, command: &str) -> Vec<Value> {
        let answer = self.run(&["md", command, "--json"]);
        assert_eq!(answer.code, 1, "{command}: {answer:?}");
        let report = one(json_lines(&answer.out));
        let all = report["troubles"].as_array().expect("a list of troubles").clone();
        all.into_iter().filter(|trouble| trouble["severity"] == "error").collect()
    }

    /// Every file of the project that is not git's or the home's, with what it says.
    fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut found = BTreeMap::new();
        gather(&self.folder, &mut found);
        found
    }
}

fn gather(folder: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in std::fs::read_dir(folder).expect("a folder can be read") {
        let path = entry.expect("its entries can be read").path();
        if path.ends_with(".git") || path.ends_with(".idetic") {
            continue;
        }
        if path.is_dir() {
            gather(&path, found);
        } else {
            found.insert(path.clone(), std::fs::read(&path).expect("a file can be read"));
        }
    }
}

fn copy_all(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder can be made");
    for entry in std::fs::read_dir(from).expect("the folder is there") {
        let path = entry.expect("its entries can be read").path();
        let new = to.join(path.file_name().expect("an entry has a name"));
        if path.is_dir() {
            copy_all(&path, &new);
        } else {
            std::fs::copy(&path, &new).expect("a file can be copied");
        }
    }
}

/// The events of a text in the second format.
fn told(text: &str) -> Vec<Told> {
    let mut events: Vec<Told> = Vec::new();
    for line in text.lines() {
        if let Some(heading) = line.strip_prefix("### evt-") {
            let parts: Vec<&str> = heading.split(" | ").collect();
            let number = parts[0].parse().unwrap_or_else(|_| panic!("no number: {line}"));
            let kind = parts.last().expect("split gives one").to_string();
            events.push(Told { number, kind, summary: String::new(), refs: Vec::new() });
        }
        let Some(event) = events.last_mut() else { continue };
        if let Some(summary) = line.strip_prefix("**Summary**: ") {
            event.summary = summary.to_owned();
        }
        if let Some(refs) = line.strip_prefix("**Refs**: ").filter(|refs| *refs != "none") {
            event.refs = refs.split(", ").map(number_of).collect();
        }
    }
    events
}

/// The number of `evt-007`.
fn number_of(name: &str) -> u64 {
    let digits = name.strip_prefix("evt-").unwrap_or_else(|| panic!("no event: {name}"));
    digits.parse().unwrap_or_else(|_| panic!("no event: {name}"))
}

/// A block as somebody writes it by hand; the clock is a day and a time of day.
fn block(number: u64, clock: &str, summary: &str, refs: &str) -> String {
    format!(
        "### evt-{number:03} | {clock} | hand | modify\n\n**Scope**: app\n**Summary**: {summary}\n\n**Details**:\n\
         - entity: app\n\n**Refs**: {refs}\n**Tags**: none\n"
    )
}

/// The day and the time of day so many minutes ago, as the program writes them.
fn clock(minutes_ago: i64) -> String {
    let time = jiff::Timestamp::now() - jiff::SignedDuration::from_mins(minutes_ago);
    time.strftime("%Y-%m-%d %H:%M").to_string()
}

/// A record for `append` that belongs into the changelog.
fn record(kind: &str, summary: &str, more: &Value) -> String {
    let mut record = serde_json::json!({"kind": kind, "scope": "app", "summary": summary, "author": "elsewhere"});
    for (key, value) in more.as_object().into_iter().flatten() {
        record[key] = value.clone();
    }
    record.to_string()
}
