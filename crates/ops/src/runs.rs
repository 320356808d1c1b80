//! One event for each command that was run: what it was, how it ended, how long it took.

use idetic_core::{Record, Time};
use idetic_memory::sessions::Sessions;
use idetic_memory::{Error, Result, Space};
use serde_json::{Value, json};

/// The kind of the event.
const KIND: &str = "run.completed";
/// Most bytes of a command line that are kept; what is longer is cut, and says so.
const COMMAND_MAX_BYTES: usize = 32 << 10;

/// A command that was run.
#[derive(Debug, Clone, Default)]
pub struct Run {
    /// The command and its arguments, as given: secrets in them are not looked for.
    pub command: Vec<String>,
    /// Whose memory it belongs to.
    pub agent: Option<String>,
    /// The workflow it was part of.
    pub trace_id: String,
    /// When it began.
    pub started: Option<Time>,
    /// How long it took.
    pub duration_ms: i64,
    /// How it ended, unless a signal ended it or it never began.
    pub exit_status: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// Why it could not be started.
    pub error: Option<String>,
    /// The end of what it said on its standard error, where that is wanted and it failed.
    pub tail: Option<String>,
}

/// Appends the event of a run.
pub fn record_run(space: &Space, run: Run) -> Result<()> {
    let succeeded = run.exit_status == Some(0);
    let metadata = metadata(&run);
    let line: String = run.command.join(" ").chars().take(200).collect();
    let how = match (run.exit_status, run.signal, &run.error) {
        (_, _, Some(error)) => format!("could not be started: {error}"),
        (_, Some(signal), _) => format!("was ended by signal {signal}"),
        (Some(0), ..) => "went well".to_owned(),
        (status, ..) => format!("failed with exit status {}", status.unwrap_or(-1)),
    };
    let mut body = json!({"kind": KIND, "status": if succeeded { "success" } else { "failure" }, "trust": "tool",
        "trace_id": run.trace_id, "summary": format!("{line}: {how}"), "metadata": metadata});
    // In a session it is the session's agent that runs it.
    let of_session = || Ok::<_, Error>(Sessions::of(space).get(&run.trace_id)?.map(|session| session.agent));
    if let Some(agent) = run.agent.clone().map_or_else(of_session, |agent| Ok(Some(agent)))? {
        body["agent_id"] = json!(agent);
    }
    if let Some(started) = run.started {
        body["ts"] = json!(Time(started.0.saturating_add(run.duration_ms.saturating_mul(1000))));
    }
    if let Some(tail) = run.tail.filter(|tail| !succeeded && !tail.is_empty()) {
        body["content"] = json!(tail);
    }
    // Nothing is embedded here: whoever runs a command waits for the command alone.
    space.append(vec![Record::parse(body.to_string().as_bytes())?], None)?;
    Ok(())
}

fn metadata(run: &Run) -> Value {
    let mut metadata = json!({"duration_ms": run.duration_ms, "tool_name": run.command.first()});
    let mut left = COMMAND_MAX_BYTES;
    let kept = run.command.iter().take_while(|word| {
        let fits = word.len() <= left;
        left -= word.len().min(left);
        fits
    });
    let kept: Vec<&String> = kept.collect();
    if kept.len() < run.command.len() {
        metadata["command_words"] = json!(run.command.len());
    }
    metadata["command"] = json!(kept);
    for (key, value) in [("exit_status", run.exit_status), ("signal", run.signal)] {
        if let Some(value) = value {
            metadata[key] = json!(value);
        }
    }
    if let Some(error) = &run.error {
        metadata["error"] = json!(error);
    }
    metadata
}
