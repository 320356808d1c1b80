//! `amem watch`: keeps an A-MEM folder and the log together for as long as it runs.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use idetic_memory::{Error, Result};
use idetic_sync::amem::{SyncOptions, make_folder, stamp};
use schemars::JsonSchema;
use serde::Deserialize;

use super::run_folder;
use crate::OwnerContext;
use crate::operation::operation;

operation! {
    name: "amem watch",
    about: "Keep an A-MEM folder and the log in sync: syncs whenever one of them changes, until it is stopped",
    example: "idetic amem watch .chora/memory",
    rights: Admin, reader: Owner, interfaces: [Cli], destructive: false,
    answers: One, args: AmemWatch, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AmemWatch {
    /// The memory folder, or the project it is in; created if it does not exist
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// How often to check, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 500)]
    #[serde(default = "often")]
    every: u64,
    /// Stop after this many syncs
    #[arg(long, value_name = "N")]
    #[serde(default)]
    times: Option<u64>,
}

fn often() -> u64 {
    500
}

fn run(cx: &mut OwnerContext, args: AmemWatch) -> Result<()> {
    if args.every < 10 {
        return Err(Error::invalid("--every is too short").hint("at least 10 milliseconds"));
    }
    make_folder(&args.folder)?;
    let space = cx.space_or_new()?;
    let shown = args.folder.display();
    (cx.notice)(&format!("watching {shown}: whatever changes there or in the log is synced; stop with Ctrl-C"));
    let wishes = SyncOptions { take_in: true, write_out: true, ..SyncOptions::default() };
    let (mut seen, mut done) = (None, 0);
    loop {
        let now = (stamp(&args.folder)?, space.log().tip()?.seq);
        if seen.as_ref() != Some(&now) {
            let mut report = run_folder(cx, Arc::clone(&space), &args.folder, wishes)?;
            // As it was before: what came while this run was at work is seen by the next one.
            seen = Some(now);
            if report.changed_anything() || done == 0 {
                done += 1;
                report.sum_up();
                cx.answer(report)?;
            }
            if args.times.is_some_and(|times| done >= times) {
                return Ok(());
            }
        }
        std::thread::sleep(Duration::from_millis(args.every));
    }
}
