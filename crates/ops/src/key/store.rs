//! Keys: who may do what over the network. Only a hash of each is kept, in the home, or beside the logs in the database that
//! several machines share.

use std::fmt::Display;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use idetic_core::words::{Persona, Trust};
use idetic_core::{SpaceName, Time};
use idetic_memory::{Error, Grant, Kind, Memory, Reader, Result, Rights, is_audit};
use idetic_store::{Database, Env, LockFile, Logs, SharedFile};
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

/// The keys of a memory.
pub struct Keys {
    home: PathBuf,
    /// Read again whenever their file changed.
    own: Mutex<(Look, Arc<Vec<Key>>)>,
    /// Where several machines share the logs, they share new keys, too.
    database: Option<Arc<Database>>,
    /// Those as they were read last, and the stamp of their file.
    shared: Mutex<Option<Shared>>,
    /// Held by whoever reads them.
    reading: Mutex<()>,
}

type Shared = (String, Arc<Vec<Key>>);

impl Keys {
    /// The keys of a memory.
    pub fn of(memory: &Memory) -> Result<Self> {
        Ok(Self::beside(memory.home(), memory.logs()?))
    }

    /// The keys of a home beside its logs.
    pub fn beside(home: &Path, logs: &Logs) -> Self {
        let (own, shared, reading) = Default::default();
        Self { home: home.to_owned(), own, database: logs.shared_database(), shared, reading }
    }

    /// Every key as it is now, in the order they were made. Waits for the database where they are in one.
    pub fn all(&self) -> Result<Arc<Vec<Key>>> {
        self.refresh()?;
        self.known()
    }

    /// Whether other machines may change them: then somebody has to ask for them again and again.
    pub fn are_shared(&self) -> bool {
        self.database.is_some()
    }

    /// Reads the shared keys again where they changed. Those that cannot be read let nobody in.
    pub fn refresh(&self) -> Result<()> {
        let Some(database) = &self.database else { return Ok(()) };
        // One at a time: an older answer does not come after a newer one.
        let _alone = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        let known = self.shared().as_ref().map(|(stamp, _)| stamp.clone());
        let (stamp, contents) = match database.shared_file(FILE, known.as_deref())? {
            Some(SharedFile { stamp, contents: Some(contents) }) => (stamp, contents),
            Some(SharedFile { contents: None, .. }) => return Ok(()),
            None => {
                *self.shared() = Some(Default::default());
                return Ok(());
            }
        };
        let read = parse(&contents, &shared_place(database));
        *self.shared() = read.as_ref().ok().map(|kept| (stamp, Arc::new(kept.keys.clone())));
        read.map(|_| ())
    }

    /// Every key as far as is known without waiting: the shared ones as they were read last.
    pub fn known(&self) -> Result<Arc<Vec<Key>>> {
        let own = self.own()?;
        if self.database.is_none() {
            return Ok(own);
        }
        let unread = || Error::unavailable("the API keys could not be read from the database yet").hint("try again");
        let shared = self.shared().as_ref().map(|(_, keys)| Arc::clone(keys)).ok_or_else(unread)?;
        if own.is_empty() { Ok(shared) } else { Ok(Arc::new([own.as_slice(), shared.as_slice()].concat())) }
    }

