//! Operations that carry events elsewhere and back: export, import, backup.

pub mod backup;
pub mod export;
pub mod export_markdown;
pub mod export_memories;
pub mod import;
pub mod import_chaos;
pub mod import_memories;
pub mod import_transcripts;
pub mod restore;

mod plain;
