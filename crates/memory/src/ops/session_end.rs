//! `session end`: ends a session; its events stay, its scratch values are gone.

use clap::Args;
use idetic_core::Record;
use idetic_core::views::SESSION_ENDED;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::operation::operation;
use crate::sessions::{Sessions, operations};
use crate::{Context, Result, SessionEnded};

operation! {
    name: "session end",
    about: "End a session: its events stay in the log, its scratch values are gone",
    example: "idetic session end",
    rights: Write, reader: Owner, faces: [Cli, Json], destructive: false,
    answers: One, args: EndSession, run: run,
}

#[derive(Debug, Default, Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct EndSession {
    /// Which session [default: CHORA_TRACE_ID, else the only one that is open]
    #[arg(long, value_name = "TRACE")]
    session: Option<String>,
}

fn run(cx: &mut Context, args: EndSession) -> Result<()> {
    let space = cx.space()?;
    let sessions = Sessions::of(&space);
    let lock = sessions.lock()?;
    let _alone = lock.hold()?;
    let session = sessions.find(cx, args.session.as_deref())?;
    let operations_count = operations(&sessions.events(&session)?);
    let ended = cx.env.now().max(session.started);
    let duration_minutes = minutes(ended.millis_since(session.started));
    let body = json!({"ts": ended, "kind": SESSION_ENDED, "status": "success", "agent_id": session.agent,
        "trace_id": session.trace_id, "metadata": {"agent_name": session.agent,
        "duration_minutes": duration_minutes, "operations_count": operations_count}});
    let acks = space.append(vec![cx.sign(Record::parse(body.to_string().as_bytes())?)?], None)?;
    // Ended is what the log says; a file that is left over after a crash counts no more.
    sessions.forget(&session.trace_id)?;
    let (seq, id) = acks.into_iter().next().map_or((0, String::new()), |ack| (ack.seq, ack.id));
    let (session, agent_name) = (session.trace_id, session.agent);
    cx.answer(SessionEnded { session, agent_name, duration_minutes, operations_count, seq, id })
}

/// Minutes, to the thousandth.
#[expect(clippy::cast_precision_loss, reason = "no session lasts so long that it matters")]
fn minutes(millis: i64) -> f64 {
    (millis as f64 / 60.0).round() / 1000.0
}
