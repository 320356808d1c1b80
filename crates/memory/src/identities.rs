//! Identity files: `identities/<agent_id>.identity.json` in the home. The file's name is the agent's id.

use std::path::{Path, PathBuf};

use idetic_core::identity::Identity;

use crate::{Error, Memory, Result};

/// The largest identity file that is read.
const FILE_MAX_BYTES: u64 = 1 << 20;

impl Memory {
    /// The identity of an agent: its file's, or the defaults where it has none.
    pub fn identity(&self, agent: &str) -> Result<Identity> {
        match self.identity_file(agent).filter(|file| file.exists()) {
            Some(file) => read_identity(&file, agent),
            None => Ok(Identity::unwritten()),
        }
    }

    /// Where an agent's identity is kept. An id that is no plain file name cannot have one.
    pub fn identity_file(&self, agent: &str) -> Option<PathBuf> {
        let plain = |c: char| !c.is_control() && !matches!(c, '/' | '\\');
        let fits = (1..=200).contains(&agent.len()) && agent.chars().all(plain) && !agent.starts_with('.');
        fits.then(|| self.home().join("identities").join(format!("{agent}.identity.json")))
    }
}

/// Reads and checks one file.
pub fn read_identity(file: &Path, agent: &str) -> Result<Identity> {
    let failed = || Error::io(format!("cannot read {}", file.display()));
    if std::fs::metadata(file).map_err(failed())?.len() > FILE_MAX_BYTES {
        return Err(Error::invalid(format!("{} is larger than 1 MiB", file.display()))
            .hint("check that it is an identity file"));
    }
    let text = std::fs::read_to_string(file).map_err(failed())?;
    Identity::parse(&text, agent).map_err(|e| {
        let hint = if e.hint.is_empty() { "`idetic identity show AGENT` shows a valid one".to_owned() } else { e.hint };
        Error::invalid(format!("{}: {}", file.display(), e.message)).hint(hint)
    })
}

/// The agent a file belongs to: its name without `.identity.json` or `.json`.
pub fn agent_of(file: &Path) -> Option<&str> {
    let name = file.file_name()?.to_str()?;
    name.strip_suffix(".identity.json").or_else(|| name.strip_suffix(".json")).filter(|agent| !agent.is_empty())
}
