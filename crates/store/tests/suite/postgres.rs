//! The log in PostgreSQL against real servers: the promises of every log, and what is left of them when connections and
//! servers are lost.

mod calls;
mod cluster;
mod failover;
mod grouped;
mod keeps;
mod losses;
mod moving;
mod proxy;
mod shared_files;
mod snapshots;
mod tls;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use idetic_store::{Database, Env, Log, PgLog};
use tempfile::TempDir;

use super::conformance::{Place, check_all};
use super::given;
use cluster::Cluster;

/// A space in a database; each handle is a process of its own on the same machine, or on another one.
struct SpaceIn {
    url: String,
    space: String,
    folders: Vec<TempDir>,
    opened: AtomicUsize,
}

impl Place for SpaceIn {
    fn open(&self, env: Env) -> Box<dyn Log> {
        let at = self.opened.fetch_add(1, Ordering::Relaxed) % self.folders.len();
        Box::new(log_in(&self.url, &self.space, self.folders[at].path(), env))
    }
}

fn log_in(url: &str, space: &str, folder: &Path, env: Env) -> PgLog {
    let database = Arc::new(Database::new(url).expect("an address"));
    PgLog::create(database, space, folder, env).expect("a log")
}

/// Runs the whole suite, each log in a space of its own.
fn check_all_in(url: &str, machines: usize) {
    let spaces = AtomicUsize::new(0);
    check_all(&|| {
        let space = format!("local/space{}", spaces.fetch_add(1, Ordering::Relaxed));
        let folders = (0..machines).map(|_| given::folder()).collect();
        Box::new(SpaceIn { url: url.to_owned(), space, folders, opened: AtomicUsize::new(0) })
    });
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn the_log_in_postgresql_keeps_every_guarantee() {
    let cluster = Cluster::start();
    check_all_in(&cluster.url(), 1);
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn it_keeps_them_for_several_machines() {
    let cluster = Cluster::start();
    check_all_in(&cluster.url(), 3);
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn it_keeps_them_behind_pgbouncer() {
    let cluster = Cluster::start();
    let bouncer = cluster.bouncer();
    check_all_in(&bouncer.url(), 1);
}
