//! Whether something failed like this before, and what helped then.

use idetic_core::views::TIMELINE;
use idetic_core::words::Status;
use idetic_core::{Event, Time};
use idetic_memory::repeated::{fixed, followed};
use idetic_memory::{Fix, Result, Viewpoint};
use idetic_search::failure::error::{Signature, main_line};
use idetic_store::{Filter, Select};

/// Earlier failures that are looked at, the latest first.
const LOOKED_AT: usize = 300;
/// Of those that were the same, how many are asked what helped.
const ASKED: usize = 5;
/// A failure that was seen before, and fixed.
#[derive(Debug, Clone)]
pub struct Repeated {
    /// The failure that was fixed last: its event.
    pub id: String,
    /// When that was.
    pub ts: Time,
    /// What the error said.
    pub error: String,
    /// How often it was seen.
    pub times: usize,
    /// Whether the same call worked in the end; else nobody tried it again.
    pub worked: bool,
    /// What was done until then.
    pub fix: Fix,
}

/// Whether an output of a tool that failed was seen before in a project, before an event, and what helped then.
pub fn repeated(viewpoint: &Viewpoint, projects: &[&str], output: &str, before: u64) -> Result<Option<Repeated>> {
    let Some(wanted) = Signature::of(output) else { return Ok(None) };
    let horizon = viewpoint.horizon(None)?;
    let mut same: Vec<Event> = Vec::new();
    for project in projects {
        let failed = Select::from(&TIMELINE, horizon).filter(Filter::Is("status", Status::Failure.word().into()));
        let failed = failed.filter(Filter::Is("kind", "tool_result".into())).filter(Filter::BornBefore(before));
        let failed = failed.filter(Filter::Is("source", (*project).into()));
        let mut seqs = viewpoint.seqs(&Select { newest_first: true, limit: Some(LOOKED_AT), ..failed })?;
        seqs.sort_unstable();
        same.extend(viewpoint.events(&seqs)?);
    }
    same.retain(|event| viewpoint.sees_event(event) && wanted.is_shared(output, event.text()));
    same.sort_by_key(Event::seq);
    // The latest that was fixed tells how; where the same call never came back, what was done next.
    for (worked, find) in [(true, fixed as FindFix), (false, followed as FindFix)] {
        for event in same.iter().rev().take(ASKED) {
            if let Some(fix) = find(viewpoint, event)? {
                let (id, ts, error) = (event.header.id.clone(), event.ts(), main_line(event.text()));
                return Ok(Some(Repeated { id, ts, error, times: same.len(), worked, fix }));
            }
        }
    }
    Ok(None)
}

type FindFix = fn(&Viewpoint, &Event) -> Result<Option<Fix>>;
