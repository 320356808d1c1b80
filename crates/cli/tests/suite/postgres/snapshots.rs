//! Snapshots: a machine that joins late starts from what another one derived, and notices a database that was set back.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use tempfile::TempDir;

use super::super::place::{Place, is_long_run, said, say};
use super::super::server::Server;
use super::cluster::Cluster;
use super::{machine, set_log};

const CANARY: &str = "xylo7731";
/// How long a server may take for what it does by itself.
const PATIENCE: Duration = Duration::from_secs(300);

/// A machine that shares snapshots in a folder.
fn sharing(url: &str, shared: &Path) -> Place {
    let place = Place::new();
    share(&place, url, &format!("file://{}", shared.display()));
    place
}

fn share(place: &Place, url: &str, address: &str) {
    set_log(place, url);
    let file = place.home().join("config.toml");
    let before = std::fs::read_to_string(&file).expect("a configuration");
    std::fs::write(&file, format!("{before}snapshots = \"{address}\"\n")).expect("written");
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a temporary folder can be made")
}

/// Every file below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}

/// The files of snapshots of the default space.
fn parts(shared: &Path) -> Vec<PathBuf> {
    let is_part = |path: &PathBuf| path.file_name().is_some_and(|name| name != "head");
    files(&shared.join("local/default")).into_iter().filter(is_part).collect()
}

fn lane_files(place: &Place) -> BTreeSet<String> {
    let names = std::fs::read_dir(place.space().join("lanes")).into_iter().flatten().flatten();
    names.filter_map(|entry| entry.file_name().into_string().ok()).filter(|name| name.ends_with(".lanes")).collect()
}

/// Appends in steps, with a question after each, so that the index has more files than one that is folded at once.
fn fill(place: &Place) {
    for step in 0..3 {
        let lines = (0..300).map(|n| match n % 3 {
            0 => said(&format!("The deploy key number {n} of step {step} is kept in vault {}", n % 7)),
            1 => format!(
                r#"{{"kind":"decision","id":"d{step}-{n}","content":"We chose region {n} for Zoë","tags":["x"]}}"#
            ),
            _ => format!(
                r#"{{"kind":"tool_result","agent_id":"ann","content":"build {n} of {step} passed","trace_id":"t"}}"#
            ),
        });
        place.append(&lines.collect::<Vec<_>>());
        place.ok(&["recall", "vault", "--mode", "lexical"]);
    }
}

