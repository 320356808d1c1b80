//! The story of specification 004 in a real repository: boot, work, shutdown, handoff, and another agent that goes on.

use serde_json::{Value, json};

use crate::suite::markdown::{AGENTS, ARCHIVE, CONTEXT, GRAPH, LOG, Project, TODO, told};
use crate::suite::place::{Place, text};

/// What nobody should see.
const SECRET: &str = "Keep the hunter2 key for the login";

/// Says one thing that was done.
fn say(project: &Project, kind: &str, scope: &str, summary: &str, details: &[&str], more: &[&str]) -> u64 {
    let mut args: Vec<&str> = details.iter().flat_map(|detail| ["--detail", *detail]).collect();
    args.extend(more);
    project.append(kind, scope, summary, &args)
}

/// The work of the builder: nine events.
fn work(project: &Project) {
    say(
        project,
        "create",
        "auth",
        "Create the auth module",
        &["entity=auth_module", "path=src/auth.rs", "purpose=login"],
        &[],
    );
    let rationale = "rationale=no state on the server";
    let jwt = ["entity=auth_module", "attribute=session", "from=cookie", "to=jwt", rationale];
    say(project, "decision", "auth", "Use JWT for sessions", &jwt, &["--ref", "evt-001"]);
    let needs = ["entity=jsonwebtoken", "version=9.0", "reason=signing", "required_by=auth_module"];
    say(project, "dependency", "auth", "Add jsonwebtoken for the signatures", &needs, &["--ref", "evt-002"]);
    let login = ["task=write_login", "status=active", "priority=high", "assignee=builder", "precedes=test_login"];
    say(project, "create", "auth", "Plan to write the login form", &login, &[]);
    say(project, "create", "auth", "Plan to test the login form", &["task=test_login", "status=active"], &[]);
    let blocked = ["blocked_entity=write_login", "blocking_entity=database", "resolution_path=run the migration"];
    let number = say(project, "blocker", "auth", "The database has no table of users", &blocked, &["--ref", "evt-004"]);
    assert_eq!(number, 6);
}

fn has_rows(project: &Project, rows: &[&str]) {
    let graph = project.read(GRAPH);
    for row in rows {
        assert!(graph.lines().any(|line| line.starts_with(row)), "no row {row}\n{graph}");
    }
}

/// The text below a heading of the context.
fn section(text: &str, name: &str) -> String {
    let heading = format!("\n## {name}\n");
    let (_, rest) = text.split_once(&heading).unwrap_or_else(|| panic!("no section {name}:\n{text}"));
    rest.split("\n## ").next().unwrap_or_default().trim().to_owned()
}

/// How everything stands while the blocker is there.
fn is_blocked(project: &Project) {
    has_rows(
        project,
        &[
            "| auth_module | component | active | evt-001 | evt-003 | path: src/auth.rs, purpose: login, session: jwt",
            "| use-jwt-for-sessions | decision | active | evt-002 | evt-002 |",
            "| use-jwt-for-sessions | auth_module | implements | evt-002 |",
            "| jsonwebtoken | dependency | active | evt-003 | evt-003 | version: 9.0",
            "| auth_module | jsonwebtoken | depends_on | evt-003 |",
            "| write_login | task | blocked | evt-004 | evt-006 |",
            "| write_login | test_login | precedes | evt-004 |",
            "| database | write_login | blocks | evt-006 | resolution_path: run the migration",
        ],
    );
    let context = project.read(CONTEXT);
    assert!(section(&context, "Blockers").contains("database blocks write_login — evt-006"), "{context}");
    assert!(section(&context, "Active Constraints").contains("Use JWT for sessions — evt-002"), "{context}");
    assert!(
        section(&context, "Key Dependencies").contains("auth_module depends on jsonwebtoken — evt-003"),
        "{context}"
    );
    assert!(!section(&context, "Next Actions").contains("write_login"), "what is blocked is no next action: {context}");
    assert_eq!(project.lines(&["md", "todo", "--status", "blocked"])[0]["task"], "write_login");
}

