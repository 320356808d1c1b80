//! Facts taken from what people said, by rules: few, plainly stated, each quoting the words it comes from.
//!
//! What was put before an agent from its memory is never taken for new evidence, and nothing is taken from what is secret or
//! marked private. Taking from the same words again changes nothing.

pub(crate) mod consolidate;
pub(crate) mod recalled;
pub mod reply;

use std::borrow::Cow;
use std::collections::HashSet;

use idetic_core::views::{CONVERSATION_INVOCATION, FACT_SOURCES, FACTS, FactRow, TIMELINE};
use idetic_core::words::Trust;
use idetic_core::{Event, Time, event};
use idetic_extract::sameness::gist;
use idetic_extract::{Before, Statement, statements, statements_after};
use idetic_store::{Filter, LockFile, Select};
use serde::Deserialize;

use crate::Viewpoint;
use crate::facts::FactDraft;
use crate::scope::lane_of;
use crate::{Error, Extracted, Result};

/// What the rules are called where a fact says which extraction found it.
pub const RULES: &str = "rules";
/// The kind of what people say.
const SAID: &str = "user_input";
/// Most events whose words are looked at in one run.
const EVENTS_MAX: usize = 100_000;
/// Whoever takes facts holds this file.
const LOCK: &str = "extract.lock";
/// Events read at a time.
const PAGE_EVENTS: usize = 500;
/// A longer text is not an answer or a correction of a few words.
const ANSWER_MAX_BYTES: usize = 200;
/// Events of the conversation before a text among which the question and the person's last words are looked for.
const BEFORE_EVENTS: usize = 8;

/// Which words are looked at.
#[derive(Debug, Clone, Default)]
pub struct ExtractionFilter {
    /// Only those of this conversation.
    pub conversation: Option<String>,
    /// Only those of this loop.
    pub loop_id: Option<String>,
}

impl Viewpoint {
    /// Takes facts from what was said, or tells what would be taken.
    pub fn extract_by_rules(&self, words: &ExtractionFilter, dry_run: bool) -> Result<Vec<Extracted>> {
        let lock = self.taking(dry_run);
        let horizon = self.horizon(None)?;
        let mut found = Vec::new();
        let seqs = self.said(words, horizon)?;
        for page in seqs.chunks(PAGE_EVENTS) {
            for event in self.space().events(page)? {
                let statements = self.statements_in(&event, horizon)?;
                // Two at once would each count the same words as a source. Held for one event at a time: others take, too.
                let _alone = lock.as_ref().filter(|_| !statements.is_empty()).map(LockFile::hold).transpose()?;
                for statement in statements {
                    let taken = found.len();
                    found.extend(self.take(&event, statement, dry_run).map_err(|error| match taken {
                        0 => error,
                        1 => Error { message: format!("{} (one fact was taken before that)", error.message), ..error },
                        _ => Error {
                            message: format!("{} ({taken} facts were taken before that)", error.message),
                            ..error
                        },
                    })?);
                }
            }
        }
        Ok(found)
    }

    /// The lock of whoever takes facts from words; looking needs none.
    fn taking(&self, dry_run: bool) -> Option<LockFile> {
        LockFile::open(&self.space().folder().join(LOCK)).ok().filter(|_| !dry_run)
    }

    /// What is plainly stated, whether or not it is known already.
    pub fn statements_by_rules(&self, words: &ExtractionFilter) -> Result<Vec<Extracted>> {
        let (mut found, horizon) = (Vec::new(), self.horizon(None)?);
        for page in self.said(words, horizon)?.chunks(PAGE_EVENTS) {
            for event in self.space().events(page)? {
                let text = words_of(&event);
                let statements = self.statements_in(&event, horizon)?.into_iter();
                let told = statements.filter(|s| !s.is_over()).map(|statement| Extracted {
                    quote: text.get(statement.span.clone()).unwrap_or_default().to_owned(),
                    content: statement.text,
                    subject: statement.subject,
                    attribute: statement.attribute,
                    value: statement.value,
                    event: event.header.id.clone(),
                    extraction: RULES.to_owned(),
                    ends: false,
                    fact_id: None,
                    done: None,
                });
                found.extend(told);
            }
        }
        Ok(found)
    }

