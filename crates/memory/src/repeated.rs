//! Whether something failed like this before, and what was done until it worked.

use idetic_core::views::TIMELINE;
use idetic_core::words::Status;
use idetic_core::{Event, Time};
use idetic_search::fuzzy;
use idetic_store::{Filter, Select};

use crate::failures::without_particulars;
use crate::{Result, Viewpoint};

/// Earlier failures that are looked at, the latest first.
const LOOKED_AT: usize = 300;
/// Events of the session after a failure among which what helped is looked for.
const AFTER: usize = 400;
/// From this ratio on two errors are the same.
const SAME_RATIO: f64 = 88.0;
/// The shorter of two errors has at least this share of the words of the longer.
const SAME_LENGTH: f64 = 0.6;
/// Fewest words of an error that can be known again.
const LEAST_WORDS: usize = 3;
/// Lines of an output that tell its error.
const ERROR_LINES: usize = 3;
/// Steps that are told of what was done in between.
const STEPS: usize = 3;
/// Most of one line that is told.
const LINE_CHARS: usize = 160;
/// What lines that tell an error contain.
const ERROR_WORDS: [&str; 18] = [
    "error",
    "fail",
    "exception",
    "cannot",
    "can't",
    "not found",
    "denied",
    "refused",
    "undefined",
    "panic",
    "missing",
    "invalid",
    "unexpected",
    "timed out",
    "timeout",
    "unable",
    "no such",
    "conflict",
];

/// A failure that was seen before.
#[derive(Debug, Clone)]
pub struct Repeated {
    /// The last time: its event.
    pub id: String,
    /// When that was.
    pub ts: Time,
    /// What the error said.
    pub error: String,
    /// How often it was seen.
    pub times: usize,
    /// What was done until the same worked, if it did.
    pub fix: Option<Fix>,
}

/// What was done until something worked.
#[derive(Debug, Clone)]
pub struct Fix {
    /// The steps, in order: what was run or changed.
    pub steps: Vec<String>,
    /// What the agent said when it was done.
    pub said: Option<String>,
}

/// The lines of an output that tell its error.
pub fn error_of(output: &str) -> String {
    let lines = || output.lines().map(str::trim).filter(|line| !line.is_empty());
    let tells = |line: &&str| {
        let line = line.to_lowercase();
        // How a run ended is the same for every error.
        !line.starts_with("exit code") && ERROR_WORDS.iter().any(|word| line.contains(word))
    };
    let mut found: Vec<&str> = lines().filter(tells).take(ERROR_LINES).collect();
    if found.is_empty() {
        found = lines().rev().take(ERROR_LINES).collect();
        found.reverse();
    }
    found.join("\n")
}

/// The line of an error that tells most.
pub fn main_line(error: &str) -> String {
    let most = error.lines().rev().max_by_key(|line| line.split_whitespace().count());
    most.map(shortened).unwrap_or_default()
}

/// Whether an output of a tool that failed was seen before in a project, before an event.
pub fn repeated(
    viewpoint: &Viewpoint,
    is_here: &dyn Fn(&str) -> bool,
    output: &str,
    before: u64,
) -> Result<Option<Repeated>> {
    let error = error_of(output);
    let wanted = without_particulars(&error);
    if wanted.split_whitespace().count() < LEAST_WORDS {
        return Ok(None);
    }
    let failed =
        Select::from(&TIMELINE, viewpoint.horizon(None)?).filter(Filter::Is("status", Status::Failure.word().into()));
    let failed = failed.filter(Filter::Is("kind", "tool_result".into())).filter(Filter::BornBefore(before));
    let mut seqs = viewpoint.seqs(&Select { newest_first: true, limit: Some(LOOKED_AT), ..failed })?;
    seqs.sort_unstable();
    let mut same: Vec<Event> = viewpoint.events(&seqs)?;
    same.retain(|event| {
        let source = event.fields.as_ref().and_then(|fields| fields.source.as_deref());
        source.is_none_or(is_here)
            && viewpoint.sees_event(event)
            && is_same(&wanted, &without_particulars(&error_of(event.text())))
    });
    let Some(last) = same.last() else { return Ok(None) };
    // The latest that was mended tells how; where none was, the latest of all is named.
    let mut fix = None;
    for event in same.iter().rev() {
        fix = fixed(viewpoint, event)?;
        if fix.is_some() {
            break;
        }
    }
    let error = main_line(&error_of(last.text()));
    Ok(Some(Repeated { id: last.header.id.clone(), ts: last.ts(), error, times: same.len(), fix }))
}

