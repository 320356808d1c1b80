//! Wrong words for every command about a project: refused with a code and a message that names them, and nothing written.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::suite::markdown::{ARCHIVE, CONTEXT, GRAPH, LOG, Project};
use crate::suite::place::{Place, number};

/// What must not change: the files, and how many events the log has.
fn state(project: &Project) -> (BTreeMap<PathBuf, Vec<u8>>, u64) {
    (project.files(), number(&project.json(&["status"])["events"]))
}

fn begun(place: &Place) -> Project<'_> {
    let project = Project::plain(place, "project");
    project.append("create", "app", "Create the application anew", &["--detail", "entity=app"]);
    project.append("modify", "app", "Change the application a bit", &["--detail", "entity=app"]);
    project.boot();
    project
}

/// Runs it, which must be refused with this code and words, and must have written nothing.
fn refuses(project: &Project, args: &[&str], code: i32, words: &[&str]) {
    let before = state(project);
    let (what, hint) = project.run(args).refused(code);
    for word in words {
        assert!(what.contains(word) || hint.contains(word), "{args:?}: '{word}' is not named: {what} / {hint}");
    }
    assert!(state(project) == before, "{args:?} wrote something");
    let mut answer = project.run(&[args, &["--json"]].concat());
    // Notes may come before.
    answer.err = answer.err.lines().last().unwrap_or_default().to_owned();
    let error = answer.refused_json(code);
    let kind = match code {
        1 => "check_failed",
        2 => "invalid",
        3 => "not_found",
        4 => "conflict",
        _ => "unavailable",
    };
    assert_eq!(error["kind"], kind, "{args:?}: {error}");
    assert!(state(project) == before, "{args:?} --json wrote something");
}

#[test]
fn an_append_says_what_is_wrong_with_an_event() {
    let place = Place::bare();
    let project = begun(&place);
    let append = |more: &[&'static str]| -> Vec<&'static str> { [&["md", "append"], more].concat() };
    let said = ["--scope", "app", "--summary", "Say what was done here"];
    let with = |kind: &'static str, more: &[&'static str]| [append(&[kind]), said.to_vec(), more.to_vec()].concat();
    let cases: Vec<(Vec<&str>, i32, &[&str])> = vec![
        (append(&[]), 2, &["TYPE"]),
        (with("banana", &[]), 2, &["'banana'", "decision"]),
        (with("user_input", &[]), 2, &["'user_input'"]),
        (append(&["create", "--summary", "Say what was done here"]), 2, &["scope"]),
        (append(&["create", "--scope", "app"]), 2, &["summary"]),
        (append(&["create", "--scope", "app", "--summary", "two\nlines"]), 2, &["summary", "one line"]),
        (append(&["create", "--scope", " ", "--summary", "Say what was done"]), 2, &["scope"]),
        (with("create", &["--detail", "entity"]), 2, &["'entity'", "KEY=VALUE"]),
        (with("create", &["--detail", "=x"]), 2, &["is empty or reserved"]),
        (with("create", &["--detail", "entity="]), 2, &["'entity='"]),
        (with("create", &["--detail", "_md=1"]), 2, &["_md"]),
        (with("test", &["--detail", "result=perhaps"]), 2, &["'perhaps'", "pass"]),
        (with("modify", &["--ref", "evt-99"]), 3, &["evt-099"]),
        (with("modify", &["--ref", "first"]), 2, &["'first'", "evt-014"]),
        (with("modify", &["--ref", "evt-99", "--stage"]), 3, &["evt-099"]),
        (with("modify", &["--agent", "a|b"]), 2, &["agent"]),
        (with("modify", &["--yes"]), 2, &["--from-git"]),
        (append(&["--from-git"]), 5, &["git"]),
        (with("modify", &["--project", "nowhere"]), 3, &["nowhere"]),
    ];
    for (args, code, words) in cases {
        refuses(&project, &args, code, words);
    }
}

