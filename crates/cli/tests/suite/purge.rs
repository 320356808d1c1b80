//! `purge`: it lists first and asks for a yes; killed at any moment, the next run finishes what was begun.

mod doors;
mod everywhere;
mod search;

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use serde_json::json;

use super::place::{Place, is_long_run, number, say};
use super::random::Random;

/// Whether any byte below a folder says a word; what is packed is unpacked.
fn says(folder: &Path, word: &str) -> bool {
    std::fs::read_dir(folder).into_iter().flatten().flatten().any(|entry| {
        let path = entry.path();
        if path.is_dir() {
            return says(&path, word);
        }
        let bytes = std::fs::read(&path).unwrap_or_default();
        let mut unpacked = Vec::new();
        let _ = std::io::Read::read_to_end(&mut flate2::read::MultiGzDecoder::new(&bytes[..]), &mut unpacked);
        [bytes, unpacked].iter().any(|part| part.windows(word.len()).any(|part| part == word.as_bytes()))
    })
}

#[test]
fn it_lists_first_and_wants_a_yes() {
    let place = Place::new();
    place.append(&[
        json!({"id": "a", "kind": "user_input", "ts": "2024-05-06T07:08:09Z", "author": "ann", "content": "I am Zoë Quill"}).to_string(),
        json!({"id": "b", "kind": "actor_output", "ts": "2024-05-06T07:08:10Z", "content": "noted", "causes": ["a"]}).to_string(),
        json!({"id": "c", "kind": "user_input", "content": "is it open?"}).to_string(),
    ]);
    let listed = place.ok(&["purge", "--matching", "zoë quill", "--dry-run"]);
    assert_eq!(
        listed,
        "1 user_input a (matched)\n    2024-05-06 07:08:09Z ann content: I am Zoë Quill\n\
         2 actor_output b (derived from a)\n    2024-05-06 07:08:10Z content: noted\n\
         the content of 2 events of local/default would be erased for good\n"
    );
    let refused = place.run(&["purge", "--matching", "zoë quill"]);
    assert!(refused.code == 2 && refused.err.contains("--yes"), "{refused:?}");
    assert!(says(&place.home(), "Zoë Quill"));
    assert_eq!(place.run(&["purge", "--matching", "nobody at all", "--dry-run"]).code, 3);
    assert_eq!(place.run(&["purge", "--matching", "nobody at all", "--yes"]).code, 3);
    assert_eq!(place.run(&["purge"]).code, 2);
    assert_eq!(place.run(&["purge", "--resume"]).code, 3);
    let done = place.run(&["purge", "--matching", "zoë quill", "--yes"]);
    assert!(done.code == 0 && done.out.contains("the content of 2 events of local/default is erased"), "{done:?}");
    assert!(done.err.contains("copies elsewhere keep what was purged"), "{done:?}");
    assert!(!says(&place.home(), "Zoë Quill"));
    place.verify();
    assert!(place.ok(&["log"]).contains("memory.purged"));
    assert!(place.ok(&["get", "a"]).contains("erased"));
    // A saved query is the user's own: it is named, and the purge says that it is not over.
    place.append(&[json!({"id": "d", "kind": "user_input", "content": "Zoë Quill again"}).to_string()]);
    std::fs::create_dir_all(place.home().join("queries")).expect("a folder");
    std::fs::write(place.home().join("queries/q.sql"), "SELECT 'zoë quill'").expect("written");
    let left = place.run(&["purge", "--matching", "zoë quill", "--yes"]);
    assert!(left.code == 1 && left.out.contains("queries/q.sql"), "{left:?}");
}

#[test]
fn killed_at_any_moment_the_next_run_finishes_it() {
    let rounds = if is_long_run() { 60 } else { 10 };
    let (place, mut random) = (Place::new(), Random::new(0x9047));
    let (mut untouched, mut unfinished) = (0, 0);
    for round in 0..rounds {
        let word = format!("murmur-{round}-");
        let line = |n: u64| {
            let text = if n.is_multiple_of(4) {
                format!("{word}{n} {}", "and so on ".repeat(30))
            } else {
                format!("other {n}")
            };
            json!({"id": format!("{round}-{n}"), "kind": "user_input", "ts": "2024-01-02", "content": text}).to_string()
        };
        place.append(&(0..400).map(line).collect::<Vec<_>>());
        if round % 2 == 0 {
            place.ok(&["retain", "--apply", "--older-than", "0d"]);
        }
        let mut child = place
            .command(&["purge", "--matching", &word, "--yes"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mark = place.space().join("purging.json");
        if !random.one_in(5) {
            while !mark.exists() && child.try_wait().expect("it can be waited for").is_none() {
                std::thread::sleep(Duration::from_micros(200));
            }
        }
        std::thread::sleep(random.moment(Duration::from_millis(33)));
        child.kill().expect("it can be killed");
        drop(child.wait_with_output().expect("it is dead"));
        assert_eq!(place.run(&["verify"]).code, 0, "round {round}");
        if mark.exists() {
            unfinished += 1;
            assert!(place.run(&["verify"]).err.contains("purge --resume"));
            let finished = place.run(&["purge", "--resume"]);
            assert_eq!(finished.code, 0, "round {round}: {finished:?}");
        } else if says(&place.home(), &word) {
            untouched += 1;
            assert_eq!(place.run(&["purge", "--matching", &word, "--yes"]).code, 0);
        }
        assert!(!says(&place.home(), &word), "round {round}: something is left");
        place.verify();
        let erased = number(&place.json(&["verify"])["erased"]);
        assert_eq!(erased, (round + 1) * 100, "round {round}");
        assert_eq!(
            place.lines(&["log", "--kind", "memory.purged", "--limit", "1000"]).len() as u64,
            round + 1,
            "one receipt each"
        );
    }
    say(&format!(
        "figure: SIGKILL while purging, {rounds} times: {unfinished} finished later, {untouched} killed before"
    ));
    assert!(unfinished > 0, "no kill fell into a purge");
}
