//! Reads the files of other programs, one item after another. Databases are opened for reading alone.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use idetic_clients::memories::{Item, chroma, claude_mem, langgraph, letta, mem0, zep};
use idetic_memory::{Error, Result};
use idetic_store::{NamedRow, count_rows, holds_table, read_query, read_table};
use serde_json::{Map, Value};

use super::json::{self, Part};
use super::{Found, MemorySource};

/// Rows after which it is told how far it is.
const TOLD_EVERY: u64 = 100;

/// What hears of everything that is found.
type Each<'a> = &'a mut dyn FnMut(Found) -> Result<()>;

/// Tells everything in a file.
pub(super) fn file(source: MemorySource, file: &Path, each: Each) -> Result<()> {
    match source {
        MemorySource::Mem0 if holds_table(file, "history")? => history(file, each),
        MemorySource::Mem0 => json::parts(file, &["results", "memories", "data"], &mut |part| {
            tell(part, each, &mut |said, _| vec![mem0::memory(said)])
        }),
        MemorySource::Zep => json::parts(file, &zep::LISTS, &mut |part| tell(part, each, &mut zep::items)),
        MemorySource::Letta => agents(file, each),
        MemorySource::Chroma => records(file, each),
        MemorySource::LangGraph => graph(file, each),
        MemorySource::ClaudeMem => sessions(file, each),
        MemorySource::BasicMemory => Ok(()),
    }
}

/// Reads the items in a value, or why one cannot be read; what is around it is the second.
type Read<'a> = &'a mut dyn FnMut(Value, &Map<String, Value>) -> Vec<std::result::Result<Item, String>>;

/// Tells a part of a JSON file.
fn tell(part: Part, each: Each, read: Read) -> Result<()> {
    match part {
        Part::Read(bytes) => each(Found::Read(bytes)),
        Part::Broken(place, why) => each(Found::Unreadable(place, why)),
        Part::Item(place, said, around) => {
            let items = read(said, around).into_iter();
            items.map(|item| item.map(|item| vec![item])).try_for_each(|items| tell_all(&place, items, each))
        }
    }
}

fn tell_all(place: &str, items: std::result::Result<Vec<Item>, String>, each: Each) -> Result<()> {
    match items {
        Ok(items) => items.into_iter().try_for_each(|item| each(Found::Item(place.to_owned(), Box::new(item)))),
        Err(why) => each(Found::Unreadable(place.to_owned(), why)),
    }
}

fn agents(file: &Path, each: Each) -> Result<()> {
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let items = letta::items(json::whole(file)?).map_err(|why| {
        Error::invalid(format!("{} is no agent file of Letta: {why}", file.display()))
            .hint("name a file that Letta exported")
    })?;
    let items = items.into_iter().enumerate();
    items
        .into_iter()
        .try_for_each(|(at, item)| tell_all(&format!("{name}, item {}", at + 1), item.map(|item| vec![item]), each))
}

/// Refuses a file that is not the database it should be.
fn must_hold(file: &Path, tables: &[&str], what: &str) -> Result<()> {
    for table in tables {
        if holds_table(file, table)? {
            return Ok(());
        }
    }
    Err(Error::invalid(format!("{} is not {what}", file.display()))
        .hint(format!("name an SQLite file with the table {}", tables.join(" or "))))
}

/// Calls for each row of a query, and tells how much of a file that is, of the part of it from `begin` to `end`.
fn rows(
    file: &Path,
    (sql, total): (&str, u64),
    (begin, end): (f64, f64),
    each: &mut dyn FnMut(Option<u64>, u64, NamedRow) -> Result<()>,
) -> Result<()> {
    let length = file.metadata().map_or(0, |about| about.len()) as f64;
    let mut number = 0_u64;
    let mut problem = None;
    let read = read_query(file, sql, &mut |row| {
        number += 1;
        let share = begin + (end - begin) * (number as f64 / total.max(number) as f64);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a part of the length of a file")]
        let bytes = number.is_multiple_of(TOLD_EVERY).then_some((length * share) as u64);
        each(bytes, number, row).map_err(|error| {
            let message = error.message.clone();
            problem = Some(error);
            idetic_store::Error::Unavailable(message)
        })
    });
    problem.map_or_else(|| read.map_err(Error::from), Err)
}

/// mem0's history: what each memory said, from its first version to the last. What was deleted stays so.
fn history(file: &Path, each: Each) -> Result<()> {
    let mut deleted = HashSet::new();
    let gone = "SELECT DISTINCT memory_id FROM history WHERE event = 'DELETE' OR is_deleted = 1";
    read_query(file, gone, &mut |row| {
        deleted.extend(row.get("memory_id").and_then(Value::as_str).map(str::to_owned));
        Ok(())
    })?;
    deleted.iter().try_for_each(|_| each(Found::Deleted))?;
    let query = ("SELECT * FROM history ORDER BY rowid", count_rows(file, "history")?);
    rows(file, query, (0.0, 1.0), &mut |bytes, number, row| {
        bytes.map_or(Ok(()), |bytes| each(Found::Read(bytes)))?;
        if row.get("memory_id").and_then(Value::as_str).is_some_and(|id| deleted.contains(id)) {
            return Ok(());
        }
        let items = mem0::version(row).map(|item| item.into_iter().collect());
        tell_all(&format!("row {number} of history"), items, each)
    })
}

