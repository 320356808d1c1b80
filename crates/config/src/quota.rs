//! What the users of a home may hold at most.

use std::collections::BTreeMap;

use idetic_core::SpaceName;
use serde::Deserialize;

/// Limits of the users of a home, each over all collections; 0 is without limit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Quotas {
    /// Facts that are there.
    pub facts: u64,
    /// Episodes that are there.
    pub episodes: u64,
    /// Events that were not erased.
    pub events: u64,
    /// Bytes of their texts.
    pub bytes: u64,
    /// Tokens of their texts.
    pub tokens: u64,
    /// Other limits for single users.
    pub users: BTreeMap<String, Quota>,
    /// Limits for single spaces, by USER/COLLECTION: such a space has its own and does not count for its user.
    pub spaces: BTreeMap<String, Quota>,
}

/// The limits of one user or one space; 0 is without limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Quota {
    /// Facts that are there.
    pub facts: u64,
    /// Episodes that are there.
    pub episodes: u64,
    /// Events that were not erased.
    pub events: u64,
    /// Bytes of their texts.
    pub bytes: u64,
    /// Tokens of their texts.
    pub tokens: u64,
}

impl Quotas {
    /// The limits that a space is held to: its own, or its user's.
    pub fn of(&self, space: &SpaceName) -> Quota {
        self.of_space(space).unwrap_or_else(|| self.of_user(space.parts()[0]))
    }

    /// The limits of a space that has its own.
    pub fn of_space(&self, space: &SpaceName) -> Option<Quota> {
        self.spaces.get(&space.to_string()).copied()
    }

    fn of_user(&self, user: &str) -> Quota {
        let Self { facts, episodes, events, bytes, tokens, users, .. } = self;
        let usual = Quota { facts: *facts, episodes: *episodes, events: *events, bytes: *bytes, tokens: *tokens };
        users.get(user).copied().unwrap_or(usual)
    }

    /// Refuses names that are no spaces or users.
    pub(crate) fn check(&self) -> Result<(), String> {
        if let Some(name) = self.spaces.keys().find(|name| SpaceName::parse(name).is_err()) {
            return Err(format!("quota.spaces: '{name}' is not USER/COLLECTION"));
        }
        let wrong = self.users.keys().find(|user| SpaceName::parse(&format!("{user}/default")).is_err());
        wrong.map_or(Ok(()), |name| Err(format!("quota.users: '{name}' is not a user")))
    }

    /// Each value under its key, as it is shown.
    pub(crate) fn values(&self) -> Vec<(&'static str, String)> {
        vec![
            ("quota.facts", self.facts.to_string()),
            ("quota.episodes", self.episodes.to_string()),
            ("quota.events", self.events.to_string()),
            ("quota.bytes", self.bytes.to_string()),
            ("quota.tokens", self.tokens.to_string()),
        ]
    }
}

impl Quota {
    /// Whether there is no limit at all.
    pub fn is_off(&self) -> bool {
        *self == Self::default()
    }
}
