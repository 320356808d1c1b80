//! Views: however they are folded they are the same, and they never answer for another log than theirs.

mod history;
mod sharing;
mod trust;

use idetic_core::views::VIEWS;
use idetic_core::{Event, views as rules};
use idetic_store::{Digest, Log, Select, Views};
use proptest::collection::vec;
use proptest::prelude::*;
use rules::{Change, Live, Shape, TIMELINE, Table, Value, View};

use super::given::{self, batch, note};
use history::{Said, log_of, said};

/// Folds up to a seq and gives the digest.
fn digest(views: &Views, log: &dyn Log, seq: u64) -> Vec<Digest> {
    views.catch_up(log, seq, &mut |_| {}).expect("folded");
    views.digest().expect("a digest")
}

/// The digest of a log folded in memory, at once.
fn at_once(log: &dyn Log, seq: u64) -> Vec<Digest> {
    digest(&Views::in_memory(VIEWS), log, seq)
}

fn check(history: &[Said], steps: &[u64]) {
    let (folder, log) = log_of(history);
    let end = history.len() as u64;
    let views = Views::open(folder.path(), VIEWS);
    let mut at = 0;
    for step in steps {
        at = end.min(at + step);
        assert_eq!(digest(&views, &log, at), at_once(&log, at), "folded in steps up to {at}");
    }
    // What was folded up to a seq is what a log that stopped there gives.
    let (_shorter, stopped) = log_of(&history[..at as usize]);
    assert_eq!(views.digest(), Ok(at_once(&stopped, at)));
    let whole = at_once(&log, end);
    assert_eq!(digest(&views, &log, end), whole);
    views.rebuild(&log, &mut |_| {}).expect("rebuilt");
    assert_eq!(views.digest(), Ok(whole.clone()), "rebuilt");
    views.discard().expect("discarded");
    assert_eq!(digest(&views, &log, end), whole, "discarded and folded anew");
    assert_eq!(digest(&Views::open(folder.path(), VIEWS), &log, end), whole, "opened again");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn steps_of_any_size_end_in_the_same_views(history in vec(said(), 0..50), steps in vec(1_u64..9, 0..8)) {
        check(&history, &steps);
    }
}

/// More than one hold of the lock, and more than one block of sums.
#[test]
fn a_long_log_is_the_same_in_steps_and_at_once() {
    const EVENTS: u64 = 4500;
    let folder = given::folder();
    let log = given::log_in(folder.path());
    for start in (0..EVENTS).step_by(500) {
        let body = |n: u64| {
            format!(
                r#"{{"kind":"change","trace_id":"t{}","tags":["g{}"],"metadata":{{"duration_ms":{n}}}}}"#,
                n % 7,
                n % 11
            )
        };
        log.append(batch(&(start..start + 500).map(body).collect::<Vec<_>>())).expect("appended");
    }
    let views = Views::open(folder.path(), VIEWS);
    let mut heard = Vec::new();
    views.catch_up(&log, EVENTS, &mut |seq| heard.push(seq)).expect("folded");
    assert_eq!(heard, [4096, EVENTS]);
    let stepwise = Views::in_memory(VIEWS);
    for at in [1, 999, 1000, 1001, 4095, 4096, 4097, EVENTS] {
        digest(&stepwise, &log, at);
    }
    assert_eq!(stepwise.digest(), views.digest());
}

static TINY: Table =
    Table { name: "tiny", shape: Shape::Entity { key: 1 }, columns: &["about", "events"], indexes: &[], places: &[] };
static OTHER: Table = Table { name: "other", shape: Shape::Event, columns: &["id"], indexes: &[&["id"]], places: &[] };

fn count(about: Value, live: Live) -> Vec<Change> {
    let before = live(&TINY, std::slice::from_ref(&about)).map_or(0, |row| row[1].int());
    vec![Change::Put(&TINY, vec![about, (before + 1).into()])]
}

fn by_kind(event: &Event, live: Live) -> Vec<Change> {
    count(event.header.kind.as_str().into(), live)
}

