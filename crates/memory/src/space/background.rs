//! What is checked while nobody asks: a part of everything derived at a time, byte by byte against its checksums. Whoever reads
//! sees damage by the look of a file; what a disk changed by itself is found here.

use std::sync::PoisonError;

use idetic_store::Error as StoreError;

use crate::{Result, Space};

/// Pages of each database checked at a time: eight megabytes, some milliseconds.
const CHECK_PAGES: u64 = 2048;

/// How far a space was checked.
#[derive(Debug, Default)]
pub(crate) struct Checked {
    views: u64,
    vectors: u64,
    lane_file: usize,
}

impl Space {
    /// Checks the next part; what is damaged is thrown away or repaired, and that is noted down to be told.
    pub fn check_a_part(&self) -> Result<()> {
        let mut checked = self.checked.lock().unwrap_or_else(PoisonError::into_inner);
        checked.views = match self.views().check_some(checked.views, CHECK_PAGES) {
            Err(StoreError::Corrupt(what)) => {
                self.discard_views(&what)?;
                0
            }
            next => next?,
        };
        checked.vectors = match self.vectors().check_some(checked.vectors, CHECK_PAGES) {
            Err(StoreError::VectorsDamaged(what)) => {
                self.vectors().repair_now(&what)?;
                0
            }
            next => next?,
        };
        match self.lane_files().check_one(checked.lane_file) {
            Some(Err(what)) => {
                self.forget_long_term();
                self.discard_index(&what)?;
                checked.lane_file = 0;
            }
            Some(Ok(())) => checked.lane_file += 1,
            None => checked.lane_file = 0,
        }
        Ok(())
    }
}
