//! A new event: its details checked by its type, its references found, and how it comes into the log.

use idetic_core::invalid::excerpt;
use idetic_core::kind::CHANGELOG_KINDS;
use idetic_core::{Record, Time};
use idetic_formats::markdown::changelog::{event_id, event_number};
use idetic_formats::markdown::rules::stands_alone;
use idetic_formats::markdown::{Detail, Draft};
use idetic_memory::{Env, Error, Result, new_trace};
use idetic_store::Filter;
use serde_json::{Map, Value, json};

use super::compare::Known;
use super::files::{COMMITTED, LOG};
use super::{MdAppended, Project, git, records};

/// Who writes when nobody is named anywhere.
const SOMEBODY: &str = "agent";

/// How much of what changed a draft names.
const DRAFTED_AREAS: usize = 5;
const DRAFTED_NAMES: usize = 3;
const DRAFTED_CHANGES: usize = 20;

/// The details that specification 004's documents give each type.
pub const DETAILS: [(&str, &[&str]); 11] = [
    ("decision", &["entity", "attribute", "from", "to", "rationale"]),
    ("create", &["entity", "path", "purpose"]),
    ("modify", &["entity", "path", "changes"]),
    ("delete", &["entity", "path", "reason"]),
    ("test", &["target", "result", "coverage"]),
    ("fix", &["entity", "symptom", "root_cause", "resolution"]),
    ("dependency", &["entity", "version", "reason"]),
    ("blocker", &["blocked_entity", "blocking_entity", "resolution_path"]),
    ("milestone", &["name", "criteria_met"]),
    ("escalation", &["reason", "context", "requested_action"]),
    ("handoff", &["from_agent", "to_agent", "payload_summary"]),
];

/// What says nothing where something has to be said.
const NOTHING: [&str; 6] = ["", "none", "(none)", "n/a", "-", "—"];

/// What somebody wants to say.
#[derive(Debug, Default, Clone)]
pub struct NewEvent {
    /// Its type.
    pub kind: String,
    /// What it affects.
    pub scope: String,
    /// What happened, in one line.
    pub summary: String,
    /// Keys with their values; a key that comes again makes a list.
    pub details: Vec<(String, String)>,
    /// Events it refers to.
    pub refs: Vec<String>,
    /// Its labels.
    pub tags: Vec<String>,
    /// Who did it.
    pub agent: String,
}

/// The details of a type.
pub fn details_of(kind: &str) -> &'static [&'static str] {
    DETAILS.iter().find(|(own, _)| *own == kind).map_or(&[], |(_, details)| details)
}

/// The name of an agent, that of nobody in particular where it is empty.
pub fn check_agent(name: String) -> Result<String> {
    let agent = if name.is_empty() { SOMEBODY.to_owned() } else { name };
    let is_name = !agent.trim().is_empty() && !agent.contains('|') && !agent.chars().any(char::is_control);
    if is_name {
        Ok(agent)
    } else {
        Err(Error::invalid("an agent's name must be printable and without '|'").hint("use another name"))
    }
}

/// A detail as it is given, `key=value`.
pub fn detail(text: &str) -> Result<(String, String)> {
    let (key, value) = text.split_once('=').ok_or_else(|| {
        Error::invalid(format!("the detail '{}' has no value", excerpt(text)))
            .hint("--detail KEY=VALUE, e.g. --detail entity=auth_module")
    })?;
    Ok((key.trim().to_owned(), value.trim().to_owned()))
}

