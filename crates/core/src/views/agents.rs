//! Agents: how often each was at work, to whom it handed over, and how what it did went, by capability and tool.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::counters::BLOCK_EVENTS;
use super::schema::{Change, Live, Shape, Table, Value, View};
use crate::words::{Persona, Status};
use crate::{Event, Fields};

/// The kind that begins a session.
pub const SESSION_STARTED: &str = "agent.session_started";
/// The kind that ends one.
pub const SESSION_ENDED: &str = "agent.session_ended";
/// The kinds by which an agent hands its work over.
pub const HANDOFFS: [&str; 2] = ["handoff", "gateway.context_switch"];

/// One row for each agent that had a session or handed over.
pub static AGENTS: Table = Table {
    name: "agents",
    shape: Shape::Entity { key: 1 },
    columns: &["agent", "sessions", "version", "last_active", "switches", "handoff_to", "handoff_ts", "handoff_trace"],
    indexes: &[],
    places: &[],
};

/// How what agents did went, in blocks like the counters.
pub static CAPABILITIES: Table = Table {
    name: "capabilities",
    shape: Shape::Tally { key: 4 },
    columns: &["agent", "capability", "tool", "block", "successes", "failures"],
    indexes: &[],
    places: &[("block", 0)],
};

/// The agent whose session began a trace: what is done in the trace and names nobody was done by it.
pub static SESSION_TRACES: Table = Table {
    name: "session_traces",
    shape: Shape::Entity { key: 1 },
    columns: &["trace", "agent"],
    indexes: &[],
    places: &[],
};

pub const VIEW: View =
    View { name: "agents", version: 6, tables: &[&AGENTS, &CAPABILITIES, &SESSION_TRACES], apart: None, fold };

/// Which agents' sessions began which traces, with the seq of the beginning.
#[derive(Debug, Default)]
pub struct SessionTraces(BTreeMap<String, (u64, String)>);

impl SessionTraces {
    /// From the rows of [`SESSION_TRACES`], each with its seq.
    pub fn read<'a>(rows: impl Iterator<Item = (u64, &'a [Value])>) -> Self {
        let text = |value: &Value| value.text().unwrap_or_default().to_owned();
        Self(rows.filter_map(|(seq, row)| Some((text(row.first()?), (seq, text(row.get(1)?))))).collect())
    }

    /// The agent of an event's trace, where its session began before.
    pub fn agent_of(&self, event: &Event) -> Option<String> {
        let trace = event.fields.as_ref()?.trace_id.as_ref()?;
        self.0.get(trace).filter(|(seq, _)| *seq < event.seq()).map(|(_, agent)| agent.clone())
    }
}

/// What the metadata of an agent's event may say.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Said {
    agent_name: Option<String>,
    agent_version: Option<String>,
    capability: Option<String>,
    tool_name: Option<String>,
    to_project: Option<String>,
    to: Option<String>,
    from_agent: Option<String>,
    trace_id: Option<String>,
}

impl Said {
    fn of(fields: &Fields) -> Self {
        fields.metadata.as_ref().and_then(|metadata| serde_json::from_str(metadata.get()).ok()).unwrap_or_default()
    }
}

/// Something an agent did, and how it went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// Who.
    pub agent: String,
    /// In what: as the event says, else the namespace of its kind.
    pub capability: String,
    /// With which tool; empty where none is named.
    pub tool: String,
    /// Whether it went well.
    pub succeeded: bool,
}

/// Whether an event may count for what others see: an actor's doings, and nothing that is marked private.
fn is_open(fields: &Fields) -> bool {
    fields.persona != Some(Persona::Subconscious) && !crate::event::is_private(&fields.tags)
}

/// What an event tells about what its agent can do. An actor's doings only: the other side's are its own affair.
pub fn operation(event: &Event, traces: &SessionTraces) -> Option<Operation> {
    operation_of(event, |event| traces.agent_of(event))
}

