//! Erasing: not a byte is left in any file of the log, and however the disk fails meanwhile, a second run finishes.
#![expect(clippy::print_stderr, reason = "a campaign says how many lives it has led")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use idetic_store::{Log, Options, SimulatedDisk, SqliteLog};

use super::disk::{Fault, SimDisk};
use super::given::{self, all, batch, log_in, note, note_with_id};

/// Every byte of every file below a folder, what is packed unpacked.
fn everything(folder: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            bytes.extend(everything(&path));
            continue;
        }
        let own = fs::read(&path).expect("a file");
        let _ = std::io::Read::read_to_end(&mut flate2::read::MultiGzDecoder::new(&own[..]), &mut bytes);
        bytes.extend(own);
    }
    bytes
}

fn says(bytes: &[u8], word: &str) -> bool {
    bytes.windows(word.len()).any(|part| part == word.as_bytes())
}

#[test]
fn what_is_erased_stands_in_no_byte_of_any_file() {
    let folder = given::folder();
    let log = log_in(folder.path());
    // Short ones share pages, long ones have pages of their own; some are moved about by others that go.
    let body = |n: usize| note(format_args!("whisper-{n} {}", "padding ".repeat(n % 7 * 400)));
    (1..=60).for_each(|part| {
        let bodies: Vec<String> = (part * 10 - 9..=part * 10).map(body).collect();
        log.append(batch(&bodies)).expect("appended");
    });
    assert_eq!(log.archive(200, &mut |_| {}), Ok(200));
    let erased: BTreeSet<u64> = (1..=600).filter(|n| u64::is_multiple_of(*n, 3) || *n > 590).collect();
    assert_eq!(log.erase(&erased), Ok(erased.len() as u64));
    // While the log is still open: nothing waits in the write-ahead log either.
    let bytes = everything(folder.path());
    for n in 1..=600 {
        assert_eq!(says(&bytes, &format!("whisper-{n} ")), !erased.contains(&n), "event {n}");
    }
    assert_eq!(all(&log).iter().filter(|event| event.secret.is_none()).count(), erased.len());
}

#[test]
fn a_fault_while_erasing_loses_nothing_else_and_the_next_run_finishes() {
    let disk = SimDisk::new(1).expect("a disk");
    let erased = BTreeSet::from([2, 3, 9, 14, 20]);
    let mut trials = 0;
    for fault in [Fault::Crash, Fault::Eio, Fault::Enospc, Fault::ShortWrite, Fault::SyncFails] {
        for power_loss in [None, Some(1), Some(2)] {
            for operation in 1.. {
                disk.format(operation);
                let folder = given::folder();
                let simulated = SimulatedDisk { vfs: disk.name().to_owned(), checkpoint_commits: 3 };
                let options = Options { disk: Some(simulated) };
                let log = SqliteLog::create(folder.path(), given::env(), &options).expect("a log");
                for part in 0..4 {
                    let bodies: Vec<String> = (0..5).map(|n| note_with_id(part * 5 + n, n)).collect();
                    log.append(batch(&bodies)).expect("appended");
                }
                log.archive(10, &mut |_| {}).expect("archived");
                let before = all(&log);
                disk.fail_at(disk.operations() + operation, fault);
                let outcome = log.erase(&erased);
                let struck = disk.clear_faults() == 0;
                match power_loss {
                    Some(seed) => disk.crash(seed),
                    None => disk.kill(),
                }
                drop(log);
                let label = format!("{fault:?} at {operation}, power loss {power_loss:?}, {outcome:?}");
                let log =
                    SqliteLog::open(folder.path(), given::sources_from(2), &options).expect(&label).expect(&label);
                for (was, is) in before.iter().zip(log.read(1, usize::MAX).expect(&label)) {
                    assert_eq!((&was.header, was.hash), (&is.header, is.hash), "{label}");
                    let may_be_gone = erased.contains(&is.header.seq) && is.secret.is_none();
                    assert!(may_be_gone || was.secret == is.secret, "{label}");
                }
                log.erase(&erased).expect(&label);
                let left: Vec<u64> = all(&log).iter().filter(|e| e.secret.is_none()).map(|e| e.header.seq).collect();
                assert!(left.iter().eq(&erased), "{label}: {left:?}");
                assert_eq!(log.append(batch(&[note_with_id(3, 3)])).expect(&label)[0].seq, 4, "{label}");
                trials += 1;
                if !struck {
                    break;
                }
            }
        }
    }
    eprintln!("figure: simulated disk, events erased under faults: {trials} trials, 0 failed");
}
