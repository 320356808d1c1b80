//! `advise`: what is known about a failure.

use clap::Args;
use idetic_memory::advice::advise;
use idetic_memory::as_of::AsOf;
use idetic_memory::{Error, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Context;
use crate::operation::operation;

operation! {
    name: "advise",
    about: "Show what is known about a failure: similar failures, what was done then, and the notes that solved it",
    example: "idetic advise \"Backend failed to start (timeout 30s)\"",
    rights: Read, reader: View, interfaces: [Cli, Json], destructive: false,
    answers: One, args: Advise, run: run,
}

const DEFAULT_MOST: usize = 5;

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Advise {
    /// What went wrong, as the error says it
    #[arg(value_name = "ERROR", allow_hyphen_values = true)]
    error: String,
    /// How many notes and failures at most [default: 5]
    #[arg(short, long, value_name = "N")]
    #[serde(default)]
    k: Option<usize>,
    /// As this agent sees it: its own memory and what is shared
    #[arg(long, value_name = "AGENT")]
    #[serde(default)]
    agent: Option<String>,
    /// Which side of the agent: actor or subconscious [default: actor]
    #[arg(long, value_name = "PERSONA")]
    #[serde(default)]
    persona: Option<String>,
    /// As the space was at a seq (a position, with --agent) or a time
    #[arg(long, value_name = "SEQ|TIME")]
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    as_of: Option<AsOf>,
}

fn run(cx: &mut Context, args: Advise) -> Result<()> {
    if args.error.trim().is_empty() {
        return Err(Error::invalid("the error is empty").hint("give the text of the error"));
    }
    let viewpoint = cx.viewpoint(&cx.who(args.agent.as_ref(), args.persona.as_ref())?)?;
    let models = cx.models_if_any();
    let most = args.k.unwrap_or(DEFAULT_MOST);
    let advice = advise(&viewpoint, &models, &args.error, most, args.as_of.as_ref(), cx.notice)?;
    cx.answer(advice)
}