    /// The facts that were taken from the words of some events.
    pub fn facts_from(&self, events: &HashSet<String>) -> Result<Vec<Extracted>> {
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct Said {
            quote: String,
            extraction: String,
        }
        let horizon = self.horizon(None)?;
        let mut found = Vec::new();
        for row in self.facts(Select::from(&FACTS, horizon).filter(Filter::Is("deleted", 0_i64.into())))? {
            for event in self.fact_events(&row.fact, horizon)? {
                let fields = event.fields.unwrap_or_default();
                let Some(source) = fields.causes.iter().find(|cause| events.contains(*cause)) else { continue };
                let metadata = fields.metadata.as_ref().map_or("{}", |metadata| metadata.get());
                let said: Said = serde_json::from_str(metadata).unwrap_or_default();
                found.push(Extracted {
                    content: fields.content.unwrap_or_default(),
                    subject: row.subject.clone(),
                    attribute: row.attribute.clone(),
                    value: row.value.clone(),
                    quote: said.quote,
                    event: source.clone(),
                    extraction: said.extraction,
                    ends: false,
                    fact_id: Some(row.fact.clone()),
                    done: None,
                });
            }
        }
        Ok(found)
    }

    /// The events with what people said.
    fn said(&self, words: &ExtractionFilter, horizon: u64) -> Result<Vec<u64>> {
        let mut seqs = Vec::new();
        for kind in [SAID, CONVERSATION_INVOCATION] {
            let mut select = Select::from(&TIMELINE, horizon).filter(Filter::Is("kind", kind.into()));
            if let Some(conversation) = &words.conversation {
                select = select.filter(Filter::Is("conversation", conversation.as_str().into()));
            }
            if let Some(id) = &words.loop_id {
                select = select.filter(Filter::Is("loop", id.as_str().into()));
            }
            seqs.extend(self.seqs(&Select { limit: Some(EVENTS_MAX), ..select })?);
        }
        // A later statement takes the place of an earlier one: they are read as they were said.
        seqs.sort_unstable();
        Ok(seqs)
    }

    /// What a person plainly states in an event: a short text may answer what was asked just before, or correct what the person
    /// said last. Nothing where it is private.
    fn statements_in(&self, said: &Event, horizon: u64) -> Result<Vec<Statement>> {
        let Some(fields) = said.fields.as_ref().filter(|fields| !event::is_private(&fields.tags)) else {
            return Ok(Vec::new());
        };
        let words = words_of(said);
        let short = fields.conversation_id.as_ref().filter(|_| words.len() <= ANSWER_MAX_BYTES);
        let Some(conversation) = short else { return Ok(statements(&words, fields.author.as_deref())) };
        let earlier = Select::from(&TIMELINE, horizon).filter(Filter::Is("conversation", conversation.as_str().into()));
        let earlier = earlier.filter(Filter::BornBefore(said.seq()));
        let mut before =
            self.events(&self.seqs(&Select { newest_first: true, limit: Some(BEFORE_EVENTS), ..earlier })?)?;
        // What a tool or a page says asks nobody anything.
        before.retain(|event| {
            event.trust() <= Trust::Agent
                && event.fields.as_ref().is_some_and(|fields| !event::is_private(&fields.tags))
        });
        before.sort_unstable_by_key(|event| std::cmp::Reverse(event.seq()));
        let content = |event: &Event| event.fields.as_ref().and_then(|fields| fields.content.clone());
        let is_own = |event: &&Event| {
            event.header.kind == SAID && event.fields.as_ref().is_some_and(|other| other.author == fields.author)
        };
        let asked = before.first().filter(|event| !is_own(event)).and_then(content);
        let own = before.iter().find(is_own).and_then(content);
        let before = Before { asked: asked.as_deref(), said: own.as_deref() };
        Ok(statements_after(&words, fields.author.as_deref(), before))
    }

    /// Stores what a statement says, unless it was only recalled, or is known from these very words.
    fn take(&self, event: &Event, statement: Statement, dry_run: bool) -> Result<Vec<Extracted>> {
        let words = words_of(event);
        let quote = words.get(statement.span.clone()).unwrap_or_default().to_owned();
        let part = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        let mut fact = SourcedFact {
            text: statement.text.clone(),
            subject: part(&statement.subject),
            attribute: part(&statement.attribute),
            // Where only the sentence is known, it is the fact.
            value: part(&statement.value).filter(|_| !statement.attribute.is_empty()),
            quote,
            extraction: RULES.to_owned(),
            answer: None,
        };
        let mut told = Vec::new();
        if statement.negated {
            told.extend(self.end_stated(event, &fact, dry_run)?);
            // What is not so is worth knowing, too; what is over is known by what ended.
            if statement.is_over() {
                return Ok(told);
            }
            fact.attribute = Some(format!("not_{}", statement.attribute));
        }
        let many = statement.negated || !statement.single;
        told.extend(self.store_unless_recalled(event, fact, Some(many), dry_run)?);
        Ok(told)
    }

