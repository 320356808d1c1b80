//! `rule list`: what stands in a project.

use clap::Args;
use idetic_memory::as_of::AsOf;
use idetic_memory::standing::standing;
use idetic_memory::{RequestedReader, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use super::RuleLine;
use crate::Context;
use crate::arguments::ProjectChoice;
use crate::operation::operation;

operation! {
    name: "rule list",
    about: "List the rules, decisions and to-dos that stand, in the user's own words: what a session is told first",
    example: "idetic rule list",
    rights: Read, reader: View, interfaces: [Cli, Json], destructive: false,
    answers: Many, args: ListRules, run: run, new_space: |_| Ok(()),
}

#[derive(Debug, Default, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct ListRules {
    #[command(flatten)]
    #[serde(flatten)]
    project: ProjectChoice,
    /// What stood when the memory was at a seq (a position, with a key of an agent) or a time
    #[arg(long, value_name = "SEQ|TIME")]
    #[schemars(with = "Option<String>")]
    as_of: Option<AsOf>,
}

fn run(cx: &mut Context, args: ListRules) -> Result<()> {
    let (viewpoint, horizon) = cx.viewpoint(&RequestedReader::default())?.as_of(args.as_of.as_ref())?;
    let scope = args.project.scope(cx);
    let is_here = |project: &str| scope.is_empty() || scope.is_own(project);
    for found in standing(&viewpoint, &is_here, horizon)? {
        cx.answer(RuleLine::from(found))?;
    }
    Ok(())
}
