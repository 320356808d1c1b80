//! Real files of the two specifications: taken as they are, nothing that somebody made by hand is destroyed.

use std::path::Path;

use crate::suite::markdown::{CONTEXT, GRAPH, LOG, Project, TODO};
use crate::suite::place::{Place, say, text};

const KEPT_CONTEXT: &str = ".memory/context.adopted.md";
const KEPT_GRAPH: &str = ".memory/graph.adopted.md";

/// A real file, where the samples are here.
fn sample(name: &str) -> Option<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/spec/samples").join(name);
    let found = std::fs::read_to_string(&path).ok();
    if found.is_none() {
        say(&format!("SKIPPED: shared/spec/samples/{name} is not here"));
    }
    found
}

/// A project with these samples in these places.
fn furnished<'p>(place: &'p Place, samples: &[(&str, &str)]) -> Option<(Project<'p>, Vec<(String, String)>)> {
    let project = Project::bare(place, "project");
    let mut put = Vec::new();
    for (path, name) in samples {
        let text = sample(name)?;
        project.write(path, &text);
        put.push(((*path).to_owned(), text));
    }
    Some((project, put))
}

fn are_as_they_were(project: &Project, put: &[(String, String)], when: &str) {
    for (path, text) in put {
        assert!(project.read(path) == *text, "{path} was changed by {when}");
    }
}

const FRESH: [(&str, &str); 3] = [
    (LOG, "markdown/CHANGELOG.eventlog-section.evt-014.md"),
    (GRAPH, "markdown/memory_graph.evt-014.md"),
    (CONTEXT, "markdown/memory_context.evt-014.md"),
];

#[test]
fn a_real_project_that_is_up_to_date_is_left_as_it_is() {
    let place = Place::bare();
    let Some((project, put)) = furnished(&place, &FRESH) else { return };
    project.ok(&["md", "init"]);
    are_as_they_were(&project, &put, "init");
    let boot = project.boot();
    assert_eq!((text(&boot, "graph"), text(&boot, "context")), ("fresh", "fresh"), "{boot}");
    assert_eq!((text(&boot, "horizon"), &boot["events"]), ("evt-014", &14.into()), "{boot}");
    assert_eq!(boot["rebuilt"], serde_json::json!([]), "{boot}");
    assert_eq!(text(&boot, "text"), put[2].1, "what somebody else wrote and is fresh is told as it is");
    are_as_they_were(&project, &put, "boot");
    assert_eq!(project.lines(&["md", "search", "--limit", "100"]).len(), 14, "every event is found");
    project.validate();
    are_as_they_were(&project, &put, "validate");
    assert_eq!(project.boot()["taken_in"], 0, "nothing is taken in twice");
    project.verify();
}

#[test]
fn the_next_event_keeps_what_the_graph_said_and_a_copy_of_what_was_made_by_hand() {
    let place = Place::bare();
    let Some((project, put)) = furnished(&place, &FRESH) else { return };
    project.ok(&["md", "init"]);
    project.boot();
    let number = project.append("modify", "docs", "Say how the memory files are kept", &["--detail", "entity=notes"]);
    assert_eq!(number, 15);
    assert!(project.read(LOG).starts_with(put[0].1.trim_end()), "what was there is the beginning of what is there");
    assert_eq!((&project.read(KEPT_GRAPH), &project.read(KEPT_CONTEXT)), (&put[1].1, &put[2].1), "the copies");
    let graph = project.read(GRAPH);
    let rows = |text: &str| text.lines().filter(|l| l.starts_with("| ")).map(first_cell).collect::<Vec<_>>();
    for row in rows(&put[1].1) {
        assert!(rows(&graph).contains(&row), "a row is gone: {row}\n{graph}");
    }
    assert!(graph.contains("| notes | component | active | evt-015 | evt-015 |"), "{graph}");
    project.validate();
}

fn first_cell(row: &str) -> String {
    row.split('|').nth(1).unwrap_or_default().trim().to_owned()
}

#[test]
fn an_older_context_is_stale_and_kept_beside_the_new_one() {
    let place = Place::bare();
    let mut samples = FRESH;
    samples[2].1 = "markdown/memory_context.evt-001.md";
    let Some((project, put)) = furnished(&place, &samples) else { return };
    project.ok(&["md", "init"]);
    are_as_they_were(&project, &put, "init");
    let boot = project.boot();
    assert_eq!((text(&boot, "graph"), text(&boot, "context")), ("fresh", "stale"), "{boot}");
    assert_eq!(boot["rebuilt"], serde_json::json!([CONTEXT]), "{boot}");
    are_as_they_were(&project, &put[..2], "boot");
    assert!(project.read(CONTEXT).contains("Event horizon: evt-014"), "{}", project.read(CONTEXT));
    assert_eq!(project.read(KEPT_CONTEXT), put[2].1, "what was there is kept");
    project.validate();
    let again = project.boot();
    assert_eq!((text(&again, "context"), &again["rebuilt"]), ("fresh", &serde_json::json!([])), "{again}");
}

