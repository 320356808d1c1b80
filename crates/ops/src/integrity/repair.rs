//! `repair`: goes on with what is left of a log whose end was lost, and writes down that it was.

use clap::Args;
use idetic_core::Record;
use idetic_memory::{Error, Kind, Result, Space};
use idetic_store::{Error as StoreError, HeadState};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::operation::operation;
use crate::{Done, OwnerContext};

operation! {
    name: "repair",
    about: "Continue with what is left of a truncated log, and record the loss",
    example: "idetic repair --accept-loss",
    rights: Admin, reader: Owner, interfaces: [Cli], destructive: true,
    answers: One, args: Repair, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Repair {
    /// Yes, the missing events are lost: no backup has them
    #[arg(long)]
    accept_loss: bool,
}

const PAGE_EVENTS: usize = 1000;

fn run(cx: &mut OwnerContext, args: Repair) -> Result<()> {
    let space = cx.space()?;
    let log = space.raw_log();
    let head = log.head()?;
    // The head remembers what there was, and so do the views.
    let remembered = log.tip().map(|tip| Some(tip).filter(|_| matches!(head, HeadState::At { .. })));
    match remembered.and_then(|tip| space.views_agree().map(|()| tip)) {
        Ok(Some(tip)) => {
            check_rest(&space)?;
            let done = "there is nothing to repair".to_owned();
            return cx.answer(Done { done, events: tip.seq, head: Some(tip.hash) });
        }
        Ok(None) | Err(StoreError::Shortened { .. } | StoreError::Replaced { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    if !args.accept_loss {
        return Err(Error::invalid("repair gives up missing events").hint("if no backup has them, use --accept-loss"));
    }
    let by_head = match head {
        HeadState::At { seq, hash, .. } => Some((seq, hash)),
        _ => None,
    };
    let by_views = space.views().positions().unwrap_or_default().into_iter().map(|p| (p.seq, p.hash));
    let had = by_views.chain(by_head).filter(|(seq, _)| *seq > 0).max_by_key(|(seq, _)| *seq);
    let (had, had_hash) = had.map(|(seq, hash)| (seq, hash.to_string())).unzip();
    // Looked at before anything is accepted: of a log that cannot be repaired the evidence must stay.
    check_rest(&space)?;
    // Else whoever opens it meanwhile would learn of the loss again. Where that cannot be reached, publishing says so.
    let known = space.forget_published_head().unwrap_or(HeadState::Missing);
    let accept = || {
        // Where that fails, what was forgotten for it is published again.
        let tip = log.accept().inspect_err(|_| drop(space.publish_again(known)))?;
        space.discard_derived()?;
        let record = json!({
            "kind": "log.repaired",
            "summary": format!("the log was accepted as it stood, ending at event {}", tip.seq),
            "metadata": {"kept": tip.seq, "had": had, "had_hash": had_hash},
        });
        let acks = space.append(vec![Record::parse(record.to_string().as_bytes())?], None)?;
        Ok::<_, Error>((tip, acks.first().map_or(tip.seq, |a| a.seq)))
    };
    let (tip, seq) = accept()?;
    // Else every machine would be told of the loss again.
    if let Err(error) = space.publish_head(&log.tip()?) {
        let hint = "run `idetic repair --accept-loss` again once the folder of snapshots can be reached";
        (cx.notice)(&format!("{error}; {hint}"));
    }
    let done = format!("accepted the log up to event {}; event {seq} records it", tip.seq);
    cx.answer(Done { done, events: seq, head: Some(log.tip()?.hash) })
}

/// Damage inside what is left is nothing that could be accepted. Reading an event checks it.
fn check_rest(space: &Space) -> Result<()> {
    let mut next = 1;
    loop {
        match space.raw_log().read(next, PAGE_EVENTS) {
            Ok(events) if events.is_empty() => return Ok(()),
            Ok(events) => next += events.len() as u64,
            // Here it ends, and that it ends here is the loss in question.
            Err(StoreError::Shortened { .. } | StoreError::Replaced { .. }) => return Ok(()),
            Err(error) => {
                return Err(Error::new(Kind::CheckFailed, format!("what is left is damaged: {error}"))
                    .hint("restore a backup with `idetic restore FILE --force`"));
            }
        }
    }
}
