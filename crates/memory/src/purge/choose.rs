//! Which events go: those that were asked for, and everything whose causes lead back to one of them.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use idetic_core::views::graph::RENUMBERED;
use idetic_core::views::{
    FACT_EVENTS, KEPT_UNTIL, NOTE_DELETED, NOTE_EVENTS, NOTE_OUTCOME, NOTE_WRITTEN, REGRADED, RETIRES, TIMELINE,
};
use idetic_core::words::Persona;
use idetic_core::{Event, Fields, Hash, Stored, Time, policy};
use idetic_search::InputHash;
use idetic_search::filter::Condition;
use idetic_store::{Filter, Select};
use serde_json::Value;

use super::{TextPattern, receipt, words};
use crate::notes::note_text;
use crate::retention::input_of;
use crate::versions::supersedes;
use crate::{Kind, Result, Space};

/// Events read at a time.
const PAGE_EVENTS: u64 = 1000;

/// What was asked for; what answers to any of it goes.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Everything of a conversation.
    pub conversation: Option<String>,
    /// A fact: its event, and those that speak of it.
    pub fact: Option<String>,
    /// One event, by its id or number.
    pub event: Option<String>,
    /// Every event that this holds of.
    pub filter: Option<Arc<Condition>>,
    /// Whether all versions of those two go.
    pub with_versions: bool,
    /// Everything that says something.
    pub matching: Option<TextPattern>,
    /// Everything.
    pub all: bool,
    /// What came from somewhere, or at some time.
    pub among: Option<ProvenanceFilter>,
    /// What has expired, as far as it may be erased.
    pub expired: bool,
    /// All versions of a note.
    pub note: Option<String>,
    /// Only what answers to all of it goes.
    pub every: bool,
}

/// Where something came from, and when.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProvenanceFilter {
    /// Its origin, or the beginning of that.
    pub origin: Option<String>,
    /// The agent whose it is, or who wrote it.
    pub agent: Option<String>,
    /// Written at or after this.
    pub since: Option<Time>,
    /// Written before this.
    pub until: Option<Time>,
}

impl ProvenanceFilter {
    fn has(&self, event: &Event, fields: &Fields) -> bool {
        let is = |said: &Option<String>, own: Option<&str>| said.as_deref().is_some_and(|said| own == Some(said));
        let origin = event.origin();
        let comes_from = |named: &String| {
            origin == named || origin.strip_prefix(named.as_str()).is_some_and(|rest| rest.starts_with(':'))
        };
        let recorded = event.header.recorded_at;
        self.origin.as_ref().is_none_or(comes_from)
            && (self.agent.is_none()
                || is(&self.agent, fields.agent_id.as_deref())
                || is(&self.agent, fields.author.as_deref()))
            && self.since.is_none_or(|since| recorded >= since)
            && self.until.is_none_or(|until| recorded < until)
    }
}

/// An event that goes.
#[derive(Debug)]
pub struct PurgeCandidate {
    /// Its number.
    pub seq: u64,
    /// Its id.
    pub id: String,
    /// Its kind.
    pub kind: String,
    /// Why it goes.
    pub why: String,
    /// Whose memory it is.
    pub agent: Option<String>,
    /// Which side of that agent.
    pub persona: Option<Persona>,
    /// Under what the vectors of its text are kept.
    pub input: Option<InputHash>,
    /// The checksum of the note it wrote.
    pub note: Option<Hash>,
}

/// The events that go, in order. Causes come before what they cause, so one walk finds all of it.
pub fn choose(space: &Space, wanted: &Selection, progress: &mut dyn FnMut(u64, u64)) -> Result<Vec<PurgeCandidate>> {
    let head = space.horizon(None)?;
    let expired = if wanted.expired { space.erasable(head)? } else { BTreeMap::new() };
    // What is in quarantine may still be evidence of something: it goes only when somebody asks for it.
    let spared = if wanted.expired { space.hidden()? } else { Arc::default() };
    let space = &*space.with_expired();
    let alone = expired.iter().filter(|(_, takes_along)| !**takes_along).map(|(seq, _)| *seq).collect();
    let has_names = wanted.event.is_some() || wanted.filter.is_some() || wanted.note.is_some() || wanted.expired;
    let named = has_names.then(|| named(space, wanted, expired.into_keys(), head)).transpose()?;
    let stated = match &wanted.fact {
        Some(fact) => stated(space, fact, head)?,
        None => BTreeSet::new(),
    };
    let mut walk = Walk {
        space,
        wanted,
        named,
        stated,
        spared,
        alone,
        erased: Vec::new(),
        seqs: BTreeSet::new(),
        ids: HashSet::new(),
        notes: HashMap::new(),
        chosen: Vec::new(),
    };
    let mut next = 1;
    while next <= head {
        let count = (head - next + 1).min(PAGE_EVENTS);
        for stored in space.labelled_page(next, usize::try_from(count).unwrap_or(0))? {
            walk.look(&stored)?;
        }
        next += count;
        progress(next - 1, head);
    }
    Ok(walk.chosen)
}

