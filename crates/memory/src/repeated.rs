//! What was done after a failure until it worked.

use idetic_core::Event;
use idetic_core::quoting::beginning;
use idetic_core::views::TIMELINE;
use idetic_core::words::{Status, Trust};
use idetic_search::failure::command::{changes_something, inserted_text, is_same_call};
use idetic_search::failure::error::{ErrorLines, main_line};
use idetic_search::snippet::snippet;
use idetic_store::{Filter, Select};

use crate::notes::reply::Fix;
use crate::writer::PASTED;
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

/// The call that failed, in one line.
pub fn call_of(viewpoint: &Viewpoint, failure: &Event, horizon: u64) -> Result<Option<String>> {
    let Some(id) = failure.fields.as_ref().and_then(|fields| fields.causes.first()) else { return Ok(None) };
    Ok(viewpoint.get(id, horizon).ok().map(|call| call.text().to_owned()))
}

/// What follows a failure in its session.
struct Aftermath {
    error: ErrorLines,
    call: String,
    turn: Option<String>,
    events: Vec<Event>,
}

impl Aftermath {
    fn of(viewpoint: &Viewpoint, failure: &Event) -> Result<Option<Self>> {
        let Some(error) = ErrorLines::of(failure.text()) else { return Ok(None) };
        let Some(session) = failure.fields.as_ref().and_then(|fields| fields.conversation_id.as_ref()) else {
            return Ok(None);
        };
        let horizon = viewpoint.horizon(None)?;
        let Some(call) = call_of(viewpoint, failure, horizon)? else { return Ok(None) };
        let after = Select::from(&TIMELINE, horizon).filter(Filter::Is("conversation", session.as_str().into()));
        let after = Select { limit: Some(AFTER), ..after.filter(Filter::BornAfter(failure.seq())) };
        let events = viewpoint.events(&viewpoint.seqs(&after)?)?;
        Ok(Some(Self { error, call, turn: turn(failure), events }))
    }

    /// The call whose result an event is.
    fn call_of(&self, at: usize) -> Option<&Event> {
        let event = &self.events[at];
        let caused_by = event.fields.as_ref().and_then(|fields| fields.causes.first())?;
        let called = self.events[..at].iter().rfind(|other| other.header.id == *caused_by);
        called.filter(|_| event.header.kind == "tool_result")
    }

    /// Whether an event is a call that failed with the same error.
    fn has_failed_again(&self, event: &Event) -> bool {
        has_failed(event) && ErrorLines::of(event.text()).is_some_and(|lines| self.error.is_in(&lines))
    }

    /// What was done in a turn and may have helped.
    fn steps_of(&self, wanted: &Option<String>) -> Vec<String> {
        let own = self.events.iter().enumerate().filter(|(_, event)| turn(event) == *wanted && !has_failed(event));
        let called = own.filter_map(|(at, _)| self.call_of(at));
        called.filter(|called| changes_something(called.text())).map(step).collect()
    }

    /// The last steps, and what the agent said of them.
    fn fix(&self, failure: &Event, mut steps: Vec<String>, worked_at: usize) -> Option<Fix> {
        let mut steps = steps.split_off(steps.len().saturating_sub(STEPS));
        steps.dedup();
        let about = format!("{} {}", main_line(failure.text()), steps.join(" "));
        let said = self.events[worked_at..].iter().find(|event| event.header.kind == "actor_output");
        let said = said.map(|event| snippet(event.text(), &about, SAID_CHARS));
        Some(Fix { steps, said }).filter(|fix| !fix.steps.is_empty() || fix.said.is_some())
    }
}

fn turn(event: &Event) -> Option<String> {
    event.fields.as_ref().and_then(|fields| fields.loop_id.clone())
}

fn has_failed(event: &Event) -> bool {
    event.fields.as_ref().and_then(|fields| fields.status).is_some_and(|status| status == Status::Failure)
}

/// What was done in a session after a failure until the same call succeeded.
pub fn fixed(viewpoint: &Viewpoint, failure: &Event) -> Result<Option<Fix>> {
    let Some(after) = Aftermath::of(viewpoint, failure)? else { return Ok(None) };
    let mut steps = Vec::new();
    for (at, event) in after.events.iter().enumerate() {
        let Some(called) = after.call_of(at) else { continue };
        if has_failed(event) {
            // What was tried was of no use.
            if after.has_failed_again(event) {
                steps.clear();
            }
            continue;
        }
        if is_same_call(&after.call, called.text()) {
            // What was added to the call is a part of what helped.
            if called.text().trim() != after.call.trim() {
                steps.push(step(called));
            }
            return Ok(after.fix(failure, steps, at));
        }
        if changes_something(called.text()) {
            steps.push(step(called));
        }
    }
    Ok(None)
}

/// What was done after a failure in the same turn, where the error never came back in the session and the agent said how it
/// ended.
pub fn followed(viewpoint: &Viewpoint, failure: &Event) -> Result<Option<Fix>> {
    let Some(after) = Aftermath::of(viewpoint, failure)? else { return Ok(None) };
    if after.events.iter().any(|event| after.has_failed_again(event)) {
        return Ok(None);
    }
    let steps = after.steps_of(&after.turn);
    let answered = |event: &Event| event.header.kind == "actor_output" && turn(event) == after.turn;
    let said_at = after.events.iter().position(answered).filter(|_| !steps.is_empty());
    Ok(said_at.and_then(|at| after.fix(failure, steps, at)))
}

/// What the user said to a failure that the agent gave up on, and what was done then, where the error never came back in the
/// session.
pub fn answered(viewpoint: &Viewpoint, failure: &Event) -> Result<Option<Fix>> {
    let Some(after) = Aftermath::of(viewpoint, failure)? else { return Ok(None) };
    // Of one that is off the record nothing is told, and what was pasted or came in with a file is not what the user said.
    let is_said = |event: &&Event| {
        event.fields.as_ref().is_some_and(|fields| fields.content.is_some())
            && event.trust() == Trust::User
            && event.origin() != PASTED
    };
    let prompt = after.events.iter().find(|event| event.header.kind == "user_input").filter(is_said);
    let Some(prompt) = prompt else { return Ok(None) };
    let done = after.steps_of(&turn(prompt));
    if done.is_empty() || after.events.iter().any(|event| after.has_failed_again(event)) {
        return Ok(None);
    }
    let done: Vec<String> = done.into_iter().take(STEPS - 1).collect();
    let about = format!("{} {} {}", after.call, main_line(failure.text()), done.join(" "));
    let said = snippet(&prompt.whole_text(), &about, SAID_CHARS);
    let steps = std::iter::once(format!("the user said: {said}")).chain(done).collect();
    Ok(Some(Fix { steps, said: None }))
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
