//! `stm`: fuzzy search over the last loops.

use clap::Args;
use idetic_core::Time;
use idetic_core::words::Persona;
use idetic_memory::Result;
use idetic_memory::as_of::AsOf;
use idetic_memory::short_term::LoopOwner;
use idetic_search::stm;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Context;
use crate::operation::operation;

operation! {
    name: "stm",
    about: "Search short-term memory: the last loops, by fuzzy similarity and recency",
    example: "idetic stm \"build failed on node\" --agent coder",
    rights: Read, reader: View, interfaces: [Cli, Json], destructive: false,
    answers: Many, args: SearchStm, run: run,
}

#[derive(Debug, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SearchStm {
    /// What to look for
    #[arg(value_name = "QUERY")]
    query: String,
    /// Whose loops; without one, those that are shared
    #[arg(long, value_name = "AGENT")]
    #[serde(default)]
    agent: Option<String>,
    /// Which side of the agent: actor or subconscious [default: actor]
    #[arg(long, value_name = "PERSONA")]
    #[serde(default)]
    persona: Option<String>,
    /// How many to return [default: the identity's top_k]
    #[arg(short = 'k', long, value_name = "N")]
    #[serde(default)]
    top_k: Option<usize>,
    /// The lowest ratio that counts, 0 to 100 [default: the identity's]
    #[arg(long, value_name = "RATIO")]
    #[serde(default)]
    threshold: Option<f64>,
    /// The moment that ages are counted from: an ISO time [default: when the last event was written]
    #[arg(long, value_name = "TIME")]
    #[serde(default)]
    at: Option<String>,
    /// As the space was at a seq or a time
    #[arg(long, value_name = "SEQ|TIME")]
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    as_of: Option<AsOf>,
}

fn run(cx: &mut Context, args: SearchStm) -> Result<()> {
    let who = cx.who(args.agent.as_ref(), args.persona.as_ref())?;
    let whose = LoopOwner::new(who.agent.as_deref(), who.persona()?);
    let identity = cx.identity(whose.agent)?;
    let config = identity.memory_of(whose.persona.unwrap_or(Persona::Actor));
    let mut search = config.stm_search.clone();
    search.top_k = args.top_k.unwrap_or(search.top_k);
    search.threshold = args.threshold.unwrap_or(search.threshold);
    let viewpoint = cx.viewpoint(&who)?;
    let (viewpoint, horizon) = viewpoint.as_of(args.as_of.as_ref())?;
    // Ages count from the last event seen, so that the answer is a function of the log and not of the clock.
    let now = match (&args.at, viewpoint.last_recorded(horizon)?) {
        (Some(text), _) => Time::parse(text)?,
        (None, Some(last)) => last,
        (None, None) => return Ok(()),
    };
    let entries = viewpoint.loops(whose, config.stm_window_size, &search, horizon)?;
    stm::search(&args.query, entries, &search, now).into_iter().try_for_each(|hit| cx.answer(hit))
}