/// The rest of the work waits for the end, which appends and commits it.
fn finish(project: &Project) -> String {
    let stage = |kind: &str, summary: &str, details: &[&str], more: &[&str]| {
        let mut args =
            vec!["md", "append", kind, "--scope", "auth", "--summary", summary, "--agent", "builder", "--stage"];
        args.extend(details.iter().flat_map(|detail| ["--detail", *detail]));
        args.extend(more);
        project.json(&args)
    };
    let symptom = ["entity=database", "symptom=no table", "root_cause=no migration", "resolution=it was run"];
    assert_eq!(stage("fix", "Run the migration of the users", &symptom, &["--ref", "evt-006"])["staged"], 1);
    stage("modify", "Finish writing the login form", &["task=write_login", "status=completed"], &["--ref", "evt-004"]);
    stage("test", "Test the auth module by itself", &["target=auth_module", "result=pass", "coverage=92%"], &[]);
    stage("decision", SECRET, &["entity=auth_module"], &["--tag", "private"]);
    let waiting =
        stage("milestone", "Reach the first login that works", &["name=first_login", "criteria_met=all"], &[]);
    assert_eq!((&waiting["staged"], told(&project.read(LOG)).len()), (&5.into(), 6), "nothing is appended yet");
    let report = project.json(&["md", "shutdown", "--commit", "Finish the login", "--agent", "builder"]);
    let commit = text(&report, "commit").to_owned();
    assert_eq!(project.git(&["rev-parse", "HEAD"]).trim(), commit);
    assert_eq!(project.git(&["log", "-1", "--format=%s"]).trim(), "Finish the login");
    assert_eq!(project.git(&["status", "--porcelain"]), "", "one commit has everything");
    project.is_sequential();
    assert_eq!(told(&project.read(LOG)).len(), 11);
    commit
}

fn is_finished(project: &Project) {
    has_rows(
        project,
        &[
            "| write_login | task | completed | evt-004 | evt-008 |",
            "| test_login | task | active | evt-004 | evt-005 |",
            "| auth_module | component | active | evt-001 | evt-009 |",
            "| first_login | milestone | completed | evt-011 | evt-011 |",
        ],
    );
    let graph = project.read(GRAPH);
    assert!(!graph.contains("| blocks |"), "the fix took the blocker away: {graph}");
    assert!(graph.contains("test_result: pass") && graph.contains("coverage: 92%"), "{graph}");
    let context = project.read(CONTEXT);
    assert!(section(&context, "Active Mission").contains("Reach the first login that works — evt-011"), "{context}");
    assert_eq!(section(&context, "Blockers"), "- (none)");
    assert!(section(&context, "Next Actions").starts_with("1. test_login"), "{context}");
    assert!(context.contains("| Event horizon: evt-011 -->"), "{context}");
    let todo = project.read(TODO);
    let (in_progress, completed) = (section(&todo, "In Progress"), section(&todo, "Completed"));
    assert!(in_progress.contains("- [ ] **test_login**") && !in_progress.contains("write_login"), "{todo}");
    assert!(completed.contains("- [x] **write_login**") && completed.contains("evt-008"), "{todo}");
}

fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value.as_object().expect("an object").keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

