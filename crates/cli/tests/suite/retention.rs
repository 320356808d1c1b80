//! `retain`: killed with SIGKILL at any moment it loses nothing, and the next run finishes; what it moved is still read.

use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};

use super::place::{Place, is_long_run, json_lines, number, say};
use super::random::Random;

/// Events between two kills: more than one archive file.
const EVENTS: u64 = 3000;

fn lines(from: u64) -> Vec<String> {
    let line = |n: u64| json!({"id": format!("m{n}"), "kind": "user_input", "content": format!("murmur-{n} {}", "and so on ".repeat(9))});
    (from..from + EVENTS).map(|n| line(n).to_string()).collect()
}

/// Files in the archive, finished or not.
fn files(place: &Place) -> usize {
    std::fs::read_dir(place.space().join("archive")).map_or(0, Iterator::count)
}

/// Starts it and kills it: a moment after its start, or after some file more came to be.
fn killed(place: &Place, args: &[&str], random: &mut Random) {
    let before = files(place);
    let mut child = place
        .command(args)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    if !random.one_in(3) {
        let more = usize::try_from(random.below(3)).expect("small");
        while files(place) <= before + more && child.try_wait().expect("it can be waited for").is_none() {
            std::thread::sleep(Duration::from_micros(200));
        }
    }
    std::thread::sleep(random.moment(Duration::from_millis(33)));
    child.kill().expect("it can be killed");
    let output = child.wait_with_output().expect("it is dead");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "it complained before it was killed");
}

#[test]
fn killed_at_any_moment_it_loses_nothing_and_the_next_run_finishes() {
    let rounds = if is_long_run() { 100 } else { 12 };
    let args = ["retain", "--apply", "--older-than", "0d"];
    let (place, mut random) = (Place::new(), Random::new(0xa2c4));
    let (mut inside, mut exported) = (0, String::new());
    for round in 0..rounds {
        place.append(&lines(round * EVENTS));
        exported = place.ok(&["export"]);
        let archived = |place: &Place| number(&place.json(&["verify"])["archived"]);
        let before = archived(&place);
        killed(&place, &args, &mut random);
        let after = archived(&place);
        inside += u64::from(after > before && after < (round + 1) * EVENTS - 1);
        assert!(place.ok(&["export"]) == exported, "round {round}: another log than before");
        let again = place.ok(&["append", &place.arg("batch.jsonl")]);
        assert!(
            json_lines(&again).iter().map(|a| number(&a["seq"])).eq(round * EVENTS + 1..=(round + 1) * EVENTS),
            "a retry"
        );
    }
    place.ok(&["retain", "--apply", "--older-than", "0d"]);
    assert!(place.ok(&["export"]) == exported);
    let files = std::fs::read_dir(place.space().join("archive")).expect("archives").count();
    assert_eq!(
        files,
        place.json(&["retain", "--dry-run"])["archives"].as_array().map_or(0, Vec::len),
        "no file too many"
    );
    say(&format!(
        "figure: SIGKILL while archiving, {rounds} times: {} events, {inside} stopped half way, none lost",
        rounds * EVENTS
    ));
    assert!(inside > 0, "no kill fell between two files");
}

#[test]
fn killed_while_dropping_it_leaves_a_sound_chain_and_the_next_run_finishes() {
    let (place, mut random) = (Place::new(), Random::new(0xd20b));
    let rounds = if is_long_run() { 50 } else { 6 };
    let args = ["retain", "--apply", "--drop", "--older-than", "0d"];
    for round in 0..rounds {
        place.append(&lines(round * EVENTS));
        let head = place.json(&["status"])["head"].clone();
        killed(&place, &args, &mut random);
        let verdict = place.json(&["verify"]);
        assert_eq!((&verdict["ok"], &verdict["head"]), (&json!(true), &head), "round {round}: {verdict}");
    }
    let done = place.run(&args);
    assert!(done.code == 0 && done.err.contains("copies elsewhere keep what was dropped"), "{done:?}");
    let verdict = place.json(&["verify"]);
    let events = rounds * EVENTS;
    assert_eq!((&verdict["dropped"], &verdict["archived"]), (&json!(events - 1), &json!(events - 1)));
    let left = |name: &str| std::fs::read(place.space().join(name)).unwrap_or_default();
    let says = |bytes: &[u8], word: &str| bytes.windows(word.len()).any(|part| part == word.as_bytes());
    for name in ["log.db", "log.db-wal", "views.db", "views.db-wal"] {
        assert!(!says(&left(name), "murmur-77 "), "{name} still has what was dropped");
    }
    place.run(&["get", "m77"]).ok();
    let files = std::fs::read_dir(place.space().join("archive")).expect("archives").count();
    assert_eq!(
        files as u64,
        number(&json!(place.json(&["retain", "--dry-run"])["archives"].as_array().map_or(0, Vec::len)))
    );
}

#[test]
fn what_is_archived_is_read_backed_up_and_restored_like_the_rest() {
    let place = Place::new();
    place.append(&lines(0));
    let exported = place.ok(&["export"]);
    let planned = place.ok(&["retain", "--dry-run", "--older-than", "0d"]);
    assert!(planned.starts_with("2999 events older than") && planned.contains("would be archived"), "{planned}");
    let done = place.ok(&["retain", "--apply", "--older-than", "0d"]);
    assert!(done.contains("archive: events 1 to 2999 in 3 files"), "{done}");
    let verdict = place.ok(&["verify"]);
    assert!(verdict.contains("3000 events, events 1 to 2999 in archives"), "{verdict}");
    assert!(place.ok(&["status"]).contains("archive/0000000001-0000001024"));
    assert_eq!(place.json(&["get", "m5"])["seq"], 6);
    let found: Vec<Value> = place.lines(&["log", "--limit", "3000"]);
    assert_eq!(found.len(), 3000);
    let backup = place.arg("backup.gz");
    place.ok(&["backup", &backup]);
    place.ok(&["restore", &backup, "--space", "local/copy"]);
    assert_eq!(place.ok(&["export", "--space", "local/copy"]), exported);
    place.ok(&["restore", &backup]);
    assert_eq!(place.ok(&["export"]), exported);
    assert_eq!(
        std::fs::read_dir(place.space().join("archive")).map_or(0, Iterator::count),
        0,
        "all is in the database again"
    );
    place.run(&["retain"]).refused(2);
    place.run(&["retain", "--apply", "--older-than", "soon"]).refused(2);
    // A file that is lost is named, and the rest is read.
    place.ok(&["retain", "--apply", "--older-than", "0d"]);
    let file =
        std::fs::read_dir(place.space().join("archive")).expect("archives").flatten().next().expect("a file").path();
    std::fs::rename(&file, place.path("aside")).expect("moved");
    let verdict = place.run(&["verify"]);
    assert_eq!(verdict.code, 1, "{verdict:?}");
    assert!(verdict.out.contains("is missing"), "{verdict:?}");
    assert_eq!(place.json(&["get", "3000"])["id"], "m2999");
    std::fs::rename(place.path("aside"), &file).expect("moved back");
    place.verify();
}
