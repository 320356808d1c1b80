//! Recall: from a question to hits, through one reader's eyes.

mod sources;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use idetic_core::project::{ProjectScope, project_of};
use idetic_core::views::TIMELINE;
use idetic_core::{Event, Time, limits};
use idetic_model::Embedder;
use idetic_search::filter::Condition;
use idetic_search::{Filters, Lanes, Mode, Query, Weights, is_upkeep, rank, vector_query_text};
use idetic_store::{Filter, Select};
use serde::Deserialize;

use crate::as_of::AsOf;
use crate::notes::recalled::Weighed;
use crate::space::embedding::{EmbedBudget, Which};
use crate::space::index::{LongTerm, VectorIndex};
use crate::viewpoint::Viewpoint;
use crate::{Error, Kind, RecallHit, Recalled, Result};

/// Hits when nothing is said.
pub(crate) const DEFAULT_HITS: usize = 10;
/// How many times as many are looked at where some may be another project's, or repeat others.
const SPARE: usize = 3;
/// Most hits of one question.
pub(crate) const HITS_MAX: usize = 1000;

/// One question.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// What it is called among others.
    #[serde(default)]
    pub qid: Option<serde_json::Value>,
    /// The question.
    pub query: String,
    /// How many hits.
    #[serde(default, alias = "limit")]
    pub k: Option<usize>,
    /// What it may see.
    #[serde(default)]
    pub as_of: Option<AsOf>,
    /// When it is asked; without it, when the last event it may see happened.
    #[serde(default)]
    pub at: Option<String>,
    /// What "last week" counts from where `at` is not said: one moment for several spaces, and no other matter than that.
    #[serde(skip)]
    pub last: Option<Time>,
    /// The question as a vector of the configured model, by whoever has it already.
    #[serde(skip)]
    pub vector: Option<Vec<f32>>,
    /// The line it stands in, where many are asked.
    #[serde(skip)]
    pub line: Option<u64>,
}

impl Question {
    /// Refuses a question that asks nothing, or more than can be asked.
    pub fn check(&self) -> Result<()> {
        check_length(&self.query)?;
        match self.query.trim() {
            "" if self.vector.is_none() => Err(Error::invalid("the question is empty").hint("ask something")),
            _ => Ok(()),
        }
    }
}

/// Refuses words to look for that nobody could mean: looking costs time and memory by their number.
pub(crate) fn check_length(query: &str) -> Result<()> {
    let most = limits::QUERY_MAX_BYTES;
    if query.len() <= most {
        return Ok(());
    }
    Err(Error::invalid(format!("the question has {} bytes, more than {most}", query.len()))
        .hint("ask something shorter"))
}

/// How questions are answered.
#[derive(Debug, Clone, Default)]
pub struct RecallOptions {
    /// What to go by.
    pub mode: Mode,
    /// Hits of a question that does not say how many.
    pub k: Option<usize>,
    /// What may be returned.
    pub filters: Filters,
    /// What must hold of it, where that is more than the above.
    pub filter: Option<Arc<Condition>>,
    /// Whether each hit says what its score is made of.
    pub explain: bool,
    /// What each part of the ranking counts.
    pub weights: Weights,
    /// The lowest score that counts.
    pub min_score: Option<f64>,
    /// Whether nothing is said of documents that wait for their vectors: those that matter have them.
    pub waits_told: bool,
    /// Which projects come first, or alone.
    pub projects: ProjectScope,
    /// Whether hits stay as they are ranked: what is deprecated or superseded is not put last.
    pub as_ranked: bool,
}

/// Puts what is of another project last, or leaves it out. What is of none counts as one's own.
fn arrange(projects: &ProjectScope, hits: &mut Vec<RecallHit>) {
    if projects.is_empty() {
        return;
    }
    let is_own =
        |hit: &RecallHit| project_of(hit.source.as_deref(), &hit.origin).is_none_or(|own| projects.is_own(own));
    if projects.only {
        hits.retain(is_own);
    }
    hits.sort_by_key(|hit| !is_own(hit));
}

/// What turns texts into vectors: the model that is wanted, and one that can stand in until that has caught up.
#[derive(Clone, Default)]
pub struct Models {
    /// The configured one.
    pub wanted: Option<Arc<dyn Embedder>>,
    /// The built-in one, where another is configured.
    pub built_in: Option<Arc<dyn Embedder>>,
    /// Whether the wanted one answers at once and costs nothing, so that readers may use it by the way.
    pub local: bool,
    /// Whether a thread in the background embeds what waits, so that readers need not.
    pub in_background: bool,
}

