//! What has expired: left out of every answer from that moment on, and there in the log until it is erased.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use idetic_core::as_of::AsOf;
use idetic_core::views::KEPT_UNTIL;
use idetic_core::{Event, Record, Time, policy};
use idetic_store::{Row, Select, Views};

use crate::audit::is_audit;
use crate::{Error, Result, Space};

/// The moment by which what has expired is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// The clock's.
    Now,
    /// When an event was written.
    AsOf(u64),
    /// A moment that was named.
    At(Time),
    /// None: nothing is left out.
    None,
}

impl Space {
    /// The same space for whoever works on all that is in it, also on what has expired and is not erased yet.
    #[must_use]
    pub fn with_expired(&self) -> Arc<Self> {
        Arc::new(Self { moment: Moment::None, ..self.clone() })
    }

    /// The same space as it is now, without what has expired.
    #[must_use]
    pub fn at_present(&self) -> Arc<Self> {
        Arc::new(Self { moment: Moment::Now, ..self.clone() })
    }

    /// The same space as it was in the past where that is asked for, and the seq up to which is read. Its "now" is the time
    /// that was named, or else when the event was written that was named.
    pub fn as_of(self: &Arc<Self>, as_of: Option<&AsOf>) -> Result<(Arc<Self>, u64)> {
        let horizon = self.horizon(as_of)?;
        Ok((self.stopped_at(as_of, horizon), horizon))
    }

    pub(crate) fn stopped_at(self: &Arc<Self>, as_of: Option<&AsOf>, horizon: u64) -> Arc<Self> {
        let moment = match as_of {
            None => return Arc::clone(self),
            Some(AsOf::Seq(_)) => Moment::AsOf(horizon),
            Some(AsOf::Time(time)) => Moment::At(*time),
        };
        Arc::new(Self { moment, ..Self::clone(self) })
    }

    /// Rows of a view as of a seq, after bringing the views that far.
    pub fn select(&self, select: &Select) -> Result<Vec<Row>> {
        if select.at == 0 {
            return Ok(Vec::new());
        }
        let now = self.expiring_by(select.at)?;
        self.fresh(select.at, |views| views.select(&Select { now, ..select.clone() }))
    }

    /// The seqs of the matching rows. Before the first event there are none, and perhaps no tables to look in.
    pub fn seqs(&self, select: &Select) -> Result<Vec<u64>> {
        if select.at == 0 {
            return Ok(Vec::new());
        }
        let now = self.expiring_by(select.at)?;
        self.fresh(select.at, |views| views.seqs(&Select { now, ..select.clone() }))
    }

    /// The moment by which something may have expired as of a seq; none while nothing has. Most spaces hold nothing that
    /// does, and their clock is not even asked.
    pub fn expiring_by(&self, seq: u64) -> Result<Option<Time>> {
        if self.moment == Moment::None || seq == 0 || self.is_kept_whole() {
            return Ok(None);
        }
        let Some(first) = self.fresh(seq, |views: &Views| views.first_expiry(seq))? else { return Ok(None) };
        let now = match self.moment {
            Moment::AsOf(0) => return Ok(None),
            Moment::AsOf(stopped) => self.stored_at(stopped)?.header.recorded_at,
            Moment::At(time) => time,
            _ => self.now(),
        };
        Ok((first <= now).then_some(now))
    }

    /// The events that had expired, as of a seq.
    pub fn expired(&self, seq: u64) -> Result<BTreeSet<u64>> {
        let Some(now) = self.expiring_by(seq)? else { return Ok(BTreeSet::new()) };
        let seqs = self.fresh(seq, |views| views.expired(seq, now))?;
        Ok(seqs.into_iter().collect())
    }

    /// Of what had expired as of a seq that whose content may be erased: what had an end of its own, or was given one by
    /// somebody who may forget it. For each whether what was made of it goes along, as if it were forgotten.
    pub fn erasable(&self, seq: u64) -> Result<BTreeMap<u64, bool>> {
        let Some(now) = self.expiring_by(seq)? else { return Ok(BTreeMap::new()) };
        let seqs = self.fresh(seq, |views| views.erasable(seq, now))?;
        Ok(seqs.into_iter().collect())
    }

