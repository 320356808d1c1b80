//! A viewpoint: a space as one pair of eyes sees it. Everything a persona can obtain goes through here, and what it may not
//! see is left out before anything is counted, ranked or numbered.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use idetic_core::event::Seen;
use idetic_core::identity::StmSearch;
use idetic_core::views::{RECALLED, TIMELINE, Value};
use idetic_core::words::Persona;
use idetic_core::{Event, Fields, Record, Time};
use idetic_model::Embedder;
use idetic_search::stm::StmEntry;
use idetic_search::{Changes, Lane, LaneSection, parts_of};
use idetic_store::{Conflict, Filter, Made, Select};
use serde_json::json;

use crate::as_of::AsOf;
pub use crate::scope::Scope;
use crate::sessions::Sessions;
use crate::short_term::LoopOwner;
use crate::space::append::by_hand;
use crate::space::embedding::{EmbedBudget, Which};
use crate::space::index::{LongTerm, Waiting};
use crate::{Cause, Env, Error, EventNumber, Kind, Recalled, Result, Space, Writer};

/// How often an append through a view is tried again because somebody else's events came between.
const APPEND_TRIES: usize = 1000;

/// A space through one pair of eyes: what every memory service works on, and what its answers are made from. Whoever has a
/// viewpoint has no way to the space behind it, in any crate but this one.
///
/// ```compile_fail,E0624
/// fn beyond(viewpoint: &idetic_memory::Viewpoint) {
///     let space = viewpoint.space();
/// }
/// ```
#[derive(Clone)]
pub struct Viewpoint {
    space: Arc<Space>,
    /// What it sees.
    pub scope: Scope,
    /// Who writes through it.
    writer: Writer,
}

impl Space {
    /// The space as its owner sees it: everything but what a subconscious keeps to itself.
    pub fn as_owner(self: &Arc<Self>) -> Viewpoint {
        Viewpoint::new(Arc::clone(self), Scope::Owner)
    }

    /// What the space shares, and nothing that an agent keeps to itself.
    pub fn as_shared(self: &Arc<Self>) -> Viewpoint {
        Viewpoint::new(Arc::clone(self), Scope::Shared)
    }

    /// The space as one side of an agent sees it.
    pub fn as_agent(self: &Arc<Self>, agent: &str, persona: Persona) -> Viewpoint {
        Viewpoint::new(Arc::clone(self), Scope::View(agent.to_owned(), persona))
    }
}

impl Viewpoint {
    /// A space through such eyes.
    pub fn new(space: Arc<Space>, scope: Scope) -> Self {
        Self { space, scope, writer: Writer::default() }
    }

    pub(crate) fn shared_space(&self) -> &Arc<Space> {
        &self.space
    }

    /// The same eyes on another handle of the space.
    pub(crate) fn on(&self, space: Arc<Space>) -> Self {
        Self { space, ..self.clone() }
    }

    /// The same space through other eyes.
    pub(crate) fn through(&self, scope: Scope) -> Self {
        Self { space: Arc::clone(&self.space), scope, writer: self.writer.clone() }
    }

    /// The same eyes; whatever is written through them is this writer's.
    #[must_use]
    pub fn written_by(self, writer: Writer) -> Self {
        Self { writer, ..self }
    }

    /// Who writes through it.
    pub(crate) fn writer(&self) -> &Writer {
        &self.writer
    }

    /// The lane that what it writes belongs to.
    pub fn lane(&self) -> String {
        match &self.scope {
            Scope::Owner | Scope::Shared => Lane::Shared.name(),
            Scope::View(agent, persona) => Lane::Of(agent.clone(), *persona).name(),
        }
    }

    /// The clock and the random source.
    pub fn env(&self) -> &Env {
        self.space.env()
    }