#[test]
fn a_context_of_another_convention_is_left_alone() {
    let place = Place::bare();
    let mut samples = FRESH;
    samples[2].1 = "negative/kamishino__gemini-cli-workflow__.memory_context.md";
    let Some((project, put)) = furnished(&place, &samples) else { return };
    project.ok(&["md", "init"]);
    are_as_they_were(&project, &put, "init");
    let boot = project.boot();
    assert_eq!(text(&boot, "context"), "foreign", "{boot}");
    are_as_they_were(&project, &put, "boot");
    project.append("decision", "app", "Leave the files of others alone", &[]);
    project.sync();
    project.run(&["md", "repair"]);
    are_as_they_were(&project, &put[2..], "everything else");
    assert!(!project.has(KEPT_CONTEXT), "it is not claimed");
    assert!(
        text(&project.boot(), "text").contains("Leave the files of others alone"),
        "the context is told all the same"
    );
}

#[test]
fn a_project_of_the_first_generation_is_read_and_not_written_over() {
    let place = Place::bare();
    let samples = [
        (LOG, "markdown/CHANGELOG.seed003-format.md"),
        (GRAPH, "markdown/memory_graph.seed003-format.md"),
        (CONTEXT, "markdown/memory_context.seed003-format.md"),
        (TODO, "markdown/TODO.md"),
    ];
    let Some((project, put)) = furnished(&place, &samples) else { return };
    project.ok(&["md", "init"]);
    are_as_they_were(&project, &put, "init");
    let boot = project.boot();
    assert_eq!(boot["events"], 3, "{boot}");
    are_as_they_were(&project, &put[..1], "boot");
    let kept = |path: &str, copy: &str, text: &str| {
        project.read(path) == text || project.has(copy) && project.read(copy) == text
    };
    assert!(kept(GRAPH, KEPT_GRAPH, &put[1].1), "the graph is there or kept beside");
    assert!(kept(CONTEXT, KEPT_CONTEXT, &put[2].1), "the context is there or kept beside");
    assert_eq!(project.lines(&["md", "search"]).len(), 3);
    assert_eq!(project.boot()["taken_in"], 0, "nothing is taken in twice");
    are_as_they_were(&project, &put[..1], "another boot");
    project.verify();
}

#[test]
fn a_scaffold_that_quotes_the_format_in_a_fence_has_one_event() {
    let place = Place::bare();
    let samples = [(LOG, "markdown/CHANGELOG.TestProject-scaffold.md")];
    let Some((project, put)) = furnished(&place, &samples) else { return };
    project.ok(&["md", "init"]);
    are_as_they_were(&project, &put, "init");
    let boot = project.boot();
    assert_eq!((&boot["events"], text(&boot, "horizon")), (&1.into(), "evt-001"), "{boot}");
    are_as_they_were(&project, &put, "boot");
    assert!(project.read(GRAPH).contains("| TestProject | component | active | evt-001 | evt-001 |"));
    project.validate();
}

#[test]
fn beginning_changes_no_text_that_is_there() {
    let place = Place::bare();
    let project = Project::bare(&place, "project");
    project.git(&["init", "--quiet"]);
    let files = [
        ("AGENTS.md", "# Ours\n\nno line end"),
        (LOG, "# Changes\r\n\r\nNothing yet."),
        (TODO, "* buy milk\n"),
        (GRAPH, "somebody's notes about graphs\n"),
        (".memory/context.md", ""),
    ];
    for (path, text) in files {
        project.write(path, text);
    }
    let attributes = "*.png binary\nTODO.md merge=ours";
    project.write(".gitattributes", attributes);
    project.ok(&["md", "init", "--hook"]);
    for (path, text) in files {
        assert_eq!(project.read(path), text, "{path}");
    }
    let added = project.read(".gitattributes");
    assert!(added.starts_with(attributes) && added.contains("\nCHANGELOG.md merge=idetic\n"), "{added}");
    assert!(!added.contains("TODO.md merge=union"), "what somebody wants otherwise stays so: {added}");
    let before = project.files();
    project.ok(&["md", "init", "--hook"]);
    assert_eq!(project.files(), before, "a second time changes nothing");
}