/// The events that are named by an id or a filter, with their earlier versions where those are wanted.
fn named(
    space: &Space,
    wanted: &Selection,
    expired: impl Iterator<Item = u64>,
    head: u64,
) -> Result<BTreeMap<u64, Event>> {
    let mut seqs: Vec<u64> = match &wanted.filter {
        Some(filter) => {
            space.seqs(&Select::from(&TIMELINE, head).filter(Filter::Matches("born", Arc::clone(filter))))?
        }
        None => Vec::new(),
    };
    if let Some(name) = &wanted.event {
        seqs.push(number_of(space, name, head)?);
    }
    if let Some(note) = &wanted.note {
        seqs.extend(space.seqs(&Select::from(&NOTE_EVENTS, head).filter(Filter::Is("note", note.as_str().into())))?);
    }
    seqs.extend(expired);
    let mut named = BTreeMap::new();
    for seq in seqs {
        let event = space.event(seq)?;
        let all = if wanted.with_versions { space.with_earlier_versions(event, head)? } else { vec![event] };
        named.extend(all.into_iter().map(|event| (event.seq(), event)));
    }
    Ok(named)
}

/// The number of the event with a name: an id, which may look like a number, before a number.
fn number_of(space: &Space, name: &str, head: u64) -> Result<u64> {
    let number = name.strip_prefix('#').unwrap_or(name).parse::<u64>().ok().filter(|seq| (1..=head).contains(seq));
    match (space.by_id(name, head), number) {
        (Ok(event), _) => Ok(event.seq()),
        // An id that several agents use is not a number because of that.
        (Err(error), Some(seq)) if error.kind == Kind::NotFound => Ok(seq),
        (Err(error), _) => Err(error),
    }
}

/// The numbers of the events that state a fact or speak of it; it may be named by any of them.
fn stated(space: &Space, fact: &str, head: u64) -> Result<BTreeSet<u64>> {
    let of = |fact: &str| space.seqs(&Select::from(&FACT_EVENTS, head).filter(Filter::Is("fact", fact.into())));
    let mut seqs = of(fact)?;
    if seqs.is_empty()
        && let Ok(event) = space.by_id(fact, head)
    {
        seqs = space.fact_of(event.seq(), head)?.map_or_else(|| Ok(Vec::new()), |fact| of(&fact))?;
    }
    Ok(seqs.into_iter().collect())
}

struct Walk<'a> {
    space: &'a Space,
    wanted: &'a Selection,
    /// What was named, and its other versions as far as they were met.
    named: Option<BTreeMap<u64, Event>>,
    stated: BTreeSet<u64>,
    /// What stays in any case.
    spared: Arc<BTreeSet<u64>>,
    /// What goes without what was made of it, but for what the program itself made.
    alone: BTreeSet<u64>,
    /// Ranges of the numbers whose content was erased before.
    erased: Vec<(u64, u64)>,
    seqs: BTreeSet<u64>,
    ids: HashSet<String>,
    /// Notes of which some text was met: by which event one goes, and whether another stays.
    notes: HashMap<String, (Option<String>, bool)>,
    chosen: Vec<PurgeCandidate>,
}

