//! Events: what is appended, and what was.

use std::time::{Duration, SystemTime};

use idetic_memory::core::{Record, Time};
use serde_json::{Map, Value};

use crate::Result;

/// Something to append. Only its kind is needed; the rest says more about it.
///
/// ```
/// # let folder = tempfile::tempdir().expect("a folder");
/// # let ann = idetic::Memory::open(folder.path())?.space("ann")?;
/// use idetic::NewEvent;
/// let said = NewEvent::new("user_input").text("I moved to Leipzig").author("ann").conversation("chat-7").tag("home");
/// ann.append(said)?;
/// # Ok::<(), idetic::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct NewEvent(Map<String, Value>);

impl NewEvent {
    /// An event of a kind: `user_input`, `actor_output`, `tool_result`, …, or a dotted name of your own such as `shop.order_placed`.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let ann = idetic::Memory::open(folder.path())?.with_embedder(None).space("ann")?;
    /// use idetic::NewEvent;
    /// ann.append(NewEvent::new("shop.order_placed").text("Two boxes of tea"))?;
    /// assert_eq!(ann.count()?, 1);
    /// # Ok::<(), idetic::Error>(())
    /// ```
    pub fn new(kind: impl Into<String>) -> Self {
        Self(Map::from_iter([("kind".to_owned(), Value::String(kind.into()))]))
    }

    /// An event from JSON, with every field that docs/format.md names.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let ann = idetic::Memory::open(folder.path())?.with_embedder(None).space("ann")?;
    /// use idetic::NewEvent;
    /// if let serde_json::Value::Object(fields) = serde_json::json!({"kind": "tool_result", "status": "failure", "content": "exit 1"}) {
    ///     ann.append(NewEvent::from_json(fields))?;
    /// }
    /// # Ok::<(), idetic::Error>(())
    /// ```
    pub fn from_json(fields: Map<String, Value>) -> Self {
        Self(fields)
    }

    /// What it says.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let ann = idetic::Memory::open(folder.path())?.with_embedder(None).space("ann")?;
    /// use idetic::NewEvent;
    /// ann.append(NewEvent::new("user_input").text("I moved to Leipzig"))?;
    /// assert_eq!(ann.recall("Leipzig")?.len(), 1);
    /// # Ok::<(), idetic::Error>(())
    /// ```
    #[must_use]
    pub fn text(self, text: impl Into<String>) -> Self {
        self.with("content", text.into())
    }

    /// Who said or did it.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let ann = idetic::Memory::open(folder.path())?.with_embedder(None).space("ann")?;
    /// use idetic::NewEvent;
    /// ann.append(NewEvent::new("user_input").text("Tea at five").author("ben"))?;
    /// assert_eq!(ann.recall("tea")?[0].event.author.as_deref(), Some("ben"));
    /// # Ok::<(), idetic::Error>(())
    /// ```
    #[must_use]
    pub fn author(self, author: impl Into<String>) -> Self {
        self.with("author", author.into())
    }

    /// The conversation it is part of.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let ann = idetic::Memory::open(folder.path())?.with_embedder(None).space("ann")?;
    /// use idetic::{NewEvent, RecallOptions};
    /// ann.append(NewEvent::new("user_input").text("Tea at five").conversation("chat-7"))?;
    /// let there = RecallOptions::default().conversation("chat-7");
    /// assert_eq!(ann.recall_with("tea", &there)?.len(), 1);
    /// # Ok::<(), idetic::Error>(())
    /// ```
    #[must_use]
    pub fn conversation(self, id: impl Into<String>) -> Self {
        self.with("conversation_id", id.into())
    }

    /// An id of your own: the same event appended again under the same id is kept once.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let ann = idetic::Memory::open(folder.path())?.with_embedder(None).space("ann")?;
    /// use idetic::NewEvent;
    /// for _ in 0..2 {
    ///     ann.append(NewEvent::new("user_input").text("Tea at five").id("order-17"))?;
    /// }
    /// assert_eq!(ann.count()?, 1);
    /// # Ok::<(), idetic::Error>(())
    /// ```
    #[must_use]
    pub fn id(self, id: impl Into<String>) -> Self {
        self.with("id", id.into())
    }

    /// When it happened; without it, now.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let ann = idetic::Memory::open(folder.path())?.with_embedder(None).space("ann")?;
    /// use idetic::NewEvent;
    /// use std::time::{Duration, SystemTime};
    /// let yesterday = SystemTime::now() - Duration::from_secs(86_400);
    /// ann.append(NewEvent::new("user_input").text("Tea at five").at(yesterday))?;
    /// # Ok::<(), idetic::Error>(())
    /// ```
    #[must_use]
    pub fn at(self, time: SystemTime) -> Self {
        self.with("ts", to_time(time).to_string())
    }