    /// The sessions of the space, for whoever records one.
    pub fn sessions(&self) -> Sessions<'_> {
        Sessions::of(&self.space)
    }

    /// Events by their numbers, in that order; those that cannot be seen are left out.
    pub fn events(&self, seqs: &[u64]) -> Result<Vec<Event>> {
        let mut events = self.space.events(seqs)?;
        // What was erased tells nothing but that it was, which the owner of the number knows.
        events.retain(|event| self.scope == Scope::Owner || event.fields.is_none() || self.sees_event(event));
        Ok(events)
    }

    /// The last loops of an agent or of what is shared, the latest first; none where they cannot be seen.
    pub fn loops(&self, whose: LoopOwner<'_>, window: usize, search: &StmSearch, at: u64) -> Result<Vec<StmEntry>> {
        let lane = whose.persona.map_or(Lane::Shared, |persona| Lane::Of(whose.agent.to_owned(), persona));
        // An owner who names a side of an agent looks with its eyes.
        let sees = self.scope == Scope::Owner || self.scope.sees(&lane);
        if sees { self.space.loops(whose, window, search, at) } else { Ok(Vec::new()) }
    }

    /// What later events said about the documents that can be seen, by lane.
    pub fn changes(&self, horizon: u64) -> Result<HashMap<String, Changes>> {
        let mut changes = self.space.changes(horizon)?;
        changes.retain(|lane, _| self.scope == Scope::Owner || self.scope.sees_named(lane, &LaneSection::ALL));
        Ok(changes)
    }

    /// Whether what an event states is true at a moment, as far as it is a fact.
    pub fn holds_at(&self, seq: u64, horizon: u64, moment: Time) -> Result<bool> {
        self.space.holds_at(seq, horizon, moment)
    }

    /// The documents that can be seen and have no vectors of a model yet, with what became of each.
    pub fn waiting(&self, model: &str, horizon: u64) -> Result<Vec<(Waiting, Option<Made>)>> {
        self.space.waiting(model, self.own_lanes().as_deref(), horizon)
    }

    /// Embeds a little of what waits in a lane that was just written to.
    pub fn embed_some(&self, model: &Arc<dyn Embedder>, lane: &str) -> Result<()> {
        let lanes = [lane.to_owned()];
        self.space.embed(model, Some(&lanes), Which::Pending, EmbedBudget::OPPORTUNISTIC, &mut |_, _| {}).map(drop)
    }

    /// The space behind it, for what is not an answer to whoever looks.
    pub(crate) fn space(&self) -> &Space {
        &self.space
    }

    /// The lanes to be searched: what keeps the memory or repeats it is searched only when its kind is asked for.
    pub(crate) fn lanes(&self, long_term: &LongTerm, kind: Option<&str>, is_filtered: bool) -> Vec<String> {
        self.named(long_term, parts_of(kind, is_filtered))
    }

    /// Whether an agent has worked in what is seen, and has repeated what it was asked and reminded of.
    pub(crate) fn repeats(&self, long_term: &LongTerm) -> bool {
        self.named(long_term, &[LaneSection::Echo]).iter().any(|name| long_term.has(name))
    }

    /// The lanes with words that a view sees; an owner's are those there are.
    pub fn own_lanes(&self) -> Option<Vec<String>> {
        self.own(&[LaneSection::Ranked, LaneSection::Echo])
    }

    fn named(&self, long_term: &LongTerm, parts: &[LaneSection]) -> Vec<String> {
        let seen = || long_term.lane_names().into_iter().filter(|name| self.scope.sees_named(name, parts)).collect();
        self.own(parts).unwrap_or_else(seen)
    }

    /// A view's lanes by name alone: its work does not grow with what it may not see.
    fn own(&self, parts: &[LaneSection]) -> Option<Vec<String>> {
        let mut lanes = vec![Lane::Shared];
        match &self.scope {
            Scope::Owner => return None,
            Scope::Shared => {}
            Scope::View(agent, persona) => {
                let own = |persona| Lane::Of(agent.clone(), persona);
                lanes.push(own(Persona::Actor));
                lanes.extend((*persona == Persona::Subconscious).then(|| own(Persona::Subconscious)));
            }
        }
        Some(lanes.iter().flat_map(|lane| parts.iter().map(|part| lane.part_name(*part))).collect())
    }

    /// The seq up to which is read: the head, or where the past was asked for, in this reader's own numbers.
    pub fn horizon(&self, as_of: Option<&AsOf>) -> Result<u64> {
        match (&self.scope, as_of) {
            (Scope::View(..), Some(AsOf::Seq(pos))) => {
                let head = self.space.horizon(None)?;
                self.seq_of(*pos, head)
            }
            _ => self.space.horizon(as_of),
        }
    }

    /// The seq of what this reader knows by a number; behind its last event it is the horizon itself.
    pub fn place_of(&self, number: u64, horizon: u64) -> Result<u64> {
        if self.counts_all() || number == 0 {
            return Ok(number);
        }
        if number >= self.count(horizon)? { Ok(horizon) } else { self.seq_of(number, horizon) }
    }

    /// The seq at which a view has so many events.
    fn seq_of(&self, pos: u64, head: u64) -> Result<u64> {
        let long_term = self.space.long_term(head)?;
        let lanes = self.named(&long_term, &LaneSection::ALL);
        let all = long_term.count(&lanes, head)?;
        if pos > all {
            return Err(Error::invalid(format!("position {pos} is in the future: the last is {all}"))
                .hint("name a position up to the last, or a time"));
        }
        let (mut low, mut high) = (0, head);
        while low < high {
            let middle = low.midpoint(high);
            if long_term.count(&lanes, middle)? >= pos {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        Ok(low)
    }

    /// The number under which this reader knows events: the owner's is the log's, a view's counts what it sees.
    pub fn places(&self, seqs: &[u64], head: u64) -> Result<Vec<EventNumber>> {
        if self.counts_all() {
            return Ok(seqs.iter().map(|seq| EventNumber::Seq(*seq)).collect());
        }
        let long_term = self.space.long_term(head.max(seqs.iter().copied().max().unwrap_or(0)))?;
        let lanes = self.named(&long_term, &LaneSection::ALL);
        seqs.iter().map(|seq| long_term.count(&lanes, *seq).map(EventNumber::Pos)).collect()
    }

    /// Whether this reader knows events by the numbers of the log.
    fn counts_all(&self) -> bool {
        !matches!(self.scope, Scope::View(..))
    }

    /// How many events this reader can see up to a seq.
    pub(crate) fn count(&self, horizon: u64) -> Result<u64> {
        let long_term = self.space.long_term(horizon)?;
        long_term.count(&self.named(&long_term, &LaneSection::ALL), horizon)
    }

    /// How many events this reader can see.
    pub fn count_all(&self) -> Result<u64> {
        self.horizon(None).and_then(|horizon| self.count(horizon)).map_err(|error| self.redact(error))
    }

    /// An error as this reader may hear it: which event of the whole space is damaged is its owner's affair.
    #[must_use]
    pub fn redact(&self, error: Error) -> Error {
        if self.counts_all() { error } else { error.for_view() }
    }

    /// When the last event this reader can see was written: its "now" as of a seq.
    pub fn last_recorded(&self, horizon: u64) -> Result<Option<Time>> {
        let long_term = self.space.long_term(horizon)?;
        match long_term.last(&self.named(&long_term, &LaneSection::ALL), horizon)? {
            0 => Ok(None),
            seq => Ok(Some(self.space.event(seq)?.header.recorded_at)),
        }
    }

    /// Whether an event belongs to a lane that can be seen.
    pub fn sees_event(&self, event: &Event) -> bool {
        event.fields.as_ref().is_some_and(|fields| self.scope.sees(&Lane::of(fields)))
    }

    /// Whether a row belongs to a lane that can be seen; without an agent it is shared.
    pub(crate) fn sees_row(&self, agent: &str, persona: &str) -> bool {
        let side = Persona::parse(persona).unwrap_or(Persona::Actor);
        let lane = if agent.is_empty() { Lane::Shared } else { Lane::Of(agent.to_owned(), side) };
        self.scope.sees(&lane)
    }

    /// The seqs that match and can be seen, in order.
    pub fn seqs(&self, select: &Select) -> Result<Vec<u64>> {
        let (agent, persona) = match &self.scope {
            Scope::Owner => return self.space.seqs(select),
            Scope::Shared => return self.space.seqs(&select.clone().filter(Filter::IsNull("agent"))),
            Scope::View(agent, persona) => (agent, persona),
        };
        let is = |persona: Persona| {
            [Filter::Is("agent", agent.as_str().into()), Filter::Is("persona", persona.word().into())]
        };
        let mut selects = vec![select.clone().filter(Filter::IsNull("agent"))];
        let own = [Persona::Actor, Persona::Subconscious].into_iter().filter(|p| p == persona || *p == Persona::Actor);
        selects.extend(own.map(|persona| is(persona).into_iter().fold(select.clone(), Select::filter)));
        let mut seqs = Vec::new();
        for select in &selects {
            seqs.extend(self.space.seqs(select)?);
        }
        seqs.sort_unstable();
        if select.newest_first {
            seqs.reverse();
        }
        seqs.truncate(select.limit.unwrap_or(usize::MAX));
        Ok(seqs)
    }

    /// One event by its id or its number.
    pub fn get(&self, name: &str, horizon: u64) -> Result<Event> {
        let number = name.parse::<u64>().ok();
        let last = if self.counts_all() { horizon } else { self.count(horizon)? };
        // A caller may have chosen a number as an id: what is no number here is looked for by its id.
        if let Some(number) = number.filter(|number| (1..=last).contains(number)) {
            let seq = if self.counts_all() { number } else { self.seq_of(number, horizon)? };
            let event = self.space.event(seq)?;
            self.check_expiry(name, seq, horizon)?;
            if self.scope == Scope::Owner || self.sees_event(&event) {
                return Ok(event);
            }
        }
        self.by_id(name, horizon).map_err(|e| match (e.kind, number) {
            (Kind::NotFound, Some(_)) => Error::not_found(format!("there is no event {name}: the last is {last}")),
            _ => e,
        })
    }

    /// The same with its number, as this reader may be shown it now.
    pub fn look_up(&self, name: &str) -> Result<(EventNumber, Event)> {
        let find = || {
            let horizon = self.horizon(None)?;
            Ok(self.show(vec![self.get(name, horizon)?], horizon)?.pop())
        };
        match find().map_err(|error| self.redact(error))? {
            Some(Shown::Whole(event)) => Ok((EventNumber::Seq(event.seq()), *event)),
            Some(Shown::Seen(seen)) => Ok((EventNumber::Pos(seen.pos), seen.event)),
            None => Err(Error::not_found(format!("there is no event with id '{name}'"))),
        }
    }

    /// What has expired is not there; its owner is told since when.
    fn check_expiry(&self, name: &str, seq: u64, horizon: u64) -> Result<()> {
        if !self.space.expired(horizon)?.contains(&seq) {
            return Ok(());
        }
        match self.space.expiry_of(seq, horizon)?.filter(|_| self.scope == Scope::Owner) {
            Some(time) => Err(Error::not_found(format!("event {name} expired at {time}"))),
            None => Err(Error::not_found(format!("there is no event with id '{name}'"))),
        }
    }

    fn by_id(&self, id: &str, horizon: u64) -> Result<Event> {
        if self.scope == Scope::Owner {
            return self.space.by_id(id, horizon).or_else(|error| match self.space.with_expired().by_id(id, horizon) {
                Ok(event) => self.check_expiry(id, event.seq(), horizon).and(Err(error)),
                Err(_) => Err(error),
            });
        }
        let seqs = self.seqs(&Select::from(&TIMELINE, horizon).filter(Filter::Is("id", Value::from(id))))?;
        let mut events = self.space.events(&seqs)?;
        // Its own before what is shared.
        events.sort_by_key(|event| event.fields.as_ref().is_none_or(|f| f.agent_id.is_none()));
        events.into_iter().next().ok_or_else(|| Error::not_found(format!("there is no event with id '{id}'")))
    }

    /// Events as this reader may be shown them, with their numbers and the end that each has now.
    pub fn show(&self, events: Vec<Event>, horizon: u64) -> Result<Vec<Shown>> {
        let events = self.space.with_ends(events, horizon)?;
        if self.scope == Scope::Owner {
            return Ok(events.into_iter().map(|event| Shown::Whole(Box::new(event))).collect());
        }
        let seqs: Vec<u64> = events.iter().map(Event::seq).collect();
        let places = self.places(&seqs, horizon)?;
        let mut shown = Vec::with_capacity(events.len());
        for (mut event, place) in events.into_iter().zip(places) {
            if let Some(fields) = &mut event.fields {
                fields.causes = self.visible_ids(std::mem::take(&mut fields.causes), horizon)?;
                fields.refs = self.visible_refs(std::mem::take(&mut fields.refs), horizon)?;
            }
            shown.push(Shown::Seen(Box::new(Seen { pos: place.number(), event })));
        }
        Ok(shown)
    }

    /// Of some ids those this reader can see.
    pub fn visible_ids(&self, ids: Vec<String>, horizon: u64) -> Result<Vec<String>> {
        if self.scope == Scope::Owner {
            return Ok(ids);
        }
        let mut visible = Vec::with_capacity(ids.len());
        for id in ids {
            match self.by_id(&id, horizon) {
                Ok(_) => visible.push(id),
                Err(error) if error.kind == Kind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(visible)
    }

    /// A reference may be anything. One that has the form of our ids is shown only where it leads to something that can
    /// be seen, whether or not it leads to something that cannot.
    fn visible_refs(&self, refs: Vec<String>, horizon: u64) -> Result<Vec<String>> {
        let ids: Vec<String> = refs.iter().filter(|r| is_uuid(r)).cloned().collect();
        let visible: HashSet<String> = self.visible_ids(ids, horizon)?.into_iter().collect();
        Ok(refs.into_iter().filter(|r| !is_uuid(r) || visible.contains(r)).collect())
    }

    /// Appends what a caller sent: signed by whoever writes, of kinds that may be appended by hand, where there is room for it.
    pub fn submit(&self, records: Vec<Record>, expect: Option<u64>) -> Result<Vec<(EventNumber, String)>> {
        let signed = |record| by_hand(self.writer.sign(record)?);
        let records = records.into_iter().map(signed).collect::<Result<Vec<_>>>()?;
        self.space.check_quota_of_callers(&records)?;
        self.append(records, expect)
    }

    /// Appends records together or not at all. A view appends as itself; what it expects and is told are its own numbers.
    pub fn append(&self, records: Vec<Record>, expect: Option<u64>) -> Result<Vec<(EventNumber, String)>> {
        let records = records.into_iter().map(|record| self.writer.sign(record)).collect::<Result<Vec<_>>>()?;
        if self.writer.highest.is_some() {
            records.iter().try_for_each(|record| self.check_id(record).and_then(|()| self.check_side(record)))?;
        }
        let Scope::View(agent, persona) = &self.scope else {
            let acks = self.space.append(records, expect)?;
            return Ok(acks.into_iter().map(|ack| (EventNumber::Seq(ack.seq), ack.id)).collect());
        };
        self.append_as(agent, *persona, records, expect).map_err(Error::for_view)
    }

    /// Keeps what an agent was shown in answer to a question: the ids in their order, and no word of what they say.
    pub fn keep_shown(&self, moment: &str, recalled: &Recalled, session: Option<&str>) -> Result<()> {
        let ids: Vec<&str> = recalled.hits.iter().map(|hit| hit.id.as_str()).collect();
        let mut body = json!({"kind": RECALLED, "trust": "agent", "refs": ids, "metadata": {"moment": moment}});
        if let Some(session) = session {
            body["trace_id"] = json!(session);
            body["conversation_id"] = json!(session);
        }
        self.append(vec![Record::parse(body.to_string().as_bytes())?], None).map(drop)
    }

    /// Refuses an id that the program gave to another event, or that an event of another lane has: with two of that id neither
    /// could be named any more. The log itself sees to ids that callers choose twice in one lane.
    fn check_id(&self, record: &Record) -> Result<()> {
        let Some(id) = &record.claim.id else { return Ok(()) };
        // What has expired keeps its id: with another of that id it would be there again.
        let space = self.space.with_expired();
        let named = Select::from(&TIMELINE, space.horizon(None)?).filter(Filter::Is("id", id.as_str().into()));
        let own = match &self.scope {
            Scope::View(agent, persona) => Lane::Of(agent.clone(), *persona),
            Scope::Owner | Scope::Shared => Lane::of(&Fields::read(&record.body)?),
        };
        let is_anothers = |fields: &Fields| fields.id.is_none() || Lane::of(fields) != own;
        for event in space.events(&space.seqs(&named)?)? {
            if self.sees_event(&event) && event.fields.as_ref().is_some_and(is_anothers) {
                let (id, seq) = (id.clone(), event.seq());
                let taken = idetic_store::Error::Conflict(Conflict::IdTaken { id, seq }).into();
                return Err(if matches!(self.scope, Scope::View(..)) { self.in_own_numbers(taken)? } else { taken });
            }
        }
        Ok(())
    }

    /// Refuses what would stand among what an agent keeps to itself: that is written by the agent's own side alone.
    fn check_side(&self, record: &Record) -> Result<()> {
        let is_side = matches!(&self.scope, Scope::View(..));
        match Lane::of(&Fields::read(&record.body)?) {
            Lane::Of(agent, Persona::Subconscious) if !is_side => {
                Err(Error::invalid(format!("only {agent} itself writes what its subconscious keeps"))
                    .hint("leave persona out"))
            }
            _ => Ok(()),
        }
    }

    fn append_as(
        &self,
        agent: &str,
        persona: Persona,
        records: Vec<Record>,
        expect: Option<u64>,
    ) -> Result<Vec<(EventNumber, String)>> {
        let mut own = Vec::with_capacity(records.len());
        for record in records {
            own.push(as_own(record, agent, persona)?);
        }
        for _ in 0..APPEND_TRIES {
            let head = self.space.horizon(None)?;
            let sees = |event: &Event| self.sees_event(event);
            // Asked for in any case: where what is there cannot be counted, nothing is appended that could not be
            // acknowledged.
            let have = self.count(head)?;
            let expected = match expect {
                Some(pos) if have != pos => return Err(moved(pos, have)),
                Some(_) => Some(head),
                None => None,
            };
            match self.space.append_seeing(own.clone(), expected, &sees) {
                Ok(acks) => {
                    let seqs: Vec<u64> = acks.iter().map(|ack| ack.seq).collect();
                    let places = self.places(&seqs, 0).map_err(Error::after_append)?;
                    return Ok(places.into_iter().zip(acks.into_iter().map(|ack| ack.id)).collect());
                }
                // Somebody's event came between; whether it counts here is for the next round to see.
                Err(Error { cause: Cause::Conflict(Conflict::Moved { .. }), .. }) => {}
                Err(error) => return Err(self.in_own_numbers(error)?),
            }
        }
        Err(Error::unavailable("other writers keep appending").hint("try again"))
    }

    /// Refuses to change what is not one's own: an agent changes nothing that all share, or another's.
    pub(crate) fn check_own(&self, what: &str, agent: &str, persona: &str) -> Result<()> {
        match &self.scope {
            Scope::View(own, side) if own != agent || side.word() != persona => {
                Err(Error::invalid(format!("{what} does not belong to agent {own}"))
                    .hint("leave --agent out to change what the space shares"))
            }
            Scope::Shared if !agent.is_empty() => {
                Err(Error::invalid(format!("{what} belongs to an agent")).hint("name the agent with --agent"))
            }
            _ => Ok(()),
        }
    }

    /// A record for the memory that something belongs to: an owner speaks for the agent whose it is.
    pub(crate) fn for_lane(&self, mut record: Record, agent: &str, persona: &str) -> Result<Record> {
        if self.scope == Scope::Owner && !agent.is_empty() {
            record.supply("agent_id", agent)?;
            record.supply("persona", persona)?;
        }
        Ok(record)
    }

    /// An id that is taken is named with this reader's number for it.
    fn in_own_numbers(&self, error: Error) -> Result<Error> {
        let Some(Conflict::IdTaken { id, seq }) = error.conflict() else { return Ok(error) };
        let head = self.space.horizon(None)?;
        // What is not there yet stands in the same batch, all of which is this reader's.
        let place = match seq.checked_sub(head) {
            Some(later) if later > 0 => self.count(head)? + later,
            _ => self.places(&[*seq], 0)?.first().map_or(0, |place| place.number()),
        };
        Ok(idetic_store::Error::Conflict(Conflict::IdTaken { id: id.clone(), seq: place }).into())
    }
}

/// An event as a reader is shown it.
pub enum Shown {
    /// All of it, for the owner.
    Whole(Box<Event>),
    /// As a persona sees it.
    Seen(Box<Seen>),
}

fn moved(expected: u64, head: u64) -> Error {
    idetic_store::Error::Conflict(Conflict::Moved { expected, head }).into()
}

/// A record in a view's own name.
fn as_own(mut record: Record, agent: &str, persona: Persona) -> Result<Record> {
    let said = (record.claim.agent_id.as_deref(), record.claim.persona);
    match said {
        (None, _) => {
            record.supply("agent_id", agent)?;
            record.supply("persona", persona.word())?;
            record.claim.check_side()?;
            Ok(Record::parse(record.body.as_bytes())?)
        }
        (Some(named), Some(side)) if named == agent && side == persona => Ok(record),
        _ => Err(Error::invalid(format!("a view of {agent} as {} can only append as itself", persona.word()))
            .hint("leave agent_id and persona out of the record, or name the view's own")),
    }
}

fn is_uuid(text: &str) -> bool {
    let hex = |part: &str, length: usize| part.len() == length && part.bytes().all(|b| b.is_ascii_hexdigit());
    let parts: Vec<&str> = text.split('-').collect();
    parts.len() == 5 && parts.iter().zip([8, 4, 4, 4, 12]).all(|(part, length)| hex(part, length))
}