impl NewEvent {
    /// Whether it can be said so.
    pub fn check(&self) -> Result<()> {
        if !CHANGELOG_KINDS.contains(&self.kind.as_str()) {
            return Err(Error::invalid(format!("'{}' is not an event type", excerpt(&self.kind)))
                .hint(format!("one of: {}", CHANGELOG_KINDS.join(", "))));
        }
        for (name, text) in [("scope", &self.scope), ("summary", &self.summary)] {
            let is_line =
                !NOTHING.contains(&text.trim().to_lowercase().as_str()) && !text.chars().any(char::is_control);
            if !is_line {
                return Err(Error::invalid(format!("the {name} is empty or not one line"))
                    .hint(format!("say it in one line: --{name} TEXT; more goes into --detail")));
            }
        }
        for (key, value) in &self.details {
            if key.trim().is_empty() || key.starts_with('_') || value.trim().is_empty() {
                let detail = format!("{}={}", excerpt(key), excerpt(value));
                return Err(Error::invalid(format!("the detail '{detail}' is empty or reserved"))
                    .hint("--detail KEY=VALUE, e.g. --detail entity=auth_module"));
            }
            let result = value.trim().to_lowercase();
            if self.kind == "test" && key == "result" && !["pass", "fail", "skip"].contains(&result.as_str()) {
                return Err(Error::invalid(format!("the result of a test is not '{}'", excerpt(value)))
                    .hint("--detail result=pass, fail or skip"));
            }
        }
        Ok(())
    }

    /// The details of its type that it does not tell.
    pub fn missing(&self) -> Vec<&'static str> {
        let has = |key: &str| self.details.iter().any(|(own, _)| own.to_lowercase().replace([' ', '-'], "_") == key);
        details_of(&self.kind).iter().copied().filter(|key| !has(key)).collect()
    }

    fn metadata(&self, is_private: bool) -> Map<String, Value> {
        let mut map: Map<String, Value> = Map::new();
        for (key, value) in &self.details {
            let value = Value::from(value.trim());
            match map.get_mut(key) {
                Some(Value::Array(list)) => list.push(value),
                Some(one) => *one = json!([one.take(), value]),
                None => {
                    map.insert(key.clone(), value);
                }
            }
        }
        // The order in which they were given: a map has none.
        let mut order: Vec<&str> = Vec::new();
        for (key, _) in self.details.iter().filter(|(key, _)| map.contains_key(key)) {
            if !order.contains(&key.as_str()) {
                order.push(key);
            }
        }
        if !order.is_sorted() {
            map.insert(records::ORDER.to_owned(), json!(order));
        }
        if is_private {
            // It was put into the file by name, so that is where it goes.
            map.insert("_md".to_owned(), json!({}));
        }
        map
    }
}

impl Project {
    /// The record of a new event; the events it refers to must be there.
    pub(super) fn record(&self, new: &NewEvent, id: &str, now: Time) -> Result<Record> {
        new.check()?;
        let mut refs = Vec::with_capacity(new.refs.len());
        for name in &new.refs {
            let number = event_number(name).ok_or_else(|| {
                Error::invalid(format!("'{}' is not an event", excerpt(name)))
                    .hint("refer to one by its number: evt-014")
            })?;
            let event = self.numbered(number)?.ok_or_else(|| {
                Error::not_found(format!("there is no {} in {LOG} or its archive", event_id(number)))
                    .hint("`idetic md search` finds events")
            })?;
            refs.push(event.event.clone());
        }
        let tags: Vec<&str> =
            new.tags.iter().flat_map(|tag| tag.split(',')).map(str::trim).filter(|t| !t.is_empty()).collect();
        let is_private = idetic_core::event::is_private(&new.tags);
        let record = json!({
            "id": id, "ts": now, "kind": new.kind, "author": new.agent, "scope": new.scope.trim(),
            "summary": new.summary.trim(), "refs": refs, "tags": tags, "metadata": new.metadata(is_private),
        });
        Ok(Record::parse(record.to_string().as_bytes())?)
    }

    /// Appends a new event to the log and the file. The lock is held.
    pub fn append_event(&mut self, env: &Env, new: &NewEvent) -> Result<MdAppended> {
        self.sync()?;
        let id = new_trace(env);
        let record = self.record(new, &id, env.now())?;
        self.append(vec![record])?;
        // What is to be told is told by the next look.
        self.report.troubles.clear();
        self.sync()?;
        self.appended(&id)
    }

