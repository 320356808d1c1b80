//! A record as it arrives: checked whole, with the bytes that will be kept for ever.

mod texts;

pub use texts::RecordText;

use crate::fields::{self, Fields};
use crate::invalid::excerpt;
use crate::words::{Origin, Persona, Trust, Visibility};
use crate::{Hash, Invalid, Time, json, kind, limits};

/// A record that may become an event: checked, with the body that will be stored.
#[derive(Debug, Clone)]
pub struct Record {
    /// What is asked of it on its way into the log.
    pub claim: Claim,
    /// The JSON object as received, on one line.
    pub body: String,
    /// Whether its trust was not claimed by whoever sent it, but given to it on the way in: then it is lowered where it must be.
    pub trust_given: bool,
    /// Whether its text stays byte for byte because a synced file holds the same.
    pub is_verbatim: bool,
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
    /// Its origin, as said.
    pub origin: Option<String>,
    /// From when on it is to be as if it had never been.
    pub expires_at: Option<Time>,
    /// The same as so much from now on, until the receiver has put the moment in its place.
    pub expires_in: Option<String>,
    /// Whether it leaves it to the log to say when it happened.
    pub undated: bool,
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
            Invalid::new(format!("not UTF-8: byte {} of the record is invalid", e.valid_up_to() + 1))
                .hint("records are UTF-8 text")
        })?;
        let text = text.trim_matches([' ', '\t', '\r', '\n']);
        // Without a way out of the loop it is done many bytes at a time.
        let has_breaks = text.bytes().fold(false, |found, b| found | (b == b'\n') | (b == b'\r'));
        let body = if has_breaks { text.replace(['\n', '\r'], " ") } else { text.to_owned() };
        let claim = Claim::from(Fields::claim(&body)?);
        claim.check()?;
        Ok(Self { claim, body, trust_given: false, is_verbatim: false })
    }

    /// What the subconscious says is its own, also where its writer names no side: the actor sees nothing of it.
    pub(crate) fn keep_to_its_side(&mut self) -> Result<(), Invalid> {
        if self.claim.is_of_wrong_side() && !fields::names(&self.body, "persona")? {
            self.set("persona", Persona::Subconscious.word())?;
        }
        self.claim.check_side()
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

impl Record {
    /// Puts a text in a field, in the place of what the record says there.
    pub fn set(&mut self, field: &str, value: &str) -> Result<(), Invalid> {
        self.body = fields::without(&self.body, field)?;
        self.supply(field, value)
    }

    /// Takes a field out.
    pub fn clear(&mut self, field: &str) -> Result<(), Invalid> {
        self.body = fields::without(&self.body, field)?;
        self.claim = Fields::claim(&self.body)?.into();
        Ok(())
    }
}

impl From<Fields> for Claim {
    fn from(fields: Fields) -> Self {
        let Fields { id, kind, ts, agent_id, persona, visibility, trust, causes, origin, .. } = fields;
        let Fields { expires_at, expires_in, .. } = fields;
        let undated = ts.is_none();
        Self { id, kind, agent_id, persona, visibility, trust, causes, origin, expires_at, expires_in, undated }
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
                .hint("leave id out to have one generated, or use printable text"));
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

    /// Whether it would let the actor see what its subconscious says.
    fn is_of_wrong_side(&self) -> bool {
        self.persona == Some(Persona::Actor) && kind::SUBCONSCIOUS_KINDS.contains(&self.kind.as_str())
    }

    /// Refuses what the subconscious says in the memory of its actor.
    pub fn check_side(&self) -> Result<(), Invalid> {
        if !self.is_of_wrong_side() {
            return Ok(());
        }
        Err(Invalid::new(format!("a {} is never the actor's", self.kind)).hint("append it as the agent's subconscious"))
    }

    fn check_trust(&self) -> Result<(), Invalid> {
        let ceiling = Trust::ceiling(&self.kind);
        let of_origin = self.origin.as_deref().and_then(|origin| Origin::of(origin).ok()).map(Origin::ceiling);
        match self.trust {
            Some(trust) if trust < ceiling => {
                Err(Invalid::new(format!("trust '{}' is higher than a {} can have", trust.word(), self.kind))
                    .hint(format!("the output of a tool is never above '{}': leave trust out", ceiling.word())))
            }
            Some(trust) if of_origin.is_some_and(|ceiling| trust < ceiling) => {
                let origin = self.origin.as_deref().unwrap_or_default();
                Err(Invalid::new(format!(
                    "trust '{}' is higher than origin '{}' can have",
                    trust.word(),
                    excerpt(origin)
                ))
                .hint("leave trust out"))
            }
            _ => Ok(()),
        }
    }

    /// What the event will be trusted when nothing else lowers it.
    pub fn trust(&self) -> Trust {
        Trust::of_event(self.trust, self.origin.as_deref(), &self.kind)
    }

    /// Whether an event is of the same agent and persona.
    pub fn is_of_lane(&self, event: &crate::Event) -> bool {
        let of = |fields: &Fields| fields.agent_id == self.agent_id && fields.persona == self.persona;
        event.fields.as_ref().is_some_and(of)
    }

    /// The uniqueness key of the caller's id, if there is one.
    pub fn id_key(&self) -> Option<IdKey> {
        Some(IdKey::new(self.agent_id.as_deref(), self.persona, self.id.as_deref()?))
    }

    /// The uniqueness key that an id has in this record's memory.
    pub fn key_of(&self, id: &str) -> IdKey {
        IdKey::new(self.agent_id.as_deref(), self.persona, id)
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

/// What stands before the time that was added to a body that did not say when.
const DATED: &str = ",\"ts\":\"";

/// A body that does not say when it happened, with the time added behind its last field. One that has no room for it stays
/// as it is.
pub fn dated(body: String, when: Time) -> String {
    let dated = match body.strip_suffix('}') {
        Some(open) => format!("{open}{DATED}{when}\"}}"),
        None => return body,
    };
    if Fields::claim(&dated).is_ok() { dated } else { body }
}

/// Whether a stored body says the same as one that is handed in, also where the time was added to the stored one.
pub fn is_retry(stored: &str, handed_in: &str) -> bool {
    let undated = || {
        let (open, tail) = stored.rsplit_once(DATED)?;
        let when = tail.strip_suffix("\"}")?;
        Time::parse(when).is_ok_and(|time| time.to_string() == when).then(|| format!("{open}}}"))
    };
    same_content(stored, handed_in) || undated().is_some_and(|undated| same_content(&undated, handed_in))
}

/// Whether two bodies say the same: equal as bytes, or as JSON whatever the order of keys and the spacing.
pub fn same_content(one: &str, other: &str) -> bool {
    one == other || json::same(one, other)
}

#[cfg(test)]
mod tests;
