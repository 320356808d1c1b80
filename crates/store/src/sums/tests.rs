//! A checkpoint that is cut off at any moment leaves sums that fit, and hides no damage.

use std::fs;
use std::path::PathBuf;

use rusqlite::Connection;
use tempfile::TempDir;

use super::table::Table;
use super::wal::Wal;
use super::{Found, PAGE_BYTES, Sums};
use crate::{Error, database};

/// A database with two states: one that is in its file, and a later one that is in its write-ahead log.
struct Stage {
    folder: TempDir,
    before: Vec<u8>,
    after: Vec<u8>,
    wal: Vec<u8>,
    sums: Table,
}

impl Stage {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("some.db");
        let sums = Sums::of(&file);
        let mut connection = Connection::open(&file).expect("a database");
        sums.attach(&mut connection).expect("attached");
        database::enter_wal(&connection).expect("WAL mode");
        sums.begin().expect("summed");
        let fill = "INSERT INTO t SELECT value, hex(randomblob(900)) FROM generate";
        let make = "CREATE TABLE t (n INTEGER PRIMARY KEY, text TEXT);
             CREATE TEMP TABLE generate AS WITH RECURSIVE c(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM c LIMIT 60)
             SELECT value FROM c;";
        connection.execute_batch(&format!("{make} {fill}")).expect("filled");
        assert!(!sums.checkpoint_all(&connection).expect("moved"), "nobody is in the way");
        let before = fs::read(&file).expect("a file");
        connection.execute_batch("UPDATE t SET text = hex(randomblob(900)) WHERE n % 3 = 0").expect("changed");
        let wal = fs::read(folder.path().join("some.db-wal")).expect("a write-ahead log");
        let table = Table::read(&folder.path().join("some.db-sums")).expect("whole").expect("there");
        assert!(sums.checkpoint(&connection).expect("moved"));
        let after = fs::read(&file).expect("a file");
        assert_ne!(before, after);
        drop(connection);
        Self { folder, before, after, wal, sums: table }
    }

    fn file(&self, suffix: &str) -> PathBuf {
        self.folder.path().join(format!("some.db{suffix}"))
    }

    /// Puts everything as it is when a process ends within a checkpoint, with these bytes in the database.
    fn cut_off(&self, bytes: &[u8], wal: &[u8]) -> Sums {
        let _ = fs::remove_file(self.file("-shm"));
        fs::write(self.file("-wal"), &self.wal).expect("written");
        let whole = Wal::read(&self.file("-wal")).expect("read").expect("there");
        let mut table = self.sums.clone();
        (table.head.salt, table.head.frames) = (whole.salt, whole.frames);
        table.in_flux.clone_from(&whole.pages);
        table.write(&self.file("-sums"), &self.file("-sums.unfinished")).expect("written");
        fs::write(self.file(""), bytes).expect("written");
        fs::write(self.file("-wal"), wal).expect("written");
        Sums::of(&self.file(""))
    }

    /// The first pages of the later state, the rest of the earlier one.
    fn mixed(&self, pages: usize) -> Vec<u8> {
        let end = (pages * PAGE_BYTES).min(self.before.len());
        [&self.after[..end], &self.before[end..]].concat()
    }
}

#[test]
fn a_checkpoint_cut_off_anywhere_leaves_a_sound_database() {
    let stage = Stage::new();
    let pages = stage.before.len() / PAGE_BYTES;
    assert!(pages > 20, "{pages} pages");
    for moved in 0..=pages {
        let sums = stage.cut_off(&stage.mixed(moved), &stage.wal);
        assert_eq!(sums.check(), Ok(Found::Sound), "after {moved} pages");
        assert!(!sums.is_settled().expect("read"));
        // Whoever comes next ends it.
        let mut connection = Connection::open(stage.file("")).expect("a database");
        sums.attach(&mut connection).expect("attached");
        assert!(!sums.checkpoint_all(&connection).expect("moved"));
        assert_eq!((sums.check(), sums.check_pages(), sums.is_settled()), (Ok(Found::Sound), Ok(()), Ok(true)));
        assert_eq!(fs::read(stage.file("")).expect("a file"), stage.after);
    }
}

#[test]
fn a_page_torn_within_a_checkpoint_is_read_from_the_write_ahead_log() {
    let stage = Stage::new();
    let changed = (0..stage.before.len() / PAGE_BYTES)
        .find(|page| {
            let range = page * PAGE_BYTES..(page + 1) * PAGE_BYTES;
            stage.before[range.clone()] != stage.after[range]
        })
        .expect("something changed");
    let mut torn = stage.mixed(changed + 1);
    torn[changed * PAGE_BYTES + 512..(changed + 1) * PAGE_BYTES].fill(0);
    assert_eq!(stage.cut_off(&torn, &stage.wal).check(), Ok(Found::Sound));
    // Without the write-ahead log nothing would say what it should be.
    assert!(matches!(stage.cut_off(&torn, &[]).check(), Err(Error::Corrupt(_))));
}

#[test]
fn damage_to_what_a_checkpoint_does_not_touch_is_damage() {
    let stage = Stage::new();
    let whole = {
        fs::write(stage.file("-wal"), &stage.wal).expect("written");
        Wal::read(&stage.file("-wal")).expect("read").expect("there")
    };
    let mut told = 0;
    for page in 0..stage.before.len() / PAGE_BYTES {
        let mut bytes = stage.before.clone();
        bytes[page * PAGE_BYTES + 77] ^= 8;
        let is_read_elsewhere = u32::try_from(page + 1).is_ok_and(|number| whole.pages.contains_key(&number));
        let checked = stage.cut_off(&bytes, &stage.wal).check();
        assert_eq!(checked.is_ok(), is_read_elsewhere, "page {page}: {checked:?}");
        told += usize::from(checked.is_err());
    }
    assert!(told > 5, "{told} pages were told");
}
