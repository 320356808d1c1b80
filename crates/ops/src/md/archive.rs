//! `md archive`: old events moved to the archive.

use clap::Args;
use idetic_memory::Result;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::OwnerContext;
use crate::md::{In, agent};
use crate::operation::operation;

operation! {
    name: "md archive",
    about: "Move old events to CHANGELOG-archive.md when there are more than 50; what is open or recent stays",
    example: "idetic md archive",
    rights: Admin, reader: Home, interfaces: [Cli], destructive: false,
    answers: One, args: MdArchive, run: run,
}

#[derive(Debug, Default, Args, Deserialize, JsonSchema)]
#[serde(default)]
struct MdArchive {
    /// Also when there are not more than 50 events; the last 20 always stay
    #[arg(long)]
    now: bool,
    /// Who archives [default: the author in config.toml, else "agent"]
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    place: In,
}

fn run(cx: &mut OwnerContext, args: MdArchive) -> Result<()> {
    let agent = agent(cx, args.agent.as_deref())?;
    let mut project = args.place.open(cx)?;
    let _alone = project.lock()?;
    project.sync()?;
    let moved = if args.now || project.archive_is_due()? { project.archive(&cx.env, &agent)? } else { 0 };
    let mut report = project.into_report();
    report.done = match moved {
        0 => "nothing to archive: what is left is recent, or something open leads to it".to_owned(),
        moved => format!("{moved} events moved to CHANGELOG-archive.md"),
    };
    cx.answer(report)
}
