//! Where a run happens: a folder on the real disk with copies of both programs, removed at the end.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::clocks::{Measured, children_cpu};
use super::task::Task;

/// The folder of one run. What is built while it runs does not change what is measured: the programs are copies.
pub struct Ground {
    folder: PathBuf,
    bench: PathBuf,
    idetic: PathBuf,
}

impl Ground {
    /// Builds the program and makes a folder in the target directory.
    pub fn prepare(root: &Path) -> Result<Self, String> {
        let own = std::env::current_exe().map_err(|e| format!("cannot tell where this program is: {e}"))?;
        let release = own.parent().ok_or("this program has no folder")?;
        let target = release.parent().ok_or("this program is in no target directory")?;
        remove_left_behind(target);
        let folder = target.join(format!("{PREFIX}{}", std::process::id()));
        let ground = Self { bench: folder.join("bench"), idetic: folder.join("idetic"), folder };
        fs::create_dir_all(&ground.folder).map_err(|e| format!("{}: {e}", ground.folder.display()))?;
        // By this name it is found even after somebody else has built another one in its place.
        copy(Path::new("/proc/self/exe"), &ground.bench)?;
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut build = Command::new(cargo);
        build.current_dir(root).args(["build", "--release", "--quiet", "--package", "idetic"]).stdout(Stdio::null());
        succeed(&mut build, "cargo build")?;
        copy(&release.join("idetic"), &ground.idetic)?;
        Ok(ground)
    }

    /// The folder itself.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// An empty folder with this name, whatever was in it before.
    pub fn fresh(&self, name: &str) -> Result<PathBuf, String> {
        let folder = self.folder.join(name);
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        }
        fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        Ok(folder)
    }

    /// The home with so many events.
    pub fn home(&self, events: u64) -> PathBuf {
        self.folder.join(format!("home-{events}"))
    }

    /// A task in a process of its own.
    pub fn child(&self, task: &Task) -> Result<Command, String> {
        let mut command = Command::new(&self.bench);
        command.arg("child").arg(serde_json::to_string(task).map_err(|e| e.to_string())?);
        Ok(command)
    }

    /// Runs a task and says what it took.
    pub fn measure(&self, task: &Task) -> Result<Measured, String> {
        let output = self.child(task)?.stderr(Stdio::inherit()).output().map_err(|e| format!("a child: {e}"))?;
        parse_answer(output.status.success(), &output.stdout, task)
    }

    /// Runs several tasks at the same time, each in its process.
    pub fn measure_together(&self, tasks: &[Task]) -> Result<Measured, String> {
        let children = tasks.iter().map(|task| {
            let spawned = self.child(task)?.stdout(Stdio::piped()).spawn();
            spawned.map_err(|e| format!("a child: {e}"))
        });
        let children: Vec<_> = children.collect::<Result<_, _>>()?;
        let mut all = Vec::with_capacity(tasks.len());
        for (child, task) in children.into_iter().zip(tasks) {
            let output = child.wait_with_output().map_err(|e| format!("a child: {e}"))?;
            all.push(parse_answer(output.status.success(), &output.stdout, task)?);
        }
        Ok(Measured::together(&all))
    }

    /// The real program on a home.
    pub fn idetic(&self, home: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.idetic);
        command.arg("--home").arg(home).args(arguments).env_remove("IDETIC_HOME");
        command
    }

    /// Processor time of a whole process of the real program, in microseconds, over many runs.
    pub fn idetic_cpu_us(&self, home: &Path, arguments: &[&str], times: u32) -> Result<f64, String> {
        let before = children_cpu()?;
        for _ in 0..times {
            succeed(self.idetic(home, arguments).stdout(Stdio::null()), &arguments.join(" "))?;
        }
        Ok((children_cpu()? - before).as_secs_f64() * 1e6 / f64::from(times))
    }
}

/// What the folder of a run is called, before the number of its process.
const PREFIX: &str = "bench-run-";

impl Drop for Ground {
    fn drop(&mut self) {
        // What stays behind is removed by the next run.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// A run that was interrupted could not clean up. One whose process still lives is another run and is left alone.
fn remove_left_behind(target: &Path) {
    for entry in fs::read_dir(target).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let process = name.strip_prefix(PREFIX);
        if process.is_some_and(|process| !Path::new("/proc").join(process).exists()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    fs::copy(from, to).map(drop).map_err(|e| format!("cannot copy {}: {e}", from.display()))
}

/// Runs a command that must not fail.
pub fn succeed(command: &mut Command, what: &str) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{what}: {status}")),
        Err(error) => Err(format!("{what}: {error}")),
    }
}

fn parse_answer(succeeded: bool, stdout: &[u8], task: &Task) -> Result<Measured, String> {
    let text = String::from_utf8_lossy(stdout);
    match serde_json::from_str(text.trim()) {
        Ok(measured) if succeeded => Ok(measured),
        _ => Err(format!("a measuring child failed: {task:?}")),
    }
}
