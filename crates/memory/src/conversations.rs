//! Conversations of a space: begun on first use, summed up invocation by invocation, ended by a signal or by silence.

pub mod reply;

use std::collections::{BTreeSet, HashMap};

use idetic_core::time::MINUTE_MICROS;
use idetic_core::views::{
    CONVERSATION_ENDED, CONVERSATION_GOALS, CONVERSATION_INVOCATION, CONVERSATION_STARTED, CONVERSATIONS, EPISODES,
    TIMELINE, Value as Cell,
};
use idetic_core::{Event, Record, Time, limits};
use idetic_store::{Filter, Select};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::config::AgentMem;
use crate::episodes::EpisodeDraft;
use crate::recall::Models;
use crate::scope::lane_of;
use crate::viewpoint::Viewpoint;
use crate::{ConversationMemory, Error, ExtractionFilter, InvocationSummary, Result};

/// From this cosine on two questions belong to one goal.
const SAME_GOAL_COSINE: f32 = 0.45;
/// From this share of common words on, where there is no model.
const SAME_GOAL_WORDS: f64 = 50.0;
/// Up to so many conversations, the goal of each is looked up; for more, all goals of the space are read at once.
const ASKED_ONE_BY_ONE: usize = 20;
/// Most conversations that are ended by their silence at a time.
const ENDED_AT_ONCE: usize = 100;

/// What one invocation was about.
#[derive(Debug, Clone, Default)]
pub struct Invocation {
    /// What was asked.
    pub query: String,
    /// What the agent did.
    pub summary: String,
    /// How it ended.
    pub result: String,
    /// When, if not now.
    pub ts: Option<Time>,
    /// The loop it was.
    pub loop_id: Option<String>,
    /// The project or component it was about.
    pub source: Option<String>,
    /// Whether it worked, where that is known.
    pub success: Option<bool>,
    /// The events it sums up.
    pub causes: Vec<String>,
    /// What else is kept with it.
    pub given: Option<Map<String, Value>>,
}

impl Invocation {
    /// The record that adds it to a conversation.
    pub fn to_record(&self, conversation: &str) -> Result<Record> {
        let Invocation { query, summary, result, ts, loop_id, source, success, causes, given } = self;
        let mut body = json!({
            "kind": CONVERSATION_INVOCATION,
            "conversation_id": conversation,
            "summary": format!("Asked: {query}"),
            "content": format!("Asked: {query}\nDone: {summary}\nResult: {result}"),
            "metadata": {"query": query, "summary": summary, "result": result},
        });
        if let Some(given) = given {
            body["metadata"]["given"] = given.clone().into();
        }
        if let Some(body) = body.as_object_mut() {
            body.extend(ts.map(|ts| ("ts".to_owned(), ts.to_string().into())));
            body.extend(loop_id.as_deref().map(|id| ("loop_id".to_owned(), id.into())));
            body.extend(source.as_deref().map(|source| ("source".to_owned(), source.into())));
            let status = success.map(|worked| if worked { "success" } else { "failure" });
            body.extend(status.map(|status| ("status".to_owned(), status.into())));
            if !causes.is_empty() {
                body.insert("causes".to_owned(), causes.clone().into());
            }
        }
        Ok(Record::parse(body.to_string().as_bytes())?)
    }
}

/// How a conversation stands.
#[derive(Debug, Clone)]
pub struct ConversationRow {
    /// The agent whose it is; empty where it is shared.
    pub agent: String,
    /// The side of that agent.
    pub persona: String,
    /// Which.
    pub conversation: String,
    /// What it is for, where that was said.
    pub goal: Option<String>,
    /// When it began.
    pub started: Time,
    /// When it was last added to.
    pub last: Time,
    /// How many invocations it has.
    pub invocations: i64,
    /// When it ended, and why.
    pub ended: Option<(Time, String)>,
    /// The event that last changed it.
    pub event: String,
}

/// What the metadata of an invocation says.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Said {
    query: String,
    summary: String,
    result: String,
    given: Option<Box<RawValue>>,
}

impl Said {
    fn of(event: &Event) -> Self {
        let metadata = event.fields.as_ref().and_then(|fields| fields.metadata.as_ref());
        metadata.and_then(|metadata| serde_json::from_str(metadata.get()).ok()).unwrap_or_default()
    }
}

impl Viewpoint {
    /// How a conversation stands, as of a seq.
    pub fn conversation_row(&self, id: &str, horizon: u64) -> Result<Option<ConversationRow>> {
        let named = Select::from(&CONVERSATIONS, horizon).filter(Filter::Is("conversation", id.into()));
        Ok(self.conversation_rows(named)?.into_iter().next())
    }

