//! Episodes of a space: what was attempted and how it ended, found by the likeness of the goal.

pub mod reply;

use idetic_core::views::{EPISODE_DELETED, EPISODE_STORED, EPISODE_TOLD, EPISODES, TIMELINE, Value as Cell};
use idetic_core::words::Trust;
use idetic_core::{Event, Record, Time};
use idetic_search::{Filters, Weights};
use idetic_store::{Filter, Select};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::as_of::AsOf;
use crate::recall::{HITS_MAX, Models, Question, RecallOptions};
use crate::viewpoint::Viewpoint;
use crate::{Episode, EpisodeStored, Error, RecallHit, Result};

/// Episodes when nothing is said.
pub const DEFAULT_EPISODES: usize = 3;
/// Most episodes of one question.
pub const EPISODES_MAX: usize = 100;
/// Most steps of one episode, and the longest text of one part.
const STEPS_MAX: usize = 100;
const PART_MAX_BYTES: usize = 8192;
/// What having worked adds to how alike an episode is, of the likeness of the best; what having failed takes away.
const SUCCESS_BONUS: f64 = 0.10;
const FAILURE_COST: f64 = 0.05;
/// What being recent adds, and the age at which it has halved, in microseconds (30 days).
const RECENCY_BONUS: f64 = 0.05;
const RECENCY_HALF_LIFE: f64 = 30.0 * 86_400e6;
/// What the words of a goal count beside its meaning: an eighth of what they count elsewhere. The same task in other words
/// shares its meaning, and another task of the same project its words.
const WORDS_WEIGHT: f64 = 1.0;

/// An episode that is to be stored.
#[derive(Debug, Clone, Default)]
pub struct EpisodeDraft {
    /// What was attempted.
    pub goal: String,
    /// What was done, in order.
    pub steps: Vec<String>,
    /// How it ended.
    pub outcome: String,
    /// What is to be learned from it.
    pub lessons: String,
    /// Whether it worked, where that is known.
    pub success: Option<bool>,
    /// The conversation and the loop it happened in.
    pub conversation: Option<String>,
    /// The loop.
    pub loop_id: Option<String>,
    /// When it happened, if not now.
    pub ts: Option<Time>,
    /// When it is forgotten by itself.
    pub expires: Option<Time>,
    /// Who tells it.
    pub author: Option<String>,
    /// The project or component it is about.
    pub source: Option<String>,
    /// Labels.
    pub tags: Vec<String>,
    /// The events it was derived from.
    pub causes: Vec<String>,
    /// Whether a person at the keyboard tells it.
    pub is_persons: bool,
    /// Anything else that is to be kept beside it.
    pub given: Option<Map<String, Value>>,
}

impl EpisodeDraft {
    fn check(&self) -> Result<()> {
        if self.goal.trim().is_empty() {
            return Err(Error::invalid("the episode has no goal").hint("say in one line what was attempted"));
        }
        if self.steps.len() > STEPS_MAX {
            return Err(Error::invalid(format!("the episode has {} steps", self.steps.len()))
                .hint(format!("at most {STEPS_MAX}: the key actions")));
        }
        let parts = [("goal", &self.goal), ("outcome", &self.outcome), ("lessons", &self.lessons)];
        for (name, part) in parts.into_iter().chain(self.steps.iter().map(|step| ("step", step))) {
            if part.len() > PART_MAX_BYTES {
                return Err(Error::invalid(format!("{name} is {} bytes long", part.len()))
                    .hint(format!("at most {PART_MAX_BYTES} bytes: summarize it")));
            }
        }
        Ok(())
    }

    /// The record that carries it, for whoever appends many at once.
    pub fn to_record(&self) -> Result<Record> {
        self.check()?;
        self.record(None)
    }

