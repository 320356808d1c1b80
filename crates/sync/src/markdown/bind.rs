//! Which space a project is kept in.

use std::path::Path;
use std::sync::Arc;

use idetic_core::{Hash, SpaceName};
use idetic_memory::folder::Folder;
use idetic_memory::{Error, Memory, Result, Space};

use super::files::LOG;
use super::state::State;
use super::{MdReport, Project};

impl Project {
    /// A folder and its space, if it has one.
    pub fn new(space: Option<Arc<Space>>, folder: Folder) -> Self {
        // As the files have it: what has expired stands there until it is erased.
        let space = space.map(|space| space.with_expired());
        let state = space.as_ref().map(|space| State::load(space.folder())).unwrap_or_default();
        Self { space, folder, state, report: MdReport::default(), wants_all_anew: false }
    }

    /// The space, for what cannot do without.
    pub(super) fn log(&self) -> Result<&Arc<Space>> {
        self.space
            .as_ref()
            .ok_or_else(|| Error::not_found("the project has no space yet").hint("`idetic md init` creates one"))
    }
}

/// The space that was named (it is the usual one then), else the one that the project has: the usual one for a project with a home of its own and for
/// the first one of a home, else one of its own.
pub fn space_of(memory: &Memory, is_named: bool, project: &Path) -> Result<SpaceName> {
    let usual = memory.config().space.clone();
    let home = std::fs::canonicalize(memory.home()).unwrap_or_else(|_| memory.home().to_owned());
    if is_named || home.parent() == Some(project) {
        return Ok(usual);
    }
    let bound = match memory.space(&usual) {
        Ok(space) => State::load(space.folder()).project,
        Err(_) => String::new(),
    };
    if bound.is_empty() || Path::new(&bound) == project {
        return successor(memory, usual, project);
    }
    let own = successor(memory, own_space(&usual, project, "")?, project)?;
    // A project that was moved keeps its space, unless it got one of its own meanwhile.
    let is_gone = !Path::new(&bound).join(LOG).is_file();
    if is_gone && memory.space(&own).is_err() && memory.space(&usual).is_ok_and(|space| knows(&space, project)) {
        return Ok(usual);
    }
    Ok(own)
}

/// The space, unless the folder was rebuilt since and has nothing of what the space knows: then one of its own.
fn successor(memory: &Memory, space: SpaceName, project: &Path) -> Result<SpaceName> {
    let Ok(opened) = memory.space(&space) else { return Ok(space) };
    let state = State::load(opened.folder());
    let folder = Folder::open(project)?;
    let birth = folder.birth()?;
    let is_same = state.root.as_deref().is_none_or(|root| root == birth) || state.seq == 0;
    let is_empty =
        || super::files::Logs::read(&folder).is_ok_and(|logs| logs.all().iter().all(|l| l.entries().is_empty()));
    if is_same || !is_empty() && knows(&opened, project) { Ok(space) } else { own_space(&space, project, &birth) }
}

/// Whether a space has an event of the project's log.
fn knows(space: &Arc<Space>, project: &Path) -> bool {
    let known = || -> Result<bool> {
        let project = Project::new(Some(space.clone()), Folder::open(project)?);
        let logs = super::files::Logs::read(&project.folder)?;
        let keys: Vec<String> = project.known()?.into_iter().filter_map(|known| known.key).collect();
        Ok(super::compare::placed(&logs).iter().any(|placed| keys.contains(&placed.key)))
    };
    known().unwrap_or(false)
}

fn own_space(usual: &SpaceName, project: &Path, birth: &str) -> Result<SpaceName> {
    let name = project.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    let word: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).take(40).collect();
    let hash = Hash::of(&[project.as_os_str().as_encoded_bytes(), birth.as_bytes()].concat()).to_string();
    let word = Some(word.trim_matches('-')).filter(|word| !word.is_empty()).unwrap_or("project");
    let usual = usual.to_string();
    let user = usual.split_once('/').map_or("local", |(user, _)| user);
    Ok(SpaceName::parse(&format!("{user}/{word}-{}", &hash[..8]))?)
}
