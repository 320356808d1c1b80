//! A log that lost its end, was exchanged or altered is reported with its numbers and never built upon unasked.

use std::path::Path;

use serde_json::json;

use super::place::{Place, copy_files, number, said, text};

const VIEWS: [&str; 4] = ["views.db", "views.db-wal", "views.db-shm", "views.db-sums"];
const LOG: [&str; 3] = ["log.db", "log.db-wal", "log.db-shm"];

fn appended(place: &Place, count: usize) {
    place.append(&(0..count).map(|n| said(&n.to_string())).collect::<Vec<_>>());
}

/// Puts files of an earlier copy in the place of today's, as a careless restore of a folder would.
fn put_back(place: &Place, copy: &Path, names: &[&str]) {
    for name in names {
        let _ = std::fs::remove_file(place.space().join(name));
        let _ = std::fs::copy(copy.join(name), place.space().join(name));
    }
}

#[test]
fn a_noted_head_proves_later_that_nothing_was_cut() {
    let place = Place::new();
    let at_the_beginning = text(&place.json(&["status"]), "head").to_owned();
    place.ok(&["verify", "--head", &at_the_beginning]);
    appended(&place, 5);
    let old = place.arg("old.gz");
    place.ok(&["backup", &old]);
    let earlier = text(&place.json(&["status"]), "head").to_owned();
    appended(&place, 3);
    let noted = text(&place.json(&["status"]), "head").to_owned();
    for head in [&at_the_beginning, &earlier, &noted] {
        let verdict = place.json(&["verify", "--head", head]);
        assert_eq!((&verdict["ok"], number(&verdict["events"])), (&true.into(), 8));
    }
    place.ok(&["restore", &old, "--force"]);
    place.verify();
    place.ok(&["verify", "--head", &earlier]);
    let cut = place.run(&["--json", "verify", "--head", &noted]);
    let error = cut.refused_json(1);
    assert!(text(&error, "message").contains("from event 6 on"), "{error}");
    let verdict: serde_json::Value = serde_json::from_str(&cut.out).expect("the verdict is printed");
    assert_eq!((&verdict["ok"], number(&verdict["first_bad_seq"])), (&false.into(), 6));
    let (what, hint) = place.run(&["verify", "--head", &noted]).refused(1);
    assert!(what.contains(&noted) && hint.contains("idetic restore"), "{what} / {hint}");
    let shown = place.run(&["verify", "--head", &noted]).out;
    assert!(shown.starts_with("first bad seq: 6\n"), "{shown}");
    place.run(&["verify", "--head", "12ab"]).refused(2);
}

#[test]
fn a_log_that_lost_its_end_is_reported_until_the_loss_is_accepted() {
    let place = Place::new();
    appended(&place, 5);
    let copy = place.path("copy");
    copy_files(&place.space(), &copy);
    appended(&place, 4);
    place.ok(&["log"]);
    put_back(&place, &copy, &LOG);

    let file = place.write("more.jsonl", said("more"));
    let commands: [&[&str]; 11] = [
        &["log"],
        &["get", "1"],
        &["stats"],
        &["trace"],
        &["status"],
        &["digest"],
        &["export"],
        &["rebuild"],
        &["remember", "x"],
        &["append", &file],
        &["verify"],
    ];
    for args in commands {
        let (what, hint) = place.run(args).refused(1);
        assert!(what.contains("events 6 to 9 are missing, it ends at 5"), "{args:?}: {what}");
        assert!(hint.contains("idetic restore") && hint.contains("repair --accept-loss"), "{args:?}: {hint}");
    }
    let doctor = place.run(&["--json", "doctor"]);
    doctor.refused_json(1);
    assert!(doctor.out.contains("events 6 to 9 are missing"), "{}", doctor.out);
    let (_, hint) = place.run(&["repair"]).refused(2);
    assert!(hint.contains("--accept-loss"), "{hint}");

    let done = place.json(&["repair", "--accept-loss"]);
    assert!(text(&done, "done").contains("up to event 5; event 6 records it"), "{done}");
    let event = place.json(&["get", "6"]);
    assert_eq!(text(&event, "kind"), "log.repaired");
    assert_eq!((number(&event["metadata"]["kept"]), number(&event["metadata"]["had"])), (5, 9));
    all_is_well(&place, 6);
    assert_eq!(text(&place.json(&["repair", "--accept-loss"]), "done"), "there is nothing to repair");
}

