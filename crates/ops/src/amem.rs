//! Operations on the A-MEM folder (specification 000).

pub mod export;
pub mod import;
pub mod init;
pub mod sync;
pub mod validate;
pub mod watch;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use idetic_memory::{Error, Kind, Result, Space};
use idetic_sync::amem::{Bound, FolderReport, SyncOptions, TroubleKind, following_folder};

use crate::OwnerContext;

/// A folder for a space: what stands in it is trusted as is configured, and known to be of its project.
pub fn open_folder(cx: &mut OwnerContext, space: Arc<Space>, folder: &Path) -> Result<Bound> {
    let amem = cx.config()?.amem.clone();
    Ok(Bound::open(space, folder)?.trusted(amem.trust.into(), &amem.source, cx.project_of))
}

/// Brings a folder and a space together.
pub fn run_folder(
    cx: &mut OwnerContext,
    space: Arc<Space>,
    folder: &Path,
    wishes: SyncOptions,
) -> Result<FolderReport> {
    open_folder(cx, space, folder)?.run(wishes, cx.progress)
}

/// Answers with what was done, and fails where something is not as it should be.
pub fn answer(cx: &mut OwnerContext, mut report: FolderReport) -> Result<()> {
    let [unread, violations, conflicts, errors] =
        [TroubleKind::Unread, TroubleKind::Violation, TroubleKind::Conflict, TroubleKind::Error]
            .map(|kind| report.count(kind));
    if report.done.is_empty() {
        report.sum_up();
    }
    let is_clean = report.is_clean();
    cx.answer(report)?;
    if is_clean {
        return Ok(());
    }
    let errors = if errors > 0 { format!(", {errors} errors against the document") } else { String::new() };
    let message = format!(
        "{unread} places could not be read, {violations} old lines were tampered with, \
         {conflicts} notes are in conflict{errors}"
    );
    Err(Error::new(Kind::CheckFailed, message).hint("each is named above; everything else was done"))
}

/// Keeps the folder of the configuration, or the one that was made to follow, in step with what was just appended. Whatever
/// goes wrong here, the appends are safe and the next sync does it.
pub fn follow(cx: &mut OwnerContext) {
    let Some(folder) = follower(cx) else { return };
    let wishes = SyncOptions { write_out: true, ..SyncOptions::default() };
    let followed = cx.space().and_then(|space| run_folder(cx, space, &folder, wishes));
    if let Err(error) = followed {
        (cx.notice)(&format!("the A-MEM folder could not be updated: {error}"));
    }
}

fn follower(cx: &mut OwnerContext) -> Option<PathBuf> {
    let config = cx.config().ok()?;
    // The configured folder is the usual space's: what others append to theirs is not to be seen there.
    let configured = Some(config.amem.folder.clone()).filter(|folder| !folder.is_empty());
    let usual = config.space.clone();
    let is_usual = cx.space_name().is_ok_and(|space| space == usual);
    if let Some(folder) = configured.filter(|_| is_usual) {
        return Some(PathBuf::from(folder));
    }
    let space = cx.space().ok()?;
    following_folder(&space)
}
