//! Two branches that gave one number to two events, and events that were tampered with: git's history tells which is which.

use crate::suite::markdown::{AGENTS, CONTEXT, GRAPH, LOG, Project, TODO, block, clock};
use crate::suite::place::Place;

fn work(project: &Project, what: &str, more: &[&str]) -> u64 {
    let entity = format!("entity={what}");
    let number = project.append(
        "modify",
        what,
        &format!("The thing {what} was changed"),
        &[&["--detail", entity.as_str()], more].concat(),
    );
    project.ok(&["md", "shutdown", "--commit", what]);
    number
}

/// A project with a first event, and a clone of it in which a colleague made the second.
fn two(place: &Place) -> (Project<'_>, Project<'_>) {
    let one = Project::in_git(place, "one");
    work(&one, "first", &[]);
    let other = one.cloned("other");
    (one, other)
}

fn names(project: &Project) -> Vec<String> {
    let events = project.told().into_iter();
    events.map(|event| event.summary.replace("The thing ", "").replace(" was changed", "")).collect()
}

#[test]
fn a_colleague_s_event_with_the_number_of_mine_is_not_called_an_edit() {
    let place = Place::bare();
    let (one, other) = two(&place);
    assert_eq!(work(&other, "theirs", &[]), 2);
    one.git(&["checkout", "--quiet", "-b", "feature"]);
    assert_eq!(work(&one, "mine", &[]), 2);
    one.git(&["checkout", "--quiet", "main"]);
    one.git(&["pull", "--quiet", "--ff-only", "../other", "main"]);
    one.boot();
    one.validate();
    assert_eq!(names(&one), ["first", "theirs"]);
    let said = one.read(CONTEXT) + &one.read(GRAPH);
    assert!(said.contains("theirs") && !said.contains("mine"), "{said}");
    assert_eq!(one.git(&["status", "--porcelain"]), "", "what the colleague committed is what follows");
    one.git(&["merge", "--quiet", "--no-edit", "feature"]);
    one.boot();
    one.validate();
    let mut both = names(&one);
    both.sort();
    assert_eq!(both, ["first", "mine", "theirs"]);
}

#[test]
fn every_mention_of_a_renumbered_event_follows() {
    let place = Place::bare();
    let (one, other) = two(&place);
    work(&other, "theirs", &[]);
    one.append("create", "mine", "Begin what is mine", &["--detail", "task=mine"]);
    let args = ["--detail", "cause=see evt-002", "--detail", "entity=mine", "--ref", "evt-002"];
    one.append("modify", "mine", "Go on as evt-002 began it", &args);
    let handoff = ["md", "handoff", "--to", "tester", "--agent", "builder", "--artifact", "evt-002", "--json"];
    let payload = one.ok(&handoff);
    let todo = one.read(TODO).replace("## Backlog", "- [ ] **Look again** — after evt-002 and evt-001\n\n## Backlog");
    one.write(TODO, &todo);
    one.ok(&["md", "shutdown", "--commit", "mine"]);
    one.git(&["pull", "--quiet", "--no-rebase", "--no-edit", "../other", "main"]);
    one.boot();
    one.validate();
    let events = one.told();
    let mine = events.iter().find(|event| event.summary == "Begin what is mine").expect("it is there").number;
    let id = format!("evt-{mine:03}");
    let log = one.read(LOG);
    assert!(log.contains(&format!("Go on as {id} began it")), "{log}");
    assert!(log.contains(&format!("- cause: see {id}\n- entity: mine\n")), "{log}");
    assert!(log.contains(&format!("**Refs**: {id}")), "{log}");
    assert!(log.contains(&format!("artifacts: {id}")), "{log}");
    assert!(one.read(TODO).contains(&format!("after {id} and evt-001")), "{}", one.read(TODO));
    // The payload that was written before finds its event.
    one.write("payload.json", &payload);
    one.ok(&["md", "boot", "--agent", "tester", "--handoff", "payload.json"]);
}

