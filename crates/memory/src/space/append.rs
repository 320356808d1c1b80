//! From records to a batch: what is derived takes the lowest trust and the strictest visibility of its causes.

use std::collections::HashMap;

use idetic_core::invalid::excerpt;
use idetic_core::record::Claim;
use idetic_core::views::{APART, TIMELINE};
use idetic_core::words::{Origin, Persona, Trust, Visibility};
use idetic_core::{Event, IdKey, Record, Time, policy};
use idetic_store::{Ack, Batch, Conflict, Filter, LockFile, NewEvent, Select};

use crate::space::quota::UserUsage;
use crate::space::secrets;
use crate::writer::is_of_file;
use crate::{Cause, Error, Kind, Result, Space};

/// How often an append to a space with limits is tried again because somebody else's events came between.
const QUOTA_TRIES: usize = 1000;

/// What is inherited from a cause.
#[derive(Debug, Clone)]
struct Standing {
    trust: Trust,
    visibility: Visibility,
    origin: String,
    expires: Option<Time>,
}

/// A record that a caller may append by hand.
pub fn by_hand(record: Record) -> Result<Record> {
    Ok(policy::admit(record)?)
}

impl Space {
    /// Appends records together or not at all; when it returns they are on disk.
    pub fn append(&self, records: Vec<Record>, expect: Option<u64>) -> Result<Vec<Ack>> {
        self.append_seeing(records, expect, &|_| true)
    }

