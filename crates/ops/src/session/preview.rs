//! `session preview`: the text that the next session of a coding agent would start with.

use clap::Args;
use idetic_core::tokens;
use idetic_memory::as_of::AsOf;
use idetic_memory::{Error, RequestedReader, Result};
use idetic_sync::hooks::{START_TOKENS, next_start};
use idetic_sync::project::Project;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::operation::operation;
use crate::{Context, StartPreview};

operation! {
    name: "session preview",
    about: "Show what the next session of a coding agent would be told when it starts, and the events it comes from",
    example: "idetic session preview --project github.com/acme/shop",
    rights: Read, reader: View, interfaces: [Cli, Json], destructive: false,
    answers: One, args: Preview, run: run,
    new_space: |cx| cx.answer(StartPreview::default()),
}

/// Largest budget of tokens.
const BUDGET_MAX: usize = 20_000;

#[derive(Debug, Default, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Preview {
    /// The project, by its whole name [default: the one that is worked in]
    #[arg(long, value_name = "PROJECT")]
    project: Option<String>,
    /// About how many tokens the text may have [default: 800]
    #[arg(long, value_name = "TOKENS")]
    budget: Option<usize>,
    /// What a session would have been told when the memory was at a seq (a position, with a key of an agent) or a time
    #[arg(long, value_name = "SEQ|TIME")]
    #[schemars(with = "Option<String>")]
    as_of: Option<AsOf>,
}

fn run(cx: &mut Context, args: Preview) -> Result<()> {
    let budget = args.budget.unwrap_or(START_TOKENS);
    if !(1..=BUDGET_MAX).contains(&budget) {
        return Err(Error::invalid(format!("a budget of {budget} tokens is out of range"))
            .hint(format!("use 1 to {BUDGET_MAX}")));
    }
    let names = args.project.map_or_else(|| cx.projects(), |project| vec![project]);
    let (viewpoint, horizon) = cx.viewpoint(&RequestedReader::default())?.as_of(args.as_of.as_ref())?;
    let now = viewpoint.moment_asked(None, args.as_of.as_ref(), horizon, cx.env.now())?;
    // Of the one that is worked in it is known where its files lie.
    let here = cx.project.clone().filter(|project| names.first() == Some(&project.name));
    let project = here.unwrap_or_else(|| Project::named(&names));
    let told = next_start(&viewpoint, &project, budget, (horizon, now))?;
    let (text, ids) = told.map_or_else(Default::default, |told| (told.text, told.ids));
    cx.answer(StartPreview { tokens: tokens::estimate(&text), project: project.name, text, ids, budget })
}
