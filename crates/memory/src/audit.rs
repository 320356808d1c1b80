//! The audit log: every administrative act is an event of a space of its own.

use idetic_core::{Record, SpaceName};
use serde_json::{Value, json};

use crate::Result;

/// Who the audit log belongs to.
const USER: &str = "idetic";
const COLLECTION: &str = "audit";

/// The space that administrative acts are recorded in.
pub(crate) fn space() -> Result<SpaceName> {
    Ok(SpaceName::parse(&format!("{USER}/{COLLECTION}"))?)
}

/// Whether a space is the audit log, which only who administers may see or write.
pub fn is_audit(space: &SpaceName) -> bool {
    space.parts() == [USER, COLLECTION]
}

/// The record of an administrative act: what was done, by which key or the command line, with what.
pub(crate) fn record(kind: &str, by: &str, metadata: &Value) -> Result<Record> {
    let record = json!({"kind": kind, "author": by, "source": "audit", "metadata": metadata});
    Ok(Record::parse(record.to_string().as_bytes())?)
}
