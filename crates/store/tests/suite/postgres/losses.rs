//! Lost connections, killed sessions and servers: nothing acknowledged is lost, and nothing is appended twice.
#![expect(clippy::print_stderr, reason = "a campaign says how much was appended meanwhile")]

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use idetic_core::{Stored, Time};
use idetic_store::{Ack, Error, Log};

use super::cluster::{Cluster, signal};
use super::log_in;
use super::proxy::Proxy;
use crate::suite::given::{self, all, batch, note, note_with_id};

/// Every acknowledged event is there once under its number, nothing else is, and the numbers have no gap.
fn assert_exactly(events: &[Stored], acks: &[(Ack, String)]) {
    for (ack, body) in acks {
        let event = &events[usize::try_from(ack.seq).expect("a number") - 1];
        assert_eq!(event.header.id, ack.id);
        assert_eq!(event.secret.as_ref().map(|secret| &secret.body), Some(body));
    }
    assert!(events.iter().zip(1..).all(|(event, seq)| event.header.seq == seq));
    assert_eq!(acks.iter().map(|(ack, _)| ack.seq).collect::<BTreeSet<_>>().len(), acks.len());
    assert_eq!(events.len(), acks.len(), "and no more than that");
}

fn append(log: &dyn Log, text: &str, has_id: bool) -> (Ack, String) {
    let body = if has_id { note_with_id(text, text) } else { note(text) };
    (log.append(batch(&[&body])).expect("appended").remove(0), body)
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn a_commit_whose_answer_is_lost_is_found_out() {
    let cluster = Cluster::start();
    let proxy = Proxy::start(cluster.port());
    let folder = given::folder();
    let log = log_in(&proxy.url(), "local/default", folder.path(), given::env());
    let acks: Vec<_> = (0..90).map(|n| append(&log, &format!("text {n}"), n % 2 == 0)).collect();
    let (before, after) = (proxy.counts().before.load(Ordering::Relaxed), proxy.counts().after.load(Ordering::Relaxed));
    assert!(before >= 25 && after >= 25, "{before} cut before, {after} after");
    let direct = log_in(&cluster.url(), "local/default", folder.path(), given::sources_from(1));
    assert_exactly(&all(&direct), &acks);
    eprintln!(
        "figure: commits cut off in PostgreSQL: {before} before, {after} after the server had them; none lost, none twice"
    );
}

/// Appends in several threads over two handles, while something is done to the server.
fn append_during(cluster: &mut Cluster, harm: impl FnOnce(&mut Cluster, &AtomicUsize)) -> usize {
    const THREADS: usize = 4;
    let folders = [given::folder(), given::folder()];
    let logs: Vec<_> = folders
        .iter()
        .zip(0..)
        .map(|(folder, seed)| {
            // One clock for both: an event that another machine's clock dates is not the same to the letter.
            let env = given::sources_with_clock(seed, || Time(1_767_225_600_000_000));
            log_in(&cluster.url(), "local/default", folder.path(), env)
        })
        .collect();
    let (over, appended) = (AtomicBool::new(false), AtomicUsize::new(0));
    let acks: Vec<_> = thread::scope(|scope| {
        let run = |thread: usize| {
            let (logs, over, appended) = (&logs, &over, &appended);
            move || {
                let mut own = Vec::new();
                while !over.load(Ordering::Relaxed) {
                    own.push(append(&logs[thread % 2], &format!("{thread}-{}", own.len()), thread < 2));
                    appended.fetch_add(1, Ordering::Relaxed);
                }
                own
            }
        };
        let threads: Vec<_> = (0..THREADS).map(|thread| scope.spawn(run(thread))).collect();
        harm(cluster, &appended);
        over.store(true, Ordering::Relaxed);
        threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
    });
    assert_exactly(&all(&logs[0]), &acks);
    assert_eq!(logs[1].check_storage(), Ok(Vec::new()));
    acks.len()
}

/// Waits until so many more were appended.
fn wait_for(appended: &AtomicUsize, more: usize) {
    let (wanted, until) = (appended.load(Ordering::Relaxed) + more, Instant::now() + Duration::from_secs(30));
    while appended.load(Ordering::Relaxed) < wanted {
        assert!(Instant::now() < until, "appending goes on");
        thread::sleep(Duration::from_millis(2));
    }
}

const SESSIONS: &str = "FROM pg_stat_activity WHERE application_name = 'idetic'";

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn sessions_that_are_ended_lose_nothing_and_double_nothing() {
    let mut rounds = 0;
    let count = append_during(&mut Cluster::start(), |cluster, appended| {
        for _ in 0..40 {
            wait_for(appended, 5);
            cluster.sql(&format!("SELECT count(pg_terminate_backend(pid)) {SESSIONS}"));
            rounds += 1;
        }
    });
    eprintln!("figure: sessions of PostgreSQL ended, {rounds} times: {count} events, none lost, none twice, no gap");
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn killed_sessions_and_a_crashed_server_lose_nothing_and_double_nothing() {
    const ROUNDS: usize = 12;
    let count = append_during(&mut Cluster::start(), |cluster, appended| {
        for round in 0..ROUNDS {
            wait_for(appended, 20);
            if round % 3 == 2 {
                cluster.crash();
                thread::sleep(Duration::from_millis(200));
                cluster.start_again();
                continue;
            }
            // The server takes a killed session for a crash of all.
            let process = cluster.sql(&format!("SELECT pid {SESSIONS} ORDER BY query_start DESC LIMIT 1"));
            if let Ok(process) = process.parse() {
                signal("KILL", process);
            }
        }
        wait_for(appended, 20);
    });
    eprintln!("figure: PostgreSQL killed, {ROUNDS} times: {count} events, none lost, none twice, no gap");
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn a_server_that_stays_away_is_an_error_after_a_while_and_all_is_well_when_it_is_back() {
    let mut cluster = Cluster::start();
    let folder = given::folder();
    let log = log_in(&cluster.url(), "local/default", folder.path(), given::env());
    append(&log, "before", false);
    cluster.crash();
    let begun = Instant::now();
    assert!(matches!(log.append(batch(&[note("meanwhile")])), Err(Error::Database(_))));
    assert!(matches!(log.tip(), Err(Error::Database(_))));
    assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
    cluster.start_again();
    assert_eq!(append(&log, "after", false).0.seq, 2);
    assert_eq!(all(&log).len(), 2);
}
