//! Archive files of a log and backups: damaged ones are noticed, whatever the damage.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use idetic_core::{Stored, Time};
use idetic_store::{Batch, Env, Log, NewEvent, Options, SqliteLog};
use serde_json::json;

use crate::home::{FOREIGN, Home, OWN};
use crate::patch::damaged;
use crate::scratch;

/// Events of the log that is archived.
const EVENTS: u64 = 6;

/// A log with an archive file.
struct Archived {
    folder: PathBuf,
    events: Vec<Stored>,
    file: PathBuf,
    /// The file as it was written, and what is compressed in it.
    packed: Vec<u8>,
    plain: Vec<u8>,
}

fn env() -> Env {
    let count = AtomicU8::new(1);
    Env::new(|| Time(1_700_000_000_000_000), move |bytes| bytes.fill(count.fetch_add(1, Ordering::Relaxed)))
}

fn open(folder: &Path) -> SqliteLog {
    SqliteLog::open(folder, env(), &Options::default()).expect("the log opens").expect("it is there")
}

static ARCHIVED: LazyLock<Mutex<Archived>> = LazyLock::new(|| {
    let folder = scratch::folder("archive");
    let log = SqliteLog::create(&folder, env(), &Options::default()).expect("a log");
    for number in 1..=EVENTS {
        let body = json!({"kind": "user_input", "content": format!("number {number}")}).to_string();
        let event = NewEvent { id: None, kind: "user_input".to_owned(), body, undated: false };
        log.append(Batch { events: vec![event], expect: None }).expect("an event");
    }
    log.archive(EVENTS - 1, &mut |_| {}).expect("archived");
    let name = log.archives().expect("archives")[0].file.clone();
    let file = folder.join("archive").join(Path::new(&name).file_name().expect("a name"));
    let events = log.read(1, usize::try_from(EVENTS).expect("small")).expect("every event");
    let packed = std::fs::read(&file).expect("the file");
    let plain = unpacked(&packed);
    Mutex::new(Archived { folder, events, file, packed, plain })
});

fn unpacked(packed: &[u8]) -> Vec<u8> {
    let mut plain = Vec::new();
    std::io::copy(&mut GzDecoder::new(packed), &mut plain).expect("what was packed");
    plain
}

fn packed(plain: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(plain).expect("memory takes it");
    packed.finish().expect("memory takes it")
}

/// Damage to the file, or to what is compressed in it: the first byte says which.
fn spoilt(whole_packed: &[u8], whole_plain: &[u8], data: &[u8]) -> Vec<u8> {
    match data.split_first() {
        Some((choice, rest)) if choice % 2 == 1 => packed(&damaged(whole_plain, rest)),
        Some((_, rest)) => damaged(whole_packed, rest),
        None => whole_packed.to_vec(),
    }
}

/// Events that are read from a damaged archive are those that were written, or there is an error.
pub fn archive_file(data: &[u8]) {
    let archived = ARCHIVED.lock().unwrap_or_else(PoisonError::into_inner);
    std::fs::write(&archived.file, spoilt(&archived.packed, &archived.plain, data)).expect("it can be written");
    let log = open(&archived.folder);
    for from in [1, EVENTS - 1] {
        if let Ok(events) = log.read(from, usize::try_from(EVENTS).expect("small")) {
            let begin = usize::try_from(from - 1).expect("small");
            assert_eq!(events, archived.events[begin..], "what is read is what was written");
        }
    }
    let _ = (log.tip().expect("the end of the log is not archived"), log.check_storage());
}

/// A home, its backup and where a damaged one is put.
struct Backed {
    home: Home,
    packed: Vec<u8>,
    plain: Vec<u8>,
    file: PathBuf,
    head: String,
}

static BACKED: LazyLock<Mutex<Backed>> = LazyLock::new(|| {
    let home = Home::new();
    let folder = scratch::folder("backup");
    let whole = folder.join("whole.gz");
    home.operate("backup", OWN, &json!({"file": whole})).expect("a backup");
    let packed = std::fs::read(&whole).expect("the backup");
    let (plain, head) = (unpacked(&packed), head(&home, OWN));
    Mutex::new(Backed { home, packed, plain, file: folder.join("damaged.gz"), head })
});

fn head(home: &Home, space: &str) -> String {
    home.operate("status", space, &json!({})).expect("the status")[0]["head"].to_string()
}

/// A damaged backup is refused and leaves the log as it was; one that is taken gives the log that was backed up.
pub fn backup_file(data: &[u8]) {
    let backed = BACKED.lock().unwrap_or_else(PoisonError::into_inner);
    std::fs::write(&backed.file, spoilt(&backed.packed, &backed.plain, data)).expect("it can be written");
    let before = head(&backed.home, FOREIGN);
    let arguments = json!({"file": backed.file});
    let restored = backed.home.operate("restore", OWN, &arguments);
    assert_eq!(head(&backed.home, OWN), backed.head, "{restored:?}");
    // Another log is not replaced unless that is asked for.
    backed.home.operate("restore", FOREIGN, &arguments).expect_err("another space's");
    assert_eq!(head(&backed.home, FOREIGN), before);
}
