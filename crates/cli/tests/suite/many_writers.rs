//! Many processes at one space: every number once, nobody starves, and what is finished is seen by all.

use std::collections::HashSet;
use std::sync::Barrier;
use std::time::{Duration, Instant};

use super::place::{Place, json_lines, number, say, text};
use super::stream::{Ack, Stream};

const WRITERS: usize = 8;
const APPENDS: usize = 2000;

fn line(writer: usize, n: usize) -> String {
    format!("{{\"kind\":\"user_input\",\"content\":\"{writer}-{n}\"}}")
}

#[test]
fn eight_processes_with_two_thousand_single_appends_each_share_one_space_fairly() {
    let place = Place::new();
    let all_ready = Barrier::new(WRITERS);
    let write = |writer: usize| -> (Duration, Vec<Ack>) {
        let mut stream = Stream::start(&place, &[]);
        all_ready.wait();
        let start = Instant::now();
        let acks = (0..APPENDS).map(|n| stream.one(&line(writer, n))).collect();
        let took = start.elapsed();
        let (rest, end) = stream.close();
        assert_eq!((rest.len(), end.code, end.err.as_str()), (0, 0, ""), "writer {writer}");
        (took, acks)
    };
    let runs: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..WRITERS).map(|writer| scope.spawn(move || write(writer))).collect();
        threads.into_iter().map(|t| t.join().expect("a writer runs to its end")).collect()
    });
    let events = json_lines(&place.ok(&["export"]));
    assert_eq!(events.len(), WRITERS * APPENDS);
    let mut ids = HashSet::new();
    for (event, seq) in events.iter().zip(1..) {
        assert_eq!(number(&event["seq"]), seq, "1, 2, 3… without a gap");
        assert!(ids.insert(text(event, "id")), "an id was given twice");
    }
    for (writer, (_, acks)) in runs.iter().enumerate() {
        for (n, ack) in acks.iter().enumerate() {
            let event = &events[usize::try_from(ack.seq).expect("a small number") - 1];
            assert_eq!(text(event, "id"), ack.id);
            assert_eq!(text(&event["body"], "content"), format!("{writer}-{n}"), "what was acknowledged is there");
        }
        assert!(acks.windows(2).all(|pair| pair[0].seq < pair[1].seq), "a writer's own order is kept");
    }
    place.verify();
    let fastest = runs.iter().map(|r| r.0).min().expect("eight");
    let slowest = runs.iter().map(|r| r.0).max().expect("eight");
    let ratio = slowest.as_secs_f64() / fastest.as_secs_f64();
    say(&format!("figure: 8 processes x 2000 single appends: {slowest:.1?}, slowest / fastest = {ratio:.2}"));
    assert!(ratio <= 3.0, "somebody starved: {ratio:.2}");
}

#[test]
fn what_one_process_has_acknowledged_every_other_process_sees_at_once() {
    let place = Place::new();
    std::thread::scope(|scope| {
        for writer in 0..2 {
            let place = &place;
            scope.spawn(move || {
                let mut stream = Stream::start(place, &[]);
                for n in 0..60 {
                    let ack = stream.one(&line(writer, n));
                    let seq = ack.seq.to_string();
                    let by_seq = place.json(&["get", &seq]);
                    assert_eq!(
                        (text(&by_seq, "id"), text(&by_seq, "content")),
                        (ack.id.as_str(), &*format!("{writer}-{n}"))
                    );
                    match n % 3 {
                        0 => assert_eq!(place.json(&["get", &ack.id]), by_seq, "by id, through the views"),
                        1 => assert!(number(&place.json(&["stats"])["events"]) >= ack.seq, "counted"),
                        _ => assert_eq!(place.lines(&["log", "--as-of", &seq, "--limit", "1"]), [by_seq], "listed"),
                    }
                }
            });
        }
    });
    assert_eq!(place.events(), 120);
    place.verify();
}

#[test]
fn processes_that_start_at_once_in_a_new_space_make_one_space_together() {
    for round in 0..100 {
        let place = Place::new();
        let all_ready = Barrier::new(6);
        let remember = |n: usize| {
            all_ready.wait();
            number(&place.json(&["remember", &n.to_string(), "--space", "new/space"])["seq"])
        };
        let mut seqs: Vec<u64> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..6).map(|n| scope.spawn(move || remember(n))).collect();
            threads.into_iter().map(|t| t.join().expect("it is remembered")).collect()
        });
        seqs.sort_unstable();
        assert_eq!(seqs, [1, 2, 3, 4, 5, 6], "round {round}");
        place.ok(&["verify", "--space", "new/space"]);
    }
}
