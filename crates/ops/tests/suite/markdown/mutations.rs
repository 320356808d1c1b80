//! A sound project, and whatever somebody may do to its files: each is found, and named with its file, line and event.

use serde_json::json;

use super::Project;
use crate::hermetic::Hermetic;

const LOG: &str = "CHANGELOG.md";
const GRAPH: &str = ".memory/graph.md";
const CONTEXT: &str = ".memory/context.md";

type Change = Box<dyn Fn(&str) -> String>;

/// A project with something of everything.
fn sound(home: &Hermetic) -> Project<'_> {
    let project = Project::new(home, "sound");
    project.ok("md init", json!({}));
    let append = |kind: &str, scope: &str, summary: &str, details: &[&str], refs: &[&str]| {
        project.ok(
            "md append",
            json!({"type": kind, "scope": scope, "summary": summary, "details": details, "refs": refs, "agent": "a"}),
        );
    };
    append("create", "auth", "The module auth was made for the login", &["entity=auth", "path=AGENTS.md"], &[]);
    append(
        "create",
        "login",
        "The task login was begun by the team",
        &["entity=login, signup", "type=task"],
        &["evt-001"],
    );
    append("decision", "auth", "Tokens are used in auth instead of sessions", &["entity=auth"], &["evt-001"]);
    append("dependency", "auth", "The module auth needs the library jwt", &["entity=jwt", "required_by=auth"], &[]);
    let blocker = ["blocked_entity=login", "blocking_entity=jwt"];
    append("blocker", "login", "The task login waits for the library jwt", &blocker, &["evt-002"]);
    append("test", "auth", "The module auth was tested with success", &["target=auth", "result=pass"], &["evt-001"]);
    append("milestone", "project", "The first version of the login is reached", &["name=first"], &[]);
    project.ok("md boot", json!({"agent": "a"}));
    project
}

/// Changes a file, looks what is found, and puts it back.
fn found(project: &Project, file: &str, change: &dyn Fn(&str) -> String) -> Vec<(String, String, u64, String)> {
    let before = project.read(file);
    let after = change(&before);
    assert_ne!(before, after, "nothing was changed in {file}");
    project.write(file, &after);
    let findings = project.findings();
    project.write(file, &before);
    findings
}

/// The events of a log as blocks behind its head.
fn blocks(log: &str) -> (String, Vec<String>) {
    let mut parts = log.split("\n### ");
    let head = parts.next().unwrap_or_default().to_owned();
    (head, parts.map(|part| format!("\n### {part}")).collect())
}

#[test]
fn a_sound_project_breaks_no_rule() {
    let home = Hermetic::new();
    assert_eq!(sound(&home).findings(), []);
}

#[test]
fn whatever_is_done_to_the_log_is_found() {
    let home = Hermetic::new();
    let project = sound(&home);
    let replace = |from: &'static str, to: &'static str| move |text: &str| text.replacen(from, to, 1);
    let cases: Vec<(&str, &str, Change)> = vec![
        ("edited", "evt-003", Box::new(replace("instead of sessions", "instead of cookies"))),
        ("edited", "evt-006", Box::new(replace("result: pass", "result: fail"))),
        ("edited", "evt-005", Box::new(replace("**Refs**: evt-002", "**Refs**: evt-003"))),
        (
            "deleted",
            "evt-004",
            Box::new(|text: &str| {
                let (head, mut blocks) = blocks(text);
                blocks.remove(3);
                head + &blocks.concat()
            }),
        ),
        (
            "reordered",
            "evt-002",
            Box::new(|text: &str| {
                let (head, mut blocks) = blocks(text);
                blocks.swap(1, 2);
                head + &blocks.concat()
            }),
        ),
        ("id-duplicate", "evt-002", Box::new(replace("### evt-003", "### evt-002"))),
        ("id-gap", "evt-009", Box::new(replace("### evt-007", "### evt-009"))),
        ("ref-missing", "evt-005", Box::new(replace("**Refs**: evt-002", "**Refs**: evt-099"))),
        ("type-unknown", "evt-007", Box::new(replace("| a | milestone", "| a | banana"))),
        ("scope-missing", "evt-007", Box::new(replace("**Scope**: project\n", ""))),
        ("summary-missing", "evt-001", Box::new(replace("**Summary**: The module auth was made for the login\n", ""))),
        ("malformed-event", "evt-001", Box::new(replace("### evt-001 | 2025", "### evt-001 | some day 2025"))),
        (
            "time-order",
            "evt-007",
            Box::new(|text: &str| {
                let at = text.find("### evt-007 | 2025").expect("the event");
                format!("{}{}", &text[..at], text[at..].replacen("| 2025", "| 2024", 1))
            }),
        ),
        ("summary-alone", "evt-007", Box::new(replace("The first version of the login is reached", "See evt-001"))),
        ("link-missing", "evt-001", Box::new(replace("made for the login", "made for [the login](docs/none.md)"))),
    ];
    for (rule, event, change) in &cases {
        let findings = found(&project, LOG, change);
        let is_it = |(r, file, line, e): &(String, String, u64, String)| {
            r == rule && file == LOG && e == event && (*line > 0 || *rule == "deleted")
        };
        assert!(findings.iter().any(is_it), "{rule} of {event} is not among {findings:?}");
    }
    assert_eq!(project.findings(), [], "everything is back in its place");
}

