//! What was done after a failure until it worked.

use idetic_core::Event;
use idetic_core::quoting::beginning;
use idetic_core::views::TIMELINE;
use idetic_core::words::Status;
use idetic_search::failure::command::{changes_something, inserted_text, is_same_call};
use idetic_search::failure::error::{Signature, main_line};
use idetic_search::snippet::snippet;
use idetic_store::{Filter, Select};

use crate::notes::reply::Fix;
use crate::{Result, Viewpoint};

/// Events of the session after a failure among which what helped is looked for.
const AFTER: usize = 400;
/// Steps that are told of what was done in between.
const STEPS: usize = 3;
/// Most of one step, and of what was said.
const STEP_CHARS: usize = 160;
const SAID_CHARS: usize = 220;
/// Most of what an edit put in.
const EDIT_CHARS: usize = 90;

/// What follows a failure in its session.
struct Aftermath {
    error: Signature,
    call: String,
    events: Vec<Event>,
}

impl Aftermath {
    fn of(viewpoint: &Viewpoint, failure: &Event) -> Result<Option<Self>> {
        let Some(error) = Signature::of(failure.text()) else { return Ok(None) };
        let Some(fields) = &failure.fields else { return Ok(None) };
        let Some(session) = &fields.conversation_id else { return Ok(None) };
        let Some(call) = fields.causes.first() else { return Ok(None) };
        let horizon = viewpoint.horizon(None)?;
        let Ok(call) = viewpoint.get(call, horizon) else { return Ok(None) };
        let after = Select::from(&TIMELINE, horizon).filter(Filter::Is("conversation", session.as_str().into()));
        let after = Select { limit: Some(AFTER), ..after.filter(Filter::BornAfter(failure.seq())) };
        let events = viewpoint.events(&viewpoint.seqs(&after)?)?;
        Ok(Some(Self { error, call: call.text().to_owned(), events }))
    }

    /// The call whose result an event is.
    fn call_of(&self, at: usize) -> Option<&Event> {
        let event = &self.events[at];
        let caused_by = event.fields.as_ref().and_then(|fields| fields.causes.first())?;
        let called = self.events[..at].iter().rfind(|other| other.header.id == *caused_by);
        called.filter(|_| event.header.kind == "tool_result")
    }

    fn fix(&self, failure: &Event, steps: Vec<(usize, String)>, worked_at: usize) -> Option<Fix> {
        let mut steps: Vec<String> = steps.into_iter().map(|(_, step)| step).collect();
        let mut steps = steps.split_off(steps.len().saturating_sub(STEPS));
        steps.dedup();
        let about = format!("{} {}", main_line(failure.text()), steps.join(" "));
        let said = self.events[worked_at..].iter().find(|event| event.header.kind == "actor_output");
        let said = said.map(|event| snippet(event.text(), &about, SAID_CHARS));
        Some(Fix { steps, said }).filter(|fix| !fix.steps.is_empty() || fix.said.is_some())
    }
}

fn has_failed(event: &Event) -> bool {
    event.fields.as_ref().and_then(|fields| fields.status).is_some_and(|status| status == Status::Failure)
}

/// What was done in a session after a failure until the same call succeeded.
pub fn fixed(viewpoint: &Viewpoint, failure: &Event) -> Result<Option<Fix>> {
    let Some(after) = Aftermath::of(viewpoint, failure)? else { return Ok(None) };
    let (mut steps, mut worked_at) = (Vec::new(), None);
    for (at, event) in after.events.iter().enumerate() {
        let Some(called) = after.call_of(at) else { continue };
        if has_failed(event) {
            // Tried, and of no use.
            steps.retain(|(step, _): &(usize, String)| !after.error.is_in(event.text()) || *step + 1 >= at);
            continue;
        }
        if is_same_call(&after.call, called.text()) {
            // What was added to the call is a part of what helped.
            if called.text().trim() != after.call.trim() {
                steps.push((at, step(called)));
            }
            worked_at = Some(at);
            break;
        }
        if changes_something(called.text()) {
            steps.push((at, step(called)));
        }
    }
    Ok(worked_at.and_then(|at| after.fix(failure, steps, at)))
}

/// What was done after a failure in the same turn, where the error never came back in the session and the agent said how it
/// ended.
pub fn followed(viewpoint: &Viewpoint, failure: &Event) -> Result<Option<Fix>> {
    let Some(after) = Aftermath::of(viewpoint, failure)? else { return Ok(None) };
    let loop_id = |event: &Event| event.fields.as_ref().and_then(|fields| fields.loop_id.clone());
    let turn = loop_id(failure);
    let mut steps = Vec::new();
    for (at, event) in after.events.iter().enumerate() {
        if after.call_of(at).is_some() && has_failed(event) && after.error.is_in(event.text()) {
            return Ok(None);
        }
        let is_step =
            |called: &&Event| loop_id(event) == turn && !has_failed(event) && changes_something(called.text());
        steps.extend(after.call_of(at).filter(is_step).map(|called| (at, step(called))));
    }
    let answered = |event: &Event| event.header.kind == "actor_output" && loop_id(event) == turn;
    let said_at = after.events.iter().position(answered).filter(|_| !steps.is_empty());
    Ok(said_at.and_then(|at| after.fix(failure, steps, at)))
}

/// A call in one line, with what an edit put in.
fn step(call: &Event) -> String {
    let line = beginning(first_line(call.text()), STEP_CHARS);
    let content = call.fields.as_ref().and_then(|fields| fields.content.as_deref()).unwrap_or_default();
    match inserted_text(content) {
        Some(text) => format!("{line} ({})", beginning(&text, EDIT_CHARS)),
        None => line,
    }
}

/// The first line that says something.
fn first_line(text: &str) -> &str {
    text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default()
}
