//! Which rows stand as of a seq, as SQL: those born by then that nothing has replaced, without what has expired.
//!
//! What an expired event said is as if it had never been said: its own rows are left out, and a row that only expired events
//! replaced stands again.

use idetic_core::Time;
use idetic_core::views::graph::ENTRIES;
use idetic_core::views::{EXPIRIES, FACTS, Shape, TIMELINE, Table, Value};
use rusqlite::{Connection, Row};

use super::execute::Cell;
use super::sql::quote;
use crate::Result;

/// How far a trust in a column reaches: the highest first, as events compare it.
fn rank(column: &str) -> String {
    format!("CASE {column} WHEN 'user' THEN 0 WHEN 'agent' THEN 1 WHEN 'tool' THEN 2 ELSE 3 END")
}

/// What was said of when events expire and counts as of the seq `at`, each beside its event. `at` is a number or a parameter.
fn said(at: &str) -> String {
    let (expiries, timeline) = (quote(EXPIRIES.name), quote(TIMELINE.name));
    let (said_by, own) = (rank("said.trust"), rank("event.trust"));
    format!(
        "main.{expiries} AS said JOIN main.{timeline} AS event ON event.id = said.id \
         AND ifnull(event.agent, '') = said.agent AND ifnull(event.persona, '') = said.persona \
         WHERE said.born <= {at} AND (said.died IS NULL OR said.died > {at}) \
         AND event.born <= {at} AND {said_by} <= {own}"
    )
}

/// The seqs of the events that had expired by `now`, as of the seq `at`: both are SQL, a number or a parameter.
pub fn expired(at: &str, now: &str) -> String {
    format!("SELECT event.born FROM {} AND said.expires <= {now}", said(at))
}

pub(super) fn expired_at(connection: &Connection, at: u64, now: Time) -> Result<Vec<u64>> {
    let mut statement = connection.prepare_cached(&expired("?1", "?2"))?;
    let seqs = statement.query_map((Cell(&Value::from(at)), now.0), |row| row.get(0))?.collect::<rusqlite::Result<_>>();
    Ok(seqs?)
}

/// When an event expires, as of the seq `at`: `event` is SQL for its seq.
pub fn end_of(event: &str, at: &str) -> String {
    format!("(SELECT max(said.expires) FROM {} AND event.born = {event})", said(at))
}

/// Of what had expired by `now` that whose content may go, each with whether what was made of it goes along. What counts is
/// what was said last by the event itself, or by somebody who may forget it: what others ended is only left out.
pub(super) fn erasable_at(connection: &Connection, at: u64, now: Time) -> Result<Vec<(u64, bool)>> {
    let (last_by, own) = (rank("last.trust"), rank("event.trust"));
    let sql = format!(
        "SELECT event.born, (SELECT CASE WHEN last.expires <= ?2 THEN last.erases END FROM main.{} AS last \
         WHERE last.agent = said.agent AND last.persona = said.persona AND last.id = said.id AND last.born <= ?1 \
         AND (last.erases OR last.born = event.born) AND {last_by} <= {own} ORDER BY last.born DESC LIMIT 1) \
         FROM {} AND said.expires <= ?2",
        quote(EXPIRIES.name),
        said("?1")
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let read = |row: &Row| Ok((row.get(0)?, row.get(1)?));
    let found = statement.query_map((Cell(&Value::from(at)), now.0), read)?;
    let found: Vec<(u64, Option<bool>)> = found.collect::<rusqlite::Result<_>>()?;
    Ok(found.into_iter().filter_map(|(seq, erases)| Some((seq, erases?))).collect())
}

/// When each of some events expires, as of the seq `at`.
pub(super) fn ends_of(connection: &Connection, events: &[u64], at: u64) -> Result<Vec<Option<Time>>> {
    let mut statement = connection.prepare_cached(&format!("SELECT {}", end_of("?2", "?1")))?;
    let at = Value::from(at);
    let mut end = |event: &u64| {
        let time = statement.query_row((Cell(&at), Cell(&Value::from(*event))), |row| row.get(0));
        Ok(time.map(|time: Option<i64>| time.map(Time))?)
    };
    events.iter().map(&mut end).collect()
}

/// What holds of the rows of a table that stand at a seq; without `now` whatever has expired is among them.
pub fn alive(table: &Table, at: &str, now: Option<&str>) -> String {
    let Some(now) = now else { return format!("born <= {at} AND (died IS NULL OR died > {at})") };
    let (name, expired) = (quote(table.name), expired(at, now));
    let Shape::Entity { key } = table.shape else {
        return format!("born <= {at} AND (died IS NULL OR died > {at}) AND born NOT IN ({expired})");
    };
    let same: Vec<String> = table.columns[..key].iter().map(|c| format!("later.{0} = {name}.{0}", quote(c))).collect();
    // A later event puts a fact again to end it, or an entry of the changelog that it refers to: the row is born from that one,
    // what it says is still of the event in `seq`.
    let tells = if [FACTS.name, ENTRIES.name].contains(&table.name) { ["born", "seq"].as_slice() } else { &["born"] };
    let lasts = |row: &str| {
        tells.iter().map(|column| format!("{row}.{column} NOT IN ({expired})")).collect::<Vec<_>>().join(" AND ")
    };
    let later = format!(
        "SELECT 1 FROM main.{name} AS later WHERE {} AND later.born > {name}.born AND later.born <= {at} AND {}",
        same.join(" AND "),
        lasts("later")
    );
    format!(
        "born <= {at} AND {} \
         AND (died IS NULL OR died > {at} OR died IN ({expired}) AND NOT EXISTS ({later}))",
        lasts(&name)
    )
}

/// When the first event expires that was ever said to.
pub(super) fn first_expiry(connection: &Connection) -> Result<Option<Time>> {
    let sql = format!("SELECT min(expires) FROM {}", quote(EXPIRIES.name));
    Ok(connection.prepare_cached(&sql)?.query_row([], |row| row.get::<_, Option<i64>>(0))?.map(Time))
}
