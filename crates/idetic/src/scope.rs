//! What one reader sees and appends: all of a space, or one side of an agent.

use std::fmt;

use idetic_memory::core::Record;
use idetic_memory::{Models, Viewpoint};

use crate::event::{Trust, from_time};
use crate::{Appended, Event, Hit, NewEvent, Prompt, RecallOptions, Result};

/// The kind of what is remembered in so many words.
const REMEMBERED: &str = "memory.remembered";

/// What one reader sees and appends. A [`Space`](crate::Space) and an [`Agent`](crate::Agent) are each one; nothing leads from it
/// to what that reader may not see.
///
/// ```
/// # let folder = tempfile::tempdir().expect("a folder");
/// # let ann = idetic::Memory::open(folder.path())?.space("ann")?;
/// fn note(scope: &idetic::Scope) -> idetic::Result<()> {
///     scope.remember("Tea at five").map(drop)
/// }
/// note(&ann)?;
/// note(&ann.actor("coder"))?;
/// # Ok::<(), idetic::Error>(())
/// ```
#[derive(Clone)]
pub struct Scope {
    viewpoint: Viewpoint,
    models: Models,
}

impl fmt::Debug for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope").field("sees", &self.viewpoint.scope).finish_non_exhaustive()
    }
}

impl Scope {
    pub(crate) fn new(viewpoint: Viewpoint, models: Models) -> Self {
        Self { viewpoint, models }
    }

    /// Remembers a text.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let ann = idetic::Memory::open(folder.path())?.space("ann")?;
    /// assert_eq!(ann.remember("Tea at five")?.seq, 1);
    /// # Ok::<(), idetic::Error>(())
    /// ```
    pub fn remember(&self, text: &str) -> Result<Appended> {
        if text.trim().is_empty() {
            return Err(idetic_memory::Error::invalid("the text is empty").into());
        }
        self.append(NewEvent::new(REMEMBERED).text(text))
    }

    /// Appends an event.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let ann = idetic::Memory::open(folder.path())?.space("ann")?;
    /// let said = idetic::NewEvent::new("user_input").text("I moved to Leipzig").author("ann");
    /// assert_eq!(ann.append(said)?.seq, 1);
    /// # Ok::<(), idetic::Error>(())
    /// ```
    pub fn append(&self, event: NewEvent) -> Result<Appended> {
        let mut appended = self.append_all([event])?;
        appended.pop().ok_or_else(|| idetic_memory::Error::unavailable("nothing was appended").into())
    }

    /// Appends events together: all of them, or none.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let ann = idetic::Memory::open(folder.path())?.space("ann")?;
    /// let events = ["one", "two"].map(|text| idetic::NewEvent::new("user_input").text(text));
    /// assert_eq!(ann.append_all(events)?.len(), 2);
    /// # Ok::<(), idetic::Error>(())
    /// ```
    pub fn append_all(&self, events: impl IntoIterator<Item = NewEvent>) -> Result<Vec<Appended>> {
        let records: Vec<Record> = events.into_iter().map(NewEvent::record).collect::<Result<_>>()?;
        let appended = self.viewpoint.submit(records, None).map_err(|error| self.viewpoint.redact(error))?;
        Ok(appended.into_iter().map(|(place, id)| Appended { seq: place.number(), id }).collect())
    }

    /// What answers a question, the best first.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let ann = idetic::Memory::open(folder.path())?.space("ann")?;
    /// ann.remember("The build needs Node 20")?;
    /// assert_eq!(ann.recall("which Node?")?[0].text, "The build needs Node 20");
    /// # Ok::<(), idetic::Error>(())
    /// ```
    pub fn recall(&self, question: &str) -> Result<Vec<Hit>> {
        self.recall_with(question, &RecallOptions::default())
    }

    /// The same, narrowed down or as of the past.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let ann = idetic::Memory::open(folder.path())?.space("ann")?;
    /// ann.append(idetic::NewEvent::new("user_input").text("Tea at five").author("ann"))?;
    /// ann.append(idetic::NewEvent::new("user_input").text("Tea at six").author("bob"))?;
    /// let hits = ann.recall_with("tea", &idetic::RecallOptions::default().author("bob"))?;
    /// assert_eq!(hits.iter().map(|hit| hit.text.as_str()).collect::<Vec<_>>(), ["Tea at six"]);
    /// # Ok::<(), idetic::Error>(())
    /// ```
    pub fn recall_with(&self, question: &str, options: &RecallOptions) -> Result<Vec<Hit>> {
        let question = options.question(question);
        let recalled = self.viewpoint.recall_one(&self.models, &options.engine, &question, &mut |_| {});
        let recalled = recalled.map_err(|error| self.viewpoint.redact(error))?;
        Ok(recalled.hits.into_iter().map(Hit::from).collect())
    }

    /// What answers a question as a text to put before a model, of at most so many tokens.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let ann = idetic::Memory::open(folder.path())?.space("ann")?;
    /// ann.remember("The build needs Node 20")?;
    /// assert!(ann.prompt("which Node?", 500)?.text.contains("Node 20"));
    /// # Ok::<(), idetic::Error>(())
    /// ```
    pub fn prompt(&self, question: &str, tokens: usize) -> Result<Prompt> {
        let packed = self.viewpoint.context(&self.models, question, tokens);
        let packed = packed.map_err(|error| self.viewpoint.redact(error))?;
        let sources = packed.sources.into_iter().map(|source| source.id).collect();
        Ok(Prompt { text: packed.text, tokens: packed.tokens, sources })
    }

    /// One event, by its id or its number.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let ann = idetic::Memory::open(folder.path())?.space("ann")?;
    /// let id = ann.remember("Tea at five")?.id;
    /// assert_eq!(ann.get(&id)?, ann.get("1")?);
    /// # Ok::<(), idetic::Error>(())
    /// ```
    pub fn get(&self, id: &str) -> Result<Event> {
        let (place, event) = self.viewpoint.look_up(id)?;
        let (text, time, trust, origin) =
            (event.whole_text(), from_time(event.ts()), event.trust(), event.origin().to_owned());
        let fields = event.fields.unwrap_or_default();
        Ok(Event {
            text,
            id: event.header.id,
            seq: place.number(),
            kind: event.header.kind,
            time,
            author: fields.author,
            conversation: fields.conversation_id,
            trust: Trust::named(trust.word()),
            origin,
            metadata: fields.metadata.and_then(|metadata| serde_json::from_str(metadata.get()).ok()),
            causes: fields.causes,
        })
    }

    /// How many events can be seen.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let ann = idetic::Memory::open(folder.path())?.space("ann")?;
    /// ann.remember("Tea at five")?;
    /// assert_eq!(ann.count()?, 1);
    /// # Ok::<(), idetic::Error>(())
    /// ```
    pub fn count(&self) -> Result<u64> {
        Ok(self.viewpoint.count_all()?)
    }

    /// Computes the vectors of everything that has none yet, and says how many texts that were. A question does so for a few
    /// texts by itself; after many were appended at once, they are found by their words until this has run.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let ann = idetic::Memory::open(folder.path())?.space("ann")?;
    /// ann.append_all((0..50).map(|n| idetic::NewEvent::new("user_input").text(format!("Room {n} is free"))))?;
    /// ann.embed()?;
    /// # Ok::<(), idetic::Error>(())
    /// ```
    pub fn embed(&self) -> Result<u64> {
        Ok(self.viewpoint.embed_all(&self.models).map_err(|error| self.viewpoint.redact(error))?)
    }
}
