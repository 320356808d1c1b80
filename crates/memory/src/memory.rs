//! A home folder and the spaces open in it.

use std::collections::HashMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use idetic_core::SpaceName;
use idetic_store::{Env, HeadState, Logs, TimeLimit, Witness, begin_head, flush_names, make_folder};
use serde_json::Value;

use crate::config::quota::Quota;
use crate::config::{Config, TEMPLATE};
use crate::folder::{Folder, folder_names};
use crate::space::quota::UserUsage;
use crate::{Cause, Error, Result, Space, audit, quarantine, sessions};

/// Where a home is, and how it was found.
#[derive(Debug, Clone)]
pub struct Home {
    /// The folder.
    pub folder: PathBuf,
    /// Which rule found it, for people: `--home`, `IDETIC_HOME`, …
    pub found_by: String,
    /// Whether it may be made on first use: only the user's own data folder is.
    pub make_on_use: bool,
    /// The address of the log, where the environment says it and not the configuration.
    pub log_url: Option<String>,
}

/// A home folder with its configuration and the spaces open in it.
pub struct Memory {
    home: PathBuf,
    config: Config,
    /// What config.toml said of where the logs are, unless something else stands above it.
    log_url: Option<String>,
    env: Env,
    logs: OnceLock<Logs>,
    open: Mutex<Open>,
    /// What the spaces of each user hold together, where there is a limit.
    usages: Mutex<HashMap<String, Arc<UserUsage>>>,
}

/// The name of a home in a project's folder.
const PROJECT_HOME: &str = ".idetic";
/// How many of the open spaces keep their files open for the next reader: those that were used last. The others have the log
/// open where it is written, four files, and open the rest when it is needed.
const READY_SPACES: usize = 6;
/// How long the folder of snapshots is looked for, which may be on a share that hangs.
const SHARE_PATIENCE: Duration = Duration::from_secs(2);

#[derive(Default)]
struct Open {
    spaces: HashMap<SpaceName, Kept>,
    clock: u64,
    /// What was acknowledged in spaces that are not open any more.
    witnesses: HashMap<SpaceName, Witness>,
}

/// A space that is open.
struct Kept {
    space: Arc<Space>,
    used: u64,
    /// Whether it keeps its files open.
    is_ready: bool,
}

impl Open {
    fn close(&mut self, name: &SpaceName) {
        if let Some(witness) = self.spaces.remove(name).and_then(|kept| kept.space.log().witness()) {
            self.witnesses.insert(name.clone(), witness);
        }
    }

    /// Notes that a space is used now, and keeps its files open. Gives the one that is to close its own for that.
    fn make_ready(&mut self, name: &SpaceName) -> Option<Arc<Space>> {
        self.clock += 1;
        let kept = self.spaces.get_mut(name)?;
        kept.used = self.clock;
        if std::mem::replace(&mut kept.is_ready, true) {
            return None;
        }
        kept.space.keep_connections(true);
        let ready = || self.spaces.values().filter(|kept| kept.is_ready);
        if ready().count() <= READY_SPACES {
            return None;
        }
        let oldest = self.spaces.values_mut().filter(|kept| kept.is_ready).min_by_key(|kept| kept.used)?;
        oldest.is_ready = false;
        Some(Arc::clone(&oldest.space))
    }
}

impl Home {
    /// Opens it, and makes it where it is to be made on use.
    pub fn open(&self, env: Env) -> Result<Memory> {
        if self.make_on_use {
            Memory::init(&self.folder)?;
        }
        let mut memory = Memory::open(&self.folder, env)?;
        if let Some(url) = &self.log_url {
            memory.config.set_log(url, "IDETIC_LOG_URL")?;
            memory.log_url = None;
        }
        Ok(memory)
    }
}

impl Memory {
    /// Makes a home folder with a configuration; one that is there is left as it is. Says whether it was new.
    pub fn init(home: &Path) -> Result<bool> {
        if home.join("config.toml").exists() {
            return Ok(false);
        }
        if home.exists() && !home.is_dir() {
            return Err(Error::invalid(format!("{} is not a folder", home.display())).hint("name a folder"));
        }
        let is_new = !home.exists();
        make_folder(&home.join("spaces"))?;
        if is_new {
            keep_to_owner(home)?;
        }
        flush_names(&home.join("spaces"), home)?;
        let folder = Folder::open(home)?;
        if home.ends_with(PROJECT_HOME) {
            // What was said in a project is not part of it: git is not to take it along by accident.
            folder.put(".gitignore", "*\n")?;
        }
        // Whole or not at all, and flushed: a home whose making was cut short is made by the next one who tries.
        folder.put("config.toml", TEMPLATE)?;
        Ok(true)
    }

