//! Questions and what answers them.

use std::ops::Deref;
use std::time::SystemTime;

use idetic_memory::{AsOf, Question, RecallHit};

use crate::Event;
use crate::event::{Trust, from_time, to_time};

/// How a question is answered. The default is ten hits by words and by meaning, of everything there is.
///
/// ```
/// # let folder = tempfile::tempdir().expect("a folder");
/// # let ann = idetic::Memory::open(folder.path())?.space("ann")?;
/// use idetic::RecallOptions;
/// ann.remember("The build needs Node 18")?;
/// ann.remember("The build needs Node 20")?;
/// let then = RecallOptions::default().limit(1).as_of_seq(1);
/// assert_eq!(ann.recall_with("which Node?", &then)?[0].text, "The build needs Node 18");
/// # Ok::<(), idetic::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct RecallOptions {
    limit: Option<usize>,
    as_of: Option<AsOf>,
    pub(crate) engine: idetic_memory::RecallOptions,
}

/// What a question goes by.
///
/// ```
/// use idetic::{Mode, RecallOptions};
/// let words_only = RecallOptions::default().mode(Mode::Words);
/// # drop(words_only);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Mode {
    /// Words and meaning together.
    #[default]
    Hybrid,
    /// Words alone.
    Words,
    /// Meaning alone.
    Meaning,
}

impl RecallOptions {
    /// At most so many hits.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let ann = idetic::Memory::open(folder.path())?.with_embedder(None).space("ann")?;
    /// use idetic::RecallOptions;
    /// ann.remember("Tea at five")?;
    /// let options = RecallOptions::default().limit(3);
    /// let hits = ann.recall_with("tea", &options)?;
    /// # drop(hits);
    /// # Ok::<(), idetic::Error>(())
    /// ```
    #[must_use]
    pub fn limit(mut self, hits: usize) -> Self {
        self.limit = Some(hits);
        self
    }

    /// What to go by.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let ann = idetic::Memory::open(folder.path())?.with_embedder(None).space("ann")?;
    /// use idetic::{Mode, RecallOptions};
    /// ann.remember("Tea at five")?;
    /// let options = RecallOptions::default().mode(Mode::Words);
    /// let hits = ann.recall_with("tea", &options)?;
    /// # drop(hits);
    /// # Ok::<(), idetic::Error>(())
    /// ```
    #[must_use]
    pub fn mode(mut self, mode: Mode) -> Self {
        use idetic_memory::search::Mode as M;
        self.engine.mode = match mode {
            Mode::Hybrid => M::Hybrid,
            Mode::Words => M::Lexical,
            Mode::Meaning => M::Vector,
        };
        self
    }

    /// Only what this author said or did.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let ann = idetic::Memory::open(folder.path())?.with_embedder(None).space("ann")?;
    /// use idetic::RecallOptions;
    /// ann.remember("Tea at five")?;
    /// let options = RecallOptions::default().author("ann");
    /// let hits = ann.recall_with("tea", &options)?;
    /// # drop(hits);
    /// # Ok::<(), idetic::Error>(())
    /// ```
    #[must_use]
    pub fn author(mut self, author: impl Into<String>) -> Self {
        self.engine.filters.author = Some(author.into());
        self
    }

    /// Only events of this kind.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let ann = idetic::Memory::open(folder.path())?.with_embedder(None).space("ann")?;
    /// use idetic::RecallOptions;
    /// ann.remember("Tea at five")?;
    /// let options = RecallOptions::default().kind("user_input");
    /// let hits = ann.recall_with("tea", &options)?;
    /// # drop(hits);
    /// # Ok::<(), idetic::Error>(())
    /// ```
    #[must_use]
    pub fn kind(mut self, kind: impl Into<String>) -> Self {
        self.engine.filters.kind = Some(kind.into());
        self
    }

    /// Only what is part of this conversation.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let ann = idetic::Memory::open(folder.path())?.with_embedder(None).space("ann")?;
    /// use idetic::RecallOptions;
    /// ann.remember("Tea at five")?;
    /// let options = RecallOptions::default().conversation("chat-7");
    /// let hits = ann.recall_with("tea", &options)?;
    /// # drop(hits);
    /// # Ok::<(), idetic::Error>(())
    /// ```
    #[must_use]
    pub fn conversation(mut self, id: impl Into<String>) -> Self {
        self.engine.filters.conversation = Some(id.into());
        self
    }

    /// Only what happened at this time or later.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let ann = idetic::Memory::open(folder.path())?.with_embedder(None).space("ann")?;
    /// use idetic::RecallOptions;
    /// use std::time::{Duration, SystemTime};
    /// let an_hour_ago = SystemTime::now() - Duration::from_secs(3600);
    /// ann.remember("Tea at five")?;
    /// let options = RecallOptions::default().since(an_hour_ago);
    /// let hits = ann.recall_with("tea", &options)?;
    /// # drop(hits);
    /// # Ok::<(), idetic::Error>(())
    /// ```
    #[must_use]
    pub fn since(mut self, time: SystemTime) -> Self {
        self.engine.filters.since = Some(to_time(time));
        self
    }