    /// Where an event stands now.
    pub(super) fn appended(&self, id: &str) -> Result<MdAppended> {
        let rows = self.rows_where(Filter::Is("event", id.into()))?;
        let known = rows.first().map(Known::from);
        let title = || self.log()?.by_id(id, self.head()?).map(|event| event.fields.and_then(|fields| fields.summary));
        let event = match known {
            Some(Known { number: Some(number), .. }) => Some(event_id(number)),
            Some(Known { key: Some(_), .. }) => title()?,
            _ => None,
        };
        Ok(MdAppended { event, id: id.to_owned(), file: LOG.to_owned(), staged: None })
    }
}

impl NewEvent {
    /// The block it would be, without a number.
    pub fn block(&self, now: Time) -> String {
        let mut details: Vec<Detail> = Vec::new();
        for (key, value) in &self.details {
            match details.iter_mut().find(|detail| detail.key == *key) {
                Some(detail) => {
                    if !detail.value.is_empty() {
                        detail.items.push(std::mem::take(&mut detail.value));
                    }
                    detail.items.push(value.clone());
                }
                None => details.push(Detail { key: key.clone(), value: value.clone(), items: Vec::new(), line: 0 }),
            }
        }
        let scope = self.scope.split(',').map(|part| part.trim().to_owned()).filter(|part| !part.is_empty());
        let draft = Draft {
            number: 0,
            time: now,
            agent: self.agent.clone(),
            kind: self.kind.clone(),
            scope: scope.collect(),
            summary: self.summary.clone(),
            details,
            refs: self.refs.iter().filter_map(|name| event_number(name)).collect(),
            tags: self.tags.clone(),
        };
        draft.print().replacen("evt-000", "evt-NNN", 1)
    }

    /// Why the summary is not enough by itself, if it is not.
    pub fn not_alone(&self) -> Option<String> {
        stands_alone(&self.summary).map(|why| why.to_string())
    }
}

/// Fills in what is not said from what git says has changed.
pub fn draft_from_git(folder: &std::path::Path, new: &mut NewEvent) -> Result<()> {
    let changes = git::changes(folder)?;
    let own = |path: &str| COMMITTED.contains(&path) || path.starts_with(".memory/") || path.starts_with(".idetic/");
    let changes: Vec<(char, String)> = changes.into_iter().filter(|(_, path)| !own(path)).collect();
    if changes.is_empty() {
        return Err(Error::not_found("nothing differs from the last commit")
            .hint("change something, or describe the event yourself"));
    }
    let all = |wanted: fn(&(char, String)) -> bool| changes.iter().all(wanted);
    let (kind, verb) = match () {
        () if all(|(_, path)| path.to_lowercase().contains("test")) => ("test", "Test"),
        () if all(|(mark, _)| *mark == 'A') => ("create", "Add"),
        () if all(|(mark, _)| *mark == 'D') => ("delete", "Remove"),
        () => ("modify", "Change"),
    };
    if new.kind.is_empty() {
        new.kind = kind.to_owned();
    }
    if new.scope.is_empty() {
        let mut areas: Vec<&str> = changes.iter().map(|(_, path)| path.split('/').next().unwrap_or(path)).collect();
        areas.dedup();
        areas.truncate(DRAFTED_AREAS);
        new.scope = areas.join(", ");
    }
    if new.summary.is_empty() {
        let named: Vec<&str> = changes.iter().take(DRAFTED_NAMES).map(|(_, path)| path.as_str()).collect();
        let more = changes.len().saturating_sub(named.len());
        let more = if more > 0 { format!(" and {more} more files") } else { String::new() };
        new.summary = format!("{verb} {}{more}", named.join(", "));
    }
    if new.details.is_empty() {
        let word = |mark: char| match mark {
            'A' => "added",
            'D' => "deleted",
            _ => "changed",
        };
        let listed = changes.iter().take(DRAFTED_CHANGES);
        new.details.extend(listed.map(|(mark, path)| ("changes".to_owned(), format!("{} {path}", word(*mark)))));
    }
    Ok(())
}
