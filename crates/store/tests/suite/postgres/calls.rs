//! Named calls of several machines: each is carried out once, also where a machine is gone or only slow.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use idetic_store::{Beginning, Idempotency, Known, Log, LogSettings, Logs, NamedCall, PgLog, Turn};
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
    let logs = Logs::at(&LogSettings::of(url)).expect("an address");
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
        now_micros: 0,
        head: 0,
        is_repeatable: false,
        writes_log_only: true,
        erasures: Arc::new(|| 0),
    }
}

impl Machine {
    fn begin(&self, beginning: Beginning) -> Known {
        self.calls.begin(beginning).expect("it is answered").0
    }

    /// Begins a call that nobody has begun.
    fn begin_new(&self, beginning: Beginning) -> Turn {
        let (known, turn) = self.calls.begin(beginning).expect("it is answered");
        assert_eq!(known, Known::New);
        turn
    }

    fn end(&self, turn: &Turn, answer: Option<&str>) {
        let answer = answer.map(|answer| (200, answer.as_bytes().to_vec()));
        self.calls.end(call("of", "no matter"), turn, answer, Arc::new(|| 0)).expect("it is kept");
    }

    /// Appends for a call that was begun here.
    fn append(&self, turn: &Turn, text: &str) -> idetic_store::Result<u64> {
        turn.carry_out(|| self.log.append(batch(&[note(text)]))).map(|acks| acks[0].seq)
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
    let turn = one.begin_new(beginning("a", "this"));
    assert_eq!(other.begin(beginning("a", "this")), Known::Begun);
    assert_eq!(one.begin(beginning("a", "this")), Known::Begun);
    one.end(&turn, Some("{}"));
    drop(one);
    for machine in [&other, &machine(&cluster.url())] {
        assert_eq!(machine.begin(beginning("a", "this")), Known::Answered(200, b"{}".to_vec()));
        assert_eq!(machine.begin(beginning("a", "that")), Known::Other);
    }
    cluster.sql("UPDATE idetic.calls SET begun_at = begun_at - 24 * 3600 * 1000000::bigint");
    let turn = other.begin_new(beginning("a", "that"));
    other.end(&turn, None);
    other.begin_new(beginning("a", "that"));
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn a_slow_machine_appends_nothing_for_a_call_that_another_has_taken_over() {
    let cluster = Cluster::start();
    let (slow, other) = (machine(&cluster.url()), machine(&cluster.url()));
    let first = slow.begin_new(beginning("a", "this"));
    fall_silent(&cluster);
    let second = other.begin_new(beginning("a", "this"));
    let refused = slow.append(&first, "from the slow one").expect_err("another carries it out").to_string();
    assert!(refused.contains("another server carries this call out"), "{refused}");
    assert_eq!(other.append(&second, "from the other"), Ok(1));
    // An end that comes too late changes nothing, whatever it says.
    slow.end(&first, None);
    slow.end(&first, Some("of the slow one"));
    other.end(&second, Some("of the other"));
    assert_eq!(slow.begin(beginning("a", "this")), Known::Answered(200, b"of the other".to_vec()));
    // Nor where it was taken over by the same machine.
    let first = slow.begin_new(beginning("b", "this"));
    fall_silent(&cluster);
    let second = slow.begin_new(beginning("b", "this"));
    slow.append(&first, "too late").expect_err("it was taken over");
    slow.end(&first, None);
    assert_eq!(slow.append(&second, "in time"), Ok(2));
    slow.end(&second, Some("{}"));
    slow.append(&first, "later still").expect_err("it is over");
    assert_eq!(slow.log.tip().map(|tip| tip.seq), Ok(2));
    // What belongs to no call is appended as ever.
    assert_eq!(slow.log.append(batch(&[note("of no call")])).map(|acks| acks[0].seq), Ok(3));
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn a_call_that_has_appended_is_not_carried_out_again() {
    let cluster = Cluster::start();
    let (gone, other) = (machine(&cluster.url()), machine(&cluster.url()));
    let turn = gone.begin_new(beginning("a", "this"));
    assert_eq!(gone.append(&turn, "half of it"), Ok(1));
    fall_silent(&cluster);
    assert_eq!(other.begin(beginning("a", "this")), Known::Lost);
    let again = Beginning { is_repeatable: true, ..beginning("a", "this") };
    assert_eq!(other.begin(again), Known::New, "to do it twice comes to the same");
    // One that failed afterwards: it may be tried again only where nothing was appended.
    let turn = gone.begin_new(beginning("b", "this"));
    assert_eq!(gone.append(&turn, "before it failed"), Ok(2));
    gone.end(&turn, None);
    assert_eq!(gone.begin(beginning("b", "this")), Known::Lost);
    let turn = gone.begin_new(beginning("c", "this"));
    gone.end(&turn, None);
    gone.begin_new(beginning("c", "this"));
    // One that changes more than the log.
    let outside = Beginning { writes_log_only: false, ..beginning("d", "this") };
    gone.begin_new(outside.clone());
    fall_silent(&cluster);
    assert_eq!(other.begin(outside), Known::Lost);
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn a_machine_that_is_at_it_says_so() {
    let cluster = Cluster::start();
    let (one, other) = (machine(&cluster.url()), machine(&cluster.url()));
    one.begin_new(beginning("a", "this"));
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
    let [before, during] = ["before", "during"].map(|name| one.begin_new(beginning(name, "this")));
    one.end(&before, Some(CANARY));
    assert_eq!(says(), "1");
    assert_eq!(other.log.erase(&BTreeSet::from([1])), Ok(1));
    assert_eq!(says(), "0");
    one.end(&during, Some(CANARY));
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
    let carry_out = |caller: u8, name: &str, bytes: usize| {
        let turn = machine.begin_new(of(caller, name));
        machine.end(&turn, Some(&"x".repeat(bytes)));
    };
    carry_out(1, "other", 2);
    for n in 0..20 {
        carry_out(2, &format!("n{n}"), 2 << 20);
    }
    assert!(matches!(machine.begin(of(1, "other")), Known::Answered(..)));
    assert!(matches!(machine.begin(of(2, "n19")), Known::Answered(..)));
    assert_eq!(machine.begin(of(2, "n0")), Known::New, "the oldest is forgotten");
    carry_out(3, "long", (4 << 20) + 1);
    assert_eq!(machine.begin(of(3, "long")), Known::Done, "too long to be kept");
}
