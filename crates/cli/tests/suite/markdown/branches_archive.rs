//! Branches of which one or both moved old events to the archive.

use std::collections::BTreeMap;

use crate::suite::markdown::{ARCHIVE, CONTEXT, GRAPH, LOG, Project, block, clock};
use crate::suite::place::Place;

const EVENTS: u64 = 60;

fn base_summary(n: u64) -> String {
    format!("Write part {n} of the application")
}

/// A project with more events than a changelog should have.
fn long(place: &Place) -> Project<'_> {
    let project = Project::in_git(place, "one");
    let blocks: Vec<String> = (1..=EVENTS)
        .map(|n| {
            block(n, &clock(120), &base_summary(n), &if n > 1 { format!("evt-{:03}", n - 1) } else { "none".into() })
        })
        .collect();
    project.write_by_hand(&blocks.join("\n"));
    project.sync();
    project.ok(&["md", "shutdown", "--no-archive", "--commit", "The base"]);
    project
}

fn archive(project: &Project) {
    project.ok(&["md", "archive"]);
    assert!(project.has(ARCHIVE), "there is an archive");
    assert!(project.read(LOG).contains("<!-- Archived: evt-001 through evt-0"), "{}", project.read(LOG));
    project.validate();
    project.ok(&["md", "shutdown", "--no-archive", "--commit", "Archived"]);
}

fn add(project: &Project, side: &str, count: usize) {
    for n in 0..count {
        project.append(
            "modify",
            "app",
            &format!("Add {n} on the {side}"),
            &["--detail", "entity=app", "--ref", "evt-003"],
        );
    }
    project.ok(&["md", "shutdown", "--no-archive", "--commit", &format!("Added on the {side}")]);
}

/// Everything is there once, over both files, and the reference into the archive still leads where it led.
fn has_all(project: &Project, added: &[(&str, usize)]) {
    project.is_sequential();
    let mut counts: BTreeMap<String, usize> = project.summaries();
    counts.retain(|summary, _| !summary.starts_with("Archived evt-"));
    let mut wanted: BTreeMap<String, usize> = (1..=EVENTS).map(|n| (base_summary(n), 1)).collect();
    for (side, count) in added {
        wanted.extend((0..*count).map(|n| (format!("Add {n} on the {side}"), 1)));
    }
    assert_eq!(counts, wanted, "in {}", project.folder.display());
    let events = project.told();
    for event in events.iter().filter(|event| event.summary.starts_with("Add ")) {
        assert_eq!(event.refs, [3], "{event:?}");
    }
    assert_eq!(project.json(&["md", "get", "evt-003"])["summary"], base_summary(3));
}

fn settles(project: &Project) {
    project.sync();
    project.boot();
    project.validate();
    project.verify();
}

fn merge(into: &Project, from: &str) {
    let merged = into.run_git(&["pull", "--no-rebase", "--no-edit", from, "main"]);
    assert_eq!(merged.code, 0, "{merged:?}");
    for (path, bytes) in into.files() {
        assert!(!String::from_utf8_lossy(&bytes).contains("<<<<<<<"), "{}", path.display());
    }
}

fn are_equal(one: &Project, two: &Project) {
    for path in [LOG, ARCHIVE, GRAPH, CONTEXT] {
        assert!(one.read(path) == two.read(path), "{path}:\n{}\n---\n{}", one.read(path), two.read(path));
    }
}

/// One archives, the other appends; the one that merges is told.
fn one_archives(merger_archives: bool) {
    let place = Place::bare();
    let one = long(&place);
    let two = one.cloned("two");
    let (archiver, adder) = if merger_archives { (&one, &two) } else { (&two, &one) };
    archive(archiver);
    add(adder, "side", 5);
    merge(&one, "../two");
    settles(&one);
    has_all(&one, &[("side", 5)]);
    let archived = |text: &str| text.matches("### evt-").count();
    assert!(archived(&one.read(ARCHIVE)) >= 30, "what was archived stays so");
    one.ok(&["md", "shutdown", "--no-archive", "--commit", "Joined"]);
    merge(&two, "../one");
    settles(&two);
    has_all(&two, &[("side", 5)]);
    are_equal(&one, &two);
}

#[test]
fn one_branch_archives_and_what_the_other_appends_comes_in() {
    one_archives(true);
}

#[test]
fn one_branch_appends_and_what_the_other_archived_goes_out() {
    one_archives(false);
}

#[test]
fn both_branches_archive_and_append() {
    let place = Place::bare();
    let one = long(&place);
    let two = one.cloned("two");
    archive(&one);
    add(&one, "left", 3);
    add(&two, "right", 4);
    archive(&two);
    merge(&one, "../two");
    settles(&one);
    has_all(&one, &[("left", 3), ("right", 4)]);
    one.ok(&["md", "shutdown", "--no-archive", "--commit", "Joined"]);
    merge(&two, "../one");
    settles(&two);
    has_all(&two, &[("left", 3), ("right", 4)]);
    are_equal(&one, &two);
}

#[test]
fn a_third_clone_that_never_archived_sees_no_forgery() {
    let place = Place::bare();
    let one = long(&place);
    let three = one.cloned("three");
    settles(&three);
    archive(&one);
    add(&one, "left", 2);
    let pulled = three.run_git(&["pull", "--quiet", "--ff-only", "../one", "main"]);
    assert_eq!(pulled.code, 0, "{pulled:?}");
    settles(&three);
    has_all(&three, &[("left", 2)]);
    are_equal(&one, &three);
    assert_eq!(three.git(&["status", "--porcelain"]), "", "the pulled files are what the log says");
}
