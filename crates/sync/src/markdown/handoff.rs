//! Work passed from one agent to another: an event first, then a payload; the receiver takes it once, and has what the
//! sender had.

use std::collections::HashMap;

use idetic_core::views::TIMELINE;
use idetic_core::{Hash, Record};
use idetic_formats::markdown::Entry;
use idetic_formats::markdown::changelog::{event_number, named_numbers};
use idetic_formats::markdown::handoff::terms;
pub use idetic_formats::markdown::handoff::{Files, Handoff, Payload, Proof};
use idetic_store::{Filter, Select};
use serde_json::json;

use super::append::NewEvent;
use super::compare::AWAY;
use super::derived::Derived;
use super::files::Logs;
use super::story::{Story, Told};
use super::{Project, git, records};
use idetic_memory::{Env, Error, Kind, Result};

/// What says that a handoff was taken.
const ACCEPTED: &str = "handoff.accepted";

/// A handoff that is being taken.
pub struct Accepted {
    /// Its event.
    pub event: String,
    /// What it asks of whoever takes it.
    pub terms: Vec<String>,
    /// What the sender had.
    pub derived: Derived,
    /// The hash of the sender's context.md.
    context: String,
}

impl Project {
    /// Hands work over: the event, everything brought in step, and the payload. The lock is held.
    pub fn hand_over(&mut self, env: &Env, new: &NewEvent, to: &str, reason: &str) -> Result<Payload> {
        self.shut_down()?;
        let appended = self.append_event(env, new)?;
        let number = appended.event.as_deref().and_then(event_number);
        let logs = Logs::read(&self.folder)?;
        let (story, base) = self.look(&logs)?;
        let count = number.map_or(story.told.len(), |number| story.up_to(number));
        let derived = self.derived(&story, count, base.as_ref())?;
        let entries = story.entries();
        let last = entries.get(count.saturating_sub(1)).copied();
        let time = last.map_or_else(|| env.now(), |entry| entry.time);
        let root = self.folder.root();
        let files = Files {
            modified: git::changes(root).unwrap_or_default().into_iter().map(|(_, path)| path).collect(),
            committed: git::head(root),
            changelog_updated: true,
        };
        let handoff = Handoff::new(&new.agent, to, time, reason);
        let mut payload = Payload::new(handoff, &entries[..count], &derived.narrative, files);
        let identity = story.told[count.saturating_sub(1)].id.clone();
        let context = Hash::of(derived.context_text().as_bytes()).to_string();
        // Only where a merge may change what it says.
        let words = last.filter(|entry| names_others(entry)).and(number);
        let words = story.numbers.iter().find(|(_, own)| Some(**own) == words).map(|(bare, _)| bare.to_string());
        payload.proof = Some(Proof { event: last.map(Entry::label).unwrap_or_default(), identity, context, words });
        Ok(payload)
    }

    /// Finds the handoff that an agent takes: the one of a payload, or the last one that is for it.
    pub fn find_handoff(&mut self, agent: &str, payload: Option<&Payload>) -> Result<Accepted> {
        self.sync()?;
        let logs = Logs::read(&self.folder)?;
        let troubles = self.report.troubles.len();
        let (story, base) = self.look(&logs)?;
        self.report.troubles.truncate(troubles);
        let (told, proof) = match payload {
            Some(payload) => {
                check_receiver(agent, &payload.handoff.to)?;
                let proof = payload.proof.clone().ok_or_else(|| {
                    Error::invalid("the payload has no event").hint("create one with `idetic md handoff`")
                })?;
                (find(&story, &proof)?, Some(proof))
            }
            None => (self.last_handoff(&story, agent)?, None),
        };
        let event = told.entry.label();
        if let Some(who) = self.who_took(told.number)? {
            return Err(Error::new(Kind::Conflict, format!("the handoff {event} was taken by {who} already"))
                .hint("a handoff can be taken only once: boot without --handoff"));
        }
        let derived = self.derived(&story, story.up_to(told.number.unwrap_or(0)), base.as_ref())?;
        let context = Hash::of(derived.context_text().as_bytes()).to_string();
        // After a merge the numbers in it are others.
        if proof.is_some_and(|proof| proof.event == event && proof.context != context) {
            let message = format!("the context at {event} is not the one that the sender had");
            return Err(Error::new(Kind::CheckFailed, message).hint(
                "bring CHANGELOG.md to the sender's version, e.g. with git pull, and look at `idetic md validate`",
            ));
        }
        Ok(Accepted { event, terms: terms(&told.entry), derived, context })
    }