/// Everything reads and writes, and the views are those of this log.
fn all_is_well(place: &Place, events: u64) {
    place.verify();
    assert_eq!(place.events(), events);
    assert_eq!(place.lines(&["log"]).len() as u64, events);
    place.ok(&["remember", "goes on"]);
    assert_eq!(place.lines(&["log", "--limit", "1"])[0]["content"], "goes on");
    let digest = place.ok(&["digest"]);
    place.ok(&["rebuild"]);
    assert_eq!(place.ok(&["digest"]), digest, "no view kept anything of the lost events");
    place.ok(&["doctor"]);
}

#[test]
fn a_log_set_back_together_with_its_head_is_noticed_by_the_views() {
    let place = Place::new();
    appended(&place, 5);
    let copy = place.path("copy");
    copy_files(&place.space(), &copy);
    appended(&place, 4);
    place.ok(&["log"]);
    put_back(&place, &copy, &[&LOG[..], &["head"]].concat());
    for args in
        [&["log"][..], &["stats"], &["get", "2"], &["digest"], &["verify"], &["status"], &["log", "--as-of", "3"]]
    {
        let (what, _) = place.run(args).refused(1);
        assert!(what.contains("events 6 to 9 are missing, it ends at 5"), "{args:?}: {what}");
    }
    place.json(&["repair", "--accept-loss"]);
    assert_eq!(number(&place.json(&["get", "6"])["metadata"]["had"]), 9);
    all_is_well(&place, 6);
}

#[test]
fn a_log_that_grew_again_after_it_was_set_back_is_another_log() {
    let place = Place::new();
    appended(&place, 5);
    let copy = place.path("copy");
    copy_files(&place.space(), &copy);
    appended(&place, 4);
    place.ok(&["log"]);
    let views = place.path("views");
    copy_files(&place.space(), &views);
    put_back(&place, &copy, &[&LOG[..], &["head"], &VIEWS[..]].concat());
    appended(&place, 8);
    put_back(&place, &views, &VIEWS);
    for args in [&["log"][..], &["stats"], &["get", "2"], &["verify"]] {
        let (what, _) = place.run(args).refused(1);
        assert!(what.contains("event 9 is not the one that was there"), "{args:?}: {what}");
    }
    place.ok(&["repair", "--accept-loss"]);
    all_is_well(&place, 14);
}

#[test]
fn an_altered_event_is_named_by_verify_and_by_whoever_reads_it() {
    let place = Place::new();
    // Long enough that the write-ahead log is folded back when the process ends, and the events lie in the database.
    let long = "x".repeat(20_000);
    place.append(&(1..=100).map(|n| said(&format!("needle-{n:03} {long}"))).collect::<Vec<_>>());
    place.ok(&["log"]);
    let file = place.space().join("log.db");
    let mut bytes = std::fs::read(&file).expect("it is there");
    let at = bytes.windows(10).position(|w| w == b"needle-042").expect("the event lies in the database");
    bytes[at] = b'N';
    std::fs::write(&file, bytes).expect("written");
    let answer = place.run(&["--json", "verify"]);
    let error = answer.refused_json(1);
    assert!(text(&error, "message").contains("event 42"), "{error}");
    let verdict: serde_json::Value = serde_json::from_str(&answer.out).expect("the verdict is printed");
    assert_eq!((number(&verdict["first_bad_seq"]), number(&verdict["events"])), (42, 41));
    for args in [&["get", "42"][..], &["log"], &["export"], &["backup", &place.arg("b.gz")], &["rebuild"]] {
        let answer = place.run(args);
        let (what, _) = answer.refused(1);
        assert!(what.contains("event 42 is damaged"), "{args:?}: {what}");
    }
    assert!(!place.path("b.gz").exists(), "a backup of a damaged log is none");
    place.ok(&["get", "41"]);
    let (what, _) = place.run(&["repair", "--accept-loss"]).refused(1);
    assert!(what.contains("event 42"), "damage in the middle is nothing to accept: {what}");
}

