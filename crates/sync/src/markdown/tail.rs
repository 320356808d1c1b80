//! The usual case: something was added to the end of the changelog, or is to be, and everything else is as it was left. Then
//! the old events are not read again.

use std::collections::BTreeSet;

use idetic_core::words::Trust;
use idetic_core::{Hash, Record, Time};
use idetic_formats::markdown::changelog::event_id;
use idetic_formats::markdown::{Changelog, Entry, Generation, append, identities_behind};
use idetic_memory::{Result, Writer};
use idetic_store::Filter;

use super::Project;
use super::compare::{AWAY, Known};
use super::drawn::Drawn;
use super::files::{LOG, Logs, text};
use super::records::{draft, full, id, key, record};
use super::state::Seen;
use super::story::{Story, Told};
use super::take_in::numbering;

/// Most events that are taken in this way.
const ADDED_MAX_EVENTS: usize = 8;

/// An event behind those that were seen.
struct Added {
    entry: Entry,
    raw: String,
    key: String,
    id: String,
}

impl Project {
    /// Does all that is to do, if it is the usual case; says whether it is.
    pub(super) fn sync_tail(&mut self) -> Result<bool> {
        let Some((seen, text)) = self.unchanged()? else { return Ok(false) };
        let Some(mut drawn) = Drawn::load(self.log()?.folder()).filter(|drawn| drawn.events == seen.events) else {
            return Ok(false);
        };
        let log = Changelog::read(&text[seen.last_at..]);
        let Some(added) = self.added(&log, &seen)? else { return Ok(false) };
        let waiting = self.unwritten(self.rows_where(Filter::IsNull("identity"))?)?;
        if !added.is_empty() && !waiting.is_empty() || !self.take_added(&added)? {
            return Ok(false);
        }
        let (text, added) = if waiting.is_empty() { (text, added) } else { self.write_waiting(text, &seen, &waiting)? };
        let told: Vec<Told> = added.into_iter().map(|added| Told::new(added.id, added.entry)).collect();
        for (at, one) in told.iter().enumerate() {
            let earlier =
                |number: u64| told[..at].iter().find(|told| told.number == Some(number)).map(|told| told.id.clone());
            let known = |number: u64| {
                let known = self.numbered(number).ok().flatten()?;
                Some(id(&full(known.key.as_deref()?)?, 0))
            };
            drawn.tell(one, &|number| {
                let own = (one.number == Some(number)).then(|| one.id.clone());
                own.or_else(|| earlier(number)).or_else(|| known(number)).unwrap_or_else(|| event_id(number))
            })?;
        }
        self.put_all(&drawn, told.last().map(|told| &*told.entry))?;
        drawn.keep(self.log()?.folder())?;
        let read = Changelog::read(&text[seen.last_at..]);
        let last = read.entries().last().filter(|_| self.report.is_clean());
        let counts = (drawn.events, seen.in_log + told.len());
        let seen = last.and_then(|last| Seen::new(&text, seen.last_at + last.range.start, last, counts));
        self.remember(seen, text.len())?;
        Ok(true)
    }

    /// What was seen the last time and what the file says now, where it begins with that and nothing else was touched.
    fn unchanged(&self) -> Result<Option<(Seen, String)>> {
        let Some(seen) = self.state.seen.clone() else { return Ok(None) };
        let mut stamps = self.stamps()?;
        let mut known = self.state.files.clone();
        stamps.remove(LOG);
        let is_usual = known.remove(LOG).is_some() && !self.wants_all_anew && self.state.appending.is_none();
        if !is_usual || stamps != known {
            return Ok(None);
        }
        let text = text(&self.folder, LOG)?.unwrap_or_default();
        let begins = text.get(..seen.bytes).is_some_and(|old| Hash::of(old.as_bytes()).to_string() == seen.hash);
        Ok(begins.then_some((seen, text)))
    }

    /// What stands behind what was seen, if that is nothing out of the ordinary.
    fn added(&self, log: &Changelog, seen: &Seen) -> Result<Option<Vec<Added>>> {
        let Some((first, rest)) = log.entries().split_first() else { return Ok(None) };
        let mut last = (seen.last, seen.time);
        let is_next = |entry: &Entry| {
            let is_behind = entry.number.is_some_and(|number| number > last.0) && entry.time.0 >= last.1;
            last = (entry.number.unwrap_or(0), entry.time.0);
            is_behind && entry.generation == Generation::Two
        };
        let is_usual = first.number == Some(seen.last) && log.problems().is_empty() && log.ends_in_events();
        if !is_usual || !rest.iter().all(is_next) {
            return Ok(None);
        }
        if rest.len() > ADDED_MAX_EVENTS {
            return Ok(None);
        }
        let mut added = Vec::with_capacity(rest.len());
        let mut ids = BTreeSet::new();
        for (entry, identity) in rest.iter().zip(identities_behind(log, 1, &|number| self.full_of(number))) {
            let own = id(&identity.full, 0);
            let key = key(&identity);
            let away = format!("{AWAY}{key}");
            // The same words once more, or an event that another branch brings: that takes a look at all of them.
            if !ids.insert(own.clone()) || self.is_key(&key)? || self.is_key(&away)? || self.is_event(&own)? {
                return Ok(None);
            }
            let raw = log.raw(entry).to_owned();
            added.push(Added { entry: entry.clone(), raw, key, id: own });
        }
        Ok(Some(added))
    }

