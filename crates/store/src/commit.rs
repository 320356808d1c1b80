//! What happens inside one commit, whatever the log is kept in: retries recognised, conflicts refused, new events sealed,
//! sealed ones linked.

use std::collections::HashMap;

use idetic_core::record::{self, IdKey, same_content};
use idetic_core::{Event, Hash, SpaceId, Stored, Time, Tip};

use crate::log::{Ack, Batch, NewEvent};
use crate::{Conflict, Env, Error, Result};

/// Random bytes of one event: its salt, and what makes an id of ours unique. Eight divide it, for env that deal in
/// words.
const CHANCE_BYTES: usize = 48;

/// The rows of a log in a transaction that is open.
pub trait Rows {
    /// The event that has a caller's id.
    fn find(&mut self, key: IdKey) -> Result<Option<u64>>;

    /// The same where nothing else would refuse a second event with that id.
    fn find_unguarded(&mut self, key: IdKey) -> Result<Option<u64>>;

    /// One event, checked; `None` behind the end.
    fn event(&mut self, seq: u64) -> Result<Option<Stored>>;

    /// The hash of an event that must be there.
    fn hash_of(&mut self, seq: u64) -> Result<Hash>;

    /// Adds a sealed event.
    fn add(&mut self, event: &Stored, key: Option<IdKey>) -> Result<()>;

    /// Takes over the id of a chain that was begun elsewhere; the log is empty.
    fn adopt_space(&mut self, space: SpaceId) -> Result<Tip>;
}

/// Appends several batches behind each other. Each gets its own answer; a refused one leaves nothing behind.
pub fn append(
    rows: &mut impl Rows,
    before: Tip,
    batches: Vec<Batch>,
    env: &Env,
) -> Result<(Tip, Vec<Result<Vec<Ack>>>)> {
    let mut tip = before;
    let mut answers = Vec::with_capacity(batches.len());
    for batch in batches {
        answers.push(match plan(rows, &batch, &tip)? {
            Ok(plan) => Ok(carry_out(rows, batch.events, plan, &mut tip, env)?),
            Err(conflict) => Err(Error::Conflict(conflict)),
        });
    }
    Ok((tip, answers))
}

/// What becomes of one event of a batch.
enum Step {
    /// It is new.
    Append,
    /// It is in the log already.
    Known(Ack),
    /// It is the same as an earlier event of this batch.
    Repeats(usize),
}

/// Decides over a whole batch before anything of it is written.
fn plan(rows: &mut impl Rows, batch: &Batch, tip: &Tip) -> Result<std::result::Result<Vec<Step>, Conflict>> {
    let mut plan = Vec::with_capacity(batch.events.len());
    let mut seen: HashMap<IdKey, usize> = HashMap::new();
    for (at, event) in batch.events.iter().enumerate() {
        let Some((id, key)) = &event.id else {
            plan.push(Step::Append);
            continue;
        };
        let taken = |seq| Conflict::IdTaken { id: id.clone(), seq };
        if let Some(&first) = seen.get(key) {
            if !same_content(&batch.events[first].body, &event.body) {
                return Ok(Err(taken(tip.seq + 1 + first as u64)));
            }
            plan.push(Step::Repeats(first));
        } else if let Some(seq) = rows.find(*key)? {
            if !is_retry(rows, seq, &event.body)? {
                return Ok(Err(taken(seq)));
            }
            plan.push(Step::Known(Ack { seq, id: id.clone() }));
        } else {
            seen.insert(*key, at);
            plan.push(Step::Append);
        }
    }
    let adds = plan.iter().any(|step| matches!(step, Step::Append));
    match batch.expect {
        Some(expected) if adds && expected != tip.seq => Ok(Err(Conflict::Moved { expected, head: tip.seq })),
        _ => Ok(Ok(plan)),
    }
}

/// Whether the event that has the id says the same. Of an erased one nobody can tell any more, so it does not.
fn is_retry(rows: &mut impl Rows, seq: u64, body: &str) -> Result<bool> {
    let there = rows.event(seq)?;
    Ok(there.and_then(|event| event.secret).is_some_and(|secret| record::is_retry(&secret.body, body)))
}

