//! Small logs to damage: the bytes of their files, and everything they answer while they are whole.

use std::fs;
use std::path::Path;

use idetic_core::record::IdKey;
use idetic_store::{Log, SqliteLog};
use rusqlite::Connection;

use crate::suite::given::{self, batch, event};

/// The bytes of the files of a log.
#[derive(Clone)]
pub struct Files {
    db: Vec<u8>,
    wal: Vec<u8>,
    head: Vec<u8>,
    copy: Vec<u8>,
}

const NAMES: [&str; 4] = ["log.db", "log.db-wal", "head", "head.flushed"];

impl Files {
    pub fn read(folder: &Path) -> Self {
        let [db, wal, head, copy] = NAMES.map(|name| fs::read(folder.join(name)).unwrap_or_default());
        Self { db, wal, head, copy }
    }

    pub fn get(&self, name: &str) -> &Vec<u8> {
        match name {
            "log.db" => &self.db,
            "log.db-wal" => &self.wal,
            "head.flushed" => &self.copy,
            _ => &self.head,
        }
    }

    pub fn get_mut(&mut self, name: &str) -> &mut Vec<u8> {
        match name {
            "log.db" => &mut self.db,
            "log.db-wal" => &mut self.wal,
            "head.flushed" => &mut self.copy,
            _ => &mut self.head,
        }
    }

    /// Makes a folder hold these files and nothing that was derived from others.
    pub fn write(&self, folder: &Path) {
        for name in ["log.db-shm", "log.db-journal", "log.db-wal"] {
            let _ = fs::remove_file(folder.join(name));
        }
        for name in NAMES.into_iter().filter(|name| *name != "log.db-wal" || !self.wal.is_empty()) {
            fs::write(folder.join(name), self.get(name)).expect("a file");
        }
    }

    /// What can still be saved is saved: nobody has changed a byte.
    pub fn assert_untouched(&self, folder: &Path) -> Result<(), String> {
        let now = Self::read(folder);
        match NAMES.into_iter().find(|name| now.get(name) != self.get(name)) {
            Some(name) => {
                Err(format!("{name} was changed, {} bytes before, {} now", self.get(name).len(), now.get(name).len()))
            }
            None => Ok(()),
        }
    }
}

pub struct Sample {
    pub name: &'static str,
    pub files: Files,
    /// Every event as it is exported.
    pub lines: Vec<String>,
    finds: Vec<(IdKey, Option<u64>)>,
}

/// Twelve events in four batches, of different lengths and kinds, some with ids.
fn batches() -> [Vec<String>; 4] {
    let long = "lorem ipsum ".repeat(20);
    [
        vec![
            r#"{"kind":"session","summary":"it begins"}"#.to_owned(),
            r#"{"id":"first","kind":"user_input","content":"hello","agent_id":"ann"}"#.to_owned(),
            format!(r#"{{"kind":"actor_output","content":"{long}"}}"#),
        ],
        vec![
            r#"{"id":"second","kind":"tool_call","metadata":{"n":1.0,"big":1e400}}"#.to_owned(),
            r#"{"id":"first","kind":"tool_result","tags":["a","b"],"refs":["x"],"status":"failure"}"#.to_owned(),
            r#"{"kind":"gateway.tool_call","trace_id":"t","content":"Zoë"}"#.to_owned(),
        ],
        vec![
            r#"{"kind":"decision"}"#.to_owned(),
            r#"{"id":"third","kind":"fix","agent_id":"ann","persona":"subconscious"}"#.to_owned(),
            r#"{"kind":"test","status":"success","metadata":{"duration_ms":5}}"#.to_owned(),
        ],
        vec![
            format!(r#"{{"id":"fourth","kind":"change","content":"{long}"}}"#),
            r#"{"kind":"milestone","ts":"2025-01-17T12:00:00Z"}"#.to_owned(),
            r#"{"kind":"handoff","author":"bob","causes":["first"]}"#.to_owned(),
        ],
    ]
}

fn append(log: &SqliteLog, batches: &[Vec<String>]) {
    batches.iter().for_each(|bodies| drop(log.append(batch(bodies)).expect("appended")));
}

/// Small pages make small files with many pages: inner ones, and long events that go over several.
fn with_small_pages(folder: &Path) {
    let raw = Connection::open(folder.join("log.db")).expect("a database");
    raw.execute_batch("PRAGMA page_size=512; PRAGMA journal_mode=WAL").expect("an empty file");
}

/// Moves everything from the write-ahead log into the database file.
pub fn fold_back(folder: &Path) {
    let raw = Connection::open(folder.join("log.db")).expect("the database");
    raw.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).expect("a checkpoint");
}

impl Sample {
    /// Everything in the database file, with pages as large as they are.
    pub fn folded_back() -> Self {
        Self::build("all in log.db", |folder| {
            append(&given::log_in(folder), &batches());
            fold_back(folder);
        })
    }

    /// Everything in the write-ahead log, the tables too.
    pub fn in_the_wal() -> Self {
        Self::build("all in log.db-wal", |folder| {
            with_small_pages(folder);
            append(&given::log_in(folder), &batches());
        })
    }

    /// The first half in the database file, the second in the write-ahead log.
    pub fn between() -> Self {
        Self::build("half and half", |folder| {
            with_small_pages(folder);
            append(&given::log_in(folder), &batches()[..2]);
            fold_back(folder);
            append(&given::log_in(folder), &batches()[2..]);
        })
    }

    fn build(name: &'static str, make: impl Fn(&Path)) -> Self {
        let folder = given::folder();
        make(folder.path());
        let files = Files::read(folder.path());
        let log = given::log_in(folder.path());
        let lines = given::lines(&given::all(&log));
        let asked = batches().concat();
        let keys = asked.iter().filter_map(|body| Some(event(body).id?.1)).chain([IdKey([7; 16])]);
        let finds: Vec<_> = keys.map(|key| (key, log.find(key).expect("an answer"))).collect();
        assert_eq!((lines.len(), finds.iter().filter(|(_, seq)| seq.is_some()).count()), (12, 5));
        Self { name, files, lines, finds }
    }

    /// The first id that leads elsewhere than it did.
    pub fn wrong_find(&self, log: &dyn Log) -> Option<String> {
        let wrong = |&(key, seq): &(IdKey, Option<u64>)| match log.find(key) {
            Ok(found) if found == seq => None,
            other => Some(format!("{key:?} led to {seq:?} and now to {other:?}")),
        };
        self.finds.iter().find_map(wrong)
    }
}
