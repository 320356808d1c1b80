//! Keys: who may do what over the network. Only a hash of each is kept.

use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use idetic_core::words::{Persona, Trust};
use idetic_core::{SpaceName, Time};
use idetic_memory::{Error, Grant, Reader, Result, Rights, is_audit};
use idetic_store::{Env, LockFile};
use serde::{Deserialize, Serialize};

const FILE: &str = "keys.json";
const LOCK: &str = "keys.lock";
/// Every key begins so: a scanner that looks for leaked secrets can tell it.
const PREFIX: &str = "idk";
/// Bytes of a key's id and of its secret.
const ID_BYTES: usize = 6;
const SECRET_BYTES: usize = 32;
/// Most keys of a home, those that were revoked among them.
const KEYS_MAX: usize = 10_000;
/// Most bytes of a name.
const NAME_MAX_BYTES: usize = 200;

/// One key, without the secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Key {
    /// What it is called in lists and logs.
    pub id: String,
    /// What it is for.
    pub name: String,
    /// The hash of the whole key, in hexadecimal digits.
    hash: String,
    /// What it allows.
    pub rights: Rights,
    /// The user it is held to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// The collection it is held to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collection: Option<String>,
    /// The agent it is held to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The side of that agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub persona: Option<String>,
    /// The most that what it writes is trusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trust: Option<String>,
    /// When it was made.
    pub created: String,
    /// From when on it is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<String>,
    /// When it was revoked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoked: Option<String>,
}

/// What a new key is to be.
#[derive(Debug, Clone)]
pub struct Draft {
    /// What it is called.
    pub name: String,
    /// What it may do.
    pub rights: Rights,
    /// What it is held to.
    pub grant: Grant,
    /// When it stops working.
    pub expires: Option<Time>,
}

impl Key {
    /// What it is held to.
    pub fn grant(&self) -> Result<Grant> {
        Ok(Grant {
            user: self.user.clone(),
            collection: self.collection.clone(),
            agent: self.agent.clone(),
            persona: self.persona.as_deref().map(Persona::parse).transpose()?,
            // A key of an agent is the agent's, unless its owner says otherwise.
            trust: match &self.trust {
                Some(word) => Some(Trust::parse(word)?),
                None => self.agent.as_ref().map(|_| Trust::Agent),
            },
            ..Grant::default()
        })
    }

    /// Whether it allows what needs these rights and is for such a reader.
    pub fn allows(&self, rights: Rights, reader: Reader) -> bool {
        self.rights >= rights && self.grant().is_ok_and(|grant| grant.allow(rights, reader))
    }

    /// Whether there is a space of this name for it.
    pub fn sees(&self, space: &SpaceName) -> bool {
        self.grant().is_ok_and(|grant| grant.holds(space)) && (self.rights == Rights::Admin || !is_audit(space))
    }

    /// Whether it is neither revoked nor expired.
    pub fn is_good(&self, now: Time) -> bool {
        let over = |at: &String| Time::parse(at).map_or(true, |at| at <= now);
        self.revoked.is_none() && !self.expires.as_ref().is_some_and(over)
    }
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Kept {
    keys: Vec<Key>,
}

/// What a file looked like when it was read: whoever writes it puts another in its place.
type Look = Option<(SystemTime, u64, u64)>;

/// The keys of a home, read again whenever their file changed.
pub struct Keys {
    home: PathBuf,
    known: Mutex<(Look, Arc<Vec<Key>>)>,
}

impl Keys {
    /// The keys of a home.
    pub fn of(home: &Path) -> Self {
        Self { home: home.to_owned(), known: Mutex::new((None, Arc::default())) }
    }

    /// Every key, in the order they were made.
    pub fn all(&self) -> Result<Arc<Vec<Key>>> {
        let look = self.look();
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.0 != look || look.is_none() {
            *known = (look, Arc::new(self.read()?.keys));
        }
        Ok(Arc::clone(&known.1))
    }

    /// The key that was shown, if it is one that is good now.
    pub fn check(&self, shown: &str, now: Time) -> Result<Option<Key>> {
        let Some(id) = shown.strip_prefix(PREFIX).and_then(|rest| rest.strip_prefix('_')?.split('_').next()) else {
            return Ok(None);
        };
        let keys = self.all()?;
        let Some(key) = keys.iter().find(|key| key.id == id) else { return Ok(None) };
        // Hashes compare in constant time.
        let is_same = blake3::Hash::from_hex(&key.hash).is_ok_and(|kept| kept == blake3::hash(shown.as_bytes()));
        Ok((is_same && key.is_good(now)).then(|| key.clone()))
    }