    fn shared(&self) -> MutexGuard<'_, Option<Shared>> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn own(&self) -> Result<Arc<Vec<Key>>> {
        let look = self.look();
        let mut known = self.own.lock().unwrap_or_else(PoisonError::into_inner);
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
        let keys = self.known()?;
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
        let own = if self.are_shared() { self.own()? } else { Arc::default() };
        self.change(|keys| {
            if keys.iter().any(|other| other.id == key.id) {
                // The answer to the last try was lost.
                return Ok(());
            }
            if keys.len() >= KEYS_MAX {
                return Err(Error::invalid(format!("there are {KEYS_MAX} keys already"))
                    .hint(format!("remove some from {FILE}")));
            }
            if keys.iter().chain(own.iter()).any(|other| other.name == key.name && other.is_good(env.now())) {
                return Err(Error::new(Kind::Conflict, format!("there is a key named '{}' already", key.name))
                    .hint("choose another name, or revoke that one first"));
            }
            keys.push(key.clone());
            Ok(())
        })?;
        Ok((key, text))
    }

    /// Revokes a key by its id or its name.
    pub fn revoke(&self, name: &str, now: Time) -> Result<Key> {
        let missing = || Error::not_found(format!("there is no key '{name}'")).hint("`idetic key list` shows them");
        let at = now.to_string();
        let mut revoked = None;
        let mut revoke = |keys: &mut Vec<Key>| {
            // Also where it was revoked by this very try, and the answer was lost.
            let is_good = |key: &Key| key.revoked.as_ref().is_none_or(|revoked| *revoked == at);
            let found = keys.iter_mut().find(|key| is_good(key) && (key.id == name || key.name == name));
            let key = found.ok_or_else(missing)?;
            key.revoked = Some(at.clone());
            revoked = Some(key.clone());
            Ok(())
        };
        let changed = self.change(&mut revoke);
        // One of the time before the logs were shared may have the same name.
        let own = if self.are_shared() { self.change_own(&mut revoke) } else { Err(missing()) };
        for changed in [changed, own] {
            match changed {
                Err(error) if error.kind != Kind::NotFound => return Err(error),
                _ => {}
            }
        }
        revoked.ok_or_else(missing)
    }

    /// Takes over the keys of the same home from where they were, and removes them there.
    pub fn take_over(&self, before: &Self) -> Result<()> {
        loop {
            let former = before.list()?;
            if former.is_empty() {
                return Ok(());
            }
            self.add(&former)?;
            // What was made or revoked there since is taken over next.
            let clear = |keys: &mut Vec<Key>| {
                keys.retain(|key| !former.contains(key));
                Ok(())
            };
            if before.are_shared() { before.change(clear)? } else { before.change_own(clear)? }
        }
    }

    /// Those that new ones belong to: in a home whose logs are shared without those of this machine alone.
    fn list(&self) -> Result<Vec<Key>> {
        if !self.are_shared() {
            return self.own().map(|keys| keys.to_vec());
        }
        let mut list = Vec::new();
        self.change(|keys| {
            list.clone_from(keys);
            Ok(())
        })?;
        Ok(list)
    }

    fn add(&self, former: &[Key]) -> Result<()> {
        self.change(|keys| {
            for key in former.iter() {
                match keys.iter_mut().find(|known| known.id == key.id) {
                    // One that was revoked in either place stays so.
                    Some(known) => known.revoked = known.revoked.take().or_else(|| key.revoked.clone()),
                    None => keys.push(key.clone()),
                }
            }
            Ok(())
        })
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
        parse(&text, &path.display())
    }

    /// Changes the keys that new ones belong to, all at once.
    fn change(&self, mut change: impl FnMut(&mut Vec<Key>) -> Result<()>) -> Result<()> {
        let Some(database) = &self.database else { return self.change_own(change) };
        database.change_shared_file(FILE, |text| {
            let mut kept = text.map_or_else(|| Ok(Kept::default()), |text| parse(text, &shared_place(database)))?;
            change(&mut kept.keys)?;
            print(&kept)
        })?;
        // It is done, whether or not it can be read again now.
        let _ = self.refresh();
        Ok(())
    }

    /// Changes the keys of this home alone, one process at a time.
    fn change_own(&self, change: impl FnOnce(&mut Vec<Key>) -> Result<()>) -> Result<()> {
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
        let text = print(&kept)?;
        let mut options = std::fs::OpenOptions::new();
        let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(&beside).map_err(failed())?;
        file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(failed())?;
        std::fs::rename(&beside, &path).map_err(failed())?;
        flush_name()
    }
}

fn parse(text: &str, place: &dyn Display) -> Result<Kept> {
    serde_json::from_str(text).map_err(|error| {
        Error::unavailable(format!("{place} is damaged: {error}"))
            .hint("fix it, or remove it and create new keys: every request is refused until then")
    })
}

/// What the shared keys are called in messages.
fn shared_place(database: &Database) -> String {
    format!("{FILE} in the table idetic.shared_files of {}", database.address())
}

fn print(kept: &Kept) -> Result<String> {
    serde_json::to_string_pretty(kept).map_err(|error| Error::unavailable(error.to_string()))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