    /// The conversations this reader can see; its own before what is shared.
    pub fn conversation_rows(&self, select: Select) -> Result<Vec<ConversationRow>> {
        let rows = self.space().select(&select)?;
        let mut rows: Vec<ConversationRow> = rows.iter().filter_map(|row| row_of(&row.values)).collect();
        rows.retain(|row| self.sees_row(&row.agent, &row.persona));
        rows.sort_by_key(|row| row.agent.is_empty());
        self.set_goals(&mut rows, select.at)?;
        Ok(rows)
    }

    fn set_goals(&self, rows: &mut [ConversationRow], horizon: u64) -> Result<()> {
        let all = Select::from(&CONVERSATION_GOALS, horizon);
        let ids: BTreeSet<String> = rows.iter().map(|row| row.conversation.clone()).collect();
        let asked: Vec<Select> = if ids.len() <= ASKED_ONE_BY_ONE {
            ids.iter().map(|id| all.clone().filter(Filter::Is("conversation", id.as_str().into()))).collect()
        } else {
            vec![all]
        };
        let mut said = HashMap::new();
        for select in &asked {
            for goal in self.space().select(select)? {
                if let Some((goal, key)) = goal.values.split_last() {
                    said.insert(key.to_vec(), goal.text().map(str::to_owned));
                }
            }
        }
        for row in rows {
            let key = [&row.agent, &row.persona, &row.conversation].map(|part| Cell::from(part.as_str()));
            row.goal = said.remove(&key[..]).flatten();
        }
        Ok(())
    }

    /// A conversation with its invocations in order; the last so many of them where that is said.
    pub fn conversation(&self, id: &str, horizon: u64, last: Option<usize>) -> Result<ConversationMemory> {
        let row = self.conversation_row(id, horizon)?.map_or_else(|| self.unkept(id, horizon), |row| Ok(Some(row)))?;
        let Some(row) = row else {
            return Err(Error::not_found(format!("there is no conversation '{}'", idetic_core::invalid::excerpt(id)))
                .hint("one is created by `idetic conversation add`, or when an agent is asked something in it"));
        };
        let select = Select::from(&TIMELINE, horizon)
            .filter(Filter::Is("conversation", id.into()))
            .filter(Filter::Is("kind", CONVERSATION_INVOCATION.into()));
        let mut seqs = self.seqs(&Select { newest_first: true, limit: last, ..select })?;
        seqs.reverse();
        let mut events = self.space().events(&seqs)?;
        events.retain(|event| self.sees_event(event));
        let shown = |event: Event| {
            let (said, timestamp) = (Said::of(&event), event.ts());
            let Said { query, summary, result, given } = said;
            InvocationSummary { query, summary, result, timestamp, event: event.header.id, metadata: given }
        };
        Ok(ConversationMemory {
            metadata: self.given(id, (&row.agent, &row.persona), horizon)?,
            conversation_id: row.conversation,
            invocations: events.into_iter().map(shown).collect(),
            goal: row.goal,
            started: row.started,
            last: row.last,
            ended: row.ended.as_ref().map(|(when, _)| *when),
            reason: row.ended.map(|(_, why)| why),
            count: row.invocations,
        })
    }

    /// What else is kept with a conversation of a lane: what was said last of each key.
    fn given(&self, id: &str, lane: (&str, &str), horizon: u64) -> Result<Map<String, Value>> {
        let begun = Select::from(&TIMELINE, horizon)
            .filter(Filter::Is("conversation", id.into()))
            .filter(Filter::Is("kind", CONVERSATION_STARTED.into()));
        let mut given = Map::new();
        let events = self.space().events(&self.seqs(&begun)?)?.into_iter();
        for event in events.filter(|event| event.fields.as_ref().is_some_and(|fields| lane_of(fields) == lane)) {
            let said = Said::of(&event).given;
            given.extend(said.and_then(|said| serde_json::from_str::<Map<_, _>>(said.get()).ok()).unwrap_or_default());
        }
        Ok(given)
    }

    /// A conversation that nobody began or added to, but that events name as theirs.
    fn unkept(&self, id: &str, horizon: u64) -> Result<Option<ConversationRow>> {
        let named = Select::from(&TIMELINE, horizon).filter(Filter::Is("conversation", id.into()));
        let last = self.seqs(&Select { newest_first: true, limit: Some(1), ..named.clone() })?;
        let first = self.seqs(&Select { limit: Some(1), ..named })?;
        let (first, last) = (self.space().events(&first)?, self.space().events(&last)?);
        Ok(first.first().zip(last.first()).map(|(first, last)| ConversationRow {
            agent: String::new(),
            persona: String::new(),
            conversation: id.to_owned(),
            goal: None,
            started: first.ts(),
            last: last.ts(),
            invocations: 0,
            ended: None,
            event: last.header.id.clone(),
        }))
    }