    /// How far it is trusted; without it, as its kind says.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let ann = idetic::Memory::open(folder.path())?.with_embedder(None).space("ann")?;
    /// use idetic::{NewEvent, Trust};
    /// ann.append(NewEvent::new("tool_result").text("A page of the web says so").trust(Trust::External))?;
    /// # Ok::<(), idetic::Error>(())
    /// ```
    #[must_use]
    pub fn trust(self, trust: Trust) -> Self {
        self.with("trust", trust.word())
    }

    /// A label.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let ann = idetic::Memory::open(folder.path())?.with_embedder(None).space("ann")?;
    /// use idetic::NewEvent;
    /// ann.append(NewEvent::new("decision").text("We use Fastify").tag("backend").tag("accepted"))?;
    /// # Ok::<(), idetic::Error>(())
    /// ```
    #[must_use]
    pub fn tag(mut self, tag: impl Into<String>) -> Self {
        let tags = self.0.entry("tags").or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(tags) = tags {
            tags.push(Value::String(tag.into()));
        }
        self
    }

    /// Anything else.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let ann = idetic::Memory::open(folder.path())?.with_embedder(None).space("ann")?;
    /// use idetic::NewEvent;
    /// if let serde_json::Value::Object(metadata) = serde_json::json!({"order": 17}) {
    ///     ann.append(NewEvent::new("shop.order_placed").text("Two boxes of tea").metadata(metadata))?;
    /// }
    /// # Ok::<(), idetic::Error>(())
    /// ```
    #[must_use]
    pub fn metadata(self, metadata: Map<String, Value>) -> Self {
        self.with("metadata", metadata)
    }

    fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.0.insert(key.to_owned(), value.into());
        self
    }

    pub(crate) fn record(self) -> Result<Record> {
        Ok(Record::parse(Value::Object(self.0).to_string().as_bytes())?)
    }
}

/// How far something is trusted.
///
/// ```
/// use idetic::{NewEvent, Trust};
/// let page = NewEvent::new("tool_result").text("Buy now!").trust(Trust::External);
/// # drop(page);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Trust {
    /// A person's own word.
    User,
    /// What an agent said or concluded.
    Agent,
    /// What a tool answered.
    Tool,
    /// What came from outside, such as a web page.
    External,
}

impl Trust {
    fn word(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Agent => "agent",
            Self::Tool => "tool",
            Self::External => "external",
        }
    }

    pub(crate) fn named(word: &str) -> Self {
        match word {
            "user" => Self::User,
            "agent" => Self::Agent,
            "tool" => Self::Tool,
            _ => Self::External,
        }
    }
}

/// What was appended: it is on disk.
///
/// ```
/// # let folder = tempfile::tempdir().expect("a folder");
/// # let ann = idetic::Memory::open(folder.path())?.space("ann")?;
/// let appended = ann.remember("Tea at five")?;
/// assert_eq!(appended.seq, 1);
/// assert_eq!(ann.get(&appended.id)?.text, "Tea at five");
/// # Ok::<(), idetic::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Appended {
    /// Its number, as whoever appended it counts.
    pub seq: u64,
    /// Its id.
    pub id: String,
}

/// An event of the log.
///
/// ```
/// # let folder = tempfile::tempdir().expect("a folder");
/// # let ann = idetic::Memory::open(folder.path())?.space("ann")?;
/// ann.remember("Tea at five")?;
/// let event = ann.get("1")?;
/// assert_eq!((event.kind.as_str(), event.text.as_str()), ("memory.remembered", "Tea at five"));
/// # Ok::<(), idetic::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Event {
    /// What it says.
    pub text: String,
    /// Its id.
    pub id: String,
    /// Its number, as whoever reads it counts.
    pub seq: u64,
    /// What kind of thing it was.
    pub kind: String,
    /// When it happened.
    pub time: SystemTime,
    /// Who said or did it.
    pub author: Option<String>,
    /// The conversation it was part of.
    pub conversation: Option<String>,
    /// How far it is trusted.
    pub trust: Trust,
    /// Its origin: `user`, `agent`, `tool:WebFetch`, …
    pub origin: String,
    /// Anything else.
    pub metadata: Option<Value>,
    /// The ids of the events it was derived from.
    pub causes: Vec<String>,
}

pub(crate) fn to_time(time: SystemTime) -> Time {
    let micros = |duration: Duration| i64::try_from(duration.as_micros()).unwrap_or(i64::MAX);
    match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(since) => Time(micros(since)),
        Err(before) => Time(-micros(before.duration())),
    }
}

pub(crate) fn from_time(Time(micros): Time) -> SystemTime {
    let duration = Duration::from_micros(micros.unsigned_abs());
    if micros < 0 { SystemTime::UNIX_EPOCH - duration } else { SystemTime::UNIX_EPOCH + duration }
}
