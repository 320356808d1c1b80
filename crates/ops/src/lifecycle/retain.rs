//! `retain`: moves what is old to archive files, and gives its content up when that is asked for.

use std::path::PathBuf;

use clap::Args;
use idetic_core::Time;
use idetic_memory::config::Retention;
use idetic_memory::retention::{RetentionOptions, retain};
use idetic_memory::{Error, Kind, Result, Space};
use idetic_sync::amem::{Age, FolderWork, bound_folder};
use idetic_sync::purge::erase_expired;
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
    if args.apply {
        cx.must_keep_audit(space.name())?;
        let memory = cx.shared_memory()?;
        if let Some(erased) = erase_expired(&memory, &space, cx.progress)? {
            (cx.notice)(&format!("{} events had expired, or were made of such: their content is erased", erased.count));
        }
    } else {
        let expired = space.erasable(space.horizon(None)?)?.len();
        if expired > 0 {
            (cx.notice)(&format!("{expired} events have expired: --apply erases their content"));
        }
    }
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

/// Since when something is no longer old: so many months before now, or as an age or a time says.
fn cut(said: Option<&str>, policy: &Retention, now: Time) -> Result<Option<Time>> {
    let Some(said) = said.map(str::trim) else {
        let months = policy.archive_after_months;
        return Ok((months > 0).then(|| now.months_earlier(months)));
    };
    let number = |unit: char| said.strip_suffix(unit).and_then(|number| number.parse::<u32>().ok());
    let months = number('m').or_else(|| number('y').and_then(|years| years.checked_mul(12)));
    let cut = match months {
        Some(months) => now.months_earlier(months),
        None => Time::parse_or_age(said, now).map_err(|_| {
            Error::invalid(format!("'{}' is not an age", said.escape_debug()))
                .hint("write 6m (months), 1y, 90d, 4w, or a date such as 2025-01-17")
        })?,
    };
    if cut > now {
        return Err(Error::invalid(format!("{cut} is in the future")).hint("name an age or a time in the past"));
    }
    Ok(Some(cut))
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
