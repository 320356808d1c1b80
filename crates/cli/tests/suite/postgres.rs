//! The program on a log in PostgreSQL: every command as with the embedded log, on one machine and on several.

mod erasing;
mod moving;
mod shared;
mod snapshots;

#[path = "../../../store/tests/suite/postgres/cluster.rs"]
mod cluster;

use std::process::Stdio;

use super::place::{Place, said, text};
use cluster::Cluster;

/// A home whose log is in a database: a machine of its own.
fn machine(url: &str) -> Place {
    let place = Place::new();
    set_log(&place, url);
    place
}

fn set_log(place: &Place, url: &str) {
    let file = place.home().join("config.toml");
    let before = std::fs::read_to_string(&file).expect("a configuration");
    std::fs::write(&file, format!("{before}\n[log]\nurl = \"{url}\"\n")).expect("written");
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn the_same_events_give_the_same_answers_in_postgresql_and_in_a_folder() {
    let cluster = Cluster::start();
    let place = machine(&cluster.url());
    assert!(place.ok(&["migrate"]).starts_with("created the tables in 127.0.0.1:"));
    assert!(place.ok(&["migrate"]).contains("have version 4 already"));
    let lines: Vec<String> = (0..300)
        .map(|n| match n % 3 {
            0 => said(&format!("The deploy key number {n} is kept in vault {}", n % 7)),
            1 => format!(r#"{{"kind":"decision","id":"d{n}","content":"We chose region {n} for Zoë","tags":["x"]}}"#),
            _ => format!(r#"{{"kind":"tool_result","agent_id":"ann","content":"build {n} passed","trace_id":"t"}}"#),
        })
        .collect();
    place.append(&lines);
    place.ok(&["remember", "The staging database is called heron"]);
    place.verify();
    assert_eq!(place.events(), 301);
    let exported = place.ok(&["export"]);
    let embedded = Place::new();
    let file = embedded.write("all.jsonl", &exported);
    embedded.ok(&["import", &file, "--accept"]);
    for question in [
        &["digest"][..],
        &["log", "--json"],
        &["stats"],
        &["trace", "t"],
        &["verify"],
        &["recall", "what is the staging database called", "--mode", "lexical", "--json"],
        &["recall", "vault 3", "--as-of", "120", "--mode", "lexical", "--json"],
        &["recall", "region", "--mode", "lexical", "--json"],
    ] {
        assert_eq!(place.ok(question), embedded.ok(question), "{question:?}");
    }
    // And back into another space of the database.
    let copy = place.write("all.jsonl", embedded.ok(&["export"]));
    place.ok(&["import", &copy, "--accept", "--space", "a/copy"]);
    assert_eq!(place.ok(&["export", "--space", "a/copy"]), exported);
    assert_eq!(place.ok(&["digest", "--space", "a/copy"]), embedded.ok(&["digest"]));
    let spaces: Vec<String> = place.lines(&["spaces"]).iter().map(|line| text(line, "space").to_owned()).collect();
    assert_eq!(spaces, ["a/copy", "local/default"]);
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn machines_that_share_a_database_see_each_other_at_once() {
    let cluster = Cluster::start();
    let bouncer = cluster.bouncer();
    let machines = [machine(&cluster.url()), machine(&bouncer.url())];
    for round in 1..=6_u64 {
        let (writer, reader) = (&machines[round as usize % 2], &machines[(round as usize + 1) % 2]);
        writer.ok(&["remember", &format!("round {round} is about otters")]);
        assert_eq!(reader.events(), round);
        assert!(reader.ok(&["recall", &format!("round {round}")]).contains(&format!("round {round}")));
    }
    // Processes of both at once.
    let file = machines[0].write("lines.jsonl", (0..50).map(|n| said(&format!("line {n}")) + "\n").collect::<String>());
    let children: Vec<_> = (0..4)
        .map(|n| {
            let mut command = machines[n % 2].command(&["append", &file]);
            command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().expect("the program starts")
        })
        .collect();
    for mut child in children {
        assert!(child.wait().expect("it ends").success());
    }
    for machine in &machines {
        machine.verify();
        assert_eq!(machine.events(), 206);
    }
    assert_eq!(machines[0].ok(&["digest"]), machines[1].ok(&["digest"]));
    assert_eq!(cluster.sql("SELECT count(*) FROM idetic.events"), "206");
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn what_is_purged_is_in_no_row() {
    let cluster = Cluster::start();
    let place = machine(&cluster.url());
    place.append(&[said("The canary is called xylo-7731"), said("Nothing else"), said("Something else")]);
    let rows = "SELECT count(*) FROM idetic.events WHERE position('xylo-7731'::bytea IN sealed) > 0";
    assert_eq!(cluster.sql(rows), "1");
    let purged = place.run(&["purge", "--matching", "xylo-7731", "--yes"]);
    assert_eq!(purged.code, 0, "{purged:?}");
    assert_eq!(cluster.sql(rows), "0");
    assert!(!place.ok(&["export"]).contains("xylo-7731"));
    place.verify();
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn a_database_that_is_away_or_set_back_is_said_and_nothing_is_lost() {
    let mut cluster = Cluster::start();
    let place = machine(&cluster.url());
    place.ok(&["remember", "before"]);
    cluster.crash();
    let (why, hint) = place.run(&["remember", "meanwhile"]).refused(5);
    assert!(why.contains("PostgreSQL") && why.contains(&cluster.port().to_string()), "{why}");
    assert!(hint.contains("log.url"), "{hint}");
    cluster.start_again();
    place.ok(&["remember", "after"]);
    assert_eq!(place.events(), 2);
    let doctor = place.run(&["doctor"]);
    assert!(doctor.out.contains("PostgreSQL") && doctor.out.contains("fsync"), "{}", doctor.out);
    cluster.sql(
        "DELETE FROM idetic.events WHERE seq = 2; UPDATE idetic.spaces s SET seq = 1, hash = e.hash, \
         recorded_at = e.recorded_at FROM idetic.events e WHERE e.space = s.space AND e.seq = 1",
    );
    let (why, _) = place.run(&["recall", "after"]).refused(1);
    assert!(why.contains("events 2 to 2 are missing"), "{why}");
}

#[test]
fn an_address_that_cannot_be_used_is_refused_with_its_reason() {
    for (url, said) in [("mysql://db/memory", "postgres://"), ("postgres://db/m?sslmode=prefer", "sslmode=prefer")] {
        let (why, _) = machine(url).run(&["status"]).refused(2);
        assert!(why.contains("log.url") && why.contains(said), "{why}");
    }
    let place = Place::new();
    let (why, hint) = place.run(&["migrate"]).refused(2);
    assert!(why.contains("nothing to migrate") && hint.contains("log.url"), "{why} {hint}");
    let mut command = place.command(&["config", "show"]);
    command.env("IDETIC_LOG_URL", "postgres://ann:s3cret@127.0.0.1:1/memory");
    let shown = String::from_utf8(command.output().expect("the program starts").stdout).expect("a text");
    let line = shown.lines().find(|line| line.starts_with("log.url")).expect("a line");
    assert!(line.contains("postgres://ann:[masked]@127.0.0.1:1/memory"), "{line}");
    assert!(line.contains("IDETIC_LOG_URL"), "{line}");
    // A log that is in the folder is not put out of sight.
    place.ok(&["remember", "here"]);
    set_log(&place, "postgres://ann@127.0.0.1:1/memory");
    let (why, hint) = place.run(&["status"]).refused(2);
    assert!(why.contains("holds a log of its own") && hint.contains("idetic move"), "{why} {hint}");
}
