//! Many who append at once share transactions.
#![expect(clippy::print_stderr, reason = "it says how many share one")]

use std::thread;
use std::time::Instant;

use idetic_store::Log;

use super::cluster::Cluster;
use super::log_in;
use crate::suite::given::{self, batch, note};

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn many_writers_share_a_transaction() {
    const THREADS: usize = 64;
    const APPENDS: usize = 40;
    let cluster = Cluster::start();
    let folder = given::folder();
    let log = log_in(&cluster.url(), "local/default", folder.path(), given::env());
    let begun = Instant::now();
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let log = &log;
            scope.spawn(move || {
                for n in 0..APPENDS {
                    log.append(batch(&[note(format_args!("{thread}-{n}"))])).expect("appended");
                }
            });
        }
    });
    let took = begun.elapsed();
    let transactions: usize =
        cluster.sql("SELECT count(DISTINCT xmin::text) FROM idetic.events").parse().expect("a number");
    let each = THREADS * APPENDS / transactions;
    assert!(each >= 10, "{transactions} transactions for {} events", THREADS * APPENDS);
    eprintln!(
        "figure: {THREADS} threads append to PostgreSQL: {each} events a transaction, {:.0} a second",
        (THREADS * APPENDS) as f64 / took.as_secs_f64()
    );
}
