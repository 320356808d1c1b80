//! `md timeline`: an event with those around it.

use clap::Args;
use idetic_memory::Result;
use idetic_sync::markdown::MdEventLine;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::OwnerContext;
use crate::md::In;
use crate::operation::operation;

const DEFAULT_AROUND: usize = 3;

operation! {
    name: "md timeline",
    about: "Show an event with those before and after it",
    example: "idetic md timeline evt-014 --context 3",
    rights: Read, reader: Home, interfaces: [Cli], destructive: false,
    answers: One, args: MdTimeline, run: run,
}

#[derive(Debug, Default, Args, Deserialize, JsonSchema)]
#[serde(default)]
struct MdTimeline {
    /// The event, e.g. evt-014 or 14
    #[arg(value_name = "EVT", required = true)]
    event: Option<String>,
    /// How many on each side [default: 3]
    #[arg(long, value_name = "N")]
    context: Option<usize>,
    /// Show private and sensitive events too
    #[arg(long)]
    private: bool,
    #[command(flatten)]
    #[serde(flatten)]
    place: In,
}

fn run(cx: &mut OwnerContext, args: MdTimeline) -> Result<()> {
    let name = args.event.unwrap_or_default();
    let project = args.place.open_to_read(cx)?;
    let here = project.get(&name, true)?.event;
    let events = project.timeline(&name, args.context.unwrap_or(DEFAULT_AROUND), args.private)?;
    events.into_iter().try_for_each(|event| {
        let here = event.event == here;
        cx.answer(MdEventLine { event, here })
    })
}
