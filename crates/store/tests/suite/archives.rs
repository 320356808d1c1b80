//! Archives: the beginning of a log in files beside it answers as it did in the database, whatever happens on the way.
#![expect(clippy::print_stderr, reason = "a campaign says how many lives it has led")]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use idetic_core::record::IdKey;
use idetic_store::{Conflict, Error, Log, Options, SimulatedDisk, SqliteLog};

use super::disk::{Fault, SimDisk};
use super::given::{self, all, batch, event, lines, log_in, note, note_with_id};

/// So many events, every third with an id.
fn filled(folder: &Path, events: usize) -> SqliteLog {
    let log = log_in(folder);
    let body = |n: usize| if n.is_multiple_of(3) { note_with_id(n, format_args!("text {n}")) } else { note(n) };
    (1..=events).collect::<Vec<_>>().chunks(500).for_each(|part| {
        log.append(batch(&part.iter().map(|n| body(*n)).collect::<Vec<_>>())).expect("appended");
    });
    log
}

fn reopened(folder: &Path) -> SqliteLog {
    SqliteLog::open(folder, given::sources_from(9), &Options::default()).expect("opens").expect("a log")
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder.join("archive")).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    files.sort();
    files
}

fn key_of(body: &str) -> IdKey {
    event(body).id.expect("an id").1
}

#[test]
fn what_is_archived_is_read_found_and_recognised_as_before() {
    let folder = given::folder();
    let log = filled(folder.path(), 3000);
    let (before, tip) = (all(&log), log.tip().expect("a tip"));
    let mut heard = Vec::new();
    assert_eq!(log.archive(2500, &mut |seq| heard.push(seq)), Ok(2500));
    assert_eq!(heard, [1024, 2048, 2500]);
    for log in [log, reopened(folder.path())] {
        assert_eq!((all(&log), log.tip()), (before.clone(), Ok(tip)));
        for from in [1, 2, 1023, 1024, 1025, 2047, 2048, 2049, 2499, 2500, 2501, 3000] {
            for limit in [1, 2, 3, 1500] {
                let end = (from + limit - 1).min(3000);
                assert_eq!(log.read(from as u64, limit), Ok(before[from - 1..end].to_vec()), "{limit} from {from}");
            }
        }
        assert_eq!(log.read(3001, 5), Ok(Vec::new()));
        for n in [3, 999, 2499, 2502] {
            let known = note_with_id(n, format_args!("text {n}"));
            assert_eq!(log.find(key_of(&known)), Ok(Some(n)));
            let again = log.append(batch(&[known])).expect("a retry is acknowledged");
            assert_eq!(again[0].seq, n);
            let other = log.append(batch(&[note_with_id(n, "something else")]));
            assert_eq!(other, Err(Error::Conflict(Conflict::IdTaken { id: n.to_string(), seq: n })));
        }
        assert_eq!(log.graft(&before[..2600]), Ok((tip, 0)), "events that are here are passed over");
        let mut altered = before[10].clone();
        altered.hash.0[0] ^= 1;
        assert_eq!(log.graft(&[altered]), Err(Error::Conflict(Conflict::Diverged { seq: 11 })));
        assert_eq!(log.check_storage(), Ok(Vec::new()));
    }
    let log = reopened(folder.path());
    let acks = log.append(batch(&[note_with_id("new", "new")])).expect("appended");
    assert_eq!(acks[0].seq, 3001);
    assert_eq!(log.archive(u64::MAX, &mut |_| {}), Ok(500), "the last event stays");
    assert_eq!(log.archive(u64::MAX, &mut |_| {}), Ok(0));
    assert_eq!(lines(&all(&log))[..3000], lines(&before)[..]);
    let archives = log.archives().expect("archives");
    let ranges: Vec<_> = archives.iter().map(|a| (a.first, a.last, a.erased)).collect();
    assert_eq!(ranges, [(1, 1024, 0), (1025, 2048, 0), (2049, 2500, 0), (2501, 3000, 0)]);
    assert!(archives.iter().all(|a| a.bytes > 0 && folder.path().join(&a.file).is_file()));
}

