//! Many agents at one CHANGELOG.md at once, with the program and by hand: every number once, nothing lost.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write;
use std::process::Stdio;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::suite::markdown::{CONTEXT, GRAPH, LOG, Project, block, clock, told};
use crate::suite::place::{Answer, Place, is_long_run, say};

const WRITERS: usize = 8;

/// How many events each of them appends.
fn appends() -> usize {
    if is_long_run() { 200 } else { 50 }
}

fn summary(writer: usize, n: usize) -> String {
    format!("Agent {writer} does its task number {n}")
}

/// Runs so many writers at once and gives the numbers that each of them was told.
fn write_together(project: &Project, appends: usize) -> Vec<Vec<u64>> {
    let all_ready = Barrier::new(WRITERS);
    let write = |writer: usize| -> Vec<u64> {
        all_ready.wait();
        let entity = format!("entity=part_{writer}");
        let one = |n: usize| project.append("modify", "app", &summary(writer, n), &["--detail", &entity]);
        (0..appends).map(one).collect()
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..WRITERS).map(|writer| scope.spawn(move || write(writer))).collect();
        threads.into_iter().map(|thread| thread.join().expect("a writer runs to its end")).collect()
    })
}

/// What must be there: every summary once.
fn wanted(appends: usize) -> BTreeMap<String, usize> {
    (0..WRITERS).flat_map(|writer| (0..appends).map(move |n| (summary(writer, n), 1))).collect()
}

#[test]
fn eight_processes_that_append_to_one_changelog_lose_nothing() {
    let place = Place::bare();
    let project = Project::plain(&place, "project");
    let start = Instant::now();
    let numbers = write_together(&project, appends());
    let took = start.elapsed();
    assert_eq!(project.summaries(), wanted(appends()));
    project.is_sequential();
    let events = project.told();
    for (writer, numbers) in numbers.iter().enumerate() {
        for (n, number) in numbers.iter().enumerate() {
            let at = usize::try_from(*number).expect("a small number") - 1;
            assert_eq!(events[at].summary, summary(writer, n), "the number that was told is the event's");
        }
        assert!(numbers.is_sorted(), "a writer's own order is kept");
    }
    let boot = project.boot();
    assert_eq!((&boot["taken_in"], &boot["written"]), (&0.into(), &0.into()), "{boot}");
    project.validate();
    project.verify();
    let graph = project.read(GRAPH);
    assert!((0..WRITERS).all(|writer| graph.contains(&format!("| part_{writer} | component | active |"))), "{graph}");
    say(&format!("figure: 8 processes x {} md append: {took:.1?}", appends()));
}

/// One block with the number behind the last one that is seen.
fn append_by_hand(project: &Project, summary: &str) {
    let next = told(&project.read(LOG)).iter().map(|event| event.number).max().unwrap_or(0) + 1;
    let block = block(next, &clock(0), summary, "none");
    let mut file = OpenOptions::new().append(true).open(project.path(LOG)).expect("the changelog is there");
    file.write_all(format!("\n{block}").as_bytes()).expect("a block can be written");
}

/// Appends blocks as an agent does that has no tool: with the number behind the last one it sees.
fn write_by_hand(project: &Project, is_over: &AtomicBool) -> usize {
    let mut count = 0;
    while !is_over.load(Ordering::Relaxed) || count < 20 {
        append_by_hand(project, &format!("Written by hand as number {count}"));
        count += 1;
        std::thread::sleep(std::time::Duration::from_millis(150));
    }
    count
}

