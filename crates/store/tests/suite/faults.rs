//! Every fault at every operation of the disk: what was acknowledged is there afterwards, and nothing by halves.
#![expect(clippy::print_stderr, reason = "a campaign says how many lives it has led")]

mod campaign;
mod life;

use idetic_store::{Error, Log};
use rusqlite::{Connection, OpenFlags};

use super::disk::{Fault, SimDisk};
use super::given::{self, batch, note};
use campaign::{Campaign, sweep};
use life::{Death, Life};

#[test]
fn whatever_fails_whatever_was_acknowledged_is_there() {
    for checkpoint_commits in [1, 3, 1000] {
        sweep(&Campaign { checkpoint_commits, ..Campaign::default() });
    }
}

#[test]
fn a_writer_that_goes_on_after_an_error_keeps_what_it_acknowledges() {
    for checkpoint_commits in [1, 3] {
        sweep(&Campaign { checkpoint_commits, goes_on: true, seeds: 1, ..Campaign::default() });
    }
}

#[test]
fn a_crash_while_recovering_loses_nothing() {
    for checkpoint_commits in [1, 3] {
        sweep(&Campaign { checkpoint_commits, second_crash: true, seeds: 1, ..Campaign::default() });
    }
}

#[test]
fn after_a_failed_flush_a_handle_writes_no_more() {
    let disk = SimDisk::new(1).expect("a disk");
    let mut life = Life::begin(&disk, 1000);
    let log = life.create().expect("a log");
    log.append(batch(&[note(1)])).expect("appended");
    let before = given::all(&*log);
    disk.fail_at(disk.operations() + 1, Fault::SyncFails);
    assert_eq!(log.append(batch(&[note(2)])), Err(Error::Poisoned));
    let operations = disk.operations();
    assert_eq!(log.append(batch(&[note(3)])), Err(Error::Poisoned));
    assert_eq!(log.graft(&before), Err(Error::Poisoned));
    assert_eq!(log.replace(None, &mut before[..0].iter().cloned().map(Ok)), Err(Error::Poisoned));
    assert_eq!(disk.operations(), operations, "not a byte was written");
    assert_eq!(given::all(&*log), before, "what is on disk can be read");
    drop(log);
    let log = life.reopen().expect("the log");
    log.append(batch(&[note(4)])).expect("appended");
}

/// A transaction that outgrows the cache writes, and flushes, before it is committed.
#[test]
fn a_flush_that_fails_before_the_commit_counts_too() {
    let disk = SimDisk::new(1).expect("a disk");
    let mut life = Life::begin(&disk, 1);
    let log = life.create().expect("a log");
    log.append(batch(&[note(1)])).expect("appended");
    disk.fail_at(disk.operations() + 1, Fault::SyncFails);
    let long = "x".repeat(1 << 20);
    assert_eq!(log.append(batch(&[note(&long), note(&long), note(&long), note(&long)])), Err(Error::Poisoned));
    assert_eq!(log.append(batch(&[note(2)])), Err(Error::Poisoned));
}

#[test]
fn one_commit_is_one_flush() {
    let disk = SimDisk::new(1).expect("a disk");
    let mut life = Life::begin(&disk, u64::MAX);
    let log = life.create().expect("a log");
    let before = disk.syncs();
    for size in (1..=5).cycle().take(30) {
        log.append(batch(&vec![note("a"); size])).expect("appended");
    }
    let after = disk.syncs();
    assert_eq!(after["log.db-wal"] - before["log.db-wal"], 30);
    assert_eq!(after["log.db"], before["log.db"]);
}

#[test]
fn many_commits_at_once_share_their_flushes() {
    let disk = SimDisk::new(1).expect("a disk");
    let mut life = Life::begin(&disk, u64::MAX);
    let log = life.create().expect("a log");
    let before = disk.syncs()["log.db-wal"];
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| (0..50).for_each(|n| drop(log.append(batch(&[note(n)])).expect("appended"))));
        }
    });
    let flushes = disk.syncs()["log.db-wal"] - before;
    assert_eq!(given::all(&*log).len(), 400);
    assert!(flushes <= 400, "{flushes}");
    eprintln!("400 appends from 8 threads: {flushes} flushes");
}