    /// Says in the log that a handoff was taken.
    pub fn accept(&mut self, agent: &str, accepted: &Accepted) -> Result<()> {
        let number = event_number(&accepted.event).unwrap_or(0);
        let event = self.numbered(number)?.map(|known| known.event);
        let said = json!({"handoff": accepted.event, "event": event, "agent": agent, "context": accepted.context});
        let record = json!({
            "id": format!("md-accepted-{}", event.as_deref().unwrap_or(&accepted.event)), "kind": ACCEPTED,
            "author": agent, "summary": format!("{agent} took the handoff {}", accepted.event), "metadata": said,
        });
        self.append(vec![Record::parse(record.to_string().as_bytes())?])
    }

    /// The handoffs that nobody took and that are for an agent.
    pub(super) fn waiting_handoffs(&self, agent: &str) -> Result<Vec<String>> {
        let rows = self.rows_where(Filter::Is("type", "handoff".into()))?;
        let mut waiting = Vec::new();
        let taken = if rows.is_empty() { HashMap::new() } else { self.taken()? };
        for row in rows.iter().filter(|row| !taken.contains_key(&row.event)) {
            let number = row.number.and_then(|number| u64::try_from(number).ok());
            // One without a number and without an identity is not written yet, or away.
            if number.is_none() && row.identity.as_deref().is_none_or(|key| key.starts_with(AWAY)) {
                continue;
            }
            let event = self.log()?.event(u64::try_from(row.seq).unwrap_or(0))?;
            let entry = records::entry(&event, number, &|_| None);
            let is_for = |entry: &Entry| !entry.is_private() && receiver(entry).as_deref() == Some(agent);
            waiting.extend(entry.filter(is_for).map(|entry| entry.label()));
        }
        Ok(waiting)
    }

    fn last_handoff<'s, 'l>(&self, story: &'s Story<'l>, agent: &str) -> Result<&'s Told<'l>> {
        let is_for = |told: &&Told| told.entry.kind == "handoff" && receiver(&told.entry).as_deref() == Some(agent);
        story.told.iter().rev().find(is_for).ok_or_else(|| {
            Error::not_found(format!("there is no handoff to {agent}"))
                .hint("name yourself with --agent, or the payload with --handoff FILE")
        })
    }

    /// Who took which handoff, by the log: the ids of the events with the agents.
    fn taken(&self) -> Result<HashMap<String, String>> {
        let taken = Select::from(&TIMELINE, self.head()?).filter(Filter::Is("kind", ACCEPTED.into()));
        let mut agents = HashMap::new();
        for event in self.log()?.events_by_seq(&self.log()?.seqs(&taken)?)? {
            let Some(fields) = event.fields else { continue };
            let said: serde_json::Value =
                fields.metadata.as_ref().and_then(|m| serde_json::from_str(m.get()).ok()).unwrap_or_default();
            if let Some(event) = said["event"].as_str() {
                agents.insert(event.to_owned(), fields.author.unwrap_or_default());
            }
        }
        Ok(agents)
    }

    fn who_took(&self, number: Option<u64>) -> Result<Option<String>> {
        let known = number.map(|number| self.numbered(number)).transpose()?.flatten();
        Ok(known.and_then(|known| self.taken().ok()?.remove(&known.event)))
    }
}

/// Whether an event names others in its words, not only in its references.
fn names_others(entry: &Entry) -> bool {
    let details = entry.details.iter().flat_map(|detail| std::iter::once(&detail.value).chain(&detail.items));
    std::iter::once(&entry.summary).chain(details).any(|text| named_numbers(text).next().is_some())
}

fn receiver(entry: &Entry) -> Option<String> {
    Some(entry.detail("to_agent")?.value.trim().to_owned())
}

fn check_receiver(agent: &str, to: &str) -> Result<()> {
    if agent == to {
        return Ok(());
    }
    Err(Error::invalid(format!("the handoff is for {to}, and you are {agent}"))
        .hint(format!("--agent {to}, if that is you")))
}

fn find<'s, 'l>(story: &'s Story<'l>, proof: &Proof) -> Result<&'s Told<'l>> {
    let by_words = || {
        let words = proof.words.as_deref()?;
        story.numbers.iter().find(|(bare, _)| bare.to_string() == words).map(|(_, number)| *number)
    };
    let mut handoffs = story.told.iter().filter(|told| told.entry.kind == "handoff");
    let found = handoffs.clone().find(|told| told.id == proof.identity);
    let found = found.or_else(|| by_words().and_then(|number| handoffs.find(|told| told.number == Some(number))));
    found.ok_or_else(|| {
        Error::not_found(format!("the handoff {} is not in this project", proof.event))
            .hint("bring CHANGELOG.md to the sender's version, e.g. with git pull")
    })
}