fn carry_out(
    rows: &mut impl Rows,
    events: Vec<NewEvent>,
    plan: Vec<Step>,
    tip: &mut Tip,
    env: &Env,
) -> Result<Vec<Ack>> {
    let mut acks: Vec<Ack> = Vec::with_capacity(events.len());
    // All at once: asking the system for each event would be a system call for each.
    let added = plan.iter().filter(|step| matches!(step, Step::Append)).count();
    let mut chance = vec![0; added * CHANCE_BYTES];
    env.fill(&mut chance);
    let mut chance = chance.chunks_exact(CHANCE_BYTES);
    for (event, step) in events.into_iter().zip(plan) {
        acks.push(match step {
            Step::Known(ack) => ack,
            Step::Repeats(first) => acks[first].clone(),
            Step::Append => {
                let key = event.id.as_ref().map(|(_, key)| *key);
                let random = chance.next().expect("there is one for each event that is added");
                let stored = seal(event, tip, env.now(), random);
                rows.add(&stored, key)?;
                *tip = stored.tip();
                Ack { seq: tip.seq, id: stored.header.id }
            }
        });
    }
    Ok(acks)
}

fn seal(event: NewEvent, tip: &Tip, now: Time, random: &[u8]) -> Stored {
    let (salt, unique) = random.split_first_chunk::<32>().expect("48 bytes hold 32");
    let id = event.id.map_or_else(
        || {
            let unique = unique.first_chunk::<10>().expect("48 bytes hold 32 and 10");
            crate::env::event_id(now, unique)
        },
        |(id, _)| id,
    );
    // A clock that ran ahead once must not date everything that comes after.
    let is_behind = event.undated && tip.ahead_of(now).is_some();
    let body = if is_behind { record::dated(event.body, now) } else { event.body };
    let secret = idetic_core::chain::Secret { salt: *salt, body };
    tip.seal(id, event.kind, secret, now)
}

/// Takes in events that were sealed elsewhere, and passes over those that are here. Gives the tip and how many were new.
pub fn graft(rows: &mut impl Rows, before: Tip, events: &[Stored]) -> Result<(Tip, u64)> {
    let start = match (before.seq, events.first()) {
        (0, Some(first)) => rows.adopt_space(first.header.space)?,
        _ => before,
    };
    let mut tip = start;
    for event in events {
        if event.header.seq > tip.seq {
            tip = link(rows, &tip, event)?;
            continue;
        }
        let seq = event.header.seq;
        if seq == 0 || rows.hash_of(seq)? != event.hash {
            return Err(Error::Conflict(Conflict::Diverged { seq }));
        }
        // One that is known is skipped; one that was altered since only has its hash.
        event.check().map_err(|fault| Error::Damaged { seq, fault })?;
    }
    Ok((tip, tip.seq - start.seq))
}

/// Adds a whole chain to a log that was emptied, and gives its tip.
pub fn refill(rows: &mut impl Rows, empty: Tip, events: &mut dyn Iterator<Item = Result<Stored>>) -> Result<Tip> {
    let mut tip = empty;
    for (at, event) in events.enumerate() {
        let event = event?;
        if at == 0 {
            tip = rows.adopt_space(event.header.space)?;
        }
        tip = link(rows, &tip, &event)?;
    }
    Ok(tip)
}

/// Adds an event that was sealed elsewhere, if it follows the tip and can be read.
fn link(rows: &mut impl Rows, tip: &Tip, event: &Stored) -> Result<Tip> {
    let after = tip.follow(event).map_err(|fault| Error::Damaged { seq: event.header.seq, fault })?;
    let key = Event::read(event)?.fields.and_then(|fields| fields.id_key());
    if let Some(seq) = key.map_or(Ok(None), |key| rows.find_unguarded(key))? {
        return Err(Error::Conflict(Conflict::IdTaken { id: event.header.id.clone(), seq }));
    }
    rows.add(event, key)?;
    Ok(after)
}
