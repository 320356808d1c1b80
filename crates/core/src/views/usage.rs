//! What a space uses of its quota: events, bytes of text and tokens of text.

use super::schema::{Change, Live, Shape, Table, View};
use super::timeline::PURGED;
use crate::{Event, tokens};

/// Sums over everything that is there.
pub static USAGE: Table = Table {
    name: "usage",
    shape: Shape::Tally { key: 1 },
    columns: &["what", "events", "bytes", "tokens"],
    indexes: &[],
    places: &[],
};

pub const VIEW: View = View { name: "usage", version: 1, tables: &[&USAGE], apart: None, fold };

/// The bytes and tokens that some texts of an event use.
pub fn used(texts: [Option<&str>; 3]) -> (u64, u64) {
    let texts = || texts.iter().flatten();
    (texts().map(|text| text.len() as u64).sum(), texts().map(|text| tokens::estimate(text) as u64).sum())
}

fn fold(event: &Event, _: Live) -> Vec<Change> {
    // The receipt of a purge counts for nothing: it would tell of what was not to be told of any more.
    let Some(fields) = event.fields.as_ref().filter(|_| event.header.kind != PURGED) else { return Vec::new() };
    let metadata = fields.metadata.as_ref().map(|metadata| metadata.get());
    let (bytes, tokens) = used([fields.summary.as_deref(), fields.content.as_deref(), metadata]);
    vec![Change::Add(&USAGE, vec!["all".into(), 1_u64.into(), bytes.into(), tokens.into()])]
}
