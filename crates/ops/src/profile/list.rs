//! `profile list`: the agents that are known.

use clap::Args;
use idetic_memory::Result;
use idetic_memory::as_of::AsOf;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::operation::operation;
use crate::{OwnerContext, ProfileLine};

operation! {
    name: "profile list",
    about: "List the known agents, with their sessions and how often they succeeded or failed",
    example: "idetic profile list",
    rights: Read, reader: Owner, interfaces: [Cli, Json], destructive: false,
    answers: Many, args: ListProfiles, run: run,
}

#[derive(Debug, Default, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct ListProfiles {
    /// As the space was at a seq or a time
    #[arg(long, value_name = "SEQ|TIME")]
    #[schemars(with = "Option<String>")]
    as_of: Option<AsOf>,
}

fn run(cx: &mut OwnerContext, args: ListProfiles) -> Result<()> {
    let space = cx.space()?;
    let (space, horizon) = space.as_of(args.as_of.as_ref())?;
    space.profiles(horizon)?.iter().try_for_each(|profile| cx.answer(ProfileLine::from(profile)))
}
