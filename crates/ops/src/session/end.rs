//! `session end`: ends a session; its events stay, its scratch values are gone.

use clap::Args;
use idetic_memory::Result;
use idetic_memory::sessions::{EndedSession, Sessions};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::operation::operation;
use crate::{OwnerContext, SessionEnded};

operation! {
    name: "session end",
    about: "End a session: its events stay in the log, its scratch values are gone",
    example: "idetic session end",
    rights: Write, reader: Owner, interfaces: [Cli, Json], destructive: false,
    answers: One, args: EndSession, run: run,
}

#[derive(Debug, Default, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct EndSession {
    /// Which session [default: CHORA_TRACE_ID, else the only one that is open]
    #[arg(long, value_name = "TRACE")]
    session: Option<String>,
}

fn run(cx: &mut OwnerContext, args: EndSession) -> Result<()> {
    let space = cx.space()?;
    let find = |sessions: &Sessions| sessions.find(args.session.as_deref(), cx.trace_id.as_deref());
    let ended = Sessions::of(&space).end(&find, &cx.grant.writer())?;
    let EndedSession { session, duration_minutes, operations_count, seq, id } = ended;
    let (session, agent_name) = (session.trace_id, session.agent);
    cx.answer(SessionEnded { session, agent_name, duration_minutes, operations_count, seq, id })
}