    /// The event that carries it. Its text is the goal alone, because it is found by that; whatever else it says stands in
    /// the metadata.
    fn record(&self, id: Option<&str>) -> Result<Record> {
        let mut about = json!({
            "goal": self.goal, "steps": self.steps, "outcome": self.outcome, "lessons": self.lessons,
        });
        if let Some(given) = self.given.clone().filter(|given| !given.is_empty()) {
            about["given"] = given.into();
        }
        let mut body = self.around(EPISODE_STORED, &self.causes);
        body.insert("summary".to_owned(), self.goal.clone().into());
        body.insert("metadata".to_owned(), about);
        body.extend(id.map(|id| ("id".to_owned(), id.into())));
        let status = self.success.map(|worked| if worked { "success" } else { "failure" });
        body.extend(status.map(|status| ("status".to_owned(), status.into())));
        Ok(Record::parse(Value::Object(body).to_string().as_bytes())?)
    }

    /// The event that tells the steps, the outcome and the lessons, so that they are recalled like anything else.
    fn told(&self, id: &str) -> Result<Option<Record>> {
        let mut lines: Vec<String> = self.steps.iter().map(|step| format!("- {step}")).collect();
        for (name, part) in [("Outcome", &self.outcome), ("Lessons", &self.lessons)] {
            if !part.trim().is_empty() {
                lines.push(format!("{name}: {part}"));
            }
        }
        if lines.is_empty() {
            return Ok(None);
        }
        let mut body = self.around(EPISODE_TOLD, &[id.to_owned()]);
        body.insert("content".to_owned(), format!("{}\n{}", self.goal, lines.join("\n")).into());
        body.insert("metadata".to_owned(), json!({"episode": id}));
        Ok(Some(Record::parse(Value::Object(body).to_string().as_bytes())?))
    }

    /// What both events say of where and when it happened.
    fn around(&self, kind: &str, causes: &[String]) -> Map<String, Value> {
        let mut body = Map::new();
        let texts = [
            ("kind", Some(kind.to_owned())),
            ("conversation_id", self.conversation.clone()),
            ("loop_id", self.loop_id.clone()),
            ("ts", self.ts.map(|time| time.to_string())),
            ("expires_at", self.expires.map(|time| time.to_string())),
            ("author", self.author.clone()),
            ("source", self.source.clone()),
            // What is derived is trusted as its causes are.
            ("trust", (self.is_persons && self.causes.is_empty()).then(|| Trust::User.word().to_owned())),
        ];
        body.extend(texts.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?.into()))));
        for (key, list) in [("tags", &self.tags[..]), ("causes", causes)] {
            if !list.is_empty() {
                body.insert(key.to_owned(), list.to_vec().into());
            }
        }
        body
    }
}

/// What is asked of episodes.
#[derive(Debug, Clone, Default)]
pub struct EpisodeQuery {
    /// The goal in question, and how things stand.
    pub query: String,
    /// The same as a vector of the configured model.
    pub vector: Option<Vec<f32>>,
    /// How many.
    pub top_k: Option<usize>,
    /// As the memory stood then.
    pub as_of: Option<AsOf>,
    /// Whether only what is near enough to the question counts.
    pub only_good: bool,
}

/// What the metadata of an episode's event says.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Said {
    goal: String,
    steps: Vec<String>,
    outcome: String,
    lessons: String,
    given: Option<Box<RawValue>>,
}

impl Viewpoint {
    /// Stores an episode.
    pub fn store_episode(&self, draft: &EpisodeDraft) -> Result<EpisodeStored> {
        self.store_episode_of(draft, "", "")
    }

    /// The same in the memory of an agent, for an owner who speaks for it.
    pub(crate) fn store_episode_of(&self, draft: &EpisodeDraft, agent: &str, persona: &str) -> Result<EpisodeStored> {
        draft.check()?;
        let id = self.space().new_event_id();
        let records = [Some(draft.record(Some(&id))?), draft.told(&id)?].into_iter().flatten();
        let records = records.map(|record| self.for_lane(record, agent, persona)).collect::<Result<_>>()?;
        let ack = self.append(records, None)?.into_iter().next();
        let (place, id) = ack.ok_or_else(|| Error::unavailable("nothing was appended"))?;
        Ok(EpisodeStored { episode_id: id, done: "stored", place, error: () })
    }

