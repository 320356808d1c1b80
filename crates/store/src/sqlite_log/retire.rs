//! Moving the beginning of a log to archive files.

use rusqlite::Connection;

use super::{SqliteLog, archives, rows};
use crate::lock::LockFile;
use crate::log::Log;
use crate::{Error, Result, archive_file};

/// Pages of the database that are free before it is made smaller: a megabyte, and a quarter of all.
const FREE_PAGES: u64 = 256;
const FREE_PART: u64 = 4;

/// Moves the events up to a number to archive files, one file after the other. Appending goes on meanwhile.
pub fn archive(log: &SqliteLog, up_to: u64, progress: &mut dyn FnMut(u64)) -> Result<u64> {
    let lock = LockFile::open(&log.archiving)?;
    let _alone = lock.hold()?;
    log.check_files()?;
    clear_up(log)?;
    // The last event stays: the next one is linked to it, and the end of the log is looked up in one place.
    let up_to = up_to.min(log.tip()?.seq.saturating_sub(1));
    let mut next = log.archives()?.last().map_or(1, |archive| archive.last + 1);
    let from = next;
    while next <= up_to {
        let entry = log.archives.write(&archive_file::gather(log, next, up_to)?)?;
        log.transact(|connection, before| {
            log.compare_with_head(connection, &before)?;
            archives::record(connection, &entry)?;
            Ok((Some(before), ()))
        })?;
        next = entry.last + 1;
        progress(entry.last);
    }
    if next > from {
        shrink(log, false)?;
    }
    Ok(next - from)
}

/// Takes away what a killed process left behind.
pub fn clear_up(log: &SqliteLog) -> Result<()> {
    let left = log.connections.with_reader(|connection| {
        let tip = rows::tip(connection)?;
        let hash_of = |seq: u64| rows::hash_of(connection, &log.archives, seq).ok();
        log.archives.left_behind(connection, tip.space, hash_of)
    })?;
    if !left.is_empty() {
        // What took their place may have been written by a process that was killed before it had flushed it.
        log.flush()?;
    }
    left.iter().try_for_each(|name| log.archives.remove(name))?;
    // It may also have been killed before a removal was flushed.
    log.archives.flush()
}

/// Makes the database as small as what is left in it, if much of it is free. What cannot be done now is no loss: free
/// pages are used again.
pub fn shrink(log: &SqliteLog, in_any_case: bool) -> Result<()> {
    let mut poison_flag = log.poison_flag();
    poison_flag.check()?;
    let held = log.hold()?;
    let shrunk = log.write(&mut poison_flag, |connection| {
        let pages = |name: &str| -> Result<u64> { Ok(connection.pragma_query_value(None, name, |row| row.get(0))?) };
        let (free, all) = (pages("freelist_count")?, pages("page_count")?);
        let much = free >= FREE_PAGES && free >= all / FREE_PART;
        // What was deleted stays readable in pages that are only partly free, until they are written anew.
        if much || in_any_case { vacuum(connection) } else { Ok(()) }
    });
    drop(held);
    match shrunk {
        Err(Error::Poisoned) => Err(Error::Poisoned),
        _ => {
            // Where others are reading, it is folded back later.
            let _ = log.connections.checkpoint_all();
            Ok(())
        }
    }
}

pub fn vacuum(connection: &Connection) -> Result<()> {
    Ok(connection.execute_batch("VACUUM")?)
}
