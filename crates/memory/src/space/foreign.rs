//! Events that came with an import: checked as every other door checks, and marked as foreign until they are accepted.
//!
//! Their bytes stay as they were sealed, whatever those claim. What a reader is shown of them says that they came with an
//! import, and is trusted as little as anything from outside.

use std::collections::HashMap;

use idetic_core::chain::FORMAT_VERSION;
use idetic_core::invalid::excerpt;
use idetic_core::words::{Trust, Visibility};
use idetic_core::{IdKey, Record, Stored, kind, limits};

use crate::{Error, Result, Space};

/// The events of an import on their way in.
pub struct Intake<'a> {
    space: &'a Space,
    known: HashMap<IdKey, (Trust, Visibility)>,
}

impl<'a> Intake<'a> {
    /// An import into a space.
    pub fn new(space: &'a Space) -> Self {
        Self { space, known: HashMap::new() }
    }

    /// Refuses an event that no door would have taken: only somebody who forged it can have sealed it.
    pub fn check(&mut self, event: &Stored) -> Result<()> {
        let header = &event.header;
        let wrong = |why: String| Error::invalid(format!("event {}: {why}", header.seq));
        if header.id.is_empty() || header.id.len() > limits::NAME_MAX_BYTES || header.id.chars().any(char::is_control) {
            return Err(wrong(format!(
                "its id '{}' is empty, too long or has control characters",
                excerpt(&header.id)
            )));
        }
        if kind::parse(&header.kind).map_or(true, |parsed| parsed != header.kind) {
            return Err(wrong(format!("its kind '{}' is not known", excerpt(&header.kind))));
        }
        // Of what was erased only the header is left, and older forms are read as they are.
        let Some(secret) = event.secret.as_ref().filter(|_| header.version == FORMAT_VERSION) else { return Ok(()) };
        let record = Record::parse(secret.body.as_bytes()).map_err(|invalid| wrong(invalid.message))?;
        let claim = &record.claim;
        if claim.kind != header.kind {
            return Err(wrong(format!("its header says kind '{}', its body '{}'", header.kind, excerpt(&claim.kind))));
        }
        if let Some(id) = claim.id.as_ref().filter(|id| **id != header.id) {
            return Err(wrong(format!("its header says id '{}', its body '{}'", header.id, excerpt(id))));
        }
        let (trust, visibility) = (claim.trust(), claim.visibility.unwrap_or(Visibility::External));
        for cause in &claim.causes {
            let known = claim.cause_keys(cause).find_map(|key| self.known.get(&key).copied());
            let Some((least, strictest)) = known.or_else(|| self.standing(cause)) else { continue };
            if trust < least {
                let (own, least) = (trust.word(), least.word());
                return Err(wrong(format!(
                    "trust '{own}' is higher than that of its cause '{}' ('{least}')",
                    excerpt(cause)
                )));
            }
            if visibility < strictest {
                return Err(wrong("its visibility is wider than that of its causes".to_owned()));
            }
        }
        self.known.insert(claim.key_of(&header.id), (trust, visibility));
        Ok(())
    }

    fn standing(&self, cause: &str) -> Option<(Trust, Visibility)> {
        let event = self.space.by_id(cause, self.space.log().tip().ok()?.seq).ok()?;
        Some((event.trust(), event.visibility()))
    }
}

impl Space {
    /// Marks events as foreign before they are taken in, so that nobody sees them without the mark.
    pub fn mark_foreign(&self, from: u64, to: u64) -> Result<()> {
        Ok(self.filtered_log().mark_foreign(from, to)?)
    }

    /// What came with an import that nobody accepted, as ranges of numbers.
    pub fn foreign(&self) -> Result<Vec<(u64, u64)>> {
        Ok(self.filtered_log().foreign()?.to_vec())
    }

    /// Makes these the foreign events, and no others.
    pub fn set_foreign(&self, ranges: &[(u64, u64)]) -> Result<()> {
        Ok(self.filtered_log().set_foreign(ranges)?)
    }

    /// Accepts every event that is here as the owner's own: what is derived is rebuilt, since they are trusted more now.
    pub fn accept_foreign(&self) -> Result<()> {
        if self.filtered_log().foreign()?.is_empty() {
            return Ok(());
        }
        self.signal_erasure()?;
        self.filtered_log().set_foreign(&[])?;
        self.discard_derived()?;
        self.signal_erasure()
    }

    /// Whether an event came with an import that nobody accepted.
    pub(crate) fn is_foreign(&self, seq: u64) -> Result<bool> {
        Ok(self.filtered_log().foreign()?.iter().any(|(from, to)| (*from..=*to).contains(&seq)))
    }
}
