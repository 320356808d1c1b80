//! `failures`: what went wrong lately, similar failures together.

use clap::Args;
use idetic_memory::Result;
use idetic_memory::as_of::AsOf;
use idetic_memory::failures::grouped;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Context;
use crate::operation::operation;

operation! {
    name: "failures",
    about: "List what failed or timed out lately, similar failures together",
    example: "idetic failures --days 30",
    rights: Read, reader: View, interfaces: [Cli, Json], destructive: false,
    answers: Many, args: Failures, run: run,
}

const DEFAULT_DAYS: u32 = 7;

#[derive(Debug, Default, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Failures {
    /// How many days back [default: 7]
    #[arg(long, value_name = "N")]
    days: Option<u32>,
    /// As this agent sees it: its own memory and what is shared
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// Which side of the agent: actor or subconscious [default: actor]
    #[arg(long, value_name = "PERSONA")]
    persona: Option<String>,
    /// As the space was at a seq (a position, with --agent) or a time
    #[arg(long, value_name = "SEQ|TIME")]
    #[schemars(with = "Option<String>")]
    as_of: Option<AsOf>,
}

fn run(cx: &mut Context, args: Failures) -> Result<()> {
    let viewpoint = cx.viewpoint(&cx.who(args.agent.as_ref(), args.persona.as_ref())?)?;
    let (viewpoint, horizon) = viewpoint.as_of(args.as_of.as_ref())?;
    // In the past it is the past's now.
    let now = match &args.as_of {
        Some(_) => viewpoint.last_recorded(horizon)?.unwrap_or_else(|| cx.env.now()),
        None => cx.env.now(),
    };
    let since = now.plus_days(-i64::from(args.days.unwrap_or(DEFAULT_DAYS)));
    let (groups, left_out) = grouped(&viewpoint, horizon, since)?;
    if left_out > 0 {
        (cx.notice)(&format!("{left_out} earlier failures are left out: use fewer --days"));
    }
    groups.into_iter().try_for_each(|group| cx.answer(group))
}
