//! A coding agent's session as the hooks of its client tell it: prompts, tool uses and answers become events, what was
//! asked and what came of it an invocation of the session's conversation, and a session that begins is shown what matters.
//!
//! A turn is one loop, from what was asked to the invocation that sums it up: where the last event of a loop is no
//! invocation, the loop is open. Nothing but the log knows about it, so that any number of processes may tell the story.

pub(crate) mod record;
mod reminder;
mod repeated;
mod start;
mod told;
mod words;

use std::collections::HashSet;

use idetic_clients::message::ToolUse;
use idetic_clients::{Client, Happened, Message};
use idetic_core::event::is_private;
use idetic_core::views::{CONVERSATION_INVOCATION, TIMELINE};
use idetic_core::words::Persona;
use idetic_core::{Event, Record, SpaceName, Time};
use idetic_memory::extraction::ExtractionFilter;
use idetic_memory::sessions::{NewSession, Sessions};
use idetic_memory::{Config, Invocation, Kind, Memory, Models, Result, Scope, Viewpoint, Writer, new_trace};
use idetic_store::{Filter, Select};
use serde_json::{Value, json};

use self::reminder::Reminder;
use self::start::Start;
pub use self::told::InjectedContext;
use self::told::told_before;
use crate::pause::Paused;
use crate::project::Project;

/// Tokens of what is shown to a session that begins, unless said otherwise.
pub const START_TOKENS: usize = 800;
/// The tag of a call that carries the agent's own list.
const TODOS_TAG: &str = "todos";
/// Last events of a session among which its turn is looked for.
const LAST_EVENTS: usize = 8;
/// What stands for a prompt that its author takes off the record.
const OFF_THE_RECORD: &str = "(marked private: not kept)";
/// Most events of a turn that are summed up.
const TURN_EVENTS_MAX: usize = 500;
/// Most of what was asked, and of what came of it, in the sum of a turn.
const SUM_MAX_CHARS: usize = 4000;
/// Different tools that are named in it.
const SUM_TOOLS: usize = 12;

/// Whose session is told.
#[derive(Debug)]
pub struct HookSession {
    /// The client.
    pub client: &'static Client,
    /// Whose memory it belongs to; without one it is shared in the space.
    pub agent: Option<String>,
    /// The project that is worked on.
    pub project: Project,
    /// Tokens of what is shown when it begins.
    pub budget: usize,
}

/// What a new session of a project would be told when it starts: as of an event, at a time.
pub fn next_start(
    viewpoint: &Viewpoint,
    project: &Project,
    budget: usize,
    (horizon, now): (u64, Time),
) -> Result<Option<InjectedContext>> {
    Start { viewpoint, project, session: "", budget, horizon, now, told: HashSet::new() }.told()
}

impl HookSession {
    /// Takes a message in, and gives what the client is to be told.
    pub fn handle(&mut self, memory: &Memory, space: &SpaceName, message: &Message) -> Result<Option<String>> {
        let config = memory.config();
        config.check_memory_is_on(space)?;
        if Paused::of(memory.home())?.holds(&self.project.names(), memory.env().now()) {
            return Ok(None);
        }
        self.project.keep_name(memory.env().random());
        let space = memory.space_or_new(space)?;
        let viewpoint = match &self.agent {
            Some(agent) => space.as_agent(agent, Persona::Actor),
            None => Viewpoint::new(space, Scope::Owner),
        };
        let recorder = Recorder { session: self, message, viewpoint: &viewpoint, config };
        let now = memory.env().now();
        match &message.happened {
            Happened::Began { goes_on } => {
                recorder.begin()?;
                let told = if *goes_on { told_before(&viewpoint, &message.session)? } else { HashSet::new() };
                let (project, session, budget) = (&self.project, message.session.as_str(), self.budget);
                let horizon = viewpoint.horizon(None)?;
                let start = Start { viewpoint: &viewpoint, project, session, budget, horizon, now, told };
                return recorder.tell(start.told()?);
            }
            Happened::Asked(prompt) => {
                let is_first = recorder.turn()?.is_none();
                let kept = recorder.asked(prompt)?;
                let told = match kept.filter(|_| is_first) {
                    Some(kept) => recorder.reminder(now)?.prompt(&kept)?,
                    None => None,
                };
                return recorder.tell(told);
            }
            Happened::Used(tool) => {
                let before = viewpoint.horizon(None)?;
                if !recorder.used(tool)? {
                    return Ok(None);
                }
                let told = match tool.failed {
                    true => recorder.reminder(now)?.failure(tool, before + 1)?,
                    false if tool.is_edit && !tool.files.is_empty() => recorder.reminder(now)?.edit(&tool.files)?,
                    false => None,
                };
                return recorder.tell(told);
            }
            Happened::Said(text) => recorder.said(text)?,
            Happened::Compacting => recorder.compacting()?,
            Happened::Stopped(text) => recorder.stopped(text)?,
            Happened::Ended => recorder.end()?,
        }
        Ok(None)
    }
}

