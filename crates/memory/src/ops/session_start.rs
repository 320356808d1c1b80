//! `session start`: begins a session of an agent.

use clap::Args;
use idetic_core::Record;
use idetic_core::views::SESSION_STARTED;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::operation::operation;
use crate::sessions::{Session, Sessions, new_trace};
use crate::{Context, Error, Kind, Result, SessionStarted};

operation! {
    name: "session start",
    about: "Start a session of an agent: what is written in it shares one trace, and scratch values last until it ends",
    example: "idetic session start --agent claude-code --version sonnet-4.5",
    rights: Write, reader: Owner, faces: [Cli, Json], destructive: false,
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

fn run(cx: &mut Context, args: StartSession) -> Result<()> {
    let space = cx.space_or_new()?;
    let author = Some(cx.config()?.author.clone()).filter(|author| !author.is_empty());
    let agent = args.agent.or(author).unwrap_or_else(|| SOMEBODY.to_owned());
    let is_name = |text: &str| !text.trim().is_empty() && !text.chars().any(char::is_control);
    if !is_name(&agent) || !args.trace.as_deref().is_none_or(is_name) {
        return Err(Error::invalid("the name of the agent or the trace is empty or not printable")
            .hint("leave --agent and --trace out, or name them"));
    }
    let sessions = Sessions::of(&space);
    let lock = sessions.lock()?;
    let _alone = lock.hold()?;
    let trace_id = trace(cx, &sessions, args.trace, &agent)?;
    let (started, event) = (cx.env.now(), new_trace(&cx.env));
    let mut metadata = json!({"agent_name": agent});
    if let Some(version) = &args.version {
        metadata["agent_version"] = json!(version);
    }
    let body = json!({"id": event, "ts": started, "kind": SESSION_STARTED, "status": "success", "agent_id": agent,
        "trace_id": trace_id, "metadata": metadata});
    let record = cx.sign(Record::parse(body.to_string().as_bytes())?)?;
    // The file comes first: until its event is in the log it counts for nothing.
    let (values, notes) = Default::default();
    let version = args.version;
    let session = Session { trace_id, agent, version, started, event, values, notes };
    sessions.put(&session)?;
    let acks = space.append(vec![record], None).inspect_err(|_| {
        let _ = sessions.forget(&session.trace_id);
    })?;
    let export = format!("export CHORA_TRACE_ID={}", quoted(&session.trace_id));
    let (seq, id) = (acks.first().map_or(0, |ack| ack.seq), session.event);
    cx.answer(SessionStarted { session: session.trace_id, agent_name: session.agent, started, seq, id, export })
}

/// The trace that is named, or the one around unless another agent's session has it, or a new one.
fn trace(cx: &Context, sessions: &Sessions, named: Option<String>, agent: &str) -> Result<String> {
    let is_named = named.is_some();
    let Some(trace) = named.or_else(|| cx.trace_id.clone()) else { return Ok(new_trace(&cx.env)) };
    match sessions.get(&trace)? {
        None => Ok(trace),
        Some(other) if !is_named && other.agent != agent => Ok(new_trace(&cx.env)),
        Some(_) => Err(Error::new(Kind::Conflict, format!("the session '{trace}' is open already"))
            .hint(format!("end it with `idetic session end --session {}`, or name another --trace", quoted(&trace)))),
    }
}

/// A text as a shell takes it for one word.
fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+=,".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}
