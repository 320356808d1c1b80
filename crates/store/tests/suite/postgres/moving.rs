//! A move that was stopped between its steps.

use std::fs;
use std::path::Path;

use idetic_core::SpaceName;
use idetic_store::{Error, Log, LogSettings, Logs, Move};

use super::cluster::Cluster;
use crate::suite::given::{self, all, batch, note};

const NO_ERASURES: &dyn Fn() -> u64 = &|| 0;

struct Stage {
    cluster: Cluster,
    folder: tempfile::TempDir,
    space: SpaceName,
}

impl Stage {
    fn new() -> Self {
        Self {
            cluster: Cluster::start(),
            folder: given::folder(),
            space: SpaceName::parse("ann/notes").expect("a name"),
        }
    }

    fn folder(&self) -> &Path {
        self.folder.path()
    }

    fn logs(&self, is_database: bool) -> Logs {
        let url = if is_database { self.cluster.url() } else { String::new() };
        Logs::at(&LogSettings { url }).expect("logs")
    }

    fn log(&self, is_database: bool) -> Box<dyn Log> {
        self.logs(is_database).create(&self.space, self.folder(), given::env()).expect("a log")
    }

    fn moving(&self, into_database: bool) -> Move {
        Move::between(&self.logs(!into_database), &self.logs(into_database), given::env()).expect("another place")
    }

    /// All of it at once.
    fn moved(&self, into_database: bool) -> Option<u64> {
        let moving = self.moving(into_database);
        let copied = moving.copy(&self.space, self.folder(), NO_ERASURES, &mut |_, _| {}).expect("copied")?;
        Some(moving.switch(&self.space, self.folder(), NO_ERASURES, &copied).expect("moved").seq)
    }

    fn texts(&self, is_database: bool) -> Vec<String> {
        let log = self.logs(is_database).open(&self.space, self.folder(), given::env());
        let log = log.expect("opens").expect("a log");
        all(&*log).iter().filter_map(|event| Some(event.secret.as_ref()?.body.clone())).collect()
    }
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn what_is_appended_or_erased_between_the_copy_and_the_switch_is_followed() {
    let stage = Stage::new();
    for into_database in [true, false] {
        let log = stage.log(!into_database);
        for n in 0..3 {
            log.append(batch(&[note(format_args!("first {into_database} {n}"))])).expect("appended");
        }
        let (before, erasures) = (log.tip().expect("a tip").seq, std::cell::Cell::new(0));
        let moving = stage.moving(into_database);
        let count: &dyn Fn() -> u64 = &|| erasures.get();
        let copied = moving.copy(&stage.space, stage.folder(), count, &mut |_, _| {}).expect("copied").expect("a log");
        assert_eq!(copied.tip.seq, before);
        log.append(batch(&[note(format_args!("later {into_database}"))])).expect("appended");
        log.erase(&[before].into()).expect("erased");
        erasures.set(1);
        let moved = moving.switch(&stage.space, stage.folder(), count, &copied).expect("moved");
        assert_eq!(moved.seq, before + 1);
        // Nobody appends where it was.
        assert!(log.append(batch(&[note("into the void")])).is_err());
        let texts = stage.texts(into_database).join(" ");
        assert!(
            texts.contains(&format!("later {into_database}")) && texts.contains(&format!("first {into_database} 1"))
        );
        assert!(!texts.contains(&format!("first {into_database} 2")) && !texts.contains("void"), "{texts}");
        assert_eq!(stage.moved(into_database), None, "there is nothing left to move");
    }
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn a_log_that_was_set_aside_is_removed_the_next_time() {
    let stage = Stage::new();
    stage.log(false).append(batch(&[note("one")])).expect("appended");
    assert_eq!(stage.moved(true), Some(1));
    // As if it had been stopped right after the database was complete.
    fs::write(stage.folder().join("log.db.moved"), "left").expect("written");
    fs::write(stage.folder().join("log.db-wal"), "left").expect("written");
    fs::remove_file(stage.folder().join("log.moved")).expect("removed");
    let elsewhere = stage.logs(false).open(&stage.space, stage.folder(), given::env()).err();
    assert!(matches!(elsewhere, Some(Error::Elsewhere { .. })), "{elsewhere:?}");
    assert_eq!(stage.moved(true), None);
    let left: Vec<_> =
        fs::read_dir(stage.folder()).expect("a folder").map(|e| e.expect("an entry").file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().starts_with("log.db")), "{left:?}");
    let told = stage.logs(false).create(&stage.space, stage.folder(), given::env()).err().expect("it is elsewhere");
    assert!(told.to_string().contains("127.0.0.1"), "{told}");
    assert_eq!(stage.texts(true).len(), 1);
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn a_copy_that_was_put_in_its_place_too_early_goes_on_from_there() {
    let stage = Stage::new();
    let log = stage.log(true);
    log.append(batch(&[note("one")])).expect("appended");
    let moving = stage.moving(false);
    let copied = moving.copy(&stage.space, stage.folder(), NO_ERASURES, &mut |_, _| {}).expect("copied");
    assert_eq!(copied.map(|copied| copied.tip.seq), Some(1));
    // As if the connection had been lost before the database gave the log up.
    for name in ["log.db", "log.db-wal"] {
        let _ = fs::rename(stage.folder().join("moving").join(name), stage.folder().join(name));
    }
    log.append(batch(&[note("two")])).expect("another machine appends");
    assert_eq!(stage.moved(false), Some(2));
    assert_eq!(stage.texts(false).len(), 2);
    // A log that is not a copy is not touched.
    let other = Stage::new();
    other.log(false).append(batch(&[note("mine")])).expect("appended");
    let away = other.folder().join("away");
    fs::create_dir(&away).expect("a folder");
    other
        .logs(true)
        .create(&other.space, &away, given::env())
        .expect("a log")
        .append(batch(&[note("theirs")]))
        .expect("appended");
    let refused = other.moving(false).copy(&other.space, other.folder(), NO_ERASURES, &mut |_, _| {});
    assert!(refused.is_err(), "{refused:?}");
    assert_eq!(other.texts(false).len(), 1);
}
