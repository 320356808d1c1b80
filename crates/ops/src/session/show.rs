//! `session show`: what an open session holds.

use clap::Args;
use idetic_core::Trace;
use idetic_memory::Result;
use idetic_memory::sessions::{Sessions, operations};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::operation::operation;
use crate::{OwnerContext, SessionShown};

operation! {
    name: "session show",
    about: "Show what an open session holds: its events so far, its scratch values, how long it has been open",
    example: "idetic session show",
    rights: Read, reader: Owner, interfaces: [Cli, Json], destructive: false,
    answers: One, args: ShowSession, run: run,
}

#[derive(Debug, Default, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct ShowSession {
    /// Which session [default: CHORA_TRACE_ID, else the only one that is open]
    #[arg(long, value_name = "TRACE")]
    session: Option<String>,
}

fn run(cx: &mut OwnerContext, args: ShowSession) -> Result<()> {
    let space = cx.space()?;
    let sessions = Sessions::of(&space);
    let session = sessions.find(args.session.as_deref(), cx.trace_id.as_deref())?;
    let events = sessions.events(&session)?;
    let shown = SessionShown {
        duration_ms: cx.env.now().millis_since(session.started).max(0),
        operations_count: operations(&events),
        trace: Trace::of(&session.trace_id, events),
        session: session.trace_id,
        agent_name: session.agent,
        agent_version: session.version,
        started: session.started,
        values: session.values,
        notes: session.notes,
    };
    cx.answer(shown)
}
