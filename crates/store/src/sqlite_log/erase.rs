//! Giving up what events say: their bodies leave the archive files and the database, and no page keeps a byte of them.

use std::collections::BTreeSet;

use super::retire::{clear_up, shrink, vacuum};
use super::{SqliteLog, archives};
use crate::lock::LockFile;
use crate::log::Log;
use crate::{Error, Result};

/// Removes the bodies of the archived events up to a number, but of those that are kept.
pub fn archived(log: &SqliteLog, up_to: u64, keeps: &dyn Fn(u64) -> bool) -> Result<u64> {
    let lock = LockFile::open(&log.archiving)?;
    let _alone = lock.hold()?;
    log.check_files()?;
    clear_up(log)?;
    let erased = in_archives(log, up_to, &|seq| !keeps(seq))?;
    // Of what was moved out of the database, nothing may be left in pages that are only free.
    shrink(log, true)?;
    Ok(erased)
}

/// Removes the bodies of some events, wherever they lie.
pub fn events(log: &SqliteLog, seqs: &BTreeSet<u64>) -> Result<u64> {
    let lock = LockFile::open(&log.archiving)?;
    let _alone = lock.hold()?;
    log.check_files()?;
    clear_up(log)?;
    let erased = in_archives(log, seqs.last().copied().unwrap_or(0), &|seq| seqs.contains(&seq))?;
    let erased = erased + in_database(log, seqs)?;
    // Twice: first what was written over reaches the file, so that no page that is cut off next still has it; then the
    // file is written anew without the free pages, which may have copies from times before.
    empty_wal(log)?;
    let mut poison_flag = log.poison_flag();
    poison_flag.check()?;
    let held = log.hold()?;
    log.write(&mut poison_flag, |connection| vacuum(connection))?;
    drop((held, poison_flag));
    empty_wal(log)?;
    Ok(erased)
}

/// Exchanges archive files for such that lack the bodies of some events.
fn in_archives(log: &SqliteLog, up_to: u64, is_erased: &dyn Fn(u64) -> bool) -> Result<u64> {
    let mut erased = 0;
    for old in log.connections.with_reader(|connection| log.archives.entries(connection))? {
        if old.first > up_to {
            break;
        }
        if !(old.first..=old.last.min(up_to)).any(is_erased) {
            continue;
        }
        let count = usize::try_from(old.last - old.first + 1).unwrap_or(0);
        let mut events = log.read(old.first, count)?;
        let before = erased;
        for event in &mut events {
            let seq = event.header.seq;
            if event.secret.is_some() && seq <= up_to && is_erased(seq) {
                event.secret = None;
                erased += 1;
            }
        }
        if erased == before {
            continue;
        }
        let new = log.archives.write(&events)?;
        log.transact(|connection, before| {
            log.compare_with_head(connection, &before)?;
            archives::exchange(connection, &old, &new)?;
            Ok((Some(before), ()))
        })?;
        log.archives.remove(&old.file)?;
    }
    Ok(erased)
}

/// Empties the cells of events that lie in the database, all in one transaction.
fn in_database(log: &SqliteLog, seqs: &BTreeSet<u64>) -> Result<u64> {
    log.transact(|connection, before| {
        log.compare_with_head(connection, &before)?;
        // What is deleted is overwritten, not only given free.
        connection.pragma_update(None, "secure_delete", true)?;
        let mut erase =
            connection.prepare_cached("UPDATE events SET sealed = NULL WHERE seq = ?1 AND sealed IS NOT NULL")?;
        let mut erased = 0;
        for seq in seqs {
            erased += erase.execute([seq])? as u64;
        }
        Ok((Some(before), erased))
    })
}

/// Folds the write-ahead log back and empties it: old pages stand in it as they were.
fn empty_wal(log: &SqliteLog) -> Result<()> {
    log.connections.checkpoint_all().map_err(|error| match error {
        Error::Unavailable(_) | Error::DiskFull => {
            Error::Unavailable("others are reading the log, so erased data cannot be overwritten yet".to_owned())
        }
        error => error,
    })
}