#[test]
fn a_log_without_archives_stays_as_it_was() {
    let folder = given::folder();
    let log = filled(folder.path(), 1);
    assert_eq!(log.archive(1, &mut |_| {}), Ok(0));
    assert_eq!(log.archives(), Ok(Vec::new()));
    drop(log);
    let raw = rusqlite::Connection::open(folder.path().join("log.db")).expect("opens");
    let version: i32 = raw.query_row("PRAGMA user_version", [], |row| row.get(0)).expect("a version");
    assert_eq!((version, files(folder.path()).len()), (1, 0), "older programs still read it");
}

#[test]
fn what_a_killed_process_left_behind_is_cleared_up_and_nothing_else() {
    let folder = given::folder();
    let log = filled(folder.path(), 100);
    let before = lines(&all(&log));
    // A file that was written and renamed, but not recorded: made by a twin of this log.
    let twin = given::folder();
    for name in ["log.db", "log.db-wal", "head"] {
        let _ = fs::copy(folder.path().join(name), twin.path().join(name));
    }
    reopened(twin.path()).archive(50, &mut |_| {}).expect("archived");
    let orphan = files(twin.path()).remove(0);
    let place = folder.path().join("archive");
    fs::create_dir(&place).expect("a folder");
    fs::copy(&orphan, place.join(orphan.file_name().expect("a name"))).expect("copied");
    fs::write(place.join("0000000001-0000000090-00.events.gz.tmp"), "half").expect("written");
    // Of another log, and of somebody else.
    let other = given::folder();
    let stranger = SqliteLog::create(other.path(), given::sources_from(77), &Options::default()).expect("a log");
    (0..9).for_each(|n| drop(stranger.append(batch(&[note(n)])).expect("appended")));
    stranger.archive(5, &mut |_| {}).expect("archived");
    let foreign = files(other.path()).remove(0);
    fs::copy(&foreign, place.join(foreign.file_name().expect("a name"))).expect("copied");
    fs::write(place.join("notes.txt"), "mine").expect("written");
    assert_eq!(lines(&all(&log)), before, "nothing of it counts");
    assert_eq!(log.archive(80, &mut |_| {}), Ok(80));
    let names: Vec<String> =
        files(folder.path()).iter().map(|f| f.file_name().unwrap_or_default().to_string_lossy().into_owned()).collect();
    assert_eq!(names.len(), 3, "{names:?}");
    assert!(
        names.iter().any(|name| name.starts_with("0000000001-0000000080")) && names.contains(&"notes.txt".to_owned())
    );
    assert_eq!(lines(&all(&log)), before);
}