    /// Opens a home.
    pub fn open(home: &Path, env: Env) -> Result<Self> {
        if !home.join("config.toml").exists() && !home.join("spaces").is_dir() {
            return Err(Error::not_found(format!("there is no Idetic home at {}", home.display()))
                .hint(format!("create one with `idetic init {}`", home.display())));
        }
        let config = Self::read_config(home)?;
        let (logs, open, usages) = Default::default();
        let log_url = Some(config.log.url.clone());
        Ok(Self { home: home.to_owned(), config, log_url, env, logs, open, usages })
    }

    /// Reads the configuration of a home; one without has the defaults.
    pub fn read_config(home: &Path) -> Result<Config> {
        let path = home.join("config.toml");
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(Error::io(format_args!("cannot read {}", path.display()))(error)),
        };
        Ok(Config::parse(&text, &path.display().to_string())?)
    }

    /// The folder.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// The settings in force.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The settings, to be changed by whoever reads flags and the environment.
    pub fn config_mut(&mut self) -> &mut Config {
        &mut self.config
    }

    /// The clock and the random source.
    pub fn env(&self) -> &Env {
        &self.env
    }

    /// Where the logs of its spaces are kept.
    pub fn logs(&self) -> Result<&Logs> {
        if self.logs.get().is_none() {
            let logs = Logs::at(&self.config.log)?;
            if logs.keep_snapshots() {
                check_apart(&self.home, &self.config.log.snapshots)?;
            }
            let _ = self.logs.set(logs);
        }
        self.logs.get().ok_or_else(|| Error::unavailable("the logs could not be opened"))
    }

    /// The folder of a space.
    pub fn folder(&self, name: &SpaceName) -> PathBuf {
        name.folders().iter().fold(self.home.join("spaces"), |path, part| path.join(part))
    }

    /// How often something was erased in a space: what was answered before the last time, in whatever process, may not
    /// be answered again.
    pub fn erasures(&self, name: &SpaceName) -> u64 {
        crate::space::erasures(&self.folder(name))
    }

    /// A space that exists.
    pub fn space(&self, name: &SpaceName) -> Result<Arc<Space>> {
        self.opened(name, || {
            let space = Space::open(self.logs()?, name, &self.folder(name), self.env.clone())?;
            space.map(|space| self.limited(space)).ok_or_else(|| {
                let told = Error::not_found(format!("there is no space {name}"))
                    .hint("a space is created with its first event: `idetic remember TEXT`");
                Error { cause: Cause::NewSpace, ..told }
            })
        })
    }

    /// A space that exists, for a look at how far its log has come: one that is open is not taken for used by it, so that those who
    /// look again and again take no place from those who ask.
    pub fn peek(&self, name: &SpaceName) -> Result<Arc<Space>> {
        let kept = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let known = kept.spaces.get(name).map(|kept| Arc::clone(&kept.space));
        drop(kept);
        match known.filter(|space| space.log().check_files().is_ok()) {
            Some(space) => {
                if self.is_shared() {
                    space.check_other_machines();
                }
                space.check_for_erasures();
                Ok(space)
            }
            None => self.space(name),
        }
    }

    /// A space, made if it does not exist.
    pub fn space_or_new(&self, name: &SpaceName) -> Result<Arc<Space>> {
        self.opened(name, || {
            let folder = self.folder(name);
            self.check_log_url()?;
            make_folder(&folder)?;
            if !self.logs()?.is_begun(&folder) {
                // Before the log is made: where there is one, this was done.
                flush_names(&folder, &self.home)?;
            }
            Ok(self.limited(Space::create(self.logs()?, name, &folder, self.env.clone())?))
        })
    }

    /// Whoever was started before the logs were moved makes no space where they were.
    fn check_log_url(&self) -> Result<()> {
        let now = Self::read_config(&self.home)?.log.url;
        if self.log_url.as_ref().is_some_and(|url| *url != now) {
            return Err(idetic_store::Error::Elsewhere { place: "where log.url in config.toml says".to_owned() }.into());
        }
        Ok(())
    }

    /// A space with its limits.
    fn limited(&self, space: Space) -> Space {
        let space = space.dropping(drop_rest);
        let (quotas, name) = (&self.config.quotas, space.name().clone());
        let quota = quotas.of(&name);
        if quota == Quota::default() || quotas.of_space(&name).is_some() {
            return space.within(quota, None);
        }
        let [user, _] = name.parts();
        let mut usages = self.usages.lock().unwrap_or_else(PoisonError::into_inner);
        let usage = usages.entry(user.to_owned()).or_insert_with(|| {
            let folder = self.folder(&name).parent().map_or_else(PathBuf::new, Path::to_owned);
            Arc::new(UserUsage::new(folder, quotas, self.logs.get().cloned().unwrap_or_default(), self.env.clone()))
        });
        space.within(quota, Some(Arc::clone(usage)))
    }

    /// Records an administrative act: what was done, by which key or the command line, with what.
    pub fn audit(&self, kind: &str, by: &str, metadata: &Value) -> Result<()> {
        let record = audit::record(kind, by, metadata)?;
        self.space_or_new(&audit::space()?)?.append(vec![record], None).map(drop)
    }

    /// Every space of this home, by name.
    pub fn spaces(&self) -> Result<Vec<SpaceName>> {
        match self.logs()?.spaces()? {
            Some(names) => Ok(names),
            None => self.spaces_with_folders(),
        }
    }

    /// Every space that has a folder in this home, wherever its log is.
    pub fn spaces_with_folders(&self) -> Result<Vec<SpaceName>> {
        let mut names = Vec::new();
        for user in folder_names(&self.home.join("spaces"))? {
            for collection in folder_names(&self.home.join("spaces").join(&user))? {
                names.extend(SpaceName::from_folders(&user, &collection));
            }
        }
        names.sort();
        Ok(names)
    }

    /// Where something was erased by another process or machine: what was read before is let go. Whoever stays up long calls
    /// it now and then, so that also a space nobody asks about keeps nothing.
    pub fn check_for_erasures(&self) {
        for space in self.open_spaces() {
            space.check_for_erasures();
            if self.is_shared() {
                space.check_other_machines();
            }
        }
    }

    /// The spaces that are open.
    pub fn open_spaces(&self) -> Vec<Arc<Space>> {
        let kept = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        kept.spaces.values().map(|kept| Arc::clone(&kept.space)).collect()
    }

    /// What was found damaged in the open spaces and rebuilt, since this was last asked.
    pub fn drain_repairs(&self) -> Vec<String> {
        let told = |space: Arc<Space>| {
            let name = space.name().clone();
            space.drain_repairs().into_iter().map(move |what| format!("{name}: {what}"))
        };
        self.open_spaces().into_iter().flat_map(told).collect()
    }

    /// Whether other machines may change the logs.
    fn is_shared(&self) -> bool {
        self.logs().is_ok_and(|logs| logs.database().is_some())
    }

    fn is_open(&self, name: &SpaceName) -> bool {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).spaces.contains_key(name)
    }

    /// The space if it is open, or opened now, without anything that another machine erased.
    fn opened(&self, name: &SpaceName, open: impl FnOnce() -> Result<Space>) -> Result<Arc<Space>> {
        // Asked before the spaces are locked: where a share hangs, those who ask in other spaces do not wait for it.
        let known = if self.is_open(name) { None } else { self.learn_head(name)? };
        let (space, is_new) = self.kept_or_opened(name, known, open)?;
        if self.is_shared() {
            space.check_other_machines();
            if is_new {
                // What is not begun with is folded.
                let _ = space.start();
            }
        }
        Ok(space)
    }

    /// The space if it is open, or opened now, and whether it was; the one that was not used for longest makes room.
    fn kept_or_opened(
        &self,
        name: &SpaceName,
        known: Option<idetic_store::Result<HeadState>>,
        open: impl FnOnce() -> Result<Space>,
    ) -> Result<(Arc<Space>, bool)> {
        let mut kept = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept.spaces.get(name) {
            // One whose files were removed or replaced is of no more use: what lies there now decides.
            if known.space.log().check_files().is_ok() {
                let space = Arc::clone(&known.space);
                let rests = kept.make_ready(name);
                drop(kept);
                rests.iter().for_each(|space| self.rest(space));
                space.check_for_erasures();
                return Ok((space, false));
            }
            kept.close(name);
        }
        let witness = kept.witnesses.get(name);
        if let Some(witness) = witness.filter(|_| self.logs().is_ok_and(|logs| !logs.is_begun(&self.folder(name)))) {
            // Before one would be made: a log whose folder was removed is not a new one, and one that was moved says where it is.
            idetic_store::refuse_if_moved(&self.folder(name))?;
            witness.refuse_if_there_was_one()?;
        }
        let space = Arc::new(open()?);
        witness.map_or(Ok(()), |witness| space.log().check_witness(witness))?;
        // Before anybody else is given it.
        space.check_published_head(known)?;
        if kept.spaces.len() >= self.config.open_spaces {
            let oldest = kept.spaces.iter().min_by_key(|(_, kept)| kept.used).map(|(name, _)| name.clone());
            oldest.iter().for_each(|name| kept.close(name));
        }
        kept.spaces.insert(name.clone(), Kept { space: Arc::clone(&space), used: 0, is_ready: false });
        let rests = kept.make_ready(name);
        drop(kept);
        rests.iter().for_each(|space| self.rest(space));
        Ok((space, true))
    }

    /// Forgets how far the log of a space had come, which is given up.
    pub fn forget_published_head(&self, name: &SpaceName) -> Result<()> {
        Ok(self.logs()?.snapshots(name).map_or(Ok(()), |place| place.remove_head())?)
    }

    /// Whether machines that share the logs keep snapshots for each other.
    pub fn keeps_snapshots(&self) -> bool {
        self.logs().is_ok_and(Logs::keep_snapshots)
    }

    /// What is published of how far the log of a space had come. A machine that knows nothing of the space yet keeps it, also
    /// where the log is gone. Where it cannot be read, the space says so once it is open.
    fn learn_head(&self, name: &SpaceName) -> Result<Option<idetic_store::Result<HeadState>>> {
        let known = self.logs()?.snapshots(name).map(|place| place.head());
        if let Some(Ok(known)) = &known {
            begin_head(&self.folder(name), *known)?;
        }
        Ok(known)
    }

    /// Closes the files of a space that others were used after. Whoever asked for the space that takes its place does that, which
    /// may move a long write-ahead log; others ask meanwhile, and nobody waits for whoever is at work in it.
    fn rest(&self, space: &Space) {
        space.keep_connections(false);
        let kept = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.spaces.get(space.name()).is_some_and(|kept| kept.is_ready) {
            // It was used again meanwhile.
            space.keep_connections(true);
        }
    }
}