impl Viewpoint {
    /// Computes the vectors of everything this reader sees that has none yet; says how many.
    pub fn embed_all(&self, models: &Models) -> Result<u64> {
        let Some(model) = &models.wanted else { return Ok(0) };
        let lanes = self.own_lanes();
        let done =
            self.space().embed(model, lanes.as_deref(), Which::Pending, EmbedBudget::UNLIMITED, &mut |_, _| {})?;
        Ok(done.embedded)
    }

    /// Answers questions one after the other. `next` gives the next question, `answer` takes each answer, or what is wrong
    /// with the question (what is wrong with the memory ends the run), `notice` hears what a person should know.
    pub fn recall(
        &self,
        models: &Models,
        options: &RecallOptions,
        next: &mut dyn FnMut() -> Result<Option<Question>>,
        answer: &mut dyn FnMut(&Question, Result<Recalled>) -> Result<()>,
        notice: &mut dyn FnMut(&str),
    ) -> Result<()> {
        let mut recaller = Recaller::new(self, models, options, notice)?;
        let mut question = next()?;
        while let Some(first) = question.take() {
            let horizon = match recaller.horizon(&first) {
                Err(error) if error.kind == Kind::Invalid => {
                    answer(&first, Err(error))?;
                    question = next()?;
                    continue;
                }
                horizon => horizon?,
            };
            // Questions about the same moment share what is gathered for it.
            question = recaller.gather(horizon, notice, &mut |recaller, lanes, notice| {
                let mut current = first.clone();
                loop {
                    match recaller.answer(lanes, &current, horizon, notice) {
                        Err(error) if error.kind != Kind::Invalid => return Err(error),
                        answered => answer(&current, answered)?,
                    }
                    match next()? {
                        Some(more) if more.as_of == current.as_of => current = more,
                        other => return Ok(other),
                    }
                }
            })?;
        }
        Ok(())
    }

    /// Answers one question.
    pub fn recall_one(
        &self,
        models: &Models,
        options: &RecallOptions,
        question: &Question,
        notice: &mut dyn FnMut(&str),
    ) -> Result<Recalled> {
        let mut recaller = Recaller::new(self, models, options, notice)?;
        let horizon = recaller.horizon(question)?;
        recaller
            .gather(horizon, notice, &mut |recaller, lanes, notice| recaller.answer(lanes, question, horizon, notice))
    }

    /// The model whose vectors answer, with those: the wanted one, unless the built-in one has more.
    fn serving(
        &self,
        models: &Models,
        long_term: &LongTerm,
        lanes: &[String],
    ) -> Result<Option<(Arc<dyn Embedder>, VectorIndex)>> {
        let Some(wanted) = &models.wanted else { return Ok(None) };
        let space = self.space();
        if models.local && !models.in_background {
            space.embed(wanted, Some(lanes), Which::Pending, EmbedBudget::OPPORTUNISTIC, &mut |_, _| {})?;
        }
        let vector_index_of = |model: &Arc<dyn Embedder>| {
            space.vector_index(long_term, lanes, &model.id().to_string(), model.dimensions())
        };
        let vector_index = vector_index_of(wanted)?;
        let complete = vector_index.documents(lanes)? >= long_term.count(lanes, u64::MAX)?;
        if let Some(built_in) = models.built_in.as_ref().filter(|_| !complete) {
            let others = vector_index_of(built_in)?;
            if others.documents(lanes)? > vector_index.documents(lanes)? {
                return Ok(Some((Arc::clone(built_in), others)));
            }
        }
        Ok(Some((Arc::clone(wanted), vector_index)))
    }
}

/// What is shared by the questions of one run.
struct Recaller<'a> {
    asker: &'a Viewpoint,
    /// The same eyes at the moment that is asked about.
    reader: Viewpoint,
    options: &'a RecallOptions,
    model: Option<Arc<dyn Embedder>>,
    long_term: Arc<LongTerm>,
    /// The lanes that are searched.
    names: Vec<String>,
    vector_index: Option<VectorIndex>,
    /// The last event when the run began.
    head: u64,
    /// Whether it was said, or need not be, what waits for its vectors.
    told: bool,
    /// Whether an agent works here: it repeats what it found, and the sources may stand behind that.
    repeats: bool,
    /// The events that the filter lets through, of the moment last asked about.
    only: Option<(u64, Arc<[u64]>)>,
}

