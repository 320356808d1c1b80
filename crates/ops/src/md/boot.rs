//! `md boot`: an agent begins: the rules, what is stale rebuilt, and the context.

use std::io::Read;

use clap::Args;
use idetic_formats::markdown::handoff::Payload;
use idetic_memory::{Error, Result};
use idetic_sync::markdown::not_as_it_was;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::OwnerContext;
use crate::md::{In, wishes};
use crate::operation::operation;

/// The longest payload.
const PAYLOAD_MAX_BYTES: u64 = 16 << 20;

operation! {
    name: "md boot",
    about: "Begin work: check the rules and how fresh the files are, rebuild what is stale, print what an agent needs",
    example: "idetic md boot --agent claude --budget 2000",
    rights: Admin, reader: Home, interfaces: [Cli], destructive: false,
    answers: One, args: MdBootArgs, run: run,
}

#[derive(Debug, Default, Args, Deserialize, JsonSchema)]
#[serde(default)]
struct MdBootArgs {
    /// Who boots [default: the author in config.toml, else "agent"]
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// Take a handoff that is for the agent: the last one, or the one of this payload (- for standard input)
    #[arg(long, value_name = "FILE|-", num_args = 0..=1, default_missing_value = "")]
    handoff: Option<String>,
    /// Token budget of the context
    #[arg(long, value_name = "N")]
    budget: Option<usize>,
    /// Print the context in the layout of specification 003
    #[arg(long)]
    first_layout: bool,
    #[command(flatten)]
    #[serde(flatten)]
    place: In,
}

fn run(cx: &mut OwnerContext, args: MdBootArgs) -> Result<()> {
    let payload = args.handoff.as_deref().filter(|file| !file.is_empty()).map(|file| read(cx, file)).transpose()?;
    let to = payload.as_ref().map(|payload| payload.handoff.to.clone());
    let wishes = wishes(cx, args.agent.as_deref().or(to.as_deref()), args.budget, args.first_layout)?;
    let mut project = args.place.open(cx)?;
    let _alone = project.lock()?;
    let accepted = match args.handoff {
        Some(_) => Some(project.find_handoff(&wishes.agent, payload.as_ref())?),
        None => None,
    };
    let mut boot = project.boot(&wishes, accepted.as_ref())?;
    if let Some(accepted) = &accepted {
        project.accept(&wishes.agent, accepted)?;
        boot.handoffs.retain(|waiting| *waiting != accepted.event);
    }
    let wrong =
        boot.troubles.iter().filter(|trouble| trouble.severity == idetic_sync::markdown::MdSeverity::Error).count();
    cx.answer(boot)?;
    match wrong {
        0 => Ok(()),
        wrong => Err(not_as_it_was(wrong).hint("each is named above; the context follows from what the log has")),
    }
}

fn read(cx: &mut OwnerContext, file: &str) -> Result<Payload> {
    let mut input: Box<dyn Read> = if file == "-" {
        cx.input.take().ok_or_else(|| Error::invalid("there is no input to read"))?
    } else {
        Box::new(std::fs::File::open(file).map_err(Error::io(format!("cannot read {file}")))?)
    };
    let mut text = String::new();
    let failed = Error::io(format!("cannot read {file}"));
    input.by_ref().take(PAYLOAD_MAX_BYTES).read_to_string(&mut text).map_err(failed)?;
    Payload::read(&text).map_err(|why| Error::invalid(why).hint("use what `idetic md handoff` printed"))
}
