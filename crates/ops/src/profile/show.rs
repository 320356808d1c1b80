//! `profile show`: what an agent can do, prefers and has learned.

use clap::Args;
use idetic_memory::as_of::AsOf;
use idetic_memory::{Error, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::operation::operation;
use crate::{AgentProfile, OwnerContext};

operation! {
    name: "profile show",
    about: "Show what an agent can do, prefers and has learned, derived from the log",
    example: "idetic profile show claude-code",
    rights: Read, reader: Owner, interfaces: [Cli, Json], destructive: false,
    answers: One, args: ShowProfile, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ShowProfile {
    /// The agent
    #[arg(value_name = "AGENT")]
    agent: String,
    /// As the space was at a seq or a time
    #[arg(long, value_name = "SEQ|TIME")]
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    as_of: Option<AsOf>,
}

fn run(cx: &mut OwnerContext, args: ShowProfile) -> Result<()> {
    let space = cx.space()?;
    let (space, horizon) = space.as_of(args.as_of.as_ref())?;
    let profile = space.profile(&args.agent, horizon)?.ok_or_else(|| {
        Error::not_found(format!("nothing is known of an agent '{}'", args.agent))
            .hint("`idetic profile list` lists the agents that are known")
    })?;
    cx.answer(AgentProfile(profile))
}
