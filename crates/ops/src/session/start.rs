//! `session start`: begins a session of an agent.

use clap::Args;
use idetic_memory::Result;
use idetic_memory::sessions::{NewSession, Session, Sessions, quoted};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::operation::operation;
use crate::{OwnerContext, SessionStarted};

operation! {
    name: "session start",
    about: "Start a session of an agent: what is written in it shares one trace, and scratch values last until it ends",
    example: "idetic session start --agent claude-code --version sonnet-4.5",
    rights: Write, reader: Owner, interfaces: [Cli, Json], destructive: false,
    answers: One, args: StartSession, run: run,
}

/// Whose a session is when nobody is named anywhere.
const SOMEBODY: &str = "agent";

#[derive(Debug, Default, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct StartSession {
    /// Whose session it is [default: the author in config.toml, else "agent"]
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// The trace its events belong to [default: CHORA_TRACE_ID, else a new one]
    #[arg(long, value_name = "TRACE")]
    trace: Option<String>,
    /// The agent's version or model
    #[arg(long, value_name = "VERSION")]
    version: Option<String>,
}

fn run(cx: &mut OwnerContext, args: StartSession) -> Result<()> {
    let space = cx.space_or_new()?;
    let author = Some(cx.config()?.author.clone()).filter(|author| !author.is_empty());
    let agent = args.agent.or(author).unwrap_or_else(|| SOMEBODY.to_owned());
    let new = NewSession { agent, trace: args.trace, around: cx.trace_id.clone(), version: args.version };
    let (session, seq) = Sessions::of(&space).start(new, &cx.grant.writer())?;
    let export = format!("export CHORA_TRACE_ID={}", quoted(&session.trace_id));
    let Session { trace_id, agent, started, event, .. } = session;
    cx.answer(SessionStarted { session: trace_id, agent_name: agent, started, seq, id: event, export })
}