    /// Takes an episode away.
    pub fn delete_episode(&self, id: &str, reason: Option<&str>) -> Result<EpisodeStored> {
        let horizon = self.horizon(None)?;
        let row = self.living_episode(id, horizon)?;
        let of = self.get(&row.id, horizon)?.fields.unwrap_or_default();
        let persona = of.persona.map_or("", |persona| persona.word());
        self.check_own("the episode", of.agent_id.as_deref().unwrap_or_default(), persona)?;
        let mut about = json!({"episode": row.id, "supersedes": self.episode_events(&row.id, horizon)?});
        if let Some(reason) = reason {
            about["reason"] = reason.into();
        }
        let body = json!({"kind": EPISODE_DELETED, "metadata": about});
        let record = Record::parse(body.to_string().as_bytes())?;
        let record = self.for_lane(record, of.agent_id.as_deref().unwrap_or_default(), persona)?;
        let ack = self.append(vec![record], None)?.into_iter().next();
        let (place, _) = ack.ok_or_else(|| Error::unavailable("nothing was appended"))?;
        Ok(EpisodeStored { episode_id: row.id, done: "deleted", place, error: () })
    }

    /// The events that an episode consists of.
    fn episode_events(&self, id: &str, horizon: u64) -> Result<Vec<String>> {
        let told = Select::from(&TIMELINE, horizon).filter(Filter::Is("kind", EPISODE_TOLD.into()));
        // What is told stands right behind the episode.
        let seq = self.get(id, horizon)?.seq();
        let next = told.filter(Filter::BornAfter(seq)).filter(Filter::BornBefore(seq + 2));
        let events = self.space().events(&self.seqs(&next)?)?.into_iter();
        let of =
            |event: &Event| event.fields.as_ref().is_some_and(|fields| fields.causes.iter().any(|cause| cause == id));
        Ok([id.to_owned()].into_iter().chain(events.filter(of).map(|event| event.header.id)).collect())
    }

    /// One episode that is there.
    pub fn living_episode(&self, id: &str, horizon: u64) -> Result<Episode> {
        let shown = idetic_core::invalid::excerpt(id);
        let rows = self.episode_rows(Select::from(&EPISODES, horizon).filter(Filter::Is("episode", id.into())))?;
        match rows.first() {
            Some(row) if row.deleted => Err(Error::not_found(format!("episode '{shown}' was deleted"))),
            Some(row) => self.shown_episode(row, horizon),
            None => {
                Err(Error::not_found(format!("there is no episode '{shown}'")).hint("`idetic episode list` lists them"))
            }
        }
    }

    /// The episodes that are there, the latest first.
    pub fn list_episodes(&self, horizon: u64, most: usize) -> Result<Vec<Episode>> {
        let select = Select::from(&EPISODES, horizon).filter(Filter::Is("deleted", 0_i64.into()));
        let mut rows = self.episode_rows(Select { newest_first: true, ..select })?;
        rows.truncate(most);
        rows.iter().map(|row| self.shown_episode(row, horizon)).collect()
    }

    pub(crate) fn episode_rows(&self, select: Select) -> Result<Vec<EpisodeRow>> {
        let rows = self.space().select(&select)?;
        Ok(rows.iter().filter_map(|row| EpisodeRow::of(self, &row.values)).collect())
    }