#[test]
fn an_edit_or_a_deletion_is_found_in_a_fresh_clone_with_its_commit() {
    let place = Place::bare();
    let (one, _) = two(&place);
    for what in ["second", "third", "fourth"] {
        work(&one, what, &[]);
    }
    one.validate();
    let log = one.read(LOG);
    let begin = log.find("### evt-003").expect("it is there");
    let end = log.find("### evt-004").expect("it is there");
    let forged = format!("{}{}", &log[..begin], &log[end..]).replace("thing second was", "thing second never was");
    one.write(LOG, &forged);
    one.git(&["commit", "--quiet", "--all", "--no-verify", "--message", "forge"]);
    let commit = one.git(&["rev-parse", "HEAD"])[..10].to_owned();
    let fresh = Project::bare(&place, "fresh");
    fresh.git(&["clone", "--quiet", one.folder.to_str().expect("plain"), "."]);
    let check = |project: &Project, command: &str| {
        let said: Vec<(String, String)> = project
            .troubles(command)
            .iter()
            .map(|t| {
                (
                    t["rule"].as_str().unwrap_or_default().to_owned(),
                    t["message"].as_str().unwrap_or_default().to_owned(),
                )
            })
            .filter(|(rule, _)| ["edited", "deleted", "reordered"].contains(&rule.as_str()))
            .collect();
        assert_eq!(said.len(), 2, "{said:?}");
        assert!(
            said.iter().any(|(rule, m)| rule == "edited" && m.contains("evt-002") && m.contains(&commit)),
            "{said:?}"
        );
        assert!(
            said.iter().any(|(rule, m)| rule == "deleted" && m.contains("evt-003") && m.contains(&commit)),
            "{said:?}"
        );
    };
    check(&fresh, "validate");
    check(&fresh, "sync");
    check(&fresh, "validate");
    fresh.name_committer();
    fresh.git(&["revert", "--no-edit", &commit]);
    fresh.sync();
    fresh.validate();
    assert_eq!(names(&fresh), ["first", "second", "third", "fourth"]);
}

#[test]
fn events_that_change_places_are_called_reordered() {
    let place = Place::bare();
    let (one, _) = two(&place);
    for what in ["second", "third"] {
        work(&one, what, &[]);
    }
    let log = one.read(LOG);
    let at = |name: &str| log.find(name).expect("it is there");
    let (two, three) = (at("### evt-002"), at("### evt-003"));
    let moved = format!("{}{}\n\n{}", &log[..two], log[three..].trim_end(), &log[two..three]);
    one.write(LOG, moved.trim_end());
    let rules = |project: &Project| -> Vec<String> {
        let troubles = project.troubles("validate");
        troubles.iter().map(|trouble| trouble["rule"].as_str().unwrap_or_default().to_owned()).collect()
    };
    let said = rules(&one);
    assert!(said.contains(&"reordered".to_owned()) && !said.contains(&"edited".to_owned()), "{said:?}");
    one.git(&["commit", "--quiet", "--all", "--no-verify", "--message", "move"]);
    let fresh = Project::bare(&place, "fresh");
    fresh.git(&["clone", "--quiet", one.folder.to_str().expect("plain"), "."]);
    let said = rules(&fresh);
    assert!(said.contains(&"reordered".to_owned()) && !said.contains(&"edited".to_owned()), "{said:?}");
}

#[test]
fn a_box_that_is_ticked_by_hand_is_an_event() {
    let place = Place::bare();
    let project = Project::plain(&place, "project");
    project.append("create", "docs", "Plan to write the guide", &["--detail", "task=guide"]);
    project.write(TODO, &project.read(TODO).replace("- [ ] **guide**", "- [x] **guide**"));
    project.sync();
    assert!(project.read(TODO).contains("- [x] **guide**"), "{}", project.read(TODO));
    let events = project.told();
    assert_eq!(events.len(), 2, "{events:?}");
    assert!(events[1].summary.contains("guide"), "{events:?}");
    assert!(project.read(GRAPH).contains("| guide | task | completed |"), "{}", project.read(GRAPH));
    project.sync();
    project.validate();
    assert_eq!(project.told().len(), 2, "once");
}

#[test]
fn a_handoff_is_committed_and_its_terms_are_shown() {
    let place = Place::bare();
    let project = Project::in_git(&place, "one");
    let payload = project.json(&[
        "md",
        "handoff",
        "--to",
        "tester",
        "--agent",
        "builder",
        "--commit",
        "--constraint",
        "No network",
        "--boundary",
        "Leave the schema",
        "--invariant",
        "Tests pass",
    ]);
    let head = project.git(&["rev-parse", "HEAD"]).trim().to_owned();
    assert_eq!(payload["files"]["committed"], head.as_str(), "{payload}");
    assert_eq!(project.git(&["status", "--porcelain"]), "");
    assert_eq!(payload["state"]["constraints"][0], "No network");
    assert_eq!(payload["state"]["boundaries"][0], "Leave the schema");
    assert_eq!(payload["state"]["invariants"][0], "Tests pass");
    let boot = project.json(&["md", "boot", "--agent", "tester", "--handoff"]);
    let terms = boot["terms"].to_string();
    assert!(["No network", "Leave the schema", "Tests pass"].iter().all(|term| terms.contains(term)), "{boot}");
}

