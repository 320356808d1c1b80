//! The named fields of an event, read from its body.

use std::borrow::Cow;
use std::fmt;

use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::invalid::excerpt;
use crate::words::{Origin, Persona, Status, Trust, Visibility};
use crate::{Invalid, Time, json, kind, limits};

/// Everything a caller may say in an event, normalised. What was not said is `None` or empty.
#[derive(Debug, Clone, Default)]
pub struct Fields {
    /// The caller's own id.
    pub id: Option<String>,
    /// What kind of thing happened, aliases resolved; empty when not said.
    pub kind: String,
    /// When it happened.
    pub ts: Option<Time>,
    /// How it went.
    pub status: Option<Status>,
    /// Whose memory it belongs to; without one it is shared by the space.
    pub agent_id: Option<String>,
    /// Which side of the agent; the actor when only an agent is named.
    pub persona: Option<Persona>,
    /// Who may be shown it.
    pub visibility: Option<Visibility>,
    /// Who said or did it.
    pub author: Option<String>,
    /// The project or component it came from.
    pub source: Option<String>,
    /// The multi-step workflow it is part of.
    pub trace_id: Option<String>,
    /// The one `do(task)` it is part of.
    pub loop_id: Option<String>,
    /// The dialogue it is part of.
    pub conversation_id: Option<String>,
    /// The area it affects.
    pub scope: Option<String>,
    /// One line of what happened.
    pub summary: Option<String>,
    /// The whole text.
    pub content: Option<String>,
    /// What it refers to: free text.
    pub refs: Vec<String>,
    /// Labels.
    pub tags: Vec<String>,
    /// Anything else, as the JSON object received.
    pub metadata: Option<Box<RawValue>>,
    /// Where it comes from, as said.
    pub trust: Option<Trust>,
    /// The ids of the events it was derived from.
    pub causes: Vec<String>,
    /// Its origin: an [`Origin`](crate::words::Origin), and perhaps more behind a colon.
    pub origin: Option<String>,
    /// From when on it is to be as if it had never been.
    pub expires_at: Option<Time>,
    /// The same as a new record may say it: so much from now on.
    pub(crate) expires_in: Option<String>,
}

/// The fields a record may carry, for messages.
pub const KNOWN: &str = "id, ts, kind, status, agent_id, persona, visibility, author, source, trace_id, loop_id, \
     conversation_id, scope, summary, content, refs, tags, metadata, trust, causes, origin, expires_at";

/// What only the log may say of an event.
const ASSIGNED: [&str; 4] = ["seq", "recorded_at", "hash", "prev_hash"];

/// Most fields, those that are null and mean nothing included: each is held against all others.
const ENTRIES_MAX: usize = 64;

impl Fields {
    /// Reads a body. Structure and vocabulary are checked; limits hold for new records only.
    pub fn read(body: &str) -> Result<Self, Invalid> {
        Self::read_for(Purpose::Everything, body)
    }

    /// Reads the body of a new record within its limits, and keeps what decides how it is taken in. The other texts are
    /// checked where they stand: a batch would hold each of them twice.
    pub(crate) fn claim(body: &str) -> Result<Self, Invalid> {
        Self::read_for(Purpose::Claim, body)
    }

    fn read_for(purpose: Purpose, body: &str) -> Result<Self, Invalid> {
        let Entries(entries) = serde_json::from_str(body).map_err(|e| not_json(&e))?;
        let mut fields = Self::default();
        if entries.len() > ENTRIES_MAX {
            return Err(
                Invalid::new(format!("the record has {} fields", entries.len())).hint(format!("known: {KNOWN}"))
            );
        }
        let mut seen: Vec<&str> = Vec::with_capacity(entries.len());
        for (key, value) in &entries {
            let name = canonical(key);
            if seen.contains(&name) {
                return Err(Invalid::new(format!("{name} is given twice, once as '{key}'"))
                    .hint("keep one of the two spellings"));
            }
            seen.push(name);
            if value.get() != "null" {
                fields.set(purpose, name, value)?;
            }
        }
        if fields.agent_id.is_some() {
            fields.persona.get_or_insert(Persona::Actor);
        } else if fields.persona.is_some() {
            return Err(Invalid::new("persona is given without agent_id")
                .hint("a persona is a side of an agent: name the agent, or leave the persona out to share the event"));
        }
        Ok(fields)
    }

