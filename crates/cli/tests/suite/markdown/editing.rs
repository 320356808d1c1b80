//! A changelog edited by hand: what was changed is named and never taken, what was added is taken in.

use serde_json::{Value, json};

use crate::suite::markdown::{AGENTS, CONTEXT, GRAPH, LOG, Project, TODO, block, clock, record, told};
use crate::suite::place::{Place, json_lines, text};

const SUMMARIES: [&str; 5] = [
    "Create the first part of it all",
    "Create the second part of it all",
    "Decide how both of them talk",
    "Test the first part of it all",
    "Change the second part of it all",
];

/// A project with five events.
fn begun(place: &Place) -> Project<'_> {
    let project = Project::plain(place, "project");
    project.append("create", "app", SUMMARIES[0], &["--detail", "entity=first"]);
    project.append("create", "app", SUMMARIES[1], &["--detail", "entity=second", "--ref", "evt-001"]);
    project.append("decision", "app", SUMMARIES[2], &["--detail", "entity=second", "--ref", "evt-002"]);
    project.append("test", "app", SUMMARIES[3], &["--detail", "target=first", "--detail", "result=pass"]);
    project.append("modify", "app", SUMMARIES[4], &["--detail", "entity=second", "--ref", "evt-003"]);
    project.boot();
    project.validate();
    project
}

/// The line a text first stands on.
fn line_of(project: &Project, wanted: &str) -> u64 {
    let text = project.read(LOG);
    let at = text.lines().position(|line| line.contains(wanted)).unwrap_or_else(|| panic!("no '{wanted}' in {text}"));
    at as u64 + 1
}

/// The blocks of the changelog, and what stands before them.
fn parts(project: &Project) -> (String, Vec<String>) {
    let text = project.read(LOG);
    let mut parts = text.split("### evt-");
    let head = parts.next().expect("a head").to_owned();
    (head, parts.map(|part| format!("### evt-{}\n", part.trim_end())).collect())
}

fn put(project: &Project, head: &str, blocks: &[String]) {
    project.write(LOG, &format!("{head}{}", blocks.join("\n")));
}

fn of_rule<'t>(troubles: &'t [Value], rule: &str) -> Vec<&'t Value> {
    troubles.iter().filter(|trouble| trouble["rule"] == rule).collect()
}

/// Whether all these files say what they said.
fn follow_the_log(project: &Project, before: &[(&str, String)]) {
    for (path, text) in before {
        assert_eq!(&project.read(path), text, "{path} follows the log and not the edit");
    }
}

fn derived<'p>(project: &Project, paths: &[&'p str]) -> Vec<(&'p str, String)> {
    paths.iter().map(|path| (*path, project.read(path))).collect()
}

#[test]
fn an_edited_event_is_named_and_not_taken() {
    let place = Place::bare();
    let project = begun(&place);
    let before = derived(&project, &[GRAPH, CONTEXT, TODO]);
    let original = project.read(LOG);
    project.write(LOG, &original.replace(SUMMARIES[1], "Create something else altogether").replace("second", "third"));
    let line = line_of(&project, "### evt-002");
    for command in ["sync", "validate", "sync"] {
        let troubles = project.troubles(command);
        let edited = of_rule(&troubles, "edited");
        let named = edited.iter().find(|trouble| trouble["event"] == "evt-002").expect("evt-002 is named");
        assert_eq!((text(named, "file"), &named["line"]), (LOG, &line.into()), "{command}: {named}");
        assert!(text(named, "message").contains("evt-002 was edited"), "{named}");
        assert!(!text(named, "remedy").is_empty());
        follow_the_log(&project, &before);
    }
    let answer = project.run(&["md", "validate"]);
    assert!(answer.out.contains(&format!("error {LOG}:{line}: evt-002 was edited")), "{answer:?}");
    let logged = project.ok(&["export"]);
    assert!(!logged.contains("something else altogether"), "an edit is never taken");
    assert_eq!(logged.matches(SUMMARIES[1]).count(), 1, "the log says what it said");
    // Undone, everything is well.
    project.write(LOG, &original);
    project.sync();
    project.validate();
    assert_eq!(project.read(LOG), original);
    project.verify();
}