    /// The episodes most like a goal, of those that are alike the successful and recent ones first.
    pub fn retrieve_episodes(
        &self,
        models: &Models,
        asked: &EpisodeQuery,
        now: Time,
        notice: &mut dyn FnMut(&str),
    ) -> Result<Vec<Episode>> {
        let wanted = asked.top_k.unwrap_or(DEFAULT_EPISODES);
        if !(1..=EPISODES_MAX).contains(&wanted) {
            return Err(Error::invalid(format!("top_k {wanted} is out of range")).hint(format!("1 to {EPISODES_MAX}")));
        }
        let (reader, horizon) = self.as_of(asked.as_of.as_ref())?;
        let now = self.moment_asked(None, asked.as_of.as_ref(), horizon, now)?;
        let filters = Filters { kind: Some(EPISODE_STORED.to_owned()), ..Filters::default() };
        let k = Some((wanted * 3 + 10).min(HITS_MAX));
        let mode = if asked.query.trim().is_empty() { idetic_search::Mode::Vector } else { Default::default() };
        let weights = Weights { words: WORDS_WEIGHT, recency: 0.0, ..Weights::default() };
        let options =
            RecallOptions { filters, k, mode, weights, waits_told: true, as_ranked: true, ..RecallOptions::default() };
        let question = Question {
            query: asked.query.clone(),
            as_of: asked.as_of.clone(),
            at: Some(now.to_string()),
            vector: asked.vector.clone(),
            ..Question::default()
        };
        let hits = self.recall_one(models, &options, &question, notice)?.hits;
        let best = hits.iter().map(|hit| hit.score).fold(f64::MIN_POSITIVE, f64::max);
        let mut found: Vec<(f64, EpisodeRow)> = Vec::new();
        let good = |hit: &RecallHit| !asked.only_good || crate::context::is_good(hit.standing.0, hit.standing.1);
        for hit in hits.into_iter().filter(good) {
            let named = Select::from(&EPISODES, horizon).filter(Filter::Is("episode", hit.id.as_str().into()));
            let row = reader.episode_rows(named)?.into_iter().find(|row| !row.deleted);
            found.extend(row.map(|row| (hit.score / best + row.standing(now), row)));
        }
        found.sort_by(|one, other| other.0.total_cmp(&one.0));
        found.truncate(wanted);
        let shown = found.into_iter().map(|(score, row)| {
            Ok(Episode { score: Some((score * 1000.0).round() / 1000.0), ..reader.shown_episode(&row, horizon)? })
        });
        shown.collect()
    }

    fn shown_episode(&self, row: &EpisodeRow, horizon: u64) -> Result<Episode> {
        let event = self.get(&row.episode, horizon)?;
        let metadata = |event: &Event| {
            let metadata = event.fields.as_ref()?.metadata.as_ref()?;
            serde_json::from_str::<Said>(metadata.get()).ok()
        };
        let said = metadata(&event).unwrap_or_default();
        let fields = event.fields.clone().unwrap_or_default();
        let mut causes = vec![event.header.id.clone()];
        causes.extend(self.visible_ids(fields.causes, horizon)?);
        Ok(Episode {
            id: event.header.id.clone(),
            goal: if said.goal.is_empty() { fields.summary.unwrap_or_default() } else { said.goal },
            steps: said.steps,
            outcome: said.outcome,
            lessons: said.lessons,
            success: row.success,
            timestamp: event.ts(),
            conversation_id: fields.conversation_id,
            embedding: None,
            metadata: said.given,
            expires: self.space().expiry_of(event.seq(), horizon)?,
            causes,
            score: None,
        })
    }
}

/// An episode's row.
#[derive(Debug, Clone)]
pub(crate) struct EpisodeRow {
    pub episode: String,
    pub success: Option<bool>,
    pub ts: i64,
    pub deleted: bool,
}

impl EpisodeRow {
    fn of(viewpoint: &Viewpoint, values: &[Cell]) -> Option<Self> {
        let text = |at: usize| values[at].text().unwrap_or_default();
        let number = |at: usize| match values[at] {
            Cell::Int(number) => Some(number),
            _ => None,
        };
        viewpoint.sees_row(text(0), text(1)).then(|| Self {
            episode: text(2).to_owned(),
            success: number(5).map(|worked| worked == 1),
            ts: number(6).unwrap_or(0),
            deleted: number(10) == Some(1),
        })
    }

    /// What its outcome and its age add to how alike it is.
    pub fn standing(&self, now: Time) -> f64 {
        let worked = match self.success {
            Some(true) => SUCCESS_BONUS,
            Some(false) => -FAILURE_COST,
            None => 0.0,
        };
        let age = now.0.saturating_sub(self.ts).max(0) as f64;
        worked + RECENCY_BONUS * (-age / RECENCY_HALF_LIFE).exp2()
    }
}