#[test]
fn erased_archives_leave_the_chain_and_not_a_word() {
    let folder = given::folder();
    let log = log_in(folder.path());
    let body = |n: usize| note_with_id(n, format_args!("whisper-{n} {}", "padding ".repeat(40)));
    log.append(batch(&(1..=2000).map(body).collect::<Vec<_>>())).expect("appended");
    let before = all(&log);
    assert_eq!(log.archive(1500, &mut |_| {}), Ok(1500));
    assert_eq!(log.erase_archived(1200, &|seq| seq == 7), Ok(1199));
    let after = all(&log);
    for (was, is) in before.iter().zip(&after) {
        let seq = is.header.seq;
        assert_eq!((&was.header, was.hash), (&is.header, is.hash));
        assert_eq!(is.secret.is_some(), seq == 7 || seq > 1200, "{seq}");
    }
    assert_eq!(log.check_storage(), Ok(Vec::new()));
    assert_eq!(log.archives().expect("archives").iter().map(|a| a.erased).sum::<u64>(), 1199);
    assert_eq!(log.find(key_of(&body(3))), Ok(Some(3)), "an id stays taken");
    assert!(matches!(log.append(batch(&[body(3)])), Err(Error::Conflict(_))), "of what is gone nobody can tell");
    assert_eq!(log.append(batch(&[body(7)])).expect("known").len(), 1);
    assert_eq!(log.erase_archived(1200, &|seq| seq == 7), Ok(0));
    drop(log);
    let mut everything = Vec::new();
    for file in files(folder.path()) {
        let mut text = String::new();
        let packed = fs::read(file).expect("a file");
        std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(&packed[..]), &mut text).expect("gzip");
        everything.extend(text.into_bytes());
    }
    for name in ["log.db", "log.db-wal"] {
        everything.extend(fs::read(folder.path().join(name)).unwrap_or_default());
    }
    let says = |word: &str| everything.windows(word.len()).any(|part| part == word.as_bytes());
    assert!(says("whisper-7 ") && says("whisper-1201 ") && says("whisper-1999 "));
    for n in [1, 6, 8, 500, 1024, 1025, 1200] {
        assert!(!says(&format!("whisper-{n} ")), "event {n} can still be read somewhere");
    }
}

#[test]
fn a_log_that_is_replaced_gives_its_archives_up() {
    let folder = given::folder();
    let log = filled(folder.path(), 60);
    let events = all(&log);
    log.archive(40, &mut |_| {}).expect("archived");
    log.replace(None, &mut events[..50].iter().cloned().map(Ok)).expect("replaced");
    assert_eq!((all(&log), files(folder.path()).len()), (events[..50].to_vec(), 0));
    assert_eq!(log.find(key_of(&note_with_id(3, "text 3"))), Ok(Some(3)));
    assert_eq!(log.archive(40, &mut |_| {}), Ok(40));
    assert_eq!(all(&log), events[..50]);
}

