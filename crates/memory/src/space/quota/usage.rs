//! What the spaces of one user hold together: each is counted once for every state of its log.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use idetic_core::SpaceName;
use idetic_store::{Env, LockFile, Logs};

use super::Used;
use crate::config::quota::Quotas;
use crate::folder::folder_names;
use crate::space::erasures;
use crate::{Result, Space};

/// Held while somebody appends to a space of the user.
const LOCK: &str = "quota.lock";

/// The spaces of a user.
pub struct UserUsage {
    /// The user's folder.
    folder: PathBuf,
    /// Spaces with limits of their own, which do not count.
    apart: BTreeSet<String>,
    logs: Logs,
    env: Env,
    known: Mutex<HashMap<SpaceName, Known>>,
}

/// What a space held, and the state of its log when that was counted.
#[derive(Clone, Copy)]
struct Known {
    state: [u8; 32],
    used: Used,
}

impl UserUsage {
    pub fn new(folder: PathBuf, quotas: &Quotas, logs: Logs, env: Env) -> Self {
        Self { folder, apart: quotas.spaces.keys().cloned().collect(), logs, env, known: Mutex::default() }
    }

    /// What keeps two appends of the user from finding the same room.
    pub fn lock(&self) -> Result<LockFile> {
        Ok(LockFile::open(&self.folder.join(LOCK))?)
    }

    /// What the user's spaces hold together, where one of them is known.
    pub fn with_others(&self, own: &SpaceName, used: Used) -> Result<Used> {
        let mut total = used;
        let user = self.folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        for collection in folder_names(&self.folder)? {
            let Some(name) = SpaceName::from_folders(user, &collection) else { continue };
            if name == *own || self.apart.contains(&name.to_string()) {
                continue;
            }
            let used = self.used(&name, &self.folder.join(&collection));
            total.iter_mut().zip(used).for_each(|(total, more)| *total = total.saturating_add(more));
        }
        Ok(total)
    }

    /// What one space holds. One that cannot be read now counts as it did: its damage is for its readers to hear of.
    fn used(&self, name: &SpaceName, folder: &std::path::Path) -> Used {
        let head = std::fs::read(folder.join("head")).unwrap_or_default();
        let state = *blake3::Hasher::new().update(&head).update(&erasures(folder).to_le_bytes()).finalize().as_bytes();
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let before = known.get(name).copied();
        if let Some(known) = before.filter(|known| known.state == state) {
            return known.used;
        }
        let counted = || -> Result<Used> {
            let Some(space) = Space::open(&self.logs, name, folder, self.env.clone())? else {
                return Ok(Used::default());
            };
            let at = space.log().tip()?.seq;
            space.used(at)
        };
        match counted() {
            Ok(used) => {
                known.insert(name.clone(), Known { state, used });
                used
            }
            Err(_) => before.map_or(Used::default(), |known| known.used),
        }
    }
}
