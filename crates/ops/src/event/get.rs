//! `get`: one event, literally.

use clap::Args;
use idetic_memory::Result;
use idetic_memory::as_of::AsOf;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Context;
use crate::operation::operation;

operation! {
    name: "get",
    about: "Show one event by its id or its seq",
    example: "idetic get 42",
    rights: Read, reader: View, interfaces: [Cli, Json], destructive: false,
    answers: One, args: Get, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Get {
    /// The id, or the seq (the position, with --agent)
    #[arg(value_name = "ID|SEQ")]
    #[serde(alias = "id")]
    event: String,
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

fn run(cx: &mut Context, args: Get) -> Result<()> {
    let viewpoint = cx.viewpoint(&cx.who(args.agent.as_ref(), args.persona.as_ref())?)?;
    let (viewpoint, horizon) = viewpoint.as_of(args.as_of.as_ref())?;
    let event = viewpoint.get(args.event.strip_prefix('#').unwrap_or(&args.event), horizon)?;
    viewpoint.show(vec![event], horizon)?.into_iter().try_for_each(|shown| cx.answer(shown))
}
