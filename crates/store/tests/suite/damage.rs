//! Files that were damaged: every byte of them and every length. It is named, or it does no harm; never a wrong answer.
#![expect(clippy::print_stderr, reason = "a sweep says how many files it has damaged, and what came of it")]

mod by_hand;
mod sample;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Mutex;

use idetic_store::{Error, Log, Options, SqliteLog};

use super::given::{self, batch, lines, note};
use sample::{Files, Sample};

/// What was done to a file.
#[derive(Debug, Clone, Copy)]
enum Damage {
    Flip { file: &'static str, at: usize, mask: u8 },
    Cut { file: &'static str, length: usize },
}

/// What came of it.
#[derive(Debug)]
enum Class {
    /// Something is said to be wrong.
    Named,
    /// Nothing is missing and nothing is different.
    Harmless,
    /// The end is missing, what is left is exact, and the loss is said.
    Recovered(Error),
}

impl Damage {
    fn apply(self, files: &Files) -> Files {
        let mut files = files.clone();
        match self {
            Self::Flip { file, at, mask } => files.get_mut(file)[at] ^= mask,
            Self::Cut { file, length } => files.get_mut(file).truncate(length),
        }
        files
    }

    fn is_one_bit(self) -> bool {
        matches!(self, Self::Flip { mask, .. } if mask.count_ones() == 1)
    }

    /// Every byte of a file, all its bits and one of them, and every length.
    fn all(file: &'static str, length: usize) -> impl Iterator<Item = Self> {
        let flips = (0..length)
            .flat_map(move |at| [0xff, 1 << (at % 8)].into_iter().map(move |mask| Self::Flip { file, at, mask }));
        flips.chain((0..length).map(move |length| Self::Cut { file, length }))
    }
}

fn open(folder: &Path) -> idetic_store::Result<SqliteLog> {
    let log = SqliteLog::open(folder, given::sources_from(1), &Options::default())?;
    log.ok_or_else(|| Error::Unavailable("there is no log".to_owned()))
}

/// Asks a log everything, and judges the answers.
fn judge(log: &dyn Log, sample: &Sample) -> Result<Class, String> {
    let tip = log.tip();
    let events = log.read(1, usize::MAX);
    if let Ok(events) = &events
        && !sample.lines.starts_with(&lines(events))
    {
        return Err(format!("wrong events were read: {:?}", lines(events)));
    }
    match (tip, events, log.check_storage()) {
        (Err(lost @ (Error::Shortened { .. } | Error::Replaced { .. })), Ok(_), _) => Ok(Class::Recovered(lost)),
        (Ok(tip), Ok(events), Ok(problems)) if problems.is_empty() => {
            if events.len() != sample.lines.len() || tip.seq != events.len() as u64 {
                return Err(format!("{} events and the tip {}, and nothing is said", events.len(), tip.seq));
            }
            match sample.wrong_find(log) {
                Some(wrong) => Err(format!("{wrong}, and nothing is said")),
                None => Ok(Class::Harmless),
            }
        }
        _ => Ok(Class::Named),
    }
}

/// Appends to a damaged log that does not know its end is missing: what is acknowledged is there, with all the rest.
fn append_anyway(folder: &Path, sample: &Sample) -> Result<(), String> {
    let Ok(log) = open(folder) else { return Ok(()) };
    let Ok(acks) = log.append(batch(&[note("after the damage")])) else { return Ok(()) };
    let Ok(events) = log.tip().and_then(|_| log.read(1, usize::MAX)) else { return Ok(()) };
    let there = lines(&events);
    let acknowledged = events.last().is_some_and(|e| e.header.seq == acks[0].seq && e.header.id == acks[0].id);
    if there.len() == sample.lines.len() + 1 && there.starts_with(&sample.lines) && acknowledged {
        Ok(())
    } else {
        Err(format!("after an acknowledged append the log is {there:?}"))
    }
}

fn trial(folder: &Path, sample: &Sample, damage: Damage) -> Result<Class, String> {
    let damaged = damage.apply(&sample.files);
    damaged.write(folder);
    let class = match open(folder) {
        Err(refusal) => {
            // Whoever then tries to make a log there is refused as well.
            if SqliteLog::create(folder, given::sources_from(1), &Options::default()).is_ok() {
                return Err(format!("{refusal}, and yet a log was made in its place"));
            }
            Class::Named
        }
        Ok(log) => {
            let class = judge(&log, sample)?;
            if let Class::Recovered(loss) = &class {
                let outcome = log.append(batch(&[note("over what was lost")]));
                if outcome.as_ref() != Err(loss) {
                    return Err(format!("{loss}, but an append gave {outcome:?}"));
                }
            }
            class
        }
    };
    damaged.assert_untouched(folder)?;
    if damage.is_one_bit() && !matches!(class, Class::Recovered(_)) {
        append_anyway(folder, sample)?;
    }
    Ok(class)
}

/// Damages a sample in every way, in two threads.
fn sweep(sample: &Sample, damages: &[Damage]) {
    let results = Mutex::new((BTreeMap::<&str, usize>::new(), Vec::new()));
    std::thread::scope(|scope| {
        for half in 0..2 {
            let results = &results;
            scope.spawn(move || {
                let folder = given::folder();
                for &damage in damages.iter().skip(half).step_by(2) {
                    let class = catch_unwind(AssertUnwindSafe(|| trial(folder.path(), sample, damage)));
                    let (counts, failures) = &mut *results.lock().expect("no panic");
                    let word = match class {
                        Ok(Ok(Class::Named)) => "named",
                        Ok(Ok(Class::Harmless)) => "harmless",
                        Ok(Ok(Class::Recovered(_))) => "recovered and said",
                        Ok(Err(reason)) => {
                            failures.push(format!("{damage:?}: {reason}"));
                            "FAILED"
                        }
                        Err(_) => {
                            failures.push(format!("{damage:?}: a panic"));
                            "FAILED"
                        }
                    };
                    *counts.entry(word).or_default() += 1;
                }
            });
        }
    });
    let (counts, failures) = results.into_inner().expect("no panic");
    eprintln!("figure: damage, {}: {} bytes and lengths: {counts:?}", sample.name, damages.len());
    assert!(failures.is_empty(), "{}: {:#?}", sample.name, &failures[..failures.len().min(20)]);
}

/// Damages these files of a sample in every way.
fn sweep_files(sample: &Sample, files: &[&'static str]) {
    let all = files.iter().flat_map(|&file| Damage::all(file, sample.files.get(file).len()));
    sweep(sample, &all.collect::<Vec<_>>());
}

#[test]
fn a_damaged_database_file_is_named_or_harmless() {
    sweep_files(&Sample::folded_back(), &["log.db"]);
}

#[test]
fn a_damaged_write_ahead_log_is_named_or_its_loss_is_said() {
    sweep_files(&Sample::in_the_wal(), &["log.db", "log.db-wal"]);
}

#[test]
fn damage_between_the_two_is_named_or_harmless() {
    sweep_files(&Sample::between(), &["log.db", "log.db-wal"]);
}

/// As a power failure leaves it behind: the flushed copy speaks for it, and nobody is alarmed.
#[test]
fn a_damaged_head_with_a_sound_copy_is_harmless() {
    for sample in [Sample::folded_back(), Sample::between()] {
        sweep_files(&sample, &["head", "head.flushed"]);
        let folder = given::folder();
        for damage in Damage::all("head", sample.files.get("head").len()) {
            let class = trial(folder.path(), &sample, damage);
            assert!(matches!(class, Ok(Class::Harmless)), "{damage:?}: {class:?}");
        }
    }
}

#[test]
fn a_damaged_head_whose_copy_is_damaged_too_is_named() {
    for mut sample in [Sample::folded_back(), Sample::between()] {
        sample.files.get_mut("head.flushed")[40] ^= 1;
        let folder = given::folder();
        for damage in Damage::all("head", sample.files.get("head").len()) {
            let class = trial(folder.path(), &sample, damage);
            assert!(matches!(class, Ok(Class::Named)), "{damage:?}: {class:?}");
        }
    }
}