const FIRST: &str = "# CHANGELOG.md\n\n---\n\n## 2026-02-23 02:00 — Begin the skills\n\n**Type:** decision\n\
    **Scope:** repository\n\n### What\nWe keep skills.\n\n### Next Steps\n- Write [[skill-a]]\n- Test it\n\n---\n\n\
    ## 2026-02-23 01:00 — Add the docs\n\n**Type:** change\n**Scope:** docs\n\n### What\n[[skill-a]] is part of [[pack-1]].\n";

#[test]
fn a_project_in_the_first_layout_stays_in_it() {
    let place = Place::bare();
    let project = Project::bare(&place, "project");
    project.write(LOG, FIRST);
    project.write(AGENTS, "# Rules\n");
    project.boot();
    let (graph, context) = (project.read(GRAPH), project.read(CONTEXT));
    assert!(graph.contains("## Entities") && graph.contains("- [[skill-a]] — skill-a — active — pack-1"), "{graph}");
    assert!(graph.contains("### Part Of\n- [[skill-a]] → [[pack-1]]"), "{graph}");
    assert!(
        context.contains("## Session Summary") && context.contains("1. Write [[skill-a]]\n2. Test it"),
        "{context}"
    );
    project.ok(&[
        "md",
        "append",
        "change",
        "--scope",
        "skill",
        "--summary",
        "Write the first skill",
        "--agent",
        "ann",
        "--detail",
        "why=It was next",
        "--detail",
        "next_steps=Review [[skill-a]]",
        "--detail",
        "cost=low",
    ]);
    let log = project.read(LOG);
    assert!(!log.contains("evt-") && !log.contains("## Event Log"), "{log}");
    let newest = log.find("— Write the first skill").expect("it is there");
    assert!(newest < log.find("— Begin the skills").expect("it is there"), "the newest stands first: {log}");
    assert!(log.contains("### Why\nIt was next\n") && log.contains("### Next Steps\nReview [[skill-a]]"), "{log}");
    assert!(project.read(CONTEXT).contains("1. Review [[skill-a]]"), "{}", project.read(CONTEXT));
    project.validate();
    project.json(&["md", "handoff", "--to", "tester", "--agent", "ann", "--summary", "Over to you"]);
    let log = project.read(LOG);
    assert!(!log.contains("evt-") && log.contains("— Over to you\n\n**Type:** handoff"), "{log}");
    project.ok(&["md", "boot", "--agent", "tester", "--handoff"]);
    project.validate();
    project.verify();
}

#[test]
fn events_without_reserved_details_make_the_graph_and_what_cannot_be_placed_is_told() {
    let place = Place::bare();
    let project = Project::plain(&place, "project");
    let event = |number: u64, kind: &str, scope: &str, summary: &str| {
        format!(
            "### evt-{number:03} | 2026-02-26 12:00 | human | {kind}\n\n**Scope**: {scope}\n**Summary**: {summary}\n\n\
             **Details**:\n- New skill: prose about it\n\n**Refs**: none\n**Tags**: none\n"
        )
    };
    let blocks = [
        event(1, "create", ".agents/skills/flutter-setup, AGENTS.md", "Added the flutter-setup skill"),
        event(2, "milestone", "docs", "All documents are written"),
        event(3, "blocker", "release", "The certificate has expired"),
        event(4, "test", "nowhere", "Tried something out"),
    ];
    project.write_by_hand(&blocks.join("\n"));
    project.sync();
    let (graph, context) = (project.read(GRAPH), project.read(CONTEXT));
    for node in ["| flutter-setup | component |", "| docs | component |", "| milestone |"] {
        assert!(graph.contains(node), "{node}: {graph}");
    }
    assert!(!graph.contains("AGENTS.md"), "what was made is in the summary: {graph}");
    assert!(context.contains("## Blockers\n\n- The certificate has expired — evt-003"), "{context}");
    let answer = project.run(&["md", "validate", "--json"]);
    assert!(answer.out.contains("unplaced") && answer.out.contains("evt-004"), "{answer:?}");
    project.append("fix", "release", "Renew the certificate for the release", &["--ref", "evt-003"]);
    assert!(project.read(CONTEXT).contains("## Blockers\n\n- (none)"), "{}", project.read(CONTEXT));
}

