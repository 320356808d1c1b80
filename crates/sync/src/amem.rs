//! The A-MEM folder (specification 000): its event files, notes, indexes and profiles, in sync with a space.
//!
//! The log is the truth. What people and agents add to the files is taken in, what the log has is written out; what was
//! changed in a file that only grows is reported and never taken.

mod diff;
mod indexes;
mod listing;
mod notes;
mod profiles;
mod purge;
mod queries;
mod report;
mod retain;
mod schema;
mod settled;
mod state;
mod summed;
mod take_in;
mod traces;
mod validate;
mod write_out;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use idetic_core::Hash;
use idetic_core::hash::Running;
use idetic_core::words::Trust;
use idetic_formats::amem::names::Names;

pub use purge::known_folders;
pub use queries::BUILT_IN;
pub use report::{FolderReport, Trouble, TroubleKind};
pub use retain::{Age, FolderWork, Stayed};
pub use validate::validate;

use self::state::State;
use crate::Progress;
use idetic_memory::folder::{Folder, io};
use idetic_memory::{Result, Space, Writer};

/// The file in a space's folder that names the A-MEM folder bound to it.
const BOUND: &str = "amem.folder";

/// The A-MEM folder that is bound to a space, whether or not it is there.
pub fn bound_folder(space: &Space) -> Option<PathBuf> {
    let bound = std::fs::read_to_string(space.folder().join(BOUND)).ok()?;
    Some(bound.trim()).filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// The file in a space's folder that names the A-MEM folder that follows every append.
const FOLLOWS: &str = "amem.follows";

/// The A-MEM folder that follows every append to a space, where one was made so.
pub fn following_folder(space: &Space) -> Option<PathBuf> {
    let follows = std::fs::read_to_string(space.folder().join(FOLLOWS)).ok()?;
    Some(follows.trim()).filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// Lets an A-MEM folder follow every append to a space from now on.
pub fn let_follow(space: &Space, path: &Path) -> Result<()> {
    let (name, folder) = (space.folder().join(FOLLOWS), listing::open(path)?);
    std::fs::write(&name, folder.root().to_string_lossy().as_bytes()).map_err(io("write", &name))
}

/// What a run does with a folder.
#[derive(Debug, Clone, Copy, Default)]
pub struct SyncOptions {
    /// Whether what the folder has is taken in.
    pub take_in: bool,
    /// Whether what the log has is written out.
    pub write_out: bool,
    /// Whether the owner wants everything, for its own use.
    pub all: bool,
    /// Whether files that were tampered with are written anew from the log.
    pub restore: bool,
}

/// A folder and the space it is in sync with.
pub struct Bound {
    space: Arc<Space>,
    folder: Folder,
    state: State,
    report: FolderReport,
    wishes: SyncOptions,
    /// Events about notes that came from the folder in this run.
    notes_heard_of: Vec<u64>,
    /// Where retention moves old months, if not below the folder itself.
    archive: Option<Folder>,
    /// The names of the files of traces, by folder.
    trace_names: BTreeMap<String, Names>,
    /// The profiles that were edited since they were written, with what was written.
    edited_profiles: BTreeMap<String, String>,
    /// Whether a file could not be written.
    is_stuck: bool,
    /// What stands in the folder is written by this one.
    writer: Writer,
    /// The source of events that name none: a program or a project.
    source: String,
}

/// The source of events that name none, where no project is known.
const PROGRAM: &str = "idetic";

impl Bound {
    /// Opens a folder for a space: the memory folder itself, or a project that has one.
    pub fn open(space: Arc<Space>, path: &Path) -> Result<Self> {
        let folder = listing::open(path)?;
        let state = State::of(space.folder(), folder.root())?;
        // What has expired stands in the files until it is erased there, too: without it they would be taken for new.
        let space = space.with_expired();
        Ok(Self {
            space,
            folder,
            state,
            report: FolderReport::default(),
            wishes: SyncOptions::default(),
            notes_heard_of: Vec::new(),
            archive: None,
            trace_names: BTreeMap::new(),
            edited_profiles: BTreeMap::new(),
            is_stuck: false,
            writer: Writer::of_synced_file(Trust::Agent, None),
            source: PROGRAM.to_owned(),
        })
    }

    /// The same, where what stands in the folder is trusted so far, and known to be of a project. The source of events that
    /// name none is the one that is given, else the project.
    #[must_use]
    pub fn trusted(self, trust: Trust, source: &str, project_of: &dyn Fn(&Path) -> Option<String>) -> Self {
        let project = project_of(self.folder.root());
        let writer = Writer::of_synced_file(trust, project.as_deref());
        let named = Some(source.to_owned()).filter(|source| !source.trim().is_empty());
        let source = named.or(project).filter(|source| !source.is_empty()).unwrap_or_else(|| PROGRAM.to_owned());
        Self { writer, source, ..self }
    }

    /// The same, where retention moves old months to another place.
    pub fn archived_in(self, path: &Path) -> Result<Self> {
        make_folder(path)?;
        Ok(Self { archive: Some(Folder::open(path)?), ..self })
    }

    /// Brings folder and log together as wished.
    pub fn run(mut self, wishes: SyncOptions, progress: Progress) -> Result<FolderReport> {
        let _alone = self.folder.lock()?;
        self.state.load()?;
        self.wishes = wishes;
        if wishes.take_in {
            self.take_in(progress)?;
        }
        if wishes.write_out {
            self.write_out(progress)?;
            self.write_profiles()?;
        }
        self.state.save()?;
        if wishes.take_in && wishes.write_out {
            // The folder that belongs to the space: saved queries are looked for in it.
            let (name, root) = (self.space.folder().join(BOUND), self.folder.root());
            std::fs::write(&name, root.to_string_lossy().as_bytes()).map_err(io("write", &name))?;
        }
        Ok(self.report)
    }
}

impl Bound {
    /// Puts a text beside the file it stood in; gives the name it has there.
    fn set_aside(&mut self, path: &str, text: &str) -> Result<String> {
        let beside = format!("{path}{}{}", listing::BEFORE, &Hash::of(text.as_bytes()).to_string()[..8]);
        self.report.files_written += u64::from(self.folder.put(&beside, text)?);
        Ok(beside)
    }
}

/// Makes a folder where there is none.
pub fn make_folder(path: &Path) -> Result<()> {
    std::fs::create_dir_all(path).map_err(io("make", path))
}

/// The guides that a new folder gets.
const GUIDES: [(&str, &str); 3] = [
    ("README.md", include_str!("amem/guide/README.md")),
    ("AGENTS.md", include_str!("amem/guide/AGENTS.md")),
    ("CLAUDE.md", include_str!("amem/guide/CLAUDE.md")),
];
/// The folders of the specification.
const FOLDERS: [&str; 5] = ["events", "knowledge", "knowledge/notes", "profiles", "queries"];

/// Makes the folders and the guides of the specification; what is there stays as it is.
pub fn lay_out(path: &Path) -> Result<()> {
    make_folder(path)?;
    // Of a project that has a memory folder, that one.
    let folder = listing::open(path)?;
    for name in FOLDERS {
        make_folder(&folder.root().join(name))?;
    }
    let guides = GUIDES.iter().map(|(name, text)| ((*name).to_owned(), *text));
    let queries = BUILT_IN.iter().map(|(name, text)| (format!("queries/{name}.sql"), *text));
    for (name, text) in guides.chain(queries).filter(|(name, _)| !folder.has(name)) {
        folder.put(&name, text)?;
    }
    Ok(())
}

/// Something that changes whenever a file of the folder does.
pub fn stamp(path: &Path) -> Result<Hash> {
    let mut sum = Running::default();
    for found in listing::list(&listing::open(path)?)?.files {
        sum.add(format!("{} {} {}\n", found.path, found.bytes, found.changed).as_bytes());
    }
    Ok(sum.hash())
}

/// The name of a file without its folder and its ending.
fn stem(path: &str) -> &str {
    let file = path.rsplit('/').next().unwrap_or_default();
    file.strip_suffix(".md").unwrap_or(file)
}
