//! Two branches of one project joined by real git: no conflict, no loss, and no clone that takes the result for a forgery.

use std::collections::BTreeMap;

use crate::suite::markdown::{CONTEXT, GRAPH, LOG, Project, TODO, Told, block, clock};
use crate::suite::place::Place;

const EVENTS: usize = 20;
const BASE: [&str; 2] = ["Begin with the application", "Decide how the parts talk"];

/// A project with two events that both branches know.
fn begun(place: &Place) -> Project<'_> {
    let project = Project::in_git(place, "one");
    project.append("create", "app", BASE[0], &["--detail", "entity=app"]);
    project.append("decision", "app", BASE[1], &["--detail", "entity=app", "--ref", "evt-001"]);
    project.ok(&["md", "shutdown", "--commit", "The base"]);
    project
}

fn summary(side: &str, n: usize) -> String {
    format!("Work on the {side} as step {n}")
}

/// What the event refers to, by the summaries of those.
fn refs_of(side: &str, n: usize) -> Vec<String> {
    match n % 4 {
        1 => vec![summary(side, n - 1)],
        2 => vec![BASE[1].to_owned()],
        3 => vec![summary(side, n - 2), summary(side, n - 3)],
        _ => Vec::new(),
    }
}

/// Appends the events of one side, each referring to earlier ones of its own, and commits them.
fn work(project: &Project, side: &str) {
    let mut numbers: BTreeMap<String, u64> = project.told().into_iter().map(|e| (e.summary, e.number)).collect();
    for n in 0..EVENTS {
        let (kind, entity) = if n == 0 { ("create", "entity") } else { ("modify", "entity") };
        let mut more = vec!["--detail".to_owned(), format!("{entity}={side}_part_{}", n % 5)];
        for told in refs_of(side, n) {
            more.extend(["--ref".to_owned(), format!("evt-{:03}", numbers[&told])]);
        }
        let more: Vec<&str> = more.iter().map(String::as_str).collect();
        numbers.insert(summary(side, n), project.append(kind, side, &summary(side, n), &more));
    }
    project.ok(&["md", "shutdown", "--commit", &format!("The work on the {side}")]);
}

/// No file has a mark of a conflict.
fn has_no_marks(project: &Project) {
    for (path, bytes) in project.files() {
        let text = String::from_utf8_lossy(&bytes);
        let mark = text.lines().find(|l| ["<<<<<<<", "=======", ">>>>>>>", "|||||||"].iter().any(|m| l.starts_with(m)));
        assert_eq!(mark, None, "{}", path.display());
    }
}

/// Everything of the base and both sides is there once, and every reference leads to what it led to.
fn has_all(project: &Project, sides: &[&str]) {
    let events = project.told();
    let mut wanted: BTreeMap<String, usize> = BASE.iter().map(|summary| ((*summary).to_owned(), 1)).collect();
    wanted.extend(sides.iter().flat_map(|side| (0..EVENTS).map(move |n| (summary(side, n), 1))));
    assert_eq!(project.summaries(), wanted, "in {}", project.folder.display());
    project.is_sequential();
    let by_number: BTreeMap<u64, &Told> = events.iter().map(|event| (event.number, event)).collect();
    for side in sides {
        for n in 0..EVENTS {
            let event = events.iter().find(|event| event.summary == summary(side, n)).expect("it was found");
            let led: Vec<&str> = event.refs.iter().map(|number| by_number[number].summary.as_str()).collect();
            assert_eq!(led, refs_of(side, n), "the references of {}", event.summary);
        }
    }
}

/// Boots and finds nothing wrong; the log is sound, and nothing more is to be done.
fn settles(project: &Project) {
    project.sync();
    project.boot();
    project.validate();
    project.verify();
    assert_eq!(project.json(&["md", "sync"])["files"], serde_json::json!([]), "in {}", project.folder.display());
}

fn are_equal(projects: &[&Project]) {
    for path in [LOG, GRAPH, CONTEXT] {
        for project in &projects[1..] {
            let (first, other) = (projects[0].read(path), project.read(path));
            let differs = first.lines().zip(other.lines()).find(|(one, two)| one != two);
            assert!(first == other, "{path} of {} differs: {differs:?}", project.folder.display());
        }
    }
}