#[test]
fn a_context_that_is_missing_is_made_from_scratch() {
    let place = Place::bare();
    let (one, _) = two(&place);
    one.boot();
    let before = one.read(CONTEXT);
    std::fs::remove_file(one.path(CONTEXT)).expect("it is there");
    one.boot();
    assert_eq!(one.read(CONTEXT), before);
}

/// A block as `block` writes it, an hour ago.
fn old(number: u64, summary: &str, refs: &str) -> String {
    block(number, &clock(60), summary, refs)
}

#[test]
fn what_refers_to_an_event_whose_words_follow_other_numbers_stays_known() {
    let place = Place::bare();
    let one = Project::in_git(&place, "one");
    let begin = one.read(LOG);
    let (start, aside) = ("Start with the work", "Look into it aside");
    let written = |first: &str, second: &str, named: &str| {
        let third = old(3, &format!("Go on because of {named}"), named);
        let blocks = [old(1, first, "none"), old(2, second, "none"), third, old(4, "Finish all the work", "evt-003")];
        one.write(LOG, &format!("{begin}\n{}", blocks.join("\n")));
        one.commit(first);
    };
    one.git(&["checkout", "--quiet", "-b", "other"]);
    written(aside, start, "evt-002");
    one.git(&["checkout", "--quiet", "main"]);
    written(start, aside, "evt-001");
    one.boot();
    one.git(&["reset", "--quiet", "--hard", "other"]);
    for _ in 0..2 {
        one.boot();
        one.validate();
        assert_eq!(one.read(CONTEXT).matches("Finish all the work").count(), 1, "{}", one.read(CONTEXT));
    }
}

#[test]
fn what_is_deleted_after_it_was_away_counts_as_in_a_fresh_clone() {
    let place = Place::bare();
    let (one, _) = two(&place);
    one.git(&["checkout", "--quiet", "-b", "feature"]);
    work(&one, "mine", &[]);
    one.git(&["checkout", "--quiet", "main"]);
    one.boot();
    one.git(&["merge", "--quiet", "--no-edit", "feature"]);
    let log = one.read(LOG);
    let start = log.find("### evt-002").expect("it is there");
    one.write(LOG, &log[..start]);
    one.git(&["commit", "--quiet", "--all", "--no-verify", "--message", "delete"]);
    let fresh = Project::bare(&place, "fresh");
    fresh.git(&["clone", "--quiet", one.folder.to_str().expect("temporary folders have plain names"), "."]);
    for project in [&one, &fresh] {
        project.run(&["md", "init"]);
        let said = project.run(&["md", "boot"]);
        assert!(said.code <= 1, "{said:?}");
        let troubles = project.troubles("validate");
        assert!(troubles.iter().any(|t| t["rule"] == "deleted" && t["event"] == "evt-002"), "{troubles:?}");
        assert!(project.read(GRAPH).contains("| mine |"), "{}", project.read(GRAPH));
    }
    assert_eq!(one.read(GRAPH), fresh.read(GRAPH));
    assert_eq!(one.read(CONTEXT), fresh.read(CONTEXT));
}

#[test]
fn what_refers_to_a_deleted_event_is_no_edit_when_that_is_put_back() {
    let place = Place::bare();
    let (one, _) = two(&place);
    work(&one, "second", &[]);
    let log = one.read(LOG);
    let start = log.find("### evt-002").expect("it is there");
    let behind = block(3, &clock(0), "Go on with it", "evt-002");
    one.write(LOG, &format!("{}{behind}", &log[..start]));
    assert!(one.troubles("sync").iter().all(|t| t["rule"] == "deleted"));
    one.write(LOG, &format!("{log}\n{behind}"));
    one.boot();
    one.validate();
    assert_eq!(names(&one), ["first", "second", "Go on with it"]);
}

/// A project whose first event is older than others, and a clone of it.
fn two_with_an_old_event(place: &Place) -> (Project<'_>, Project<'_>) {
    let one = Project::in_git(place, "one");
    add(&one, &[block(1, &clock(90), "Begin with the work", "none")]);
    let other = one.cloned("other");
    other.boot();
    (one, other)
}

/// Adds events by hand, and commits them.
fn add(project: &Project, blocks: &[String]) {
    project.write_by_hand(&blocks.join("\n"));
    project.commit("add");
}

