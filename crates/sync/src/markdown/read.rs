//! Reading the events of a project: one, those that match, those around one. Private ones only when asked for.

use std::collections::{BTreeSet, HashMap};

use idetic_formats::markdown::changelog::{event_id, event_number};
use idetic_formats::markdown::{Entry, Todo};
use idetic_memory::{Error, Models, Question, RecallOptions, Result};
use idetic_memory::{Scope, Viewpoint};
use idetic_search::Filters;

use super::compare::{Placed, placed};
use super::files::{Logs, TODO, text};
use super::{MdEvent, MdTask, Project};

/// What events must be to be shown.
#[derive(Debug, Default, Clone)]
pub struct EventFilter {
    /// Their type.
    pub kind: Option<String>,
    /// A part of what they affect.
    pub scope: Option<String>,
    /// One of their labels.
    pub tag: Option<String>,
    /// Words that must all be in the event.
    pub text: Option<String>,
    /// Whether private ones count.
    pub private: bool,
}

impl EventFilter {
    fn matches(&self, event: &MdEvent, raw: &str) -> bool {
        let same = |wanted: &Option<String>, own: &str| wanted.as_deref().is_none_or(|w| w.eq_ignore_ascii_case(own));
        let has = |list: &[String], wanted: &Option<String>| {
            wanted.as_deref().is_none_or(|wanted| list.iter().any(|own| own.eq_ignore_ascii_case(wanted)))
        };
        let words = || {
            let raw = raw.to_lowercase();
            self.text.as_deref().unwrap_or_default().to_lowercase().split_whitespace().all(|word| raw.contains(word))
        };
        let scope = self.scope.as_deref().map(str::to_lowercase);
        let in_scope = scope.is_none_or(|wanted| event.scope.iter().any(|own| own.to_lowercase().contains(&wanted)));
        (self.private || !event.private)
            && same(&self.kind, &event.kind)
            && in_scope
            && has(&event.tags, &self.tag)
            && words()
    }
}

fn shown(entry: &Entry, file: &str, raw: &str, is_archived: bool) -> MdEvent {
    let details = entry.details.iter().map(|detail| {
        let mut said: Vec<String> = Some(detail.value.clone()).into_iter().filter(|value| !value.is_empty()).collect();
        said.extend(detail.items.iter().cloned());
        (detail.key.clone(), said.join("; "))
    });
    MdEvent {
        event: if entry.number.is_some() { entry.name() } else { entry.when() },
        time: entry.when(),
        agent: entry.agent.clone(),
        kind: entry.kind.clone(),
        scope: entry.scope.clone(),
        summary: entry.summary.clone(),
        details: details.collect(),
        refs: entry.refs.iter().copied().map(event_id).collect(),
        tags: entry.tags.clone(),
        private: entry.is_private(),
        archived: is_archived,
        file: file.to_owned(),
        line: entry.line,
        text: raw.to_owned(),
    }
}

impl Project {
    /// Every event of the files, oldest first.
    fn events(&self) -> Result<Vec<MdEvent>> {
        let logs = Logs::read(&self.folder)?;
        let mut events = Vec::new();
        for (at, log) in logs.all().into_iter().enumerate() {
            let is_archived = at < logs.archives.len();
            let entries = log.oldest_first().into_iter();
            events.extend(entries.map(|entry| shown(entry, logs.name(at), log.raw(entry), is_archived)));
        }
        Ok(events)
    }

    /// One event by its number, or by its title.
    pub fn get(&self, name: &str, private: bool) -> Result<MdEvent> {
        let events = self.events()?;
        let at = position(&events, name)?;
        let event = events.into_iter().nth(at).filter(|event| private || !event.private);
        event.ok_or_else(|| Error::not_found(format!("{name} is private")).hint("--private shows it"))
    }

    /// The events that match, the last first.
    pub fn search(&self, wanted: &EventFilter, limit: usize) -> Result<Vec<MdEvent>> {
        let events = self.events()?.into_iter().rev();
        Ok(events.filter(|event| wanted.matches(event, &event.text)).take(limit).collect())
    }

