//! What is kept in PostgreSQL: its tables, what was altered or lost in them, and what was erased from them.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::thread;

use idetic_core::chain::Fault;
use idetic_store::{Database, Error, EventVectors, Log, Migration, PgLog};
use tempfile::TempDir;

use super::cluster::Cluster;
use super::log_in;
use crate::suite::given::{self, all, batch, note};

fn log_of_five(cluster: &Cluster) -> (TempDir, PgLog) {
    let folder = given::folder();
    let log = log_in(&cluster.url(), "local/default", folder.path(), given::env());
    for n in 1..=5 {
        log.append(batch(&[note(format_args!("text {n}"))])).expect("appended");
    }
    (folder, log)
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn the_tables_are_made_once_however_many_begin_at_once() {
    let cluster = Cluster::start();
    let database = || Database::new(&cluster.url()).expect("an address");
    let made: Vec<Migration> = thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| database().migrate().expect("made"))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    assert_eq!(made.iter().filter(|migration| **migration == Migration { from: 0, to: 4 }).count(), 1, "{made:?}");
    assert_eq!(made.iter().filter(|migration| **migration == Migration { from: 4, to: 4 }).count(), 7, "{made:?}");
    // A newer version that this program may use, and one that it may not.
    cluster.sql("INSERT INTO idetic.schema_versions (version, oldest) VALUES (5, 1)");
    assert_eq!(PgLog::spaces(&database()), Ok(Vec::new()));
    cluster.sql("INSERT INTO idetic.schema_versions (version, oldest) VALUES (6, 6)");
    for refused in [PgLog::spaces(&database()).err(), database().migrate().err()] {
        let refused = refused.expect("refused").to_string();
        assert!(refused.contains("version 6") && refused.contains("newer program"), "{refused}");
    }
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn every_key_begins_with_the_space() {
    let cluster = Cluster::start();
    let (_folder, _log) = log_of_five(&cluster);
    let first_columns = cluster.sql(
        "SELECT DISTINCT a.attname FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid \
         JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0] \
         WHERE n.nspname = 'idetic' AND c.relname <> 'schema_versions'",
    );
    assert_eq!(first_columns, "space");
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn a_database_that_was_set_back_is_noticed_and_can_be_accepted() {
    let cluster = Cluster::start();
    let (folder, log) = log_of_five(&cluster);
    cluster.sql(
        "DELETE FROM idetic.events WHERE seq > 3; UPDATE idetic.spaces s SET seq = 3, hash = e.hash, \
         recorded_at = e.recorded_at FROM idetic.events e WHERE e.space = s.space AND e.seq = 3",
    );
    let lost = Error::Shortened { have: 3, had: 5 };
    assert_eq!(log.tip(), Err(lost.clone()));
    assert_eq!(log.read(4, 1), Err(lost.clone()));
    assert_eq!(log.append(batch(&[note("next")])), Err(lost));
    assert_eq!(log.accept().map(|tip| tip.seq), Ok(3));
    assert_eq!(log.append(batch(&[note("next")])).map(|acks| acks[0].seq), Ok(4));
    // Without the space itself: there was one.
    drop(log);
    cluster.sql("DELETE FROM idetic.events; DELETE FROM idetic.spaces");
    let database = Arc::new(Database::new(&cluster.url()).expect("an address"));
    let open = |folder| PgLog::open(Arc::clone(&database), "local/default", folder, given::env());
    assert_eq!(open(folder.path()).err(), Some(Error::Shortened { have: 0, had: 4 }));
    assert!(open(given::folder().path()).expect("no error").is_none(), "for another machine there never was one");
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn what_was_altered_in_a_table_is_named() {
    let cluster = Cluster::start();
    let (_folder, log) = log_of_five(&cluster);
    cluster.sql("CREATE TABLE kept AS SELECT * FROM idetic.events");
    for (change, fault) in [
        ("UPDATE idetic.events SET sealed = sealed || '\\x20' WHERE seq = 3", Fault::Body),
        ("UPDATE idetic.events SET id = id || 'x' WHERE seq = 3", Fault::Header),
        ("UPDATE idetic.events SET recorded_at = recorded_at + 1 WHERE seq = 3", Fault::Header),
        ("UPDATE idetic.events SET version = 300 WHERE seq = 3", Fault::Header),
        ("UPDATE idetic.events SET hash = '\\x00' WHERE seq = 3", Fault::Header),
        ("UPDATE idetic.events SET sealed = '\\x00' WHERE seq = 3", Fault::Body),
        ("DELETE FROM idetic.events WHERE seq = 3", Fault::Number),
    ] {
        cluster.sql(change);
        assert_eq!(log.read(1, usize::MAX), Err(Error::Damaged { seq: 3, fault }), "{change}");
        assert_eq!(log.read(3, 1), Err(Error::Damaged { seq: 3, fault }), "{change}");
        assert_eq!(log.read(1, 2).map(|events| events.len()), Ok(2), "what is before it is whole");
        cluster.sql("DELETE FROM idetic.events; INSERT INTO idetic.events SELECT * FROM kept");
        assert_eq!(all(&log).len(), 5);
    }
    cluster.sql("DELETE FROM idetic.events WHERE seq = 5");
    let last = Error::Damaged { seq: 5, fault: Fault::Number };
    assert_eq!((log.tip().err(), log.append(batch(&[note("next")])).err()), (Some(last.clone()), Some(last)));
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn what_is_erased_is_in_no_row() {
    let cluster = Cluster::start();
    let (_folder, log) = log_of_five(&cluster);
    let count = |text: &str| {
        let of = |column: &str, table: &str| {
            format!("(SELECT count(*) FROM idetic.{table} WHERE position('{text}'::bytea IN {column}) > 0)")
        };
        cluster.sql(&format!("SELECT {} + {}", of("sealed", "events"), of("contents", "archives")))
    };
    assert_eq!((count("text 2"), count("text 4")), ("1".to_owned(), "1".to_owned()));
    assert_eq!(log.archive(3, &mut |_| {}), Ok(3));
    assert_eq!(log.archives().map(|files| files.len()), Ok(1));
    let archived = cluster.sql("SELECT md5(contents) FROM idetic.archives");
    assert_eq!(log.erase(&BTreeSet::from([2, 4])), Ok(2));
    assert_eq!((count("text 4"), count("text 5")), ("0".to_owned(), "1".to_owned()));
    assert_ne!(cluster.sql("SELECT md5(contents) FROM idetic.archives"), archived, "the file was written anew");
    let there: Vec<bool> = all(&log).iter().map(|event| event.secret.is_some()).collect();
    assert_eq!(there, [true, false, true, false, true]);
    assert_eq!(log.erase_archived(3, &|seq| seq == 3), Ok(1));
    assert_eq!(log.archives().map(|files| files[0].erased), Ok(2));
    cluster.sql("UPDATE idetic.archives SET contents = contents || '\\x00'");
    assert_eq!(log.check_storage().map(|problems| problems.len()), Ok(1));
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn a_server_that_does_not_wait_for_its_disk_is_told_to_and_said_to_be_one() {
    let cluster = Cluster::start();
    cluster.sql("ALTER ROLE idetic SET synchronous_commit = off");
    let (_folder, log) = log_of_five(&cluster);
    assert_eq!(all(&log).len(), 5);
    let state = Database::new(&cluster.url()).expect("an address").server_state().expect("a state");
    assert_eq!((state.synchronous_commit.as_str(), state.flushes, state.is_replica), ("off", false, false));
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn every_erasure_changes_the_mark_that_all_machines_see() {
    let cluster = Cluster::start();
    let (_folder, log) = log_of_five(&cluster);
    let there = given::folder();
    let other = log_in(&cluster.url(), "local/default", there.path(), given::sources_from(7));
    let mut marks = vec![other.tip_and_mark().expect("a tip").1];
    assert_eq!(marks, [0], "nothing was erased yet");
    log.append(batch(&[note("text 6")])).expect("appended");
    assert_eq!(other.tip_and_mark().map(|(tip, mark)| (tip.seq, mark)), Ok((6, 0)), "appending erases nothing");
    log.archive(3, &mut |_| {}).expect("archived");
    log.erase(&BTreeSet::from([2])).expect("erased");
    marks.push(other.tip_and_mark().expect("a tip").1);
    log.erase_archived(3, &|seq| seq == 1).expect("erased");
    marks.push(other.tip_and_mark().expect("a tip").1);
    other.mark_erasure().expect("marked");
    marks.push(log.tip_and_mark().expect("a tip").1);
    assert_eq!(BTreeSet::from_iter(&marks).len(), marks.len(), "{marks:?}");
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn vectors_are_kept_with_the_log_and_removed_with_their_events() {
    let cluster = Cluster::start();
    let (_folder, log) = log_of_five(&cluster);
    let there = given::folder();
    let other = log_in(&cluster.url(), "local/default", there.path(), given::sources_from(7));
    let made = |seq: u8| EventVectors {
        seq: u64::from(seq),
        input: [seq; 32],
        passages: vec![vec![0.5, f32::from(seq)], vec![-1.0, 0.25]],
    };
    let inputs = [[1; 32], [2; 32], [3; 32]];
    let known = |log: &PgLog| {
        let found = log.vectors("words@1", &inputs).expect("read");
        found.iter().zip(1..).filter(|(found, _)| found.is_some()).map(|(_, seq)| seq).collect::<Vec<u64>>()
    };
    log.keep_vectors("words@1", &[made(1), made(2), made(2)], 0).expect("kept");
    assert_eq!(other.vectors("words@1", &inputs[..2]), Ok(vec![Some(made(1).passages), Some(made(2).passages)]));
    assert_eq!(other.vectors("words@2", &inputs), Ok(vec![None; 3]), "each model has its own");
    log.erase(&BTreeSet::from([2])).expect("erased");
    assert_eq!(known(&other), [1]);
    // Whoever computed one before it learned of the erasure keeps nothing.
    other.keep_vectors("words@1", &[made(2), made(3)], 0).expect("no error");
    assert_eq!(known(&log), [1]);
    let mark = other.tip_and_mark().expect("a tip").1;
    other.keep_vectors("words@1", &[made(3)], mark).expect("kept");
    assert_eq!(known(&log), [1, 3]);
    // What was altered is as good as not there.
    cluster.sql("UPDATE idetic.vectors SET passages = set_byte(passages, 0, 7) WHERE seq = 3");
    assert_eq!(known(&log), [1]);
    log.forget_vectors("words@1").expect("forgotten");
    assert_eq!(cluster.sql("SELECT count(*) FROM idetic.vectors"), "0");
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn tables_of_the_version_before_are_upgraded_and_keep_their_events() {
    let cluster = Cluster::start();
    let (folder, log) = log_of_five(&cluster);
    let before = all(&log);
    drop(log);
    // As version 1 left them.
    cluster.sql(
        "ALTER TABLE idetic.spaces DROP COLUMN erasure; DROP TABLE idetic.vectors, idetic.calls, idetic.shared_files, \
         idetic.snapshots; \
         DELETE FROM idetic.schema_versions WHERE version > 1",
    );
    let database = Database::new(&cluster.url()).expect("an address");
    let refused = PgLog::spaces(&database).expect_err("an upgrade is due").to_string();
    assert!(refused.contains("version 1") && refused.contains("idetic migrate"), "{refused}");
    assert_eq!(database.migrate(), Ok(Migration { from: 1, to: 4 }));
    assert_eq!(database.migrate(), Ok(Migration { from: 4, to: 4 }));
    let log = log_in(&cluster.url(), "local/default", folder.path(), given::sources_from(9));
    assert_eq!(all(&log), before);
    // Whether version 1 erased something nobody knows: every machine drops what it derived, once.
    assert_ne!(log.tip_and_mark().expect("a tip").1, 0);
    // A program of version 1 creates a space without naming the new column.
    cluster.sql(
        "INSERT INTO idetic.spaces (space, id, seq, hash, recorded_at) \
         SELECT 'local/old', id, 0, hash, 0 FROM idetic.spaces",
    );
    assert_eq!(PgLog::spaces(&database), Ok(vec!["local/default".to_owned(), "local/old".to_owned()]));
}