    /// Makes a key. The text is the only time it is to be had.
    pub fn create(&self, draft: Draft, env: &Env) -> Result<(Key, String)> {
        if draft.name.trim().is_empty() || draft.name.len() > NAME_MAX_BYTES || draft.name.contains(char::is_control) {
            return Err(Error::invalid("a key needs a one-line name").hint("say what it is for: --name laptop"));
        }
        let (id, secret) = (hex(&env.random::<ID_BYTES>()), hex(&env.random::<SECRET_BYTES>()));
        let text = format!("{PREFIX}_{id}_{secret}");
        let Draft { name, rights, grant, expires } = draft;
        let key = Key {
            id,
            name,
            hash: blake3::hash(text.as_bytes()).to_hex().to_string(),
            rights,
            user: grant.user,
            collection: grant.collection,
            agent: grant.agent,
            persona: grant.persona.map(|persona| persona.word().to_owned()),
            trust: grant.trust.map(|trust| trust.word().to_owned()),
            created: env.now().to_string(),
            expires: expires.map(|expires| expires.to_string()),
            revoked: None,
        };
        let made = key.clone();
        self.change(|keys| {
            if keys.len() >= KEYS_MAX {
                return Err(Error::invalid(format!("there are {KEYS_MAX} keys already"))
                    .hint(format!("remove some from {FILE} in the home")));
            }
            if keys.iter().any(|key| key.name == made.name && key.is_good(env.now())) {
                return Err(Error::new(
                    idetic_memory::Kind::Conflict,
                    format!("there is a key named '{}' already", made.name),
                )
                .hint("choose another name, or revoke that one first"));
            }
            keys.push(made);
            Ok(())
        })?;
        Ok((key, text))
    }

    /// Revokes a key by its id or its name.
    pub fn revoke(&self, name: &str, now: Time) -> Result<Key> {
        let mut revoked = None;
        self.change(|keys| {
            let found = keys.iter_mut().find(|key| key.revoked.is_none() && (key.id == name || key.name == name));
            let key = found.ok_or_else(|| {
                Error::not_found(format!("there is no key '{name}'")).hint("`idetic key list` shows them")
            })?;
            key.revoked = Some(now.to_string());
            revoked = Some(key.clone());
            Ok(())
        })?;
        revoked.ok_or_else(|| Error::not_found(format!("there is no key '{name}'")))
    }

    fn path(&self) -> PathBuf {
        self.home.join(FILE)
    }

    fn look(&self) -> Look {
        use std::os::unix::fs::MetadataExt;
        let seen = std::fs::metadata(self.path()).ok()?;
        Some((seen.modified().ok()?, seen.len(), seen.ino()))
    }

    fn read(&self) -> Result<Kept> {
        let path = self.path();
        let text = match std::fs::read_to_string(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Kept::default()),
            read => read.map_err(Error::io(format_args!("cannot read {}", path.display())))?,
        };
        serde_json::from_str(&text).map_err(|error| {
            Error::unavailable(format!("{} is damaged: {error}", path.display()))
                .hint("fix it, or remove it and create new keys: every request is refused until then")
        })
    }

    /// Changes the keys, all at once and one process at a time.
    fn change(&self, change: impl FnOnce(&mut Vec<Key>) -> Result<()>) -> Result<()> {
        let lock = LockFile::open(&self.home.join(LOCK))?;
        let _alone = lock.hold()?;
        let (path, beside) = (self.path(), self.home.join(format!("{FILE}.new")));
        let failed = || Error::io(format!("cannot write {}", path.display()));
        let flush_name = || std::fs::File::open(&self.home).and_then(|home| home.sync_all()).map_err(failed());
        // What is found here is answered for, also that a key is no more: whoever wrote it may have been killed before they
        // had flushed its name.
        flush_name()?;
        let mut kept = self.read()?;
        change(&mut kept.keys)?;
        let text = serde_json::to_string_pretty(&kept).map_err(|error| Error::unavailable(error.to_string()))?;
        let mut options = std::fs::OpenOptions::new();
        let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(&beside).map_err(failed())?;
        file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(failed())?;
        std::fs::rename(&beside, &path).map_err(failed())?;
        flush_name()
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