/// A session while one of its messages is taken in.
struct Recorder<'a> {
    session: &'a HookSession,
    message: &'a Message,
    viewpoint: &'a Viewpoint,
    config: &'a Config,
}

/// A turn of a session: its loop, and whether it is still going on.
struct Turn {
    loop_id: String,
    is_open: bool,
}

impl Recorder<'_> {
    fn begin(&self) -> Result<()> {
        let new = NewSession {
            agent: self.session.agent.as_deref().unwrap_or(self.session.client.name).to_owned(),
            trace: Some(self.message.session.clone()),
            around: None,
            version: self.message.model.clone(),
        };
        match self.viewpoint.sessions().start(new, &Writer::default()) {
            // One that goes on is open already.
            Err(error) if error.kind == Kind::Conflict => Ok(()),
            started => started.map(drop),
        }
    }

    /// What may be told while it works.
    fn reminder(&self, now: Time) -> Result<Reminder<'_>> {
        let (viewpoint, project, session) = (self.viewpoint, &self.session.project, self.message.session.as_str());
        Ok(Reminder { viewpoint, project, session, now, told: told_before(viewpoint, session)? })
    }

    /// Gives the text to be told, and writes down what it leads to.
    fn tell(&self, told: Option<InjectedContext>) -> Result<Option<String>> {
        let Some(told) = told.filter(|told| !told.text.is_empty()) else { return Ok(None) };
        self.viewpoint.append(vec![told.record(&self.message.session, &self.session.project.name)?], None)?;
        Ok(Some(told.text))
    }

    /// Takes a prompt in, and gives what is kept of it.
    fn asked(&self, prompt: &str) -> Result<Option<String>> {
        // Where nobody was told that it stopped the user broke in. Whatever becomes of that, the prompt is kept.
        let open = self.turn()?.filter(|turn| turn.is_open);
        let closed = open.map_or(Ok(()), |turn| self.close(&turn.loop_id));
        let loop_id = self.message.turn.clone().unwrap_or_else(|| new_trace(self.viewpoint.env()));
        let (record, kept) = record::prompt(prompt);
        let author = self.config.author.as_str();
        self.append(&loop_id, vec![with(record, "author", Some(author).filter(|author| !author.is_empty()))])?;
        closed.map(|()| kept)
    }

    /// Takes the use of a tool in, and says whether it is on the record.
    fn used(&self, tool: &ToolUse) -> Result<bool> {
        // What is recalled is known already: it would only come back as its own echo.
        if tool.tool.contains(idetic_clients::content::SERVER) {
            return Ok(false);
        }
        let loop_id = self.open_loop()?;
        if self.is_off_the_record(&loop_id)? {
            return Ok(false);
        }
        let id = new_trace(self.viewpoint.env());
        let records = vec![record::tool_call(tool, &id, self.session.client.name), record::tool_result(tool, &id)];
        self.append(&loop_id, records)?;
        Ok(true)
    }

    fn said(&self, text: &str) -> Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        let loop_id = self.open_loop()?;
        if self.is_off_the_record(&loop_id)? {
            return Ok(());
        }
        self.append(&loop_id, vec![self.output(text)])
    }

    fn compacting(&self) -> Result<()> {
        let Some(turn) = self.turn()?.filter(|turn| turn.is_open) else { return Ok(()) };
        self.append(&turn.loop_id, vec![json!({"kind": "system_event", "summary": "The context was compacted"})])?;
        self.close(&turn.loop_id)
    }

    fn stopped(&self, text: &str) -> Result<()> {
        let Some(turn) = self.turn()?.filter(|turn| turn.is_open) else { return Ok(()) };
        if !text.is_empty() && !self.is_off_the_record(&turn.loop_id)? {
            self.append(&turn.loop_id, vec![self.output(text)])?;
        }
        self.close(&turn.loop_id)
    }

    fn end(&self) -> Result<()> {
        let open = self.turn()?.filter(|turn| turn.is_open);
        let closed = open.map_or(Ok(()), |turn| self.close(&turn.loop_id));
        // Facts were taken turn by turn.
        match self.viewpoint.end_conversation(&Models::default(), &self.message.session, "signal", None) {
            Err(error) if error.kind == Kind::NotFound => {}
            ended => drop(ended?),
        }
        let session = |sessions: &Sessions| sessions.find(Some(&self.message.session), None);
        match self.viewpoint.sessions().end(&session, &Writer::default()) {
            Err(error) if error.kind == Kind::NotFound => {}
            ended => drop(ended?),
        }
        closed
    }

    fn output(&self, text: &str) -> Value {
        let Project { branch, commit, .. } = &self.session.project;
        record::answer(text, branch.as_deref(), commit.as_deref(), self.session.client.name)
    }

    /// The loop that what happens now belongs to: the client's own, the one that is open, or a new one.
    fn open_loop(&self) -> Result<String> {
        if let Some(turn) = &self.message.turn {
            return Ok(turn.clone());
        }
        let open = self.turn()?.filter(|turn| turn.is_open).map(|turn| turn.loop_id);
        Ok(open.unwrap_or_else(|| new_trace(self.viewpoint.env())))
    }

    /// The last turn of the session.
    fn turn(&self) -> Result<Option<Turn>> {
        let own = self.of_session(self.viewpoint.horizon(None)?);
        let mut seqs = self.viewpoint.seqs(&Select { newest_first: true, limit: Some(LAST_EVENTS), ..own })?;
        seqs.sort_unstable();
        let events = self.viewpoint.events(&seqs)?;
        Ok(events.into_iter().rev().find_map(|event| {
            let is_open = event.header.kind != CONVERSATION_INVOCATION;
            event.fields.and_then(|fields| fields.loop_id).map(|loop_id| Turn { loop_id, is_open })
        }))
    }

    /// Whether what was asked in a turn is not to be kept, so that neither is what came of it.
    fn is_off_the_record(&self, loop_id: &str) -> Result<bool> {
        let asked = self.of_session(self.viewpoint.horizon(None)?).filter(Filter::Is("loop", loop_id.into()));
        let asked = Select { limit: Some(1), ..asked.filter(Filter::Is("kind", "user_input".into())) };
        let mut asked = self.viewpoint.events(&self.viewpoint.seqs(&asked)?)?;
        if asked.is_empty() {
            // It goes on with what was asked before its context was compacted.
            asked.extend(self.last_asked(self.viewpoint.horizon(None)?)?);
        }
        Ok(asked.iter().any(|event| event.fields.as_ref().is_some_and(|fields| is_private(&fields.tags))))
    }

    fn of_session(&self, horizon: u64) -> Select {
        Select::from(&TIMELINE, horizon).filter(Filter::Is("conversation", self.message.session.as_str().into()))
    }

    /// Sums a turn up: what was asked, what was done, what came of it. What was plainly stated in it becomes facts.
    fn close(&self, loop_id: &str) -> Result<()> {
        let horizon = self.viewpoint.horizon(None)?;
        let own = self.of_session(horizon).filter(Filter::Is("loop", loop_id.into()));
        let mut seqs = self.viewpoint.seqs(&own)?;
        seqs.truncate(TURN_EVENTS_MAX);
        let events = self.viewpoint.events(&seqs)?;
        let asked = match events.iter().find(|event| event.header.kind == "user_input") {
            Some(asked) => Some(asked.clone()),
            // It goes on with what was asked before its context was compacted.
            None => self.last_asked(horizon)?,
        };
        let answered = events.iter().rfind(|event| event.header.kind == "actor_output");
        let text = |event: Option<&Event>| {
            event.map(|event| event.text().chars().take(SUM_MAX_CHARS).collect::<String>()).unwrap_or_default()
        };
        let causes = asked.iter().chain(answered).map(|event| event.header.id.clone()).collect();
        // Facts first: a loop is over with its invocation.
        let taken = if self.config.agent.enable_auto_fact_extraction {
            let words = ExtractionFilter {
                conversation: Some(self.message.session.clone()),
                loop_id: Some(loop_id.to_owned()),
            };
            self.viewpoint.extract_by_rules(&words, false).map(drop)
        } else {
            Ok(())
        };
        self.viewpoint.add_invocation(
            &self.message.session,
            &Invocation {
                query: text(asked.as_ref()),
                summary: done(&events),
                result: text(answered),
                loop_id: Some(loop_id.to_owned()),
                source: Some(self.session.project.name.clone()),
                causes,
                ..Invocation::default()
            },
        )?;
        taken
    }

    fn last_asked(&self, horizon: u64) -> Result<Option<Event>> {
        let asked = self.of_session(horizon).filter(Filter::Is("kind", "user_input".into()));
        let seqs = self.viewpoint.seqs(&Select { newest_first: true, limit: Some(1), ..asked })?;
        Ok(self.viewpoint.events(&seqs)?.into_iter().next())
    }

    fn append(&self, loop_id: &str, records: Vec<Value>) -> Result<()> {
        let session = Some(self.message.session.as_str());
        let mut parsed = Vec::with_capacity(records.len());
        for mut record in records {
            for (key, value) in [
                ("trace_id", session),
                ("conversation_id", session),
                ("loop_id", Some(loop_id)),
                ("source", Some(self.session.project.name.as_str())),
            ] {
                record = with(record, key, value);
            }
            parsed.push(Record::parse(record.to_string().as_bytes())?);
        }
        self.viewpoint.append(parsed, None)?;
        Ok(())
    }
}

/// A record with one thing more, where it is known.
fn with(mut record: Value, key: &str, value: Option<&str>) -> Value {
    if let Some(value) = value {
        record[key] = json!(value);
    }
    record
}

/// What was done in a turn: the tools by how often, and what failed.
fn done(events: &[Event]) -> String {
    let mut tools: Vec<(String, usize)> = Vec::new();
    let mut failed = 0;
    for event in events {
        let tool = match event.header.kind.as_str() {
            "tool_call" => event.text().split(": ").next().unwrap_or_default(),
            "tool_result" => {
                let status = event.fields.as_ref().and_then(|fields| fields.status);
                failed += usize::from(idetic_core::trace::is_failure(status));
                continue;
            }
            _ => continue,
        };
        match tools.iter_mut().find(|(name, _)| name == tool) {
            Some((_, times)) => *times += 1,
            None => tools.push((tool.to_owned(), 1)),
        }
    }
    let shown = tools.iter().take(SUM_TOOLS).map(|(name, times)| match times {
        1 => name.clone(),
        times => format!("{name} {times} times"),
    });
    let mut done = shown.collect::<Vec<_>>().join(", ");
    if failed > 0 {
        done += &format!("; {failed} failed");
    }
    done
}
