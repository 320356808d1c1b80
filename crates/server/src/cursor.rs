//! Pages: a long list is answered in parts, and a cursor, which only this server understands, says where the next begins.

use idetic_ops::{Error, Operation, Result};
use serde::{Deserialize, Serialize};

/// Things on a page where nothing is said, and at most.
pub const PAGE: usize = 100;
pub const PAGE_MAX: usize = 1000;
/// A page with more than this ends with what it has.
pub const PAGE_MAX_BYTES: usize = 16 << 20;

/// Where a page begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cursor {
    /// The operation it belongs to.
    #[serde(rename = "o")]
    pub(crate) operation: String,
    /// A number of the log behind which it begins, where the operation can begin there…
    #[serde(rename = "a", default, skip_serializing_if = "Option::is_none")]
    pub after: Option<u64>,
    /// …else how many things are passed over.
    #[serde(rename = "s", default)]
    pub skip: usize,
}

impl Cursor {
    /// Where the list begins.
    pub fn first(operation: &Operation) -> Self {
        Self { operation: operation.name.to_owned(), after: None, skip: 0 }
    }

    /// Reads what was given out before.
    pub fn read(text: &str, operation: &Operation) -> Result<Self> {
        let wrong = || Error::invalid("the cursor is not valid for this operation").hint("send the value of `next`");
        let bytes: Option<Vec<u8>> = (0..text.len())
            .step_by(2)
            .map(|at| text.get(at..at + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok()))
            .collect();
        let cursor: Self = serde_json::from_slice(&bytes.ok_or_else(wrong)?).map_err(|_| wrong())?;
        if cursor.operation == operation.name { Ok(cursor) } else { Err(wrong()) }
    }

    /// As it is given out.
    pub fn text(&self) -> String {
        let json = serde_json::to_string(self).unwrap_or_default();
        json.bytes().map(|byte| format!("{byte:02x}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_belongs_to_its_operation() {
        let (log, facts) =
            (idetic_agent::ops::find("log").expect("log"), idetic_agent::ops::find("fact list").expect("facts"));
        let cursor = Cursor { after: Some(7), ..Cursor::first(log) };
        assert_eq!(Cursor::read(&cursor.text(), log).expect("its own"), cursor);
        for wrong in [cursor.text().as_str(), "", "zz", "7b7d", "é1", "7"] {
            Cursor::read(wrong, facts).expect_err(wrong);
        }
    }
}