    /// The events that answer a question by words and meaning, the best first. The lock is held.
    pub fn recall(
        &mut self,
        models: &Models,
        query: &str,
        wanted: &EventFilter,
        limit: usize,
        notice: &mut dyn FnMut(&str),
    ) -> Result<Vec<MdEvent>> {
        self.sync()?;
        let logs = Logs::read(&self.folder)?;
        let mut found = placed(&logs);
        self.compared(&mut found, &self.known()?);
        let events: HashMap<&str, &Placed> = found.iter().map(|placed| (placed.event.as_str(), placed)).collect();
        let seqs: BTreeSet<u64> = self.rows()?.iter().filter_map(|row| u64::try_from(row.seq).ok()).collect();
        let options = RecallOptions {
            k: Some((limit * 4).clamp(limit, 1000)),
            filters: Filters { only: Some(seqs.into_iter().collect()), ..Filters::default() },
            ..RecallOptions::default()
        };
        let view = Viewpoint::new(self.log()?.clone(), Scope::Owner);
        let question = Question { query: query.to_owned(), k: options.k, ..Question::default() };
        question.check()?;
        let recalled = view.recall_one(models, &options, &question, notice)?;
        let hits = recalled.hits.iter().filter_map(|hit| events.get(hit.id.as_str()));
        let hits = hits.map(|hit| shown(hit.entry, logs.name(hit.file), hit.raw, hit.file < logs.archives.len()));
        let rest = EventFilter { text: None, ..wanted.clone() };
        Ok(hits.filter(|event| rest.matches(event, "")).take(limit).collect())
    }

    /// An event with those around it.
    pub fn timeline(&self, name: &str, around: usize, private: bool) -> Result<Vec<MdEvent>> {
        let events = self.events()?;
        let at = position(&events, name)?;
        let (from, to) = (at.saturating_sub(around), at.saturating_add(around));
        let part = events.into_iter().enumerate().filter(|(place, _)| (from..=to).contains(place));
        Ok(part.filter(|(_, event)| private || !event.private).map(|(_, event)| event).collect())
    }

    /// The last events, or those from one to another.
    pub fn span(&self, last: Option<usize>, from: Option<&str>, to: Option<&str>) -> Result<Vec<MdEvent>> {
        let events = self.events()?;
        let start = from.map(|name| position(&events, name)).transpose()?.unwrap_or(0);
        let end = to.map(|name| position(&events, name)).transpose()?.unwrap_or(events.len().saturating_sub(1));
        let mut part: Vec<MdEvent> = events.into_iter().take(end + 1).skip(start).filter(|e| !e.private).collect();
        if let Some(last) = last {
            part.drain(..part.len().saturating_sub(last));
        }
        Ok(part)
    }

    /// The tasks as the graph and TODO.md know them.
    pub fn tasks(&mut self) -> Result<Vec<MdTask>> {
        let logs = Logs::read(&self.folder)?;
        let (story, base) = self.look(&logs)?;
        let drawn = self.drawn(&story.told, base.as_ref())?;
        let mut known: Vec<MdTask> = drawn
            .tasks(&drawn.derived().graph)
            .into_iter()
            .map(|task| MdTask {
                task: task.name,
                status: task.status,
                text: task.text,
                event: task.event.map(event_id),
                day: task.day,
                line: None,
            })
            .collect();
        let Some(text) = text(&self.folder, TODO)? else { return Ok(known) };
        for item in Todo::read(&text).items().iter().filter(|item| !item.is_placeholder()) {
            match known.iter_mut().find(|task| task.task.eq_ignore_ascii_case(&item.name)) {
                Some(task) => {
                    task.line = Some(item.line);
                    if task.text.is_empty() {
                        task.text.clone_from(&item.text);
                    }
                }
                None => known.push(MdTask {
                    task: if item.name.is_empty() { item.text.clone() } else { item.name.clone() },
                    status: item.place.word().to_owned(),
                    text: if item.name.is_empty() { String::new() } else { item.text.clone() },
                    event: item.refs.last().copied().map(event_id),
                    day: item.day.clone(),
                    line: Some(item.line),
                }),
            }
        }
        Ok(known)
    }
}

fn position(events: &[MdEvent], name: &str) -> Result<usize> {
    let id = event_number(name).map(event_id);
    let is_it = |event: &MdEvent| id.as_deref() == Some(event.event.as_str()) || event.event == name;
    events.iter().rposition(is_it).ok_or_else(|| {
        Error::not_found(format!("there is no event '{}'", idetic_core::invalid::excerpt(name)))
            .hint("name one by its number, such as evt-014 or 14; `idetic md search` lists them")
    })
}
