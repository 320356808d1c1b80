//! A place of its own to run the program in: a temporary folder, a cleared environment, nothing of the machine's.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

/// A temporary folder in which the program is run, with a home in it.
pub struct Place {
    folder: TempDir,
}

/// What a run of the program left behind.
#[derive(Debug, PartialEq, Eq)]
pub struct Answer {
    /// The exit code; -1 when a signal ended it.
    pub code: i32,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl Place {
    /// A place without a home.
    pub fn bare() -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder can be made") }
    }

    /// A place with an empty home.
    pub fn new() -> Self {
        Self::bare().with_home()
    }

    /// The same on a disk of one's own.
    pub fn on(disk: &Path) -> Self {
        Self { folder: tempfile::tempdir_in(disk).expect("a temporary folder can be made") }.with_home()
    }

    fn with_home(self) -> Self {
        let place = self;
        let home = place.home();
        place.ok(&["init", home.to_str().expect("temporary folders have plain names")]);
        place
    }

    /// A path in this place.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A path in this place as an argument.
    pub fn arg(&self, name: &str) -> String {
        self.path(name).to_str().expect("temporary folders have plain names").to_owned()
    }

    /// The home that `IDETIC_HOME` names.
    pub fn home(&self) -> PathBuf {
        self.path("home")
    }

    /// Where the default space is kept.
    pub fn space(&self) -> PathBuf {
        self.home().join("spaces/local/default")
    }

    /// Writes a file and gives its path as an argument.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        std::fs::write(self.path(name), bytes).expect("a file can be written");
        self.arg(name)
    }

    /// The program in this place, not yet started.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_idetic"));
        command
            .args(args)
            .current_dir(self.folder.path())
            .env_clear()
            .env("IDETIC_HOME", self.home())
            .env("XDG_DATA_HOME", self.path("data"))
            .env("HOME", self.path("user"))
            .env("TZ", "UTC");
        command
    }

    /// Runs the program without input.
    pub fn run(&self, args: &[&str]) -> Answer {
        Answer::of(self.command(args).stdin(Stdio::null()).output().expect("the program starts"))
    }

    /// Runs the program on an input.
    pub fn feed(&self, args: &[&str], input: impl AsRef<[u8]> + Send) -> Answer {
        let mut command = self.command(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let mut stdin = child.stdin.take().expect("it was piped");
        std::thread::scope(|scope| {
            // A program that refuses its input stops reading it: that this fails is then no concern of the test.
            scope.spawn(move || stdin.write_all(input.as_ref()));
            Answer::of(child.wait_with_output().expect("the program ends"))
        })
    }

    /// Runs the program, which must succeed without a word of complaint.
    pub fn ok(&self, args: &[&str]) -> String {
        self.run(args).ok()
    }

    /// Runs the program with `--json`; the answer is one object.
    pub fn json(&self, args: &[&str]) -> Value {
        one(self.lines(args))
    }

    /// Runs the program with `--json`; the answer is one object a line.
    pub fn lines(&self, args: &[&str]) -> Vec<Value> {
        json_lines(&self.ok(&[&["--json"], args].concat()))
    }

    /// Appends lines as one batch and gives their seqs.
    pub fn append(&self, lines: &[impl AsRef<str>]) -> Vec<u64> {
        let text: String = lines.iter().map(|l| format!("{}\n", l.as_ref())).collect();
        let file = self.write("batch.jsonl", text);
        seqs(&json_lines(&self.ok(&["append", &file])))
    }

    /// Runs the program and watches it: the most memory it had in KiB, where the system tells, and its exit code.
    pub fn watch(&self, args: &[&str]) -> (Option<u64>, Option<i32>) {
        let command = &mut self.command(args);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program starts");
        let mut peak = None;
        loop {
            if let Some(ended) = child.try_wait().expect("it can be waited for") {
                return (peak, ended.code());
            }
            peak = peak.max(peak_kib(child.id()));
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// How many events the default space has.
    pub fn events(&self) -> u64 {
        number(&self.json(&["status"])["events"])
    }

    /// Checks the whole log.
    pub fn verify(&self) {
        let answer = self.run(&["verify", "--json"]);
        assert_eq!((answer.code, answer.err.as_str()), (0, ""), "the log is not sound: {answer:?}");
    }
}

impl Answer {
    /// What a finished process left behind.
    pub fn of(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).expect("the output is UTF-8"),
            err: String::from_utf8(output.stderr).expect("the messages are UTF-8"),
        }
    }

    /// The output of a run that succeeded without a word of complaint.
    pub fn ok(self) -> String {
        assert_eq!((self.code, self.err.as_str()), (0, ""), "it should have succeeded; it said: {}", self.out);
        self.out
    }

    /// The message and the hint of a run that was refused with this code: one line what, one line what to do.
    pub fn refused(&self, code: i32) -> (String, String) {
        assert_eq!(self.code, code, "{self:?}");
        let lines: Vec<&str> = self.err.lines().filter(|l| !l.starts_with("note: ")).collect();
        let [what, hint] = lines[..] else { panic!("not one line what and one line what to do: {self:?}") };
        let what = what.strip_prefix("error: ").unwrap_or_else(|| panic!("no error line: {self:?}"));
        let hint = hint.strip_prefix("  try: ").unwrap_or_else(|| panic!("no line what to do: {self:?}"));
        assert!(!what.is_empty() && !hint.is_empty(), "{self:?}");
        (what.to_owned(), hint.to_owned())
    }

    /// The error object of a run that was refused with this code under `--json`.
    pub fn refused_json(&self, code: i32) -> Value {
        assert_eq!(self.code, code, "{self:?}");
        let error = one(json_lines(&self.err));
        for key in ["kind", "message", "hint"] {
            assert!(error["error"][key].as_str().is_some_and(|s| !s.is_empty()), "no {key}: {self:?}");
        }
        error["error"].clone()
    }
}

