//! Python with pinned packages in the target directory, installed once however many tests want it.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What is installed. Another version may behave otherwise.
const REQUIREMENTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/python/requirements.txt");

/// One of the scripts beside the requirements.
pub fn script(name: &str) -> String {
    let path = Path::new(REQUIREMENTS).with_file_name(name);
    path.to_str().expect("the path of the sources is text").to_owned()
}

/// The Python that has the packages.
pub fn with_packages() -> String {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    fs::create_dir_all(&folder).expect("the target directory can be written");
    // Held until this function ends, also against other test processes.
    let lock = File::create(folder.join("agent-python.lock")).expect("the target directory can be written");
    lock.lock().expect("the file system has locks");
    let venv = folder.join("agent-python");
    let (stamp, python) = (venv.join("installed.txt"), venv.join("bin/python"));
    let wanted = fs::read_to_string(REQUIREMENTS).expect("the list of packages is there");
    if !fs::read_to_string(&stamp).is_ok_and(|there| there == wanted) {
        run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&venv));
        let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", REQUIREMENTS];
        run(Command::new(&python).args(install));
        fs::write(&stamp, wanted).expect("the target directory can be written");
    }
    python.to_str().expect("the path of the target directory is text").to_owned()
}

fn run(command: &mut Command) {
    let output = command.stdin(Stdio::null()).output().expect("python3 with its module venv is needed for this");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {} {said}", output.status);
}
