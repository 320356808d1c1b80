//! `retain`: moves what is old to archive files, and gives its content up when that is asked for.

use std::path::PathBuf;

use clap::Args;
use idetic_memory::retention::{RetentionOptions, cut, retain};
use idetic_memory::{Error, Kind, Result, Space};
use idetic_sync::amem::{Age, FolderWork, bound_folder};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::amem::open_folder;
use crate::operation::operation;
use crate::{OwnerContext, Retained};

operation! {
    name: "retain",
    about: "Move old events to compressed archive files that are still read; with --drop, erase their content",
    example: "idetic retain --dry-run --older-than 6m",
    rights: Admin, reader: Owner, interfaces: [Cli, Json], destructive: true,
    answers: One, args: Retain, run: run,
}

#[derive(Debug, Default, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Retain {
    /// Show what would be done
    #[arg(long, conflicts_with = "apply")]
    dry_run: bool,
    /// Do it
    #[arg(long)]
    apply: bool,
    /// Remove the content of what is archived for good, also from the A-MEM folder and its archive; numbers, ids, kinds and
    /// hashes stay, and the texts of current notes. Copies elsewhere (git, backups) are not reached
    #[arg(long)]
    drop: bool,
    /// What is old: 6m (months), 1y, 90d, or a date [default: retention.archive_after_months]. In the A-MEM folder it is the
    /// months that ended before; those are compressed after retention.compress_files_after_months all the same
    #[arg(long, value_name = "AGE")]
    older_than: Option<String>,
}

fn run(cx: &mut OwnerContext, args: Retain) -> Result<()> {
    if args.dry_run == args.apply {
        return Err(Error::invalid("specify what to do").hint("--dry-run shows what would be moved, --apply moves it"));
    }
    if args.apply {
        cx.must_be_owner("archive or drop what is old")?;
    }
    let policy = cx.config()?.retention.clone();
    let older_than = cut(args.older_than.as_deref(), &policy, cx.env.now())?;
    let space = cx.space()?;
    let log = retain(&space, RetentionOptions { older_than, apply: args.apply, drop: args.drop }, cx.progress)?;
    let mut retained = Retained { log, folder: FolderWork::default() };
    if let Some(folder) = folder_of(cx, &space)? {
        let age = Age { now: cx.env.now(), older_than, apply: args.apply, drop: args.drop };
        let archive = cx.config()?.amem.archive.clone();
        let mut bound = open_folder(cx, space, &folder)?;
        if !archive.is_empty() {
            bound = bound.archived_in(&folder.join(archive))?;
        }
        retained.folder = bound.retain(&policy, age, cx.progress)?;
    }
    if args.apply && args.drop {
        (cx.notice)("copies elsewhere keep what was dropped: git, backups, other spaces, files kept as .before-…");
    }
    let (stayed, troubles) = (retained.folder.stayed.len(), retained.folder.troubles.len());
    let is_clean = retained.folder.is_clean() || !args.apply;
    cx.answer(retained)?;
    if is_clean {
        return Ok(());
    }
    let message = format!("{stayed} old files of the A-MEM folder stay where they are, {troubles} places need a look");
    Err(Error::new(Kind::CheckFailed, message).hint("each is named above; everything else was done"))
}

/// The A-MEM folder of the configuration, or else the one that is bound to the space and still there.
fn folder_of(cx: &mut OwnerContext, space: &Space) -> Result<Option<PathBuf>> {
    let configured = cx.config()?.amem.folder.clone();
    if !configured.is_empty() {
        return Ok(Some(PathBuf::from(configured)));
    }
    let bound = bound_folder(space);
    if let Some(gone) = bound.as_ref().filter(|folder| !folder.is_dir()) {
        (cx.notice)(&format!("the A-MEM folder {} does not exist: nothing is done to it", gone.display()));
    }
    Ok(bound.filter(|folder| folder.is_dir()))
}
