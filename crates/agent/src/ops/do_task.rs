//! `do`: a task for an agent that remembers; it is kept as an episode.

use clap::Args;
use idetic_ops::{OwnerContext, Result, operation};
use schemars::JsonSchema;
use serde::Deserialize;

use super::asking::{DEFAULT_AGENT, ask, default_agent, finish};
use crate::invocation::Asked;

operation! {
    name: "do",
    about: "Give an agent a task: one loop of thought and action, kept as an episode",
    example: "idetic do \"Find out why the nightly build fails\" --agent coder",
    rights: Write, reader: View, interfaces: [Cli, Json], destructive: false,
    answers: One, args: Do, runtime: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Do {
    /// The task
    #[arg(value_name = "TASK")]
    task: String,
    /// The agent that does it
    #[arg(long, short, value_name = "AGENT", default_value = DEFAULT_AGENT)]
    #[serde(default = "default_agent")]
    agent: String,
    /// The conversation it belongs to [default: a new one]
    #[arg(long, value_name = "CONVERSATION")]
    #[serde(default, alias = "conversation_id")]
    conversation: Option<String>,
    /// Show each thought, action and observation, and what was remembered and why
    #[arg(long, short)]
    #[serde(default)]
    verbose: bool,
}

fn run(cx: &mut OwnerContext, args: Do) -> Result<()> {
    let asked = Asked {
        conversation: args.conversation,
        task: true,
        author: cx.author(None)?,
        trace: cx.trace_id.clone(),
        ..Asked::new(args.task)
    };
    let answered = ask(cx, Some(args.agent), &asked, args.verbose)?;
    finish(cx, answered)
}
