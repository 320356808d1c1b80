//! Files that are removed or replaced while the log is open: nothing more is acknowledged, and what lies there is untouched.

use std::fs;
use std::path::Path;

use idetic_store::{Error, Log, Options, SqliteLog};

use super::given::{self, all, batch, log_in, note, note_with_id};

const FILES: [&str; 3] = ["log.db", "log.db-wal", "log.db-shm"];

/// Takes a file away from under an open log, or puts another one into its place.
fn remove(path: &Path) {
    fs::remove_file(path).expect("removed");
}

fn replace(path: &Path) {
    let copy = path.with_extension("copy");
    fs::copy(path, &copy).expect("copied");
    fs::rename(copy, path).expect("replaced");
}

#[test]
fn a_log_whose_files_are_removed_or_replaced_acknowledges_nothing_more() {
    type Change = fn(&Path);
    for (file, change) in FILES.into_iter().flat_map(|file| [(file, remove as Change), (file, replace as Change)]) {
        let folder = given::folder();
        let log = log_in(folder.path());
        let known = [note_with_id("known", 1)];
        log.append(batch(&known)).expect("appended");
        let events = all(&log);
        let path = folder.path().join(file);
        change(&path);
        let gone = Error::Exchanged { file: path.clone() };
        assert_eq!(log.append(batch(&[note("into the void")])), Err(gone.clone()), "{file}");
        assert_eq!(log.append(batch(&known)), Err(gone.clone()), "{file}: what was known lies there no more");
        assert_eq!(log.graft(&events), Err(gone.clone()), "{file}");
        assert_eq!(log.replace(None, &mut events.iter().cloned().map(Ok)), Err(gone.clone()), "{file}");
        assert_eq!(log.accept(), Err(gone.clone()), "{file}");
        assert_eq!(log.tip(), Err(gone.clone()), "{file}");
        assert_eq!(log.check_files(), Err(gone.clone()), "{file}");
        let said = gone.to_string();
        assert!(said.contains(file) && said.contains("removed or replaced while it was open"), "{said}");
        assert!(said.contains("nothing was appended"), "{said}");
    }
}

#[test]
fn many_who_append_at_once_are_all_told() {
    let folder = given::folder();
    let log = log_in(folder.path());
    log.append(batch(&[note("before")])).expect("appended");
    remove(&folder.path().join("log.db"));
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| assert!(matches!(log.append(batch(&[note("x")])), Err(Error::Exchanged { .. }))));
        }
    });
}

#[test]
fn the_next_who_opens_it_decides() {
    let folder = given::folder();
    let open = || SqliteLog::open(folder.path(), given::sources_from(1), &Options::default());
    let log = log_in(folder.path());
    (0..3).for_each(|n| drop(log.append(batch(&[note(n)])).expect("appended")));
    let aside = folder.path().join("aside");
    fs::create_dir(&aside).expect("a folder");
    FILES.iter().for_each(|file| fs::rename(folder.path().join(file), aside.join(file)).expect("moved"));
    assert!(matches!(log.append(batch(&[note("void")])), Err(Error::Exchanged { .. })));
    assert_eq!(open().err(), Some(Error::Shortened { have: 0, had: 3 }), "nobody takes it for a new one");
    drop(log);
    FILES.iter().for_each(|file| fs::rename(aside.join(file), folder.path().join(file)).expect("put back"));
    let log = open().expect("it can be opened").expect("a log");
    assert_eq!(log.append(batch(&[note(3)])).map(|acks| acks[0].seq), Ok(4));
}
