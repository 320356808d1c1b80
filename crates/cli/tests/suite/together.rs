//! Readers that seal and join, writers and a dreamer at once in one space: nobody fails, and all is embedded in the end.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::embeddings::{Deed, Endpoint, use_endpoint};
use super::place::{Place, json_lines, number, said, say};
use super::stream::Stream;

const LASTS: Duration = Duration::from_secs(5);

#[test]
fn recalls_appends_and_dreams_at_once_do_not_disturb_each_other() {
    let (place, endpoint) = (Place::new(), Endpoint::start(Deed::Embed));
    use_endpoint(&place, endpoint.url());
    place.append(&[said("the first of all")]);
    let end = Instant::now() + LASTS;
    let (appends, recalls, dreams) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
    // The last number that was acknowledged: what was only sent may not be there yet.
    let acknowledged = AtomicUsize::new(usize::MAX);
    std::thread::scope(|scope| {
        for writer in 0..2 {
            let (place, appends, acknowledged) = (&place, &appends, &acknowledged);
            scope.spawn(move || {
                let mut stream = Stream::start(place, &[]);
                while Instant::now() < end {
                    let n = appends.fetch_add(1, Ordering::Relaxed);
                    stream.one(&said(&format!("entry number{n} of writer{writer}")));
                    acknowledged.store(n, Ordering::SeqCst);
                }
                let (_, end) = stream.close();
                assert_eq!((end.code, end.err.as_str()), (0, ""));
            });
        }
        for reader in 0..3 {
            let (place, recalls, acknowledged) = (&place, &recalls, &acknowledged);
            scope.spawn(move || {
                while Instant::now() < end {
                    let last = acknowledged.load(Ordering::SeqCst);
                    let wanted = format!("number{last}");
                    let answer = place.run(&["recall", &wanted, "--json", "-k", "20"]);
                    assert_eq!(answer.code, 0, "reader {reader}: {answer:?}");
                    let hits = json_lines(&answer.out).remove(0)["hits"].clone();
                    let found = last == usize::MAX || hits.to_string().contains(&format!("{wanted} "));
                    assert!(found, "reader {reader} does not find {wanted}: {hits}");
                    assert!(!answer.err.contains("damaged"), "reader {reader}: {answer:?}");
                    recalls.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        scope.spawn(|| {
            while Instant::now() < end {
                let answer = place.run(&["dream"]);
                assert_eq!((answer.code, answer.err.as_str()), (0, ""), "{answer:?}");
                dreams.fetch_add(1, Ordering::Relaxed);
            }
        });
    });
    place.verify();
    place.ok(&["dream"]);
    let coverage = &place.json(&["status"])["coverage"];
    let [embedded, pending, retry] = ["embedded", "pending", "retry"].map(|key| number(&coverage[key]));
    let [appends, recalls, dreams] = [appends, recalls, dreams].map(AtomicUsize::into_inner);
    assert_eq!((embedded, pending, retry), (appends as u64 + 1, 0, 0));
    say(&format!(
        "figure: at once in one space for {LASTS:?}: {appends} appends, {recalls} recalls, {dreams} dreams: every recall \
         answered, all embedded in the end"
    ));
    assert!(appends > 300 && recalls > 10 && dreams > 1, "{appends} appends, {recalls} recalls, {dreams} dreams");
}
