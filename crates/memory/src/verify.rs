//! Checking a space: every event against the chain, the log against its head, the views against the log.

use idetic_core::{Hash, Tip};
use idetic_store::Error as StoreError;
use serde::Serialize;

use crate::{Error, Result, Space};

/// Events read at a time.
const PAGE_EVENTS: usize = 1000;

/// What a check of a log found.
#[derive(Debug, Clone, Serialize)]
pub struct Verdict {
    /// Whether all is well.
    pub ok: bool,
    /// How many events were checked.
    pub events: u64,
    /// How many of them were erased.
    pub erased: u64,
    /// How many of them are in archive files.
    pub archived: u64,
    /// How many of those had their content dropped.
    pub dropped: u64,
    /// The hash of the last event that is sound.
    pub head: Hash,
    /// The first event that is not sound.
    pub first_bad_seq: Option<u64>,
    /// What was found.
    pub problems: Vec<ProblemLine>,
}

/// Something a check found.
#[derive(Debug, Clone, Serialize)]
pub struct ProblemLine {
    /// The first event concerned.
    pub seq: Option<u64>,
    /// What is wrong.
    pub message: String,
}

/// Checks a log against its chain, and every view against the log.
pub fn verify(space: &Space) -> Result<Verdict> {
    checked(space, None, &mut |_, _| {}).map(|(verdict, _)| verdict)
}

/// What is found, and whether the log itself is sound.
pub fn checked(space: &Space, wanted: Option<Hash>, progress: &mut dyn FnMut(u64, u64)) -> Result<(Verdict, bool)> {
    let mut verdict = check(space, wanted, progress)?;
    let is_sound = verdict.ok;
    if is_sound {
        verdict.problems = compare_views(space, progress)?;
        verdict.ok = verdict.problems.is_empty();
    }
    Ok((verdict, is_sound))
}

/// Folds the log anew and holds every row of the views against it.
fn compare_views(space: &Space, progress: &mut dyn FnMut(u64, u64)) -> Result<Vec<ProblemLine>> {
    let mut messages = Vec::new();
    match space.views().check() {
        Err(StoreError::Corrupt(what)) => messages.push(what),
        Err(StoreError::Unavailable(_) | StoreError::DiskFull) => {}
        checked => checked?,
    }
    match space.views().compare(space.log(), progress) {
        Ok(differences) => messages.extend(differences.iter().map(|found| {
            format!("the view {} differs from the log: table {}, row {}", found.view, found.table, found.key)
        })),
        // Where it cannot even be read, that is what there is to say.
        Err(StoreError::Corrupt(what)) => messages.push(format!("the views cannot be read: {what}")),
        // On a full disk nothing can be folded beside; that is said elsewhere, and says nothing of the log.
        Err(StoreError::Unavailable(_) | StoreError::DiskFull) => {}
        Err(error) => return Err(error.into()),
    }
    Ok(messages.into_iter().map(|message| ProblemLine { seq: None, message }).collect())
}

/// Checks everything that can be checked. What cannot even be read is a finding too.
pub fn check(space: &Space, wanted: Option<Hash>, progress: &mut dyn FnMut(u64, u64)) -> Result<Verdict> {
    let log = space.raw_log();
    let mut problems = Vec::new();
    let mut found = |error: StoreError| match error {
        StoreError::Unavailable(_) | StoreError::DiskFull | StoreError::Poisoned => Err(Error::from(error)),
        error => {
            let seq = match error {
                StoreError::Damaged { seq, .. } | StoreError::Replaced { seq } => Some(seq),
                StoreError::Shortened { have, .. } => Some(have + 1),
                _ => None,
            };
            let message = error.to_string();
            // The end of the log and the walk to it may find the same loss.
            if !problems.iter().any(|p: &ProblemLine| p.message == message) {
                problems.push(ProblemLine { seq, message });
            }
            Ok(())
        }
    };
    let (start, end) = match log.tip() {
        Ok(tip) => (tip.space.genesis(), tip.seq),
        Err(error) => {
            found(error)?;
            (Hash([0; 32]), 0)
        }
    };
    let walked = walk(space, start, wanted, end, progress);
    if let Some(error) = walked.stopped_by {
        found(error)?;
    }
    if let Err(error) = space.views_agree() {
        found(error)?;
    }
    match log.check_storage() {
        Ok(more) => problems.extend(more.into_iter().map(|p| ProblemLine { seq: p.seq, message: p.message })),
        Err(error) => found(error)?,
    }
    if let (Some(wanted), false) = (wanted, walked.saw_wanted) {
        let message = format!("the log does not contain {wanted}: it was truncated, or it is another log");
        problems.push(ProblemLine { seq: Some(walked.tip.seq + 1), message });
    }
    let archives = log.archives().unwrap_or_default();
    Ok(Verdict {
        ok: problems.is_empty(),
        events: walked.tip.seq,
        erased: walked.erased,
        archived: archives.last().map_or(0, |archive| archive.last),
        dropped: archives.iter().map(|archive| archive.erased).sum(),
        head: walked.tip.hash,
        first_bad_seq: problems.iter().filter_map(|p| p.seq).min(),
        problems,
    })
}

struct Walk {
    tip: Tip,
    erased: u64,
    saw_wanted: bool,
    stopped_by: Option<StoreError>,
}

/// Reads the whole chain from the hash it starts with; `read` checks every link of it.
fn walk(space: &Space, start: Hash, wanted: Option<Hash>, end: u64, progress: &mut dyn FnMut(u64, u64)) -> Walk {
    let tip = Tip { hash: start, ..Tip::empty(idetic_core::SpaceId([0; 16])) };
    let mut walk = Walk { tip, erased: 0, saw_wanted: Some(start) == wanted, stopped_by: None };
    loop {
        match space.raw_log().read(walk.tip.seq + 1, PAGE_EVENTS) {
            Ok(events) if events.is_empty() => return walk,
            Ok(events) => {
                for event in &events {
                    walk.tip = event.tip();
                    walk.erased += u64::from(event.secret.is_none());
                    walk.saw_wanted |= Some(event.hash) == wanted;
                }
                progress(walk.tip.seq, end);
            }
            Err(StoreError::Damaged { seq, fault }) if seq > walk.tip.seq + 1 => {
                // What comes before the damage is sound and counted.
                let good = usize::try_from(seq - walk.tip.seq - 1).unwrap_or(0);
                for event in space.raw_log().read(walk.tip.seq + 1, good).unwrap_or_default() {
                    walk.tip = event.tip();
                    walk.saw_wanted |= Some(event.hash) == wanted;
                }
                walk.stopped_by = Some(StoreError::Damaged { seq, fault });
                return walk;
            }
            Err(error) => {
                walk.stopped_by = Some(error);
                return walk;
            }
        }
    }
}
