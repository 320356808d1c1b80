//! A campaign: the same small history, with each fault at each operation, ended in each way.

use std::sync::Mutex;

use idetic_store::{Error, Log};

use super::life::{Death, Life};
use crate::suite::disk::{Fault, SimDisk};

const FAULTS: [Fault; 5] = [Fault::Crash, Fault::Eio, Fault::Enospc, Fault::ShortWrite, Fault::SyncFails];
const BATCHES: usize = 9;
/// How far into the recovery a second crash comes.
const RECOVERY_OPERATIONS: u64 = 14;

/// What is tried.
#[derive(Debug, Clone, Copy)]
pub struct Campaign {
    /// How often the write-ahead log is folded back.
    pub checkpoint_commits: u64,
    /// The writer does not give up at the first error.
    pub goes_on: bool,
    /// The power fails again while the first append after the fault is under way.
    pub second_crash: bool,
    /// How many crashes are tried at each place.
    pub seeds: u64,
}

impl Default for Campaign {
    fn default() -> Self {
        Self { checkpoint_commits: 1000, goes_on: false, second_crash: false, seeds: 3 }
    }
}

/// One trial: which fault, where, and what comes after.
#[derive(Debug, Clone, Copy)]
struct Trial {
    operation: u64,
    fault: Fault,
    /// How many times it strikes.
    times: usize,
    death: Death,
    /// After how many operations of the recovery the power fails again.
    again_after: Option<u64>,
}

/// Runs all trials, in two threads, and fails with those that failed.
pub fn sweep(campaign: &Campaign) {
    let trials = trials(campaign);
    let failures = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for half in 0..2 {
            let (trials, failures) = (&trials, &failures);
            scope.spawn(move || {
                let disk = SimDisk::new(0).expect("a disk");
                for trial in trials.iter().skip(half).step_by(2) {
                    if let Err(reason) = run(&disk, campaign, trial) {
                        failures.lock().expect("no panic").push(format!("{trial:?}: {reason}"));
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().expect("no panic");
    let (count, failed) = (trials.len(), failures.len());
    let goes_on = if campaign.goes_on { ", going on after an error" } else { "" };
    let again = if campaign.second_crash { ", a second crash while recovering" } else { "" };
    let every = campaign.checkpoint_commits;
    eprintln!(
        "figure: simulated disk, checkpoint every {every} commits{goes_on}{again}: {count} trials, {failed} failed"
    );
    assert!(failures.is_empty(), "{:#?}", &failures[..failures.len().min(20)]);
}

fn trials(campaign: &Campaign) -> Vec<Trial> {
    let mut trials = Vec::new();
    for operation in 1..=operations_of_a_clean_life(campaign) {
        let mut deaths: Vec<Death> =
            (0..campaign.seeds).map(|seed| Death::PowerLoss(seed * 1_000_003 + operation)).collect();
        deaths.push(Death::Killed);
        for fault in FAULTS {
            for &death in &deaths {
                let trial = Trial { operation, fault, times: 1, death, again_after: None };
                if campaign.second_crash {
                    // Another part of the recovery at each operation: together they cover all of it many times over.
                    let again = (1..=RECOVERY_OPERATIONS).filter(|after| (after + operation).is_multiple_of(5));
                    trials.extend(again.map(|after| Trial { again_after: Some(after), ..trial }));
                } else {
                    trials.push(trial);
                }
                if fault == Fault::SyncFails && !campaign.second_crash {
                    // The disk stays bad, so that the log cannot be put in order before its process dies. (A power loss
                    // on top of that, in the middle of the recovery, is the one thing that is not survived.)
                    trials.push(Trial { times: 4, ..trial });
                }
            }
        }
    }
    trials
}

fn operations_of_a_clean_life(campaign: &Campaign) -> u64 {
    let disk = SimDisk::new(0).expect("a disk");
    let mut life = Life::begin(&disk, campaign.checkpoint_commits);
    let log = live(&mut life, campaign).expect("nothing fails");
    life.check(&*log.expect("a log")).expect("all there");
    assert_eq!(life.acknowledged(), BATCHES);
    disk.operations()
}

/// Appends until the end, or until something fails. Fails itself only where a promise is broken.
fn live(life: &mut Life, campaign: &Campaign) -> Result<Option<Box<dyn Log>>, String> {
    let Ok(log) = life.create() else { return Ok(None) };
    let mut poisoned = false;
    for _ in 0..BATCHES {
        let outcome = life.append_next(&*log);
        if poisoned && outcome != Err(Error::Poisoned) {
            return Err(format!("after a failed flush an append gave {outcome:?}"));
        }
        poisoned |= outcome == Err(Error::Poisoned);
        if outcome.is_err() && !campaign.goes_on && !poisoned {
            break;
        }
    }
    Ok(Some(log))
}

fn run(disk: &SimDisk, campaign: &Campaign, trial: &Trial) -> Result<(), String> {
    let seed = trial.operation;
    disk.format(seed);
    (0..trial.times).for_each(|_| disk.fail_at(trial.operation, trial.fault));
    let mut life = Life::begin(disk, campaign.checkpoint_commits);
    let first = live(&mut life, campaign)?;
    disk.clear_faults();
    life.end(trial.death);
    let was_created = first.is_some();
    drop(first);
    if let Some(operations) = trial.again_after {
        crash_again(disk, &mut life, operations, was_created)?;
    }
    let log = if was_created { life.reopen()? } else { created(&mut life)? };
    life.check(&*log).map_err(|reason| format!("after the fault: {reason}"))?;
    life.append_next(&*log).map_err(|error| format!("the next append: {error}"))?;
    life.check(&*log).map_err(|reason| format!("after the next append: {reason}"))?;
    life.end(Death::PowerLoss(seed + 1));
    drop(log);
    let log = life.reopen()?;
    life.check(&*log).map_err(|reason| format!("after a later power loss: {reason}"))?;
    life.append_next(&*log).map_err(|error| format!("the append after: {error}"))?;
    life.check(&*log).map_err(|reason| format!("after all: {reason}"))
}

fn created(life: &mut Life) -> Result<Box<dyn Log>, String> {
    life.create().map_err(|error| format!("cannot create: {error}"))
}

/// Recovers and appends, and loses the power while doing so.
fn crash_again(disk: &SimDisk, life: &mut Life, operations: u64, was_created: bool) -> Result<(), String> {
    disk.fail_at(disk.operations() + operations, Fault::Crash);
    let log = if was_created { life.reopen().ok() } else { life.create().ok() };
    if let Some(log) = &log {
        // It may be too early for the crash, and it may be too late.
        let _ = life.append_next(&**log);
    }
    disk.clear_faults();
    life.end(Death::PowerLoss(operations));
    drop(log);
    // A log that was never acknowledged to exist may have come to be by now, or not.
    if was_created { Ok(()) } else { created(life).map(drop) }
}
