//! The audit log: every administrative act is an event of a space of its own.

use idetic_core::{Record, SpaceName};
use serde_json::{Value, json};

use crate::{Memory, Result};

/// Who the audit log belongs to.
const USER: &str = "idetic";
const COLLECTION: &str = "audit";

/// The space that administrative acts are recorded in.
fn space() -> Result<SpaceName> {
    Ok(SpaceName::parse(&format!("{USER}/{COLLECTION}"))?)
}

/// Whether a space is the audit log, which only who administers may see or write.
pub fn is_audit(space: &SpaceName) -> bool {
    space.parts() == [USER, COLLECTION]
}

impl Memory {
    /// Records an administrative act: what was done, by which key or the command line, with what.
    pub fn audit(&self, kind: &str, by: &str, metadata: &Value) -> Result<()> {
        let record = json!({"kind": kind, "author": by, "source": "audit", "metadata": metadata});
        let record = Record::parse(record.to_string().as_bytes())?;
        self.space_or_new(&space()?)?.append(vec![record], None)?;
        Ok(())
    }
}
