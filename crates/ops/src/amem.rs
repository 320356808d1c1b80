//! Operations on the A-MEM folder (specification 000).

pub mod export;
pub mod import;
pub mod init;
pub mod sync;
pub mod validate;
pub mod watch;

use std::path::Path;
use std::sync::Arc;

use idetic_memory::{Error, Kind, Result, Space};
use idetic_sync::amem::{Bound, FolderReport, TroubleKind, Wishes};

use crate::OwnerContext;

/// Brings a folder and a space together; what stands in the folder is trusted as is configured, and known to be of its project.
pub fn run_folder(cx: &mut OwnerContext, space: Arc<Space>, folder: &Path, wishes: Wishes) -> Result<FolderReport> {
    let trust = cx.config()?.amem.trust.into();
    Bound::open(space, folder)?.trusted(trust, cx.project_of).run(wishes, cx.progress)
}

/// Answers with what was done, and fails where something is not as it should be.
pub fn answer(cx: &mut OwnerContext, mut report: FolderReport) -> Result<()> {
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

/// Keeps the folder that the configuration names in step with what was just appended. Whatever goes wrong here, the
/// appends are safe and the next sync does it.
pub fn follow(cx: &mut OwnerContext) {
    let Ok(config) = cx.config() else { return };
    // The folder is the usual space's: what others append to theirs is not to be seen there.
    if config.amem.folder.is_empty() || cx.space_name().is_ok_and(|space| space != config.space) {
        return;
    }
    let folder = std::path::PathBuf::from(&config.amem.folder);
    let followed = cx
        .space()
        .and_then(|space| Bound::open(space, &folder))
        .and_then(|bound| bound.run(Wishes { write_out: true, ..Wishes::default() }, cx.progress));
    if let Err(error) = followed {
        (cx.notice)(&format!("the A-MEM folder could not be updated: {error}"));
    }
}