fn is_same(one: &str, other: &str) -> bool {
    let (a, b) = (one.split_whitespace().count(), other.split_whitespace().count());
    let (short, long) = (a.min(b), a.max(b));
    short >= LEAST_WORDS
        && short as f64 >= SAME_LENGTH * long as f64
        && fuzzy::token_set_ratio_processed(one, other) >= SAME_RATIO
}

/// What was done in a session after a failure until the same call succeeded.
fn fixed(viewpoint: &Viewpoint, failure: &Event) -> Result<Option<Fix>> {
    let Some(fields) = &failure.fields else { return Ok(None) };
    let Some(session) = &fields.conversation_id else { return Ok(None) };
    let Some(call) = fields.causes.first() else { return Ok(None) };
    let horizon = viewpoint.horizon(None)?;
    let Ok(call) = viewpoint.get(call, horizon) else { return Ok(None) };
    let after = Select::from(&TIMELINE, horizon).filter(Filter::Is("conversation", session.as_str().into()));
    let after = Select { limit: Some(AFTER), ..after.filter(Filter::BornAfter(failure.seq())) };
    let events = viewpoint.events(&viewpoint.seqs(&after)?)?;
    let (wanted, mut steps, mut worked_at) = (call.text(), Vec::new(), None);
    for (at, event) in events.iter().enumerate() {
        let is_result = event.header.kind == "tool_result";
        let caused_by = event.fields.as_ref().and_then(|fields| fields.causes.first());
        let called = caused_by.and_then(|id| events[..at].iter().rfind(|other| other.header.id == *id));
        let Some(called) = called.filter(|_| is_result) else { continue };
        let failed =
            event.fields.as_ref().and_then(|fields| fields.status).is_some_and(|status| status == Status::Failure);
        if failed {
            continue;
        }
        if is_same_call(wanted, called.text()) {
            worked_at = Some(at);
            break;
        }
        if changes_something(called) {
            steps.push(shortened(called.text()));
        }
    }
    let Some(worked_at) = worked_at else { return Ok(None) };
    let said = events[worked_at..]
        .iter()
        .find(|event| event.header.kind == "actor_output")
        .map(|event| shortened(event.text()));
    let from = steps.len().saturating_sub(STEPS);
    Ok(Some(Fix { steps: steps.split_off(from), said }).filter(|fix| !fix.steps.is_empty() || fix.said.is_some()))
}

/// Whether two calls try the same: one tool, and the same first words of what it was given.
fn is_same_call(one: &str, other: &str) -> bool {
    let head = |text: &str| text.split_whitespace().take(3).map(str::to_lowercase).collect::<Vec<_>>();
    head(one) == head(other)
}

/// Whether a call may have mended something: to read or to look for something mends nothing.
fn changes_something(call: &Event) -> bool {
    let text = call.text().to_lowercase();
    let tool = text.split(':').next().unwrap_or_default();
    const LOOKING: [&str; 10] =
        ["read", "grep", "glob", "search", "ls", "view", "todowrite", "fetch", "list", "update_plan"];
    const PEEKING: [&str; 8] = ["cat ", "ls", "head ", "tail ", "grep ", "rg ", "git status", "git diff"];
    let given = text.split_once(": ").map_or("", |(_, given)| given);
    !LOOKING.iter().any(|word| tool.contains(word)) && !PEEKING.iter().any(|word| given.starts_with(word))
}

fn shortened(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    match line.char_indices().nth(LINE_CHARS) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line.to_owned(),
    }
}
