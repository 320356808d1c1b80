//! One workflow, step by step: what took how long, where it failed first, and which step was the slowest.

use serde::Serialize;

use crate::views::SESSION_ENDED;
use crate::words::Status;
use crate::{Event, Time};

/// A trace as a person wants to see it.
#[derive(Debug, Clone, Serialize)]
pub struct Trace {
    /// Which workflow.
    pub trace_id: String,
    /// When its first step happened.
    pub started: Time,
    /// When its last step happened.
    pub ended: Time,
    /// From the first step to the last.
    pub total_ms: i64,
    /// The seq of the first step that failed or timed out.
    pub first_failure: Option<u64>,
    /// The seq of the step that took longest.
    pub bottleneck: Option<u64>,
    /// The steps, in the order they happened.
    pub steps: Vec<Step>,
}

/// One step of a trace.
#[derive(Debug, Clone, Serialize)]
pub struct Step {
    /// How long it took: as it says itself, or since the step before.
    pub duration_ms: i64,
    /// Whether it says so itself.
    pub measured: bool,
    /// The event.
    #[serde(flatten)]
    pub event: Event,
}

/// Whether this is how a step ends that did not work.
pub fn is_failure(status: Option<Status>) -> bool {
    matches!(status, Some(Status::Failure | Status::Timeout))
}

impl Trace {
    /// Lays out the events of one trace; `None` when there are none.
    pub fn of(trace_id: &str, mut events: Vec<Event>) -> Option<Self> {
        events.sort_by_key(|e| (e.ts(), e.seq()));
        let (started, ended) = (events.first()?.ts(), events.last()?.ts());
        let mut before = started;
        let mut steps = Vec::with_capacity(events.len());
        for event in events {
            let said = event.duration_ms();
            let gap = event.ts().millis_since(before);
            before = event.ts();
            steps.push(Step { duration_ms: said.unwrap_or(gap), measured: said.is_some(), event });
        }
        let failed = |s: &&Step| is_failure(s.event.fields.as_ref().and_then(|f| f.status));
        let slowest = slowest(&steps);
        Some(Self {
            trace_id: trace_id.to_owned(),
            started,
            ended,
            total_ms: ended.millis_since(started),
            first_failure: steps.iter().find(failed).map(|s| s.event.seq()),
            bottleneck: slowest.map(|s| s.event.seq()),
            steps,
        })
    }
}

/// The step that took longest. One that covers all others tells how long they took together, and is none of them.
fn slowest(steps: &[Step]) -> Option<&Step> {
    let from = |step: &Step| step.event.ts().0 - if step.measured { step.duration_ms * 1000 } else { 0 };
    let covers = |step: &Step, other: &Step| from(step) <= from(other) && other.event.ts() <= step.event.ts();
    let is_whole = |step: &Step| {
        let mut others = steps.iter().filter(|other| other.event.seq() != step.event.seq());
        let is_said = SPANS.contains(&step.event.header.kind.as_str());
        let has_more = steps.iter().any(|other| other.event.seq() != step.event.seq() && other.duration_ms > 0);
        step.measured && has_more && (is_said || others.all(|other| covers(step, other)))
    };
    let parts = steps.iter().rev().filter(|step| step.duration_ms > 0 && !is_whole(step));
    parts.max_by_key(|step| step.duration_ms)
}

/// Kinds that tell how long all of a trace took: the end of a session, and what others wrote down of a whole trace.
const SPANS: [&str; 2] = [SESSION_ENDED, "amem.trace"];