/// Work on what was gathered for a moment.
type Work<'w, T> = &'w mut dyn FnMut(&mut Recaller<'_>, &Lanes<'_>, &mut dyn FnMut(&str)) -> Result<T>;

impl<'a> Recaller<'a> {
    fn new(
        reader: &'a Viewpoint,
        models: &Models,
        options: &'a RecallOptions,
        notice: &mut dyn FnMut(&str),
    ) -> Result<Self> {
        let head = reader.horizon(None)?;
        let models = if options.mode == Mode::Lexical { Models::default() } else { models.clone() };
        let long_term = reader.space().long_term(head)?;
        let is_filtered = options.filter.is_some() || options.filters.only.is_some();
        let names = reader.lanes(&long_term, options.filters.kind.as_deref(), is_filtered);
        let repeats = !options.as_ranked && reader.repeats(&long_term);
        // Words find what they find, whatever is the matter with the vectors.
        let (model, vector_index) = match reader.serving(&models, &long_term, &names) {
            Ok(serving) => serving.unzip(),
            Err(error) => {
                notice(&format!("{error}: searched by words only"));
                (None, None)
            }
        };
        // What keeps the memory itself never waits for vectors.
        let told = options.waits_told || options.filters.kind.as_deref().is_some_and(is_upkeep);
        Ok(Self {
            asker: reader,
            reader: reader.clone(),
            options,
            model,
            long_term,
            names,
            vector_index,
            head,
            told,
            repeats,
            only: None,
        })
    }

    /// The last event that a question is about.
    fn horizon(&mut self, question: &Question) -> Result<u64> {
        let (reader, horizon) = self.asker.as_of(question.as_of.as_ref())?;
        self.reader = reader;
        Ok(horizon.min(self.head))
    }

    /// Gathers what can be found as of an event, and works on it.
    fn gather<T>(&mut self, horizon: u64, notice: &mut dyn FnMut(&str), work: Work<'_, T>) -> Result<T> {
        let (changes, gone) = (self.reader.space().changes(horizon)?, self.reader.space().expired(horizon)?);
        let (long_term, vector_index) = (Arc::clone(&self.long_term), self.vector_index.take());
        let lanes = long_term.lanes(&self.names, vector_index.as_ref(), &changes, &gone, horizon)?;
        self.say_what_waits(&lanes, notice);
        let done = work(self, &lanes, notice);
        drop(lanes);
        self.vector_index = vector_index;
        done
    }

    fn say_what_waits(&mut self, lanes: &Lanes<'_>, notice: &mut dyn FnMut(&str)) {
        let waiting = lanes.live_count().saturating_sub(lanes.with_vectors());
        if self.model.is_some() && waiting > 0 && !std::mem::replace(&mut self.told, true) {
            let of = lanes.live_count();
            notice(&format!(
                "{waiting} of {of} documents are found by words only until `idetic dream` has embedded them"
            ));
        }
    }

    fn answer(
        &mut self,
        lanes: &Lanes<'_>,
        question: &Question,
        horizon: u64,
        notice: &mut dyn FnMut(&str),
    ) -> Result<Recalled> {
        question.check()?;
        let now = match (&question.at, question.last) {
            (Some(text), _) => Time::parse(text)?,
            (None, Some(last)) => last,
            (None, None) => self.now(lanes)?,
        };
        let vector = match &question.vector {
            Some(vector) => Some(vector.clone()),
            None => self.query_vector(lanes, &question.query, now, notice),
        };
        let wanted = question.k.or(self.options.k).unwrap_or(DEFAULT_HITS).min(HITS_MAX);
        // Some of what is found may be another project's.
        let is_mixed = self.reader.writer().source.is_some() || !self.options.projects.is_empty();
        let spare = if is_mixed || self.repeats { SPARE } else { 1 };
        let looked_at = wanted.saturating_mul(spare).min(HITS_MAX);
        let query = Query {
            text: &question.query,
            now,
            mode: self.options.mode,
            k: if self.options.as_ranked { looked_at } else { self.reader.space().window(looked_at, horizon)? },
            filters: self.filters(horizon)?,
            weights: self.options.weights.clone(),
        };
        let ranked = rank(lanes, &query, vector.as_deref());
        let mut hits: Vec<Weighed> = if self.options.as_ranked {
            ranked.into_iter().map(Weighed::new).collect()
        } else {
            // What is true is asked of the clock, and not of the last event, which may tell of long ago.
            let at = question.at.is_some().then_some(now);
            let space = self.reader.space();
            let moment = self.reader.moment_asked(at, question.as_of.as_ref(), horizon, space.now())?;
            space.weigh(lanes, ranked, horizon, moment)?
        };
        hits.retain(|hit| self.options.min_score.is_none_or(|least| hit.score() >= least));
        hits.truncate(looked_at);
        let mut hits = self.hits(hits, horizon)?;
        hits.retain(|hit| self.reader.writer().is_visible_in_project(hit.source.as_deref(), hit.trust, &hit.origin));
        if self.repeats {
            hits = sources::first(&self.reader, &question.query, hits, wanted, horizon)?;
        }
        arrange(&self.options.projects, &mut hits);
        hits.truncate(wanted);
        Ok(Recalled { qid: question.qid.clone(), hits })
    }

