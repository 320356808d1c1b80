//! `verify`: every event against the chain, the log against its head, the views against the log; and what is derived
//! against its checksums.

use clap::Args;
use idetic_core::Hash;
use idetic_memory::purge::PurgeJournal;
use idetic_memory::verify::checked;
use idetic_memory::{Error, Kind, Result, Space};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::OwnerContext;
use crate::operation::operation;

operation! {
    name: "verify",
    about: "Check every event, the head, and every row of the views; exit 1 and name the first problem if there is one",
    example: "idetic verify --head 6f0c…",
    rights: Read, reader: Owner, interfaces: [Cli, Json], destructive: false,
    answers: One, args: Verify, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Verify {
    /// A head noted down earlier, as `status` prints it: the log must contain it, so that truncation is noticed
    #[arg(long, value_name = "HASH")]
    #[serde(default)]
    head: Option<String>,
}

fn run(cx: &mut OwnerContext, args: Verify) -> Result<()> {
    let wanted = args.head.as_deref().map(Hash::parse).transpose()?;
    let space = cx.space()?;
    tell_derived(&space, cx.notice);
    let (verdict, is_sound) = checked(&space, wanted, cx.progress)?;
    let (ok, first, problems) = (verdict.ok, verdict.first_bad_seq, verdict.problems.clone());
    cx.answer(verdict)?;
    if ok {
        return Ok(());
    }
    if is_sound {
        let what = problems.first().map_or_else(String::new, |p| p.message.clone());
        return Err(Error::new(Kind::CheckFailed, format!("the log is sound, the views are not: {what}"))
            .hint("`idetic rebuild` rebuilds them from the log: nothing is lost"));
    }
    let what = problems.first().map_or_else(String::new, |p| p.message.clone());
    let message = match first {
        Some(seq) => format!("the log is not sound from event {seq} on: {what}"),
        None => format!("the log is not sound: {what}"),
    };
    Err(Error::new(Kind::CheckFailed, message).hint(
        "restore a backup with `idetic restore FILE`; if only the end is missing, \
         `idetic repair --accept-loss` keeps the rest",
    ))
}

/// Says what is wrong with the recall index and the vectors. Neither is the log: what it says stays as it is, and all of
/// it can be rebuilt from the log.
fn tell_derived(space: &Space, notice: &mut dyn FnMut(&str)) {
    if PurgeJournal::is_there(space) {
        notice("a purge was not finished: `idetic purge --resume` finishes it");
    }
    for wrong in space.lane_files().check() {
        notice(&format!("the recall index is damaged ({wrong}): `idetic rebuild` rebuilds it, nothing is lost"));
    }
    if let Err(error) = space.vectors().check() {
        notice(&format!("{error}: it is repaired when next used; `idetic dream` re-embeds what cannot be repaired"));
    }
}