    /// Begins a conversation, unless it is there. Gives whether it is new. `given` is kept with it.
    pub fn start_conversation(
        &self,
        id: &str,
        goal: Option<&str>,
        given: Option<&Map<String, Value>>,
        ts: Option<Time>,
    ) -> Result<bool> {
        check_id(id)?;
        let open = self.conversation_row(id, self.horizon(None)?)?.filter(|row| row.ended.is_none());
        if let Some(row) = open {
            // A goal that is said later is its goal from then on.
            let goal = goal.filter(|goal| row.goal.as_deref() != Some(goal));
            let known = self.given(id, (&row.agent, &row.persona), self.horizon(None)?)?;
            let given = given.filter(|given| given.iter().any(|(key, value)| known.get(key) != Some(value)));
            if goal.is_some() || given.is_some() {
                let record = self.for_lane(started(id, goal, given, ts)?, &row.agent, &row.persona)?;
                self.append(vec![record], None)?;
            }
            return Ok(false);
        }
        self.append(vec![started(id, goal, given, ts)?], None)?;
        Ok(true)
    }

    /// Adds what an invocation did to its conversation, which is begun if it is not there.
    pub fn add_invocation(&self, id: &str, invocation: &Invocation) -> Result<String> {
        check_id(id)?;
        let mut records = Vec::new();
        if self.conversation_row(id, self.horizon(None)?)?.is_none() {
            records.push(started(id, None, None, invocation.ts)?);
        }
        records.push(invocation.to_record(id)?);
        let acks = self.append(records, None)?;
        acks.into_iter().next_back().map(|(_, id)| id).ok_or_else(|| Error::unavailable("nothing was appended"))
    }

    /// Ends a conversation. One with a single goal becomes an episode, unless it is one already.
    pub fn end_conversation(&self, models: &Models, id: &str, reason: &str, ts: Option<Time>) -> Result<Ended> {
        let horizon = self.horizon(None)?;
        let memory = self.conversation(id, horizon, None)?;
        if memory.ended.is_some() {
            return Ok(Ended { was_open: false, episode: None });
        }
        let mut body = json!({
            "kind": CONVERSATION_ENDED, "conversation_id": id, "metadata": {"reason": reason},
        });
        if let Some(ts) = ts {
            body["ts"] = ts.to_string().into();
        }
        let row = self.conversation_row(id, horizon)?;
        if let Some(row) = &row {
            self.check_own("the conversation", &row.agent, &row.persona)?;
        }
        let (agent, persona) = row.map(|row| (row.agent, row.persona)).unwrap_or_default();
        let of_lane = |record| self.for_lane(record, &agent, &persona);
        self.append(vec![of_lane(Record::parse(body.to_string().as_bytes())?)?], None)?;
        let episode = match goal(models, &memory) {
            Some(goal) => self.tell_as_episode(&as_episode(&memory, goal), &agent, &persona, horizon)?,
            None => None,
        };
        Ok(Ended { was_open: true, episode })
    }

    /// Stores what a conversation came to, unless an episode tells it already. What was told of it when it ended before
    /// and went on is told anew.
    fn tell_as_episode(
        &self,
        draft: &EpisodeDraft,
        agent: &str,
        persona: &str,
        horizon: u64,
    ) -> Result<Option<String>> {
        let of_it = Select::from(&EPISODES, horizon)
            .filter(Filter::Is("conversation", draft.conversation.as_deref().unwrap_or_default().into()))
            .filter(Filter::Is("deleted", 0_i64.into()));
        let told = self.episode_rows(of_it)?;
        let mut earlier = Vec::new();
        for row in &told {
            let fields = self.get(&row.episode, horizon)?.fields.unwrap_or_default();
            if fields.causes == draft.causes {
                return Ok(None);
            }
            if !fields.causes.is_empty() && draft.causes.starts_with(&fields.causes) {
                earlier.push(&row.episode);
            }
        }
        if draft.causes.len() < 2 && !told.is_empty() {
            return Ok(None);
        }
        // It belongs to the project that it is about.
        let first = draft.causes.first().and_then(|cause| self.get(cause, horizon).ok());
        let source = first.and_then(|event| event.fields).and_then(|fields| fields.source);
        let stored = self.store_episode_of(&EpisodeDraft { source, ..draft.clone() }, agent, persona)?;
        for episode in earlier {
            self.delete_episode(episode, Some("told anew"))?;
        }
        Ok(Some(stored.episode_id))
    }

