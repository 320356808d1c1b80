//! Who asks: a key, a token, or whoever runs the program on this machine.

use idetic_memory::core::{SpaceName, Time};
use idetic_memory::{Bounds, Key, Keys, Operation, Rights};

/// Who asks, and what it may do.
#[derive(Debug, Clone)]
pub struct Principal {
    /// The id of the key, for logs and the audit; never the key.
    pub id: String,
    rights: Rights,
    bounds: Bounds,
    sees_audit: bool,
    shown: Shown,
}

/// What somebody was let in for.
#[derive(Debug, Clone, Copy)]
enum Shown {
    /// Nothing: they run the program.
    Nothing,
    /// A key, which may be revoked or run out.
    Key,
    /// A token that is good until then.
    Token(Time),
}

impl Principal {
    /// Whoever runs the program on this machine, held to nothing but what they chose themselves.
    pub fn local(bounds: Bounds) -> Self {
        Self { id: "local".to_owned(), rights: Rights::Admin, bounds, sees_audit: true, shown: Shown::Nothing }
    }

    /// Who shows a key. One that cannot be understood allows nothing.
    pub fn of_key(key: &Key) -> Option<Self> {
        let bounds = key.bounds().ok()?;
        let sees_audit = key.rights == Rights::Admin;
        Some(Self { id: key.id.clone(), rights: key.rights, bounds, sees_audit, shown: Shown::Key })
    }

    /// Who shows a token of an issuer that is trusted.
    pub fn of_token(id: String, rights: Rights, bounds: Bounds, until: Time) -> Self {
        Self { id, rights, bounds, sees_audit: false, shown: Shown::Token(until) }
    }

    /// Whether who was let in may go on: what they showed may end while a connection is open.
    pub fn is_still_good(&self, keys: &Keys, now: Time) -> bool {
        match self.shown {
            Shown::Nothing => true,
            // Keys that cannot be read let nobody in.
            Shown::Key => keys.all().is_ok_and(|keys| keys.iter().any(|key| key.id == self.id && key.is_good(now))),
            Shown::Token(until) => now < until,
        }
    }

    /// What it is held to.
    pub fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// Whether it may administer.
    pub fn is_admin(&self) -> bool {
        self.rights == Rights::Admin
    }

    /// Whether it may use an operation: that depends on the two alone.
    pub fn may(&self, operation: &Operation) -> bool {
        self.rights >= operation.rights && self.bounds.allow(operation)
    }

    /// Whether there is a space of this name for it.
    pub fn sees(&self, space: &SpaceName) -> bool {
        self.bounds.holds(space) && (self.sees_audit || !idetic_memory::is_audit(space))
    }
}