#[test]
fn what_is_not_there_is_not_found() {
    let place = Place::bare();
    let project = begun(&place);
    let cases: [(&[&str], i32, &[&str]); 19] = [
        (&["md", "get"], 2, &["EVT"]),
        (&["md", "get", "evt-077"], 3, &["'evt-077'", "md search"]),
        (&["md", "get", "nothing"], 3, &["'nothing'"]),
        (&["md", "timeline"], 2, &["EVT"]),
        (&["md", "timeline", "77"], 3, &["'77'"]),
        (&["md", "timeline", "1", "--context", "some"], 2, &["some"]),
        (&["md", "summarize", "--from", "evt-077"], 3, &["'evt-077'"]),
        (&["md", "summarize", "--to", "evt-077"], 3, &["'evt-077'"]),
        (&["md", "summarize", "--last", "many"], 2, &["many"]),
        (&["md", "search", "--limit", "-1"], 2, &["-1"]),
        (&["md", "search", "--meaning"], 2, &["TEXT"]),
        (&["md", "relevant"], 2, &["TASK"]),
        (&["md", "handoff"], 2, &["--to"]),
        (&["md", "handoff", "--to", "agent"], 2, &["itself"]),
        (&["md", "handoff", "--to", "b", "--artifact", "evt-077"], 3, &["evt-077"]),
        (&["md", "handoff", "--to", "b", "--detail", "x"], 2, &["'x'"]),
        (&["md", "init", "--tier", "most"], 2, &["'most'", "mvp, core, full"]),
        (&["md", "shutdown", "--commit", "x"], 3, &["not a git repository"]),
        (&["md", "nonsense"], 2, &["nonsense"]),
    ];
    for (args, code, words) in cases {
        refuses(&project, args, code, words);
    }
}

#[test]
fn a_boot_takes_only_a_handoff_that_is_there_and_is_for_the_agent() {
    let place = Place::bare();
    let project = begun(&place);
    refuses(&project, &["md", "boot", "--handoff", "--agent", "tester"], 3, &["no handoff to tester"]);
    let missing = place.arg("missing.json");
    refuses(&project, &["md", "boot", "--handoff", &missing], 3, &["missing.json"]);
    for (text, word) in
        [("", "not a handoff"), ("{}", "not a handoff"), ("[1]", "not a handoff"), ("no", "not a handoff")]
    {
        let file = place.write("broken.json", text);
        refuses(&project, &["md", "boot", "--handoff", &file], 2, &[word]);
    }
    let payload = project.ok(&["md", "handoff", "--to", "tester", "--agent", "builder"]);
    project.boot();
    let file = place.write("payload.json", &payload);
    refuses(&project, &["md", "boot", "--handoff", &file, "--agent", "other"], 2, &["for tester", "other"]);
    let none = place.write("none.json", payload.replace("\"identity\": \"md-", "\"identity\": \"md-0"));
    refuses(&project, &["md", "boot", "--handoff", &none], 3, &["evt-003", "git pull"]);
    let context = payload.split("\"context\": \"").nth(1).and_then(|rest| rest.get(..8)).expect("a hash");
    let forged = place.write("forged.json", payload.replace(context, "00000000"));
    refuses(&project, &["md", "boot", "--handoff", &forged], 1, &["not the one that the sender had"]);
    let proofless = payload.split(",\n  \"proof\"").next().expect("a beginning").to_owned() + "\n}\n";
    let proofless = place.write("proofless.json", proofless);
    refuses(&project, &["md", "boot", "--handoff", &proofless], 2, &["has no event"]);
    assert_eq!(project.json(&["md", "boot", "--handoff", &file])["handoff"], "evt-003", "the real one is taken");
    let (what, _) = project.run(&["md", "boot", "--handoff", &file]).refused(4);
    assert!(what.contains("taken by tester"), "{what}");
}

#[test]
fn a_folder_that_has_not_begun_is_told_so() {
    let place = Place::bare();
    let project = Project::bare(&place, "empty");
    let (what, hint) = project.run(&["md", "boot"]).refused(3);
    assert!(
        what.contains("boot stopped at layer 1") && what.contains(LOG) && hint.contains("md init"),
        "{what} {hint}"
    );
    let answer = project.run(&["md", "validate"]);
    assert!(answer.code == 1 && answer.out.contains("layer-missing") && answer.out.contains(LOG), "{answer:?}");
    for args in [&["md", "get", "evt-001"][..], &["md", "timeline", "evt-001"]] {
        project.run(args).refused(3);
    }
    assert!(project.files().is_empty(), "nothing was written: {:?}", project.files());
    let (what, _) = project.run(&["md", "init", "--hook"]).refused(3);
    assert!(what.contains("not a git repository"), "{what}");
    for args in [&["md", "init", "--project", "nowhere"][..], &["md", "sync", "--project", "nowhere"]] {
        let (what, _) = project.run(args).refused(3);
        assert!(what.contains("nowhere"), "{what}");
    }
    assert!(!project.has("nowhere"), "a folder that is not there is not made");
}

