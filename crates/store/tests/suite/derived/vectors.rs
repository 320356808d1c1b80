//! The vector database with damage of every size: what comes out is what went in, or nothing.

use std::fs;

use idetic_search::InputHash;
use idetic_store::{Made, Vectors};
use rusqlite::{Connection, params};
use tempfile::TempDir;

use super::{PAGE_BYTES, copy, flip};
use crate::suite::given::{self, scrambled};

const MODEL: &str = "model@1";
const TEXTS: u64 = 300;

fn input(n: u64) -> InputHash {
    let mut input = InputHash::default();
    for (place, byte) in input.iter_mut().enumerate() {
        *byte = (scrambled(n * 64 + place as u64) & 0xff) as u8;
    }
    input
}

fn made(n: u64) -> Made {
    if n % 10 == 9 {
        return Made::Failed { tries: n as u32, why: format!("no answer to {n}") };
    }
    #[expect(clippy::cast_precision_loss, reason = "any numbers will do")]
    Made::Vectors(vec![(0..48).map(|place| scrambled(n * 48 + place) as f32).collect()])
}

fn inputs() -> Vec<InputHash> {
    (0..TEXTS).map(input).collect()
}

/// A folder with vectors that are all in the database file.
fn filled() -> TempDir {
    let folder = given::folder();
    let vectors = Vectors::open(folder.path());
    let rows: Vec<(InputHash, Made)> = (0..TEXTS).map(|n| (input(n), made(n))).collect();
    vectors.put(MODEL, &rows).expect("kept");
    vectors.leave_no_trace().expect("moved into the database");
    folder
}

/// What is there now; never anything but what was put there. Says how many are missing.
fn missing(vectors: &Vectors) -> usize {
    let found = vectors.get(MODEL, &inputs()).expect("repaired");
    for (n, found) in (0..TEXTS).zip(&found) {
        assert!(found.as_ref().is_none_or(|found| *found == made(n)), "text {n} has other vectors");
    }
    found.iter().filter(|found| found.is_none()).count()
}

#[test]
fn a_changed_bit_in_any_page_is_put_right_and_told() {
    let folder = filled();
    let file = folder.path().join("vectors.db");
    let pages = fs::metadata(&file).expect("a file").len() as usize / PAGE_BYTES;
    assert!(pages > 15, "{pages} pages");
    let kept = folder.path().join("kept");
    copy(folder.path(), &kept);
    let pristine = fs::read(&file).expect("a file");
    for page in 0..pages {
        copy(&kept, folder.path());
        let bit = page * PAGE_BYTES * 8 + (scrambled(page as u64) as usize) % (PAGE_BYTES * 8);
        flip(&file, bit);
        let vectors = Vectors::open(folder.path());
        assert!(vectors.check().is_err(), "bit {bit}");
        assert_eq!(missing(&vectors), 0, "bit {bit}");
        let told = vectors.repaired();
        assert!(told.len() == 1 && told[0].contains("nothing is lost"), "{told:?}");
        assert_eq!(fs::read(&file).expect("a file"), pristine);
        assert_eq!((vectors.check(), vectors.repaired(), vectors.was_salvaged()), (Ok(()), Vec::new(), Ok(false)));
    }
}

#[test]
fn what_a_lost_page_did_not_hold_is_kept() {
    let folder = filled();
    let file = folder.path().join("vectors.db");
    let kept = folder.path().join("kept");
    copy(folder.path(), &kept);
    let pages = fs::metadata(&file).expect("a file").len() as usize / PAGE_BYTES;
    let (mut some, mut all) = (0, 0);
    for page in 0..pages {
        copy(&kept, folder.path());
        let mut bytes = fs::read(&file).expect("a file");
        bytes[page * PAGE_BYTES..(page + 1) * PAGE_BYTES].fill(0x5a);
        fs::write(&file, bytes).expect("written");
        let vectors = Vectors::open(folder.path());
        let lost = missing(&vectors);
        assert_eq!(vectors.repaired().len(), 1, "page {page}");
        assert_eq!((vectors.check(), vectors.was_salvaged()), (Ok(()), Ok(true)), "page {page}");
        some += usize::from(lost < TEXTS as usize / 2);
        all += usize::from(lost == TEXTS as usize);
        vectors.settle().expect("settled");
        assert_eq!(vectors.was_salvaged(), Ok(false));
        vectors.put(MODEL, &[(input(1), made(1))]).expect("it can be written again");
    }
    assert!(some >= pages - 4 && all <= 4, "of {pages} pages {some} cost little and {all} everything");
}

