//! A home folder and the spaces open in it.

use std::collections::HashMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use idetic_core::SpaceName;
use idetic_store::Sources;

use crate::config::{Config, TEMPLATE};
use crate::{Error, Result, Space};

/// Where a home is, and how it was found.
#[derive(Debug, Clone)]
pub struct Home {
    /// The folder.
    pub folder: PathBuf,
    /// Which rule found it, for people: `--home`, `IDETIC_HOME`, …
    pub found_by: String,
    /// Whether it may be made on first use: only the user's own data folder is.
    pub make_on_use: bool,
}

/// A home folder with its configuration and the spaces open in it.
pub struct Memory {
    home: PathBuf,
    config: Config,
    sources: Sources,
    open: Mutex<Open>,
}

/// The name of a home in a project's folder.
const PROJECT_HOME: &str = ".idetic";

#[derive(Default)]
struct Open {
    spaces: HashMap<SpaceName, (u64, Arc<Space>)>,
    clock: u64,
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
        let write = |name: &str, text: &str| {
            let path = home.join(name);
            std::fs::write(&path, text).map_err(Error::io(format_args!("cannot write {}", path.display())))
        };
        if home.ends_with(PROJECT_HOME) {
            // What was said in a project is not part of it: git is not to take it along by accident.
            write(".gitignore", "*\n")?;
        }
        write("config.toml", TEMPLATE)?;
        Ok(true)
    }

    /// Opens a home.
    pub fn open(home: &Path, sources: Sources) -> Result<Self> {
        if !home.join("config.toml").exists() && !home.join("spaces").is_dir() {
            return Err(Error::not_found(format!("there is no Idetic home at {}", home.display()))
                .hint(format!("make one with `idetic init {}`", home.display())));
        }
        let config = Config::load(home)?;
        Ok(Self { home: home.to_owned(), config, sources, open: Mutex::default() })
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
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// The folder of a space.
    pub fn folder(&self, name: &SpaceName) -> PathBuf {
        name.folders().iter().fold(self.home.join("spaces"), |path, part| path.join(part))
    }

    /// A space that exists.
    pub fn space(&self, name: &SpaceName) -> Result<Arc<Space>> {
        self.opened(name, || {
            let space = Space::open(name, &self.folder(name), self.sources.clone())?;
            space.map(|space| space.within(self.config.quotas.of(name))).ok_or_else(|| {
                Error::not_found(format!("there is no space {name} in {}", self.home.display()))
                    .hint("a space comes to be with its first event: `idetic remember TEXT`")
            })
        })
    }

    /// A space, made if it does not exist.
    pub fn space_or_new(&self, name: &SpaceName) -> Result<Arc<Space>> {
        self.opened(name, || {
            let folder = self.folder(name);
            make_folder(&folder)?;
            Ok(Space::create(name, &folder, self.sources.clone())?.within(self.config.quotas.of(name)))
        })
    }

    /// Every space of this home, by name.
    pub fn spaces(&self) -> Result<Vec<SpaceName>> {
        let mut names = Vec::new();
        for user in folder_names(&self.home.join("spaces"))? {
            for collection in folder_names(&self.home.join("spaces").join(&user))? {
                names.extend(SpaceName::from_folders(&user, &collection));
            }
        }
        names.sort();
        Ok(names)
    }

    /// The space if it is open, or opened now; the one that was not used for longest makes room.
    fn opened(&self, name: &SpaceName, open: impl FnOnce() -> Result<Space>) -> Result<Arc<Space>> {
        let mut kept = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        kept.clock += 1;
        let now = kept.clock;
        if let Some((used, space)) = kept.spaces.get_mut(name) {
            *used = now;
            return Ok(Arc::clone(space));
        }
        let space = Arc::new(open()?);
        if kept.spaces.len() >= self.config.open_spaces {
            let oldest = kept.spaces.iter().min_by_key(|(_, (used, _))| *used).map(|(name, _)| name.clone());
            oldest.and_then(|name| kept.spaces.remove(&name));
        }
        kept.spaces.insert(name.clone(), (now, Arc::clone(&space)));
        Ok(space)
    }
}

/// A home holds everything an agent saw: it is for whoever made it.
fn keep_to_owner(home: &Path) -> Result<()> {
    let owner = std::fs::Permissions::from_mode(0o700);
    std::fs::set_permissions(home, owner).map_err(Error::io(format_args!("cannot protect {}", home.display())))
}

/// Makes a folder and those above it, and flushes each entry: a space that was acknowledged must not vanish.
fn make_folder(folder: &Path) -> Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    let parent = folder.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    make_folder(parent)?;
    let failed =
        |e| Error { kind: crate::Kind::Unavailable, ..Error::io(format_args!("cannot make {}", folder.display()))(e) };
    match std::fs::create_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
        made => made.map_err(failed)?,
    }
    std::fs::File::open(parent).and_then(|f| f.sync_all()).map_err(failed)
}

fn folder_names(folder: &Path) -> Result<Vec<String>> {
    let failed = || Error::io(format!("cannot list {}", folder.display()));
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed()(error)),
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(failed())?;
        if entry.file_type().is_ok_and(|t| t.is_dir()) {
            names.extend(entry.file_name().into_string());
        }
    }
    Ok(names)
}
