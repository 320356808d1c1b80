//! What people do with git every day: branches back and forth, the stash, a commit undone or picked. No event is doubled,
//! none is called deleted that another branch has, and no number is skipped.

use crate::suite::markdown::{CONTEXT, LOG, Project};
use crate::suite::place::Place;

fn begun(place: &Place) -> Project<'_> {
    let project = Project::in_git(place, "one");
    work(&project, "first");
    project
}

fn work(project: &Project, what: &str) {
    project.append("modify", what, &format!("The thing {what} was changed"), &["--detail", &format!("entity={what}")]);
    project.ok(&["md", "shutdown", "--commit", what]);
}

/// What the changelog tells, in order.
fn told(project: &Project) -> Vec<(u64, String)> {
    project.told().into_iter().map(|event| (event.number, event.summary)).collect()
}

fn of(things: &[&str]) -> Vec<(u64, String)> {
    (1..).zip(things.iter().map(|thing| format!("The thing {thing} was changed"))).collect()
}

fn settles(project: &Project) {
    project.boot();
    project.validate();
    project.is_sequential();
}

#[test]
fn a_local_branch_is_merged_or_picked_without_an_event_twice() {
    for way in [&["merge", "--quiet", "--no-edit", "feature"][..], &["cherry-pick", "feature"]] {
        let place = Place::bare();
        let project = begun(&place);
        project.git(&["checkout", "--quiet", "-b", "feature"]);
        work(&project, "second");
        project.git(&["checkout", "--quiet", "main"]);
        work(&project, "third");
        assert_eq!(told(&project), of(&["first", "third"]), "numbers of another branch are free");
        project.git(way);
        settles(&project);
        settles(&project);
        let mut summaries: Vec<String> = told(&project).into_iter().map(|(_, summary)| summary).collect();
        summaries.sort();
        let mut wanted: Vec<String> =
            of(&["first", "second", "third"]).into_iter().map(|(_, summary)| summary).collect();
        wanted.sort();
        assert_eq!(summaries, wanted, "{way:?}");
    }
}

#[test]
fn an_event_that_belongs_on_a_branch_is_not_missed_on_the_other() {
    let place = Place::bare();
    let project = begun(&place);
    project.append("modify", "second", "The thing second was changed", &[]);
    project.git(&["checkout", "--quiet", "-b", "feature"]);
    project.git(&["commit", "--quiet", "--all", "--message", "second"]);
    project.git(&["checkout", "--quiet", "main"]);
    project.validate();
    settles(&project);
    assert!(!project.read(CONTEXT).contains("second"), "what is not on this branch is not in its context");
    project.git(&["merge", "--quiet", "--no-edit", "feature"]);
    settles(&project);
    assert_eq!(told(&project), of(&["first", "second"]));
}

#[test]
fn what_is_stashed_or_undone_is_away_and_its_number_free() {
    let place = Place::bare();
    let project = begun(&place);
    project.append("modify", "second", "The thing second was changed", &[]);
    project.git(&["stash", "--quiet"]);
    settles(&project);
    project.git(&["stash", "pop", "--quiet"]);
    settles(&project);
    assert_eq!(told(&project), of(&["first", "second"]));
    project.ok(&["md", "shutdown", "--commit", "second"]);
    project.git(&["reset", "--quiet", "--hard", "HEAD~1"]);
    settles(&project);
    work(&project, "third");
    assert_eq!(told(&project), of(&["first", "third"]));
    settles(&project);
}

#[test]
fn an_event_that_a_commit_of_the_branch_had_is_missed() {
    let place = Place::bare();
    let project = begun(&place);
    work(&project, "second");
    project.git(&["revert", "--no-edit", "HEAD"]);
    let answer = project.run(&["md", "validate"]);
    assert_eq!(answer.code, 1, "{answer:?}");
    assert!(answer.out.contains("evt-002 was deleted") && answer.out.contains(LOG), "{answer:?}");
}

#[test]
fn a_hook_of_a_project_in_a_part_of_a_repository_looks_there() {
    let place = Place::bare();
    let whole = Project::in_git(&place, "whole");
    let part = whole.folder.join("packages/app");
    std::fs::create_dir_all(&part).expect("folders");
    let part = part.to_str().expect("a plain name").to_owned();
    whole.ok(&["md", "init", "--hook", "--project", &part]);
    whole.ok(&["md", "append", "create", "--scope", "app", "--summary", "The app was begun here", "--project", &part]);
    whole.git(&["add", "--all"]);
    whole.git(&["commit", "--quiet", "--message", "all"]);
}
