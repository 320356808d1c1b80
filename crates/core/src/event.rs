//! An event as it is read: header and fields together, in the order of the wire.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::chain::{Header, Stored};
use crate::fields::Fields;
use crate::upcast::{UPCASTS, Upcast, upcast};
use crate::words::{Origin, Trust, Visibility};
use crate::{Hash, Invalid, Time};

/// One immutable record of a space's log.
#[derive(Debug, Clone)]
pub struct Event {
    /// What the chain says of it.
    pub header: Header,
    /// Its hash.
    pub hash: Hash,
    /// What it says; `None` when it was erased.
    pub fields: Option<Fields>,
}

impl Event {
    /// Reads a stored event.
    pub fn read(stored: &Stored) -> Result<Self, Invalid> {
        Self::read_with(stored, UPCASTS)
    }

    /// Reads a stored event with the given steps from older versions.
    pub fn read_with(stored: &Stored, steps: &[Upcast]) -> Result<Self, Invalid> {
        let fields = match &stored.secret {
            Some(secret) => Some(Fields::read(&upcast(&secret.body, stored.header.version, steps))?),
            None => None,
        };
        Ok(Self { header: stored.header.clone(), hash: stored.hash, fields })
    }

    /// Its number.
    pub fn seq(&self) -> u64 {
        self.header.seq
    }

    /// When it happened: as said, or when it was written.
    pub fn ts(&self) -> Time {
        self.fields.as_ref().and_then(|f| f.ts).unwrap_or(self.header.recorded_at)
    }

    /// Where it comes from: as said, or as its kind implies.
    pub fn trust(&self) -> Trust {
        let fields = self.fields.as_ref();
        Trust::of_event(fields.and_then(|f| f.trust), fields.and_then(|f| f.origin.as_deref()), &self.header.kind)
    }

    /// Its origin: as the door it came through says, or as its kind and its trust imply.
    pub fn origin(&self) -> &str {
        let (said, trust) = (self.fields.as_ref().and_then(|f| f.origin.as_deref()), self.trust());
        // What a person is not believed to have said is not shown as theirs, whoever wrote it down so.
        let is_persons = |said: &str| Origin::of(said).is_ok_and(|origin| origin == Origin::User);
        said.filter(|said| trust == Trust::User || !is_persons(said)).unwrap_or_else(|| trust.origin())
    }

    /// From when on it is as if it had never been, as said when it was written.
    pub fn expires_at(&self) -> Option<Time> {
        self.fields.as_ref().and_then(|f| f.expires_at)
    }

    /// Who may be shown it.
    pub fn visibility(&self) -> Visibility {
        self.fields.as_ref().and_then(|f| f.visibility).unwrap_or(Visibility::External)
    }

    /// What to show of it in one line: its summary, or its text.
    pub fn text(&self) -> &str {
        self.fields.as_ref().and_then(|f| f.summary.as_deref().or(f.content.as_deref())).unwrap_or_default()
    }

    /// What it tells in one line: its text, or else what its metadata says of it, with what went wrong.
    pub fn told(&self) -> String {
        let mut parts: Vec<String> = Some(self.text().to_owned()).filter(|text| !text.is_empty()).into_iter().collect();
        if parts.is_empty() {
            let metadata = self.metadata();
            let said = TOLD_BY.iter().filter_map(|key| metadata.get(key)?.as_str());
            parts.extend(said.filter(|text| !text.trim().is_empty()).take(2).map(str::to_owned));
        }
        for error in self.errors_said() {
            if !parts.iter().any(|part| part.contains(&error)) {
                parts.push(error);
            }
        }
        parts.join(": ")
    }

    /// All it says in words: its summary, its content, and what went wrong if its metadata says more of that.
    pub fn whole_text(&self) -> String {
        let said = self.fields.iter().flat_map(|f| [f.summary.as_deref(), f.content.as_deref()]).flatten();
        let mut text = said.filter(|text| !text.trim().is_empty()).collect::<Vec<_>>().join("\n");
        for error in self.errors_said() {
            if !text.contains(&error) {
                let gap = if text.is_empty() { "" } else { "\n" };
                text = format!("{text}{gap}{error}");
            }
        }
        text
    }

    /// What its metadata says; nothing where it has none.
    pub fn metadata(&self) -> serde_json::Value {
        let metadata = self.fields.as_ref().and_then(|fields| fields.metadata.as_ref());
        metadata.and_then(|metadata| serde_json::from_str(metadata.get()).ok()).unwrap_or_default()
    }

