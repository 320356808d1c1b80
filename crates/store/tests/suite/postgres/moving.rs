//! A move that was stopped between its steps.

use std::fs;
use std::path::Path;

use idetic_core::SpaceName;
use idetic_store::{Error, Log, LogSettings, Logs, Move};

use super::cluster::Cluster;
use crate::suite::given::{self, all, batch, note};

const NOTHING: &dyn Fn() -> idetic_store::Result<()> = &|| Ok(());

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
        Logs::at(&LogSettings::of(&url)).expect("logs")
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
        let copied = moving.copy(&self.space, self.folder(), &mut |_, _| {}).expect("copied")?;
        Some(moving.switch(&self.space, self.folder(), &copied, NOTHING).expect("moved").seq)
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
        let before = log.tip().expect("a tip").seq;
        let moving = stage.moving(into_database);
        let copied = moving.copy(&stage.space, stage.folder(), &mut |_, _| {}).expect("copied").expect("a log");
        assert_eq!(copied.tip.seq, before);
        log.append(batch(&[note(format_args!("later {into_database}"))])).expect("appended");
        log.erase(&[before].into()).expect("erased");
        let refused = || Err(Error::Unavailable("not now".to_owned()));
        assert!(moving.switch(&stage.space, stage.folder(), &copied, &refused).is_err());
        let moved = moving.switch(&stage.space, stage.folder(), &copied, NOTHING).expect("moved");
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
fn a_log_that_was_given_up_is_in_the_database_the_next_time_and_in_no_place_before() {
    let stage = Stage::new();
    let log = stage.log(false);
    log.append(batch(&[note("one")])).expect("appended");
    let moving = stage.moving(true);
    moving.copy(&stage.space, stage.folder(), &mut |_, _| {}).expect("copied").expect("a log");
    // Nobody else sees a copy, or adds to it.
    let elsewhere = given::folder();
    let there = |logs: &Logs| logs.open(&stage.space, elsewhere.path(), given::env()).map(|log| log.is_some());
    let begun = stage.logs(true).create(&stage.space, elsewhere.path(), given::env()).err().expect("it is a copy");
    assert!(begun.to_string().contains("is being moved"), "{begun}");
    assert!(there(&stage.logs(true)).is_err());
    assert_eq!(stage.logs(true).spaces().expect("a list"), Some(Vec::new()));
    // As if it had been stopped right after the log was given up in its folder.
    log.append(batch(&[note("two")])).expect("appended");
    assert_eq!(
        moving.copy(&stage.space, stage.folder(), &mut |_, _| {}).expect("copied").map(|it| it.tip.seq),
        Some(2)
    );
    fs::rename(stage.folder().join("log.db"), stage.folder().join("log.db.moved")).expect("renamed");
    let refused = stage.logs(false).open(&stage.space, stage.folder(), given::env()).err();
    assert!(matches!(refused, Some(Error::Elsewhere { .. })), "{refused:?}");
    assert!(log.append(batch(&[note("into the void")])).is_err());
    assert!(there(&stage.logs(true)).is_err());
    assert!(moving.cancel(&stage.space, stage.folder()).is_err(), "the folder has no log to go on with");
    assert_eq!(stage.moved(true), None);
    let left: Vec<_> =
        fs::read_dir(stage.folder()).expect("a folder").map(|e| e.expect("an entry").file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().starts_with("log.db")), "{left:?}");
    let told = stage.logs(false).create(&stage.space, stage.folder(), given::env()).err().expect("it is elsewhere");
    assert!(told.to_string().contains("127.0.0.1"), "{told}");
    assert_eq!(stage.texts(true).len(), 2);
    // Whoever read a log of this name before reads this one anew.
    let log = stage.logs(true).open(&stage.space, stage.folder(), given::env()).expect("opens").expect("a log");
    assert!(log.tip_and_mark().expect("a tip").1 > 0);
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn a_database_that_lost_the_copy_costs_no_event() {
    let stage = Stage::new();
    stage.log(false).append(batch(&[note("one"), note("two")])).expect("appended");
    let moving = stage.moving(true);
    moving.copy(&stage.space, stage.folder(), &mut |_, _| {}).expect("copied").expect("a log");
    fs::rename(stage.folder().join("log.db"), stage.folder().join("log.db.moved")).expect("renamed");
    // A standby that had not heard of it took over.
    stage.cluster.sql("DELETE FROM idetic.events; DELETE FROM idetic.keys; DELETE FROM idetic.spaces");
    let refused = moving.copy(&stage.space, stage.folder(), &mut |_, _| {}).err();
    assert!(matches!(refused, Some(Error::Shortened { have: 0, had: 2 })), "{refused:?}");
    fs::rename(stage.folder().join("log.db.moved"), stage.folder().join("log.db")).expect("renamed");
    assert_eq!(stage.texts(false).len(), 2);
    assert_eq!(stage.moved(true), Some(2));
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn a_move_that_is_refused_changes_nothing_there_and_one_that_is_cancelled_leaves_nothing() {
    let stage = Stage::new();
    let (mine, theirs) = (stage.log(false), given::folder());
    let there = stage.logs(true).create(&stage.space, theirs.path(), given::env()).expect("a log");
    for n in 0..3 {
        mine.append(batch(&[note(format_args!("mine {n}"))])).expect("appended");
        there.append(batch(&[note(format_args!("theirs {n}"))])).expect("appended");
    }
    mine.erase(&[1, 2].into()).expect("erased");
    let moving = stage.moving(true);
    let refused = moving.copy(&stage.space, stage.folder(), &mut |_, _| {}).err();
    assert!(matches!(refused, Some(Error::Conflict(_))), "{refused:?}");
    assert_eq!(all(&*there).iter().filter(|event| event.secret.is_some()).count(), 3, "nothing was erased there");
    let other = Stage { space: SpaceName::parse("ann/other").expect("a name"), ..stage };
    let moving = other.moving(true);
    moving.copy(&other.space, other.folder(), &mut |_, _| {}).expect("copied").expect("a log");
    assert_eq!(other.cluster.sql("SELECT count(*) FROM idetic.spaces"), "2");
    moving.cancel(&other.space, other.folder()).expect("cancelled");
    assert_eq!(other.cluster.sql("SELECT count(*) FROM idetic.spaces"), "1");
    assert!(!other.folder().join("moving").exists());
    let kept = other.texts(false).join(" ");
    assert!(kept.contains("mine 2") && !kept.contains("mine 1"), "{kept}");
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn a_copy_that_was_put_in_its_place_too_early_goes_on_from_there() {
    let stage = Stage::new();
    let log = stage.log(true);
    log.append(batch(&[note("one")])).expect("appended");
    let moving = stage.moving(false);
    let copied = moving.copy(&stage.space, stage.folder(), &mut |_, _| {}).expect("copied");
    assert_eq!(copied.as_ref().map(|copied| copied.tip.seq), Some(1));
    fs::write(stage.folder().join("log.db-wal"), "of times before").expect("written");
    // The database refuses to give the log up, after the copy was put in its place. A note says that it has it still.
    stage.cluster.sql(
        "CREATE FUNCTION stay() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''not now''; END'; \
         CREATE TRIGGER stay BEFORE DELETE ON idetic.spaces FOR EACH ROW EXECUTE FUNCTION stay()",
    );
    let copied = copied.expect("a copy");
    assert!(moving.switch(&stage.space, stage.folder(), &copied, NOTHING).is_err());
    assert!(stage.folder().join("log.db").exists() && stage.folder().join("log.moved").exists());
    assert!(stage.logs(false).open(&stage.space, stage.folder(), given::env()).is_err(), "it is no log yet");
    assert_eq!(stage.texts(true).len(), 1, "it is still there");
    stage.cluster.sql("DROP TRIGGER stay ON idetic.spaces");
    log.append(batch(&[note("two")])).expect("another machine appends");
    assert_eq!(stage.moved(false), Some(2));
    assert_eq!(stage.texts(false).len(), 2);
    assert!(stage.moving(false).is_done(stage.folder()));
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
    let refused = other.moving(false).copy(&other.space, other.folder(), &mut |_, _| {});
    assert!(refused.is_err(), "{refused:?}");
    assert_eq!(other.texts(false).len(), 1);
}