    /// Ends the fact that words say is no longer true.
    fn end_stated(&self, event: &Event, fact: &SourcedFact, dry_run: bool) -> Result<Option<Extracted>> {
        if self.was_recalled(event, &[&fact.quote, &fact.text])? {
            return Ok(None);
        }
        let ended = self.same_value(event, fact)?;
        let Some(row) = ended.filter(|row| row.valid_from < event.ts().0 && row.valid_until.is_none()) else {
            return Ok(None);
        };
        let mut told = Extracted { ends: true, fact_id: Some(row.fact.clone()), ..fact.told(event) };
        if !dry_run {
            told.done = Some(self.end_fact(&row.fact, Some(event.ts()), std::slice::from_ref(&event.header.id))?.done);
        }
        Ok(Some(told))
    }

    /// Stores a fact that quotes the words of an event, unless it was only recalled, or is known from these very words.
    /// With `dry_run` nothing is stored: what would be is told.
    pub fn store_sourced(&self, event: &Event, fact: SourcedFact, dry_run: bool) -> Result<Option<Extracted>> {
        let lock = self.taking(dry_run);
        let _alone = lock.as_ref().map(LockFile::hold).transpose()?;
        self.store_unless_recalled(event, fact, None, dry_run)
    }

    fn store_unless_recalled(
        &self,
        event: &Event,
        fact: SourcedFact,
        many: Option<bool>,
        dry_run: bool,
    ) -> Result<Option<Extracted>> {
        let Some(fields) = event.fields.as_ref().filter(|fields| !event::is_private(&fields.tags)) else {
            return Ok(None);
        };
        if self.was_recalled(event, &[&fact.quote, &fact.text])? || self.is_taken(event, &fact)? {
            return Ok(None);
        }
        let mut told = fact.told(event);
        if dry_run {
            return Ok(Some(told));
        }
        let draft = FactDraft {
            text: fact.text,
            subject: fact.subject,
            attribute: fact.attribute,
            value: fact.value,
            many,
            ts: Some(event.ts()),
            conversation: fields.conversation_id.clone(),
            loop_id: fields.loop_id.clone(),
            author: fields.author.clone(),
            source: fields.source.clone(),
            // Words that a person plainly said are trusted as that person is; what a model makes of them is not.
            trust: fact.answer.is_none().then(|| event.trust().word().to_owned()),
            causes: [event.header.id.clone()].into_iter().chain(fact.answer).collect(),
            quote: Some(fact.quote),
            extraction: Some(fact.extraction),
            ..FactDraft::default()
        };
        // What was said in an agent's memory stays in it, whoever takes it.
        let (agent, persona) = lane_of(fields);
        let stored = self.store_fact_of(draft, agent, persona)?;
        told.fact_id = Some(stored.fact_id);
        told.done = Some(stored.done);
        Ok(Some(told))
    }

    /// Whether these words were taken before, whatever became of the fact since.
    fn is_taken(&self, event: &Event, fact: &SourcedFact) -> Result<bool> {
        let horizon = self.horizon(None)?;
        let cited = Select::from(&FACT_SOURCES, horizon).filter(Filter::Is("cause", event.header.id.as_str().into()));
        let taken = self.space().events(&self.space().seqs(&cited)?)?;
        let own = gist(&fact.text).key();
        Ok(taken.iter().filter(|taken| self.sees_event(taken)).any(|taken| {
            let said = taken.fields.as_ref().and_then(|fields| fields.content.as_deref()).unwrap_or_default();
            let about = About::of(taken);
            // The same words may state several things: a wife's name, and where she lives.
            about.quote == fact.quote && about.is_of(fact) || gist(said).key() == own
        }))
    }