    /// Whether nothing in it expires, whatever an event says: what administrators did stays known.
    fn is_kept_whole(&self) -> bool {
        is_audit(self.name())
    }

    /// Refuses to give anything an end where nothing expires.
    pub(crate) fn check_end(&self, record: &Record) -> Result<()> {
        let claim = &record.claim;
        let has_end = claim.expires_at.is_some() || claim.expires_in.is_some() || claim.kind == KEPT_UNTIL;
        if has_end && self.is_kept_whole() {
            return Err(Error::invalid("nothing in the audit log expires").hint("leave expires_at out"));
        }
        Ok(())
    }

    /// Puts the moment in the place of so much from now on. Who appends a record again means the moment of the first time.
    pub(crate) fn date_expiry(&self, record: &mut Record) -> Result<()> {
        let Some(span) = record.claim.expires_in.take() else { return Ok(()) };
        let before = record.claim.id_key().map_or(Ok(None), |key| self.log().find(key))?;
        let before = before.map(|seq| self.event(seq)).transpose()?.and_then(|event| event.expires_at());
        let moment = before.map_or_else(|| Time::parse_or_span(&span, self.now()), Ok)?;
        Ok(record.set("expires_at", &moment.to_string())?)
    }

    /// What takes the place of something expires with it unless it says when itself; nothing outlives its causes.
    pub(crate) fn limit_expiry(&self, record: &mut Record, until: Option<Time>) -> Result<()> {
        let mut moment = record.claim.expires_at;
        if moment.is_none() {
            // What takes something away stays when that has expired.
            let claim = &record.claim;
            let is_earlier = |event: &Event| claim.kind == event.header.kind && claim.is_of_lane(event);
            let (head, mut replaced) = (self.horizon(None)?, Vec::new());
            for id in Self::superseded_by(record)? {
                let event = self.nearest(&id, head, |_| 0, &is_earlier)?.pop();
                replaced.extend(event.map(|event| self.expiry_of(event.seq(), head)).transpose()?);
            }
            // As long as the one that is kept for longest.
            moment = replaced.into_iter().reduce(|one, other| Some(one?.max(other?))).flatten();
        }
        let until = until.filter(|_| !policy::is_reserved(&record.claim.kind));
        match moment.into_iter().chain(until).min() {
            Some(least) if record.claim.expires_at != Some(least) => Ok(record.set("expires_at", &least.to_string())?),
            _ => Ok(()),
        }
    }

    /// Whether anything in it was ever given an end, as far as is known at a seq.
    pub fn has_ends(&self, seq: u64) -> Result<bool> {
        Ok(seq > 0 && !self.is_kept_whole() && self.fresh(seq, |views| views.first_expiry(seq))?.is_some())
    }

    /// When an event expires, as far as is known at a seq; none where it does not.
    pub fn expiry_of(&self, event: u64, seq: u64) -> Result<Option<Time>> {
        if self.is_kept_whole() {
            return Ok(None);
        }
        Ok(self.fresh(seq, |views| views.ends_of(&[event], seq))?.pop().flatten())
    }

    /// Events with the end that each has as far as is known at a seq, whatever it said itself when it was written.
    pub(crate) fn with_ends(&self, mut events: Vec<Event>, seq: u64) -> Result<Vec<Event>> {
        if events.is_empty() || !self.has_ends(seq)? {
            return Ok(events);
        }
        let seqs: Vec<u64> = events.iter().map(Event::seq).collect();
        let ends = self.fresh(seq, |views| views.ends_of(&seqs, seq))?;
        for (event, end) in events.iter_mut().zip(ends) {
            if let Some(fields) = &mut event.fields {
                fields.expires_at = end;
            }
        }
        Ok(events)
    }
}
