//! `conversation start`: begins a conversation, perhaps with a goal.

use clap::Args;
use idetic_memory::{ConversationChanged, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Context;
use crate::arguments::{MemoryArgs, Object, new_conversation};
use crate::operation::operation;

operation! {
    name: "conversation start",
    about: "Start a conversation; an id is generated and returned if none is given",
    example: "idetic conversation start --goal \"Plan the trip to Oslo\"",
    rights: Write, reader: View, interfaces: [Cli, Json], destructive: false,
    answers: One, args: Start, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[derive(Default)]
struct Start {
    /// Its id [default: a new one]
    #[arg(value_name = "CONVERSATION")]
    #[serde(alias = "conversation_id")]
    conversation: Option<String>,
    /// What it is for
    #[arg(long, value_name = "TEXT")]
    goal: Option<String>,
    /// Anything else to keep with it, as one JSON object
    #[arg(long, value_name = "JSON")]
    metadata: Option<Object>,
    #[command(flatten)]
    #[serde(flatten)]
    whose: MemoryArgs,
}

fn run(cx: &mut Context, args: Start) -> Result<()> {
    let viewpoint = args.whose.writing(cx)?;
    let id = args.conversation.unwrap_or_else(|| new_conversation(cx));
    let given = args.metadata.map(|Object(given)| given);
    let is_new = viewpoint.start_conversation(&id, args.goal.as_deref(), given.as_ref(), None)?;
    let done = if is_new { "started" } else { "continued" };
    cx.answer(ConversationChanged { success: true, conversation_id: id, done, episode: None, error: () })
}
