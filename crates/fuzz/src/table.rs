//! The table of targets.

use crate::{amem, clients, index, language, markdown, otlp, records};
#[cfg(feature = "doors")]
use crate::{archives, doors, lane_file, server, tokens};

/// One parser or door.
pub struct Target {
    /// Its name, and that of the folder of its corpus.
    pub name: &'static str,
    /// Takes an input; panics when something that must hold does not.
    pub run: fn(&[u8]),
    /// Longest input that is tried.
    pub input_max_bytes: usize,
    /// Whether an input takes a millisecond rather than microseconds: it opens files or connections.
    pub is_slow: bool,
}

/// Longest input of a target where length brings nothing new.
const SHORT_MAX_BYTES: usize = 1 << 10;
/// Longest input of most targets: a few records, a whole small file.
const DEFAULT_MAX_BYTES: usize = 4 << 10;
/// Longest input where many parts of one text matter.
const LONG_MAX_BYTES: usize = 16 << 10;

const fn fast(name: &'static str, run: fn(&[u8]), input_max_bytes: usize) -> Target {
    Target { name, run, input_max_bytes, is_slow: false }
}

#[cfg(feature = "doors")]
const fn slow(name: &'static str, run: fn(&[u8]), input_max_bytes: usize) -> Target {
    Target { name, run, input_max_bytes, is_slow: true }
}

/// Every parser.
const PARSERS: &[Target] = &[
    fast("record", records::record, DEFAULT_MAX_BYTES),
    fast("import_line", records::import_line, DEFAULT_MAX_BYTES),
    fast("amem_events", amem::events, LONG_MAX_BYTES),
    fast("amem_note", amem::note, DEFAULT_MAX_BYTES),
    fast("amem_files", amem::files, DEFAULT_MAX_BYTES),
    fast("changelog", markdown::changelog, LONG_MAX_BYTES),
    fast("changelog_merge", markdown::merge, LONG_MAX_BYTES),
    fast("project_files", markdown::project_files, DEFAULT_MAX_BYTES),
    fast("hook_message", clients::hook_message, DEFAULT_MAX_BYTES),
    fast("client_config", clients::client_config, DEFAULT_MAX_BYTES),
    fast("otlp_json", otlp::json, LONG_MAX_BYTES),
    fast("otlp_protobuf", otlp::protobuf, LONG_MAX_BYTES),
    fast("statements", language::statements, DEFAULT_MAX_BYTES),
    fast("values", language::values, SHORT_MAX_BYTES),
    fast("question", language::question, SHORT_MAX_BYTES),
    fast("segment", index::segment, DEFAULT_MAX_BYTES),
    fast("vectors", index::vectors, DEFAULT_MAX_BYTES),
];

/// Every door, and the files that only a home has.
#[cfg(feature = "doors")]
const DOORS: &[Target] = &[
    slow("lane_file", lane_file::lane_file, DEFAULT_MAX_BYTES),
    slow("archive_file", archives::archive_file, DEFAULT_MAX_BYTES),
    slow("backup_file", archives::backup_file, DEFAULT_MAX_BYTES),
    slow("operation", doors::operation, DEFAULT_MAX_BYTES),
    slow("query", doors::query, SHORT_MAX_BYTES),
    slow("http", server::http, DEFAULT_MAX_BYTES),
    slow("mcp", server::mcp, DEFAULT_MAX_BYTES),
    slow("token", tokens::token, DEFAULT_MAX_BYTES),
];
#[cfg(not(feature = "doors"))]
const DOORS: &[Target] = &[];

/// Every target.
pub fn targets() -> impl Iterator<Item = &'static Target> {
    PARSERS.iter().chain(DOORS)
}

/// The target with a name.
pub fn find(name: &str) -> Option<&'static Target> {
    targets().find(|target| target.name == name)
}
