//! Durable appends: a plain database, the log, and the whole library, over the same records.

use std::fs::File;
use std::path::Path;
use std::path::PathBuf;
use std::thread;

use idetic_core::Record;
use idetic_store::{Batch, Log, NewEvent, Options, SqliteLog};
use serde::{Deserialize, Serialize};

use super::home;
use crate::clocks::{Measured, Stopwatch};
use crate::{plain, records};

/// Durable commits of some batches.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Append {
    /// Through which layers.
    pub way: Way,
    /// Where the database lies.
    pub folder: PathBuf,
    /// Whether the records carry ids of their caller's.
    pub with_ids: bool,
    /// Records in a batch.
    pub batch: usize,
    /// Batches of each writer.
    pub batches: usize,
    /// Threads that append at once.
    pub writers: usize,
    /// The number of the first record.
    pub first: u64,
}

/// How a record reaches the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Way {
    /// As a row of a plain SQLite database.
    Plain,
    /// Through the log, checked beforehand.
    Log,
    /// From JSON text through the library.
    Space,
}

/// Flushed right before and after what is measured, so that flushes seen from outside can be told apart.
pub const MARKS: [&str; 2] = ["mark-begin", "mark-end"];

/// Makes the input, then measures the commits alone.
pub fn run(task: &Append) -> Result<Measured, String> {
    match task.way {
        Way::Plain => through_plain(task),
        Way::Log => through_log(task),
        Way::Space => through_space(task),
    }
}

fn through_plain(task: &Append) -> Result<Measured, String> {
    let rows = plain::rows((task.batch * task.batches) as u64, task.with_ids);
    let mut connection = plain::open(&task.folder).map_err(|e| e.to_string())?;
    measured(task, || {
        rows.chunks(task.batch).try_for_each(|batch| plain::commit(&mut connection, batch)).map_err(|e| e.to_string())
    })
}

fn through_log(task: &Append) -> Result<Measured, String> {
    let log = SqliteLog::create(&task.folder, home::env(), &Options::default()).map_err(|e| e.to_string())?;
    let inputs: Vec<Vec<Batch>> = (0..task.writers)
        .map(|writer| texts(task, writer).iter().map(|batch| new_batch(batch)).collect::<Result<_, String>>())
        .collect::<Result<_, _>>()?;
    measured(task, || {
        in_threads(inputs, |batches| {
            batches.into_iter().try_for_each(|batch| log.append(batch).map(drop)).map_err(|e| e.to_string())
        })
    })
}

fn through_space(task: &Append) -> Result<Measured, String> {
    let (_memory, space) = home::make(&task.folder)?;
    let inputs: Vec<Vec<Vec<String>>> = (0..task.writers).map(|writer| texts(task, writer)).collect();
    measured(task, || {
        in_threads(inputs, |batches| {
            for batch in batches {
                let records = batch.iter().map(|text| Record::parse(text.as_bytes())).collect::<Result<Vec<_>, _>>();
                let records = records.map_err(|e| e.message)?;
                space.append(records, None).map_err(|e| e.to_string())?;
            }
            Ok(())
        })
    })
}

/// The batches of one writer as JSON texts.
fn texts(task: &Append, writer: usize) -> Vec<Vec<String>> {
    let each = (task.batch * task.batches) as u64;
    let first = task.first + each * writer as u64;
    let numbers: Vec<u64> = (first..first + each).collect();
    numbers.chunks(task.batch).map(|c| c.iter().map(|n| records::record(*n, task.with_ids)).collect()).collect()
}

fn new_batch(texts: &[String]) -> Result<Batch, String> {
    let event = |text: &String| {
        let record = Record::parse(text.as_bytes()).map_err(|e| e.message)?;
        let id = record.claim.id.clone().zip(record.claim.id_key());
        Ok(NewEvent { id, kind: record.claim.kind, body: record.body, undated: record.claim.undated })
    };
    Ok(Batch { events: texts.iter().map(event).collect::<Result<_, String>>()?, expect: None })
}

/// One thread for each input; a single one runs here, because a thread is not what is measured.
fn in_threads<T: Send>(mut inputs: Vec<T>, work: impl Fn(T) -> Result<(), String> + Sync) -> Result<(), String> {
    if inputs.len() == 1 {
        return inputs.drain(..).try_for_each(work);
    }
    thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = inputs.into_iter().map(|input| scope.spawn(move || work(input))).collect();
        threads.into_iter().try_for_each(|t| t.join().unwrap_or_else(|_| Err("a writer panicked".to_owned())))
    })
}

fn measured(task: &Append, work: impl FnOnce() -> Result<(), String>) -> Result<Measured, String> {
    mark(&task.folder, MARKS[0])?;
    let watch = Stopwatch::start();
    work()?;
    let measured = watch.stop((task.batch * task.batches * task.writers) as u64);
    mark(&task.folder, MARKS[1])?;
    Ok(measured)
}

fn mark(folder: &Path, name: &str) -> Result<(), String> {
    File::create(folder.join(name)).and_then(|file| file.sync_data()).map_err(|e| format!("{name}: {e}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::tempdir;

    #[test]
    fn every_way_appends_what_it_says() {
        for (way, writers) in [(Way::Plain, 1), (Way::Log, 1), (Way::Log, 4), (Way::Space, 2)] {
            let scratch = tempdir().expect("a folder");
            let folder = scratch.path().to_owned();
            let task = Append { way, folder, with_ids: true, batch: 5, batches: 3, writers, first: 0 };
            assert_eq!(run(&task).map(|m| m.units), Ok(15 * writers as u64), "{way:?}");
            if way == Way::Log {
                let log = SqliteLog::open(scratch.path(), home::env(), &Options::default()).expect("opens");
                assert_eq!(log.expect("is there").tip().map(|tip| tip.seq), Ok(15 * writers as u64));
            }
        }
    }
}