/// The payload of specification 003, written to a file.
fn hand_over(project: &Project, place: &Place, commit: &str) -> String {
    let args = [
        "md",
        "handoff",
        "--to",
        "tester",
        "--agent",
        "builder",
        "--task",
        "test_login",
        "--artifact",
        "evt-008",
        "--invariant",
        "a token ends after an hour",
        "--boundary",
        "src/billing",
        "--constraint",
        "no new dependency",
    ];
    let payload = project.ok(&args);
    let json: Value = serde_json::from_str(&payload).expect("a payload is JSON");
    assert_eq!(keys(&json), ["files", "handoff", "proof", "state"], "{json}");
    assert_eq!(keys(&json["handoff"]), ["from", "reason", "timestamp", "to"]);
    let of_specification = ["active_entities", "blockers", "next_actions", "recent_events"];
    assert!(of_specification.iter().all(|key| json["state"][key].is_array()), "{json}");
    assert_eq!(json["state"]["boundaries"][0], "src/billing");
    assert_eq!(keys(&json["files"]), ["changelog_updated", "committed", "modified"]);
    assert_eq!((text(&json["handoff"], "from"), text(&json["handoff"], "to")), ("builder", "tester"));
    assert_eq!((text(&json["files"], "committed"), text(&json["proof"], "event")), (commit, "evt-012"));
    assert_eq!(json["files"]["changelog_updated"], true);
    let recent = json["state"]["recent_events"].as_array().expect("a list");
    assert!(recent[0].as_str().expect("text").starts_with("evt-012: "), "{recent:?}");
    assert!(json["state"]["next_actions"][0].as_str().expect("text").starts_with("test_login"), "{json}");
    assert!(!payload.contains("hunter2") && !payload.contains("evt-010"), "what is private is handed to nobody");
    let event = project.json(&["md", "get", "evt-012"]);
    let said: Vec<&str> = event["details"].as_array().expect("a list").iter().filter_map(|d| d[0].as_str()).collect();
    for key in ["from_agent", "to_agent", "invariants", "boundaries", "constraints", "artifacts"] {
        assert!(said.contains(&key), "{key} is in the event: {said:?}");
    }
    has_rows(project, &["| test_login | task | active | evt-004 | evt-012 | assignee: tester"]);
    project.validate();
    project.commit("Hand over");
    place.write("payload.json", payload)
}

/// The other agent in a clone of its own.
fn take_over(sender: &Project, payload: &str) {
    let sent = sender.read(CONTEXT);
    let receiver = sender.cloned("receiver");
    let waiting = receiver.json(&["md", "boot", "--agent", "tester"]);
    assert_eq!(waiting["handoffs"], json!(["evt-012"]), "{waiting}");
    let boot = receiver.json(&["md", "boot", "--handoff", payload]);
    assert_eq!((text(&boot, "agent"), text(&boot, "handoff")), ("tester", "evt-012"), "{boot}");
    assert_eq!(text(&boot, "text"), sent, "the receiver has the sender's context, byte for byte");
    assert_eq!(receiver.read(CONTEXT), sent);
    let again = receiver.run(&["md", "boot", "--handoff", payload]);
    let (what, _) = again.refused(4);
    assert!(what.contains("evt-012 was taken by tester"), "{what}");
    let (what, _) = receiver.run(&["md", "boot", "--handoff", "--agent", "tester"]).refused(4);
    assert!(what.contains("evt-012"), "{what}");
    assert!(receiver.ok(&["log", "--limit", "20"]).contains("tester took the handoff evt-012"), "the log says it");
    assert_eq!(receiver.json(&["md", "boot", "--agent", "tester"])["handoffs"], json!([]), "nothing waits any more");
    let tested = ["task=test_login", "status=completed"];
    let number = say(&receiver, "modify", "auth", "Finish testing the login form", &tested, &["--ref", "evt-012"]);
    assert_eq!(number, 13);
    receiver.ok(&["md", "shutdown", "--commit", "Test the login", "--agent", "tester"]);
    receiver.validate();
    receiver.verify();
    sender.git(&["pull", "--quiet", "--ff-only", "../receiver", "main"]);
    sender.sync();
    sender.boot();
    sender.validate();
    for path in [LOG, GRAPH, CONTEXT, TODO, AGENTS] {
        assert_eq!(sender.read(path), receiver.read(path), "{path} is the same for both");
    }
    has_rows(sender, &["| test_login | task | completed | evt-004 | evt-013 |"]);
}

