//! The A-MEM folder (specification 000): its event files, notes, indexes and profiles, kept in step with a space.
//!
//! The log is the truth. What people and agents add to the files is taken in, what the log has is written out; what was
//! changed in a file that only grows is reported and never taken.

mod diff;
mod folder;
mod report;
mod state;
mod take_in;
mod write_out;

use std::path::Path;
use std::sync::Arc;

pub use report::{FolderReport, Trouble, TroubleKind};

use self::folder::Folder;
use self::state::State;
use crate::{Context, Error, Kind, Result, Space};

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
}

impl Bound {
    /// Opens a folder for a space: the memory folder itself, or a project that has one.
    pub fn open(space: Arc<Space>, path: &Path) -> Result<Self> {
        let folder = Folder::open(path)?;
        let state = State::of(space.folder(), folder.root())?;
        Ok(Self { space, folder, state, report: FolderReport::default() })
    }

    /// Brings folder and log together as wished.
    pub fn run(mut self, cx: &mut Context, wishes: Wishes) -> Result<FolderReport> {
        let lock = self.state.lock()?;
        let _alone = lock.hold()?;
        self.state.load()?;
        if wishes.take_in {
            self.take_in(cx, wishes.restore)?;
        }
        if wishes.write_out {
            self.write_out(cx, wishes.all)?;
        }
        self.state.save()?;
        Ok(self.report)
    }
}

/// Makes a folder where there is none.
pub(crate) fn make_folder(path: &Path) -> Result<()> {
    std::fs::create_dir_all(path).map_err(io("make", path))
}

/// Answers with what was done, and fails where something is not as it should be.
pub(crate) fn answer(cx: &mut Context, mut report: FolderReport) -> Result<()> {
    let [unread, violations, conflicts] =
        [TroubleKind::Unread, TroubleKind::Violation, TroubleKind::Conflict].map(|kind| report.count(kind));
    let FolderReport { events_added, notes_added, lines_written, files_written, .. } = &report;
    report.done = format!(
        "took in {events_added} events and {notes_added} notes; wrote {lines_written} lines and {files_written} files"
    );
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
    use idetic_core::words::Persona;
    const PRIVATE: [&str; 2] = ["private", "sensitive"];
    event.fields.as_ref().is_some_and(|fields| {
        fields.persona != Some(Persona::Subconscious)
            && !fields.tags.iter().any(|tag| PRIVATE.iter().any(|private| tag.eq_ignore_ascii_case(private)))
    })
}

/// An I/O error about a path.
fn io(doing: &str, path: &Path) -> impl FnOnce(std::io::Error) -> Error {
    let message = format!("cannot {doing} {}", path.display());
    move |error| Error::io(message)(error)
}