/// An agent's operations tell it no more than the others do: which event of the whole space is damaged is its owner's affair.
#[test]
fn an_agent_is_not_told_which_event_of_the_space_is_damaged() {
    let place = Place::new();
    let long = "x".repeat(20_000);
    let line = |n: u32| {
        let content = format!("needle-{n:03} {long}");
        json!({"kind": "user_input", "agent_id": "coder", "conversation_id": "c", "content": content}).to_string()
    };
    place.append(&(1..=100).map(line).collect::<Vec<_>>());
    place.ok(&["log"]);
    let file = place.space().join("log.db");
    let mut bytes = std::fs::read(&file).expect("it is there");
    let at = bytes.windows(10).position(|w| w == b"needle-042").expect("the event lies in the database");
    bytes[at] = b'N';
    std::fs::write(&file, bytes).expect("written");
    for args in [&["extract", "--agent", "coder"][..], &["recall", "needle-042", "--agent", "coder", "-k", "100"]] {
        let (what, _) = place.run(args).refused(1);
        assert!(what.contains("something in this space is damaged") && !what.contains("42"), "{args:?}: {what}");
    }
}

#[test]
fn a_space_whose_database_is_gone_or_foreign_is_not_taken_for_a_new_one() {
    let place = Place::new();
    appended(&place, 1);
    let shorter = place.arg("shorter.gz");
    place.ok(&["backup", &shorter]);
    appended(&place, 2);
    let backup = place.arg("b.gz");
    place.ok(&["backup", &backup]);
    let exported = place.ok(&["export"]);
    LOG.iter().for_each(|name| drop(std::fs::remove_file(place.space().join(name))));
    for args in [&["log"][..], &["remember", "x"], &["status"], &["append", &place.write("a", said("a"))]] {
        let (what, _) = place.run(args).refused(1);
        assert!(what.contains("events 1 to 3 are missing, it ends at 0"), "{args:?}: {what}");
    }
    let (what, _) = place.run(&["restore", &shorter]).refused(4);
    assert!(what.contains("had 3 events, the backup has 1"), "{what}");
    let restored = place.run(&["restore", &backup]);
    assert_eq!(restored.code, 0, "what the advice says must work: {restored:?}");
    assert_eq!(place.ok(&["export"]), exported);
    place.verify();

    LOG.iter().for_each(|name| drop(std::fs::remove_file(place.space().join(name))));
    std::fs::write(place.space().join("log.db"), "this is not a database, it is a text of some length")
        .expect("written");
    for args in [&["log"][..], &["remember", "x"], &["verify"]] {
        place.run(args).refused(1);
    }
    place.run(&["restore", &backup]).refused(1);
    let answer = place.run(&["restore", &backup, "--force"]);
    assert_eq!(answer.code, 0, "{answer:?}");
    assert!(answer.err.starts_with("note: the damaged log was set aside in "), "{}", answer.err);
    assert_eq!(place.ok(&["export"]), exported);
    all_is_well(&place, 3);
}

#[test]
fn doctor_says_what_is_wrong_and_how_to_mend_it() {
    let place = Place::bare();
    let doctor = place.run(&["doctor"]);
    doctor.refused(1);
    assert!(doctor.out.contains("fix: create one with `idetic init"), "{}", doctor.out);
    let place = Place::new();
    appended(&place, 3);
    let report = place.json(&["doctor"]);
    assert!(report["checks"].as_array().is_some_and(|c| c.len() >= 6 && c.iter().all(|c| c["ok"] == true)), "{report}");
    std::fs::remove_file(place.space().join("head")).expect("it was there");
    let report = place.run(&["--json", "doctor"]);
    report.refused_json(1);
    assert!(report.out.contains("head file is missing"), "{}", report.out);
    place.ok(&["repair", "--accept-loss"]);
    place.ok(&["doctor"]);
    place.verify();
}
