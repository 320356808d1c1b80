//! Until when events are kept: said by each itself, or by a later event about it.
//!
//! What has expired is for readers to leave out: a fold knows no clock, and any past moment can be asked about.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::episodes::EPISODE_STORED;
use super::facts::{FACT_STORED, lane};
use super::schema::{Change, Live, Shape, Table, Value, View};
use crate::words::Trust;
use crate::{Event, Fields, Time, limits};

/// The kind of an event that says until when others of its lane are kept: `{"expires": {"<id>": "<time>" or null}}` in its
/// metadata, and `"erases": true` where whoever said so may also forget them.
pub const KEPT_UNTIL: &str = "memory.kept_until";

/// When events expire, by lane and id; nothing for those that do no longer. `trust` is that of whoever said so: it counts for
/// events that are trusted no more. `erases` is 1 where somebody else than the event said so who may forget it.
pub static EXPIRIES: Table = Table {
    name: "expiries",
    shape: Shape::Entity { key: 3 },
    columns: &["agent", "persona", "id", "expires", "trust", "erases"],
    indexes: &[&["expires"]],
    places: &[],
};

pub const VIEW: View = View { name: "expiries", version: 2, tables: &[&EXPIRIES], apart: None, fold };

#[derive(Default, Deserialize)]
#[serde(default)]
struct Said {
    expires: BTreeMap<String, Option<String>>,
    erases: bool,
}

/// How facts and episodes said it before events had a field for it.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Own {
    expires: Option<String>,
}

fn fold(event: &Event, live: Live) -> Vec<Change> {
    let Some(fields) = &event.fields else { return Vec::new() };
    let own = expiry(event, fields).map(|time| (event.header.id.clone(), Some(time), false));
    let said: Said = if event.header.kind == KEPT_UNTIL { metadata(fields) } else { Said::default() };
    let others = said.expires.into_iter().take(limits::RETIRED_MAX_AT_ONCE);
    let others = others.map(|(id, text)| (id, text.and_then(|text| Time::parse(&text).ok()), said.erases));
    let mut changes = Vec::new();
    for (id, time, erases) in own.into_iter().chain(others) {
        let mut row: Vec<Value> = lane(fields).into_iter().chain([id.as_str().into()]).collect();
        let said_by = live(&EXPIRIES, &row).and_then(|row| Trust::parse(row[4].text()?).ok());
        if said_by.is_none_or(|said_by| event.trust().may_change(said_by)) {
            row.extend([time.map(|time| time.0).into(), event.trust().word().into(), i64::from(erases).into()]);
            changes.push(Change::Put(&EXPIRIES, row));
        }
    }
    changes
}

fn expiry(event: &Event, fields: &Fields) -> Option<Time> {
    let said_apart = || Time::parse(&metadata::<Own>(fields).expires?).ok();
    let is_old = [FACT_STORED, EPISODE_STORED].contains(&event.header.kind.as_str());
    fields.expires_at.or_else(|| if is_old { said_apart() } else { None })
}

fn metadata<T: Default + for<'de> Deserialize<'de>>(fields: &Fields) -> T {
    let metadata = fields.metadata.as_ref().filter(|metadata| metadata.get().contains("\"expires\""));
    metadata.and_then(|metadata| serde_json::from_str(metadata.get()).ok()).unwrap_or_default()
}
