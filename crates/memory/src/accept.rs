//! From records to a batch: what is derived takes the lowest trust and the strictest visibility of its causes.

use std::collections::HashMap;

use idetic_core::invalid::excerpt;
use idetic_core::record::Claim;
use idetic_core::views::{APART, PURGED, TIMELINE};
use idetic_core::words::{Persona, Trust, Visibility};
use idetic_core::{Event, IdKey, Record};
use idetic_store::{Ack, Batch, Conflict, Filter, NewEvent, Select};

use crate::{Error, Kind, Result, Space};

/// How often an append to a space with limits is tried again because somebody else's events came between.
const QUOTA_TRIES: usize = 1000;

/// What is inherited from a cause.
type Standing = (Trust, Visibility);

/// Refuses what only the program itself can say: that something was purged. Whoever forged it could never be purged.
pub(crate) fn not_a_receipt(record: Record) -> Result<Record> {
    if record.claim.kind == PURGED {
        return Err(Error::invalid(format!("events of kind {PURGED} come from `purge` alone")).hint("use another kind"));
    }
    Ok(record)
}

impl Space {
    /// Appends records together or not at all; when it returns they are on disk.
    pub fn append(&self, records: Vec<Record>, expect: Option<u64>) -> Result<Vec<Ack>> {
        self.append_seeing(records, expect, &|_| true)
    }

    /// The same for whoever sees only some events: causes are looked for among those.
    pub(crate) fn append_seeing(
        &self,
        records: Vec<Record>,
        expect: Option<u64>,
        sees: &dyn Fn(&Event) -> bool,
    ) -> Result<Vec<Ack>> {
        if !self.has_quota() {
            return self.append_unlimited(records, expect, sees);
        }
        for _ in 0..QUOTA_TRIES {
            let head = self.log().tip()?.seq;
            self.check_quota(&records, head)?;
            match self.append_unlimited(records.clone(), expect.or(Some(head)), sees) {
                // Somebody's events came between: whether there is still room is for the next round to see.
                Err(Error { conflict: Some(Conflict::Moved { .. }), .. }) if expect.is_none() => {}
                acks => return acks,
            }
        }
        Err(Error::unavailable("others append all the time").hint("try again"))
    }

    fn append_unlimited(
        &self,
        records: Vec<Record>,
        expect: Option<u64>,
        sees: &dyn Fn(&Event) -> bool,
    ) -> Result<Vec<Ack>> {
        // What stands earlier in the batch matters only where something is derived.
        let is_derived = records.iter().any(|record| !record.claim.causes.is_empty());
        let mut earlier: HashMap<IdKey, Standing> = HashMap::new();
        let mut events = Vec::with_capacity(records.len());
        for mut record in records {
            self.inherit(&mut record, &earlier, sees)?;
            let key = record.claim.id_key();
            if let Some(key) = key.filter(|_| is_derived) {
                let claim = &record.claim;
                earlier.insert(key, (claim.trust(), claim.visibility.unwrap_or(Visibility::External)));
            }
            let Record { claim, body } = record;
            events.push(NewEvent { id: claim.id.zip(key), kind: claim.kind, body });
        }
        Ok(self.log().append(Batch { events, expect })?)
    }

    /// Lowers what a record may claim to what its causes allow. Where it says nothing, what it inherits is written down.
    fn inherit(
        &self,
        record: &mut Record,
        earlier: &HashMap<IdKey, Standing>,
        sees: &dyn Fn(&Event) -> bool,
    ) -> Result<()> {
        let mut lowest: Option<(Standing, &str)> = None;
        let causes = record.claim.causes.clone();
        for cause in &causes {
            // Of this batch only what it may see itself: another's event of that id is another event.
            let (trust, visibility) = match record.claim.cause_keys(cause).find_map(|key| earlier.get(&key)) {
                Some(standing) => *standing,
                None => self.cause(cause, &record.claim, sees)?,
            };
            let ((t, v), by) = lowest.unwrap_or(((trust, visibility), cause));
            let by = if trust > t { cause.as_str() } else { by };
            lowest = Some(((t.max(trust), v.max(visibility)), by));
        }
        let Some(((trust, visibility), by)) = lowest else { return Ok(()) };
        match record.claim.trust {
            Some(said) if said < trust => {
                return Err(Error::invalid(format!(
                    "trust '{}' is more than its cause '{by}' has ('{}')",
                    said.word(),
                    trust.word()
                ))
                .hint("what is derived is trusted no more than what it comes from: leave trust out"));
            }
            None if trust > record.claim.trust() => record.supply("trust", trust.word())?,
            _ => {}
        }
        match record.claim.visibility {
            Some(said) if said < visibility => {
                return Err(Error::invalid("visibility 'external' is wider than that of its causes ('internal')")
                    .hint("what is derived is as private as what it comes from: leave visibility out"));
            }
            None if visibility > Visibility::External => record.supply("visibility", visibility.word())?,
            _ => {}
        }
        Ok(())
    }

