//! Every operation, by noun, one file each; `table` lists them for the command line and the servers to walk.

mod amem;
mod arguments;
mod conversation;
mod derived;
mod episode;
mod event;
mod fact;
mod home;
mod identity;
mod integrity;
mod key;
mod lifecycle;
mod lines;
mod md;
mod note;
mod operation;
mod profile;
mod question;
mod recording;
mod reply;
mod rule;
mod runs;
mod session;
mod table;
mod transfer;

pub use amem::follow as follow_folder;
pub use idetic_clients as clients;
pub use idetic_memory::*;
pub use idetic_sql::{QueryLine, Rows};
pub use idetic_sync::amem::{BUILT_IN as BUILT_IN_QUERIES, FolderReport, FolderWork, Stayed, Trouble, TroubleKind};
pub use idetic_sync::markdown::{
    MdAppended, MdBoot, MdEvent, MdEventLine, MdHandoff, MdReport, MdSeverity, MdTask, MdText, MdTrouble,
};
pub use idetic_sync::purge::{Purged, PurgedLine, PurgedText, erase_expired};
pub use idetic_sync::{hooks, project, transcripts};
pub use key::store::{Key, Keys};
pub use operation::{Answers, ChatOf, Context, Interface, Operation, OwnerContext, from_json};
pub use question::evaluation::{self, Scores};
pub use reply::*;
pub use runs::{Run, record_run};
pub use table::{OPERATIONS, find};
pub use transfer::backup::backup_to;
