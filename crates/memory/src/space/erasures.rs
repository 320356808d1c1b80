//! What was erased, here or on another machine: everything derived from it is dropped before anything is answered.

use std::collections::HashSet;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::Ordering;

use idetic_store::{Idempotency, LockFile};

use crate::{Error, Result, Space};

/// A file that grows by a byte whenever something is erased.
const ERASURES: &str = "erasures";
/// The mark of the last erasure in the log whose data was dropped here, where several machines share the log.
const FOLLOWED: &str = "erasure-mark";
/// Held while data is dropped.
const LOCK: &str = "erasure.lock";
/// How deep the folder of a space is in its home: spaces/USER/COLLECTION.
const DEPTH_IN_HOME: usize = 3;

/// How often something was erased in the space of a folder.
pub(crate) fn erasures(folder: &Path) -> u64 {
    std::fs::metadata(folder.join(ERASURES)).map_or(0, |file| file.len())
}

impl Space {
    /// How often something was erased: what was made before the last time, in whatever process, may not be used.
    pub(crate) fn erasures(&self) -> u64 {
        erasures(&self.folder)
    }

    /// Says to every process that something is being erased, or was.
    pub fn signal_erasure(&self) -> Result<()> {
        let told = std::fs::OpenOptions::new().append(true).create(true).open(self.folder.join(ERASURES));
        let told = told.and_then(|mut file| file.write_all(b".").and_then(|()| file.sync_all()));
        told.map_err(Error::io("cannot write into the space's folder"))?;
        self.flush_names()?;
        // Answers that servers keep for calls that are made again may hold it, too.
        let home = self.folder.ancestors().nth(DEPTH_IN_HOME).unwrap_or(&self.folder);
        Ok(Idempotency::forget(home, &self.name.to_string())?)
    }

    /// Where something was erased since it was last asked, in whatever process: what was read before is let go.
    pub(crate) fn check_for_erasures(&self) {
        let erasures = self.erasures();
        if self.seen_erasures.swap(erasures, Ordering::Relaxed) != erasures {
            self.drop_caches();
        }
    }

    /// Looks whether another machine has erased something, and drops what was derived from it. An error is for those who read
    /// to report, so that a damaged log can still be repaired.
    pub(crate) fn check_other_machines(&self) {
        let _ = self.raw_log().tip_and_mark().map(|(_, mark)| self.follow_erasures(mark));
    }

    /// Begins with a snapshot where little or nothing is derived yet. What was derived before an erasure is dropped elsewhere.
    pub(crate) fn start(&self) -> Result<()> {
        if self.snapshots.is_none() {
            return Ok(());
        }
        let lock = LockFile::open(&self.folder().join(LOCK))?;
        // Nobody waits for another process's transfer.
        let Some(_alone) = lock.try_hold()? else { return Ok(()) };
        match self.raw_log().tip_and_mark()?.1 {
            mark if mark == 0 || self.has_followed(mark) => self.start_from_snapshot(),
            _ => Ok(()),
        }
    }

    fn has_followed(&self, mark: u64) -> bool {
        std::fs::read_to_string(self.folder().join(FOLLOWED)).is_ok_and(|text| text == mark.to_string())
    }

    /// Drops what was derived before an erasure by any machine, unless this machine has done so. The mark is written last, so
    /// that what was stopped half way is done again.
    pub(crate) fn follow_erasures(&self, mark: u64) -> Result<()> {
        if mark == 0 || self.followed_mark.load(Ordering::Relaxed) == mark {
            return Ok(());
        }
        if !self.has_followed(mark) {
            let lock = LockFile::open(&self.folder().join(LOCK))?;
            let _alone = lock.hold()?;
            if !self.has_followed(mark) {
                self.drop_erased()?;
                let path = self.folder().join(FOLLOWED);
                let written = std::fs::write(&path, mark.to_string());
                written.map_err(Error::io(format_args!("cannot write {}", path.display())))?;
            }
        }
        self.check_for_erasures();
        self.followed_mark.store(mark, Ordering::Relaxed);
        Ok(())
    }

    /// Drops everything derived, and the vectors of texts that no event has any more.
    fn drop_erased(&self) -> Result<()> {
        self.signal_erasure()?;
        self.discard_derived()?;
        self.drop_caches();
        self.start_from_snapshot()?;
        (self.drop_rest)(self)?;
        let head = self.log().tip()?.seq;
        let standing: HashSet<_> = self.long_term(head)?.behind(0, None)?.iter().map(|waiting| waiting.input).collect();
        Ok(self.vectors().retain(&standing)?)
    }
}