    /// The latest fact with the same subject, attribute and value, in the memory in which it was said.
    fn same_value(&self, said: &Event, fact: &SourcedFact) -> Result<Option<FactRow>> {
        let (Some(subject), Some(attribute), Some(value)) = (&fact.subject, &fact.attribute, &fact.value) else {
            return Ok(None);
        };
        let (about, attribute) = (idetic_extract::normal_subject(subject), idetic_extract::normal_attribute(attribute));
        let named = Filter::Is("about", about.as_str().into());
        let mut rows = self.facts(Select::from(&FACTS, self.horizon(None)?).filter(named))?;
        rows.retain(|row| {
            !row.deleted
                && said.fields.as_ref().is_some_and(|fields| lane_of(fields) == (&*row.agent, &*row.persona))
                && row.attribute == attribute
                && row.value.to_lowercase() == value.to_lowercase()
        });
        Ok(rows.pop())
    }

    /// The events of a loop, in order.
    pub fn events_of_loop(&self, loop_id: &str) -> Result<Vec<Event>> {
        self.events_where(Filter::Is("loop", loop_id.into()))
    }

    /// The events of a conversation, in order.
    pub fn events_of_conversation(&self, conversation: &str) -> Result<Vec<Event>> {
        self.events_where(Filter::Is("conversation", conversation.into()))
    }

    fn events_where(&self, filter: Filter) -> Result<Vec<Event>> {
        let select = Select::from(&TIMELINE, self.horizon(None)?).filter(filter);
        let seqs = self.seqs(&Select { limit: Some(EVENTS_MAX), ..select })?;
        self.space().events(&seqs)
    }

    /// The events of a kind that happened at or after a moment, in order.
    pub fn events_of_kind(&self, kind: &str, since: Time) -> Result<Vec<Event>> {
        let select = Select::from(&TIMELINE, self.horizon(None)?)
            .filter(Filter::Is("kind", kind.into()))
            .filter(Filter::AtLeast("ts", since.0.into()));
        let seqs = self.seqs(&Select { limit: Some(EVENTS_MAX), ..select })?;
        self.space().events(&seqs)
    }
}

/// A fact with the words it comes from.
#[derive(Debug, Clone)]
pub struct SourcedFact {
    /// What it says.
    pub text: String,
    /// Whom or what it is about.
    pub subject: Option<String>,
    /// What of it.
    pub attribute: Option<String>,
    /// And what that is.
    pub value: Option<String>,
    /// The words it comes from.
    pub quote: String,
    /// Which extraction found it.
    pub extraction: String,
    /// The event with the model's answer that says so.
    pub answer: Option<String>,
}

impl SourcedFact {
    fn told(&self, event: &Event) -> Extracted {
        let part = |part: &Option<String>| part.clone().unwrap_or_default();
        Extracted {
            content: self.text.clone(),
            subject: part(&self.subject),
            attribute: part(&self.attribute),
            value: part(&self.value),
            quote: self.quote.clone(),
            event: event.header.id.clone(),
            extraction: self.extraction.clone(),
            ends: false,
            fact_id: None,
            done: None,
        }
    }
}

/// What an event about a fact says it was taken from, and what it is about.
#[derive(Default, Deserialize)]
#[serde(default)]
struct About {
    quote: String,
    subject: Option<String>,
    attribute: Option<String>,
    value: Option<String>,
}

impl About {
    fn of(event: &Event) -> Self {
        let metadata = event.fields.as_ref().and_then(|fields| fields.metadata.as_ref());
        metadata.and_then(|metadata| serde_json::from_str(metadata.get()).ok()).unwrap_or_default()
    }

    /// Whether it is about the same; what has no parts is told apart by its words alone.
    fn is_of(&self, fact: &SourcedFact) -> bool {
        let same = |one: &Option<String>, other: &Option<String>, normal: fn(&str) -> String| match (one, other) {
            (Some(one), Some(other)) => normal(one) == normal(other),
            _ => true,
        };
        same(&self.subject, &fact.subject, idetic_extract::normal_subject)
            && same(&self.attribute, &fact.attribute, idetic_extract::normal_attribute)
            && same(&self.value, &fact.value, str::to_lowercase)
    }
}

/// What a person said in an event: all of it, or what was asked in an invocation that was told without the events it
/// sums up.
fn words_of(event: &Event) -> Cow<'_, str> {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Asked {
        query: String,
    }
    let Some(fields) = &event.fields else { return Cow::default() };
    match event.header.kind.as_str() {
        SAID => Cow::Borrowed(fields.content.as_deref().unwrap_or_default()),
        CONVERSATION_INVOCATION if fields.causes.is_empty() => {
            let metadata = fields.metadata.as_ref().map_or("{}", |metadata| metadata.get());
            Cow::Owned(serde_json::from_str::<Asked>(metadata).unwrap_or_default().query)
        }
        _ => Cow::default(),
    }
}