/// Replaced or not, it is one log or the other, and nobody is told that something is missing.
#[test]
fn a_crash_while_replacing_leaves_one_log_or_the_other() {
    let disk = SimDisk::new(1).expect("a disk");
    let (other, mut trials) = (given::folder(), 0);
    let other = given::log_in(other.path());
    (0..20).for_each(|n| drop(other.append(batch(&[note(n)])).expect("appended")));
    let other = given::all(&other);
    for new in [&other[..0], &other[..3], &other[..]] {
        for death in [Death::Killed, Death::PowerLoss(1), Death::PowerLoss(2), Death::PowerLoss(3)] {
            for fault in [Fault::Crash, Fault::Eio, Fault::Enospc, Fault::SyncFails] {
                for operation in 1.. {
                    disk.format(operation);
                    let mut life = Life::begin(&disk, 3);
                    let log = life.create().expect("a log");
                    (0..4).for_each(|_| life.append_next(&*log).expect("appended"));
                    let old = given::all(&*log);
                    disk.fail_at(disk.operations() + operation, fault);
                    let outcome = log.replace(None, &mut new.iter().cloned().map(Ok));
                    let struck = disk.clear_faults() == 0;
                    life.die(death);
                    drop(log);
                    let log = life.reopen().expect("the log");
                    let label = format!("{} events, {death:?}, {fault:?} at {operation}", new.len());
                    assert_eq!(log.tip().err(), None, "{label}");
                    let left = given::all(&*log);
                    assert!(left == new || outcome.is_err() && left == old, "{label}: {outcome:?}");
                    log.append(batch(&[note("next")])).expect("appended");
                    trials += 1;
                    if !struck {
                        break;
                    }
                }
            }
        }
    }
    eprintln!("figure: simulated disk, a log replaced under faults: {trials} trials, 0 failed");
}

#[test]
fn a_full_disk_is_said_and_harms_nothing() {
    let disk = SimDisk::new(1).expect("a disk");
    let mut trials = 0;
    for checkpoint_commits in [1, 3, 1000] {
        for room in (0..40_000).step_by(700) {
            disk.format(room as u64);
            let mut life = Life::begin(&disk, checkpoint_commits);
            let log = life.create().expect("a log");
            life.append_next(&*log).expect("appended");
            life.append_next(&*log).expect("appended");
            disk.set_capacity(Some(life.disk_bytes() + room));
            let refused = (0..50).find_map(|_| life.append_next(&*log).err()).expect("the disk is full at last");
            assert_eq!(refused, Error::DiskFull);
            life.check(&*log).expect("all there");
            disk.set_capacity(None);
            life.append_next(&*log).expect("works again");
            drop(log);
            life.end(Death::PowerLoss(room as u64));
            let log = life.reopen().expect("the log");
            life.check(&*log).expect("all there");
            trials += 1;
        }
    }
    eprintln!("figure: simulated disk, full at every size: {trials} trials, 0 failed");
}

/// The same checks on the same disk, with flushes left out: if nothing were lost here, the campaign would prove nothing.
#[test]
fn without_flushes_the_campaign_finds_losses() {
    let disk = SimDisk::new(1).expect("a disk");
    let mut lost = 0;
    for seed in 0..40 {
        disk.format(seed);
        let mut life = Life::begin(&disk, 1000);
        let log = life.create().expect("a log");
        life.append_next(&*log).expect("appended");
        let mut tip = log.tip().expect("a tip");
        drop(log);
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE;
        let raw = Connection::open_with_flags_and_vfs("log.db", flags, disk.name()).expect("the database");
        raw.execute_batch("PRAGMA locking_mode=EXCLUSIVE; PRAGMA synchronous=OFF").expect("settings");
        for _ in 0..5 {
            life.append_unflushed(&raw, &mut tip);
        }
        life.end(Death::PowerLoss(seed));
        drop(raw);
        let found = life.reopen().and_then(|log| life.check(&*log));
        lost += usize::from(found.is_err());
    }
    eprintln!("figure: control, the same log without flushes: {lost} of 40 trials lose something");
    assert!(lost > 0);
}
