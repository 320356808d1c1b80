//! What happens inside one commit: retries recognised, conflicts refused, new events sealed and added.

use std::collections::HashMap;
use std::path::Path;

use idetic_core::record::{self, IdKey, same_content};
use idetic_core::{Stored, Time, Tip};
use rusqlite::Connection;

use super::archives::Archives;
use super::rows;
use crate::log::{Ack, Batch, NewEvent};
use crate::{Conflict, Env, Error, Result};

/// Random bytes of one event: its salt, and what makes an id of ours unique. Eight divide it, for env that deal in
/// words.
const CHANCE_BYTES: usize = 48;

/// Whether this process may still write.
#[derive(Default)]
pub struct Committer {
    poisoned: bool,
}

impl Committer {
    pub fn check(&self) -> Result<()> {
        if self.poisoned { Err(Error::Poisoned) } else { Ok(()) }
    }

    /// A flush that failed is never tried again here, and is marked for the next process that writes.
    /// Tells whether there was one.
    pub fn heed<T>(&mut self, outcome: &Result<T>, mark: &Path) -> bool {
        let failed = matches!(outcome, Err(Error::Poisoned));
        if failed {
            self.poisoned = true;
            // The mark is a help to others; that it cannot be written on a broken disk changes nothing for this process.
            let _ = std::fs::write(mark, "");
        }
        failed
    }
}

/// Appends several batches behind each other. Each gets its own answer; a refused one leaves nothing behind.
pub fn append(
    connection: &Connection,
    archives: &Archives,
    before: Tip,
    batches: Vec<Batch>,
    env: &Env,
) -> Result<(Tip, Vec<Result<Vec<Ack>>>)> {
    let mut tip = before;
    let mut answers = Vec::with_capacity(batches.len());
    for batch in batches {
        answers.push(match plan(connection, archives, &batch, &tip)? {
            Ok(plan) => Ok(carry_out(connection, batch.events, plan, &mut tip, env)?),
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
fn plan(
    connection: &Connection,
    archives: &Archives,
    batch: &Batch,
    tip: &Tip,
) -> Result<std::result::Result<Vec<Step>, Conflict>> {
    let mut plan = Vec::with_capacity(batch.events.len());
    let mut find = rows::Find::prepare(connection)?;
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
        } else if let Some(seq) = find.seq(*key)? {
            if !is_retry(connection, archives, seq, &event.body)? {
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
fn is_retry(connection: &Connection, archives: &Archives, seq: u64, body: &str) -> Result<bool> {
    let there = rows::read_within(connection, archives, seq, 1)?;
    Ok(there.first().and_then(|e| e.secret.as_ref()).is_some_and(|s| record::is_retry(&s.body, body)))
}

fn carry_out(
    connection: &Connection,
    events: Vec<NewEvent>,
    plan: Vec<Step>,
    tip: &mut Tip,
    env: &Env,
) -> Result<Vec<Ack>> {
    let mut acks: Vec<Ack> = Vec::with_capacity(events.len());
    let mut insert = rows::Insert::prepare(connection)?;
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
                insert.add(&stored, key)?;
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
