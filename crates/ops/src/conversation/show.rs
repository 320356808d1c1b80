//! `conversation show`: what was asked in a conversation and what came of it, in order.

use clap::Args;
use idetic_memory::as_of::AsOf;
use idetic_memory::{ConversationShown, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Context;
use crate::arguments::MemoryArgs;
use crate::operation::operation;

operation! {
    name: "conversation show",
    about: "Show a conversation in order; one that has been idle for too long is ended",
    example: "idetic conversation show c1",
    rights: Write, reader: View, interfaces: [Cli, Json], destructive: false,
    answers: One, args: Show, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Show {
    /// The conversation's id
    #[arg(value_name = "CONVERSATION")]
    #[serde(alias = "conversation_id")]
    conversation: String,
    /// How many of the latest invocations
    #[arg(long, value_name = "N")]
    #[serde(default)]
    last: Option<usize>,
    /// As the memory was at a seq (a position, with --agent) or a time
    #[arg(long, value_name = "SEQ|TIME")]
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    as_of: Option<AsOf>,
    #[command(flatten)]
    #[serde(flatten)]
    whose: MemoryArgs,
}

fn run(cx: &mut Context, args: Show) -> Result<()> {
    let viewpoint = args.whose.reading(cx)?;
    if args.as_of.is_none() {
        let policy = cx.config()?.agent.clone();
        let models = cx.models_if_any();
        viewpoint.end_idle_conversations(&models, &policy, cx.env.now())?;
    }
    let (viewpoint, horizon) = viewpoint.as_of(args.as_of.as_ref())?;
    let conversation = viewpoint.conversation(&args.conversation, horizon, args.last)?;
    cx.answer(ConversationShown { conversation, error: () })
}
