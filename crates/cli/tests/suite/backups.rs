//! `backup` and `restore`: a consistent copy while others write, and a way back that loses nothing unasked.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::place::{Answer, Place, number, said, text};
use super::stream::Stream;

#[test]
fn a_backup_made_while_others_write_restores_to_a_prefix_with_everything_acknowledged_before_it() {
    let place = Place::new();
    place.append(&(0..3000).map(|n| said(&n.to_string())).collect::<Vec<_>>());
    let (acknowledged, stop) = (AtomicU64::new(3000), AtomicBool::new(false));
    let copies: Vec<(u64, Answer)> = std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut stream = Stream::start(&place, &[]);
                while !stop.load(Ordering::Relaxed) {
                    let seq = stream.one(&said("while the backup runs")).seq;
                    acknowledged.fetch_max(seq, Ordering::Relaxed);
                }
            });
        }
        let copies = (0..5).map(|n| {
            let before = acknowledged.load(Ordering::Relaxed);
            (before, place.run(&["--json", "backup", &place.arg(&format!("{n}.gz"))]))
        });
        let copies = copies.collect();
        stop.store(true, Ordering::Relaxed);
        copies
    });
    let all = place.ok(&["export"]);
    for (n, (before, made)) in copies.into_iter().enumerate() {
        let done: serde_json::Value = serde_json::from_str(&made.ok()).expect("JSON");
        let elsewhere = Place::new();
        elsewhere.ok(&["restore", &place.arg(&format!("{n}.gz"))]);
        elsewhere.verify();
        let restored = elsewhere.ok(&["export"]);
        let events = restored.lines().count() as u64;
        assert!(events >= before, "{before} were acknowledged before it began, it holds {events}");
        assert!(all.starts_with(&restored), "backup {n} is not an exact prefix");
        assert_eq!((number(&done["events"]), &done["head"]), (events, &elsewhere.json(&["status"])["head"]));
        let past = events.to_string();
        assert_eq!(elsewhere.ok(&["digest"]), place.ok(&["digest", "--as-of", &past]));
        elsewhere.ok(&["remember", "it goes on"]);
    }
    place.verify();
}

#[test]
fn a_backup_is_never_written_over_unasked() {
    let place = Place::new();
    place.append(&[said("a")]);
    let file = place.write("mine.gz", "precious");
    let (what, hint) = place.run(&["backup", &file]).refused(4);
    assert!(what.contains("mine.gz") && hint.contains("--force"), "{what} / {hint}");
    assert_eq!(std::fs::read(place.path("mine.gz")).expect("it is there"), b"precious");
    let done = place.ok(&["backup", &file, "--force"]);
    assert!(done.starts_with("backed up local/default to "), "{done}");
    let left: Vec<_> =
        std::fs::read_dir(place.path("")).expect("listed").map(|e| e.expect("an entry").file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().contains("partial")), "{left:?}");
}

#[test]
fn restore_refuses_to_lose_what_the_backup_does_not_have() {
    let place = Place::new();
    place.append(&[said("1"), said("2")]);
    let old = place.arg("old.gz");
    place.ok(&["backup", &old]);
    place.append(&[said("3")]);
    let new = place.arg("new.gz");
    place.ok(&["backup", &new]);
    let three = place.ok(&["export"]);

    let (what, hint) = place.run(&["restore", &old]).refused(4);
    assert!(what.contains("3 events, the backup only 2") && hint.contains("--force"), "{what} / {hint}");
    assert_eq!(place.ok(&["export"]), three, "a refused restore changes nothing");
    place.ok(&["restore", &new]);
    assert_eq!(place.ok(&["export"]), three, "the same log may be restored over itself");
    place.ok(&["restore", &old, "--force"]);
    assert_eq!(place.events(), 2);
    assert_eq!(place.lines(&["log"]).len(), 2, "no view remembers what is gone");
    place.verify();
    place.ok(&["restore", &new]);
    assert_eq!(place.ok(&["export"]), three, "a longer copy of the same chain needs no force");

    place.ok(&["remember", "another", "--space", "a/b"]);
    let (what, _) = place.run(&["restore", &new, "--space", "a/b"]).refused(4);
    assert!(what.contains("holds another log"), "{what}");
    place.ok(&["restore", &new, "--space", "a/b", "--force"]);
    assert_eq!(place.ok(&["export", "--space", "a/b"]), three);
    assert_eq!(place.ok(&["digest", "--space", "a/b"]), place.ok(&["digest"]));
    place.ok(&["verify", "--space", "a/b"]);
}

#[test]
fn a_cut_or_altered_backup_is_noticed_and_changes_nothing() {
    let place = Place::new();
    place.append(&(0..300).map(|n| said(&format!("{n} {}", n * 7919 % 1000))).collect::<Vec<_>>());
    let file = place.arg("good.gz");
    place.ok(&["backup", &file]);
    let exported = place.ok(&["export"]);
    let good = std::fs::read(place.path("good.gz")).expect("it is there");
    let try_it = |name: &str, bytes: &[u8]| {
        let file = place.write("bad.gz", bytes);
        let answer = place.run(&["restore", &file]);
        if answer.code == 0 {
            // The few bytes of a gzip header that mean nothing: what was restored is what was backed up.
            assert_eq!(place.ok(&["export"]), exported, "{name} was taken and is another log");
            return 0;
        }
        let (what, _) = answer.refused(1);
        assert!(what.contains("bad.gz") && what.contains("damaged"), "{name}: {what}");
        assert_eq!(place.ok(&["export"]), exported, "{name} changed something");
        1
    };
    for cut in [20, 60, good.len() / 3, good.len() / 2, good.len() - 9, good.len() - 8, good.len() - 1] {
        assert_eq!(try_it(&format!("cut at {cut}"), &good[..cut]), 1, "cut at {cut} went unnoticed");
    }
    let mut noticed = 0;
    let places: Vec<usize> =
        (0..60).map(|n| 10 + n * (good.len() - 10) / 60).chain([good.len() - 6, good.len() - 1]).collect();
    for at in &places {
        let mut bytes = good.clone();
        bytes[*at] ^= 0x10;
        noticed += try_it(&format!("bit flipped at {at}"), &bytes);
    }
    assert_eq!(noticed, places.len(), "a flipped bit behind the header went unnoticed");
    place.verify();
}

#[test]
fn what_is_not_a_backup_is_invalid_and_what_is_not_there_is_not_found() {
    let place = Place::new();
    place.append(&[said("a")]);
    let exported = place.ok(&["export"]);
    for (name, bytes) in
        [("text", b"hello\n".as_slice()), ("empty", b""), ("export", exported.as_bytes()), ("zeros", &[0; 100])]
    {
        let file = place.write(name, bytes);
        let (what, hint) = place.run(&["restore", &file]).refused(2);
        assert!(what.contains("is not a backup") && hint.contains("idetic import"), "{name}: {what} / {hint}");
    }
    place.run(&["restore", &place.arg("missing.gz")]).refused(3);
    assert_eq!(place.ok(&["export"]), exported);
    let other = Place::new();
    other.ok(&["restore", &{
        let file = place.arg("b.gz");
        place.ok(&["backup", &file]);
        file
    }]);
    assert_eq!(text(&other.json(&["get", "1"]), "content"), "a");
}
