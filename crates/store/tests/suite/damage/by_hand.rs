//! Damage that no single byte does: files deleted, exchanged, put back from an older copy, rows altered with SQL.

use std::fs;
use std::path::Path;

use idetic_core::chain::Fault;
use idetic_store::{Error, HeadState, Log, Options, SqliteLog};
use rusqlite::Connection;

use super::open;
use super::sample::{Files, Sample, fold_back};
use crate::suite::given::{self, all, batch, note, note_with_id};

fn sql(folder: &Path, statement: &str) {
    Connection::open(folder.join("log.db")).and_then(|raw| raw.execute(statement, [])).expect("altered");
}

/// A folder with a copy of a sample.
fn copy(sample: &Sample) -> tempfile::TempDir {
    let folder = given::folder();
    sample.files.write(folder.path());
    folder
}

#[test]
fn a_lost_end_is_an_error_and_never_an_empty_answer() {
    let sample = Sample::between();
    let folder = copy(&sample);
    fs::remove_file(folder.path().join("log.db-wal")).expect("removed");
    let log = open(folder.path()).expect("a log");
    let shortened = Error::Shortened { have: 6, had: 12 };
    assert_eq!(log.tip(), Err(shortened.clone()));
    assert_eq!(all(&log).len(), 6, "what is left can be saved");
    assert_eq!(log.read(7, 10), Err(shortened.clone()));
    assert_eq!(log.read(12, 1), Err(shortened.clone()));
    assert_eq!(log.append(batch(&[note("new")])), Err(shortened.clone()));
    assert_eq!(log.graft(&all(&log)), Err(shortened));
    assert_eq!(log.accept().map(|tip| tip.seq), Ok(6));
    assert_eq!(log.read(7, 10), Ok(Vec::new()));
    assert_eq!(log.append(batch(&[note("new")])).map(|acks| acks[0].seq), Ok(7));
}

#[test]
fn an_older_copy_and_another_log_are_told_apart_from_this_one() {
    let (now, folder) = (Sample::folded_back(), given::folder());
    let log = given::log_in(folder.path());
    log.append(batch(&[note(1)])).expect("appended");
    drop(log);
    fold_back(folder.path());
    let mut mixed = now.files.clone();
    mixed.get_mut("log.db").clone_from(Files::read(folder.path()).get("log.db"));
    mixed.write(folder.path());
    assert_eq!(open(folder.path()).expect("a log").tip(), Err(Error::Shortened { have: 1, had: 12 }));
    let other = given::folder();
    let log = SqliteLog::create(other.path(), given::sources_from(5), &Options::default()).expect("a log");
    (0..20).for_each(|n| drop(log.append(batch(&[note(n)])).expect("appended")));
    drop(log);
    fs::write(other.path().join("head"), now.files.get("head")).expect("written");
    let log = open(other.path()).expect("a log");
    assert_eq!(log.tip(), Err(Error::Replaced { seq: 12 }));
    assert_eq!(log.append(batch(&[note("new")])), Err(Error::Replaced { seq: 12 }));
}

#[test]
fn a_deleted_database_is_missed_and_its_write_ahead_log_is_kept() {
    let sample = Sample::in_the_wal();
    let folder = copy(&sample);
    fs::remove_file(folder.path().join("log.db")).expect("removed");
    let shortened = Error::Shortened { have: 0, had: 12 };
    let open = || SqliteLog::open(folder.path(), given::env(), &Options::default());
    let create = || SqliteLog::create(folder.path(), given::env(), &Options::default());
    assert_eq!(open().err(), Some(shortened));
    assert!(create().is_err());
    // Put back, it is all there.
    fs::write(folder.path().join("log.db"), sample.files.get("log.db")).expect("written");
    let log = open().expect("readable").expect("a log");
    assert_eq!(given::lines(&all(&log)), sample.lines);
}

