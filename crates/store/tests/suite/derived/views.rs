//! The view database with changed bits, in each page and all over its write-ahead log, at rest and while it is open.

use std::fs;
use std::path::Path;

use idetic_core::views::{TIMELINE, VIEWS};
use idetic_store::{Digest, Error, Log, Select, SqliteLog, Views};
use rusqlite::Connection;
use tempfile::TempDir;

use super::{PAGE_BYTES, copy, flip};
use crate::suite::given::{self, batch, scrambled};

const EVENTS: u64 = 400;

fn log() -> (TempDir, SqliteLog) {
    let folder = given::folder();
    let log = given::log_in(folder.path());
    append(&log, EVENTS);
    (folder, log)
}

fn append(log: &SqliteLog, events: u64) {
    let body = |n: u64| {
        let (trace, tag, text) = (n % 7, n % 11, "words ".repeat(20));
        format!(r#"{{"kind":"change","trace_id":"t{trace}","tags":["g{tag}"],"content":"{text}","author":"a{n}"}}"#)
    };
    log.append(batch(&(0..events).map(body).collect::<Vec<_>>())).expect("appended");
}

/// Folds as far as the log goes. Whoever reads throws away what is damaged; says whether that had to be.
fn heal(views: &Views, log: &dyn Log) -> (bool, Vec<Digest>) {
    let head = log.tip().expect("a tip").seq;
    let read = |views: &Views| {
        views.catch_up(log, head, &mut |_| {})?;
        views.digest()
    };
    match read(views) {
        Err(Error::Corrupt(_)) => {
            views.discard().expect("discarded");
            (true, read(views).expect("folded anew"))
        }
        digest => (false, digest.expect("read")),
    }
}

/// Views that are all in the database file, and what they hold.
fn rebuilt(folder: &Path, log: &SqliteLog) -> Vec<Digest> {
    let views = Views::open(folder, VIEWS);
    views.rebuild(log, &mut |_| {}).expect("rebuilt");
    views.digest().expect("a digest")
}

#[test]
fn a_changed_bit_in_any_page_is_noticed_and_folded_away() {
    let (folder, log) = log();
    let whole = rebuilt(folder.path(), &log);
    let file = folder.path().join("views.db");
    let pages = fs::metadata(&file).expect("a file").len() as usize / PAGE_BYTES;
    assert!(pages > 20, "{pages} pages");
    let kept = folder.path().join("kept");
    copy(folder.path(), &kept);
    for page in 0..pages {
        for round in 0..3 {
            copy(&kept, folder.path());
            let bit = page * PAGE_BYTES * 8 + (scrambled((page * 3 + round) as u64) as usize) % (PAGE_BYTES * 8);
            flip(&file, bit);
            let views = Views::open(folder.path(), VIEWS);
            assert_eq!(heal(&views, &log), (true, whole.clone()), "bit {bit}");
        }
    }
}

#[test]
fn a_changed_bit_is_noticed_by_the_next_read_of_whoever_has_it_open() {
    let (folder, log) = log();
    let whole = rebuilt(folder.path(), &log);
    let file = folder.path().join("views.db");
    let views = Views::open(folder.path(), VIEWS);
    for round in 0..40 {
        views.rebuild(&log, &mut |_| {}).expect("rebuilt");
        assert_eq!(views.digest(), Ok(whole.clone()));
        let bits = fs::metadata(&file).expect("a file").len() * 8;
        flip(&file, (scrambled(round) % bits) as usize);
        assert!(matches!(views.select(&Select::from(&TIMELINE, 1)), Err(Error::Corrupt(_))));
        assert_eq!(heal(&views, &log), (true, whole.clone()));
    }
}

/// SQLite checks the frames of a write-ahead log when the first process opens it, and nobody's after that.
#[test]
fn a_changed_bit_in_the_write_ahead_log_is_noticed_by_whoever_opens_it_while_another_has_it_open() {
    let (folder, log) = log();
    rebuilt(folder.path(), &log);
    let (wal, frame_bytes) = (folder.path().join("views.db-wal"), PAGE_BYTES + 24);
    for round in 0..40 {
        let first = Views::open(folder.path(), VIEWS);
        append(&log, 3);
        let whole = heal(&first, &log).1;
        let frames = (fs::metadata(&wal).expect("a write-ahead log").len() as usize - 32) / frame_bytes;
        assert!(frames > 0);
        let frame = 32 + (scrambled(round) as usize % frames) * frame_bytes + 24;
        flip(&wal, frame * 8 + scrambled(round + 1000) as usize % (PAGE_BYTES * 8));
        let second = Views::open(folder.path(), VIEWS);
        assert!(matches!(second.select(&Select::from(&TIMELINE, 1)), Err(Error::Corrupt(_))), "round {round}");
        assert!(matches!(first.check(), Err(Error::Corrupt(_))), "who has it open finds it in the background");
        assert_eq!(heal(&second, &log).1, whole);
        assert_eq!(heal(&first, &log).1, whole);
    }
}

#[test]
fn a_copy_is_taken_for_what_it_is_and_folded_no_further() {
    let (folder, log) = log();
    let whole = rebuilt(folder.path(), &log);
    let elsewhere = given::folder();
    copy(folder.path(), elsewhere.path());
    for name in ["views.db", "views.db-sums"] {
        assert!(elsewhere.path().join(name).exists(), "{name}");
    }
    let views = Views::open(elsewhere.path(), VIEWS);
    assert_eq!(views.position(), Ok(EVENTS));
    assert_eq!(views.digest(), Ok(whole));
    let file = elsewhere.path().join("views.db-sums");
    let noted = fs::read(&file).expect("sums");
    assert_ne!(noted, fs::read(folder.path().join("views.db-sums")).expect("sums"), "the copy's own stamp is noted");
    drop(views);
    assert_eq!(Views::open(elsewhere.path(), VIEWS).position(), Ok(EVENTS));
    assert_eq!(fs::read(&file).expect("sums"), noted);
}

#[test]
fn views_of_a_time_before_sums_are_folded_anew_and_then_have_them() {
    let (folder, log) = log();
    let whole = rebuilt(folder.path(), &log);
    let sums = folder.path().join("views.db-sums");
    fs::remove_file(&sums).expect("there are sums");
    let views = Views::open(folder.path(), VIEWS);
    assert_eq!(views.position(), Ok(0));
    assert_eq!(heal(&views, &log), (false, whole));
    assert!(sums.exists());
}

#[test]
fn damaged_sums_are_no_reason_to_believe_the_views() {
    let (folder, log) = log();
    let whole = rebuilt(folder.path(), &log);
    let kept = folder.path().join("kept");
    copy(folder.path(), &kept);
    let sums = folder.path().join("views.db-sums");
    let bits = fs::metadata(&sums).expect("sums").len() * 8;
    for round in 0..60 {
        copy(&kept, folder.path());
        flip(&sums, (scrambled(round) % bits) as usize);
        assert_eq!(heal(&Views::open(folder.path(), VIEWS), &log).1, whole);
    }
}

/// Whatever is left of a write-ahead log, the views stand where they once stood, and the rest is folded from the log.
#[test]
fn a_changed_bit_in_the_write_ahead_log_leads_to_an_older_state() {
    let (folder, log) = log();
    rebuilt(folder.path(), &log);
    for _ in 0..4 {
        append(&log, 20);
        let head = log.tip().expect("a tip").seq;
        Views::open(folder.path(), VIEWS).catch_up(&log, head, &mut |_| {}).expect("folded");
    }
    let whole = heal(&Views::in_memory(VIEWS), &log).1;
    damage_wal(folder.path(), &log, &whole);
}

/// A part of it is in the database already, because a reader kept the rest from being moved.
#[test]
fn a_changed_bit_in_a_write_ahead_log_that_was_partly_moved_mixes_no_states() {
    let (folder, log) = log();
    rebuilt(folder.path(), &log);
    append(&log, 50);
    let views = Views::open(folder.path(), VIEWS);
    views.catch_up(&log, EVENTS + 50, &mut |_| {}).expect("folded");
    let reader = Connection::open(folder.path().join("views.db")).expect("a reader");
    reader.execute_batch("BEGIN; SELECT count(*) FROM timeline").expect("it reads");
    append(&log, 8000);
    let head = log.tip().expect("a tip").seq;
    views.catch_up(&log, head, &mut |_| {}).expect("folded");
    let whole = views.digest().expect("a digest");
    // As if the process were killed now: everything stays where it lies.
    let killed = given::folder();
    copy(folder.path(), killed.path());
    assert!(fs::metadata(killed.path().join("views.db-wal")).expect("it is there").len() > 1 << 20);
    damage_wal(killed.path(), &log, &whole);
}

fn damage_wal(folder: &Path, log: &SqliteLog, whole: &[Digest]) {
    let kept = given::folder();
    copy(folder, kept.path());
    let wal = folder.join("views.db-wal");
    let bytes = fs::metadata(&wal).expect("it is there").len();
    let frames = (bytes - 32) / (24 + PAGE_BYTES as u64);
    assert!(frames > 10, "{frames} frames");
    let (mut older, mut anew) = (0, 0);
    for round in 0..60 {
        for name in ["views.db", "views.db-wal", "views.db-shm", "views.db-sums"] {
            let _ = fs::remove_file(folder.join(name));
            let _ = fs::copy(kept.path().join(name), folder.join(name));
        }
        let bit = if round < 8 { round * 32 } else { scrambled(round) % (bytes * 8) };
        flip(&wal, bit as usize);
        let views = Views::open(folder, VIEWS);
        let before = views.position();
        let (damaged, digest) = heal(&views, log);
        assert_eq!(digest, whole, "bit {bit} of {bytes} bytes, from {before:?}");
        older += usize::from(before.is_ok());
        anew += usize::from(damaged);
    }
    assert!(older + anew >= 60, "{older} older, {anew} anew");
}

#[test]
fn views_are_compared_with_the_log_row_by_row() {
    let (folder, log) = log();
    rebuilt(folder.path(), &log);
    let views = Views::open(folder.path(), VIEWS);
    assert_eq!(views.compare(&log, &mut |_, _| {}), Ok(Vec::new()));
    let other = Connection::open(folder.path().join("views.db")).expect("a connection");
    other.execute("UPDATE timeline SET author = 'somebody else' WHERE born = 17", []).expect("changed");
    other.execute("DELETE FROM traces WHERE rowid = 3", []).expect("deleted");
    drop(other);
    let differences = views.compare(&log, &mut |_, _| {}).expect("compared");
    let named: Vec<(&str, &str)> = differences.iter().map(|found| (found.view, found.table)).collect();
    assert_eq!(named, [("timeline", "timeline"), ("traces", "traces")]);
    assert_eq!(differences[0].key, "event 17");
    assert!(!folder.path().join("views.verify").exists(), "nothing is left behind");
    views.rebuild(&log, &mut |_| {}).expect("rebuilt");
    assert_eq!(views.compare(&log, &mut |_, _| {}), Ok(Vec::new()));
}