    /// The same for whoever sees only some events: causes are looked for among those.
    pub(crate) fn append_seeing(
        &self,
        mut records: Vec<Record>,
        expect: Option<u64>,
        sees: &dyn Fn(&Event) -> bool,
    ) -> Result<Vec<Ack>> {
        records.iter().try_for_each(|record| self.check_end(record))?;
        records.iter_mut().for_each(secrets::mask);
        records.iter_mut().try_for_each(|record| self.date_expiry(record))?;
        if !self.has_quota() {
            return self.append_unlimited(records, expect, sees);
        }
        // Whoever appends to another space of the same user waits: both would find the same room.
        let lock = self.user_usage().map(UserUsage::lock).transpose()?;
        let _alone = lock.as_ref().map(LockFile::hold).transpose()?;
        for _ in 0..QUOTA_TRIES {
            let head = self.log().tip()?.seq;
            self.check_quota(&records, head)?;
            match self.append_unlimited(records.clone(), expect.or(Some(head)), sees) {
                // Somebody's events came between: whether there is still room is for the next round to see.
                Err(Error { cause: Cause::Conflict(Conflict::Moved { .. }), .. }) if expect.is_none() => {}
                acks => return acks,
            }
        }
        Err(Error::unavailable("other writers keep appending").hint("try again"))
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
            let (lowest, until) = self.inherit(&mut record, &earlier, sees)?;
            self.check_authority(&mut record, lowest)?;
            self.limit_expiry(&mut record, until)?;
            let key = record.claim.id_key();
            if let Some(key) = key.filter(|_| is_derived) {
                earlier.insert(key, Standing::of(&record.claim));
            }
            let Record { claim, body, .. } = record;
            events.push(NewEvent { id: claim.id.zip(key), kind: claim.kind, body, undated: claim.undated });
        }
        Ok(self.log().append(Batch { events, expect })?)
    }

    /// Lowers what a record may claim to what its causes allow, and tells the lowest trust among them and until when all of
    /// them are kept. Where it says nothing, what it inherits is written down.
    fn inherit(
        &self,
        record: &mut Record,
        earlier: &HashMap<IdKey, Standing>,
        sees: &dyn Fn(&Event) -> bool,
    ) -> Result<(Option<Trust>, Option<Time>)> {
        let (mut lowest, mut until): (Option<(Standing, String)>, Option<Time>) = (None, None);
        for cause in record.claim.causes.clone() {
            // Of this batch only what it may see itself: another's event of that id is another event.
            let standing = match record.claim.cause_keys(&cause).find_map(|key| earlier.get(&key)) {
                Some(standing) => standing.clone(),
                None => self.cause(&cause, &record.claim, sees)?,
            };
            until = until.into_iter().chain(standing.expires).min();
            lowest = Some(match lowest {
                None => (standing, cause),
                Some((known, _)) if standing.trust > known.trust => {
                    (Standing { visibility: known.visibility.max(standing.visibility), ..standing }, cause)
                }
                Some((known, by)) => (Standing { visibility: known.visibility.max(standing.visibility), ..known }, by),
            });
        }
        let Some((Standing { trust, visibility, origin, .. }, by)) = lowest else { return Ok((None, until)) };
        match record.claim.trust {
            Some(said) if said < trust && record.trust_given => record.set("trust", trust.word())?,
            Some(said) if said < trust => {
                return Err(Error::invalid(format!(
                    "trust '{}' is higher than that of its cause '{by}' ('{}')",
                    said.word(),
                    trust.word()
                ))
                .hint("a derived event is trusted no more than its causes: leave trust out"));
            }
            None if trust > record.claim.trust() => record.supply("trust", trust.word())?,
            _ => {}
        }
        // What was made of words from a tool, a file or elsewhere says so, whoever made it.
        let is_told = trust > Trust::Agent || is_of_file(&origin);
        if is_told && record.claim.origin.as_deref() != Some(&origin) && Origin::of(&origin).is_ok() {
            record.set("origin", &origin)?;
        }
        match record.claim.visibility {
            Some(said) if said < visibility => {
                return Err(Error::invalid("visibility 'external' is wider than that of its causes ('internal')")
                    .hint("a derived event is as private as its causes: leave visibility out"));
            }
            None if visibility > Visibility::External => record.supply("visibility", visibility.word())?,
            _ => {}
        }
        Ok((Some(trust), until))
    }

    fn cause(&self, id: &str, claim: &Claim, sees: &dyn Fn(&Event) -> bool) -> Result<Standing> {
        let near = distance(claim.agent_id.as_deref(), claim.persona);
        let head = self.horizon(None)?;
        let found = self.by_id_seeing(id, head, near, sees);
        let event = found.map_err(|e| match e.kind {
            Kind::NotFound => {
                Error::invalid(format!("cause '{}' is not an event of this space", excerpt(id))).hint(e.hint)
            }
            _ => e,
        })?;
        // What is in quarantine lends its trust and its origin all the same.
        let event = if event.fields.is_none() && self.hidden()?.contains(&event.seq()) {
            self.raw_event(event.seq())?
        } else {
            event
        };
        let expires = self.expiry_of(event.seq(), head)?;
        Ok(Standing {
            trust: event.trust(),
            visibility: event.visibility(),
            origin: event.origin().to_owned(),
            expires,
        })
    }

    /// The one event with an id, as of a seq.
    pub fn by_id(&self, id: &str, at: u64) -> Result<Event> {
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
                    .hint("name the event by its number, e.g. #7"))
            }
        }
    }

    /// The events with an id at the least distance.
    pub(super) fn nearest(
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
    pub fn erased_seq(&self, id: &str) -> Result<Option<u64>> {
        let select = Select::from(&APART, self.horizon(None)?).filter(Filter::Is("id", id.into()));
        Ok(self.seqs(&select)?.first().copied())
    }

    /// Whether the content of the event with an id was erased.
    pub fn is_erased(&self, id: &str) -> Result<bool> {
        Ok(self.erased_seq(id)?.is_some())
    }
}

impl Standing {
    fn of(claim: &Claim) -> Self {
        let trust = claim.trust();
        let origin = claim.origin.clone().unwrap_or_else(|| trust.word().to_owned());
        let visibility = claim.visibility.unwrap_or(Visibility::External);
        Self { trust, visibility, origin, expires: claim.expires_at }
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
