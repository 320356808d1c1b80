//! Idetic as a library: a `Memory` holds spaces, a `Space` is one log and its views, and every operation is a row of a
//! table that the command line and the servers walk.

mod accept;
mod advice;
mod amem;
mod as_of;
pub mod config;
mod context;
mod embedding;
mod error;
pub mod evaluation;
mod failures;
mod folder;
mod graph;
mod identities;
mod lines;
mod long_term;
mod markdown;
mod memory;
mod notes;
mod operation;
mod profiles;
mod query;
mod recall;
mod reply;
mod retention;
mod runs;
mod sessions;
mod short_term;
mod space;
mod view;
mod viewpoint;

pub mod ops;

pub use amem::{FolderReport, Trouble, TroubleKind};
pub use as_of::AsOf;
pub use config::{Config, Setting};
pub use context::{Packed, Source};
pub use embedding::Coverage;
pub use error::{Error, Kind, Result};
pub use graph::Graph;
pub use graph::reply::{GraphDrawing, GraphEdge, GraphNode, GraphPart};
pub use idetic_core as core;
pub use idetic_formats::amem::profile::{Capability, Profile};
pub use idetic_model as model;
pub use idetic_store::{Datum, Sources};
pub use markdown::{
    MdAppended, MdBoot, MdEvent, MdEventLine, MdHandoff, MdReport, MdSeverity, MdTask, MdText, MdTrouble,
};
pub use memory::{Home, Memory};
pub use notes::reply::*;
pub use notes::{Base, NoteRow, Tried, note_deletion, note_outcome, note_record, note_text};
pub use operation::{Context, Face, Operation, Reader, Rights};
pub use query::{BUILT_IN as BUILT_IN_QUERIES, QueryLine, Rows};
pub use recall::{Manner, Models, Question};
pub use reply::*;
pub use retention::{ArchiveLine, FolderWork, Retained, Stayed};
pub use runs::{Run, record_run};
pub use sessions::new_trace;
pub use space::Space;
pub use view::{Actor, ActorView, Side, Subconscious, SubconsciousView, View};