/// Joins the second branch into the first, and then all clones have the same.
fn joined(ours: &str, theirs: &str) {
    let place = Place::bare();
    let one = begun(&place);
    let two = one.cloned("two");
    one.git(&["checkout", "--quiet", "-b", ours]);
    two.git(&["checkout", "--quiet", "-b", theirs]);
    work(&one, ours);
    work(&two, theirs);
    // Two more have seen one of the branches, or the other.
    let three = one.cloned("three");
    let four = two.cloned("four");
    for clone in [&three, &four] {
        settles(clone);
    }
    one.git(&["fetch", "--quiet", "../two", theirs]);
    let merged = one.run_git(&["merge", "--no-edit", "FETCH_HEAD"]);
    assert_eq!(merged.code, 0, "{merged:?}");
    has_no_marks(&one);
    has_all(&one, &[ours, theirs]);
    settles(&one);
    has_all(&one, &[ours, theirs]);
    one.ok(&["md", "shutdown", "--commit", "Joined"]);
    assert_eq!(one.git(&["status", "--porcelain"]), "", "everything is committed");
    for clone in [&two, &three, &four] {
        let pulled = clone.run_git(&["pull", "--quiet", "--ff-only", "../one", ours]);
        assert_eq!(pulled.code, 0, "{pulled:?}");
        settles(clone);
        has_all(clone, &[ours, theirs]);
        assert_eq!(clone.git(&["status", "--porcelain"]), "", "the pulled files are what the log says");
    }
    are_equal(&[&one, &two, &three, &four]);
}

#[test]
fn two_branches_are_joined_and_no_clone_sees_a_forgery() {
    joined("left", "right");
}

/// One clone joins the second into the first, another the first into the second; then these two are joined.
#[test]
fn joins_in_both_directions_can_be_joined_again() {
    let place = Place::bare();
    let one = begun(&place);
    let two = one.cloned("two");
    one.git(&["checkout", "--quiet", "-b", "left"]);
    two.git(&["checkout", "--quiet", "-b", "right"]);
    work(&one, "left");
    work(&two, "right");
    one.git(&["fetch", "--quiet", "../two", "right:right"]);
    two.git(&["fetch", "--quiet", "../one", "left:left"]);
    one.git(&["merge", "--quiet", "--no-edit", "right"]);
    two.git(&["merge", "--quiet", "--no-edit", "left"]);
    for (project, sides) in [(&one, ["left", "right"]), (&two, ["right", "left"])] {
        has_all(project, &sides);
        settles(project);
        project.ok(&["md", "shutdown", "--commit", "Joined here"]);
    }
    one.git(&["fetch", "--quiet", "../two", "right"]);
    let merged = one.run_git(&["merge", "--no-edit", "FETCH_HEAD"]);
    assert_eq!(merged.code, 0, "{merged:?}");
    has_no_marks(&one);
    has_all(&one, &["left", "right"]);
    settles(&one);
    one.ok(&["md", "shutdown", "--commit", "Joined at last"]);
    two.git(&["pull", "--quiet", "--ff-only", "../one", "left"]);
    settles(&two);
    has_all(&two, &["left", "right"]);
    are_equal(&[&one, &two]);
}

/// The branch that comes in may have been written earlier than what it comes behind.
#[test]
fn a_branch_that_was_written_earlier_breaks_no_rule() {
    let place = Place::bare();
    let one = Project::in_git(&place, "one");
    one.write_by_hand(&block(1, &clock(600), BASE[0], "none"));
    one.sync();
    one.commit("The base");
    let two = one.cloned("two");
    two.write_by_hand(&block(2, &clock(500), "The early bird was here", "evt-001"));
    two.sync();
    two.commit("Early");
    one.write_by_hand(&block(2, &clock(400), "The late bird was here", "evt-001"));
    one.sync();
    one.commit("Late");
    one.git(&["pull", "--quiet", "--no-rebase", "--no-edit", "../two", "main"]);
    one.is_sequential();
    let summaries = one.summaries();
    assert_eq!((summaries["The early bird was here"], summaries["The late bird was here"]), (1, 1));
    one.boot();
    one.validate();
    // And the other way about.
    two.git(&["pull", "--quiet", "--no-rebase", "--no-edit", "../one", "main"]);
    two.boot();
    two.validate();
}

/// A clone whose branches are switched: what stands on the other branch is not deleted.
#[test]
fn branches_may_be_switched_in_one_clone() {
    let place = Place::bare();
    let one = begun(&place);
    one.git(&["branch", "right"]);
    one.git(&["checkout", "--quiet", "-b", "left"]);
    work(&one, "left");
    one.git(&["checkout", "--quiet", "right"]);
    let answer = one.run(&["md", "boot"]);
    assert_eq!(answer.code, 0, "the events of the other branch are taken for deleted: {answer:?}");
    work(&one, "right");
    let merged = one.run_git(&["merge", "--no-edit", "left"]);
    assert_eq!(merged.code, 0, "{merged:?}");
    has_no_marks(&one);
    has_all(&one, &["right", "left"]);
    settles(&one);
}

