//! Answers about upkeep: what a dream did, and how well questions were answered.

use idetic_memory::Consolidated;
use idetic_memory::space::embedding::Coverage;
use idetic_sync::amem::FolderWork;
use serde::Serialize;

/// What a dream did.
#[derive(Debug, Clone, Serialize)]
pub struct MaintenanceReport {
    /// How many events the log had.
    pub events: u64,
    /// Documents that got their vectors.
    pub embedded: u64,
    /// Of those the ones that had failed before.
    pub retried: u64,
    /// Documents that failed.
    pub failed: u64,
    /// Documents graded anew.
    pub regraded: u64,
    /// What became of facts, episodes and conversations.
    pub consolidated: Consolidated,
    /// Whether index files were joined.
    pub joined: bool,
    /// The model.
    pub model: Option<String>,
    /// How the documents stand with it now.
    pub coverage: Option<Coverage>,
    /// Why not everything could be done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unavailable: Option<String>,
    /// The event that records it; none where nothing changed.
    pub recorded: Option<String>,
}

/// What was done for the sake of retention, or would be: to the log, and to the A-MEM folder.
#[derive(Debug, Clone, Serialize)]
pub struct Retained {
    /// The log.
    #[serde(flatten)]
    pub log: idetic_memory::retention::Retained,
    /// The A-MEM folder.
    pub folder: FolderWork,
}
