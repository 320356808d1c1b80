//! Other work killed half-way: a rebuild, a reader that folds, the making of a home and of its first space.

use std::collections::BTreeSet;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::json;

use super::place::{Place, json_lines, number, said};
use super::random::Random;

const KILLS: usize = 40;

/// Starts a command and kills it after a while; says whether it was still at work.
fn kill_after(place: &Place, args: &[&str], moment: Duration) -> bool {
    let mut command = place.command(args);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().expect("the program starts");
    std::thread::sleep(moment);
    let was_running = child.try_wait().expect("its state can be read").is_none();
    child.kill().expect("it can be killed");
    child.wait().expect("it is dead");
    was_running
}

fn written(events: usize) -> Place {
    let place = Place::new();
    let line = |n: usize| json!({"kind": "tool_call", "trace_id": format!("t{}", n % 50), "tags": ["x"]}).to_string();
    place.append(&(0..events).map(line).collect::<Vec<_>>());
    place
}

/// A moment between the start of a command and its usual end.
fn within(took: Duration, random: &mut Random) -> Duration {
    Duration::from_micros(random.below(u64::try_from(took.as_micros()).expect("a short time").max(1)))
}

fn files(place: &Place) -> BTreeSet<String> {
    let entries = std::fs::read_dir(place.space()).expect("it is there");
    entries.map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn a_rebuild_killed_at_any_moment_leaves_the_views_as_they_were_or_as_they_will_be() {
    let place = written(6000);
    let (digest, log) = (place.ok(&["digest"]), place.ok(&["log", "--limit", "100", "--json"]));
    let took = usual(&place, |_| words("rebuild"));
    let mut random = Random::new(1);
    let mut interrupted = 0;
    for kill in 0..KILLS {
        interrupted += usize::from(kill_after(&place, &["rebuild"], within(took, &mut random)));
        assert_eq!(place.ok(&["digest"]), digest, "after kill {kill}");
        assert_eq!(place.ok(&["log", "--limit", "100", "--json"]), log, "after kill {kill}");
    }
    assert!(interrupted > KILLS / 3, "only {interrupted} of the rebuilds were interrupted");
    place.ok(&["rebuild"]);
    place.verify();
    let left: Vec<String> = files(&place).into_iter().filter(|name| name.contains("new")).collect();
    assert_eq!(left, Vec::<String>::new(), "what a killed rebuild left behind is cleared away by the next");
}

#[test]
fn a_reader_killed_while_it_folds_changes_no_answer() {
    let place = written(6000);
    let (digest, log) = (place.ok(&["digest"]), place.ok(&["log", "--json"]));
    let remove_views = || {
        for name in ["views.db", "views.db-wal", "views.db-shm"] {
            let _ = std::fs::remove_file(place.space().join(name));
        }
    };
    let took = usual(&place, |_| {
        remove_views();
        words("log --limit 1")
    });
    let mut random = Random::new(2);
    let mut interrupted = 0;
    for kill in 0..KILLS {
        // Every other time the next reader goes on where this one stopped.
        if kill % 2 == 0 {
            remove_views();
        }
        interrupted += usize::from(kill_after(&place, &["log", "--limit", "1"], within(took, &mut random)));
        if kill % 4 == 3 {
            assert_eq!(place.ok(&["digest"]), digest, "after kill {kill}");
            assert_eq!(place.ok(&["log", "--json"]), log, "after kill {kill}");
        }
    }
    assert!(interrupted > KILLS / 3, "only {interrupted} of the readers were interrupted");
    place.verify();
}

/// How long a command takes when nothing holds it up: the best of three.
fn usual(place: &Place, args: impl Fn(usize) -> Vec<String>) -> Duration {
    let timed = |n: usize| {
        let start = Instant::now();
        place.ok(&args(n).iter().map(String::as_str).collect::<Vec<_>>());
        start.elapsed()
    };
    (0..3).map(timed).min().expect("three of them")
}

fn words(line: &str) -> Vec<String> {
    line.split(' ').map(str::to_owned).collect()
}

#[test]
fn a_space_whose_first_writer_was_killed_goes_on_with_the_next() {
    let mut random = Random::new(3);
    let place = Place::new();
    let took = usual(&place, |n| words(&format!("remember first --space killed/never-{n}")));
    let mut states = [0; 2];
    for kill in 0..10 * KILLS {
        if kill >= KILLS && states.iter().all(|n| *n > 0) {
            break;
        }
        let space = format!("killed/at-{kill}");
        kill_after(&place, &["remember", "first", "--space", &space], within(took * 3 / 2, &mut random));
        let file = place.write("next.jsonl", said("next"));
        let next = number(&json_lines(&place.ok(&["append", &file, "--space", &space]))[0]["seq"]);
        states[usize::try_from(next - 1).expect("at most one came before")] += 1;
        place.ok(&["verify", "--space", &space]);
        assert_eq!(place.lines(&["log", "--space", &space]).len() as u64, next, "after kill {kill}");
    }
    assert!(states.iter().all(|n| *n > 0), "every kill fell into the same moment: {states:?}");
}

#[test]
fn a_space_whose_making_was_killed_is_not_there_or_is_empty_and_never_damaged() {
    let mut random = Random::new(4);
    let place = Place::new();
    let took = usual(&place, |n| vec!["init".to_owned(), place.arg(&format!("never-{n}"))]);
    for kill in 0..KILLS {
        let home = place.arg(&format!("home-{kill}"));
        kill_after(&place, &["init", &home], within(took, &mut random));
        // Not `verify`: the head is written last, and until the next writer it says that there is none.
        for args in [&["status"][..], &["log"], &["stats"], &["export"], &["spaces"]] {
            let answer = place.run(&[args, &["--home", &home]].concat());
            assert!([0, 3].contains(&answer.code), "{args:?} after kill {kill}: {answer:?}");
            assert!(!answer.out.contains("cannot be opened"), "{args:?} after kill {kill}: {answer:?}");
        }
        place.ok(&["init", &home]);
        place.ok(&["remember", "it works", "--home", &home]);
        place.ok(&["verify", "--home", &home]);
    }
}

#[test]
fn a_restore_killed_at_any_moment_leaves_one_of_the_two_logs_and_can_be_run_again() {
    let place = written(3000);
    let (long, short) = (place.arg("long.gz"), place.arg("short.gz"));
    place.ok(&["backup", &long]);
    let long_log = place.ok(&["export"]);
    let short_log = place.ok(&["export", "--as-of", "1000"]);
    place.feed(&["import", "-", "--space", "a/short"], &short_log).ok();
    place.ok(&["backup", &short, "--space", "a/short"]);
    let took = usual(&place, |n| vec!["restore".to_owned(), [&short, &long, &short][n].clone(), "--force".to_owned()]);
    let mut random = Random::new(5);
    for kill in 0..KILLS {
        let (file, log) = if kill % 2 == 0 { (&long, &long_log) } else { (&short, &short_log) };
        kill_after(&place, &["restore", file, "--force"], within(took, &mut random));
        let exported = place.run(&["export"]);
        // Between the commit and its note in the head, or before the old views are gone, the change looks like a loss.
        let is_whole = exported.out == long_log || exported.out == short_log;
        assert!(is_whole && exported.code == 0 || exported.code == 1, "after kill {kill}: {:?}", exported.err);
        place.ok(&["restore", file, "--force"]);
        assert_eq!(&place.ok(&["export"]), log, "after kill {kill}");
        place.verify();
        assert_eq!(place.lines(&["log"]).len(), log.lines().count());
    }
}

#[test]
fn an_import_killed_at_any_moment_leaves_a_prefix_and_can_be_run_again() {
    let place = written(5000);
    let exported = place.ok(&["export"]);
    let file = place.write("all.jsonl", &exported);
    let took = usual(&place, |n| words(&format!("import {file} --space never/{n}")));
    let mut random = Random::new(6);
    for kill in 0..KILLS {
        let space = format!("killed/at-{kill}");
        kill_after(&place, &["import", &file, "--space", &space], within(took, &mut random));
        place.ok(&["import", &file, "--space", &space]);
        assert_eq!(place.ok(&["export", "--space", &space]), exported, "after kill {kill}");
        place.ok(&["verify", "--space", &space]);
    }
}
