//! A process killed between writing and flushing leaves events that the next one can read. Whatever that one acknowledges,
//! or shows, is there after a power failure.
#![expect(clippy::print_stderr, reason = "a campaign says how many lives it has led")]

use std::collections::BTreeSet;
use std::fs;

use idetic_core::Stored;
use idetic_store::{Log, Options, SimulatedDisk, SqliteLog};
use tempfile::TempDir;

use super::disk::{Fault, SimDisk};
use super::given::{self, all, batch, note, note_with_id};

/// What survives of it differs from seed to seed.
const POWER_LOSSES: u64 = 8;

/// A log on a simulated disk, and what lies beside it.
struct Home<'a> {
    disk: &'a SimDisk,
    folder: TempDir,
}

impl<'a> Home<'a> {
    fn new(disk: &'a SimDisk, seed: u64) -> Self {
        disk.format(seed);
        Self { disk, folder: given::folder() }
    }

    fn options(&self) -> Options {
        Options { disk: Some(SimulatedDisk { vfs: self.disk.name().to_owned(), checkpoint_commits: u64::MAX }) }
    }

    fn create(&self) -> SqliteLog {
        SqliteLog::create(self.folder.path(), given::env(), &self.options()).expect("a log")
    }

    fn reopen(&self, seed: u64) -> SqliteLog {
        let log = SqliteLog::open(self.folder.path(), given::sources_from(seed), &self.options());
        log.expect("it can be opened").expect("a log")
    }

    /// Kills the process at an operation of the disk, while it does something: false where it was done before.
    fn kill_at(&self, operation: u64, log: SqliteLog, work: impl FnOnce(&SqliteLog)) -> bool {
        let head = fs::read(self.folder.path().join("head")).expect("a head");
        self.disk.fail_at(self.disk.operations() + operation, Fault::Crash);
        work(&log);
        let struck = self.disk.clear_faults() == 0;
        self.disk.kill();
        drop(log);
        if struck {
            // Whoever is killed leaves no mark and moves no head.
            let _ = fs::remove_file(self.folder.path().join("log.unflushed"));
            fs::write(self.folder.path().join("head"), head).expect("written");
        }
        struck
    }

    fn flushes(&self) -> u64 {
        self.disk.syncs().get("log.db-wal").copied().unwrap_or(0)
    }
}

/// What the process that comes next does with what it finds.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Next {
    /// The caller tries again, and is told that it is known.
    Retry,
    /// The same events are imported.
    Graft,
    /// Somebody reads them.
    Read,
}

#[test]
fn what_a_killed_process_did_not_flush_is_flushed_before_it_is_acknowledged_or_shown() {
    let disk = SimDisk::new(1).expect("a disk");
    let bodies = [note_with_id("a", 1), note_with_id("b", 2)];
    let (mut found, mut trials) = (0, 0);
    for next in [Next::Retry, Next::Graft, Next::Read] {
        for seed in 0..POWER_LOSSES {
            for operation in 1.. {
                let home = Home::new(&disk, seed);
                let log = home.create();
                log.append(batch(&[note("before")])).expect("appended");
                let struck = home.kill_at(operation, log, |log| drop(log.append(batch(&bodies))));
                let log = home.reopen(1);
                let there: Vec<Stored> = all(&log);
                let label = format!("{next:?}, killed at {operation}, power loss {seed}");
                found += usize::from(struck && there.len() == 3);
                let acknowledged = match next {
                    Next::Retry => log.append(batch(&bodies)).expect(&label).last().map_or(0, |ack| ack.seq),
                    Next::Graft => log.graft(&there).expect(&label).0.seq,
                    Next::Read => log.tip().expect(&label).seq,
                };
                disk.crash(seed);
                drop(log);
                let log = home.reopen(2);
                assert_eq!(log.tip().map(|tip| tip.seq), Ok(acknowledged), "{label}");
                assert_eq!(all(&log).len() as u64, acknowledged, "{label}");
                trials += 1;
                if !struck {
                    break;
                }
            }
        }
    }
    assert!(found > 0, "in no trial the next process found what was not flushed");
    eprintln!("figure: simulated disk, killed before a flush: {trials} trials, {found} with events left, 0 failed");
}

#[test]
fn what_is_known_is_acknowledged_with_one_flush_and_a_refusal_with_none() {
    let disk = SimDisk::new(1).expect("a disk");
    let home = Home::new(&disk, 1);
    let log = home.create();
    let bodies = [note_with_id("a", 1), note_with_id("b", 2)];
    log.append(batch(&bodies)).expect("appended");
    let events = all(&log);
    let flushes = |work: &dyn Fn()| {
        let before = home.flushes();
        work();
        home.flushes() - before
    };
    assert_eq!(flushes(&|| drop(log.append(batch(&bodies)).expect("known"))), 1);
    assert_eq!(flushes(&|| assert!(log.graft(&events).is_ok())), 1);
    assert_eq!(flushes(&|| assert!(log.accept().is_ok())), 1);
    assert_eq!(flushes(&|| drop(log.append(batch(&[note_with_id("a", "other")])).expect_err("taken"))), 0);
    assert_eq!(flushes(&|| drop(log.append(batch::<&str>(&[])).expect("nothing"))), 0);
    disk.fail_at(disk.operations() + 1, Fault::SyncFails);
    assert_eq!(log.append(batch(&bodies)), Err(idetic_store::Error::Poisoned), "a flush that fails is heeded here too");
    assert_eq!(log.append(batch(&[note("more")])), Err(idetic_store::Error::Poisoned));
}

/// The file that was given up for another is removed only once the exchange is on disk.
#[test]
fn an_archive_file_outlives_the_exchange_that_a_killed_process_did_not_flush() {
    let disk = SimDisk::new(1).expect("a disk");
    let (erased, mut trials) = (BTreeSet::from([2, 3]), 0);
    for seed in 0..POWER_LOSSES {
        for operation in 1.. {
            let home = Home::new(&disk, seed);
            let log = home.create();
            (0..12).for_each(|n| drop(log.append(batch(&[note_with_id(n, n)])).expect("appended")));
            log.archive(10, &mut |_| {}).expect("archived");
            let before = all(&log);
            let struck = home.kill_at(operation, log, |log| drop(log.erase(&erased)));
            let log = home.reopen(1);
            log.archive(10, &mut |_| {}).expect("nothing to do");
            disk.crash(seed);
            drop(log);
            let label = format!("killed at {operation}, power loss {seed}");
            for (was, is) in before.iter().zip(home.reopen(2).read(1, usize::MAX).expect(&label)) {
                let may_be_gone = erased.contains(&is.header.seq) && is.secret.is_none();
                assert!(may_be_gone || was.secret == is.secret, "{label}: event {}", is.header.seq);
            }
            trials += 1;
            if !struck {
                break;
            }
        }
    }
    eprintln!("figure: simulated disk, killed while an archive file is exchanged: {trials} trials, 0 failed");
}