impl Walk<'_> {
    fn look(&mut self, stored: &Stored) -> Result<()> {
        let Some(secret) = &stored.secret else {
            receipt::add(&mut self.erased, stored.header.seq);
            return Ok(());
        };
        // That something was erased is not forgotten: unless it was never true, or says itself what is searched for.
        if receipt::is_genuine(stored, &secret.body, &self.erased, self.wanted.matching.as_ref()) {
            return Ok(());
        }
        let event = Event::read(stored)?;
        let Some(fields) = &event.fields else { return Ok(()) };
        if let Some(named) = self.named.as_mut().filter(|_| self.wanted.with_versions)
            && named.values().any(|earlier| supersedes(&event, earlier))
        {
            named.insert(event.seq(), event.clone());
        }
        let why = if self.spared.contains(&event.seq()) {
            None
        } else if self.is_asked_for(&event, fields, &secret.body) {
            Some("matched".to_owned())
        } else if let Some((cause, is_alone)) = self.cause(&event, fields)? {
            if is_alone {
                self.alone.insert(event.seq());
            }
            Some(format!("derived from {cause}"))
        } else {
            self.about(&event, fields).map(|id| format!("about {id}"))
        };
        let note = note_of(&event, fields);
        let Some(why) = why else {
            if let Some(note) = note {
                self.notes.entry(note).or_default().1 = true;
            }
            return Ok(());
        };
        if let Some(note) = note {
            self.notes.entry(note).or_default().0 = Some(event.header.id.clone());
        }
        let (id, kind) = (event.header.id.clone(), event.header.kind.clone());
        let (agent, persona) = (fields.agent_id.clone(), fields.persona);
        let note = (kind == NOTE_WRITTEN).then(|| Hash::of(note_text(&event).as_bytes()));
        self.seqs.insert(event.seq());
        self.ids.insert(id.clone());
        let input = input_of(&event);
        self.chosen.push(PurgeCandidate { seq: event.seq(), id, kind, why, agent, persona, input, note });
        Ok(())
    }

    fn is_asked_for(&self, event: &Event, fields: &Fields, body: &str) -> bool {
        let Selection { conversation, fact, matching, all, among, every, .. } = self.wanted;
        let is_of_fact = |fact: &String| {
            *fact == event.header.id || self.stated.contains(&event.seq()) || fact_of(fields).as_ref() == Some(fact)
        };
        let asked = [
            self.named.as_ref().map(|named| named.contains_key(&event.seq())),
            conversation.as_ref().map(|conversation| Some(conversation) == fields.conversation_id.as_ref()),
            fact.as_ref().map(is_of_fact),
            matching.as_ref().map(|words| words::says(words, body) || words.matches(&event.header.id)),
            among.as_ref().map(|among| among.has(event, fields)),
        ];
        let mut asked = asked.into_iter().flatten().peekable();
        *all || asked.peek().is_some() && if *every { asked.all(|is| is) } else { asked.any(|is| is) }
    }

    /// The first of its causes that it goes with, and whether that goes alone.
    fn cause(&self, event: &Event, fields: &Fields) -> Result<Option<(String, bool)>> {
        let mut alone = None;
        for cause in fields.causes.iter().filter(|cause| self.ids.contains(*cause)) {
            let meant = self.space.meant_by(cause, event)?;
            let gone: Vec<&u64> = meant.iter().filter(|seq| self.seqs.contains(seq)).collect();
            if gone.iter().any(|seq| !self.alone.contains(seq)) {
                return Ok(Some((cause.clone(), false)));
            }
            if !gone.is_empty() {
                alone = alone.or_else(|| Some((cause.clone(), true)));
            }
        }
        // What the program noted of a text is nobody's own, and may hold its words.
        Ok(alone.filter(|_| policy::is_reserved(&event.header.kind)))
    }

    /// What only says something of events that go, e.g. how much they matter, goes with them.
    fn about(&self, event: &Event, fields: &Fields) -> Option<String> {
        let metadata = || fields.metadata.as_ref().and_then(|m| serde_json::from_str::<Value>(m.get()).ok());
        let ids: Vec<String> = match event.header.kind.as_str() {
            RETIRES => fields.refs.clone(),
            KEPT_UNTIL => metadata()?["expires"].as_object()?.keys().cloned().collect(),
            REGRADED => metadata()?["grades"].as_object()?.keys().cloned().collect(),
            RENUMBERED => vec![metadata()?["event"].as_str()?.to_owned()],
            NOTE_OUTCOME | NOTE_DELETED => return self.about_note(metadata()?["note"].as_str()?),
            _ => return None,
        };
        let all = !ids.is_empty() && ids.iter().all(|id| self.ids.contains(id));
        ids.into_iter().next().filter(|_| all)
    }

    /// A note of which no text stays: its name was made from its title.
    fn about_note(&self, note: &str) -> Option<String> {
        self.notes.get(note).filter(|(_, stays)| !stays).and_then(|(goes, _)| goes.clone())
    }
}

/// The note whose text an event is.
fn note_of(event: &Event, fields: &Fields) -> Option<String> {
    let metadata = fields.metadata.as_ref().filter(|_| event.header.kind == NOTE_WRITTEN)?;
    let said: Value = serde_json::from_str(metadata.get()).ok()?;
    said["note"].as_str().map(str::to_owned)
}

/// The fact an event says it is about.
fn fact_of(fields: &Fields) -> Option<String> {
    let metadata = fields.metadata.as_ref().filter(|metadata| metadata.get().contains("\"fact\""))?;
    let said: Value = serde_json::from_str(metadata.get()).ok()?;
    said["fact"].as_str().map(str::to_owned)
}

/// Of some texts those that no event says that stays: their vectors go with them.
pub fn only_theirs(space: &Space, chosen: &[PurgeCandidate]) -> Result<Vec<InputHash>> {
    let mut inputs: HashSet<InputHash> = chosen.iter().filter_map(|chosen| chosen.input).collect();
    let gone: HashSet<u64> = chosen.iter().map(|chosen| chosen.seq).collect();
    let (head, mut next) = (space.horizon(None)?, 1);
    while next <= head && !inputs.is_empty() {
        let count = (head - next + 1).min(PAGE_EVENTS);
        for stored in space.raw_page(next, usize::try_from(count).unwrap_or(0))? {
            if !gone.contains(&stored.header.seq)
                && let Some(input) = input_of(&Event::read(&stored)?)
            {
                inputs.remove(&input);
            }
        }
        next += count;
    }
    Ok(inputs.into_iter().collect())
}