/// The same, but looked at only when both are joined.
#[test]
fn branches_that_were_switched_in_one_clone_are_whole_once_they_are_joined() {
    let place = Place::bare();
    let one = begun(&place);
    one.git(&["branch", "right"]);
    one.git(&["checkout", "--quiet", "-b", "left"]);
    work(&one, "left");
    one.git(&["checkout", "--quiet", "right"]);
    for n in 0..EVENTS {
        let clock = clock(0);
        let number = one.told().last().map_or(1, |event| event.number + 1);
        let refs = refs_of("right", n);
        let number_of =
            |told: &String| one.told().iter().find(|e| e.summary == *told).map(|e| format!("evt-{:03}", e.number));
        let refs: Vec<String> = refs.iter().filter_map(number_of).collect();
        let refs = if refs.is_empty() { "none".to_owned() } else { refs.join(", ") };
        one.write_by_hand(&block(number, &clock, &summary("right", n), &refs));
    }
    one.commit("The work on the right");
    let merged = one.run_git(&["merge", "--no-edit", "left"]);
    assert_eq!(merged.code, 0, "{merged:?}");
    has_no_marks(&one);
    has_all(&one, &["right", "left"]);
    one.sync();
    has_all(&one, &["right", "left"]);
    one.verify();
}

/// Without the driver git leaves a conflict; somebody keeps both sides, and two events have each number.
#[test]
fn a_conflict_that_somebody_resolved_by_keeping_both_sides_is_put_in_order() {
    let place = Place::bare();
    let one = begun(&place);
    let two = one.cloned("two");
    let base = one.read(LOG);
    work(&one, "left");
    work(&two, "right");
    let (ours, theirs) = (one.read(LOG), two.read(LOG));
    for section in ["merge.idetic", "merge.idetic-derived"] {
        one.git(&["config", "--remove-section", section]);
    }
    let pulled = one.run_git(&["pull", "--no-rebase", "--no-edit", "../two", "main"]);
    assert_ne!(pulled.code, 0, "git alone cannot join them: {pulled:?}");
    let added = theirs.strip_prefix(&base).expect("events are only added");
    one.write(LOG, &format!("{ours}{added}"));
    for path in [GRAPH, CONTEXT, TODO] {
        one.git(&["checkout", "--ours", "--", path]);
    }
    one.commit("Joined by hand");
    let before: Vec<u64> = one.told().iter().map(|event| event.number).collect();
    assert!(!before.is_sorted(), "every number of a side is there twice");
    one.sync();
    has_no_marks(&one);
    has_all(&one, &["left", "right"]);
    settles(&one);
    one.ok(&["md", "shutdown", "--commit", "In order"]);
    two.git(&["pull", "--quiet", "--no-rebase", "--no-edit", "../one", "main"]);
    settles(&two);
    has_all(&two, &["left", "right"]);
    are_equal(&[&one, &two]);
}

/// Tasks that both branches moved stand in TODO.md once.
#[test]
fn the_tasks_of_two_branches_stand_in_the_list_once() {
    let place = Place::bare();
    let one = begun(&place);
    let task = |project: &Project, kind: &str, name: &str, status: &str| {
        let (name, status) = (format!("task={name}"), format!("status={status}"));
        let summary = format!("Say of {name} that {status} holds");
        project.append(kind, "app", &summary, &["--detail", &name, "--detail", &status]);
    };
    task(&one, "create", "shared_task", "active");
    one.ok(&["md", "shutdown", "--commit", "A task"]);
    let two = one.cloned("two");
    task(&one, "modify", "shared_task", "completed");
    task(&one, "create", "left_task", "active");
    task(&two, "create", "right_task", "active");
    for project in [&one, &two] {
        project.ok(&["md", "shutdown", "--commit", "More"]);
    }
    one.git(&["pull", "--quiet", "--no-rebase", "--no-edit", "../two", "main"]);
    one.boot();
    one.validate();
    let todo = one.read(TODO);
    for (name, is_done) in [("shared_task", true), ("left_task", false), ("right_task", false)] {
        let lines: Vec<&str> = todo.lines().filter(|line| line.contains(name)).collect();
        assert_eq!(lines.len(), 1, "{name} is there once:\n{todo}");
        assert_eq!(lines[0].starts_with("- [x]"), is_done, "{todo}");
    }
}