/// Chroma's records.
fn records(file: &Path, each: Each) -> Result<()> {
    must_hold(file, &["embeddings"], "Chroma's chroma.sqlite3")?;
    let values = "SELECT id, key, string_value, int_value, float_value, bool_value FROM";
    let lists = if holds_table(file, "embedding_metadata_array")? {
        format!(" UNION ALL {values} embedding_metadata_array")
    } else {
        String::new()
    };
    let sql = format!(
        "SELECT e.id AS record, e.embedding_id AS id, c.name AS collection, c.id AS collection_id, e.created_at, \
         m.key, m.string_value, m.int_value, m.float_value, m.bool_value FROM embeddings e \
         JOIN segments s ON s.id = e.segment_id JOIN collections c ON c.id = s.collection \
         LEFT JOIN ({values} embedding_metadata{lists}) m ON m.id = e.id ORDER BY e.id"
    );
    let mut records = chroma::Records::default();
    let place = |item: &Item| format!("record '{}'", item.id);
    rows(file, (&sql, count_rows(file, "embedding_metadata")?), (0.0, 1.0), &mut |bytes, _, row| {
        bytes.map_or(Ok(()), |bytes| each(Found::Read(bytes)))?;
        records.row(row).map_or(Ok(()), |item| each(Found::Item(place(&item), Box::new(item))))
    })?;
    records.end().map_or(Ok(()), |item| each(Found::Item(place(&item), Box::new(item))))
}

/// LangGraph's store, and the messages of its checkpoints: each at the first checkpoint that has it.
fn graph(file: &Path, each: Each) -> Result<()> {
    must_hold(file, &["store", "checkpoints"], "a database of LangGraph")?;
    if holds_table(file, "store")? {
        let query = ("SELECT * FROM store ORDER BY prefix, key", count_rows(file, "store")?);
        rows(file, query, (0.0, 0.5), &mut |bytes, number, row| {
            bytes.map_or(Ok(()), |bytes| each(Found::Read(bytes)))?;
            tell_all(&format!("row {number} of store"), langgraph::item(row).map(|item| vec![item]), each)
        })?;
    }
    if !holds_table(file, "checkpoints")? {
        return Ok(());
    }
    let (mut thread, mut seen) = (String::new(), HashSet::new());
    let mut problem = None;
    // Databases of its first versions do not say how a checkpoint is written.
    let mut packings = false;
    read_query(file, "SELECT name FROM pragma_table_info('checkpoints') WHERE name = 'type'", &mut |_| {
        packings = true;
        Ok(())
    })?;
    let columns = ["thread_id", "checkpoint", "checkpoint_ns", if packings { "type" } else { "thread_id" }];
    let read = read_table(file, "checkpoints", &columns, "thread_id, checkpoint_ns, checkpoint_id", &mut |mut row| {
        let packed = row.raw.remove(&1).or_else(|| row.cells[1].take().map(String::into_bytes)).unwrap_or_default();
        let [named, _, within, packing] = [0, 1, 2, 3].map(|at| row.cells[at].take().unwrap_or_default());
        // What a graph within a graph says is its own business.
        if !within.is_empty() {
            return Ok(());
        }
        if named != thread {
            (thread, seen) = (named, HashSet::new());
        }
        let place = format!("a checkpoint of thread '{thread}'");
        let messages = langgraph::messages(&thread, if packings { &packing } else { "" }, &packed);
        let told = messages.unwrap_or_else(|why| vec![Err(why)]).into_iter().try_for_each(|message| {
            // Every checkpoint has the messages before it again, also those that cannot be read.
            let known = message.as_ref().map_or_else(String::clone, |item| item.id.clone());
            if seen.insert(known) { tell_all(&place, message.map(|item| vec![item]), each) } else { Ok(()) }
        });
        told.map_err(|error| {
            let message = error.message.clone();
            problem = Some(error);
            idetic_store::Error::Unavailable(message)
        })
    });
    problem.map_or_else(|| read.map_err(Error::from), Err)
}

/// claude-mem's prompts, uses of tools, observations and summaries.
fn sessions(file: &Path, each: Each) -> Result<()> {
    must_hold(file, &["sdk_sessions"], "claude-mem's claude-mem.db")?;
    let mut sessions = claude_mem::Sessions::default();
    read_query(file, "SELECT * FROM sdk_sessions ORDER BY id", &mut |row| {
        sessions.add(row);
        Ok(())
    })?;
    let mut counts = HashMap::new();
    for table in claude_mem::TABLES {
        if holds_table(file, table)? {
            counts.insert(table, count_rows(file, table)?);
        }
    }
    let total = counts.values().sum::<u64>().max(1) as f64;
    let mut done = 0;
    for table in claude_mem::TABLES {
        let Some(count) = counts.get(table).copied() else { continue };
        let part = (done as f64 / total, (done + count) as f64 / total);
        rows(file, (&format!("SELECT * FROM \"{table}\" ORDER BY id"), count), part, &mut |bytes, number, row| {
            bytes.map_or(Ok(()), |bytes| each(Found::Read(bytes)))?;
            tell_all(&format!("row {number} of {table}"), sessions.items(table, row), each)
        })?;
        done += count;
    }
    Ok(())
}
