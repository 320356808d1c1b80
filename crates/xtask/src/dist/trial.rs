//! The packages tried as a person would: each installed in a fresh folder, something remembered and recalled with it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::project::Project;
use super::{Step, megabytes, registry, run};

/// Installs the packages that lie in a folder, and prints what each took.
pub fn start(project: &Project, out: &Path, steps: &[Step]) -> Result<(), String> {
    let out = out.canonicalize().map_err(|error| format!("{}: {error}; run `dist` first", out.display()))?;
    let scratch = std::env::temp_dir().join(format!("idetic-trial-{}", std::process::id()));
    let outcome = steps.iter().try_for_each(|step| {
        let folder = scratch.join(format!("{step:?}").to_lowercase());
        std::fs::create_dir_all(&folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
        let trial = Trial { out: &out, folder, version: &project.version, began: Instant::now() };
        let (package, took) = match step {
            Step::Wheel => trial.wheel(),
            Step::Npm => trial.npm(),
            Step::Deb => trial.deb(),
            Step::Tar => trial.tar(),
            Step::Brew => Err("the formula is tried by `brew test`".to_owned()),
        }?;
        let bytes = std::fs::metadata(&package).map_or(0, |about| about.len());
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        let (size, seconds) = (megabytes(bytes), took.as_secs_f64());
        println!("{step:?}: {size:.1} MB, {seconds:.0} s until something is recalled");
        Ok(())
    });
    let _ = std::fs::remove_dir_all(&scratch);
    outcome
}

struct Trial<'a> {
    out: &'a Path,
    folder: PathBuf,
    version: &'a str,
    began: Instant,
}

/// What was installed, and how long it took until something was recalled with it.
type Tried = Result<(PathBuf, Duration), String>;

