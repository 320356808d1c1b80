//! `md relevant`: the events that matter for a task.

use clap::Args;
use idetic_memory::Result;
use idetic_sync::markdown::EventFilter;
use idetic_sync::markdown::MdEventLine;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::OwnerContext;
use crate::md::In;
use crate::operation::operation;

const DEFAULT_LIMIT: usize = 5;

operation! {
    name: "md relevant",
    about: "Find the events that matter for a task, by words and meaning",
    example: "idetic md relevant \"add a refresh token\" --limit 5",
    rights: Read, reader: Home, interfaces: [Cli], destructive: false,
    answers: One, args: MdRelevant, run: run,
}

#[derive(Debug, Default, Args, Deserialize, JsonSchema)]
#[serde(default)]
struct MdRelevant {
    /// The task
    #[arg(value_name = "TASK", required = true)]
    task: Option<String>,
    /// How many [default: 5]
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Show private and sensitive events too
    #[arg(long)]
    private: bool,
    #[command(flatten)]
    #[serde(flatten)]
    place: In,
}

fn run(cx: &mut OwnerContext, args: MdRelevant) -> Result<()> {
    let mut project = args.place.open(cx)?;
    let _alone = project.lock()?;
    let wanted = EventFilter { private: args.private, ..EventFilter::default() };
    let task = args.task.unwrap_or_default();
    let models = cx.models_if_any();
    let events = project.recall(&models, &task, &wanted, args.limit.unwrap_or(DEFAULT_LIMIT), cx.notice)?;
    if events.is_empty() {
        (cx.notice)("no event is relevant to it");
    }
    events.into_iter().try_for_each(|event| cx.answer(MdEventLine { event, here: false }))
}