#[test]
fn whatever_is_done_to_graph_and_narrative_is_found() {
    let home = Hermetic::new();
    let project = sound(&home);
    let cases: [(&str, &str, &str, &str); 17] = [
        (GRAPH, "| auth | component | active", "| auth | component | deprecated", "replay-node"),
        (GRAPH, "| auth | component | active", "| auth | component | sleeping", "node-status"),
        (GRAPH, "| auth | component | active", "| auth | thing | active", "node-kind"),
        (GRAPH, "| login | task |", "| logout | task |", "replay-node-missing"),
        (GRAPH, "| login | task |", "| logout | task |", "replay-node-unknown"),
        (GRAPH, "| jwt | login | blocks |", "| jwt | nobody | blocks |", "edge-orphan"),
        (GRAPH, "| jwt | login | blocks |", "| jwt | login | hinders |", "edge-relation"),
        (GRAPH, "| jwt | login | blocks |", "| jwt | auth | blocks |", "replay-edge-missing"),
        (GRAPH, "**Event horizon**: evt-007", "**Event horizon**: evt-003", "graph-horizon"),
        (GRAPH, "**Event horizon**: evt-007", "**Event horizon**: evt-003", "horizons-differ"),
        (GRAPH, "| auth | component | active | evt-001", "| auth | component | active | evt-077", "node-event"),
        (GRAPH, "- **Nodes**: ", "- **Nodes**: 1", "meta-count"),
        (CONTEXT, "Event horizon: evt-007", "Event horizon: evt-002", "context-horizon"),
        (CONTEXT, "## Blockers", "## Worries", "section-missing"),
        (CONTEXT, "jwt blocks login — evt-005", "jwt helps login — evt-005", "replay-text"),
        (CONTEXT, "is reached — evt-007\n- ", "is reached — evt-001\n- ", "replay-text"),
        (CONTEXT, "| signup |", "| nothing |", "entity-missing"),
    ];
    for (file, from, to, rule) in cases {
        assert!(project.read(file).contains(from), "{from} is not in {file}: {}", project.read(file));
        let findings = found(&project, file, &|text| text.replacen(from, to, 1));
        let is_it =
            |(r, f, line, _): &(String, String, u64, String)| r == rule && (f == file || f == CONTEXT) && *line > 0;
        assert!(findings.iter().any(is_it), "{rule} is not among {findings:?}");
    }
    for file in [GRAPH, CONTEXT] {
        let before = project.read(file);
        std::fs::remove_file(project.folder.join(file)).expect("removed");
        assert!(project.findings().iter().any(|(rule, f, ..)| rule == "layer-missing" && f == file));
        project.write(file, &before);
    }
    assert_eq!(project.findings(), []);
}

#[test]
fn rules_that_change_behind_an_agent_s_back_and_tasks_out_of_step_are_found() {
    let home = Hermetic::new();
    let project = sound(&home);
    let findings = found(&project, "AGENTS.md", &|text| format!("{text}\n- Do as you like.\n"));
    assert!(findings.iter().any(|(rule, file, ..)| rule == "agents-changed" && file == "AGENTS.md"), "{findings:?}");
    let many: String = (1..5).map(|n| format!("- [ ] **task {n}** — text\n")).collect();
    let findings =
        found(&project, "TODO.md", &|text| text.replace("## In Progress\n", &format!("## In Progress\n\n{many}")));
    assert!(findings.iter().any(|(rule, ..)| rule == "tasks-in-progress"), "{findings:?}");
    let done = "## Completed\n\n- [x] **nobody said so** — done 2025-01-01\n";
    let findings = found(&project, "TODO.md", &|text| text.replace("## Completed\n", done));
    assert!(findings.iter().any(|(rule, ..)| rule == "task-without-event"), "{findings:?}");
    assert_eq!(project.findings(), []);
}

