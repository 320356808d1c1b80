//! `conversation add`: what one invocation was asked, did and answered.

use clap::Args;
use idetic_memory::conversations::Invocation;
use idetic_memory::{ConversationChanged, Error, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Context;
use crate::arguments::{MemoryArgs, Object, moment, new_conversation};
use crate::operation::operation;

operation! {
    name: "conversation add",
    about: "Add an invocation to a conversation, or start one with it: what was asked, done and answered",
    example: "idetic conversation add \"Which Node?\" --id c1 --summary \"read the README\" --result \"Node 20\"",
    rights: Write, reader: View, interfaces: [Cli, Json], destructive: false,
    answers: One, args: Add, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Add {
    /// What was asked
    #[arg(value_name = "QUERY")]
    #[serde(default)]
    query: String,
    /// The conversation [default: a new one]
    #[arg(long, value_name = "CONVERSATION")]
    #[serde(default, alias = "conversation_id")]
    id: Option<String>,
    /// What the agent did
    #[arg(long, value_name = "TEXT", default_value = "")]
    #[serde(default)]
    summary: String,
    /// How it ended
    #[arg(long, value_name = "TEXT", default_value = "")]
    #[serde(default)]
    result: String,
    /// When: an ISO time, or an age such as 2h
    #[arg(long, value_name = "TIME")]
    #[serde(default)]
    at: Option<String>,
    /// The id of an event it summarizes; may be repeated
    #[arg(long = "cause", value_name = "ID")]
    #[serde(default)]
    causes: Vec<String>,
    /// Anything else to keep with the conversation, as one JSON object
    #[arg(long, value_name = "JSON")]
    #[serde(default)]
    metadata: Option<Object>,
    /// The invocation as one object, as specification 002 sends it
    #[arg(skip)]
    #[serde(default)]
    invocation_summary: Option<Summary>,
    #[command(flatten)]
    #[serde(flatten)]
    whose: MemoryArgs,
}

/// An invocation as one object.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Summary {
    /// What was asked
    query: String,
    /// What the agent did
    #[serde(default)]
    summary: String,
    /// How it ended
    #[serde(default)]
    result: String,
    /// When
    #[serde(default)]
    timestamp: Option<String>,
    /// Anything else to keep with it
    #[serde(default)]
    metadata: Option<Object>,
}

fn run(cx: &mut Context, mut args: Add) -> Result<()> {
    let mut given = None;
    if let Some(whole) = args.invocation_summary.take() {
        given = whole.metadata.map(|Object(given)| given);
        (args.query, args.summary, args.result) = (whole.query, whole.summary, whole.result);
        args.at = args.at.or(whole.timestamp);
    }
    if args.query.trim().is_empty() {
        return Err(Error::invalid("nothing was asked").hint("give the query, or an invocation_summary"));
    }
    let now = cx.env.now();
    let viewpoint = args.whose.writing(cx)?;
    let policy = cx.config()?.agent.clone();
    let models = cx.models_if_any();
    viewpoint.end_idle_conversations(&models, &policy, now)?;
    let id = args.id.unwrap_or_else(|| new_conversation(cx));
    let ts = moment(args.at.as_ref(), now)?;
    let Add { query, summary, result, causes, metadata, .. } = args;
    if let Some(Object(metadata)) = &metadata {
        viewpoint.start_conversation(&id, None, Some(metadata), ts)?;
    }
    let invocation = Invocation { query, summary, result, ts, causes, given, ..Invocation::default() };
    viewpoint.add_invocation(&id, &invocation)?;
    cx.answer(ConversationChanged { success: true, conversation_id: id, done: "added", episode: None, error: () })
}
