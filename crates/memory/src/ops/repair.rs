//! `repair`: goes on with what is left of a log whose end was lost, and writes down that it was.

use clap::Args;
use idetic_core::Record;
use idetic_store::{Error as StoreError, HeadState};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::verify;
use crate::operation::operation;
use crate::{Context, Done, Error, Kind, Result};

operation! {
    name: "repair",
    about: "Go on with what is left of a log whose end was lost, and record the loss",
    example: "idetic repair --accept-loss",
    rights: Admin, reader: Owner, faces: [Cli], destructive: true,
    args: Repair, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Repair {
    /// Yes, the missing events are lost: no backup has them
    #[arg(long)]
    accept_loss: bool,
}

fn run(cx: &mut Context, args: Repair) -> Result<()> {
    let space = cx.space()?;
    let log = space.log();
    let head = log.head()?;
    match log.tip() {
        Ok(tip) if matches!(head, HeadState::At { .. }) => {
            let done = "there is nothing to repair".to_owned();
            return cx.answer(Done { done, events: tip.seq, head: Some(tip.hash) });
        }
        Ok(_) | Err(StoreError::Shortened { .. } | StoreError::Replaced { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    if !args.accept_loss {
        return Err(Error::invalid("repair gives up what is missing").hint("if no backup has it, say --accept-loss"));
    }
    let tip = log.accept()?;
    let verdict = verify::check(&space, None, cx.progress)?;
    let inside = verdict.problems.iter().find(|p| p.seq.is_some_and(|seq| seq <= tip.seq));
    if let Some(problem) = inside {
        return Err(Error::new(Kind::CheckFailed, format!("what is left is damaged too: {}", problem.message))
            .hint("restore a backup with `idetic restore FILE --force`"));
    }
    space.views().discard()?;
    let (had, had_hash) = match head {
        HeadState::At { seq, hash, .. } => (Some(seq), Some(hash.to_string())),
        _ => (None, None),
    };
    let record = json!({
        "kind": "log.repaired",
        "summary": format!("the log was accepted as it stood, ending at event {}", tip.seq),
        "metadata": {"kept": tip.seq, "had": had, "had_hash": had_hash},
    });
    let acks = space.append(vec![Record::parse(record.to_string().as_bytes())?], None)?;
    let seq = acks.first().map_or(tip.seq, |a| a.seq);
    let done = format!("accepted the log up to event {}; event {seq} records it", tip.seq);
    cx.answer(Done { done, events: seq, head: Some(log.tip()?.hash) })
}
