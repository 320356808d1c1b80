//! `ask`: a question to an agent that remembers.

use clap::Args;
use idetic_ops::{OwnerContext, Result, operation};
use schemars::JsonSchema;
use serde::Deserialize;

use super::asking::{ask, finish};
use crate::invocation::Asked;
use crate::tools::DEFAULT_GROUP;

operation! {
    name: "ask",
    about: "Ask an agent that remembers: facts, episodes and the conversation are put before the model",
    example: "idetic ask \"Which Node version does our build need?\" --conversation c1 --verbose",
    rights: Write, reader: View, interfaces: [Cli, Json], destructive: false,
    answers: One, args: Ask, runtime: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Ask {
    /// The question
    #[arg(value_name = "QUESTION")]
    question: String,
    /// The conversation it belongs to [default: a new one]
    #[arg(long, short, value_name = "CONVERSATION")]
    #[serde(default, alias = "conversation_id")]
    conversation: Option<String>,
    /// The agent that is asked; without one it uses what the space shares
    #[arg(long, value_name = "AGENT")]
    #[serde(default)]
    agent: Option<String>,
    /// Neither look anything up nor keep anything
    #[arg(long)]
    #[serde(default)]
    no_memory: bool,
    /// A group whose tools are offered; may be repeated [default: default]
    #[arg(long = "group", value_name = "GROUP")]
    #[serde(default)]
    groups: Vec<String>,
    /// The state that decides which tools are offered
    #[arg(long, value_name = "STATE")]
    #[serde(default)]
    state: Option<String>,
    /// Who asks
    #[arg(long, value_name = "WHO")]
    #[serde(default)]
    author: Option<String>,
    /// Show each thought, action and observation, and what was remembered and why
    #[arg(long, short)]
    #[serde(default)]
    verbose: bool,
}

fn run(cx: &mut OwnerContext, args: Ask) -> Result<()> {
    let groups = if args.groups.is_empty() { vec![DEFAULT_GROUP.to_owned()] } else { args.groups };
    let asked = Asked {
        conversation: args.conversation,
        group: groups,
        state: args.state.unwrap_or_default(),
        enable_memory: args.no_memory.then_some(false),
        author: cx.author(args.author)?,
        trace: cx.trace_id.clone(),
        ..Asked::new(args.question)
    };
    let mut answered = ask(cx, args.agent, &asked, args.verbose)?;
    if !args.verbose && cx.for_person {
        answered.remembered.clear();
    }
    finish(cx, answered)
}
