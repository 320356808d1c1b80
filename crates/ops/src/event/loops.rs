//! `loops`: the last loops of an agent, as short-term memory holds them.

use clap::Args;
use idetic_core::limits;
use idetic_core::words::Persona;
use idetic_memory::Result;
use idetic_memory::as_of::AsOf;
use idetic_memory::short_term::LoopOwner;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Context;
use crate::operation::operation;

operation! {
    name: "loops",
    about: "List the last loops of an agent, the latest first, as short-term memory holds them",
    example: "idetic loops --agent coder",
    rights: Read, reader: View, interfaces: [Cli, Json], destructive: false,
    answers: Many, args: Loops, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[derive(Default)]
struct Loops {
    /// Whose loops; without one, those that are shared
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// Which side of the agent: actor or subconscious [default: actor]
    #[arg(long, value_name = "PERSONA")]
    persona: Option<String>,
    /// How many [default: the window of the agent's identity]
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// As the space was at a seq or a time
    #[arg(long, value_name = "SEQ|TIME")]
    #[schemars(with = "Option<String>")]
    as_of: Option<AsOf>,
}

fn run(cx: &mut Context, args: Loops) -> Result<()> {
    let who = cx.who(args.agent.as_ref(), args.persona.as_ref())?;
    let whose = LoopOwner::new(who.agent.as_deref(), who.persona()?);
    let identity = cx.identity(whose.agent)?;
    let config = identity.memory_of(whose.persona.unwrap_or(Persona::Actor));
    let window = args.limit.unwrap_or(config.stm_window_size).min(limits::STM_WINDOW_MAX_LOOPS);
    let viewpoint = cx.viewpoint(&who)?;
    let (viewpoint, horizon) = viewpoint.as_of(args.as_of.as_ref())?;
    let loops = viewpoint.loops(whose, window, &config.stm_search, horizon)?;
    loops.into_iter().try_for_each(|entry| cx.answer(entry))
}