    fn set(&mut self, purpose: Purpose, name: &str, value: &RawValue) -> Result<(), Invalid> {
        match name {
            "id" => self.id = Some(text(name, value)?.into_owned()),
            "kind" => self.kind = kind::parse(&text(name, value)?)?.into_owned(),
            "ts" => self.ts = Some(Time::parse(&text(name, value)?).map_err(|e| prefix(name, e))?),
            "status" => self.status = Some(Status::parse(&text(name, value)?)?),
            "agent_id" => self.agent_id = Some(text(name, value)?.into_owned()),
            "persona" => self.persona = Some(Persona::parse(&text(name, value)?)?),
            "visibility" => self.visibility = Some(Visibility::parse(&text(name, value)?)?),
            "author" => self.author = purpose.text(name, value, limits::NAME_MAX_BYTES)?,
            "source" => self.source = purpose.text(name, value, limits::NAME_MAX_BYTES)?,
            "trace_id" => self.trace_id = purpose.text(name, value, limits::NAME_MAX_BYTES)?,
            "loop_id" => self.loop_id = purpose.text(name, value, limits::NAME_MAX_BYTES)?,
            "conversation_id" => self.conversation_id = purpose.text(name, value, limits::NAME_MAX_BYTES)?,
            "scope" => self.scope = purpose.text(name, value, limits::NAME_MAX_BYTES)?,
            "summary" => self.summary = purpose.text(name, value, limits::SUMMARY_MAX_BYTES)?,
            "content" => self.content = purpose.text(name, value, limits::CONTENT_MAX_BYTES)?,
            "refs" => self.refs = purpose.strings(name, value)?,
            "tags" => self.tags = purpose.strings(name, value)?,
            "causes" => self.causes = strings(name, value)?,
            "trust" => self.trust = Some(Trust::parse(&text(name, value)?)?),
            "origin" => self.origin = Some(origin(&text(name, value)?)?),
            "expires_at" => self.set_expiry(&text(name, value)?).map_err(|e| prefix(name, e))?,
            "metadata" if value.get().starts_with('{') => self.metadata = purpose.object(name, value)?,
            "metadata" => return Err(wrong_type(name, "an object", value)),
            "schema_version" if value.get().starts_with(['{', '[']) => {
                return Err(wrong_type(name, "a string or a number", value));
            }
            // Specification 000 stamps every record; the body keeps it.
            "schema_version" => {}
            _ if ASSIGNED.contains(&name) => {
                return Err(Invalid::new(format!("{name} is assigned by the log"))
                    .hint(format!("leave {name} out; to import exported events, use `idetic import`")));
            }
            _ => {
                return Err(Invalid::new(format!("field '{}' is not known", excerpt(name)))
                    .hint(format!("known fields: {KNOWN}; put anything else under metadata")));
            }
        }
        Ok(())
    }

    /// A stored body says the moment; a new record may leave it to the log to count it, and is read before that, too.
    fn set_expiry(&mut self, text: &str) -> Result<(), Invalid> {
        if let Ok(time) = Time::parse(text) {
            self.expires_at = Some(time);
        } else {
            Time::parse_or_span(text, Time(0))?;
            self.expires_in = Some(text.to_owned());
        }
        Ok(())
    }
}

/// What a body is read for.
#[derive(Debug, Clone, Copy)]
enum Purpose {
    /// To have all of it.
    Everything,
    /// To take it in, and keep no more of it than that needs.
    Claim,
}