#[test]
fn what_was_tampered_with_is_never_taken() {
    let home = Hermetic::new();
    let project = sound(&home);
    let (log, graph, context) = (project.read(LOG), project.read(GRAPH), project.read(CONTEXT));
    let (head, mut parts) = blocks(&log);
    parts.remove(3);
    parts.swap(0, 1);
    let tampered = (head + &parts.concat()).replace("instead of sessions", "instead of cookies");
    project.write(LOG, &tampered);
    let (lines, end) = project.run("md sync", json!({}));
    assert!(end.is_err(), "{lines:?}");
    let told: Vec<String> = lines[0]["troubles"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|t| format!("{} {}", t["rule"], t["event"]))
        .collect();
    for wanted in ["\"edited\" \"evt-003\"", "\"deleted\" \"evt-004\"", "\"reordered\" \"evt-001\""] {
        assert!(told.iter().any(|told| told == wanted), "{wanted} is not among {told:?}");
    }
    assert_eq!(project.read(LOG), tampered, "the file is not touched");
    assert_eq!((project.read(GRAPH), project.read(CONTEXT)), (graph, context), "the log keeps what was said");
    project.write(LOG, &log);
    project.ok("md sync", json!({}));
    assert_eq!(project.findings(), []);
}

/// A changelog of the first generation, the newest event first.
fn first_generation() -> String {
    let event = |day: u32| {
        format!(
            "## 2026-02-{day:02} 10:00 — Step {day} was made\n\n**Type:** change\n**Scope:** docs\n\n\
             ### What\nThe step {day} of [[skill-a]].\n"
        )
    };
    let events: Vec<String> = (1..=5).rev().map(event).collect();
    format!("# CHANGELOG.md\n\n---\n\n{}", events.join("\n---\n\n"))
}

#[test]
fn an_edit_of_the_first_generation_is_told_as_an_edit_and_never_taken() {
    let home = Hermetic::new();
    let project = Project::new(&home, "first");
    project.write(LOG, &first_generation());
    project.ok("md init", json!({}));
    project.ok("md boot", json!({"agent": "a"}));
    assert_eq!(project.findings(), []);
    let (log, graph, context) = (project.read(LOG), project.read(GRAPH), project.read(CONTEXT));
    let edits = [
        ("The step 3 of", "The third step of"),
        ("Step 3 was made", "Step three was made"),
        ("10:00 — Step 3 was made", "11:30 — Step 3 was made"),
        ("10:00 — Step 3 was made", "11:30 — Step three was made"),
        ("10:00 — Step 1 was made", "09:00 — Step one was made"),
        ("The step 5 of", "The fifth step of"),
        ("Step 5 was made", "Step five was made"),
    ];
    for (from, to) in edits {
        let findings = found(&project, LOG, &|text| text.replacen(from, to, 1));
        let told: Vec<(&str, &str)> = findings.iter().map(|(rule, file, ..)| (rule.as_str(), file.as_str())).collect();
        assert_eq!(told, [("edited", LOG)], "{to}: {findings:?}");
        assert!(findings[0].2 > 0, "{to}: the line of its heading");
    }
    let without = |day: u32| {
        let start = log.find(&format!("## 2026-02-{day:02}")).expect("the event");
        let next = log[start + 1..].find("\n## ").expect("the next one");
        format!("{}{}", &log[..start], &log[start + next + 2..])
    };
    let sixth = "# CHANGELOG.md\n\n---\n\n## 2026-02-06 10:00 — Step 6 was made\n\n**Type:** change\n**Scope:** docs\n";
    for deleted in [without(2), without(5).replacen("# CHANGELOG.md\n", sixth, 1)] {
        let findings = found(&project, LOG, &|_| deleted.clone());
        let has = |wanted: &str| findings.iter().any(|(rule, ..)| rule == wanted);
        assert!(has("deleted") && !has("edited"), "{findings:?}");
    }
    project.write(LOG, &log.replace("The step 3 of", "The third step of"));
    let (lines, end) = project.run("md sync", json!({}));
    assert!(end.is_err() && lines[0]["taken_in"] == 0, "{lines:?}");
    assert_eq!((project.read(GRAPH), project.read(CONTEXT)), (graph, context), "the log keeps what was said");
    project.write(LOG, &log);
    project.ok("md sync", json!({}));
    assert_eq!(project.findings(), []);
}
