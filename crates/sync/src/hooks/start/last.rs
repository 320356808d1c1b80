//! How the last session of a project went: what was wanted, what came of it, which files, where it stands, what failed.

use std::collections::{BTreeSet, HashMap};

use idetic_core::quoting::beginning;
use idetic_core::time::DAY_MICROS;
use idetic_core::trace::is_failure;
use idetic_core::views::{CONVERSATION_INVOCATION, TIMELINE};
use idetic_core::words::Trust;
use idetic_core::{Event, Time};
use idetic_extract::ending::{
    Corrections, parts, reports_done, retold, still_said, withdraws, without_offers, without_proposals,
};
use idetic_extract::{directives, own_sentences};
use idetic_memory::Result;
use idetic_memory::standing::StandingDirective;
use idetic_search::failure::command::is_same_call;
use idetic_search::failure::error::main_line;
use idetic_store::{Filter, Select};
use serde_json::Value;

use super::{Line, Start, is_past, says_something};

/// Prompts among which the last sessions are looked for, first among those of the last days.
const PROMPTS: usize = 200;
const LATELY_DAYS: i64 = 30;
/// The latest sessions that are read for what still fails: a small one does not end what failed before.
const SESSIONS: usize = 4;
/// Events that are read of the last session, and of one before it.
const EVENTS: usize = 2000;
const EARLIER_EVENTS: usize = 300;
/// Files and failures that are named.
const FILES: usize = 8;
const FAILURES: usize = 3;
/// Most of a call that failed.
const CALL_CHARS: usize = 80;
/// Turns between the first and the last that are told, the latest first, and most of what was wanted and answered in each.
const TURNS: usize = 8;
const TURN_CHARS: usize = 100;
/// Words of answers that say how things stood just then: later turns know better.
const UNSETTLED: &str = include_str!("../../../data/unsettled.txt");
/// Most of what was wanted.
const GOAL_CHARS: usize = 140;
/// A prompt of fewer words wants nothing that is worth telling.
const LEAST_WORDS: usize = 3;

/// What is told of it.
#[derive(Default)]
pub struct Last {
    /// How it went.
    pub lines: Vec<Line>,
    /// What it left open.
    pub open: Vec<Line>,
}

/// The last sessions before this one.
pub fn last(start: &Start, horizon: u64) -> Result<Last> {
    let prompts = Select::from(&TIMELINE, horizon).filter(Filter::Is("kind", "user_input".into()));
    // Sessions that were taken in from transcripts are new in the log and old by their time.
    let lately = Time(start.now.0.saturating_sub(LATELY_DAYS * DAY_MICROS));
    let recent = |select: Select| select.filter(Filter::AtLeast("ts", lately.0.into()));
    // The user's own sessions first: what else says that it is a prompt is told of only where there are none.
    let own = prompts.clone().filter(Filter::Is("trust", Trust::User.word().into()));
    let mut found = Vec::new();
    for select in [recent(own.clone()), own, recent(prompts.clone()), prompts] {
        if found.is_empty() {
            found = start.of_project(select, PROMPTS)?;
        }
    }
    found.sort_by_key(|prompt| std::cmp::Reverse((prompt.ts(), prompt.seq())));
    let mut sessions: Vec<String> = Vec::new();
    for prompt in found {
        let session = prompt.fields.as_ref().and_then(|fields| fields.conversation_id.clone());
        if let Some(session) = session.filter(|session| session != start.session && !sessions.contains(session)) {
            sessions.push(session);
        }
    }
    let mut told = Last::default();
    let mut tried: Vec<Event> = Vec::new();
    for (at, session) in sessions.iter().take(SESSIONS).enumerate() {
        let most = if at == 0 { EVENTS } else { EARLIER_EVENTS };
        let own = Select::from(&TIMELINE, horizon).filter(Filter::Is("conversation", session.as_str().into()));
        let mut events = start.read(&Select { newest_first: true, limit: Some(most), ..own })?;
        events.reverse();
        if told.lines.is_empty() {
            Session::of(&events, start.now).tell(start, &mut told);
        }
        events.append(&mut tried);
        tried = events;
    }
    for failure in failing(&tried) {
        let words = format!("still failing: {}: {}", failure.call, main_line(failure.result.text()));
        told.open.push(start.line(failure.result, &words));
    }
    Ok(told)
}

/// The events of a session, and what its prompts correct of what was said before them, under their numbers: read once, because
/// every turn is held against it.
struct Session<'a> {
    events: &'a [Event],
    corrected: Vec<(u64, Corrections)>,
    last_prompt: u64,
    now: Time,
}