impl Trial<'_> {
    /// A new environment of Python has the program and the client; auditwheel finds that the wheel keeps what its tag promises.
    fn wheel(&self) -> Tried {
        let is_ours = |name: &str| name.ends_with(".whl") && !name.ends_with("-any.whl");
        let wheel = self.package(&format!("idetic-{}-py3-none-", self.version), is_ours)?;
        let venv = self.folder.join("venv");
        run(Command::new("python3").args(["-m", "venv"]).arg(&venv))?;
        let program = |name: &str| venv.join("bin").join(name);
        run(Command::new(program("pip")).args(["install", "--quiet"]).arg(&wheel))?;
        let took = self.first_recall(&program("idetic"))?;
        run(self.fresh(&program("python")).args(["-c", "import idetic; idetic.Idetic().close()"]))?;
        if wheel.to_string_lossy().contains("manylinux") {
            run(Command::new(program("pip")).args(["install", "--quiet", "auditwheel"]))?;
            let told = self.printed(self.fresh(&program("auditwheel")).arg("show").arg(&wheel))?;
            let tag = wheel.file_stem().and_then(|name| name.to_str()?.rsplit('-').next()).unwrap_or_default();
            if !told.contains(&format!("\"{tag}\"")) {
                return Err(format!("auditwheel finds another tag than {tag}:\n{told}"));
            }
        }
        Ok((wheel, took))
    }

    /// From a registry that has nothing but these packages, `npx idetic` runs the program, and the client can be imported.
    fn npm(&self) -> Tried {
        let address = registry::serve(self.out)?;
        let npm = |words: &[&str]| {
            let mut command = self.fresh(Path::new(words.first().copied().unwrap_or_default()));
            command.args(&words[1..]).env("npm_config_registry", format!("http://{address}/"));
            command.env("npm_config_cache", self.folder.join("cache")).env("npm_config_update_notifier", "false");
            command
        };
        let took = self.first_recall_by(|| npm(&["npx", "--yes", "idetic"]))?;
        run(&mut npm(&["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", ".", "idetic"]))?;
        let client = "import { Idetic } from 'idetic'; new Idetic();";
        run(self.fresh(Path::new("node")).args(["--input-type=module", "--eval", client]))?;
        // Those who only want the client leave the program out, and are told so when they ask for it.
        let options = ["--silent", "--no-audit", "--no-fund", "--omit=optional"];
        run(npm(&["npm", "install", "--prefix", ".", "idetic"]).args(options))?;
        if npm(&["npx", "idetic", "--version"]).stderr(Stdio::null()).status().is_ok_and(|status| status.success()) {
            return Err("the program is there although it was left out".to_owned());
        }
        let package = self.package("idetic-", |name| name.ends_with(&format!("64-{}.tgz", self.version)))?;
        Ok((package, took))
    }

    /// In a root of its own, with dpkg's scripts run where there are the rights for it, else only unpacked.
    fn deb(&self) -> Tried {
        let package = self.package("idetic_", |name| name.ends_with(".deb"))?;
        let root = self.folder.join("root");
        let is_root = self.printed(Command::new("id").arg("-u"))?.trim() == "0";
        let database = root.join("var/lib/dpkg");
        let made = std::fs::create_dir_all(database.join("updates"))
            .and_then(|()| std::fs::create_dir_all(database.join("info")))
            .and_then(|()| std::fs::write(database.join("status"), ""));
        made.map_err(|error| format!("cannot make {}: {error}", database.display()))?;
        if is_root {
            let mut dpkg = Command::new("dpkg");
            // The packages it depends on are those of this system, which the other root does not know.
            dpkg.arg(format!("--root={}", root.display())).args(["--force-script-chrootless", "--force-depends"]);
            run(dpkg.arg("--install").arg(&package).stderr(Stdio::null()))?;
            let home = root.join("var/lib/idetic");
            if !home.is_dir() {
                return Err(format!("the package made no {}", home.display()));
            }
        } else {
            run(Command::new("dpkg").arg("--extract").arg(&package).arg(&root))?;
        }
        Ok((package, self.first_recall(&root.join("usr/bin/idetic"))?))
    }

    /// The installer takes the archive from the folder; a wrong checksum installs nothing.
    fn tar(&self) -> Tried {
        let archive = self.package("idetic-", |name| name.ends_with(".tar.gz"))?;
        let install = |from: &Path| {
            let mut command = self.fresh(Path::new("sh"));
            command.arg(self.out.join("install.sh")).env("IDETIC_DOWNLOAD", format!("file://{}", from.display()));
            command
        };
        let installed = self.folder.join(".local/bin/idetic");
        let (name, forged) = (archive.file_name().unwrap_or_default().to_string_lossy(), self.folder.join("forged"));
        super::write(&forged.join(&*name), b"something else")?;
        super::write(&forged.join(format!("{name}.sha256")), format!("{}  {name}\n", "0".repeat(64)).as_bytes())?;
        let status = install(&forged).stderr(Stdio::null()).status();
        if status.is_ok_and(|status| status.success()) || installed.exists() {
            return Err("install.sh installs an archive whose checksum is wrong".to_owned());
        }
        run(&mut install(self.out))?;
        Ok((archive, self.first_recall(&installed)?))
    }

    fn first_recall(&self, program: &Path) -> Result<Duration, String> {
        self.first_recall_by(|| self.fresh(program))
    }

    fn first_recall_by(&self, program: impl Fn() -> Command) -> Result<Duration, String> {
        self.printed(program().args(["remember", "The build needs Node 20"]))?;
        let recalled = self.printed(program().args(["recall", "which version of Node?"]))?;
        if recalled.contains("The build needs Node 20") {
            Ok(self.began.elapsed())
        } else {
            Err(format!("recalled: {recalled}"))
        }
    }

    /// A command of a person who has nothing yet.
    fn fresh(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.folder).env("HOME", &self.folder);
        for name in ["IDETIC_HOME", "IDETIC_LOG_URL", "XDG_DATA_HOME"] {
            command.env_remove(name);
        }
        command
    }

    fn printed(&self, command: &mut Command) -> Result<String, String> {
        let line = format!("{command:?}");
        let output = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output();
        let output = output.map_err(|error| format!("cannot run {line}: {error}"))?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        if output.status.success() { Ok(text) } else { Err(format!("{line}: {}\n{text}", output.status)) }
    }

    /// The package of this name; more than one would leave open which is tried.
    fn package(&self, start: &str, is_ours: impl Fn(&str) -> bool) -> Result<PathBuf, String> {
        let failed = |why: &str| format!("{}: {why}", self.out.display());
        let files = std::fs::read_dir(self.out).map_err(|error| failed(&error.to_string()))?;
        let names = files.flatten().map(|file| file.file_name().to_string_lossy().into_owned());
        let mut found = names.filter(|name| name.starts_with(start) && is_ours(name));
        match (found.next(), found.next()) {
            (Some(name), None) => Ok(self.out.join(name)),
            (None, _) => Err(failed(&format!("there is no package {start}…; run `dist` first"))),
            (Some(one), Some(two)) => Err(failed(&format!("both {one} and {two} are there"))),
        }
    }
}
