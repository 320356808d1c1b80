//! Answers about the keys for the server.

use idetic_memory::Rights;
use serde::Serialize;

use crate::key::store::Key;

/// A key in a list of them: nothing of it leads back to the secret.
#[derive(Debug, Clone, Serialize)]
pub struct KeyLine {
    /// What it is called in lists and logs.
    pub id: String,
    /// What it is for.
    pub name: String,
    /// What it allows.
    pub rights: Rights,
    /// The user it is held to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// The collection it is held to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collection: Option<String>,
    /// The agent it is held to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The side of that agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub persona: Option<String>,
    /// The most that what it writes is trusted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trust: Option<String>,
    /// When it was made.
    pub created: String,
    /// From when on it is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<String>,
    /// When it was revoked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revoked: Option<String>,
}

/// A key that was made, with the text that is shown once.
#[derive(Debug, Clone, Serialize)]
pub struct KeyMade {
    /// The key itself.
    pub key: String,
    /// What is kept of it.
    #[serde(flatten)]
    pub line: KeyLine,
}

impl From<Key> for KeyLine {
    fn from(key: Key) -> Self {
        let Key { id, name, rights, user, collection, agent, persona, trust, created, expires, revoked, .. } = key;
        Self { id, name, rights, user, collection, agent, persona, trust, created, expires, revoked }
    }
}
