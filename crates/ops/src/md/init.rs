//! `md init`: a project begins to keep to the Markdown protocol.

use clap::Args;
use idetic_memory::{Memory, Result};
use idetic_sync::markdown::tier;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::OwnerContext;
use crate::md::{In, answer};
use crate::operation::operation;

operation! {
    name: "md init",
    about: "Start keeping a project's memory in Markdown: missing files are created, no existing text is changed",
    example: "idetic md init --tier full --hook",
    rights: Admin, reader: Home, interfaces: [Cli], destructive: false,
    answers: One, args: MdInit, run: run,
}

#[derive(Debug, Default, Args, Deserialize, JsonSchema)]
#[serde(default)]
struct MdInit {
    /// How much to keep: mvp (CHANGELOG.md), core (and the narrative) or full (and the graph and TODO.md) [default: full]
    #[arg(long, value_name = "TIER")]
    tier: Option<String>,
    /// Install a git pre-commit hook that validates
    #[arg(long)]
    hook: bool,
    #[command(flatten)]
    #[serde(flatten)]
    place: In,
}

fn run(cx: &mut OwnerContext, args: MdInit) -> Result<()> {
    let tier = args.tier.as_deref().map(tier).transpose()?;
    if Memory::init(&cx.home().folder)? {
        // What lies there is a database, which git cannot join.
        let ignore = cx.home().folder.join(".gitignore");
        std::fs::write(&ignore, "*\n")
            .map_err(idetic_memory::Error::io(format!("cannot write {}", ignore.display())))?;
    }
    let mut project = args.place.open(cx)?;
    let _alone = project.lock()?;
    project.init(tier, &cx.program, args.hook)?;
    answer(cx, project.into_report())
}
