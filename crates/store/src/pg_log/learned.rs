//! What another machine saw of a log: where the log lacks it, it is kept, so that nobody here goes on without knowing.

use idetic_core::Tip;

use super::{PgLog, rows};
use crate::{Error, HeadState, Result};

impl PgLog {
    /// Refuses a log that lacks what another machine saw, from now on.
    pub(super) fn learn(&self, known: HeadState) -> Result<()> {
        let HeadState::At { space, seq: seq @ 1.., hash } = known else { return Ok(()) };
        let found = self.held_against(known);
        if !is_loss(&found) {
            return found;
        }
        // Once more while nobody here changes the log.
        let _held = self.lock.hold()?;
        let found = self.held_against(known);
        if !is_loss(&found) {
            return found;
        }
        let own = self.head.read()?;
        if matches!(own, HeadState::At { seq: reached, .. } if reached >= seq) {
            // What was acknowledged here tells of more that is lost.
            let lost = self.held_against(own);
            if is_loss(&lost) {
                return lost;
            }
        }
        let reached = Tip { seq, hash, ..Tip::empty(space) };
        let noted = self.head.write(&reached).and_then(|()| self.head.write_copy(&reached));
        match (found, noted) {
            (Err(loss), Err(why)) => Err(Error::Unavailable(format!("{loss}, and that cannot be noted here: {why}"))),
            (found, _) => found,
        }
    }

    fn held_against(&self, known: HeadState) -> Result<()> {
        self.database.retrying(|connection| {
            let place = rows::current(connection, &self.space)?.ok_or_else(|| self.missing())?;
            let hash_of = |seq| Ok(rows::tip_at(connection, &self.archives, &self.space, &place, seq)?.hash);
            known.compare(&place.tip, hash_of)
        })
    }
}

fn is_loss(found: &Result<()>) -> bool {
    matches!(found, Err(Error::Shortened { .. } | Error::Replaced { .. }))
}