    /// Ends the conversations in which nothing happened for too long, and takes what was plainly said in them: how many
    /// ended, and how many facts that gave. The timeout is an event as well.
    pub fn end_idle_conversations(&self, models: &Models, policy: &AgentMem, now: Time) -> Result<(usize, usize)> {
        let idle = i64::from(policy.conversation_idle_minutes) * MINUTE_MICROS;
        let open = Select::from(&CONVERSATIONS, self.horizon(None)?)
            .filter(Filter::IsNull("ended"))
            .filter(Filter::AtMost("last", (now.0 - idle).into()));
        let mut rows = self.conversation_rows(Select { limit: Some(ENDED_AT_ONCE), ..open })?;
        // What others talk about is theirs to end.
        rows.retain(|row| self.check_own("the conversation", &row.agent, &row.persona).is_ok());
        let mut promoted = 0;
        for row in &rows {
            self.end_conversation(models, &row.conversation, "timeout", Some(Time(row.last.0 + idle)))?;
            if policy.enable_auto_fact_extraction {
                let words = ExtractionFilter { conversation: Some(row.conversation.clone()), loop_id: None };
                promoted += self.extract_by_rules(&words, false)?.len();
            }
        }
        Ok((rows.len(), promoted))
    }
}

/// What became of a conversation that was to be ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// Whether it was open.
    pub was_open: bool,
    /// The episode it became.
    pub episode: Option<String>,
}

fn check_id(id: &str) -> Result<()> {
    if id.trim().is_empty() || id.len() > limits::NAME_MAX_BYTES || id.chars().any(char::is_control) {
        return Err(Error::invalid("the conversation's id is empty, too long or has control characters")
            .hint("leave it out to have one generated"));
    }
    Ok(())
}

fn started(id: &str, goal: Option<&str>, given: Option<&Map<String, Value>>, ts: Option<Time>) -> Result<Record> {
    let mut body = json!({"kind": CONVERSATION_STARTED, "conversation_id": id, "metadata": {}});
    if let Some(goal) = goal {
        body["metadata"]["goal"] = goal.into();
    }
    if let Some(given) = given {
        body["metadata"]["given"] = given.clone().into();
    }
    if let Some(ts) = ts {
        body["ts"] = ts.to_string().into();
    }
    Ok(Record::parse(body.to_string().as_bytes())?)
}

/// A row of the table of conversations, its columns in their order; the goal is in another one.
fn row_of(values: &[Cell]) -> Option<ConversationRow> {
    let [agent, persona, conversation, started, last, invocations, ended, why, event] = values.first_chunk()?;
    let text = |cell: &Cell| cell.text().unwrap_or_default().to_owned();
    let ended = match ended {
        Cell::Int(when) => Some((Time(*when), text(why))),
        _ => None,
    };
    Some(ConversationRow {
        agent: text(agent),
        persona: text(persona),
        conversation: text(conversation),
        goal: None,
        started: Time(started.int()),
        last: Time(last.int()),
        invocations: invocations.int(),
        ended,
        event: text(event),
    })
}

/// The goal of a conversation that had one alone: as said, else its first question, where all others are about the same.
fn goal(models: &Models, memory: &ConversationMemory) -> Option<String> {
    let first = memory.invocations.first()?;
    if memory.goal.is_some() {
        return memory.goal.clone();
    }
    let queries: Vec<&str> = memory.invocations.iter().map(|invocation| invocation.query.as_str()).collect();
    let same = match &models.wanted {
        Some(model) if models.local => match model.embed(&queries) {
            Ok(vectors) => vectors.iter().all(|vector| dot(vector, &vectors[0]) >= SAME_GOAL_COSINE),
            Err(_) => false,
        },
        _ => queries.iter().all(|query| {
            idetic_search::fuzzy::token_set_ratio(
                &idetic_search::fuzzy::default_process(query),
                &idetic_search::fuzzy::default_process(&first.query),
            ) >= SAME_GOAL_WORDS
        }),
    };
    same.then(|| first.query.clone())
}

fn dot(one: &[f32], other: &[f32]) -> f32 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}

/// A conversation as one episode.
fn as_episode(memory: &ConversationMemory, goal: String) -> EpisodeDraft {
    const STEPS: usize = 20;
    let steps = memory.invocations.iter().take(STEPS).map(|invocation| match invocation.summary.trim() {
        "" => invocation.query.clone(),
        summary => summary.to_owned(),
    });
    EpisodeDraft {
        goal,
        steps: steps.collect(),
        outcome: memory.invocations.last().map(|last| last.result.clone()).unwrap_or_default(),
        conversation: Some(memory.conversation_id.clone()),
        causes: memory
            .invocations
            .iter()
            .map(|invocation| invocation.event.clone())
            .take(limits::LIST_MAX_ITEMS)
            .collect(),
        ..EpisodeDraft::default()
    }
}
