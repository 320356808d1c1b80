//! The log and the local view database. Nothing here knows what an event means.

mod error;
mod group;
mod head;
mod lock;
mod log;
mod sources;
mod sqlite_log;
mod views;
mod wal;

pub use error::{Conflict, Error, Result};
pub use head::HeadState;
pub use log::{Ack, Batch, Log, NewEvent, Problem};
pub use sources::Sources;
pub use sqlite_log::{Options, SimulatedDisk, SqliteLog};
pub use views::{Digest, Filter, Position, Row, Select, Views};