#[test]
fn it_is_noticed_while_it_is_open_and_where_nothing_may_be_written() {
    let folder = filled();
    let file = folder.path().join("vectors.db");
    let bits = fs::metadata(&file).expect("a file").len() * 8;
    let vectors = Vectors::open(folder.path());
    for round in 0..10 {
        assert_eq!(missing(&vectors), 0);
        flip(&file, (scrambled(round) % bits) as usize);
        assert_eq!(missing(&vectors), 0);
        assert_eq!(vectors.repaired().len(), 1);
    }
    drop(vectors);
    // As if nothing could be written, whoever runs the test.
    let _ = fs::remove_file(folder.path().join("vectors.lock"));
    fs::create_dir(folder.path().join("vectors.lock")).expect("a folder in the way");
    assert_eq!(missing(&Vectors::open(folder.path())), 0);
    flip(&file, (scrambled(99) % bits) as usize);
    let before = fs::read(&file).expect("a file");
    assert!(Vectors::open(folder.path()).get(MODEL, &inputs()).is_err());
    assert_eq!(fs::read(&file).expect("a file"), before);
}

#[test]
fn vectors_of_a_time_before_sums_are_kept_and_get_theirs() {
    let folder = given::folder();
    let file = folder.path().join("vectors.db");
    let old = Connection::open(&file).expect("a database");
    old.execute_batch(
        "PRAGMA journal_mode = WAL;
         CREATE TABLE vectors (model TEXT NOT NULL, input BLOB NOT NULL, dimensions INTEGER NOT NULL, passages BLOB NOT NULL,
             PRIMARY KEY (model, input)) WITHOUT ROWID;
         CREATE TABLE failures (model TEXT NOT NULL, input BLOB NOT NULL, tries INTEGER NOT NULL, why TEXT NOT NULL,
             PRIMARY KEY (model, input)) WITHOUT ROWID;",
    )
    .expect("the tables as they were");
    for n in 0..TEXTS {
        let input = input(n);
        match made(n) {
            Made::Vectors(passages) => {
                let bytes: Vec<u8> = passages.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
                let row = params![MODEL, input.as_slice(), passages[0].len(), bytes];
                old.execute("INSERT INTO vectors VALUES (?1, ?2, ?3, ?4)", row).expect("a row");
            }
            Made::Failed { tries, why } => {
                let row = params![MODEL, input.as_slice(), tries, why];
                old.execute("INSERT INTO failures VALUES (?1, ?2, ?3, ?4)", row).expect("a row");
            }
        }
    }
    drop(old);
    let vectors = Vectors::open(folder.path());
    assert_eq!((missing(&vectors), vectors.repaired()), (0, Vec::new()));
    assert_eq!(vectors.failed(MODEL).map(|failed| failed.len() as u64), Ok(TEXTS / 10));
    vectors.leave_no_trace().expect("moved into the database");
    drop(vectors);
    flip(&file, 8 * 9000);
    let vectors = Vectors::open(folder.path());
    assert_eq!((missing(&vectors), vectors.repaired().len()), (0, 1));
}

#[test]
fn vectors_that_somebody_else_adds_are_found_at_once() {
    let folder = given::folder();
    let (reader, writer) = (Vectors::open(folder.path()), Vectors::open(folder.path()));
    reader.put(MODEL, &[(input(0), made(0))]).expect("kept");
    assert_eq!(missing(&reader), TEXTS as usize - 1);
    assert_eq!(missing(&reader), TEXTS as usize - 1, "those that are known to be missing still are");
    writer.put(MODEL, &[(input(1), made(1))]).expect("kept");
    assert_eq!(missing(&reader), TEXTS as usize - 2, "by another process");
    reader.put(MODEL, &[(input(2), made(2))]).expect("kept");
    assert_eq!(missing(&reader), TEXTS as usize - 3, "by itself");
    reader.remove(&[input(2)]).expect("removed");
    assert_eq!(missing(&reader), TEXTS as usize - 2);
    assert_eq!(missing(&writer), TEXTS as usize - 2);
}