#[test]
fn one_agent_works_and_another_goes_on() {
    let place = Place::bare();
    let project = Project::in_git(&place, "project");
    let rules = project.read(AGENTS);
    let boot = project.json(&["md", "boot", "--agent", "builder"]);
    assert_eq!((&boot["horizon"], text(&boot, "tier")), (&Value::Null, "full"), "{boot}");
    work(&project);
    is_blocked(&project);
    let commit = finish(&project);
    is_finished(&project);
    project.validate();
    let payload = hand_over(&project, &place, &commit);
    take_over(&project, &payload);
    assert_eq!(project.read(AGENTS), rules, "layer 0 is never written by an agent");
    assert!(!project.has(ARCHIVE), "there was nothing to archive");
}

#[test]
fn what_is_private_is_in_no_context_no_search_and_no_handoff() {
    let place = Place::bare();
    let project = Project::in_git(&place, "project");
    std::fs::write(project.path(".idetic/config.toml"), "[embedding]\nmodel = \"none\"\n").expect("configured");
    say(&project, "create", "auth", "Create the auth module", &["entity=auth_module"], &[]);
    say(&project, "decision", "auth", SECRET, &["entity=auth_module"], &["--tag", "private"]);
    let blocker = ["blocked_entity=auth_module", "blocking_entity=hunter2_vault"];
    say(&project, "blocker", "auth", "The hunter2 vault is closed to us", &blocker, &["--tag", "sensitive"]);
    say(&project, "create", "auth", "Plan what is hunter2 in secret", &["task=hunter2_task"], &["--tag", "private"]);
    say(&project, "milestone", "auth", "Reach the open end of the login", &["name=open_end"], &[]);
    assert_eq!(told(&project.read(LOG)).len(), 5, "they are in the changelog, where they were put by name");
    project.boot();
    let hides = |what: &str, text: &str| assert!(!text.contains("hunter2"), "{what} shows it: {text}");
    hides("context.md", &project.read(CONTEXT));
    hides("boot", &project.ok(&["md", "boot"]));
    hides("boot in the other layout", &project.ok(&["md", "boot", "--first-layout"]));
    hides("search", &project.ok(&["md", "search"]));
    hides("search for it", &project.run(&["md", "search", "hunter2", "--json"]).out);
    hides("search by meaning", &project.run(&["md", "search", "hunter2 key", "--meaning", "--json"]).out);
    hides("relevant", &project.run(&["md", "relevant", "hunter2 key", "--json"]).out);
    hides("summarize", &project.ok(&["md", "summarize"]));
    hides("timeline", &project.ok(&["md", "timeline", "evt-001", "--context", "10"]));
    hides("TODO.md", &project.read(TODO));
    hides("todo", &project.ok(&["md", "todo"]));
    hides("graph.md", &project.read(GRAPH));
    let (what, hint) = project.run(&["md", "get", "evt-002"]).refused(3);
    assert!(what.contains("private") && hint.contains("--private"), "{what} {hint}");
    hides("handoff", &project.ok(&["md", "handoff", "--to", "tester", "--agent", "builder"]));
    // Who asks for it sees it.
    assert_eq!(project.lines(&["md", "search", "hunter2", "--private"]).len(), 3);
    assert_eq!(project.json(&["md", "get", "evt-002", "--private"])["summary"], SECRET);
    assert_eq!(project.lines(&["md", "timeline", "evt-001", "--context", "3", "--private"]).len(), 4);
    project.validate();
}

#[test]
fn a_handoff_does_not_wait_for_the_agent_that_takes_it() {
    let place = Place::bare();
    let project = Project::plain(&place, "project");
    project.ok(&["md", "handoff", "--to", "tester", "--agent", "builder"]);
    assert_eq!(project.json(&["md", "boot", "--agent", "tester"])["handoffs"], json!(["evt-001"]));
    let boot = project.json(&["md", "boot", "--agent", "tester", "--handoff"]);
    assert_eq!((&boot["handoff"], &boot["handoffs"]), (&"evt-001".into(), &json!([])), "{boot}");
}