#[test]
fn a_log_whose_making_was_interrupted_is_not_there_yet() {
    let folder = given::folder();
    let raw = Connection::open(folder.path().join("log.db")).expect("a database");
    raw.execute_batch("PRAGMA journal_mode=WAL").expect("an empty file");
    drop(raw);
    let open = || SqliteLog::open(folder.path(), given::env(), &Options::default());
    assert!(open().expect("no damage").is_none());
    // Unless it had come further before.
    let sample = Sample::folded_back();
    fs::write(folder.path().join("head"), sample.files.get("head")).expect("written");
    assert_eq!(open().err(), Some(Error::Shortened { have: 0, had: 12 }));
    fs::remove_file(folder.path().join("head")).expect("removed");
    given::log_in(folder.path()).append(batch(&[note("first")])).expect("appended");
    assert_eq!(all(&open().expect("no damage").expect("a log")).len(), 1);
}

#[test]
fn a_missing_head_is_named_and_written_anew() {
    let folder = copy(&Sample::folded_back());
    fs::remove_file(folder.path().join("head")).expect("removed");
    let log = open(folder.path()).expect("a log");
    assert_eq!(log.head(), Ok(HeadState::Missing));
    assert_eq!(log.check_storage().map(|problems| problems.len()), Ok(1));
    log.append(batch(&[note("new")])).expect("appended");
    assert!(matches!(log.head(), Ok(HeadState::At { seq: 13, .. })));
}

#[test]
fn a_head_with_something_behind_it_is_named_and_written_anew() {
    let folder = copy(&Sample::folded_back());
    let head = folder.path().join("head");
    let longer = [fs::read(&head).expect("a head"), b"something".to_vec()].concat();
    fs::write(&head, longer).expect("written");
    fs::remove_file(folder.path().join("head.flushed")).expect("removed");
    let log = open(folder.path()).expect("a log");
    assert_eq!(log.head(), Ok(HeadState::Damaged));
    log.append(batch(&[note("new")])).expect("appended");
    assert!(matches!(log.head(), Ok(HeadState::At { seq: 13, .. })));
}

#[test]
fn a_number_out_of_all_reason_is_named() {
    let folder = copy(&Sample::folded_back());
    sql(folder.path(), "UPDATE events SET seq = 9223372036854775807 WHERE seq = 12");
    let log = open(folder.path()).expect("a log");
    assert_eq!(log.tip(), Err(Error::Damaged { seq: 12, fault: Fault::Number }));
    assert_eq!(log.read(1, usize::MAX), Err(Error::Damaged { seq: 12, fault: Fault::Number }));
}

#[test]
fn every_altered_row_is_named_by_its_number() {
    for (change, fault) in [
        ("sealed = CAST(sealed || ' ' AS BLOB)", Fault::Body),
        ("sealed = zeroblob(31)", Fault::Body),
        ("kind = 'error'", Fault::Header),
        ("id = 'other'", Fault::Header),
        ("recorded_at = recorded_at + 1", Fault::Header),
        ("commitment = zeroblob(32)", Fault::Header),
        ("commitment = zeroblob(31)", Fault::Header),
        ("version = 2", Fault::Version),
    ] {
        let folder = copy(&Sample::folded_back());
        sql(folder.path(), &format!("UPDATE events SET {change} WHERE seq = 5"));
        let log = open(folder.path()).expect("a log");
        assert_eq!(log.read(1, 100), Err(Error::Damaged { seq: 5, fault }), "{change}");
        assert_eq!(log.read(1, 4).map(|events| events.len()), Ok(4), "what comes before is sound");
    }
}

#[test]
fn a_damaged_event_is_replaced_by_a_sound_one() {
    let sample = Sample::folded_back();
    let folder = copy(&sample);
    let sound = all(&open(folder.path()).expect("a log"));
    sql(folder.path(), "UPDATE events SET sealed = zeroblob(40) WHERE seq = 5");
    let log = open(folder.path()).expect("a log");
    assert!(log.read(1, 100).is_err());
    log.replace(None, &mut sound.iter().cloned().map(Ok)).expect("replaced");
    assert_eq!(given::lines(&all(&log)), sample.lines);
}

