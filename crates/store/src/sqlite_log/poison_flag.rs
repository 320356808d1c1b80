//! Whether this process may still write to its log.

use std::path::Path;

use crate::{Error, Result};

/// Whether this process may still write.
#[derive(Default)]
pub struct PoisonFlag {
    poisoned: bool,
}

impl PoisonFlag {
    pub fn check(&self) -> Result<()> {
        if self.poisoned { Err(Error::Poisoned) } else { Ok(()) }
    }

    /// A flush that failed is never tried again here, and is marked for the next process that writes.
    /// Tells whether there was one.
    pub fn heed<T>(&mut self, outcome: &Result<T>, mark: &Path) -> bool {
        let failed = matches!(outcome, Err(Error::Poisoned));
        if failed {
            self.poisoned = true;
            // The mark is a help to others; that it cannot be written on a broken disk changes nothing for this process.
            let _ = std::fs::write(mark, "");
        }
        failed
    }
}
