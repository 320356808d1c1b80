//! Views that several handles and threads use at once, and views where nothing may be written.

use std::fs;
use std::path::Path;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use idetic_core::views::{TIMELINE, VIEWS};
use idetic_store::{Log, Select, SqliteLog, Views};

use super::history::{Said, log_of};
use super::{at_once, digest};
use crate::suite::given::{self, batch, note};

/// What a reader does: catches up with the head and asks. It gets everything that was there when it came, but for what
/// was erased.
fn ask(views: &Views, log: &dyn Log) {
    let head = log.tip().expect("a tip").seq;
    views.catch_up(log, head, &mut |_| {}).expect("folded");
    let seqs = views.seqs(&Select::from(&TIMELINE, head)).expect("rows");
    let there = given::all(log).into_iter().map(|event| (event.header.seq, event.secret.is_some()));
    let there: Vec<u64> = there.filter(|(seq, is_whole)| *seq <= head && *is_whole).map(|(seq, _)| seq).collect();
    assert_eq!(seqs, there);
}

fn append_many(log: &SqliteLog, batches: usize) {
    for n in 0..batches {
        log.append(batch(&[note(n), note("and"), note("more")])).expect("appended");
    }
}

#[test]
fn handles_that_fold_the_same_file_at_once_end_equal() {
    let folder = given::folder();
    let log = given::log_in(folder.path());
    log.append(batch(&[note("first")])).expect("appended");
    let over = AtomicBool::new(false);
    let handles = [0, 1, 2].map(|_| Views::open(folder.path(), VIEWS));
    thread::scope(|scope| {
        for views in &handles {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    ask(views, &log)
                }
            });
        }
        append_many(&log, 100);
        over.store(true, Ordering::Relaxed);
    });
    let whole = at_once(&log, 301);
    assert!(handles.iter().all(|views| digest(views, &log, 301) == whole));
}

#[test]
fn a_file_that_is_exchanged_under_its_readers_never_gives_a_wrong_answer() {
    let folder = given::folder();
    let log = given::log_in(folder.path());
    append_many(&log, 10);
    let over = AtomicBool::new(false);
    let handles = [0, 1].map(|_| Views::open(folder.path(), VIEWS));
    let alone = Views::open(folder.path(), VIEWS);
    thread::scope(|scope| {
        for views in &handles {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    ask(views, &log)
                }
            });
        }
        // Two who rebuild at once, one of them with a handle that others read through.
        let rebuilds = [&alone, &handles[0]].map(|views| {
            let log = &log;
            scope.spawn(move || {
                for _ in 0..20 {
                    log.append(batch(&[note("while it is rebuilt")])).expect("appended");
                    views.rebuild(log, &mut |_| {}).expect("rebuilt");
                }
            })
        });
        rebuilds.into_iter().for_each(|thread| thread.join().expect("no panic"));
        over.store(true, Ordering::Relaxed);
    });
    let whole = at_once(&log, 70);
    assert!(handles.iter().all(|views| digest(views, &log, 70) == whole));
}

#[test]
fn views_in_memory_answer_every_thread_in_full() {
    let folder = given::folder();
    let log = given::log_in(folder.path());
    append_many(&log, 20);
    for _ in 0..100 {
        let views = Views::in_memory(VIEWS);
        let start = Barrier::new(4);
        let read = || {
            start.wait();
            (0..5).for_each(|_| ask(&views, &log));
        };
        thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(read))));
    }
    let views = Views::in_memory(VIEWS);
    ask(&views, &log);
    views.discard().expect("discarded");
    ask(&views, &log);
}

/// Makes a folder in which the views cannot be locked, as if it were read-only, whoever runs the test.
fn forbid_writing(folder: &Path) {
    let _ = fs::remove_file(folder.join("views.lock"));
    fs::create_dir(folder.join("views.lock")).expect("a folder in the way");
}

#[test]
fn where_nothing_may_be_written_the_rest_is_folded_in_memory() {
    let history: Vec<Said> = (0..40).map(Said::numbered).collect();
    let (folder, log) = log_of(&history);
    digest(&Views::open(folder.path(), VIEWS), &log, 25);
    forbid_writing(folder.path());
    let before = fs::read(folder.path().join("views.db")).expect("a file");
    let views = Views::open(folder.path(), VIEWS);
    assert_eq!(views.position(), Ok(25), "what is on disk is a start");
    assert_eq!(digest(&views, &log, 40), at_once(&log, 40));
    ask(&views, &log);
    assert!(views.rebuild(&log, &mut |_| {}).is_err());
    assert_eq!(fs::read(folder.path().join("views.db")).expect("a file"), before);
    assert_eq!(Views::open(folder.path(), VIEWS).position(), Ok(25));
}

#[test]
fn views_that_cannot_be_read_or_written_are_folded_in_memory_from_the_beginning() {
    let history: Vec<Said> = (0..40).map(Said::numbered).collect();
    for damage in [0..16, 100..5000, 4096..20_000] {
        let (folder, log) = log_of(&history);
        digest(&Views::open(folder.path(), VIEWS), &log, 40);
        forbid_writing(folder.path());
        let file = folder.path().join("views.db");
        let mut bytes = fs::read(&file).expect("a file");
        let end = damage.end.min(bytes.len());
        bytes[damage.start.min(end)..end].fill(0x5a);
        fs::write(&file, &bytes).expect("written");
        let views = Views::open(folder.path(), VIEWS);
        if views.catch_up(&log, 40, &mut |_| {}).and_then(|()| views.digest()) != Ok(at_once(&log, 40)) {
            views.discard().expect("discarded");
        }
        assert_eq!(digest(&views, &log, 40), at_once(&log, 40));
        assert_eq!(fs::read(&file).expect("a file"), bytes, "nothing on disk was touched");
    }
}

#[test]
fn a_damaged_view_database_comes_back_the_same_after_it_is_discarded() {
    let history: Vec<Said> = (0..40).map(Said::numbered).collect();
    let (folder, log) = log_of(&history);
    let whole = digest(&Views::open(folder.path(), VIEWS), &log, 40);
    fs::write(folder.path().join("views.db"), b"this is not a database, and was never one").expect("written");
    let views = Views::open(folder.path(), VIEWS);
    assert!(views.position().is_err());
    views.discard().expect("discarded");
    assert_eq!(digest(&views, &log, 40), whole);
}