/// Each line as JSON.
pub fn json_lines(text: &str) -> Vec<Value> {
    let read = |line| serde_json::from_str(line).unwrap_or_else(|e| panic!("not JSON ({e}): {line}"));
    text.lines().map(read).collect()
}

/// The one object there must be.
pub fn one(values: Vec<Value>) -> Value {
    assert_eq!(values.len(), 1, "one object was expected: {values:?}");
    assert!(values[0].is_object(), "an object was expected: {values:?}");
    values[0].clone()
}

/// A number that must be there.
pub fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("not a number: {value}"))
}

/// The seqs of events or acknowledgements.
pub fn seqs(values: &[Value]) -> Vec<u64> {
    values.iter().map(|v| number(&v["seq"])).collect()
}

/// The text of a field.
pub fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_else(|| panic!("no text '{key}' in {value}"))
}

/// A plain record with this content.
pub fn said(content: &str) -> String {
    serde_json::json!({"kind": "user_input", "content": content}).to_string()
}

/// Copies the files of a folder, not the folders in it.
pub fn copy_files(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder can be made");
    for entry in std::fs::read_dir(from).expect("the folder is there") {
        let entry = entry.expect("its entries can be read");
        if entry.file_type().is_ok_and(|t| t.is_file()) {
            std::fs::copy(entry.path(), to.join(entry.file_name())).expect("a file can be copied");
        }
    }
}

/// The most memory a running process has had, where the system tells.
pub fn peak_kib(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_ascii_whitespace().nth(1)?.parse().ok()
}

/// Whether the long campaigns were asked for.
pub fn is_long_run() -> bool {
    std::env::var_os("IDETIC_LONG").is_some_and(|v| v == "1")
}

/// Says a figure, or that something was skipped, past the harness that keeps back what tests print.
pub fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "idetic: {text}");
}