fn operation_of(event: &Event, of_trace: impl FnOnce(&Event) -> Option<String>) -> Option<Operation> {
    let fields = event.fields.as_ref().filter(|fields| is_open(fields))?;
    let succeeded = match fields.status? {
        Status::Success => true,
        Status::Failure | Status::Timeout => false,
        Status::Pending => return None,
    };
    let said = Said::of(fields);
    let agent = fields.agent_id.clone().or(said.agent_name).or_else(|| of_trace(event))?;
    let namespace = event.header.kind.split('.').next().unwrap_or_default();
    let capability = said.capability.unwrap_or_else(|| namespace.to_owned());
    Some(Operation { agent, capability, tool: said.tool_name.unwrap_or_default(), succeeded })
}

fn fold(event: &Event, live: Live) -> Vec<Change> {
    let mut changes = Vec::new();
    let of_trace = |event: &Event| {
        let trace = event.fields.as_ref()?.trace_id.as_deref()?;
        live(&SESSION_TRACES, &[trace.into()])?.get(1)?.text().map(str::to_owned)
    };
    if let Some(operation) = operation_of(event, of_trace) {
        let block = (event.seq() - 1) / BLOCK_EVENTS;
        let Operation { agent, capability, tool, succeeded } = operation;
        let key = [Value::Text(agent), Value::Text(capability), Value::Text(tool), block.into()];
        let sums = [Value::Int(i64::from(succeeded)), Value::Int(i64::from(!succeeded))];
        changes.push(Change::Add(&CAPABILITIES, key.into_iter().chain(sums).collect()));
    }
    let kind = event.header.kind.as_str();
    let is_session = kind == SESSION_STARTED || kind == SESSION_ENDED;
    if is_session || HANDOFFS.contains(&kind) {
        changes.extend(agent_row(event, kind, &mut *live).map(|row| Change::Put(&AGENTS, row)));
    }
    if kind == SESSION_STARTED {
        changes.extend(session_trace(event, live).map(|row| Change::Put(&SESSION_TRACES, row)));
    }
    changes
}

/// The first session that a trace begins with is whose it is.
fn session_trace(event: &Event, live: Live) -> Option<Vec<Value>> {
    let fields = event.fields.as_ref().filter(|fields| is_open(fields))?;
    let trace = fields.trace_id.as_deref()?;
    let agent = fields.agent_id.clone().or(Said::of(fields).agent_name)?;
    live(&SESSION_TRACES, &[trace.into()]).is_none().then(|| vec![trace.into(), Value::Text(agent)])
}

fn agent_row(event: &Event, kind: &str, live: Live) -> Option<Vec<Value>> {
    let fields = event.fields.as_ref().filter(|fields| is_open(fields))?;
    let said = Said::of(fields);
    // Whoever hands over says so in another place than whoever begins a session.
    let agent = fields.agent_id.clone().or(said.agent_name).or(said.from_agent)?;
    let before = live(&AGENTS, &[agent.as_str().into()]);
    let known = |column: usize| before.as_ref().map_or(Value::Null, |row| row[column].clone());
    let (ts, is_handoff) = (Value::Int(event.ts().0), HANDOFFS.contains(&kind));
    let last = if known(3).int() > ts.int() { known(3) } else { ts.clone() };
    let handoff = if is_handoff {
        let (to, trace) = (said.to_project.or(said.to), fields.trace_id.clone().or(said.trace_id));
        [to.as_deref().into(), ts, trace.as_deref().into()]
    } else {
        [known(5), known(6), known(7)]
    };
    let mut row = vec![
        Value::Text(agent),
        Value::Int(known(1).int() + i64::from(kind == SESSION_STARTED)),
        said.agent_version.map_or_else(|| known(2), Value::Text),
        last,
        Value::Int(known(4).int() + i64::from(is_handoff)),
    ];
    row.extend(handoff);
    Some(row)
}
