//! `retain`: moves what is old to archive files, and gives its content up when that is asked for.

use std::path::Path;

use clap::Args;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::amem::{Age, Bound};
use crate::operation::operation;
use crate::retention::{Wanted, cut, retain};
use crate::{Context, Error, Result};

operation! {
    name: "retain",
    about: "Move what is old to compressed archive files that are still read; with --drop, give its content up",
    example: "idetic retain --dry-run --older-than 6m",
    rights: Admin, reader: Owner, faces: [Cli, Json], destructive: true,
    args: Retain, run: run,
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
    /// Remove the content of what is archived for good; numbers, ids, kinds and hashes stay, and the texts of current notes
    #[arg(long)]
    drop: bool,
    /// What is old: 6m (months), 1y, 90d, or a date [default: retention.archive_after_months]
    #[arg(long, value_name = "AGE")]
    older_than: Option<String>,
}

fn run(cx: &mut Context, args: Retain) -> Result<()> {
    if args.dry_run == args.apply {
        return Err(Error::invalid("say what to do").hint("--dry-run shows what would be moved, --apply moves it"));
    }
    let policy = cx.config()?.retention.clone();
    let older_than = cut(args.older_than.as_deref(), &policy, cx.sources.now())?;
    let space = cx.space()?;
    let mut retained = retain(&space, Wanted { older_than, apply: args.apply, drop: args.drop }, cx.progress)?;
    let folder = cx.config()?.amem.folder.clone();
    if !folder.is_empty() {
        let age = Age { now: cx.sources.now(), apply: args.apply, drop: args.drop };
        retained.folder = Bound::open(space, Path::new(&folder))?.retain(cx, &policy, age)?;
    }
    cx.answer(retained)
}