    fn cause(&self, id: &str, claim: &Claim, sees: &dyn Fn(&Event) -> bool) -> Result<Standing> {
        let near = distance(claim.agent_id.as_deref(), claim.persona);
        let found = self.by_id_seeing(id, self.horizon(None)?, near, sees);
        let event = found.map_err(|e| match e.kind {
            Kind::NotFound => Error::invalid(format!("cause '{}' is no event of this space", excerpt(id))).hint(e.hint),
            _ => e,
        })?;
        Ok((event.trust(), event.visibility()))
    }

    /// The one event with an id, as of a seq.
    pub(crate) fn by_id(&self, id: &str, at: u64) -> Result<Event> {
        self.by_id_seeing(id, at, |_| 0, &|_| true)
    }

    /// The same among what is seen. Where several agents use the same id, the event at the least distance.
    fn by_id_seeing(
        &self,
        id: &str,
        at: u64,
        distance: impl Fn(&Event) -> u8,
        sees: &dyn Fn(&Event) -> bool,
    ) -> Result<Event> {
        let mut events = self.nearest(id, at, distance, sees)?;
        if events.is_empty() {
            // Of what was erased the header is left.
            let erased = self.seqs(&Select::from(&APART, at).filter(Filter::Is("id", id.into())))?;
            events = self.events(&erased)?;
            events.retain(|event| sees(event));
        }
        match events.len() {
            0 => Err(Error::not_found(format!("there is no event with id '{id}'")).hint("`idetic log` lists the ids")),
            1 => Ok(events.remove(0)),
            _ => {
                let seqs: Vec<u64> = events.iter().map(Event::seq).collect();
                Err(Error::invalid(format!("id '{id}' is used by several agents, in events {seqs:?}"))
                    .hint("name the event by its seq"))
            }
        }
    }

    /// The events with an id at the least distance.
    fn nearest(
        &self,
        id: &str,
        at: u64,
        distance: impl Fn(&Event) -> u8,
        sees: &dyn Fn(&Event) -> bool,
    ) -> Result<Vec<Event>> {
        let seqs = self.seqs(&Select::from(&TIMELINE, at).filter(Filter::Is("id", id.into())))?;
        let mut events = self.events(&seqs)?;
        events.retain(|event| sees(event));
        let least = events.iter().map(&distance).min();
        events.retain(|event| Some(distance(event)) == least);
        Ok(events)
    }

    /// The events that a cause named by another event means.
    pub(crate) fn meant_by(&self, cause: &str, by: &Event) -> Result<Vec<u64>> {
        let fields = by.fields.as_ref();
        let near = distance(fields.and_then(|f| f.agent_id.as_deref()), fields.and_then(|f| f.persona));
        Ok(self.nearest(cause, by.seq(), near, &|_| true)?.iter().map(Event::seq).collect())
    }

    /// The event with an id whose content was erased, if there is one.
    pub(crate) fn erased_seq(&self, id: &str) -> Result<Option<u64>> {
        let select = Select::from(&APART, self.horizon(None)?).filter(Filter::Is("id", id.into()));
        Ok(self.seqs(&select)?.first().copied())
    }

    /// Whether the content of the event with an id was erased.
    pub(crate) fn is_erased(&self, id: &str) -> Result<bool> {
        Ok(self.erased_seq(id)?.is_some())
    }
}

/// How far an event is from whoever has an agent and a persona: its own before its agent's other side, and that before
/// anybody else's.
fn distance(agent: Option<&str>, persona: Option<Persona>) -> impl Fn(&Event) -> u8 {
    move |event| match &event.fields {
        Some(fields) if fields.agent_id.as_deref() == agent => u8::from(fields.persona != persona),
        _ => 2,
    }
}
