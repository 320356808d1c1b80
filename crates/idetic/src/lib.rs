//! Perfect recall for AI agents, in your own program.
//!
//! Everything an agent saw and did is appended to one log and never changed; what it remembers is looked up in views of that
//! log, which are rebuilt at any time. Every hit names the event it comes from.
//!
//! ```
//! # fn main() -> idetic::Result<()> {
//! # let path = tempfile::tempdir().expect("a folder");
//! # let path = path.path();
//! let memory = idetic::Memory::open(path)?;
//! let ann = memory.space("ann")?;
//! ann.remember("The build needs Node 20")?;
//! let hits = ann.recall("which Node?")?;
//! assert_eq!(hits[0].text, "The build needs Node 20");
//! # Ok(())
//! # }
//! ```
//!
//! - [`Memory`] is a folder on disk; the program `idetic` and other processes may use the same one at the same time.
//! - [`Space`] is one user's memory in it. Spaces see nothing of each other.
//! - [`Agent`] is one side of an agent in a space: what it remembers is its own, and it sees what the space shares.
//! - [`NewEvent`] is what is appended, [`Event`] what was; [`RecallOptions`] narrows a question or asks the past.
//!
//! When a call that writes returns, what it wrote is flushed to disk.
//!
//! # Features
//!
//! `minilm` (on by default) carries the weights of a small embedding model, all-MiniLM-L6-v2, so that questions are answered by
//! meaning as well as by words. Without it, or with [`Memory::with_embedder`], bring a model of your own or none.
//!
//! # From async code
//!
//! Every call blocks: it reads and flushes files, and may compute vectors. From an async program hand it to a thread that may
//! block. All types are cheap to clone and can be shared between threads.
//!
//! ```
//! # async fn answer(ann: idetic::Space) -> idetic::Result<Vec<idetic::Hit>> {
//! let hits = tokio::task::spawn_blocking(move || ann.recall("which Node?")).await.expect("it does not panic")?;
//! # Ok(hits)
//! # }
//! ```

mod error;
mod event;
mod memory;
#[cfg(doctest)]
mod readme;
mod recall;
mod scope;
mod space;

pub use error::{Error, ErrorKind, Result};
pub use event::{Appended, Event, NewEvent, Trust};
pub use idetic_memory::model::{EmbedError, Embedder, ModelId};
pub use memory::Memory;
pub use recall::{Hit, Mode, Prompt, RecallOptions};
pub use scope::Scope;
pub use space::{Agent, Forgotten, Space};