#[test]
fn every_damaged_byte_of_an_archive_is_harmless_or_named_and_always_reported() {
    let folder = given::folder();
    let log = filled(folder.path(), 40);
    let before = all(&log);
    log.archive(30, &mut |_| {}).expect("archived");
    drop(log);
    let file = files(folder.path()).remove(0);
    let whole = fs::read(&file).expect("a file");
    let (mut harmless, mut named) = (0, 0);
    let flips = (0..whole.len()).map(|at| {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at % 8);
        bytes
    });
    let cuts = (0..whole.len()).step_by(7).map(|at| whole[..at].to_vec());
    for bytes in flips.chain(cuts) {
        fs::write(&file, &bytes).expect("written");
        let log = reopened(folder.path());
        match log.read(1, usize::MAX) {
            Ok(events) => {
                assert_eq!(events, before);
                harmless += 1;
            }
            Err(Error::Damaged { seq: seq @ 1..=30, .. }) => {
                named += 1;
                let good = usize::try_from(seq - 1).expect("small");
                assert_eq!(log.read(1, good).expect("what comes before is read"), before[..good]);
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(log.read(31, 10).expect("what is not archived is read"), before[30..]);
        assert_eq!(log.check_storage().map(|problems| problems.len()), Ok(1), "it is always reported");
    }
    fs::remove_file(&file).expect("removed");
    let log = reopened(folder.path());
    assert!(matches!(log.read(5, 1), Err(Error::Damaged { seq: 5 | 1, .. })));
    assert!(log.check_storage().expect("checked")[0].message.contains("is missing"));
    log.append(batch(&[note("next")])).expect("appending goes on");
    eprintln!(
        "figure: damage, an archive file: {} bytes and lengths: {harmless} harmless, {named} named",
        harmless + named
    );
}

/// Archived or not, all is there, however the disk under the database fails; and a second run finishes the work.
#[test]
fn a_fault_while_archiving_or_erasing_loses_nothing() {
    let disk = SimDisk::new(1).expect("a disk");
    let mut trials = 0;
    for fault in [Fault::Crash, Fault::Eio, Fault::Enospc, Fault::ShortWrite, Fault::SyncFails] {
        for power_loss in [None, Some(1), Some(2), Some(3)] {
            for operation in 1.. {
                disk.format(operation);
                let folder = given::folder();
                let simulated = SimulatedDisk { vfs: disk.name().to_owned(), checkpoint_commits: 3 };
                let options = Options { disk: Some(simulated) };
                let log = SqliteLog::create(folder.path(), given::env(), &options).expect("a log");
                for part in 0..6 {
                    let bodies: Vec<String> = (0..5).map(|n| note_with_id(part * 5 + n, n)).collect();
                    log.append(batch(&bodies)).expect("appended");
                }
                let before = all(&log);
                disk.fail_at(disk.operations() + operation, fault);
                let outcome = log.archive(20, &mut |_| {}).and_then(|_| log.archive(25, &mut |_| {}));
                let struck = disk.clear_faults() == 0;
                match power_loss {
                    Some(seed) => disk.crash(seed),
                    None => disk.kill(),
                }
                drop(log);
                let label = format!("{fault:?} at {operation}, power loss {power_loss:?}, {outcome:?}");
                let log =
                    SqliteLog::open(folder.path(), given::sources_from(2), &options).expect(&label).expect(&label);
                assert_eq!(log.read(1, usize::MAX).as_ref(), Ok(&before), "{label}");
                assert_eq!(log.archive(25, &mut |_| {}).map(|_| ()), Ok(()), "{label}");
                assert_eq!(log.read(1, usize::MAX).as_ref(), Ok(&before), "{label}");
                assert_eq!(log.archives().map(|a| a.last().map(|a| a.last)), Ok(Some(25)), "{label}");
                assert_eq!(files(folder.path()).len(), log.archives().expect("archives").len(), "{label}");
                assert_eq!(log.append(batch(&[note_with_id(3, 3)])).expect(&label)[0].seq, 4, "{label}");
                trials += 1;
                if !struck {
                    break;
                }
            }
        }
    }
    eprintln!("figure: simulated disk, a log archived under faults: {trials} trials, 0 failed");
}

#[test]
fn archived_events_cost_little() {
    let folder = given::folder();
    let log = log_in(folder.path());
    let text = "The quick brown fox jumps over the lazy dog; ".repeat(8);
    for part in 0..20 {
        let bodies: Vec<String> = (0..1000).map(|n| note(format_args!("{part} {n} {text}"))).collect();
        log.append(batch(&bodies)).expect("appended");
    }
    drop(log);
    let size = |name: &str| fs::metadata(folder.path().join(name)).map_or(0, |data| data.len());
    let log = reopened(folder.path());
    let whole = size("log.db") + size("log.db-wal");
    let timed = |work: &dyn Fn()| {
        let start = Instant::now();
        work();
        start.elapsed()
    };
    let read_all = || drop((0..20).map(|page| log.read(page * 1000 + 1, 1000).expect("reads")).collect::<Vec<_>>());
    let plain = timed(&read_all);
    let moving = timed(&|| assert_eq!(log.archive(19_000, &mut |_| {}), Ok(19_000)));
    let archived = timed(&read_all);
    let one = timed(&|| drop(log.read(5000, 1).expect("reads")));
    let (rest, packed) =
        (size("log.db") + size("log.db-wal"), log.archives().expect("archives").iter().map(|a| a.bytes).sum::<u64>());
    eprintln!(
        "figure: archiving 19000 of 20000 events: {moving:.0?}; {whole} bytes become {rest} and {packed} in archives; reading \
         all {plain:.0?} before, {archived:.0?} after; one archived event {one:.1?}"
    );
    assert!(rest + packed < whole && rest < whole / 5, "{whole} {rest} {packed}");
    assert!(one.as_millis() < 500, "{one:?}");
}