impl<'a> Session<'a> {
    fn of(events: &'a [Event], now: Time) -> Self {
        let prompts = events.iter().filter(|event| event.header.kind == "user_input");
        let last_prompt = prompts.clone().next_back().map_or(0, Event::seq);
        let corrected = prompts.map(|prompt| (prompt.seq(), Corrections::of(&prompt.whole_text())));
        let corrected = corrected.filter(|(_, corrections)| !corrections.is_empty()).collect();
        Self { events, corrected, last_prompt, now }
    }

    /// What the prompts after an event correct.
    fn corrected_after(&self, event: &Event) -> Vec<&Corrections> {
        let later = self.corrected.iter().filter(|(seq, _)| *seq > event.seq());
        later.map(|(_, corrections)| corrections).collect()
    }

    /// A prompt without what stands in it, which is told where it belongs, and without what later prompts change.
    fn task(&self, prompt: &Event) -> String {
        let mut text = prompt.whole_text();
        for directive in directives(&text.clone()).into_iter().filter(|found| found.is_sure).rev() {
            text.replace_range(directive.span, "");
        }
        let is_answered = prompt.seq() < self.last_prompt || is_answered(prompt, self.events);
        text = retold(&text, is_answered, is_past(prompt.ts(), self.now));
        // What was only proposed was decided by what came after it.
        if is_answered {
            text = without_proposals(&text);
        }
        still_said(text.trim(), &self.corrected_after(prompt))
    }

    /// What was wanted first, in words worth telling.
    fn wanted(&self) -> Option<&'a Event> {
        let wants =
            |event: &&Event| event.header.kind == "user_input" && says_something(event) && is_worth(&self.task(event));
        self.events.iter().find(wants)
    }

    fn tell(&self, start: &Start, told: &mut Last) {
        let asked: Vec<&Event> =
            self.events.iter().filter(|event| event.header.kind == "user_input" && says_something(event)).collect();
        let goal = self.wanted();
        told.lines
            .extend(goal.map(|goal| start.line(goal, &format!("goal: {}", beginning(&self.task(goal), GOAL_CHARS)))));
        let latest = asked.iter().rfind(|event| is_worth(&self.task(event)));
        if let Some(latest) = latest.filter(|latest| goal.is_some_and(|goal| goal.seq() != latest.seq())) {
            told.lines.push(start.line(latest, &format!("last asked: {}", self.task(latest))));
        }
        let outcome = self.outcome();
        if let Some((answer, outcome)) = &outcome {
            told.lines.push(start.line(answer, &format!("outcome: {outcome}")));
        }
        if let Some(line) = files(start, self.events) {
            told.lines.push(line);
        }
        told.lines.extend(stood(start, self.events));
        let told_already = [goal, latest.copied()].map(|event| event.map(Event::seq));
        let others = asked.iter().rev().filter(|prompt| !told_already.contains(&Some(prompt.seq())));
        let is_outcome = |event: &Event| outcome.as_ref().is_some_and(|(answer, _)| answer.seq() == event.seq());
        let turns = others.copied().filter_map(|prompt| self.turn(prompt)).filter(|(event, _)| !is_outcome(event));
        told.lines.extend(turns.take(TURNS).map(|(event, turn)| start.line(event, &turn)));
        // Nothing came of what was asked last, as far as anybody said.
        if let Some(latest) = asked.last().filter(|latest| !is_answered(latest, self.events)) {
            let task = self.task(latest);
            // Where nothing else was said than what stands, that is told where it belongs.
            if !task.is_empty() {
                told.open.push(start.line(latest, &format!("not finished: {task}")));
            }
        }
    }

    /// What the agent said in the end that says something ("Noted." and "Anything else?" do not), without what was corrected
    /// since; what it said before the user took something back may be just that.
    fn outcome(&self) -> Option<(&'a Event, String)> {
        let takes_back = |event: &&Event| {
            event.header.kind == "user_input" && own_sentences(&event.whole_text()).flat_map(parts).any(withdraws)
        };
        let since = self.events.iter().rfind(takes_back).map_or(0, Event::seq);
        let answers = self.events.iter().rev().take_while(|event| event.seq() > since);
        let answers = answers.filter(|event| event.header.kind == "actor_output" && says_something(event));
        let told = |answer: &'a Event| {
            let text = answer.whole_text();
            let tells = is_worth(&text) && !text.trim_end().ends_with('?');
            let still = still_said(&text, &self.corrected_after(answer));
            (tells && is_worth(&still)).then_some((answer, still))
        };
        answers.filter_map(told).next()
    }

    /// What was wanted in one turn and how its answer begins, with the event that says so.
    fn turn(&self, prompt: &'a Event) -> Option<(&'a Event, String)> {
        let wanted = beginning(&self.task(prompt), TURN_CHARS);
        let loop_id = |event: &Event| event.fields.as_ref().and_then(|fields| fields.loop_id.clone());
        let own = loop_id(prompt);
        let is_its = |event: &&Event| {
            event.header.kind == "actor_output" && own.is_some() && loop_id(event) == own && says_something(event)
        };
        let is_settled = |answer: &String| {
            let mut words = answer.split(|c: char| !c.is_alphanumeric() && c != '\'');
            !answer.contains('?')
                && !words.any(|word| UNSETTLED.lines().any(|unsettled| word.eq_ignore_ascii_case(unsettled)))
        };
        let answer = self.events.iter().rfind(is_its).and_then(|answer| {
            let said = still_said(&without_offers(&answer.whole_text()), &self.corrected_after(answer));
            let said = Some(said).filter(is_settled).filter(|said| !said.is_empty())?;
            Some((answer, beginning(said.trim(), TURN_CHARS)))
        });
        match (is_worth(&wanted), answer) {
            (true, Some((_, said))) => Some((prompt, format!("also: {wanted} → {said}"))),
            (true, None) => Some((prompt, format!("also: {wanted}"))),
            // What was only asked is told by its answer.
            (false, Some((answer, said))) if is_worth(&said) => Some((answer, format!("answered: {said}"))),
            (false, _) => None,
        }
    }
}