    fn is_key(&self, key: &str) -> Result<bool> {
        Ok(!self.rows_where(Filter::Is("identity", key.into()))?.is_empty())
    }

    fn is_event(&self, id: &str) -> Result<bool> {
        Ok(self.log()?.by_id(id, self.head()?).is_ok())
    }

    fn full_of(&self, number: u64) -> Option<Hash> {
        full(self.numbered(number).ok().flatten()?.key.as_deref()?)
    }

    /// Takes in what was added; not at all if something of it cannot be.
    fn take_added(&mut self, added: &[Added]) -> Result<bool> {
        let mut records: Vec<Record> = Vec::with_capacity(added.len());
        for one in added {
            let name = |number: &u64| {
                let among =
                    added.iter().find(|other| other.entry.number == Some(*number)).map(|other| other.id.clone());
                let known = || self.numbered(*number).ok().flatten().map(|known| known.event);
                among.or_else(known).unwrap_or_else(|| event_id(*number))
            };
            let refs: Vec<String> = one.entry.refs.iter().map(name).collect();
            match record(&one.entry, &one.raw, &one.id, &one.key, &refs, false) {
                Ok(record) => records.push(Writer::of_synced_file(Trust::Agent, None).sign(record)?),
                Err(_) => return Ok(false),
            }
        }
        self.report.taken_in += records.len() as u64;
        self.append(records)?;
        Ok(true)
    }

    /// Writes what waits, and gives what the file says then.
    fn write_waiting(
        &mut self,
        text: String,
        seen: &Seen,
        waiting: &[super::GraphEvent],
    ) -> Result<(String, Vec<Added>)> {
        let mut waiting: Vec<&super::GraphEvent> = waiting.iter().collect();
        waiting.sort_by_key(|row| row.seq);
        let mut drafts = Vec::with_capacity(waiting.len());
        for (number, row) in (seen.last + 1..).zip(&waiting) {
            let event = self.log()?.event(u64::try_from(row.seq).unwrap_or(0))?;
            let among = |id: &str| (seen.last + 1..).zip(&waiting).find(|(_, row)| row.event == id).map(|(n, _)| n);
            let known = |id: &str| {
                let rows = self.rows_where(Filter::Is("event", id.into())).ok()?;
                rows.first().map(Known::from)?.number
            };
            let draft = draft(&event, number, &|id| known(id).or_else(|| among(id)));
            drafts.push(draft.not_before(Some(Time(seen.time))));
        }
        let part = &text[seen.last_at..];
        let Ok(after) = append(part, &drafts) else { return Ok((text, Vec::new())) };
        let new = after.strip_prefix(part).unwrap_or_default();
        let events: Vec<String> = waiting.iter().map(|row| row.event.clone()).collect();
        self.begin_adding(text.len(), new, &events)?;
        self.folder.append_as_it_is(LOG, new)?;
        self.note_file(LOG);
        self.report.written += drafts.len() as u64;
        let log = Changelog::read(&after);
        let first = log.entries().len().saturating_sub(drafts.len());
        let identities = identities_behind(&log, first, &|number| self.full_of(number));
        let added = log.entries()[first..].iter().zip(&identities).map(|(entry, identity)| Added {
            entry: entry.clone(),
            raw: String::new(),
            key: key(identity),
            id: id(&identity.full, 0),
        });
        let added: Vec<Added> = added.collect();
        let told =
            added.iter().zip(&waiting).map(|(one, row)| numbering(&row.event, None, one.entry.number, Some(&one.key)));
        self.append(told.collect::<Result<_>>()?)?;
        Ok((format!("{text}{new}"), added))
    }

    /// What is to be remembered of a changelog, if what is added to it can be told from that alone.
    pub(super) fn seen(&self, logs: &Logs, story: &Story) -> Option<Seen> {
        let log = &logs.log;
        let is_ordered = story.told.windows(2).all(|pair| pair[0].number.is_some() && pair[0].number < pair[1].number);
        let mut ids = BTreeSet::new();
        let is_plain = is_ordered && log.ends_in_events() && story.told.iter().all(|told| ids.insert(told.id.as_str()));
        let last = log.entries().last().filter(|_| is_plain && self.report.is_clean())?;
        Seen::new(log.text(), last.range.start, last, (story.told.len(), log.entries().len()))
    }
}

impl Seen {
    fn new(text: &str, last_at: usize, last: &Entry, (events, in_log): (usize, usize)) -> Option<Self> {
        let hash = Hash::of(text.as_bytes()).to_string();
        Some(Self { bytes: text.len(), hash, last_at, last: last.number?, time: last.time.0, events, in_log })
    }
}
