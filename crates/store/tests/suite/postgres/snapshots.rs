//! The list of snapshots in PostgreSQL, and a head that another machine saw.

use std::collections::BTreeSet;

use idetic_core::Hash;
use idetic_store::{Error, HeadState, Log, PgLog, Snapshot};
use tempfile::TempDir;

use super::cluster::Cluster;
use super::log_in;
use crate::suite::given::{self, batch, note};

fn log_of_three(cluster: &Cluster) -> (TempDir, PgLog) {
    let folder = given::folder();
    let log = log_in(&cluster.url(), "local/default", folder.path(), given::env());
    for n in 1..=3 {
        log.append(batch(&[note(format_args!("text {n}"))])).expect("appended");
    }
    (folder, log)
}

fn snapshot(seq: u64, fold: &str) -> Snapshot {
    Snapshot { name: format!("{seq}-{fold}"), seq, hash: Hash::of(b"x"), fold: fold.to_owned(), key: [seq as u8; 32] }
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn an_erasure_removes_the_keys_of_all_snapshots_and_lists_none_that_was_begun_before() {
    let cluster = Cluster::start();
    let (_folder, log) = log_of_three(&cluster);
    let mark = log.tip_and_mark().expect("a tip").1;
    for seq in [1, 3, 2] {
        assert_eq!(log.add_snapshot(&snapshot(seq, "a"), mark), Ok(true));
    }
    assert_eq!(log.add_snapshot(&snapshot(2, "a"), mark), Ok(true), "an answer that was lost is asked for again");
    assert_eq!(log.snapshots(), Ok(vec![snapshot(3, "a"), snapshot(2, "a"), snapshot(1, "a")]));
    assert_eq!(log.erase(&BTreeSet::from([2])), Ok(1));
    assert_eq!(cluster.sql("SELECT count(*) FROM idetic.snapshots"), "0");
    assert_eq!(log.add_snapshot(&snapshot(3, "a"), mark), Ok(false), "it was begun before");
    assert_eq!(log.snapshots(), Ok(Vec::new()));
    let mark = log.tip_and_mark().expect("a tip").1;
    assert_eq!(log.add_snapshot(&snapshot(3, "a"), mark), Ok(true));
    // As an older program erases, which knows nothing of them.
    cluster.sql("UPDATE idetic.spaces SET erasure = erasure + 1");
    assert_eq!(log.snapshots(), Ok(Vec::new()));
    assert_eq!(log.prune_snapshots("a", 2), Ok(vec!["3-a".to_owned()]));
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn the_newest_of_each_version_stay_and_those_of_others_for_a_month() {
    let cluster = Cluster::start();
    let (_folder, log) = log_of_three(&cluster);
    for (seq, fold) in [(1, "a"), (2, "a"), (3, "a"), (1, "b"), (2, "b"), (3, "b")] {
        assert_eq!(log.add_snapshot(&snapshot(seq, fold), 0), Ok(true));
    }
    let struck = |log: &PgLog| log.prune_snapshots("a", 2).expect("pruned").into_iter().collect::<BTreeSet<_>>();
    assert_eq!(struck(&log), BTreeSet::from(["1-a".to_owned(), "1-b".to_owned()]));
    assert_eq!(struck(&log), BTreeSet::new());
    cluster.sql("UPDATE idetic.snapshots SET made_at = now() - interval '31 days'");
    assert_eq!(struck(&log), BTreeSet::from(["2-b".to_owned(), "3-b".to_owned()]));
    assert_eq!(log.snapshots().map(|left| left.len()), Ok(2));
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn a_log_that_another_machine_saw_further_or_otherwise_is_refused_until_the_loss_is_accepted() {
    let cluster = Cluster::start();
    let (_folder, log) = log_of_three(&cluster);
    let tip = log.tip().expect("a tip");
    let head = |seq, hash| HeadState::At { space: tip.space, seq, hash };
    let second = log.read(2, 1).expect("read")[0].hash;
    for known in [HeadState::Missing, HeadState::Damaged, head(2, second), head(3, tip.hash)] {
        assert_eq!(log.learn_head(known), Ok(()));
        assert_eq!(log.tip(), Ok(tip));
    }
    let [further, otherwise] =
        [(head(5, second), Error::Shortened { have: 3, had: 5 }), (head(2, tip.hash), Error::Replaced { seq: 2 })];
    for (known, refused) in [further, otherwise] {
        assert_eq!(log.learn_head(known), Err(refused.clone()));
        assert_eq!(log.tip(), Err(refused.clone()));
        assert_eq!(log.append(batch(&[note("next")])), Err(refused));
        assert_eq!(log.accept(), Ok(tip));
        assert_eq!(log.tip(), Ok(tip));
    }
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn a_loss_that_cannot_be_noted_is_an_error_that_says_both() {
    let cluster = Cluster::start();
    let (folder, log) = log_of_three(&cluster);
    let tip = log.tip().expect("a tip");
    // In the way of the flushed copy of the head.
    std::fs::create_dir(folder.path().join("head.new")).expect("made");
    let refused = log.learn_head(HeadState::At { space: tip.space, seq: 5, hash: tip.hash });
    let Err(Error::Unavailable(why)) = &refused else { panic!("{refused:?}") };
    assert!(why.contains("events 4 to 5 are missing") && why.contains("cannot be noted here"), "{why}");
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn what_was_acknowledged_here_is_not_forgotten_for_less_that_another_machine_saw() {
    let cluster = Cluster::start();
    let (_folder, log) = log_of_three(&cluster);
    let (tip, own) = (log.tip().expect("a tip"), log.head());
    let second = log.read(2, 1).expect("read")[0].hash;
    cluster.sql(
        "DELETE FROM idetic.events WHERE seq > 1; DELETE FROM idetic.keys WHERE seq > 1; \
         UPDATE idetic.spaces s SET seq = 1, hash = e.hash, recorded_at = e.recorded_at \
         FROM idetic.events e WHERE e.space = s.space AND e.seq = 1",
    );
    let known = |seq| HeadState::At { space: tip.space, seq, hash: second };
    assert_eq!(log.learn_head(known(2)), Err(Error::Shortened { have: 1, had: 3 }));
    assert_eq!(log.head(), own);
    assert_eq!(log.learn_head(known(5)), Err(Error::Shortened { have: 1, had: 5 }));
    assert_eq!(log.head(), Ok(known(5)));
}