impl Purpose {
    fn text(self, name: &str, value: &RawValue, limit_bytes: usize) -> Result<Option<String>, Invalid> {
        let text = text(name, value)?;
        match self {
            Self::Everything => Ok(Some(text.into_owned())),
            Self::Claim => limits::check_size(name, &text, limit_bytes).map(|()| None),
        }
    }

    fn strings(self, name: &str, value: &RawValue) -> Result<Vec<String>, Invalid> {
        let list = strings(name, value)?;
        match self {
            Self::Everything => Ok(list),
            Self::Claim => limits::check_list(name, &list).map(|()| Vec::new()),
        }
    }

    fn object(self, name: &str, value: &RawValue) -> Result<Option<Box<RawValue>>, Invalid> {
        match self {
            Self::Everything => Ok(Some(value.to_owned())),
            Self::Claim => limits::check_object(name, value.get()).map(|()| None),
        }
    }
}

/// A body without a field, under whatever spelling.
pub(crate) fn without(body: &str, field: &str) -> Result<String, Invalid> {
    let Entries(entries) = serde_json::from_str(body).map_err(|e| not_json(&e))?;
    let kept = entries.iter().filter(|(key, _)| canonical(key) != field);
    let kept = kept.map(|(key, value)| format!("{}:{}", serde_json::Value::from(key.as_ref()), value.get()));
    Ok(format!("{{{}}}", kept.collect::<Vec<_>>().join(",")))
}

/// Whether a body has a field.
pub(crate) fn names(body: &str, field: &str) -> Result<bool, Invalid> {
    let Entries(entries) = serde_json::from_str(body).map_err(|e| not_json(&e))?;
    Ok(entries.iter().any(|(key, value)| canonical(key) == field && value.get() != "null"))
}

/// The one name of a field that has several spellings.
fn canonical(key: &str) -> &str {
    match key {
        "timestamp" => "ts",
        "event_type" => "kind",
        other => other,
    }
}

fn text<'a>(name: &str, value: &'a RawValue) -> Result<Cow<'a, str>, Invalid> {
    json::string(value.get()).ok_or_else(|| wrong_type(name, "a string", value))
}

fn origin(text: &str) -> Result<String, Invalid> {
    Origin::of(text)?;
    limits::check_size("origin", text, limits::NAME_MAX_BYTES)?;
    Ok(text.to_owned())
}

fn strings(name: &str, value: &RawValue) -> Result<Vec<String>, Invalid> {
    serde_json::from_str(value.get()).map_err(|_| wrong_type(name, "a list of strings", value))
}

fn wrong_type(name: &str, wanted: &str, value: &RawValue) -> Invalid {
    Invalid::new(format!("{name} must be {wanted}, not {}", excerpt(value.get())))
}

fn prefix(name: &str, mut invalid: Invalid) -> Invalid {
    invalid.message = format!("{name}: {}", invalid.message);
    invalid
}

fn not_json(error: &serde_json::Error) -> Invalid {
    let reason = error.to_string();
    let reason = reason.split(" at line ").next().unwrap_or_default().to_owned();
    Invalid::new(format!("not a JSON object: {reason} at column {}", error.column()))
        .hint("a record is one JSON object on one line")
}

/// The keys and raw values of an object, in the order received.
struct Entries<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de> Deserialize<'de> for Entries<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;
        impl<'de> Visitor<'de> for Collect {
            type Value = Entries<'de>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries<'de>, A::Error> {
                let mut entries = Vec::with_capacity(12);
                while let Some(Key(key)) = map.next_key()? {
                    entries.push((key, map.next_value()?));
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_map(Collect)
    }
}

/// A key, borrowed where it has no escapes.
struct Key<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Borrow;
        impl<'de> Visitor<'de> for Borrow {
            type Value = Key<'de>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a key")
            }
            fn visit_borrowed_str<E: de::Error>(self, key: &'de str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Borrowed(key)))
            }
            fn visit_str<E: de::Error>(self, key: &str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Owned(key.to_owned())))
            }
        }
        deserializer.deserialize_str(Borrow)
    }
}
