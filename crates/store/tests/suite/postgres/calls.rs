//! Named calls of several machines: each is carried out once, also where a machine is gone or only slow.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use idetic_store::{Beginning, Idempotency, Known, Log, LogSettings, Logs, NamedCall, PgLog};
use tempfile::TempDir;

use super::cluster::Cluster;
use super::log_in;
use crate::suite::given::{self, batch, note};

static NAMES: AtomicU64 = AtomicU64::new(0);

/// A machine with its own home.
struct Machine {
    calls: Idempotency,
    log: PgLog,
    _home: TempDir,
}

fn machine(url: &str) -> Machine {
    let home = given::folder();
    let logs = Logs::at(&LogSettings { url: url.to_owned() }).expect("an address");
    let calls = Idempotency::of(home.path(), &logs, || format!("n{}", NAMES.fetch_add(1, Ordering::Relaxed)));
    let log = log_in(url, "ann/x", &home.path().join("space"), given::sources_from(NAMES.load(Ordering::Relaxed)));
    Machine { calls, log, _home: home }
}

fn call(name: &str, asked: &str) -> NamedCall {
    let hash = |text: &str| std::array::from_fn(|at| text.as_bytes().get(at).copied().unwrap_or(0));
    NamedCall { space: "ann/x".to_owned(), name: hash(name), caller: hash("ann"), asked: hash(asked) }
}

fn beginning(name: &str, asked: &str) -> Beginning {
    Beginning {
        call: call(name, asked),
        now_micros: 2 * DAY,
        head: 0,
        is_repeatable: false,
        writes_log_only: true,
        erasures: Arc::new(|| 0),
    }
}

const DAY: i64 = 24 * 3600 * 1_000_000;

impl Machine {
    fn begin(&self, beginning: Beginning) -> Known {
        self.calls.begin(beginning).expect("it is answered")
    }

    fn end(&self, name: &str, asked: &str, answer: &str) {
        let answer = (200, answer.as_bytes().to_vec());
        self.calls.end(call(name, asked), Some(answer), Arc::new(|| 0)).expect("it is kept");
    }

    /// Appends for a call that was begun here.
    fn append(&self, name: &str, text: &str) -> idetic_store::Result<u64> {
        let appended = self.calls.carry_out(&call(name, "this"), || self.log.append(batch(&[note(text)])));
        appended.map(|acks| acks[0].seq)
    }
}

