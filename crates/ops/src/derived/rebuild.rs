//! `rebuild`: folds the whole log into new views beside the old ones and exchanges them.

use clap::Args;
use idetic_memory::{Result, quarantine};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::operation::operation;
use crate::{Done, OwnerContext};

operation! {
    name: "rebuild",
    about: "Fold the whole log into new views and replace the old ones",
    example: "idetic rebuild",
    rights: Admin, reader: Owner, interfaces: [Cli, Json], destructive: false,
    answers: One, args: Rebuild, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Rebuild {}

fn run(cx: &mut OwnerContext, _: Rebuild) -> Result<()> {
    let space = cx.space()?;
    let tip = space.log().tip()?;
    quarantine::refresh(&space)?;
    space.views().rebuild(space.log(), &mut |seq| (cx.progress)(seq, tip.seq))?;
    space.forget_long_term();
    space.lane_files().discard()?;
    space.seal_documents(tip.seq, cx.progress)?;
    if let Some(model) = cx.models()?.wanted {
        // Vectors are kept: from those that are there the files come back without a model.
        space.seal_vectors(&model.id().to_string(), model.dimensions())?;
    }
    cx.answer(Done { done: "rebuilt the views and the recall index".to_owned(), events: tip.seq, head: Some(tip.hash) })
}
