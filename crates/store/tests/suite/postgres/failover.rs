//! A primary that crashes and a standby that takes over: what was acknowledged is there, once, and what an asynchronous
//! standby had not received is reported.
#![expect(clippy::print_stderr, reason = "it says what was done")]

use std::collections::{BTreeMap, HashSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use idetic_store::{Error, Log, PgLog};
use tempfile::TempDir;

use super::cluster::{Cluster, as_user, free_port, owned_folder, spawn};
use super::log_in;
use crate::suite::given::{self, all, batch, note_with_id};

/// Failovers in a row; more where the environment asks for a long run.
const ROUNDS: usize = 2;
const LONG_ROUNDS: usize = 30;
/// Machines, and writers on each.
const MACHINES: u64 = 2;
const WRITERS: u64 = 2;
/// How long the writers work before the primary crashes and after the standby took over.
const WORK: Duration = Duration::from_millis(700);
/// How long a server or a writer may take.
const PATIENCE: Duration = Duration::from_secs(60);

impl Cluster {
    /// A standby that follows this server.
    fn standby(&self, port: u16) -> Self {
        let folder = owned_folder();
        let mut copy = as_user(&self.programs.join("pg_basebackup"));
        copy.args(["-h", "127.0.0.1", "-p", &self.port.to_string(), "-U", "idetic", "--no-sync", "-c", "fast", "-R"]);
        let made = copy.args(["-X", "stream", "-D"]).arg(folder.path().join("data")).output().expect("it starts");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let server = spawn(&self.programs, folder.path(), port);
        Self { server, folder, programs: self.programs.clone(), port }
    }

    /// Waits until a statement gives a value.
    fn wait_for(&self, statement: &str, value: &str) {
        let until = Instant::now() + PATIENCE;
        let url = self.url();
        let ask =
            || as_user(&self.programs.join("psql")).args(["-X", "-q", "-A", "-t", "-c", statement, &url]).output();
        while String::from_utf8_lossy(&ask().expect("psql starts").stdout).trim() != value {
            assert!(Instant::now() < until, "{statement} does not give {value}");
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// From now on a commit waits for the standby.
    fn wait_for_standby(&self) {
        self.sql("ALTER SYSTEM SET synchronous_standby_names = '*'");
        self.sql("SELECT pg_reload_conf()");
        self.wait_for("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'", "1");
    }

    /// Makes a standby the primary. It waits for no standby of its own until it is told to.
    fn promote(&self) {
        self.wait_for("SELECT pg_promote()", "t");
        self.sql("ALTER SYSTEM SET synchronous_standby_names = ''");
        self.sql("SELECT pg_reload_conf()");
    }
}

fn address_of(ports: [u16; 2]) -> String {
    let [one, other] = ports;
    format!("postgres://idetic@127.0.0.1:{one},127.0.0.1:{other}/idetic?target_session_attrs=read-write")
}

/// What the writers have: the acknowledged events by id, and what was wrong with a read after an acknowledgement.
#[derive(Default)]
struct History {
    acknowledged: Mutex<BTreeMap<u64, u64>>,
    stale: AtomicU64,
    errors: AtomicU64,
    next: AtomicU64,
    is_over: AtomicBool,
}

impl History {
    /// Appends until it is over. What failed is sent again with the same id, as a caller would.
    fn write(&self, log: &PgLog, other: &PgLog) {
        while !self.is_over.load(Ordering::Relaxed) {
            let id = self.next.fetch_add(1, Ordering::Relaxed);
            let until = Instant::now() + PATIENCE;
            let seq = loop {
                match log.append(batch(&[note_with_id(id, format_args!("text {id}"))])) {
                    Ok(acks) => break acks[0].seq,
                    Err(error) => {
                        assert!(Instant::now() < until, "{error}");
                        assert!(matches!(error, Error::Database(_)), "{error}");
                        self.errors.fetch_add(1, Ordering::Relaxed);
                    }
                }
            };
            // The other machine sees it at once, whichever server answers.
            if let Ok(tip) = other.tip() {
                self.stale.fetch_add(u64::from(tip.seq < seq), Ordering::Relaxed);
            }
            let before = self.acknowledged.lock().expect("no panic").insert(id, seq);
            assert_eq!(before, None);
        }
    }
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn a_synchronous_standby_that_takes_over_has_every_acknowledged_event_once() {
    let rounds = if std::env::var_os("IDETIC_LONG").is_some() { LONG_ROUNDS } else { ROUNDS };
    let mut primary = Cluster::start();
    let mut spare_port = free_port();
    let address = address_of([primary.port(), spare_port]);
    let folders: Vec<TempDir> = (0..MACHINES).map(|_| given::folder()).collect();
    let open = |n: usize| log_in(&address, "local/default", folders[n].path(), given::sources_from(n as u64 + 1));
    let logs: Vec<PgLog> = (0..folders.len()).map(open).collect();
    let history = History::default();
    for round in 0..rounds {
        let standby = primary.standby(spare_port);
        primary.wait_for_standby();
        history.is_over.store(false, Ordering::Relaxed);
        thread::scope(|scope| {
            for writer in 0..MACHINES * WRITERS {
                let (at, history, logs) = ((writer % MACHINES) as usize, &history, &logs);
                scope.spawn(move || history.write(&logs[at], &logs[(at + 1) % logs.len()]));
            }
            thread::sleep(WORK);
            primary.crash();
            standby.promote();
            thread::sleep(WORK);
            history.is_over.store(true, Ordering::Relaxed);
        });
        (spare_port, primary) = (primary.port(), standby);
        let acknowledged = history.acknowledged.lock().expect("no panic");
        let events = all(&logs[0]);
        assert_eq!(all(&logs[1]), events, "round {round}");
        let ids: HashSet<&str> = events.iter().map(|event| event.header.id.as_str()).collect();
        assert_eq!(ids.len(), events.len(), "round {round}: none is there twice");
        // Each was sent until it was acknowledged, so nothing else is there.
        assert_eq!(events.len(), acknowledged.len(), "round {round}");
        for (id, seq) in acknowledged.iter() {
            let event = &events[usize::try_from(seq - 1).expect("a place")];
            assert_eq!((event.header.seq, event.header.id.clone()), (*seq, id.to_string()), "round {round}");
        }
        assert_eq!(history.stale.load(Ordering::Relaxed), 0, "round {round}: no machine is behind an acknowledgement");
        for log in &logs {
            assert_eq!(log.check_storage(), Ok(Vec::new()));
        }
    }
    eprintln!(
        "figure: {rounds} failovers to a synchronous standby, {} events acknowledged, {} appends failed and were sent again: \
         0 lost, 0 twice, 0 gaps, 0 stale reads",
        history.acknowledged.lock().expect("no panic").len(),
        history.errors.load(Ordering::Relaxed),
    );
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn what_an_asynchronous_standby_had_not_received_is_reported_with_its_range() {
    let mut primary = Cluster::start();
    let port = free_port();
    let folder = given::folder();
    let log = log_in(&address_of([primary.port(), port]), "local/default", folder.path(), given::env());
    let append = |n: u64| log.append(batch(&[note_with_id(n, format_args!("text {n}"))]));
    (1..=5).for_each(|n| assert_eq!(append(n).expect("appended")[0].seq, n));
    let mut standby = primary.standby(port);
    standby.wait_for("SELECT count(*) FROM idetic.events", "5");
    standby.crash();
    (6..=8).for_each(|n| assert_eq!(append(n).expect("appended")[0].seq, n));
    primary.crash();
    standby.server = spawn(&standby.programs, standby.folder.path(), port);
    standby.promote();
    let lost = Error::Shortened { have: 5, had: 8 };
    assert_eq!(log.tip(), Err(lost.clone()));
    assert_eq!(append(9), Err(lost), "nothing is appended until a person accepts the loss");
    assert_eq!(log.accept().map(|tip| tip.seq), Ok(5));
    assert_eq!(append(6).expect("appended")[0].seq, 6);
}
