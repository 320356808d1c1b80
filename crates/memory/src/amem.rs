//! The A-MEM folder (specification 000): its event files, notes, indexes and profiles, kept in step with a space.
//!
//! The log is the truth. What people and agents add to the files is taken in, what the log has is written out; what was
//! changed in a file that only grows is reported and never taken.

mod diff;
mod listing;
mod notes;
mod profiles;
mod purge;
mod report;
mod retain;
mod settled;
mod state;
mod summed;
mod take_in;
mod traces;
mod validate;
mod write_out;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use idetic_core::Hash;
use idetic_core::hash::Running;
use idetic_core::words::Trust;

pub(crate) use purge::known_folders;
pub use report::{FolderReport, Trouble, TroubleKind};
pub(crate) use retain::{Age, follow};
pub(crate) use validate::validate;

use self::state::State;
use crate::folder::{Folder, io};
use crate::query::BUILT_IN;
use crate::{Context, Error, Kind, Result, Space, Writer};

/// The file in a space's folder that names the A-MEM folder bound to it.
const BOUND: &str = "amem.folder";

/// The A-MEM folder that is bound to a space, whether or not it is there.
pub(crate) fn bound_folder(space: &Space) -> Option<PathBuf> {
    let bound = std::fs::read_to_string(space.folder().join(BOUND)).ok()?;
    Some(bound.trim()).filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// What a run does with a folder.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Wishes {
    /// Whether what the folder has is taken in.
    pub take_in: bool,
    /// Whether what the log has is written out.
    pub write_out: bool,
    /// Whether the owner wants everything, for its own use.
    pub all: bool,
    /// Whether files that were tampered with are written anew from the log.
    pub restore: bool,
}

/// A folder and the space it is kept in step with.
pub(crate) struct Bound {
    space: Arc<Space>,
    folder: Folder,
    state: State,
    report: FolderReport,
    wishes: Wishes,
    /// Events about notes that came from the folder in this run.
    notes_heard_of: Vec<u64>,
    /// Whether a file could not be written.
    is_stuck: bool,
    /// What stands in the folder is written by this one.
    writer: Writer,
}

impl Bound {
    /// Opens a folder for a space: the memory folder itself, or a project that has one.
    pub fn open(space: Arc<Space>, path: &Path) -> Result<Self> {
        let folder = listing::open(path)?;
        let state = State::of(space.folder(), folder.root())?;
        Ok(Self {
            space,
            folder,
            state,
            report: FolderReport::default(),
            wishes: Wishes::default(),
            notes_heard_of: Vec::new(),
            is_stuck: false,
            writer: Writer::of_file(Trust::Agent, None),
        })
    }

    /// The same, where what stands in the folder is trusted as is configured, and known to be of its project.
    pub fn trusted_as_configured(self, cx: &Context) -> Result<Self> {
        let project = (cx.project_of)(self.folder.root());
        let writer = Writer::of_file(cx.config()?.amem.trust.into(), project.as_deref());
        Ok(Self { writer, ..self })
    }

    /// Brings folder and log together as wished.
    pub fn run(mut self, cx: &mut Context, wishes: Wishes) -> Result<FolderReport> {
        let _alone = self.folder.lock()?;
        self.state.load()?;
        self.wishes = wishes;
        if wishes.take_in {
            self.take_in(cx)?;
        }
        if wishes.write_out {
            self.write_out(cx)?;
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

/// Makes a folder where there is none.
pub(crate) fn make_folder(path: &Path) -> Result<()> {
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
pub(crate) fn lay_out(path: &Path) -> Result<()> {
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
pub(crate) fn stamp(path: &Path) -> Result<Hash> {
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

/// Answers with what was done, and fails where something is not as it should be.
pub(crate) fn answer(cx: &mut Context, mut report: FolderReport) -> Result<()> {
    let [unread, violations, conflicts] =
        [TroubleKind::Unread, TroubleKind::Violation, TroubleKind::Conflict].map(|kind| report.count(kind));
    if report.done.is_empty() {
        report.sum_up();
    }
    let is_clean = report.is_clean();
    cx.answer(report)?;
    if is_clean {
        return Ok(());
    }
    let message = format!(
        "{unread} places could not be read, {violations} old lines were tampered with, {conflicts} notes are in conflict"
    );
    Err(Error::new(Kind::CheckFailed, message).hint("each is named above; everything else was done"))
}

/// Whether an event may be seen by whoever sees the files: nothing of a subconscious, nothing marked private.
pub(crate) fn is_for_files(event: &idetic_core::Event) -> bool {
    use idetic_core::event::is_private;
    use idetic_core::words::Persona;
    let fields = event.fields.as_ref();
    // What an index of the folder said is of no use to the folder.
    event.header.kind != notes::INDEX_KEPT
        && fields.is_some_and(|fields| fields.persona != Some(Persona::Subconscious) && !is_private(&fields.tags))
}
