//! Checks the simulated disk itself: error codes, lost syncs, dead handles, and that a seed decides all.

use std::fs;
use std::time::Duration;

use rusqlite::ffi;
use rusqlite::{Connection, OpenFlags};

use super::disk::{Fault, SimDisk};
use super::given;

fn disk() -> SimDisk {
    SimDisk::new(7).expect("a disk")
}

fn open(disk: &SimDisk, mode: &str) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    let connection = Connection::open_with_flags_and_vfs("log.db", flags, disk.name())?;
    connection.busy_timeout(Duration::ZERO)?;
    let locking = if mode == "WAL" { "EXCLUSIVE" } else { "NORMAL" };
    connection.execute_batch(&format!("PRAGMA locking_mode={locking}; PRAGMA journal_mode={mode}"))?;
    connection.execute_batch("PRAGMA synchronous=FULL")?;
    connection.execute_batch("CREATE TABLE IF NOT EXISTS log (seq INTEGER PRIMARY KEY, body BLOB)")?;
    Ok(connection)
}

fn insert(connection: &Connection, seq: i64) -> rusqlite::Result<usize> {
    connection.execute("INSERT INTO log VALUES (?1, randomblob(900))", [seq])
}

fn count(connection: &Connection) -> i64 {
    connection.query_row("SELECT count(*) FROM log", [], |row| row.get(0)).expect("a count")
}

fn code<T>(result: rusqlite::Result<T>) -> i32 {
    result.err().and_then(|error| error.sqlite_error().map(|error| error.extended_code)).unwrap_or_default()
}

/// The codes seen when a fault strikes each operation of one insertion in turn.
fn codes(mode: &str, fault: Fault) -> Vec<i32> {
    let strike = |step| {
        let disk = disk();
        let connection = open(&disk, mode).expect("open");
        insert(&connection, 1).expect("insert");
        disk.fail_at(disk.operations() + step, fault);
        let code = code(insert(&connection, 2));
        (disk.clear_faults() == 0).then_some(code)
    };
    (1..).map_while(strike).collect()
}

#[test]
fn faults_have_the_codes_a_real_disk_would_cause() {
    let (write, sync) = (ffi::SQLITE_IOERR_WRITE, ffi::SQLITE_IOERR_FSYNC);
    assert_eq!(codes("WAL", Fault::Eio), [write, write, sync]);
    assert_eq!(codes("WAL", Fault::Crash), [write, write, sync]);
    assert_eq!(codes("WAL", Fault::Enospc), [ffi::SQLITE_FULL; 2]);
    assert_eq!(codes("WAL", Fault::ShortWrite), [ffi::SQLITE_FULL; 2]);
    assert_eq!(codes("WAL", Fault::SyncFails), [sync; 3]);
    assert_eq!(codes("DELETE", Fault::Eio).last(), Some(&ffi::SQLITE_IOERR_DELETE_NOENT));
}

#[test]
fn a_failed_sync_loses_data_in_spite_of_later_syncs() {
    let survives = |seed| {
        let disk = disk();
        let connection = open(&disk, "OFF").expect("open");
        connection.execute_batch("CREATE TABLE other (x)").expect("create");
        disk.fail_at(disk.operations() + 1, Fault::SyncFails);
        assert_eq!(code(insert(&connection, 1)), ffi::SQLITE_IOERR_FSYNC);
        drop(connection);
        let connection = open(&disk, "OFF").expect("reopen");
        assert_eq!(count(&connection), 1, "the page cache still has it");
        connection.execute_batch("INSERT INTO other VALUES (1)").expect("a commit with a good sync");
        disk.crash(seed);
        count(&open(&disk, "OFF").expect("reboot")) == 1
    };
    let survived = (0..40).filter(|seed| survives(*seed)).count();
    assert!((1..40).contains(&survived), "{survived} of 40");
}

#[test]
fn old_handles_are_dead_after_a_crash() {
    for power_lost in [true, false] {
        let disk = disk();
        let old = open(&disk, "WAL").expect("open");
        insert(&old, 1).expect("insert");
        if power_lost {
            disk.crash(1);
        } else {
            disk.kill();
        }
        let new = open(&disk, "WAL").expect("reboot");
        assert_ne!(code(insert(&old, 2)), 0);
        drop(old);
        insert(&new, 2).expect("insert");
        assert_eq!(count(&new), 2);
    }
}

#[test]
fn copies_go_out_and_in() {
    let folder = given::folder();
    let source = disk();
    let connection = open(&source, "WAL").expect("open");
    insert(&connection, 1).expect("insert");
    source.crash(3);
    source.export(folder.path()).expect("export");
    assert_eq!(count(&Connection::open(folder.path().join("log.db")).expect("open")), 1);
    let target = disk();
    target.import(folder.path()).expect("import");
    target.crash(4);
    assert_eq!(count(&open(&target, "WAL").expect("open")), 1);
}

/// The bytes of the database file after an unsynced workload and a crash.
fn remains(disk_seed: u64, crash_seed: u64) -> Vec<u8> {
    let folder = given::folder();
    let disk = SimDisk::new(disk_seed).expect("a disk");
    let connection = open(&disk, "OFF").expect("open");
    connection.execute_batch("PRAGMA synchronous=OFF").expect("pragma");
    for seq in 1..=40 {
        connection.execute("INSERT INTO log VALUES (?1, zeroblob(900))", [seq]).expect("insert");
    }
    disk.crash(crash_seed);
    disk.export(folder.path()).expect("export");
    fs::read(folder.path().join("log.db")).expect("a file")
}

#[test]
fn a_seed_decides_all() {
    assert!((0..20).all(|seed| remains(1, seed) == remains(2, seed)));
    assert!((0..20).any(|seed| remains(1, seed) != remains(1, seed + 1)));
}