/// Drops what is kept, besides what a space derives itself, of events that another machine erased or hid.
fn drop_rest(space: &Space) -> Result<()> {
    quarantine::refresh(space)?;
    sessions::drop_erased(space)
}

/// What machines share is not in the home of one of them, nor around it.
fn check_apart(home: &Path, address: &str) -> Result<()> {
    let home = std::fs::canonicalize(home).unwrap_or_else(|_| home.to_owned());
    let place = PathBuf::from(address.trim_start_matches("file://"));
    let asked = place.clone();
    let found = TimeLimit::new(SHARE_PATIENCE, 1).ask(move || std::fs::canonicalize(asked));
    let place = found.and_then(std::io::Result::ok).unwrap_or(place);
    if home.starts_with(&place) || place.starts_with(&home) {
        let why = format!("the place for snapshots, {address}, and the home {} lie in each other", home.display());
        return Err(Error::invalid(why).hint("set log.snapshots in config.toml to a folder of its own"));
    }
    Ok(())
}

/// A home holds everything an agent saw: it is for whoever made it.
fn keep_to_owner(home: &Path) -> Result<()> {
    let owner = std::fs::Permissions::from_mode(0o700);
    std::fs::set_permissions(home, owner).map_err(Error::io(format_args!("cannot protect {}", home.display())))
}
