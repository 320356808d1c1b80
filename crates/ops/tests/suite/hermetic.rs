//! A home of its own for every test: a temporary folder, a clock that ticks, random bytes that are counted.

use std::path::Path;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use idetic_ops::core::{Record, SpaceName, Time};
use idetic_ops::{Env, Error, Grant, Home, Memory, Models, OPERATIONS, OwnerContext, Result, find};
use tempfile::TempDir;

/// A temporary home.
pub struct Hermetic {
    pub folder: TempDir,
    pub env: Env,
    /// What the operations turn texts into vectors with.
    pub models: Models,
}

/// Noon on the first of January 2025.
pub const START: i64 = 1_735_732_800_000_000;

/// A clock that moves on by one second at every look, and bytes that never repeat.
pub fn counted() -> Env {
    let (clock, bytes) = (AtomicI64::new(START), AtomicU64::new(1));
    Env::new(
        move || Time(clock.fetch_add(1_000_000, Ordering::Relaxed)),
        move |out| {
            for chunk in out.chunks_mut(8) {
                let next = bytes.fetch_add(1, Ordering::Relaxed).wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes();
                chunk.copy_from_slice(&next[..chunk.len()]);
            }
        },
    )
}

impl Hermetic {
    pub fn new() -> Self {
        Self::with(counted(), Models::default())
    }

    pub fn with(env: Env, models: Models) -> Self {
        // Memory file systems make thousands of small homes cheap; durability is tested elsewhere.
        let base = Path::new("/dev/shm");
        let folder = if base.is_dir() { TempDir::new_in(base) } else { TempDir::new() };
        let folder = folder.expect("a temporary folder");
        Memory::init(folder.path()).expect("a home");
        Self { folder, env, models }
    }

    pub fn memory(&self) -> Memory {
        Memory::open(self.folder.path(), self.env.clone()).expect("the home opens")
    }

    /// Runs an operation with JSON arguments; gives each answer as one line of JSON.
    pub fn call(&self, space: &str, operation: &str, arguments: &str) -> Result<Vec<String>> {
        let (lines, end) = self.call_all(space, operation, arguments);
        end.map(|()| lines)
    }

    /// The same for whoever wants what was answered before it failed.
    pub fn call_all(&self, space: &str, operation: &str, arguments: &str) -> (Vec<String>, Result<()>) {
        self.run(Grant::default(), space, operation, arguments)
    }

    /// Runs an operation for somebody who is held to grant.
    pub fn call_within(&self, grant: Grant, space: &str, operation: &str, arguments: &str) -> Result<Vec<String>> {
        let (lines, end) = self.run(grant, space, operation, arguments);
        end.map(|()| lines)
    }

    fn run(&self, grant: Grant, space: &str, operation: &str, arguments: &str) -> (Vec<String>, Result<()>) {
        let mut lines = Vec::new();
        let mut reply = |reply| {
            lines.push(serde_json::to_string(&reply).map_err(|e| Error::invalid(e.to_string()))?);
            Ok(())
        };
        let folder = self.folder.path().to_owned();
        let home = Home { folder, found_by: "test".to_owned(), make_on_use: false, log_url: None };
        let name = SpaceName::parse(space).expect("a space name");
        let (mut progress, mut notice) = (|_, _| {}, |_: &str| {});
        // A query looks at the clock all the time, for its limit: a second at every look would be over at once.
        let env = if operation == "query" { self.ticking_slowly() } else { self.env.clone() };
        let mut context = OwnerContext::new(home, Some(name), env, &mut reply, &mut progress, &mut notice);
        let models = |_: &_| Ok(self.models.clone());
        context.models = &models;
        context.grant = grant;
        context.table = &|| OPERATIONS.iter().collect();
        let end = (find(operation).expect("a known operation").from_json)(&mut context, arguments);
        drop(context);
        (lines, end)
    }

    fn ticking_slowly(&self) -> Env {
        let clock = AtomicI64::new(self.env.now().0);
        Env::new(move || Time(clock.fetch_add(1000, Ordering::Relaxed)), |out| out.fill(7))
    }

    /// Appends records as one batch to a space.
    pub fn append(&self, space: &str, records: &[String]) {
        let name = SpaceName::parse(space).expect("a space name");
        let records = records.iter().map(|r| Record::parse(r.as_bytes()).expect("a valid record")).collect();
        self.memory().space_or_new(&name).expect("a space").append(records, None).expect("appends");
    }

    /// Copies the first events of one space into another, hashes and all.
    pub fn copy_prefix(&self, from: &str, to: &str, events: usize) {
        self.copy_from(from, to, 0, events as u64);
    }

    /// Carries a copy of a space on: the next events after those it has.
    pub fn copy_from(&self, from: &str, to: &str, after: u64, events: u64) {
        let memory = self.memory();
        let (from, to) = (SpaceName::parse(from).expect("a name"), SpaceName::parse(to).expect("a name"));
        let next = memory.space(&from).expect("a space").log().read(after + 1, events as usize).expect("reads");
        memory.space_or_new(&to).expect("a space").log().graft(&next).expect("grafts");
    }
}