#[test]
fn a_hook_that_is_there_is_not_written_over() {
    let place = Place::bare();
    let project = Project::in_git(&place, "project");
    project.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 0\n");
    let (what, hint) = project.run(&["md", "init", "--hook"]).refused(4);
    assert!(what.contains("pre-commit already exists") && hint.contains("md validate"), "{what} {hint}");
    assert_eq!(project.read(".git/hooks/pre-commit"), "#!/bin/sh\nexit 0\n");
}

#[test]
fn a_shutdown_commits_although_there_is_a_hook_of_ours() {
    let place = Place::bare();
    let project = Project::in_git(&place, "project");
    project.ok(&["md", "init", "--hook"]);
    project.append("create", "app", "Create the application anew", &["--detail", "entity=app"]);
    // The hook checks while the shutdown has the project to itself: neither may wait for the other.
    let mut child = project.command(&["md", "shutdown", "--commit", "Sound"]).spawn().expect("the program starts");
    let start = Instant::now();
    let ended = loop {
        match child.try_wait().expect("it can be asked") {
            None if start.elapsed() < Duration::from_secs(30) => std::thread::sleep(Duration::from_millis(20)),
            ended => break ended,
        }
    };
    child.kill().expect("it can be killed");
    child.wait().expect("it is dead");
    assert!(ended.is_some_and(|ended| ended.success()), "the shutdown waits for its own hook: {ended:?}");
}

#[test]
fn files_that_cannot_be_read_stop_everything_and_stay_as_they_are() {
    let place = Place::bare();
    let project = begun(&place);
    let sound = project.read(LOG);
    std::fs::write(project.path(LOG), b"# Changelog\n\xff\xfe\n").expect("written");
    let before = project.files();
    for args in [&["md", "sync"][..], &["md", "boot"], &["md", "validate"], &["md", "shutdown"], &["md", "repair"]] {
        let answer = project.run(args);
        assert_eq!(answer.code, 2, "{args:?}: {answer:?}");
        assert!(answer.err.contains(LOG) && answer.err.contains("UTF-8"), "{args:?}: {answer:?}");
    }
    assert_eq!(project.files(), before, "nothing was written");
    project.write(LOG, &sound);
    project.sync();
    project.validate();
}

#[test]
fn links_out_of_the_project_are_not_followed() {
    let place = Place::bare();
    let project = begun(&place);
    let outside = place.write("outside.md", "somebody else's\n");
    for path in [LOG, GRAPH, CONTEXT, ARCHIVE] {
        let kept = project.path(path).exists().then(|| project.read(path));
        let _ = std::fs::remove_file(project.path(path));
        std::os::unix::fs::symlink(&outside, project.path(path)).expect("a link can be made");
        let args = ["md", "append", "modify", "--scope", "app", "--summary", "Write through a link out", "--json"];
        project.run(&args);
        project.run(&["md", "boot"]);
        assert_eq!(std::fs::read_to_string(&outside).expect("it is there"), "somebody else's\n", "{path} was followed");
        std::fs::remove_file(project.path(path)).expect("the link is there");
        if let Some(kept) = kept {
            project.write(path, &kept);
        }
    }
}

#[test]
fn a_merge_needs_files_it_can_read() {
    let place = Place::bare();
    let project = begun(&place);
    let good = place.write("good.md", project.read(LOG));
    let bad = place.write("bad.md", b"\xff");
    refuses(&project, &["md", "merge", &good, &good], 2, &["THEIRS"]);
    refuses(&project, &["md", "merge", &good, &bad, &good], 2, &["bad.md", "UTF-8"]);
    refuses(&project, &["md", "merge", &good, &good, &place.arg("missing.md")], 3, &["missing.md"]);
    assert_eq!(std::fs::read(place.path("bad.md")).expect("it is there"), b"\xff");
}

#[test]
fn a_hook_of_ours_lets_a_commit_by_hand_through_or_not() {
    let place = Place::bare();
    let project = Project::in_git(&place, "project");
    project.ok(&["md", "init", "--hook"]);
    project.append("create", "app", "Create the application anew", &["--detail", "entity=app"]);
    project.commit("Sound");
    project.write(LOG, &project.read(LOG).replace("anew", "otherwise"));
    project.git(&["add", LOG]);
    let refused = project.run_git(&["commit", "-m", "Broken"]);
    assert!(
        refused.code != 0 && format!("{}{}", refused.out, refused.err).contains("evt-001 was edited"),
        "{refused:?}"
    );
}
