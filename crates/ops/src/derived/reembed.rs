//! `reembed`: gives every document its vectors by the configured model, beside the old ones, and then lets those go.

use std::collections::BTreeSet;

use clap::Args;
use idetic_memory::space::embedding::{EmbedBudget, Which};
use idetic_memory::{Error, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::operation::operation;
use crate::{Done, OwnerContext};

operation! {
    name: "reembed",
    about: "Re-embed every document with the configured model, beside the old vectors, and switch when all are done",
    example: "idetic reembed",
    rights: Admin, reader: Owner, interfaces: [Cli, Json], destructive: false,
    answers: One, args: Reembed, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Reembed {
    /// Keep the vectors of other models as well
    #[arg(long)]
    #[serde(default)]
    keep: bool,
    /// Discard this model's own vectors first and compute them all again
    #[arg(long)]
    #[serde(default)]
    afresh: bool,
}

fn run(cx: &mut OwnerContext, args: Reembed) -> Result<()> {
    let space = cx.space()?;
    let Some(model) = cx.models()?.wanted else {
        return Err(Error::invalid("no model is configured").hint("set [embedding] model in config.toml"));
    };
    let id = model.id().to_string();
    let head = space.horizon(None)?;
    if args.afresh {
        space.forget_vectors(&id)?;
    }
    space.seal_documents(head, &mut |_, _| {})?;
    let done = space.embed(&model, None, Which::All, EmbedBudget::UNLIMITED, cx.progress)?;
    let coverage = space.coverage(&id, head)?;
    if coverage.pending + coverage.retry > 0 {
        let why = done.unavailable.unwrap_or_else(|| "the model could not embed them".to_owned());
        let missing = coverage.pending + coverage.retry;
        return Err(Error::unavailable(format!("{missing} documents have no vectors yet: {why}"))
            .hint("nothing is lost and the old vectors are still used: run it again to continue"));
    }
    space.join_files(Some((&id, model.dimensions())))?;
    let mut removed = 0;
    if !args.keep {
        let mut others: BTreeSet<String> = space.lane_files().manifest().models().map(str::to_owned).collect();
        others.extend(space.vectors().counts()?.into_iter().map(|(model, _)| model));
        others.remove(&id);
        for other in others {
            space.forget_vectors(&other)?;
            removed += 1;
        }
    }
    let done = format!("embedded {} documents with {id}; removed {removed} other models", coverage.embedded);
    cx.answer(Done { done, events: head, head: None })
}
