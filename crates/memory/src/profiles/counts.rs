//! What is counted of each agent: its sessions, and how what it did went, by capability and tool.

use std::collections::BTreeMap;

use idetic_core::Time;
use idetic_core::views::{
    AGENTS, BLOCK_EVENTS, CAPABILITIES, Operation, SESSION_TRACES, SessionTraces, TIMELINE, Value, operation,
};
use idetic_store::{Filter, Select};

use crate::{Result, Space};

/// Events looked at together.
const PAGE_EVENTS: usize = 1000;

/// What is counted of one agent.
#[derive(Debug, Default)]
pub struct Counts {
    /// The event that last told of its sessions and handovers.
    pub seq: u64,
    pub sessions: u64,
    pub version: Option<String>,
    pub last_active: Option<Time>,
    pub switches: u64,
    /// To whom it last handed over, when and in which trace.
    pub handoff: Option<(Option<String>, Time, Option<String>)>,
    pub capabilities: BTreeMap<String, Work>,
}

/// How one thing that an agent does went.
#[derive(Debug, Default)]
pub struct Work {
    pub successes: u64,
    pub failures: u64,
    /// The successes with each tool.
    tools: BTreeMap<String, u64>,
}

impl Counts {
    /// The same as of a seq, so that what came later is told apart.
    pub fn at(self, seq: u64) -> Self {
        Self { seq, ..self }
    }

    fn add(&mut self, capability: String, tool: String, successes: u64, failures: u64) {
        let work = self.capabilities.entry(capability).or_default();
        work.successes += successes;
        work.failures += failures;
        if !tool.is_empty() {
            *work.tools.entry(tool).or_default() += successes;
        }
    }
}

impl Work {
    pub fn counts(&self) -> (u64, u64) {
        (self.successes, self.failures)
    }

    /// The tool with the most successes; of equal ones the first by name.
    pub fn favourite(&self) -> Option<String> {
        let best = self.tools.iter().rev().max_by_key(|(_, successes)| **successes);
        best.filter(|(_, successes)| **successes > 0).map(|(tool, _)| tool.clone())
    }
}

/// What is counted of every agent as of a seq.
pub fn counts(space: &Space, horizon: u64) -> Result<BTreeMap<String, Counts>> {
    let mut all: BTreeMap<String, Counts> = BTreeMap::new();
    for row in space.select(&Select::from(&AGENTS, horizon))? {
        let [agent, sessions, version, last, switches, to, handed, trace] = &row.values[..] else { continue };
        let text = |value: &Value| value.text().map(str::to_owned);
        let counts = Counts {
            seq: row.born,
            sessions: number(sessions),
            version: text(version),
            last_active: Some(Time(last.int())),
            switches: number(switches),
            handoff: (*handed != Value::Null).then(|| (text(to), Time(handed.int()), text(trace))),
            capabilities: BTreeMap::new(),
        };
        all.insert(text(agent).unwrap_or_default(), counts);
    }
    // Whole blocks are summed already; the events behind them are looked at one by one.
    let blocks = horizon / BLOCK_EVENTS;
    if blocks > 0 {
        let last = Value::from(blocks - 1);
        for row in space.select(&Select::from(&CAPABILITIES, horizon).filter(Filter::AtMost("block", last)))? {
            let [agent, capability, tool, _, successes, failures] = &row.values[..] else { continue };
            let text = |value: &Value| value.text().unwrap_or_default().to_owned();
            let counts = all.entry(text(agent)).or_default();
            counts.add(text(capability), text(tool), number(successes), number(failures));
        }
    }
    // Any status at all: what has none tells nothing of how it went.
    let rest = Select::from(&TIMELINE, horizon).filter(Filter::BornAfter(blocks * BLOCK_EVENTS));
    let seqs = space.seqs(&rest.filter(Filter::AtLeast("status", "".into())))?;
    let traces = session_traces(space, horizon)?;
    for page in seqs.chunks(PAGE_EVENTS) {
        let events = space.events(page)?;
        for Operation { agent, capability, tool, succeeded } in events.iter().filter_map(|e| operation(e, &traces)) {
            let counts = all.entry(agent).or_default();
            counts.add(capability, tool, u64::from(succeeded), u64::from(!succeeded));
        }
    }
    Ok(all)
}

/// Whose sessions began which traces, as of a seq.
pub fn session_traces(space: &Space, horizon: u64) -> Result<SessionTraces> {
    let rows = space.select(&Select::from(&SESSION_TRACES, horizon))?;
    Ok(SessionTraces::read(rows.iter().map(|row| (row.born, &row.values[..]))))
}

fn number(value: &Value) -> u64 {
    u64::try_from(value.int()).unwrap_or(0)
}
