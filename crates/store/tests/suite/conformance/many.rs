//! Many threads and handles at once.

use std::collections::BTreeSet;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use idetic_store::{Ack, Batch, Conflict, Error, Log};

use super::{NewPlace, empty, walk};
use crate::suite::given::{self, batch, note, note_with_id};

pub fn check_all(new_place: NewPlace) {
    every_number_is_given_once(new_place);
    no_reader_sees_part_of_a_batch(new_place);
    the_same_event_from_everywhere_is_one_event(new_place);
    of_all_who_expect_the_same_head_one_wins(new_place);
}

const THREADS: usize = 8;
const APPENDS: usize = 200;

/// Runs the same thing in all threads, half of them on each of two handles, and gives what each gave.
fn everywhere<T: Send>(logs: [&dyn Log; 2], act: impl Fn(usize, &dyn Log) -> T + Sync) -> Vec<T> {
    thread::scope(|scope| {
        let act = &act;
        let threads: Vec<_> = (0..THREADS).map(|n| scope.spawn(move || act(n, logs[n % 2]))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    })
}

pub fn every_number_is_given_once(new_place: NewPlace) {
    let (place, one) = empty(new_place);
    let two = place.open(given::sources_from(1));
    let acks: Vec<Ack> = everywhere([&*one, &*two], |thread, log| {
        let append = |n: usize| {
            let text = format!("{thread}-{n}");
            let body = if n.is_multiple_of(3) { note_with_id(&text, &text) } else { note(&text) };
            let ack = log.append(batch(&[body])).expect("appended").remove(0);
            assert!(log.tip().expect("a tip").seq >= ack.seq, "what was acknowledged is there");
            ack
        };
        (0..APPENDS).map(append).collect::<Vec<_>>()
    })
    .concat();
    let events = walk(&*one);
    assert_eq!(events.len(), THREADS * APPENDS);
    assert_eq!(acks.iter().map(|ack| ack.seq).collect::<BTreeSet<_>>().len(), THREADS * APPENDS);
    assert!(acks.iter().all(|ack| events[ack.seq as usize - 1].header.id == ack.id));
    // Each thread's own events stand in the order it appended them.
    assert!(acks.chunks(APPENDS).all(|own| own.is_sorted_by_key(|ack| ack.seq)));
}

pub fn no_reader_sees_part_of_a_batch(new_place: NewPlace) {
    const BATCH: u64 = 5;
    let (place, one) = empty(new_place);
    let two = place.open(given::sources_from(1));
    let over = AtomicBool::new(false);
    let reads: usize = thread::scope(|scope| {
        let read = |log: &dyn Log| {
            let (mut seen, mut reads) = (0, 0);
            while !over.load(Ordering::Relaxed) {
                let tip = log.tip().expect("a tip").seq;
                let events = log.read(seen + 1, usize::MAX).expect("a range").len() as u64;
                assert!(tip.is_multiple_of(BATCH) && events.is_multiple_of(BATCH), "{tip}, {events}");
                assert!(tip >= seen && seen + events >= tip, "{seen} and {events} more, tip {tip}");
                seen += events;
                reads += 1;
            }
            reads
        };
        let readers = [&*one, &*two].map(|log| scope.spawn(move || read(log)));
        everywhere([&*one, &*two], |thread, log| {
            for n in 0..40 {
                let bodies: Vec<String> = (0..BATCH).map(|part| note(format_args!("{thread}-{n}-{part}"))).collect();
                let acks = log.append(batch(&bodies)).expect("appended");
                assert!(acks.windows(2).all(|pair| pair[0].seq + 1 == pair[1].seq));
            }
        });
        over.store(true, Ordering::Relaxed);
        readers.into_iter().map(|reader| reader.join().expect("no panic")).sum()
    });
    assert!(reads > 0);
    assert_eq!(walk(&*two).len(), THREADS * 40 * BATCH as usize);
}

pub fn the_same_event_from_everywhere_is_one_event(new_place: NewPlace) {
    let (place, one) = empty(new_place);
    let two = place.open(given::sources_from(1));
    let start = Barrier::new(THREADS);
    let acks = everywhere([&*one, &*two], |_, log| {
        start.wait();
        (0..30).map(|n| log.append(batch(&[note_with_id(n, n)])).expect("appended").remove(0)).collect::<Vec<_>>()
    });
    assert!(acks.iter().all(|own| *own == acks[0]));
    assert_eq!(walk(&*one).len(), 30);
}

pub fn of_all_who_expect_the_same_head_one_wins(new_place: NewPlace) {
    let (place, one) = empty(new_place);
    let two = place.open(given::sources_from(1));
    let start = Barrier::new(THREADS);
    let wins: usize = everywhere([&*one, &*two], |thread, log| {
        let attempt = |head: u64| {
            start.wait();
            match log.append(Batch { expect: Some(head), ..batch(&[note(thread)]) }) {
                Ok(acks) => {
                    assert_eq!(acks[0].seq, head + 1);
                    1
                }
                Err(Error::Conflict(Conflict::Moved { expected, head: moved })) => {
                    assert_eq!((expected, moved), (head, head + 1));
                    0
                }
                Err(other) => panic!("{other:?}"),
            }
        };
        (0..25).map(attempt).sum::<usize>()
    })
    .into_iter()
    .sum();
    assert_eq!((wins, walk(&*one).len()), (25, 25));
}