#[test]
fn agents_that_append_by_hand_meanwhile_lose_nothing_either() {
    let place = Place::bare();
    let project = Project::plain(&place, "project");
    let appends = appends() / 2;
    let is_over = AtomicBool::new(false);
    let by_hand = std::thread::scope(|scope| {
        let hand = scope.spawn(|| write_by_hand(&project, &is_over));
        let written = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| write_together(&project, appends)));
        is_over.store(true, Ordering::Relaxed);
        written.expect("every writer runs to its end");
        hand.join().expect("the hand writes to its end")
    });
    let mut wanted = wanted(appends);
    wanted.extend((0..by_hand).map(|n| (format!("Written by hand as number {n}"), 1)));
    let before = project.summaries();
    let lost: Vec<&String> = wanted.keys().filter(|summary| !before.contains_key(*summary)).collect();
    assert!(lost.is_empty(), "{} of {} are lost: {lost:?}", lost.len(), wanted.len());
    project.sync();
    assert_eq!(project.summaries(), wanted);
    project.is_sequential();
    project.boot();
    project.verify();
    assert_eq!(project.sync()["taken_in"], 0, "nothing is taken in twice");
    // A hand that looked at the clock before a minute was over may write behind an event of the next.
    let answer = project.run(&["md", "validate"]);
    let broken: Vec<&str> = answer.out.lines().filter(|line| line.starts_with("error")).collect();
    assert!(broken.iter().all(|line| line.ends_with("[time-order]")), "{answer:?}");
    say(&format!("figure: 8 processes x {appends} md append and {by_hand} blocks by hand: nothing lost"));
}

/// A block that is written after the program has read the changelog and before it is done.
#[test]
fn what_is_written_by_hand_while_the_program_derives_is_taken_in_by_the_next() {
    let place = Place::bare();
    let project = Project::plain(&place, "project");
    project.append("create", "app", "Create the application anew", &["--detail", "entity=app"]);
    for round in 0..10 {
        let before = project.read(CONTEXT);
        let told = format!("Change the application in round {round}");
        let args = ["md", "append", "modify", "--scope", "app", "--summary", &told, "--detail", "entity=app"];
        let mut child = project.command(&args).stderr(Stdio::null()).stdout(Stdio::null()).spawn().expect("it starts");
        while project.read(CONTEXT) == before && child.try_wait().expect("it can be asked").is_none() {
            std::hint::spin_loop();
        }
        let by_hand = format!("Write by hand in round {round}");
        append_by_hand(&project, &by_hand);
        assert!(child.wait().expect("it ends").success());
        project.sync();
        project.is_sequential();
        assert_eq!(project.summaries().get(&by_hand), Some(&1));
        assert!(project.ok(&["export"]).contains(&by_hand), "the log has what was written by hand in round {round}");
        assert!(project.read(CONTEXT).contains(&by_hand), "and the context tells it");
    }
}

#[test]
fn several_projects_in_one_home_keep_apart() {
    let place = Place::new();
    let projects: Vec<Project> = (0..4).map(|n| Project::bare(&place, &format!("project-{n}"))).collect();
    let run = |project: &Project, args: &[&str]| {
        let mut command = project.command(args);
        let answer = Answer::of(command.env("IDETIC_HOME", place.home()).output().expect("the program starts"));
        assert_eq!(answer.code, 0, "{args:?} {answer:?}");
    };
    // The first one takes the usual space; the others begin at once.
    run(&projects[0], &["md", "init"]);
    std::thread::scope(|scope| {
        for (at, project) in projects.iter().enumerate() {
            let run = &run;
            scope.spawn(move || {
                run(project, &["md", "init"]);
                for n in 0..10 {
                    let told = format!("Project {at} does its task number {n}");
                    run(project, &["md", "append", "modify", "--scope", "app", "--summary", &told]);
                }
                run(project, &["md", "boot"]);
                run(project, &["md", "validate"]);
            });
        }
    });
    for (at, project) in projects.iter().enumerate() {
        project.is_sequential();
        let wanted: BTreeMap<String, usize> =
            (0..10).map(|n| (format!("Project {at} does its task number {n}"), 1)).collect();
        assert_eq!(project.summaries(), wanted);
        assert!(!project.has(".idetic"), "the home that was named is the home");
    }
}