#[test]
fn an_event_that_refers_to_an_edited_one_is_not_taken_for_edited() {
    let place = Place::bare();
    let project = begun(&place);
    let text = project.read(LOG).replace(SUMMARIES[1], "Create something else altogether");
    project.write(LOG, &text);
    let troubles = project.troubles("sync");
    let named: Vec<&Value> = troubles.iter().map(|trouble| &trouble["event"]).collect();
    assert_eq!(named, ["evt-002"], "{troubles:?}");
}

#[test]
fn a_deleted_event_is_named_and_written_again_by_a_repair() {
    let place = Place::bare();
    let project = begun(&place);
    let before = derived(&project, &[GRAPH, CONTEXT]);
    let (head, mut blocks) = parts(&project);
    blocks.remove(2);
    put(&project, &head, &blocks);
    for command in ["sync", "validate"] {
        let troubles = project.troubles(command);
        let deleted = of_rule(&troubles, "deleted");
        assert_eq!(deleted.len(), 1, "{command}: {troubles:?}");
        assert_eq!((text(deleted[0], "event"), text(deleted[0], "file")), ("evt-003", LOG), "{command}");
        follow_the_log(&project, &before);
    }
    let answer = project.run(&["md", "repair"]);
    assert_eq!(answer.code, 0, "{answer:?}");
    let events = told(&project.read(LOG));
    let again: Vec<_> = events.iter().filter(|event| event.summary == SUMMARIES[2]).collect();
    assert_eq!(again.len(), 1, "{}", project.read(LOG));
    let last = events.last().expect("there are events");
    assert!(last.kind == "fix" && last.summary.starts_with("Repair the memory files"), "{last:?}");
    assert_eq!(events.len(), 6, "five and the repair: {}", project.read(LOG));
    project.sync();
    project.validate();
    project.verify();
    assert_eq!(told(&project.read(LOG)), events, "once it is repaired nothing more happens");
    let repaired = project.json(&["md", "repair"]);
    assert_eq!(repaired["files"], json!([]), "there is nothing to repair: {repaired}");
}

#[test]
fn the_last_event_deleted_is_repaired_too() {
    let place = Place::bare();
    let project = begun(&place);
    let (head, mut blocks) = parts(&project);
    blocks.pop();
    put(&project, &head, &blocks);
    let troubles = project.troubles("sync");
    assert_eq!(text(of_rule(&troubles, "deleted")[0], "event"), "evt-005", "{troubles:?}");
    project.ok(&["md", "repair"]);
    assert_eq!(project.summaries().get(SUMMARIES[4]), Some(&1));
    project.is_sequential();
    project.validate();
}

#[test]
fn a_moved_event_is_named() {
    let place = Place::bare();
    let project = begun(&place);
    let before = derived(&project, &[GRAPH, CONTEXT]);
    let (head, mut blocks) = parts(&project);
    let moved = blocks.remove(1);
    blocks.insert(3, moved);
    put(&project, &head, &blocks);
    let line = line_of(&project, "### evt-002");
    for command in ["sync", "validate", "sync"] {
        let troubles = project.troubles(command);
        let moved = of_rule(&troubles, "reordered");
        assert_eq!(moved.len(), 1, "{command}: {troubles:?}");
        assert_eq!(
            (text(moved[0], "event"), text(moved[0], "file"), &moved[0]["line"]),
            ("evt-002", LOG, &line.into()),
            "{command}"
        );
        follow_the_log(&project, &before);
    }
}

#[test]
fn another_number_alone_is_recorded_and_is_no_edit() {
    let place = Place::bare();
    let project = begun(&place);
    // Somebody else's event came before the last one, which got the next number.
    let (head, mut blocks) = parts(&project);
    let last = blocks.pop().expect("five").replace("### evt-005", "### evt-006");
    blocks.push(block(5, &clock(0), "Come in between the others", "evt-001"));
    blocks.push(last);
    put(&project, &head, &blocks);
    let report = project.sync();
    assert_eq!((&report["taken_in"], &report["renumbered"]), (&1.into(), &1.into()), "{report}");
    let said: Vec<Value> = json_lines(&project.ok(&["export"]));
    let renumbered: Vec<&Value> = said.iter().filter(|e| e["body"]["kind"] == "changelog.renumbered").collect();
    let last = &renumbered.last().expect("it is recorded")["body"]["metadata"];
    assert_eq!((&last["from"], &last["to"]), (&5.into(), &6.into()), "{last}");
    project.validate();
    project.boot();
    assert!(project.read(GRAPH).contains("| second | component | active | evt-002 | evt-006 |"));
    assert_eq!(project.sync()["renumbered"], 0);
}