    /// How long it took, when it says so in one of the ways found in real logs.
    pub fn duration_ms(&self) -> Option<i64> {
        #[derive(serde::Deserialize)]
        struct Durations {
            duration_ms: Option<f64>,
            duration_seconds: Option<f64>,
            duration_minutes: Option<f64>,
        }
        let metadata = self.fields.as_ref()?.metadata.as_ref()?;
        if !metadata.get().contains("\"duration_") {
            return None;
        }
        let said: Durations = serde_json::from_str(metadata.get()).ok()?;
        let millis = said
            .duration_ms
            .or(said.duration_seconds.map(|s| s * 1e3))
            .or(said.duration_minutes.map(|m| m * 6e4))
            .filter(|ms| (0.0..=1e12).contains(ms))?;
        #[expect(clippy::cast_possible_truncation, reason = "bounded just above")]
        Some(millis.round() as i64)
    }
}

impl Serialize for Event {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let header = &self.header;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("seq", &header.seq)?;
        map.serialize_entry("id", &header.id)?;
        map.serialize_entry("ts", &self.ts())?;
        map.serialize_entry("recorded_at", &header.recorded_at)?;
        map.serialize_entry("kind", &header.kind)?;
        if let Some(fields) = &self.fields {
            serialize_fields::<S>(&mut map, self, fields)?;
        } else {
            map.serialize_entry("erased", &true)?;
        }
        map.serialize_entry("hash", &self.hash)?;
        map.serialize_entry("prev_hash", &header.prev_hash)?;
        map.end()
    }
}

/// An event as a persona's view shows it: under the view's own number, without what only the whole log explains.
#[derive(Debug, Clone)]
pub struct Seen {
    /// Its number among what the view can see.
    pub pos: u64,
    /// The event, with only those causes and refs that the view can see.
    pub event: Event,
}

impl Serialize for Seen {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { pos, event } = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("pos", pos)?;
        map.serialize_entry("id", &event.header.id)?;
        map.serialize_entry("ts", &event.ts())?;
        map.serialize_entry("kind", &event.header.kind)?;
        if let Some(fields) = &event.fields {
            serialize_fields::<S>(&mut map, event, fields)?;
        }
        map.end()
    }
}

fn serialize_fields<S: Serializer>(map: &mut S::SerializeMap, event: &Event, fields: &Fields) -> Result<(), S::Error> {
    let mut text = |name: &str, value: Option<&str>| match value {
        Some(value) => map.serialize_entry(name, value),
        None => Ok(()),
    };
    text("status", fields.status.map(|s| s.word()))?;
    text("agent_id", fields.agent_id.as_deref())?;
    text("persona", fields.persona.map(|p| p.word()))?;
    text("visibility", Some(event.visibility().word()))?;
    text("author", fields.author.as_deref())?;
    text("source", fields.source.as_deref())?;
    text("trace_id", fields.trace_id.as_deref())?;
    text("loop_id", fields.loop_id.as_deref())?;
    text("conversation_id", fields.conversation_id.as_deref())?;
    text("scope", fields.scope.as_deref())?;
    text("summary", fields.summary.as_deref())?;
    text("content", fields.content.as_deref())?;
    let mut list = |name: &str, items: &[String]| match items {
        [] => Ok(()),
        items => map.serialize_entry(name, items),
    };
    list("refs", &fields.refs)?;
    list("tags", &fields.tags)?;
    if let Some(metadata) = &fields.metadata {
        map.serialize_entry("metadata", metadata)?;
    }
    map.serialize_entry("trust", event.trust().word())?;
    if !fields.causes.is_empty() {
        map.serialize_entry("causes", &fields.causes)?;
    }
    if let Some(origin) = &fields.origin {
        map.serialize_entry("origin", origin)?;
    }
    if let Some(expires_at) = &fields.expires_at {
        map.serialize_entry("expires_at", expires_at)?;
    }
    Ok(())
}

/// Where the metadata of an event without a text says what it was, the most telling first.
const TOLD_BY: [&str; 9] =
    ["description", "message", "summary", "title", "tool_name", "backend", "template", "artifact_type", "note_id"];

/// The kind of what an index of an A-MEM folder said that nothing else says.
pub const INDEX_KEPT: &str = "amem.index_kept";

/// Whether an event may be seen by whoever sees the files of a folder: nothing of a subconscious, nothing marked private,
/// and nothing that an index of the folder said, which is of no use to the folder.
pub fn is_for_files(event: &Event) -> bool {
    let fields = event.fields.as_ref();
    event.header.kind != INDEX_KEPT
        && fields.is_some_and(|fields| {
            fields.persona != Some(crate::words::Persona::Subconscious) && !is_private(&fields.tags)
        })
}

/// The tags of what is never put where others see it.
pub const PRIVATE_TAGS: [&str; 2] = ["private", "sensitive"];

/// Whether some tags mark something as not for others. However a tag is written, it means the same: with `#` or blanks
/// around it, in small letters or capitals, alone or in a list.
pub fn is_private(tags: &[String]) -> bool {
    let word = |tag: &str| tag.trim().trim_start_matches('#').trim().to_lowercase();
    let words = tags.iter().flat_map(|tag| tag.split([',', ';']));
    words.into_iter().any(|tag| PRIVATE_TAGS.contains(&word(tag).as_str()))
}
