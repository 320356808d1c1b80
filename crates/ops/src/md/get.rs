//! `md get`: one event, as it stands in the file.

use clap::Args;
use idetic_memory::Result;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::OwnerContext;
use crate::md::In;
use crate::operation::operation;

operation! {
    name: "md get",
    about: "Show an event of CHANGELOG.md or its archive",
    example: "idetic md get evt-014",
    rights: Read, reader: Home, interfaces: [Cli], destructive: false,
    answers: One, args: MdGet, run: run,
}

#[derive(Debug, Default, Args, Deserialize, JsonSchema)]
#[serde(default)]
struct MdGet {
    /// The event, e.g. evt-014 or 14
    #[arg(value_name = "EVT", required = true)]
    event: Option<String>,
    /// Show private and sensitive events too
    #[arg(long)]
    private: bool,
    #[command(flatten)]
    #[serde(flatten)]
    place: In,
}

fn run(cx: &mut OwnerContext, args: MdGet) -> Result<()> {
    let project = args.place.open_to_read(cx)?;
    let event = project.get(args.event.as_deref().unwrap_or_default(), args.private)?;
    cx.answer(event)
}
