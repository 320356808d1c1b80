//! A record as it arrives: checked whole, with the bytes that will be kept for ever.

use crate::fields::Fields;
use crate::invalid::excerpt;
use crate::words::{Persona, Trust, Visibility};
use crate::{Hash, Invalid, json, kind, limits};

/// A record that may become an event: checked, with the body that will be stored.
#[derive(Debug, Clone)]
pub struct Record {
    /// What is asked of it on its way into the log.
    pub claim: Claim,
    /// The JSON object as received, on one line.
    pub body: String,
}

/// What a record says of itself that decides how it is taken in. The other fields were checked, and stay in the body
/// until they are read: a batch would hold every text twice.
#[derive(Debug, Clone)]
pub struct Claim {
    /// The caller's own id.
    pub id: Option<String>,
    /// What kind of thing happened, aliases resolved.
    pub kind: String,
    /// Whose memory it belongs to; without one it is shared by the space.
    pub agent_id: Option<String>,
    /// Which side of the agent.
    pub persona: Option<Persona>,
    /// Who may be shown it.
    pub visibility: Option<Visibility>,
    /// Where it comes from, as said.
    pub trust: Option<Trust>,
    /// The ids of the events it was derived from.
    pub causes: Vec<String>,
}

/// What makes a caller's id unique: the id within one agent and persona, as a short hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct IdKey(pub [u8; 16]);

impl Record {
    /// Checks one record and keeps its bytes. A line break between two tokens becomes a space, so that an event is one
    /// line wherever it is written; nothing else is changed.
    pub fn parse(bytes: &[u8]) -> Result<Self, Invalid> {
        if bytes.len() > limits::RECORD_MAX_BYTES {
            return Err(limits::too_large("the record", bytes.len(), limits::RECORD_MAX_BYTES));
        }
        let text = std::str::from_utf8(bytes).map_err(|e| {
            Invalid::new(format!("not UTF-8: byte {} of the record is no character", e.valid_up_to() + 1))
                .hint("records are UTF-8 text")
        })?;
        let text = text.trim_matches([' ', '\t', '\r', '\n']);
        // Without a way out of the loop it is done many bytes at a time.
        let has_breaks = text.bytes().fold(false, |found, b| found | (b == b'\n') | (b == b'\r'));
        let body = if has_breaks { text.replace(['\n', '\r'], " ") } else { text.to_owned() };
        let claim = Claim::from(Fields::claim(&body)?);
        claim.check()?;
        Ok(Self { claim, body })
    }

    /// Adds a field that the receiver knows and the caller left out, at the end of the body.
    pub fn supply(&mut self, field: &str, value: &str) -> Result<(), Invalid> {
        let quoted = serde_json::Value::from(value).to_string();
        self.body.pop();
        let comma = if self.body[1..].trim_start().is_empty() { "" } else { "," };
        self.body.push_str(&format!("{comma}\"{field}\":{quoted}}}"));
        self.claim = Fields::claim(&self.body)?.into();
        Ok(())
    }
}

impl From<Fields> for Claim {
    fn from(fields: Fields) -> Self {
        let Fields { id, kind, agent_id, persona, visibility, trust, causes, .. } = fields;
        Self { id, kind, agent_id, persona, visibility, trust, causes }
    }
}

impl Claim {
    /// What a new record must keep to besides its structure and the limits of what is not kept.
    fn check(&self) -> Result<(), Invalid> {
        if self.kind.is_empty() {
            return Err(Invalid::new("kind is missing").hint(kind::known()));
        }
        if let Some(id) = &self.id
            && (id.is_empty() || id.chars().any(char::is_control))
        {
            return Err(Invalid::new(format!("id '{}' is empty or has control characters", excerpt(id)))
                .hint("leave id out to have one made, or use printable text"));
        }
        for (name, value) in [("id", &self.id), ("agent_id", &self.agent_id)] {
            limits::check_size(name, value.as_deref().unwrap_or(""), limits::NAME_MAX_BYTES)?;
        }
        if self.agent_id.as_deref() == Some("") {
            return Err(Invalid::new("agent_id is empty").hint("leave agent_id out to share the event in the space"));
        }
        limits::check_list("causes", &self.causes)?;
        self.check_trust()
    }

    fn check_trust(&self) -> Result<(), Invalid> {
        let ceiling = Trust::ceiling(&self.kind);
        match self.trust {
            Some(trust) if trust < ceiling => {
                Err(Invalid::new(format!("trust '{}' is more than a {} can have", trust.word(), self.kind))
                    .hint(format!("the output of a tool is never above '{}': leave trust out", ceiling.word())))
            }
            _ => Ok(()),
        }
    }

    /// What the event will be trusted when nothing else lowers it.
    pub fn trust(&self) -> Trust {
        self.trust.unwrap_or_else(|| Trust::of_kind(&self.kind))
    }

    /// The uniqueness key of the caller's id, if there is one.
    pub fn id_key(&self) -> Option<IdKey> {
        Some(IdKey::new(self.agent_id.as_deref(), self.persona, self.id.as_deref()?))
    }

    /// The keys under which a cause may be known: its own memory's first, then, for a subconscious, its actor's, then
    /// what is shared.
    pub fn cause_keys(&self, id: &str) -> impl Iterator<Item = IdKey> {
        let key = |agent, persona| IdKey::new(agent, persona, id);
        let agent = self.agent_id.as_deref();
        let of_actor = (self.persona == Some(Persona::Subconscious)).then(|| key(agent, Some(Persona::Actor)));
        let of_all = agent.map(|_| key(None, None));
        [Some(key(agent, self.persona)), of_actor, of_all].into_iter().flatten()
    }
}

impl Fields {
    /// The uniqueness key of the caller's id, if there is one.
    pub fn id_key(&self) -> Option<IdKey> {
        Some(IdKey::new(self.agent_id.as_deref(), self.persona, self.id.as_deref()?))
    }
}

impl IdKey {
    fn new(agent_id: Option<&str>, persona: Option<Persona>, id: &str) -> Self {
        let mut bytes = Vec::with_capacity(128);
        for part in [agent_id.unwrap_or(""), persona.map_or("", Persona::word), id] {
            bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
            bytes.extend_from_slice(part.as_bytes());
        }
        let mut key = [0; 16];
        key.copy_from_slice(&Hash::of(&bytes).0[..16]);
        Self(key)
    }
}

/// Whether two bodies say the same: equal as bytes, or as JSON whatever the order of keys and the spacing.
pub fn same_content(one: &str, other: &str) -> bool {
    one == other || json::same(one, other)
}

#[cfg(test)]
mod tests;