/// Changes the changelog by hand, and commits that.
fn tamper(project: &Project, from: &str, to: &str) {
    project.write(LOG, &project.read(LOG).replace(from, to));
    project.commit("tamper");
}

fn pull(project: &Project, from: &str) {
    project.git(&["pull", "--quiet", "--no-rebase", "--no-edit", from, "main"]);
}

/// A clone finds that one event is not as it was, and so does a fresh clone, with the same graph and context.
fn has_one_trouble_as_a_fresh_clone(project: &Project, rule: &str, event: &str) {
    let fresh = Project::bare(project.place, "fresh");
    fresh.git(&["clone", "--quiet", project.folder.to_str().expect("temporary folders have plain names"), "."]);
    for one in [project, &fresh] {
        let answer = one.run(&["md", "boot"]);
        assert_eq!(answer.code, 1, "{answer:?}");
        let troubles = one.troubles("validate");
        let said: Vec<_> = troubles.iter().filter_map(|t| Some((t["rule"].as_str()?, t["event"].as_str()?))).collect();
        let tampered: Vec<_> =
            said.into_iter().filter(|(rule, _)| ["edited", "deleted", "reordered"].contains(rule)).collect();
        assert_eq!(tampered, [(rule, event)], "{troubles:?}");
    }
    assert_eq!(project.read(GRAPH), fresh.read(GRAPH));
    assert_eq!(project.read(CONTEXT), fresh.read(CONTEXT));
}

#[test]
fn what_names_an_edited_event_is_the_same_event_when_a_merge_gives_both_other_numbers() {
    let place = Place::bare();
    let (one, other) = two_with_an_old_event(&place);
    let behind = block(3, &clock(30), "Go on because of evt-002", "evt-002");
    add(&one, &[block(2, &clock(30), "Look into it", "none"), behind]);
    one.boot();
    tamper(&one, "Look into it", "Never look into it");
    add(&other, &[block(2, &clock(60), "Work on something else", "none")]);
    pull(&one, "../other");
    has_one_trouble_as_a_fresh_clone(&one, "edited", "evt-003");
    let context = one.read(CONTEXT);
    assert_eq!(context.matches("Go on because of").count(), 1, "{context}");
}

#[test]
fn an_event_that_was_edited_before_it_came_is_found_behind_what_was_there() {
    for is_committed in [true, false] {
        let place = Place::bare();
        let (one, other) = two_with_an_old_event(&place);
        add(&other, &[block(2, &clock(60), "Work on something else", "none")]);
        other.boot();
        add(&one, &[block(2, &clock(30), "Look into it", "none")]);
        tamper(&one, "Look into it", "Never look into it");
        if is_committed {
            pull(&other, "../one");
        } else {
            other.git(&["pull", "--quiet", "--no-rebase", "--no-commit", "../one", "main"]);
            assert_eq!(other.run(&["md", "boot"]).code, 1, "while the merge goes on");
            other.commit("merge");
        }
        has_one_trouble_as_a_fresh_clone(&other, "edited", "evt-003");
    }
}

#[test]
fn an_event_that_was_deleted_before_it_came_is_found_though_no_file_is_different() {
    let place = Place::bare();
    let (one, other) = two_with_an_old_event(&place);
    let log = one.read(LOG);
    add(&one, &[block(2, &clock(30), "Look into it", "none")]);
    one.write(LOG, &log);
    one.commit("delete");
    pull(&other, "../one");
    has_one_trouble_as_a_fresh_clone(&other, "deleted", "evt-002");
}

#[test]
fn an_edit_that_a_shallow_clone_took_for_an_event_is_known_once_the_history_is_there() {
    let place = Place::bare();
    let (one, _) = two_with_an_old_event(&place);
    add(&one, &[block(2, &clock(30), "Look into it", "none")]);
    tamper(&one, "Look into it", "Never look into it");
    let shallow = Project::bare(&place, "shallow");
    let from = format!("file://{}", one.folder.to_str().expect("temporary folders have plain names"));
    shallow.git(&["clone", "--quiet", "--depth", "1", &from, "."]);
    shallow.name_committer();
    shallow.boot();
    shallow.git(&["fetch", "--quiet", "--unshallow"]);
    add(&one, &[block(3, &clock(20), "Go on with it", "none")]);
    add(&one, &[block(4, &clock(10), "Finish all the work", "none")]);
    pull(&shallow, "../one");
    has_one_trouble_as_a_fresh_clone(&shallow, "edited", "evt-002");
}
