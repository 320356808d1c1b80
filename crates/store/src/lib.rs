//! The log and the local view database. Nothing here knows what an event means.

mod archive_file;
mod commit;
mod database;
mod env;
mod error;
mod files;
mod filtered_log;
mod folders;
mod foreign;
mod group;
mod head;
mod idempotency;
mod lanes;
mod lock;
mod log;
mod logs;
mod moving;
mod named_call;
mod pg_log;
mod snapshots;
mod sqlite_log;
mod sums;
mod time_limit;
mod vectors;
mod views;

pub use env::Env;
pub use error::{Conflict, Error, Result};
pub use filtered_log::{FilteredLog, ranges};
pub use folders::{flush_names, make_folder};
pub use foreign::{ForeignRow, NamedRow, count_rows, holds_table, read_query, read_table};
pub use head::{HeadState, Witness, begin_head};
pub use idempotency::{Idempotency, Turn};
pub use lanes::{Blocks, LaneFile, LaneFiles, Manifest, Sealed, Series, Writing};
pub use lock::{Held, LockFile};
pub use log::{Ack, Archive, Batch, EventVectors, Log, NewEvent, Problem, Snapshot};
pub use logs::{LogSettings, Logs};
pub use moving::{COPY_OF_LOG, Copied, Move};
pub use named_call::{Beginning, Erasures, Known, NamedCall};
pub use pg_log::{Database, Migration, PgLog, ServerState, SharedFile};
pub use snapshots::{Contents, Sealer, SpaceSnapshots};
pub use sqlite_log::given_up::refuse as refuse_if_moved;
pub use sqlite_log::{Options, SimulatedDisk, SqliteLog};
pub use time_limit::TimeLimit;
pub use vectors::{Made, Vectors};
pub use views::{
    Answer, Datum, Difference, Digest, Filter, Function, Given, Offered, Position, Query, Refused, ResultLimits, Row,
    Select, Views, alive, end_of, expired,
};
