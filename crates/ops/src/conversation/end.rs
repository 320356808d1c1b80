//! `conversation end`: ends a conversation; one with a single goal becomes an episode.

use clap::Args;
use idetic_memory::{ConversationChanged, ExtractionFilter, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Context;
use crate::arguments::MemoryArgs;
use crate::operation::operation;

operation! {
    name: "conversation end",
    about: "End a conversation: facts are promoted, and one with a single goal becomes an episode",
    example: "idetic conversation end c1",
    rights: Write, reader: View, interfaces: [Cli, Json], destructive: false,
    answers: Many, args: End, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct End {
    /// The conversation's id
    #[arg(value_name = "CONVERSATION")]
    #[serde(alias = "conversation_id")]
    conversation: String,
    #[command(flatten)]
    #[serde(flatten)]
    whose: MemoryArgs,
}

fn run(cx: &mut Context, args: End) -> Result<()> {
    let viewpoint = args.whose.reading(cx)?;
    let models = cx.models_if_any();
    let ended = viewpoint.end_conversation(&models, &args.conversation, "signal", None)?;
    let was_open = ended.was_open;
    let done = if was_open { "ended" } else { "was ended" };
    let changed = ConversationChanged {
        success: true,
        conversation_id: args.conversation.clone(),
        done,
        episode: ended.episode,
        error: (),
    };
    cx.answer(changed)?;
    // What was plainly said in it is promoted, also what was said or had no room when it ended before; what was taken
    // already stays as it is.
    if cx.config()?.agent.enable_auto_fact_extraction {
        let words = ExtractionFilter { conversation: Some(args.conversation.clone()), loop_id: None };
        for promoted in viewpoint.extract_by_rules(&words, false)? {
            cx.answer(promoted)?;
        }
    }
    Ok(())
}
