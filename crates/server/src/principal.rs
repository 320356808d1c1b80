//! Who asks: a key, a token, or whoever runs the program on this machine.

use idetic_memory::core::SpaceName;
use idetic_memory::{Bounds, Key, Operation, Rights};

/// Who asks, and what it may do.
#[derive(Debug, Clone)]
pub struct Principal {
    /// The id of the key, for logs and the audit; never the key.
    pub id: String,
    rights: Rights,
    bounds: Bounds,
    sees_audit: bool,
}

impl Principal {
    /// Whoever runs the program on this machine, held to nothing but what they chose themselves.
    pub fn local(bounds: Bounds) -> Self {
        Self { id: "local".to_owned(), rights: Rights::Admin, bounds, sees_audit: true }
    }

    /// Who shows a key. One that cannot be understood allows nothing.
    pub fn of_key(key: &Key) -> Option<Self> {
        let bounds = key.bounds().ok()?;
        Some(Self { id: key.id.clone(), rights: key.rights, bounds, sees_audit: key.rights == Rights::Admin })
    }

    /// Who shows a token of an issuer that is trusted.
    pub fn of_token(id: String, rights: Rights, bounds: Bounds) -> Self {
        Self { id, rights, bounds, sees_audit: false }
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
