//! `learn`: one note for an agent's future from feedback on its work.

use clap::Args;
use idetic_ops::{OwnerContext, Result, operation};
use schemars::JsonSchema;
use serde::Deserialize;

use super::asking::{DEFAULT_AGENT, chat, default_agent};
use crate::agent::Agent;
use crate::learning;

operation! {
    name: "learn",
    about: "Teach an agent from feedback: one note that it follows from now on, within its tuning policy",
    example: "idetic learn \"Always run the tests before you answer\" --agent coder",
    rights: Write, reader: View, interfaces: [Cli, Json], destructive: false,
    answers: One, args: Learn, runtime: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Learn {
    /// What should be done differently, or again
    #[arg(value_name = "FEEDBACK")]
    feedback: String,
    /// The agent that learns
    #[arg(long, short, value_name = "AGENT", default_value = DEFAULT_AGENT)]
    #[serde(default = "default_agent")]
    agent: String,
    /// Use the feedback as the note, word for word, even if a model is configured
    #[arg(long)]
    #[serde(default)]
    verbatim: bool,
}

fn run(cx: &mut OwnerContext, args: Learn) -> Result<()> {
    let with_model = !args.verbatim && cx.config()?.model.is_there();
    let chat = if with_model { chat(cx)? } else { std::sync::Arc::new(learning::Silent) };
    let agent = Agent {
        memory: cx.shared_memory()?,
        space: cx.space_name()?,
        agent: cx.agent(Some(args.agent))?,
        models: cx.models_if_any(),
        chat,
        variable: cx.variable,
        grant: cx.grant.clone(),
    };
    let learned = learning::learn(&agent, &args.feedback, with_model)?;
    cx.answer(learned)
}