#[test]
fn what_was_appended_elsewhere_is_written_with_the_next_numbers() {
    let place = Place::bare();
    let project = begun(&place);
    project.append_elsewhere(&[
        record("decision", "Decide in another program", &json!({"metadata": {"entity": "first"}, "id": "mine-1"})),
        record("fix", "Keep a secret to oneself", &json!({"tags": ["private"]})),
        record("modify", "Handle with much care", &json!({"tags": ["sensitive"]})),
        record("decision", "Dream of electric sheep", &json!({"agent_id": "dreamer", "persona": "subconscious"})),
        record("modify", "Change in another program", &json!({"refs": ["mine-1"], "metadata": {"entity": "first"}})),
        json!({"kind": "decision", "summary": "Decide about nothing in particular"}).to_string(),
        json!({"kind": "user_input", "content": "Say something that is no change", "scope": "app"}).to_string(),
    ]);
    let report = project.sync();
    assert_eq!(report["written"], 2, "{report}");
    let events = told(&project.read(LOG));
    let new: Vec<(u64, &str, Vec<u64>)> =
        events[5..].iter().map(|event| (event.number, event.summary.as_str(), event.refs.clone())).collect();
    assert_eq!(new, [(6, "Decide in another program", vec![]), (7, "Change in another program", vec![6])]);
    let all: String = [LOG, GRAPH, CONTEXT, TODO].iter().map(|path| project.read(path)).collect();
    for hidden in ["secret", "with much care", "electric sheep", "nothing in particular", "is no change"] {
        assert!(!all.contains(hidden), "'{hidden}' is in the files");
    }
    assert!(project.read(GRAPH).contains("| first | component | active | evt-001 | evt-007 |"));
    project.validate();
    assert_eq!(project.sync()["written"], 0, "nothing is written twice");
}

#[test]
fn an_event_from_elsewhere_that_happened_earlier_breaks_no_rule() {
    let place = Place::bare();
    let project = begun(&place);
    let ts = json!({"ts": "2020-01-01T00:00:00Z"});
    project.append_elsewhere(&[record("modify", "Remember what happened long ago", &ts)]);
    project.sync();
    assert_eq!(told(&project.read(LOG)).last().expect("it is written").number, 6);
    project.validate();
}

#[test]
fn a_graph_or_a_context_edited_by_hand_is_kept_beside_and_made_anew() {
    let place = Place::bare();
    let project = begun(&place);
    for path in [GRAPH, CONTEXT] {
        let before = project.read(path);
        let edited = before.replace("second", "somebody");
        assert_ne!(edited, before);
        project.write(path, &edited);
        let troubles = project.troubles("validate");
        assert!(troubles.iter().any(|t| t["file"] == path && t["line"].as_u64() > Some(0)), "{troubles:?}");
        project.boot();
        assert_eq!(project.read(path), before, "it follows the log again");
        let kept = project.files().into_iter().any(|(name, bytes)| {
            name.to_string_lossy().contains(&format!("{path}.before-")) && bytes == edited.as_bytes()
        });
        assert!(kept, "the edit is kept: {:?}", project.files().keys());
        project.validate();
    }
}

#[test]
fn rules_that_were_changed_since_the_boot_are_told() {
    let place = Place::bare();
    let project = begun(&place);
    let rules = project.read(AGENTS);
    project.write(AGENTS, &format!("{rules}\n- Do as you like.\n"));
    let troubles = project.troubles("validate");
    assert_eq!(of_rule(&troubles, "agents-changed").len(), 1, "{troubles:?}");
    assert_eq!(text(&troubles[0], "file"), AGENTS);
    let boot = project.boot();
    assert_eq!(boot["agents_changed"], true, "{boot}");
    project.validate();
    assert_eq!(project.boot()["agents_changed"], false);
    assert!(project.read(AGENTS).ends_with("- Do as you like.\n"), "layer 0 is never written");
}