/// A log keeps its head open between commits: what others do to the file must be seen all the same.
#[test]
fn a_head_that_is_deleted_or_exchanged_under_an_open_log_is_heeded() {
    let (folder, other) = (given::folder(), given::folder());
    let (log, head) = (given::log_in(folder.path()), folder.path().join("head"));
    let at = |log: &SqliteLog| match log.head().expect("a head") {
        HeadState::At { seq, .. } => Some(seq),
        _ => None,
    };
    (1..3).for_each(|n| drop(log.append(batch(&[note(n)])).expect("appended")));
    let sound = fs::read(&head).expect("a head");
    fs::remove_file(&head).expect("removed");
    log.append(batch(&[note(3)])).expect("appended");
    assert_eq!(at(&log), Some(3), "made anew");
    let longer = SqliteLog::create(other.path(), given::sources_from(5), &Options::default()).expect("a log");
    (0..9).for_each(|n| drop(longer.append(batch(&[note(n)])).expect("appended")));
    fs::copy(other.path().join("head"), folder.path().join("new")).expect("copied");
    fs::rename(folder.path().join("new"), &head).expect("exchanged");
    assert_eq!(log.append(batch(&[note(4)])), Err(Error::Shortened { have: 3, had: 9 }));
    fs::write(&head, [&sound[..], b"more"].concat()).expect("written in place");
    log.append(batch(&[note(4)])).expect("a damaged head vouches for nothing");
    assert_eq!(at(&log), Some(4), "what stood behind it was cut off");
    fs::copy(other.path().join("head"), &head).expect("written in place");
    assert_eq!(log.append(batch(&[note(5)])), Err(Error::Shortened { have: 4, had: 9 }));
}

/// What is on disk is acknowledged, also where the head cannot be written after it.
#[test]
fn an_append_is_acknowledged_although_the_head_cannot_be_written() {
    let folder = given::folder();
    let (log, head) = (given::log_in(folder.path()), folder.path().join("head"));
    log.append(batch(&[note(1)])).expect("appended");
    fs::remove_file(&head).expect("removed");
    std::os::unix::fs::symlink("/dev/full", &head).expect("a head on a full disk");
    assert_eq!(log.append(batch(&[note(2)])).map(|acks| acks[0].seq), Ok(2));
    assert!(matches!(log.head(), Ok(HeadState::At { seq: 0, .. })), "its flushed copy speaks for it");
    fs::remove_file(&head).expect("removed");
    let acks = log.append(batch(&[note(3)])).expect("appended");
    assert!(matches!(log.head(), Ok(HeadState::At { seq: 3, .. })) && acks[0].seq == 3);
    assert_eq!(all(&log).len(), 3);
}

/// Folding a long write-ahead log back when a process ends must not take what that process could not read.
#[test]
fn a_long_write_ahead_log_with_a_flipped_bit_is_left_alone() {
    let folder = given::folder();
    let log = given::log_in(folder.path());
    log.append(batch(&[note_with_id("small", 1)])).expect("appended");
    let long = "x".repeat(200_000);
    (0..8).for_each(|n| drop(log.append(batch(&[note(format_args!("{n} {long}"))])).expect("appended")));
    // Taken while the log is open: closing it would fold it back.
    let mut files = Files::read(folder.path());
    drop(log);
    assert!(files.get("log.db-wal").len() > 1 << 20);
    let at = files.get("log.db-wal").len() / 3;
    files.get_mut("log.db-wal")[at] ^= 4;
    files.write(folder.path());
    let log = open(folder.path()).expect("a log");
    assert!(matches!(log.tip(), Err(Error::Shortened { had: 9, .. })));
    drop(log);
    files.assert_untouched(folder.path()).expect("left alone");
}
