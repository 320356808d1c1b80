//! A memory: a folder with the spaces of its users.

use std::fmt;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use idetic_memory::core::SpaceName;
use idetic_memory::model::Embedder;
use idetic_memory::{Env, Models};

use crate::event::to_time;
use crate::{Result, Space};

/// The collection that is meant where only a user is named.
const COLLECTION: &str = "default";

/// A folder that holds the memory of one or many users.
///
/// ```
/// # let folder = tempfile::tempdir().expect("a folder");
/// let memory = idetic::Memory::open(folder.path().join("memory"))?;
/// memory.space("ann")?.remember("Tea at five")?;
/// assert_eq!(memory.spaces()?, ["ann/default"]);
/// # Ok::<(), idetic::Error>(())
/// ```
#[derive(Clone)]
pub struct Memory {
    inner: Arc<idetic_memory::Memory>,
    /// Loaded with the first space, so that whoever wants another model, or none, does not wait for this one.
    models: OnceLock<Models>,
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memory").field("folder", &self.inner.home()).finish_non_exhaustive()
    }
}

impl Memory {
    /// Opens the memory in a folder, which is made if it is not there.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// let memory = idetic::Memory::open(folder.path().join("memory"))?;
    /// assert!(memory.spaces()?.is_empty());
    /// # Ok::<(), idetic::Error>(())
    /// ```
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        idetic_memory::Memory::init(path)?;
        let inner = Arc::new(idetic_memory::Memory::open(path, env())?);
        Ok(Self { inner, models: OnceLock::new() })
    }

    /// The same memory with another embedding model, or with none: then questions are answered by words alone.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// let memory = idetic::Memory::open(folder.path())?.with_embedder(None);
    /// memory.space("ann")?.remember("The build needs Node 20")?;
    /// assert_eq!(memory.space("ann")?.recall("Node")?.len(), 1);
    /// # Ok::<(), idetic::Error>(())
    /// ```
    #[must_use]
    pub fn with_embedder(mut self, embedder: Option<Arc<dyn Embedder>>) -> Self {
        self.models = Models { local: embedder.is_some(), wanted: embedder, ..Models::default() }.into();
        self
    }

    fn models(&self) -> Result<Models> {
        if let Some(models) = self.models.get() {
            return Ok(models.clone());
        }
        let models = Models { wanted: built_in()?, local: true, ..Models::default() };
        Ok(self.models.get_or_init(|| models).clone())
    }

    /// The space of a user, `"ann"`, or one of several that a user has, `"ann/work"`; it is made if it is not there.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let memory = idetic::Memory::open(folder.path())?.with_embedder(None);
    /// memory.space("ann/work")?.remember("The build needs Node 20")?;
    /// assert!(memory.space("ann/home")?.recall("Node")?.is_empty());
    /// # Ok::<(), idetic::Error>(())
    /// ```
    pub fn space(&self, name: &str) -> Result<Space> {
        let whole = if name.contains('/') { name.to_owned() } else { format!("{name}/{COLLECTION}") };
        let space = self.inner.space_or_new(&SpaceName::parse(&whole)?)?;
        Ok(Space::new(Arc::clone(&self.inner), space, self.models()?))
    }

    /// The names of all spaces, in order.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let memory = idetic::Memory::open(folder.path())?.with_embedder(None);
    /// memory.space("ben")?.remember("Tea at five")?;
    /// assert_eq!(memory.spaces()?, ["ben/default"]);
    /// # Ok::<(), idetic::Error>(())
    /// ```
    pub fn spaces(&self) -> Result<Vec<String>> {
        Ok(self.inner.spaces()?.iter().map(ToString::to_string).collect())
    }
}

/// The clock of the machine and the random source of the system.
fn env() -> Env {
    Env::new(|| to_time(SystemTime::now()), |bytes| getrandom::fill(bytes).expect("the system has a random source"))
}

#[cfg(feature = "minilm")]
fn built_in() -> Result<Option<Arc<dyn Embedder>>> {
    let model = idetic_memory::model::MiniLm::from_bytes(idetic_weights::MINILM);
    let model = model.map_err(|error| idetic_memory::Error::unavailable(error.to_string()))?;
    Ok(Some(Arc::new(model)))
}

#[cfg(not(feature = "minilm"))]
#[expect(clippy::unnecessary_wraps, reason = "with the feature it can fail")]
fn built_in() -> Result<Option<Arc<dyn Embedder>>> {
    Ok(None)
}
