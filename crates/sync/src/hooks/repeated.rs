//! Whether something failed like this before, and what helped then.

use idetic_core::views::TIMELINE;
use idetic_core::words::{Status, Trust};
use idetic_core::{Event, Time};
use idetic_memory::repeated::{answered, call_of, fixed, followed};
use idetic_memory::{Fix, Result, Viewpoint};
use idetic_search::failure::command::is_same_call;
use idetic_search::failure::error::{ErrorLines, Likeness, main_line};
use idetic_store::{Filter, Select};

/// Earlier failures that are looked at, the latest first.
const LOOKED_AT: usize = 300;
/// Of those that were the same, how many are asked what helped.
const ASKED: usize = 5;

/// A call of a tool that failed.
#[derive(Debug, Clone, Copy)]
pub struct FailedCall<'a> {
    /// The call in one line.
    pub call: &'a str,
    /// What it gave back.
    pub output: &'a str,
}

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

/// Whether a call failed like this before in a project, before an event, and what helped then.
pub fn repeated(
    viewpoint: &Viewpoint,
    projects: &[&str],
    failed: FailedCall<'_>,
    before: u64,
) -> Result<Option<Repeated>> {
    let Some(wanted) = ErrorLines::of(failed.output) else { return Ok(None) };
    let horizon = viewpoint.horizon(None)?;
    let (mut same, mut of_one_call) = (Vec::new(), Vec::new());
    for project in projects {
        let earlier = Select::from(&TIMELINE, horizon).filter(Filter::Is("status", Status::Failure.word().into()));
        let earlier = earlier.filter(Filter::Is("kind", "tool_result".into())).filter(Filter::BornBefore(before));
        let earlier = earlier.filter(Filter::Is("source", (*project).into()));
        let mut seqs = viewpoint.seqs(&Select { newest_first: true, limit: Some(LOOKED_AT), ..earlier })?;
        seqs.sort_unstable();
        // What comes from further away than a tool is not told unasked: what helped is what an agent runs next.
        let is_told = |event: &Event| event.trust() <= Trust::Tool && viewpoint.sees_event(event);
        for event in viewpoint.events(&seqs)?.into_iter().filter(is_told) {
            match ErrorLines::of(event.text()).and_then(|lines| wanted.likeness(&lines)) {
                Some(Likeness::Same) => same.push(event),
                Some(Likeness::OfOneCall) => {
                    let call = call_of(viewpoint, &event, horizon)?;
                    of_one_call
                        .extend(Some(event).filter(|_| call.is_some_and(|call| is_same_call(&call, failed.call))));
                }
                None => {}
            }
        }
    }
    for mut alike in [same, of_one_call] {
        alike.sort_by_key(Event::seq);
        // The latest that was fixed tells how; where the same call never came back, what was done next.
        for (worked, find) in [(true, fixed as FindFix), (false, followed as FindFix), (false, answered as FindFix)] {
            for event in alike.iter().rev().take(ASKED) {
                if let Some(fix) = find(viewpoint, event)? {
                    let (id, ts, error) = (event.header.id.clone(), event.ts(), main_line(event.text()));
                    return Ok(Some(Repeated { id, ts, error, times: alike.len(), worked, fix }));
                }
            }
        }
    }
    Ok(None)
}

type FindFix = fn(&Viewpoint, &Event) -> Result<Option<Fix>>;