    /// What may be returned as of an event.
    fn filters(&mut self, horizon: u64) -> Result<Filters> {
        let mut filters = self.options.filters.clone();
        if let Some(condition) = &self.options.filter {
            if self.only.as_ref().is_none_or(|(at, _)| *at != horizon) {
                let select = Select::from(&TIMELINE, horizon).filter(Filter::Matches("born", Arc::clone(condition)));
                self.only = Some((horizon, self.reader.seqs(&select)?.into()));
            }
            filters.only = self.only.as_ref().map(|(_, only)| Arc::clone(only));
        }
        Ok(filters)
    }

    /// When a question is asked that does not say when: as the last document happened, but not after that was recorded. A
    /// document dated in the future would make all others old.
    fn now(&self, lanes: &Lanes<'_>) -> Result<Time> {
        match lanes.last() {
            Some((seq, time)) => Ok(time.min(self.reader.space().event(seq)?.header.recorded_at)),
            None => Ok(Time(0)),
        }
    }

    /// The question as a vector; a model that cannot be had leaves the words.
    fn query_vector(
        &mut self,
        lanes: &Lanes<'_>,
        question: &str,
        now: Time,
        notice: &mut dyn FnMut(&str),
    ) -> Option<Vec<f32>> {
        let model = self.model.as_ref()?;
        if lanes.with_vectors() == 0 {
            return None;
        }
        match model.embed_query(&vector_query_text(lanes, question, now, &self.options.weights)) {
            Ok(vector) => Some(vector),
            Err(error) => {
                notice(&format!("{error}: searched by words only"));
                self.model = None;
                None
            }
        }
    }

    fn hits(&self, hits: Vec<Weighed>, horizon: u64) -> Result<Vec<RecallHit>> {
        let seqs: Vec<u64> = hits.iter().map(|weighed| weighed.hit.seq).collect();
        let mut events: HashMap<u64, Event> =
            self.reader.space().events_by_seq(&seqs)?.into_iter().map(|event| (event.seq(), event)).collect();
        let places = self.reader.places(&seqs, self.long_term.covers)?;
        let mut found = Vec::with_capacity(hits.len());
        for (weighed, place) in hits.into_iter().zip(places) {
            let (score, hit) = (weighed.score(), &weighed.hit);
            let Some(event) = events.remove(&hit.seq) else { continue };
            let (ts, text) = (event.ts(), event.whole_text());
            let (trust, origin) = (event.trust().word(), event.origin().to_owned());
            let fields = event.fields.unwrap_or_default();
            let causes = self.reader.visible_ids(fields.causes, horizon)?;
            found.push(RecallHit {
                place,
                seq: hit.seq,
                causes: [event.header.id.clone()].into_iter().chain(causes).collect(),
                id: event.header.id,
                space: None,
                score,
                text,
                ts,
                kind: event.header.kind,
                author: fields.author,
                trust,
                origin,
                source: fields.source,
                conversation_id: fields.conversation_id,
                of_loop: fields.loop_id.map(|id| (fields.agent_id.clone().unwrap_or_default(), id)),
                metadata: fields.metadata,
                parts: self.options.explain.then(|| self.parts(&weighed)),
                standing: (hit.parts.lexical, hit.parts.cosine),
                note: weighed.note,
            });
        }
        Ok(found)
    }

    /// What each part adds to the score of a hit.
    fn parts(&self, weighed: &Weighed) -> BTreeMap<&'static str, f64> {
        let mut parts = BTreeMap::from(weighed.hit.parts.contributions(&self.options.weights));
        if weighed.note.is_some() {
            parts.insert("links", weighed.links);
        }
        parts
    }
}