fn by_parity(event: &Event, live: Live) -> Vec<Change> {
    count((event.seq() % 2).into(), live)
}

fn ids(event: &Event, _: Live) -> Vec<Change> {
    vec![Change::Insert(&OTHER, vec![event.header.id.as_str().into()])]
}

const OTHER_VIEW: View = View { name: "other", version: 1, tables: &[&OTHER], apart: None, fold: ids };
static FIRST: &[View] = &[View { name: "tiny", version: 1, tables: &[&TINY], apart: None, fold: by_kind }];
static SECOND: &[View] = &[View { name: "tiny", version: 2, tables: &[&TINY], apart: None, fold: by_parity }];
static TOGETHER: &[View] =
    &[View { name: "tiny", version: 2, tables: &[&TINY], apart: None, fold: by_parity }, OTHER_VIEW];

#[test]
fn a_view_whose_rules_changed_is_folded_anew() {
    let folder = given::folder();
    let log = given::log_in(folder.path());
    log.append(batch(&["a", "b", "c", "d", "e"].map(note))).expect("appended");
    let tiny = |views: &Views| -> Vec<Vec<Value>> {
        views.catch_up(&log, 5, &mut |_| {}).expect("folded");
        views.select(&Select::from(&TINY, 5)).expect("rows").into_iter().map(|row| row.values).collect()
    };
    assert_eq!(tiny(&Views::open(folder.path(), FIRST)), [vec![Value::from("change"), 5_i64.into()]]);
    let second = Views::open(folder.path(), SECOND);
    assert_eq!(second.position(), Ok(0), "what other rules made does not count");
    let parities = [vec![Value::from(0_i64), 2_i64.into()], vec![1_i64.into(), 3_i64.into()]];
    assert_eq!(tiny(&second), parities);
    // A view that is new beside one that is not catches up alone.
    let together = Views::open(folder.path(), TOGETHER);
    assert_eq!(together.positions().map(|all| all.iter().map(|p| p.seq).collect()), Ok(vec![5, 0]));
    assert_eq!(tiny(&together), parities);
    assert_eq!(together.digest(), Ok(digest(&Views::in_memory(TOGETHER), &log, 5)));
    log.append(batch(&["f", "g"].map(note))).expect("appended");
    assert_eq!(digest(&together, &log, 7), digest(&Views::in_memory(TOGETHER), &log, 7));
}

#[test]
fn a_new_view_stops_where_the_others_wait_for_it() {
    let folder = given::folder();
    let log = given::log_in(folder.path());
    log.append(batch(&["a", "b", "c", "d", "e"].map(note))).expect("appended");
    digest(&Views::open(folder.path(), SECOND), &log, 3);
    let together = Views::open(folder.path(), TOGETHER);
    for at in [1, 2, 4, 5] {
        together.catch_up(&log, at, &mut |_| {}).expect("folded");
        assert!(together.positions().expect("positions").iter().all(|p| p.seq >= at));
    }
    assert_eq!(together.digest(), Ok(digest(&Views::in_memory(TOGETHER), &log, 5)));
    assert_eq!(together.seqs(&Select::from(&OTHER, 4)), Ok(vec![1, 2, 3, 4]));
}

#[test]
fn the_past_is_a_filter_on_the_present() {
    let history: Vec<Said> = (0..30).map(Said::numbered).collect();
    let (_folder, log) = log_of(&history);
    let now = Views::in_memory(VIEWS);
    digest(&now, &log, 30);
    for at in [0, 1, 7, 29, 30] {
        let (_shorter, stopped) = log_of(&history[..at]);
        let then = Views::in_memory(VIEWS);
        digest(&then, &stopped, at as u64);
        for table in [&TIMELINE, &rules::TAGS, &rules::REFS, &rules::TRACES].into_iter().filter(|_| at > 0) {
            let select = Select::from(table, at as u64);
            assert_eq!(now.select(&select), then.select(&select), "{} at {at}", table.name);
        }
    }
}