/// What machines with the same log must say alike.
fn answers(place: &Place) -> Vec<String> {
    let mut answers: Vec<String> = [
        &["digest"][..],
        &["stats"],
        &["trace", "t"],
        &["recall", "vault 3", "--as-of", "400", "--mode", "lexical", "--json"],
    ]
    .map(|question| place.ok(question))
    .to_vec();
    answers.extend((0..20).map(|n| place.ok(&["recall", &format!("region {n} vault"), "--mode", "lexical", "--json"])));
    answers
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn a_machine_that_joins_late_answers_the_same_with_and_without_a_snapshot() {
    let (cluster, shared) = (Cluster::start(), folder());
    let first = sharing(&cluster.url(), shared.path());
    fill(&first);
    first.ok(&["quarantine", "--matching", "region 7", "--yes"]);
    fill(&first);
    let taken = first.json(&["snapshot"]);
    assert!(taken["done"].as_str().is_some_and(|done| done.contains("snapshot")), "{taken}");
    assert!(!parts(shared.path()).is_empty());
    first.append(&[said("What came after the snapshot is in vault 3")]);
    let expected = answers(&first);
    let (late, without) = (sharing(&cluster.url(), shared.path()), machine(&cluster.url()));
    assert_eq!(answers(&late), expected);
    assert_eq!(answers(&without), expected);
    assert_eq!(late.run(&["verify", "--json"]).code, 0);
    // The files of the snapshot are those of the machine that took it.
    assert_eq!(lane_files(&late), lane_files(&first));
    assert_ne!(lane_files(&without), lane_files(&first));
    assert!(!late.space().join("snapshot").exists(), "nothing is left of the transfer");
    // Of two that are newer the first is removed.
    let before = parts(shared.path());
    first.ok(&["snapshot"]);
    first.ok(&["snapshot"]);
    assert!(before.iter().all(|path| !path.exists()) && !parts(shared.path()).is_empty());
    assert_eq!(cluster.sql("SELECT count(*) FROM idetic.snapshots"), "2");
    let doctor = first.run(&["doctor"]);
    assert!(doctor.out.contains("2 in file://"), "{}", doctor.out);
    let (why, hint) = without.run(&["snapshot"]).refused(2);
    assert!(why.contains("no place") && hint.contains("log.snapshots"), "{why} {hint}");
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn a_snapshot_that_is_damaged_foreign_or_too_new_is_passed_over() {
    let (cluster, shared) = (Cluster::start(), folder());
    let first = sharing(&cluster.url(), shared.path());
    fill(&first);
    let expected = first.ok(&["digest"]);
    let check = |change: &dyn Fn(&Path), said: &str| {
        cluster.sql("DELETE FROM idetic.snapshots");
        first.ok(&["snapshot"]);
        change(shared.path());
        let late = sharing(&cluster.url(), shared.path());
        let answer = late.run(&["digest"]);
        assert_eq!((answer.code, &answer.out), (0, &expected), "{answer:?}");
        assert!(answer.err.contains(said), "{said}: {answer:?}");
        assert_eq!(late.ok(&["digest"]), expected);
        assert!(!late.space().join("snapshot").exists());
    };
    let newest = |shared: &Path, name: &str| {
        let of_name = |path: &PathBuf| path.file_name().is_some_and(|own| own == name);
        parts(shared).into_iter().filter(of_name).max().expect("a part")
    };
    let first_part = |shared: &Path| newest(shared, "part-00000000");
    let flip = |path: &Path| {
        let mut bytes = std::fs::read(path).expect("a part");
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(path, bytes).expect("written");
    };
    check(&|shared| flip(&first_part(shared)), "part-00000000 is not what was written");
    check(&|shared| flip(&newest(shared, "contents")), "contents is not what was written");
    check(&|shared| std::fs::write(first_part(shared), b"").expect("written"), "is not what was written");
    check(
        &|shared| std::fs::remove_file(newest(shared, "part-00000001")).expect("removed"),
        "part-00000001 is missing",
    );
    check(
        &|shared| {
            // Those of another snapshot under this name.
            let (one, other) = (first_part(shared), parts(shared).into_iter().min().expect("a part"));
            std::fs::copy(other, one).map(drop).expect("copied");
        },
        "is not what was written",
    );
    check(&|_| drop(cluster.sql("UPDATE idetic.snapshots SET seq = seq - 1")), "it is of another log");
    check(&|_| drop(cluster.sql("UPDATE idetic.snapshots SET fold = 'newer'")), "of another version of the program");
    // One that cannot be used does not keep those before it from being used.
    cluster.sql("DELETE FROM idetic.snapshots");
    first.ok(&["snapshot"]);
    first.append(&[said("one more")]);
    first.ok(&["snapshot"]);
    flip(&first_part(shared.path()));
    let late = sharing(&cluster.url(), shared.path());
    let answer = late.run(&["digest"]);
    assert_eq!((answer.code, answer.out), (0, first.ok(&["digest"])));
    assert_eq!(lane_files(&late), lane_files(&first));
}

/// A machine that is stopped while it writes a snapshot, where there is no other one.
fn stopped_while_it_writes(cluster: &Cluster, shared: &Path, place: &Place) -> (Child, Pid) {
    loop {
        let mut command = place.command(&["snapshot"]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let process = Pid::from_raw(i32::try_from(child.id()).expect("an id")).expect("a process");
        while parts(shared).is_empty() && child.try_wait().expect("it can be waited for").is_none() {}
        // Unless it has ended.
        let _ = kill_process(process, Signal::STOP);
        let is_listed = cluster.sql("SELECT count(*) FROM idetic.snapshots") != "0";
        if !is_listed && child.try_wait().expect("it can be waited for").is_none() {
            return (child, process);
        }
        // It was too fast.
        let _ = kill_process(process, Signal::KILL);
        child.wait().expect("it ended");
        forget_snapshots(cluster, shared);
    }
}

fn forget_snapshots(cluster: &Cluster, shared: &Path) {
    cluster.sql("DELETE FROM idetic.snapshots");
    parts(shared).iter().for_each(|path| std::fs::remove_file(path).expect("removed"));
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn what_is_purged_is_in_no_snapshot_whoever_takes_one_meanwhile() {
    let (cluster, shared) = (Cluster::start(), folder());
    let [first, other] = std::array::from_fn(|_| sharing(&cluster.url(), shared.path()));
    fill(&first);
    let has_canary = |path: &PathBuf| {
        std::fs::read(path).unwrap_or_default().windows(CANARY.len()).any(|bytes| bytes == CANARY.as_bytes())
    };
    let snapshots = || cluster.sql("SELECT count(*) FROM idetic.snapshots");
    let purge = |round: &str| {
        let purged = other.run(&["purge", "--matching", &format!("{CANARY} {round}"), "--yes"]);
        assert_eq!(purged.code, 0, "{purged:?}");
    };
    // With enough behind it for files of the index.
    let plant = |round: &str| {
        let more = (0..300).map(|n| said(&format!("otter {n} of round {round} swims in pond {}", n % 7)));
        first
            .append(&[said(&format!("The canary {CANARY} {round} grows"))].into_iter().chain(more).collect::<Vec<_>>());
        first.ok(&["recall", "canary", "--mode", "lexical"]);
    };
    // One that is there.
    plant("a");
    first.ok(&["snapshot"]);
    assert_eq!((snapshots().as_str(), parts(shared.path()).iter().any(has_canary)), ("1", false), "it is encrypted");
    assert!(files(&first.home()).iter().any(has_canary), "and was derived");
    purge("a");
    assert_eq!((snapshots().as_str(), parts(shared.path())), ("0", vec![]));
    // One that is being written, by a machine that goes on afterwards, and by one that does not.
    for (round, end) in [("b", Signal::CONT), ("c", Signal::KILL)] {
        plant(round);
        let (mut child, process) = stopped_while_it_writes(&cluster, shared.path(), &first);
        purge(round);
        assert_eq!((snapshots().as_str(), parts(shared.path())), ("0", vec![]), "round {round}");
        kill_process(process, end).expect("it is there");
        let ended = child.wait().expect("it ended");
        assert!(!ended.success(), "what it took is of no use");
        assert_eq!((snapshots().as_str(), parts(shared.path())), ("0", vec![]), "round {round}");
    }
    // On a machine that cannot reach the place nobody can read it any more, and the next one removes it.
    plant("d");
    first.ok(&["snapshot"]);
    let elsewhere = folder();
    let cut_off = sharing(&cluster.url(), &elsewhere.path().join("not-mounted"));
    let purged = cut_off.run(&["purge", "--matching", &format!("{CANARY} d"), "--yes"]);
    assert_eq!(purged.code, 0, "{purged:?}");
    assert!(format!("{}{}", purged.out, purged.err).contains("old snapshots could not be removed"), "{purged:?}");
    assert_eq!((snapshots().as_str(), parts(shared.path()).is_empty()), ("0", false));
    let left = parts(shared.path());
    first.ok(&["snapshot"]);
    assert!(left.iter().all(|path| !path.exists()));
    // What is left answers alike, and has nothing of it.
    let late = sharing(&cluster.url(), shared.path());
    assert_eq!(late.ok(&["digest"]), first.ok(&["digest"]));
    for place in [&first, &other, &late] {
        place.ok(&["recall", "canary", "--mode", "lexical"]);
        assert_eq!(files(&place.home()).into_iter().filter(has_canary).collect::<Vec<_>>(), Vec::<PathBuf>::new());
    }
}

/// Sets the database back to an event, as a restore to an earlier moment does.
fn set_back(cluster: &Cluster, seq: u64) {
    cluster.sql(&format!(
        "DELETE FROM idetic.events WHERE seq > {seq}; DELETE FROM idetic.keys WHERE seq > {seq}; \
         DELETE FROM idetic.snapshots WHERE seq > {seq}; \
         UPDATE idetic.spaces s SET seq = {seq}, hash = e.hash, recorded_at = e.recorded_at \
         FROM idetic.events e WHERE e.space = s.space AND e.seq = {seq}"
    ));
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn a_machine_that_never_saw_the_later_events_notices_that_the_database_was_set_back() {
    let (cluster, shared) = (Cluster::start(), folder());
    let first = sharing(&cluster.url(), shared.path());
    first.append(&(1..=5).map(|n| said(&format!("event {n}"))).collect::<Vec<_>>());
    first.ok(&["snapshot"]);
    set_back(&cluster, 3);
    // Somebody goes on who knows nothing of it.
    let unaware = machine(&cluster.url());
    let late = sharing(&cluster.url(), shared.path());
    let (why, hint) = late.run(&["recall", "event"]).refused(1);
    assert!(why.contains("events 4 to 5 are missing") && hint.contains("--accept-loss"), "{why} {hint}");
    unaware.append(&(4..=9).map(|n| said(&format!("another event {n}"))).collect::<Vec<_>>());
    for question in [&["recall", "event"][..], &["remember", "more"]] {
        let (why, _) = sharing(&cluster.url(), shared.path()).run(question).refused(1);
        assert!(why.contains("event 5 is not the one that was there"), "{why}");
    }
    assert!(late.ok(&["repair", "--accept-loss"]).contains("accepted the log up to event 9"));
    let after = sharing(&cluster.url(), shared.path());
    assert_eq!(after.ok(&["digest"]), late.ok(&["digest"]));
    assert_eq!(after.events(), 10);
    // Set back to before there was any event of the space.
    cluster.sql("DELETE FROM idetic.events; DELETE FROM idetic.keys; DELETE FROM idetic.spaces");
    for question in [&["remember", "more"][..], &["recall", "event"]] {
        // A machine that was there has the empty log of its `init` in the folder: nothing was moved into it.
        for place in [&late, &sharing(&cluster.url(), shared.path())] {
            let (why, _) = place.run(question).refused(1);
            assert!(why.contains("events 1 to 10 are missing"), "{why}");
        }
    }
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn a_snapshot_publishes_nothing_over_a_head_that_tells_of_a_loss() {
    let (cluster, shared) = (Cluster::start(), folder());
    let first = sharing(&cluster.url(), shared.path());
    first.append(&(1..=5).map(|n| said(&format!("event {n}"))).collect::<Vec<_>>());
    first.ok(&["snapshot"]);
    let head = shared.path().join("local/default/head");
    let published = std::fs::read(&head).expect("a head");
    set_back(&cluster, 3);
    forget_snapshots(&cluster, shared.path());
    // It cannot be read while this machine opens the space, and can once the snapshot is taken.
    std::fs::remove_file(&head).expect("removed");
    let late = sharing(&cluster.url(), shared.path());
    fill(&late);
    let (child, process) = stopped_while_it_writes(&cluster, shared.path(), &late);
    std::fs::write(&head, &published).expect("written");
    kill_process(process, Signal::CONT).expect("it is there");
    let ended = child.wait_with_output().expect("it ended");
    let why = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(!ended.status.success() && why.contains("event 5 is not the one that was there"), "{why}");
    assert_eq!(std::fs::read(&head).expect("a head"), published);
    assert!(late.run(&["recall", "vault"]).refused(1).0.contains("event 5 is not the one that was there"));
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn a_move_leaves_no_head_that_would_be_taken_for_a_loss() {
    let (cluster, shared) = (Cluster::start(), folder());
    let first = sharing(&cluster.url(), shared.path());
    first.append(&(1..=3).map(|n| said(&format!("event {n}"))).collect::<Vec<_>>());
    let file = first.arg("three.idetic.gz");
    first.ok(&["backup", &file]);
    first.append(&[said("event 4")]);
    first.ok(&["snapshot"]);
    let head = shared.path().join("local/default/head");
    let published = std::fs::read(&head).expect("a head");
    first.ok(&["move", "--to", "folder"]);
    assert!(!head.exists());
    // One that was left by somebody else is of no log that the database has.
    first.ok(&["restore", &file, "--force"]);
    std::fs::create_dir_all(head.parent().expect("a folder")).expect("made");
    std::fs::write(&head, published).expect("written");
    first.ok(&["move", "--to", &cluster.url()]);
    assert_eq!((first.events(), head.exists()), (3, false));
    // Nor does one keep another home from beginning the space again.
    first.ok(&["snapshot"]);
    first.ok(&["move", "--to", "folder"]);
    let fresh = sharing(&cluster.url(), shared.path());
    fresh.ok(&["remember", "It begins again"]);
    assert_eq!(fresh.events(), 1);
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn a_machine_that_hides_more_than_a_snapshot_says_so_and_folds_the_log() {
    let (cluster, shared) = (Cluster::start(), folder());
    let [first, other] = std::array::from_fn(|_| sharing(&cluster.url(), shared.path()));
    first.append(&(1..=9).map(|n| said(&format!("event {n}"))).collect::<Vec<_>>());
    let hidden = first.json(&["quarantine", "--matching", "event 7", "--yes"]);
    assert!(!other.ok(&["recall", "event", "--mode", "lexical"]).contains("event 7"));
    first.ok(&["quarantine", "--release", hidden["id"].as_str().expect("an id")]);
    first.ok(&["snapshot"]);
    let answer = other.run(&["digest"]);
    assert_eq!((answer.code, &answer.out), (0, &first.ok(&["digest"])), "{answer:?}");
    assert!(answer.err.contains("this machine still hides more events"), "{answer:?}");
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn a_machine_with_imported_events_that_nobody_accepted_uses_no_snapshot() {
    let (cluster, shared) = (Cluster::start(), folder());
    let [first, importing] = std::array::from_fn(|_| sharing(&cluster.url(), shared.path()));
    let other = Place::new();
    other.append(&[said("What a file of somebody else says")]);
    let file = importing.write("theirs.jsonl", other.ok(&["export"]));
    importing.ok(&["import", &file]);
    fill(&first);
    first.ok(&["snapshot"]);
    let late = sharing(&cluster.url(), shared.path());
    for place in [&importing, &late] {
        place.ok(&["recall", "vault", "--mode", "lexical"]);
    }
    assert_eq!(lane_files(&late), lane_files(&first));
    // To the first machine those events are like all others.
    assert_ne!(lane_files(&importing), lane_files(&first));
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn what_others_keep_in_the_folder_stays_and_a_home_is_no_place_for_snapshots() {
    let (cluster, shared) = (Cluster::start(), folder());
    let first = sharing(&cluster.url(), shared.path());
    first.append(&[said("event 1")]);
    let theirs = ["photos/one.jpg", "notes-1-2-march/page"].map(|name| shared.path().join("local/default").join(name));
    for path in &theirs {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, "theirs").expect("written");
    }
    first.ok(&["snapshot"]);
    assert!(theirs.iter().all(|path| path.exists()));
    for inside in [true, false] {
        let place = Place::new();
        let address = if inside { place.space() } else { place.path("") };
        share(&place, &cluster.url(), &format!("file://{}", address.display()));
        let (why, hint) = place.run(&["recall", "event"]).refused(2);
        assert!(why.contains("lie in each other") && hint.contains("log.snapshots"), "{why} {hint}");
    }
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn a_restore_is_no_loss_to_others_and_succeeds_where_the_place_cannot_be_reached() {
    let (cluster, shared) = (Cluster::start(), folder());
    let place = shared.path().join("place");
    std::fs::create_dir(&place).expect("a folder");
    let first = sharing(&cluster.url(), &place);
    first.append(&(1..=3).map(|n| said(&format!("event {n}"))).collect::<Vec<_>>());
    let file = first.arg("three.idetic.gz");
    first.ok(&["backup", &file]);
    let go_on = || {
        first.append(&[said("event 4")]);
        first.ok(&["snapshot"]);
    };
    go_on();
    first.ok(&["restore", &file, "--force"]);
    assert_eq!(sharing(&cluster.url(), &place).events(), 3);
    go_on();
    let away = shared.path().join("away");
    std::fs::rename(&place, &away).expect("renamed");
    let answer = first.run(&["restore", &file, "--force"]);
    let told = format!("{}{}", answer.out, answer.err);
    assert!(answer.code == 0 && told.contains("--accept-loss"), "{answer:?}");
    let status = first.run(&["status", "--json"]);
    assert!(status.code == 0 && status.out.contains("\"events\":3,"), "{status:?}");
    // What was published before is still there then.
    std::fs::rename(&away, &place).expect("renamed");
    assert!(first.run(&["recall", "event"]).refused(1).0.contains("events 4 to 4 are missing"));
    first.ok(&["repair", "--accept-loss"]);
    sharing(&cluster.url(), &place).ok(&["recall", "event"]);
    // The same where the whole log is gone.
    std::fs::rename(&place, &away).expect("renamed");
    cluster.sql("DELETE FROM idetic.events; DELETE FROM idetic.keys; DELETE FROM idetic.spaces");
    let answer = first.run(&["restore", &file, "--force"]);
    assert!(answer.code == 0 && answer.err.contains("set aside in "), "{answer:?}");
    assert!(answer.err.contains("--accept-loss"), "{answer:?}");
    let status = first.run(&["status", "--json"]);
    assert!(status.code == 0 && status.out.contains("\"events\":3,"), "{status:?}");
}

/// Waits until something is so.
fn until(what: &str, is_so: &dyn Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn a_server_publishes_how_far_the_log_has_come_and_notices_when_it_was_set_back() {
    let (cluster, shared) = (Cluster::start(), folder());
    let [first, late] = std::array::from_fn(|_| sharing(&cluster.url(), shared.path()));
    let logged = first.path("server.log");
    let server = Server::logging(&first, &["--open"], &logged);
    for n in 1..=4 {
        server.client().post_in("local/default", "/v1/remember", &json!({"text": format!("event {n}")}));
    }
    let head = shared.path().join("local/default/head");
    until("it is published", &|| {
        std::fs::read_to_string(&head).is_ok_and(|line| line.contains("00000000000000000004 "))
    });
    set_back(&cluster, 2);
    let (why, _) = late.run(&["recall", "event"]).refused(1);
    assert!(why.contains("events 3 to 4 are missing"), "{why}");
    // A server that was idle and saw less: what others append makes it look.
    let published = std::fs::read(&head).expect("a head");
    drop(server);
    let idle = sharing(&cluster.url(), shared.path());
    std::fs::remove_file(&head).expect("removed");
    let server = Server::logging(&idle, &["--open"], &logged);
    server.client().post_in("local/default", "/v1/recall", &json!({"query": "event"}));
    std::fs::write(&head, published).expect("written");
    server.client().post_in("local/default", "/v1/remember", &json!({"text": "event 3 again"}));
    until("it is logged", &|| std::fs::read_to_string(&logged).is_ok_and(|lines| lines.contains("was shortened")));
    let (why, _) = idle.run(&["recall", "event"]).refused(1);
    assert!(why.contains("events 4 to 4 are missing"), "{why}");
}

/// Events of the space in which a new machine's start is measured.
const EVENTS: u64 = 30_000;
const EVENTS_LONG: u64 = 100_000;

/// How long a command takes.
fn seconds(place: &Place, question: &[&str]) -> f64 {
    let begun = Instant::now();
    place.ok(question);
    begun.elapsed().as_secs_f64()
}

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask ci` runs it"]
fn a_new_machine_is_ready_about_as_soon_as_the_files_are_copied() {
    let (cluster, shared) = (Cluster::start(), folder());
    let first = sharing(&cluster.url(), shared.path());
    let events = if is_long_run() { EVENTS_LONG } else { EVENTS };
    let lines =
        |from: u64| -> String {
            (from..from + 10_000).map(|n| {
            let text = format!(
                "In week {} the team of office {} moved the service {} to region {} because the build {n} was slow",
                n % 52, n % 97, n % 1009, n % 31
            );
            said(&text) + "\n"
        }).collect()
        };
    for from in (0..events).step_by(10_000) {
        let file = first.write("lines.jsonl", lines(from));
        first.ok(&["append", &file]);
    }
    let question = ["recall", "which service moved to region 7", "--mode", "lexical", "--json"];
    first.ok(&question);
    // A server takes it by itself.
    let server = Server::open(&first);
    server.client().post_in("local/default", "/v1/recall", &json!({"query": "service", "mode": "lexical"}));
    until("a snapshot is listed", &|| cluster.sql("SELECT count(*) FROM idetic.snapshots") == "1");
    drop(server);
    let (late, without, warm) = (sharing(&cluster.url(), shared.path()), machine(&cluster.url()), first.path("copy"));
    let (begun, mut bytes) = (Instant::now(), 0);
    let taken_of = files(&first.space().join("lanes")).into_iter().chain([first.space().join("views.db")]);
    std::fs::create_dir(&warm).expect("a folder");
    for (number, path) in taken_of.enumerate() {
        let copy = warm.join(number.to_string());
        bytes += std::fs::copy(&path, &copy).expect("copied");
        std::fs::File::open(&copy).and_then(|file| file.sync_all()).expect("flushed");
    }
    let copied = begun.elapsed().as_secs_f64();
    let (ready, folded, warm) = (seconds(&late, &question), seconds(&without, &question), seconds(&first, &question));
    assert_eq!(late.ok(&["digest"]), without.ok(&["digest"]));
    say(&format!(
        "figure: a new machine, {events} events, {} MiB derived: ready in {ready:.2} s with a snapshot, {folded:.2} s without, \
         {warm:.2} s once it has them; copying the files takes {copied:.2} s",
        bytes >> 20
    ));
    assert!(ready < folded, "{ready} s with a snapshot, {folded} s without");
    // The program's start and the question itself take no longer than on a machine that has everything.
    if is_long_run() {
        assert!(ready - warm <= 10.0 * copied, "{ready} s, of which {warm} s for the question; {copied} s to copy");
    }
}
