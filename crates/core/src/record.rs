//! A record as it arrives: checked whole, with the bytes that will be kept for ever.

use crate::fields::Fields;
use crate::invalid::excerpt;
use crate::words::Trust;
use crate::{Hash, Invalid, json, kind, limits};

/// A record that may become an event: its fields, and the body that will be stored.
#[derive(Debug, Clone)]
pub struct Record {
    /// What it says.
    pub fields: Fields,
    /// The JSON object as received, on one line.
    pub body: String,
}

/// What makes a caller's id unique: the id within one agent and persona, as a short hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct IdKey(pub [u8; 16]);

impl Record {
    /// Checks one record and keeps its bytes. A line break between two tokens becomes a space, so that an event is one
    /// line wherever it is written; nothing else is changed.
    pub fn parse(bytes: &[u8]) -> Result<Self, Invalid> {
        if bytes.len() > limits::RECORD_MAX_BYTES {
            return Err(too_large("the record", bytes.len(), limits::RECORD_MAX_BYTES));
        }
        let text = std::str::from_utf8(bytes).map_err(|e| {
            Invalid::new(format!("not UTF-8: byte {} of the record is no character", e.valid_up_to() + 1))
                .hint("records are UTF-8 text")
        })?;
        let text = text.trim_matches([' ', '\t', '\r', '\n']);
        let is_one_line = !text.bytes().any(|b| b == b'\n' || b == b'\r');
        let body = if is_one_line { text.to_owned() } else { text.replace(['\n', '\r'], " ") };
        let fields = Fields::read(&body)?;
        json::refuse_duplicate_keys(&body)?;
        let record = Self { fields, body };
        record.check()?;
        Ok(record)
    }

    /// What the event will be trusted when nothing else lowers it.
    pub fn trust(&self) -> Trust {
        self.fields.trust.unwrap_or_else(|| Trust::of_kind(&self.fields.kind))
    }

    /// Adds a field that the receiver knows and the caller left out, at the end of the body.
    pub fn supply(&mut self, field: &str, value: &str) -> Result<(), Invalid> {
        let quoted = serde_json::Value::from(value).to_string();
        self.body.pop();
        let comma = if self.body[1..].trim_start().is_empty() { "" } else { "," };
        self.body.push_str(&format!("{comma}\"{field}\":{quoted}}}"));
        self.fields = Fields::read(&self.body)?;
        Ok(())
    }

    fn check(&self) -> Result<(), Invalid> {
        let fields = &self.fields;
        if fields.kind.is_empty() {
            return Err(Invalid::new("kind is missing").hint(kind::known()));
        }
        if let Some(id) = &fields.id
            && (id.is_empty() || id.chars().any(char::is_control))
        {
            return Err(Invalid::new(format!("id '{}' is empty or has control characters", excerpt(id)))
                .hint("leave id out to have one made, or use printable text"));
        }
        check_size("content", fields.content.as_deref(), limits::CONTENT_MAX_BYTES)?;
        check_size("summary", fields.summary.as_deref(), limits::SUMMARY_MAX_BYTES)?;
        for (name, value) in [
            ("id", &fields.id),
            ("agent_id", &fields.agent_id),
            ("author", &fields.author),
            ("source", &fields.source),
            ("trace_id", &fields.trace_id),
            ("loop_id", &fields.loop_id),
            ("conversation_id", &fields.conversation_id),
            ("scope", &fields.scope),
        ] {
            check_size(name, value.as_deref(), limits::NAME_MAX_BYTES)?;
        }
        if fields.agent_id.as_deref() == Some("") {
            return Err(Invalid::new("agent_id is empty").hint("leave agent_id out to share the event in the space"));
        }
        for (name, list) in [("refs", &fields.refs), ("tags", &fields.tags), ("causes", &fields.causes)] {
            check_list(name, list)?;
        }
        self.check_metadata()?;
        self.check_trust()
    }

    fn check_metadata(&self) -> Result<(), Invalid> {
        let Some(metadata) = &self.fields.metadata else { return Ok(()) };
        check_size("metadata", Some(metadata.get()), limits::METADATA_MAX_BYTES)?;
        let depth = json::depth(metadata.get());
        if depth > limits::METADATA_MAX_DEPTH {
            return Err(Invalid::new(format!("metadata is nested {depth} deep"))
                .hint(format!("at most {} levels; put the text of it in content", limits::METADATA_MAX_DEPTH)));
        }
        Ok(())
    }

    fn check_trust(&self) -> Result<(), Invalid> {
        let ceiling = Trust::ceiling(&self.fields.kind);
        match self.fields.trust {
            Some(trust) if trust < ceiling => {
                Err(Invalid::new(format!("trust '{}' is more than a {} can have", trust.word(), self.fields.kind))
                    .hint(format!("the output of a tool is never above '{}': leave trust out", ceiling.word())))
            }
            _ => Ok(()),
        }
    }
}

impl Fields {
    /// The uniqueness key of the caller's id, if there is one.
    pub fn id_key(&self) -> Option<IdKey> {
        Some(self.key_of(self.id.as_deref()?))
    }

    /// The key that an id has within the same agent and persona.
    pub fn key_of(&self, id: &str) -> IdKey {
        IdKey::new([self.agent_id.as_deref().unwrap_or(""), self.persona.map_or("", |p| p.word()), id])
    }
}

impl IdKey {
    fn new(parts: [&str; 3]) -> Self {
        let mut bytes = Vec::with_capacity(64);
        for part in parts {
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

fn check_size(name: &str, text: Option<&str>, limit: usize) -> Result<(), Invalid> {
    match text.map_or(0, str::len) {
        size if size > limit => Err(too_large(name, size, limit)),
        _ => Ok(()),
    }
}

fn check_list(name: &str, list: &[String]) -> Result<(), Invalid> {
    if list.len() > limits::LIST_MAX_ITEMS {
        return Err(Invalid::new(format!("{name} has {} entries", list.len()))
            .hint(format!("at most {} entries", limits::LIST_MAX_ITEMS)));
    }
    list.iter().try_for_each(|item| {
        if item.is_empty() {
            return Err(Invalid::new(format!("{name} has an empty entry")));
        }
        check_size(name, Some(item), limits::NAME_MAX_BYTES)
    })
}

fn too_large(name: &str, size: usize, limit: usize) -> Invalid {
    Invalid::new(format!("{name} is {size} bytes long"))
        .hint(format!("at most {limit} bytes; split it, or keep the whole elsewhere and refer to it in refs"))
}

#[cfg(test)]
mod tests;
