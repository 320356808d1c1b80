//! `md shutdown`: the end of the work: what waits is appended, everything brought in step.

use clap::Args;
use idetic_memory::Result;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::OwnerContext;
use crate::md::{In, agent, answer};
use crate::operation::operation;

operation! {
    name: "md shutdown",
    about: "End work: append what was staged as one batch, rebuild graph and context, archive when due, commit when asked",
    example: "idetic md shutdown --commit \"Finish the login\"",
    rights: Admin, reader: Home, interfaces: [Cli], destructive: false,
    answers: One, args: MdShutdown, run: run,
}

#[derive(Debug, Default, Args, Deserialize, JsonSchema)]
#[serde(default)]
struct MdShutdown {
    /// Commit the files of the protocol, and what is staged in git, with this message
    #[arg(long, value_name = "MESSAGE", num_args = 0..=1, default_missing_value = "Update the project's memory")]
    commit: Option<String>,
    /// Do not archive old events of CHANGELOG.md
    #[arg(long)]
    no_archive: bool,
    /// Who shuts down [default: the author in config.toml, else "agent"]
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    place: In,
}

fn run(cx: &mut OwnerContext, args: MdShutdown) -> Result<()> {
    let agent = agent(cx, args.agent.as_deref())?;
    let mut project = args.place.open(cx)?;
    let alone = project.lock()?;
    project.shut_down()?;
    if !args.no_archive && project.archive_is_due()? {
        project.archive(&cx.env, &agent)?;
    }
    // A hook of ours looks at the project, and waits for nobody.
    drop(alone);
    if let Some(message) = &args.commit {
        project.commit(message)?;
    }
    answer(cx, project.into_report())
}