    /// Only what happened at this time or earlier.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let ann = idetic::Memory::open(folder.path())?.with_embedder(None).space("ann")?;
    /// use idetic::RecallOptions;
    /// use std::time::{Duration, SystemTime};
    /// let an_hour_ago = SystemTime::now() - Duration::from_secs(3600);
    /// ann.remember("Tea at five")?;
    /// let options = RecallOptions::default().until(an_hour_ago);
    /// let hits = ann.recall_with("tea", &options)?;
    /// # drop(hits);
    /// # Ok::<(), idetic::Error>(())
    /// ```
    #[must_use]
    pub fn until(mut self, time: SystemTime) -> Self {
        self.engine.filters.until = Some(to_time(time));
        self
    }

    /// As it stood right after this event: what came later is not known yet.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let ann = idetic::Memory::open(folder.path())?.with_embedder(None).space("ann")?;
    /// use idetic::RecallOptions;
    /// ann.remember("Tea at five")?;
    /// let options = RecallOptions::default().as_of_seq(1);
    /// let hits = ann.recall_with("tea", &options)?;
    /// # drop(hits);
    /// # Ok::<(), idetic::Error>(())
    /// ```
    #[must_use]
    pub fn as_of_seq(mut self, seq: u64) -> Self {
        self.as_of = Some(AsOf::Seq(seq));
        self
    }

    /// As it stood at a time: what was written later is not known yet.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let ann = idetic::Memory::open(folder.path())?.with_embedder(None).space("ann")?;
    /// use idetic::RecallOptions;
    /// use std::time::{Duration, SystemTime};
    /// let an_hour_ago = SystemTime::now() - Duration::from_secs(3600);
    /// ann.remember("Tea at five")?;
    /// let options = RecallOptions::default().as_of_time(an_hour_ago);
    /// let hits = ann.recall_with("tea", &options)?;
    /// # drop(hits);
    /// # Ok::<(), idetic::Error>(())
    /// ```
    #[must_use]
    pub fn as_of_time(mut self, time: SystemTime) -> Self {
        self.as_of = Some(AsOf::Time(to_time(time)));
        self
    }

    /// Only hits with at least this score.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let ann = idetic::Memory::open(folder.path())?.with_embedder(None).space("ann")?;
    /// use idetic::RecallOptions;
    /// ann.remember("Tea at five")?;
    /// let options = RecallOptions::default().min_score(0.5);
    /// let hits = ann.recall_with("tea", &options)?;
    /// # drop(hits);
    /// # Ok::<(), idetic::Error>(())
    /// ```
    #[must_use]
    pub fn min_score(mut self, score: f64) -> Self {
        self.engine.min_score = Some(score);
        self
    }

    pub(crate) fn question(&self, query: &str) -> Question {
        Question { query: query.to_owned(), k: self.limit, as_of: self.as_of.clone(), ..Question::default() }
    }
}

/// An event that answers a question. The best comes first.
///
/// ```
/// # let folder = tempfile::tempdir().expect("a folder");
/// # let ann = idetic::Memory::open(folder.path())?.space("ann")?;
/// ann.remember("Tea at five")?;
/// let hit = &ann.recall("when is tea?")?[0];
/// assert!(hit.score > 0.0);
/// assert_eq!(hit.id, ann.get("1")?.id);
/// # Ok::<(), idetic::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Hit {
    /// What the hits are ordered by.
    pub score: f64,
    /// The event.
    pub event: Event,
}

impl Deref for Hit {
    type Target = Event;

    fn deref(&self) -> &Event {
        &self.event
    }
}

impl From<RecallHit> for Hit {
    fn from(hit: RecallHit) -> Self {
        let metadata = hit.metadata.and_then(|metadata| serde_json::from_str(metadata.get()).ok());
        let event = Event {
            text: hit.text,
            id: hit.id,
            seq: hit.place.number(),
            kind: hit.kind,
            time: from_time(hit.ts),
            author: hit.author,
            conversation: hit.conversation_id,
            trust: Trust::named(hit.trust),
            origin: hit.origin,
            metadata,
            // The first of them is the event itself.
            causes: hit.causes.into_iter().skip(1).collect(),
        };
        Self { score: hit.score, event }
    }
}

/// What is put before a model about a question: quoted and fenced as data, with where each piece comes from.
///
/// ```
/// # let folder = tempfile::tempdir().expect("a folder");
/// # let ann = idetic::Memory::open(folder.path())?.space("ann")?;
/// let said = ann.remember("The build needs Node 20")?;
/// let prompt = ann.prompt("which Node?", 500)?;
/// assert!(prompt.text.contains("Node 20") && prompt.sources == [said.id]);
/// # Ok::<(), idetic::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Prompt {
    /// The text; empty where nothing is good enough.
    pub text: String,
    /// About how many tokens it has.
    pub tokens: usize,
    /// The ids of the events it quotes, in its order.
    pub sources: Vec<String>,
}
