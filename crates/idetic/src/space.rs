//! A space: one user's memory, and the agents in it.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use idetic_memory::Models;
use idetic_memory::core::words::Persona;
use idetic_sync::purge::{Forget, Purged, forget};

use crate::{Result, Scope};

/// One user's memory. Everything a [`Scope`] does, it does over all of it.
///
/// ```
/// # let folder = tempfile::tempdir().expect("a folder");
/// let memory = idetic::Memory::open(folder.path())?;
/// let (ann, bob) = (memory.space("ann")?, memory.space("bob")?);
/// ann.remember("Tea at five")?;
/// assert!(bob.recall("tea")?.is_empty());
/// # Ok::<(), idetic::Error>(())
/// ```
#[derive(Clone)]
pub struct Space {
    memory: Arc<idetic_memory::Memory>,
    inner: Arc<idetic_memory::Space>,
    models: Models,
    scope: Scope,
}

impl fmt::Debug for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Space").field("name", &self.inner.name().to_string()).finish_non_exhaustive()
    }
}

impl Space {
    pub(crate) fn new(memory: Arc<idetic_memory::Memory>, inner: Arc<idetic_memory::Space>, models: Models) -> Self {
        let scope = Scope::new(inner.as_owner(), models.clone());
        Self { memory, inner, models, scope }
    }

    /// The side of an agent that acts and talks: it sees what it did itself and what the space shares.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let ann = idetic::Memory::open(folder.path())?.space("ann")?;
    /// ann.actor("coder").remember("The tests need PostgreSQL")?;
    /// assert!(ann.actor("writer").recall("PostgreSQL")?.is_empty());
    /// # Ok::<(), idetic::Error>(())
    /// ```
    pub fn actor(&self, agent: &str) -> Agent {
        self.agent(agent, Persona::Actor)
    }

    /// The side of an agent that maintains: it also sees what its actor did, and no actor sees what it keeps.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let ann = idetic::Memory::open(folder.path())?.space("ann")?;
    /// ann.subconscious("coder").remember("The user is in a hurry")?;
    /// assert!(ann.actor("coder").recall("hurry")?.is_empty());
    /// assert_eq!(ann.subconscious("coder").recall("hurry")?.len(), 1);
    /// # Ok::<(), idetic::Error>(())
    /// ```
    pub fn subconscious(&self, agent: &str) -> Agent {
        self.agent(agent, Persona::Subconscious)
    }

    fn agent(&self, agent: &str, persona: Persona) -> Agent {
        Agent { scope: Scope::new(self.inner.as_agent(agent, persona), self.models.clone()) }
    }

    /// Forgets an event and everything derived from it, in every file of this memory. That something was forgotten stays in the
    /// log, without a word of what it was.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let ann = idetic::Memory::open(folder.path())?.space("ann")?;
    /// let id = ann.remember("My PIN is 1234")?.id;
    /// assert_eq!(ann.forget(&id)?.events, 1);
    /// assert!(ann.recall("PIN")?.is_empty());
    /// # Ok::<(), idetic::Error>(())
    /// ```
    pub fn forget(&self, id: &str) -> Result<Forgotten> {
        Ok(forget(&self.memory, &self.inner, &Forget::Event(id))?.into())
    }

    /// Forgets every event that says a text, however it is spelled, and everything derived from it. A text of fewer than three
    /// letters is refused: it would take half of the memory with it.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let ann = idetic::Memory::open(folder.path())?.space("ann")?;
    /// ann.remember("Meet Mr GROSSMANN at noon")?;
    /// assert_eq!(ann.forget_matching("großmann")?.events, 1);
    /// # Ok::<(), idetic::Error>(())
    /// ```
    pub fn forget_matching(&self, text: &str) -> Result<Forgotten> {
        Ok(forget(&self.memory, &self.inner, &Forget::Matching(text))?.into())
    }

    /// Checks the whole log against its hash chain, and every view against the log; gives the number of events.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let ann = idetic::Memory::open(folder.path())?.space("ann")?;
    /// ann.remember("Tea at five")?;
    /// assert_eq!(ann.verify()?, 1);
    /// # Ok::<(), idetic::Error>(())
    /// ```
    pub fn verify(&self) -> Result<u64> {
        let verdict = idetic_memory::verify(&self.inner)?;
        match verdict.problems.first() {
            None => Ok(verdict.events),
            Some(problem) => Err(idetic_memory::Error::new(idetic_memory::Kind::CheckFailed, &problem.message).into()),
        }
    }
}

impl Deref for Space {
    type Target = Scope;

    fn deref(&self) -> &Scope {
        &self.scope
    }
}

/// One side of an agent in a space. Nothing leads from it to the space, to another agent or to the other side.
///
/// ```
/// # let folder = tempfile::tempdir().expect("a folder");
/// # let ann = idetic::Memory::open(folder.path())?.space("ann")?;
/// let coder: idetic::Agent = ann.actor("coder");
/// coder.remember("The tests need PostgreSQL")?;
/// assert_eq!(coder.recall("what do the tests need?")?.len(), 1);
/// # Ok::<(), idetic::Error>(())
/// ```
///
/// ```compile_fail
/// fn escape(agent: &idetic::Agent) { agent.forget("1"); }
/// ```
#[derive(Debug, Clone)]
pub struct Agent {
    scope: Scope,
}

impl Deref for Agent {
    type Target = Scope;

    fn deref(&self) -> &Scope {
        &self.scope
    }
}

/// What was forgotten.
///
/// ```
/// # let folder = tempfile::tempdir().expect("a folder");
/// # let ann = idetic::Memory::open(folder.path())?.space("ann")?;
/// ann.remember("Lunch with Zoë on Friday")?;
/// let forgotten = ann.forget_matching("Zoë")?;
/// assert_eq!((forgotten.events, forgotten.receipt.is_some()), (1, true));
/// # Ok::<(), idetic::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Forgotten {
    /// How many events lost their content.
    pub events: usize,
    /// The id of the event that says so.
    pub receipt: Option<String>,
    /// Places that may still have it and were not looked into, such as git's history of a folder.
    pub warnings: Vec<String>,
}

impl From<Purged> for Forgotten {
    fn from(purged: Purged) -> Self {
        Self { events: purged.count, receipt: purged.receipt, warnings: purged.warnings }
    }
}
