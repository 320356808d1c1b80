//! `md repair`: what follows from the log is rebuilt.

use clap::Args;
use idetic_memory::Result;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::OwnerContext;
use crate::md::{In, agent, answer};
use crate::operation::operation;

operation! {
    name: "md repair",
    about: "Rebuild what is derived from the log, restore deleted events, and append an event that says so",
    example: "idetic md repair",
    rights: Admin, reader: Home, interfaces: [Cli], destructive: false,
    answers: One, args: MdRepair, run: run,
}

#[derive(Debug, Default, Args, Deserialize, JsonSchema)]
#[serde(default)]
struct MdRepair {
    /// Who repairs [default: the author in config.toml, else "agent"]
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    place: In,
}

fn run(cx: &mut OwnerContext, args: MdRepair) -> Result<()> {
    let agent = agent(cx, args.agent.as_deref())?;
    let mut project = args.place.open(cx)?;
    let _alone = project.lock()?;
    project.repair(&cx.env, &agent)?;
    answer(cx, project.into_report())
}
