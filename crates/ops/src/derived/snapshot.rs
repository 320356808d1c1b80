//! `snapshot`: puts what is derived where other machines that share the log find it.

use clap::Args;
use idetic_memory::Result;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::operation::operation;
use crate::{Done, OwnerContext};

operation! {
    name: "snapshot",
    about: "Keep a snapshot of what is derived, for new machines that share the log",
    example: "idetic snapshot",
    rights: Admin, reader: Owner, interfaces: [Cli], destructive: false,
    answers: One, args: TakeSnapshot, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TakeSnapshot {}

fn run(cx: &mut OwnerContext, _: TakeSnapshot) -> Result<()> {
    let space = cx.space()?;
    let taken = space.take_snapshot()?;
    space.publish_tip(&space.log().tip()?)?;
    let done = format!("took a snapshot of {} bytes in {}", taken.bytes, taken.place);
    cx.answer(Done { done, events: taken.seq, head: Some(taken.hash) })
}
