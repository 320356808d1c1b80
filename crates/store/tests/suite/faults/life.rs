//! One life of a log on a simulated disk: what was tried, what was acknowledged, how it ended, and what must be left.

use std::fs;

use idetic_core::chain::Secret;
use idetic_core::record::is_retry;
use idetic_core::{Stored, Time, Tip};
use idetic_store::{Ack, Error, Log, Options, Result, SimulatedDisk, SqliteLog};
use rusqlite::{Connection, params};
use tempfile::TempDir;

use crate::suite::disk::SimDisk;
use crate::suite::given::{self, batch, note, note_with_id, scrambled};

/// How a process ends.
#[derive(Debug, Clone, Copy)]
pub enum Death {
    /// The machine goes on: what was written can be read.
    Killed,
    /// Of what was not flushed, the seed decides what is left.
    PowerLoss(u64),
}

/// A batch that was handed in.
struct Attempt {
    bodies: Vec<String>,
    acks: Option<Vec<Ack>>,
}

pub struct Life<'a> {
    disk: &'a SimDisk,
    checkpoint_commits: u64,
    /// Holds what lies beside the database: the lock, the head, the mark of a failed flush.
    folder: TempDir,
    attempts: Vec<Attempt>,
    /// What the head file said, from the beginning on: it is not flushed, so a power loss can bring any of it back.
    heads: Vec<Vec<u8>>,
    /// How many handles were opened: each has random bytes of its own.
    handles: u64,
}

impl<'a> Life<'a> {
    pub fn begin(disk: &'a SimDisk, checkpoint_commits: u64) -> Self {
        let folder = given::folder();
        Self { disk, checkpoint_commits, folder, attempts: Vec::new(), heads: Vec::new(), handles: 0 }
    }

    fn options(&mut self) -> (idetic_store::Env, Options) {
        self.handles += 1;
        let disk = SimulatedDisk { vfs: self.disk.name().to_owned(), checkpoint_commits: self.checkpoint_commits };
        (given::sources_from(self.handles), Options { disk: Some(disk) })
    }

    pub fn create(&mut self) -> Result<Box<dyn Log>> {
        let (env, options) = self.options();
        Ok(Box::new(SqliteLog::create(self.folder.path(), env, &options)?))
    }

    /// Opens what must be there.
    pub fn reopen(&mut self) -> std::result::Result<Box<dyn Log>, String> {
        let (env, options) = self.options();
        match SqliteLog::open(self.folder.path(), env, &options) {
            Ok(Some(log)) => Ok(Box::new(log)),
            Ok(None) => Err("there is no log".to_owned()),
            Err(error) => Err(format!("cannot open: {error}")),
        }
    }

    /// Appends the next batch of one to five events, some with ids.
    pub fn append_next(&mut self, log: &dyn Log) -> Result<()> {
        let bodies = self.next_bodies();
        let outcome = log.append(batch(&bodies));
        self.heads.extend(fs::read(self.folder.path().join("head")));
        let failure = outcome.as_ref().err().cloned();
        self.attempts.push(Attempt { bodies, acks: outcome.ok() });
        failure.map_or(Ok(()), Err)
    }

    fn next_bodies(&self) -> Vec<String> {
        let number = self.attempts.len();
        let body = |part: usize| {
            let text = format!("{number}.{part} {}", "x".repeat(scrambled((number * 8 + part) as u64) as usize % 700));
            if (number + part).is_multiple_of(3) {
                note_with_id(format_args!("{number}.{part}"), text)
            } else {
                note(text)
            }
        };
        (0..=number * 3 % 5).map(body).collect()
    }

    /// Does by hand what the log does, on a connection that does not flush.
    pub fn append_unflushed(&mut self, raw: &Connection, tip: &mut Tip) {
        let bodies = self.next_bodies();
        let mut acks = Vec::new();
        raw.execute_batch("BEGIN").expect("a transaction");
        for body in &bodies {
            let secret = Secret { salt: [1; 32], body: body.clone() };
            let sealed = [secret.salt.as_slice(), body.as_bytes()].concat();
            let event = tip.seal(format!("raw {}", tip.seq), "change".to_owned(), secret, Time(i64::MAX));
            let header = &event.header;
            let row = params![
                header.seq,
                header.version,
                header.id,
                header.recorded_at.0,
                header.kind,
                header.commitment.0.as_slice(),
                event.hash.0.as_slice(),
                sealed
            ];
            raw.execute("INSERT INTO events VALUES (?1, ?2, ?3, NULL, ?4, ?5, ?6, ?7, ?8)", row).expect("a row");
            acks.push(Ack { seq: header.seq, id: header.id.clone() });
            *tip = event.tip();
        }
        raw.execute_batch("COMMIT").expect("a commit");
        self.attempts.push(Attempt { bodies, acks: Some(acks) });
    }