fn is_worth(text: &str) -> bool {
    let words = text.split_whitespace().count();
    words >= LEAST_WORDS || words > 1 && text.trim_end().ends_with('?')
}

/// Whether the agent said in the turn in which a task was set that it is done.
pub fn is_reported_done(start: &Start, task: &StandingDirective, horizon: u64) -> Result<bool> {
    let Some(set) = start.viewpoint.events(&[task.seq])?.into_iter().next() else { return Ok(false) };
    let Some(turn) = set.fields.and_then(|fields| fields.loop_id) else { return Ok(false) };
    let answers = Select::from(&TIMELINE, horizon)
        .filter(Filter::Is("loop", turn.as_str().into()))
        .filter(Filter::Is("kind", "actor_output".into()));
    let answers = start.read(&Select { newest_first: true, limit: Some(1), ..answers })?;
    Ok(answers.first().is_some_and(|answer| reports_done(&answer.whole_text(), &task.text)))
}

fn is_answered(asked: &Event, events: &[Event]) -> bool {
    let loop_id = |event: &Event| event.fields.as_ref().and_then(|fields| fields.loop_id.clone());
    let own = loop_id(asked);
    let ends = |event: &&Event| matches!(event.header.kind.as_str(), CONVERSATION_INVOCATION | "actor_output");
    events.iter().filter(ends).any(|event| event.seq() > asked.seq() && loop_id(event) == own)
}

/// The files that were changed.
fn files(start: &Start, events: &[Event]) -> Option<Line> {
    let mut named = BTreeSet::new();
    let mut last = None;
    for event in events.iter().filter(|event| event.header.kind == "tool_call") {
        let metadata = event.metadata();
        let changed = metadata["files"].as_array().filter(|_| metadata["edit"] == true);
        for file in changed.into_iter().flatten().filter_map(Value::as_str) {
            named.insert(start.project.within(file));
            last = Some(event);
        }
    }
    let count = named.len();
    let mut shown: Vec<String> = named.into_iter().take(FILES).collect();
    if count > FILES {
        shown.push(format!("and {} more", count - FILES));
    }
    last.map(|event| start.line(event, &format!("files: {}", shown.join(", "))))
}

/// The branch and the commit it stood at in the end.
fn stood(start: &Start, events: &[Event]) -> Option<Line> {
    events.iter().rev().find_map(|event| {
        let metadata = event.metadata();
        let branch = metadata["branch"].as_str()?;
        let at = metadata["commit"].as_str().map_or(String::new(), |commit| format!(" at {commit}"));
        Some(start.line(event, &format!("branch: {branch}{at}")))
    })
}

/// A call whose last try failed.
struct Failing<'a> {
    call: String,
    result: &'a Event,
}

fn failing(events: &[Event]) -> Vec<Failing<'_>> {
    let calls: HashMap<&str, &Event> = events
        .iter()
        .filter(|event| event.header.kind == "tool_call")
        .map(|event| (event.header.id.as_str(), event))
        .collect();
    let mut last: Vec<(&str, &Event, bool)> = Vec::new();
    for result in events.iter().filter(|event| event.header.kind == "tool_result") {
        let Some(fields) = &result.fields else { continue };
        let call = fields.causes.first().and_then(|id| calls.get(id.as_str()));
        let Some(call) = call.map(|call| call.text()) else { continue };
        last.retain(|(earlier, _, _)| !is_same_call(earlier, call));
        last.push((call, result, is_failure(fields.status)));
    }
    let failed = last.into_iter().rev().filter(|(_, _, failed)| *failed).take(FAILURES);
    failed.map(|(call, result, _)| Failing { call: beginning(call, CALL_CHARS), result }).collect()
}
