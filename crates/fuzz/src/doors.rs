//! The table of operations and the fence around SQL, asked by somebody who may see little.

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use idetic_ops::{Operation, Rights};
use idetic_server::Service;
use serde_json::json;

use crate::home::{AGENT, FOREIGN, Home, OWN, principal};

/// Calls of writers after which a new home is made: a memory that grows would make each call slower.
const WRITES_MAX: u32 = 2_000;
/// Rows that a query may give here.
const ROWS_MAX: usize = 20;

/// The files of a home as they were: size and times.
type Stamps = Vec<(u64, i64, i64)>;

/// The home that operations are asked of, and how often somebody wrote to it.
static HOME: LazyLock<Mutex<(Home, u32)>> = LazyLock::new(|| Mutex::new((Home::new(), 0)));
/// A home that nobody writes to.
static UNCHANGED: LazyLock<Mutex<(Home, Stamps)>> = LazyLock::new(|| {
    let home = Home::new();
    // The first query brings what is derived up to date.
    let _ = home.answers(&principal(Rights::Read, None), "query", Some(OWN), "{\"sql\":\"SELECT 1\"}");
    let files = files(&home.folder);
    Mutex::new((home, files))
});

fn hold<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Any operation with any arguments: refused or answered, and never with what is another's. The first byte chooses the
/// operation, the second who asks: somebody who may read, an agent that may read, an agent that may write.
pub fn operation(data: &[u8]) {
    let [choice, who, arguments @ ..] = data else { return };
    let Ok(arguments) = std::str::from_utf8(arguments) else { return };
    let operations: Vec<&Operation> = Service::operations().collect();
    let operation = operations[usize::from(*choice) % operations.len()];
    let mut held = hold(&HOME);
    let (agent, rights) =
        [(None, Rights::Read), (Some(AGENT), Rights::Read), (Some(AGENT), Rights::Write)][usize::from(*who) % 3];
    if rights == Rights::Write {
        held.1 += 1;
        if held.1 > WRITES_MAX {
            *held = (Home::new(), 0);
        }
    }
    let home = &held.0;
    let asker = principal(rights, agent);
    let space = [None, Some(OWN), Some(FOREIGN)][usize::from(*who) / 3 % 3];
    let (Ok(answer) | Err(answer)) = home.answers(&asker, operation.name, space, arguments);
    // Whoever is no agent sees all agents of the user.
    let secrets = if agent.is_some() { &home.secrets[..] } else { &home.secrets[..1] };
    home.check(data, &answer, secrets);
}

/// Any SQL: it reads what is the user's own, within its limits, and changes nothing.
pub fn query(data: &[u8]) {
    let Ok(sql) = std::str::from_utf8(data) else { return };
    let held = hold(&UNCHANGED);
    let (home, files_before) = &*held;
    let arguments = json!({"sql": sql, "limit": ROWS_MAX, "timeout": 1}).to_string();
    let (Ok(answer) | Err(answer)) = home.answers(&principal(Rights::Read, None), "query", Some(OWN), &arguments);
    home.check(data, &answer, &home.secrets[..1]);
    if let Some(rows) = serde_json::from_str::<serde_json::Value>(answer.lines().next().unwrap_or_default())
        .ok()
        .and_then(|answer| answer["rows"].as_array().map(Vec::len))
    {
        assert!(rows <= ROWS_MAX, "{rows} rows");
    }
    assert_eq!(files(&home.folder), *files_before, "a query changed a file: {sql}");
}

/// Every file of a home by its number, its size and when it was written.
fn files(folder: &Path) -> Vec<(u64, i64, i64)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let Ok(seen) = entry.metadata() else { continue };
        if seen.is_dir() {
            found.extend(files(&path));
        } else if !path.to_string_lossy().ends_with("-shm") {
            let size = i64::try_from(seen.len()).unwrap_or(i64::MAX);
            found.push((seen.ino(), size, seen.mtime() * 1_000_000_000 + seen.mtime_nsec()));
        }
    }
    found.sort_unstable();
    found
}