    pub fn end(&mut self, death: Death) {
        self.die(death);
        if let Death::PowerLoss(seed) = death {
            self.lose_part_of_the_head(seed);
        }
    }

    /// The same where the head stays as it is.
    pub fn die(&self, death: Death) {
        match death {
            Death::Killed => self.disk.kill(),
            Death::PowerLoss(seed) => self.disk.crash(seed),
        }
    }

    /// The head file after a power loss: as it was, as it once was, torn, empty, full of noughts, or garbage. Its flushed copy
    /// is what it was.
    fn lose_part_of_the_head(&mut self, seed: u64) {
        let path = self.folder.path().join("head");
        let any = scrambled(seed) as usize;
        let Some(last) = self.heads.last() else { return };
        let left = match any % 7 {
            0 => last[..any / 7 % last.len()].to_vec(),
            1 | 2 => self.heads[any / 7 % self.heads.len()].clone(),
            3 => Vec::new(),
            4 => vec![0; last.len()],
            5 => last.iter().rev().copied().collect(),
            _ => return,
        };
        fs::write(path, left).expect("a head");
    }

    pub fn disk_bytes(&self) -> usize {
        let copy = given::folder();
        self.disk.export(copy.path()).expect("a copy");
        let files = fs::read_dir(copy.path()).expect("files");
        files.map(|file| file.and_then(|f| f.metadata()).map_or(0, |m| m.len() as usize)).sum()
    }

    /// The log is what was acknowledged, in order, and else only whole batches that were handed in.
    pub fn check(&self, log: &dyn Log) -> std::result::Result<(), String> {
        let failed = |what: &'static str| move |error: Error| format!("{what}: {error}");
        let tip = log.tip().map_err(failed("the tip"))?;
        let events = log.read(1, usize::MAX).map_err(failed("reading"))?;
        let end = events.iter().try_fold(Tip::empty(tip.space), |tip, event| tip.follow(event));
        if end != Ok(tip) {
            return Err(format!("the chain ends with {end:?}, the tip is {tip:?}"));
        }
        let mut rest = &events[..];
        for (number, attempt) in self.attempts.iter().enumerate() {
            if is_next(rest, attempt) {
                rest = &rest[attempt.bodies.len()..];
            } else if let Some(acks) = &attempt.acks {
                let at = rest.first().map_or(events.len() as u64 + 1, |e| e.header.seq);
                return Err(format!("batch {number} was acknowledged as {acks:?} and is not at {at}"));
            }
        }
        if let Some(event) = rest.first() {
            return Err(format!("event {} was never handed in", event.header.seq));
        }
        let problems = log.check_storage().map_err(failed("the storage"))?;
        if problems.is_empty() { Ok(()) } else { Err(format!("{problems:?}")) }
    }

    /// How many batches were acknowledged.
    pub fn acknowledged(&self) -> usize {
        self.attempts.iter().filter(|attempt| attempt.acks.is_some()).count()
    }
}

/// Whether the log goes on with exactly this batch, under the numbers and ids it was acknowledged with.
fn is_next(rest: &[Stored], attempt: &Attempt) -> bool {
    // Each handle's clock starts anew, behind the log: what it appends says its own time.
    let said = |event: &Stored, body: &String| event.secret.as_ref().is_some_and(|s| is_retry(&s.body, body));
    let is = |event: &Stored, ack: &Ack| event.header.seq == ack.seq && event.header.id == ack.id;
    rest.len() >= attempt.bodies.len()
        && rest.iter().zip(&attempt.bodies).all(|(event, body)| said(event, body))
        && attempt.acks.iter().flatten().zip(rest).all(|(ack, event)| is(event, ack))
}