/// As if nothing had been heard of those who carry calls out.
fn fall_silent(cluster: &Cluster) {
    cluster.sql("UPDATE idetic.calls SET renewed_at = 0 WHERE state = 0");
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn a_call_is_carried_out_once_and_answered_as_before_by_every_machine() {
    let cluster = Cluster::start();
    let (one, other) = (machine(&cluster.url()), machine(&cluster.url()));
    assert_eq!(one.begin(beginning("a", "this")), Known::New);
    assert_eq!(other.begin(beginning("a", "this")), Known::Begun);
    assert_eq!(one.begin(beginning("a", "this")), Known::Begun);
    one.end("a", "this", "{}");
    drop(one);
    for machine in [&other, &machine(&cluster.url())] {
        assert_eq!(machine.begin(beginning("a", "this")), Known::Answered(200, b"{}".to_vec()));
        assert_eq!(machine.begin(beginning("a", "that")), Known::Other);
    }
    let later = Beginning { now_micros: 3 * DAY, ..beginning("a", "that") };
    assert_eq!(other.begin(later.clone()), Known::New, "a day later");
    other.calls.end(call("a", "that"), None, Arc::new(|| 0)).expect("it may be tried again");
    assert_eq!(other.begin(later), Known::New);
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn a_slow_machine_appends_nothing_for_a_call_that_another_has_taken_over() {
    let cluster = Cluster::start();
    let (slow, other) = (machine(&cluster.url()), machine(&cluster.url()));
    assert_eq!(slow.begin(beginning("a", "this")), Known::New);
    fall_silent(&cluster);
    assert_eq!(other.begin(beginning("a", "this")), Known::New, "nothing was appended for it");
    let refused = slow.append("a", "from the slow one").expect_err("another carries it out").to_string();
    assert!(refused.contains("another server carries this call out"), "{refused}");
    assert_eq!(other.append("a", "from the other"), Ok(1));
    // An end that comes too late changes nothing.
    slow.end("a", "this", "of the slow one");
    other.end("a", "this", "of the other");
    assert_eq!(slow.begin(beginning("a", "this")), Known::Answered(200, b"of the other".to_vec()));
    // Whoever appended before it fell silent is not taken over: nobody knows what else it was to do.
    assert_eq!(slow.begin(beginning("b", "this")), Known::New);
    assert_eq!(slow.append("b", "half of it"), Ok(2));
    fall_silent(&cluster);
    assert_eq!(other.begin(beginning("b", "this")), Known::Lost);
    let again = Beginning { is_repeatable: true, ..beginning("b", "this") };
    assert_eq!(other.begin(again), Known::New, "to do it twice comes to the same");
    // Nor one that changes more than the log.
    assert_eq!(slow.begin(beginning("c", "this")), Known::New);
    fall_silent(&cluster);
    assert_eq!(other.begin(Beginning { writes_log_only: false, ..beginning("c", "this") }), Known::Lost);
    // What belongs to no call is appended as ever, also beside one that is refused.
    assert_eq!(slow.log.append(batch(&[note("of no call")])).map(|acks| acks[0].seq), Ok(3));
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn a_machine_that_is_at_it_says_so() {
    let cluster = Cluster::start();
    let (one, other) = (machine(&cluster.url()), machine(&cluster.url()));
    assert_eq!(one.begin(beginning("a", "this")), Known::New);
    fall_silent(&cluster);
    let until = Instant::now() + Duration::from_secs(60);
    while cluster.sql("SELECT renewed_at FROM idetic.calls") == "0" {
        assert!(Instant::now() < until, "it is not renewed");
        std::thread::sleep(Duration::from_millis(200));
    }
    assert_eq!(other.begin(beginning("a", "this")), Known::Begun);
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn what_was_erased_is_not_answered_nor_left_in_a_row() {
    const CANARY: &str = "zanzibar-canary-4711";
    let cluster = Cluster::start();
    let (one, other) = (machine(&cluster.url()), machine(&cluster.url()));
    let says =
        || cluster.sql(&format!("SELECT count(*) FROM idetic.calls WHERE position('{CANARY}'::bytea IN body) > 0"));
    assert_eq!(one.log.append(batch(&[note(CANARY)])).map(|acks| acks[0].seq), Ok(1));
    for name in ["before", "during"] {
        assert_eq!(one.begin(beginning(name, "this")), Known::New);
    }
    one.end("before", "this", CANARY);
    assert_eq!(says(), "1");
    assert_eq!(other.log.erase(&BTreeSet::from([1])), Ok(1));
    assert_eq!(says(), "0");
    one.end("during", "this", CANARY);
    assert_eq!(says(), "0", "it was read before the erasure");
    for machine in [&one, &other] {
        for name in ["before", "during"] {
            assert_eq!(machine.begin(beginning(name, "this")), Known::Done);
        }
    }
    let again = Beginning { is_repeatable: true, ..beginning("before", "this") };
    assert_eq!(other.begin(again), Known::New, "what adds nothing is asked again");
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn one_caller_pushes_out_its_own_answers_only() {
    let cluster = Cluster::start();
    let machine = machine(&cluster.url());
    let of = |caller: u8, name: &str| {
        let call = NamedCall { caller: [caller; 32], ..call(name, "this") };
        Beginning { call, ..beginning(name, "this") }
    };
    let end = |caller: u8, name: &str, bytes: usize| {
        let call = of(caller, name).call;
        machine.calls.end(call, Some((200, vec![b'x'; bytes])), Arc::new(|| 0)).expect("it is kept");
    };
    assert_eq!(machine.begin(of(1, "other")), Known::New);
    end(1, "other", 2);
    for n in 0..20 {
        let beginning = Beginning { now_micros: 2 * DAY + n, ..of(2, &format!("n{n}")) };
        assert_eq!(machine.begin(beginning), Known::New);
        end(2, &format!("n{n}"), 2 << 20);
    }
    assert!(matches!(machine.begin(of(1, "other")), Known::Answered(..)));
    assert!(matches!(machine.begin(of(2, "n19")), Known::Answered(..)));
    assert_eq!(machine.begin(of(2, "n0")), Known::New, "the oldest is forgotten");
    assert_eq!(machine.begin(of(3, "long")), Known::New);
    end(3, "long", (4 << 20) + 1);
    assert_eq!(machine.begin(of(3, "long")), Known::Done, "too long to be kept");
    // Without a database the calls of two homes have nothing to do with each other.
    let at = |home: &Path| Idempotency::of(home, &Logs::default(), || "one".to_owned());
    let (here, there) = (given::folder(), given::folder());
    for home in [here.path(), there.path()] {
        assert_eq!(at(home).begin(beginning("a", "this")), Ok(Known::New));
    }
}
