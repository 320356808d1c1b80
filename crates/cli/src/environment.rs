//! The environment, the clock and chance: read here and nowhere else.

use std::env;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use idetic_ops::core::Time;
use idetic_ops::{Env, Error, Result};

/// What decides which home is used.
pub struct Environment {
    /// `IDETIC_HOME`, if it is set and not empty.
    pub home_variable: Option<PathBuf>,
    /// Where the program was started.
    pub current_folder: PathBuf,
    /// Where this user's data lives.
    pub data_folder: PathBuf,
    /// Where files may be put that vanish again.
    pub scratch_folder: PathBuf,
    /// The user's own folder.
    pub user_folder: Option<PathBuf>,
    /// `IDETIC_LOG_URL`, if it is set and not empty: it stands above the configuration.
    pub log_variable: Option<String>,
}

impl Environment {
    /// Reads them.
    pub fn read() -> Result<Self> {
        let variable = |name: &str| env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        let current_folder = env::current_dir().map_err(Error::io("cannot determine the current folder"))?;
        let data = variable("XDG_DATA_HOME").or_else(|| {
            let below = if cfg!(target_os = "macos") { "Library/Application Support" } else { ".local/share" };
            variable("HOME").map(|home| home.join(below))
        });
        let data_folder = data.map_or_else(|| current_folder.join(".idetic"), |folder| folder.join("idetic"));
        let scratch_folder = env::temp_dir();
        let (home_variable, user_folder) = (variable("IDETIC_HOME"), variable("HOME"));
        let log_variable = self::variable("IDETIC_LOG_URL");
        Ok(Self { home_variable, current_folder, data_folder, scratch_folder, user_folder, log_variable })
    }
}

/// The clock of the machine and the random source of the system.
pub fn env() -> Env {
    Env::new(now, |bytes| getrandom::fill(bytes).expect("the system has no random numbers"))
}

fn now() -> Time {
    let micros = match SystemTime::now().duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_micros()),
        Err(before) => i64::try_from(before.duration().as_micros()).map(|m| -m),
    };
    Time(micros.unwrap_or(i64::MAX))
}

/// What tells the C library to overwrite memory that is given back, small pieces included: SQLite's is its affair alone.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const OVERWRITE: &str = "glibc.malloc.perturb=165:glibc.malloc.tcache_count=0";

/// Starts the program over, so that what it gives back is overwritten: the C library takes that only from the environment.
/// Where it is told so already, or does not know how, nothing happens.
pub fn overwrite_freed_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        use std::os::unix::process::CommandExt;
        const NAME: &str = "GLIBC_TUNABLES";
        let told = variable(NAME).unwrap_or_default();
        let mut arguments = env::args_os();
        if told.contains("glibc.malloc.perturb") || variable("MALLOC_PERTURB_").is_some() {
            return;
        }
        let (Some(own), Ok(program)) = (arguments.next(), env::current_exe()) else { return };
        let told = if told.is_empty() { OVERWRITE.to_owned() } else { format!("{told}:{OVERWRITE}") };
        // It comes back only where it failed, and then all goes on without.
        let _ = std::process::Command::new(program).arg0(own).args(arguments).env(NAME, told).exec();
    }
}

/// A variable of the environment, if it is set and not empty.
pub fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

/// Whether the environment asks for no colours.
pub fn no_color() -> bool {
    env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty()) || env::var_os("TERM").is_some_and(|t| t == "dumb")
}

/// Whether JSON was asked for, for a command line that could not be understood as a whole.
pub fn asks_for_json() -> bool {
    env::args_os().any(|argument| argument == "--json")
}

/// Whether a coding agent's hook is what was asked for, for a command line that could not be understood as a whole.
pub fn is_hook() -> bool {
    env::args_os().nth(1).is_some_and(|argument| argument == "hook")
}
