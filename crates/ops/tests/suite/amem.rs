//! The A-MEM folder (specification 000), both ways: nothing is taken twice, nothing is lost, nothing old is changed.

#![expect(clippy::print_stderr, reason = "a test says what it skipped")]

#[path = "amem/details.rs"]
mod details;
#[path = "amem/edits.rs"]
mod edits;
#[path = "amem/expired.rs"]
mod expired;
#[path = "amem/places.rs"]
mod places;
#[path = "amem/retained.rs"]
mod retained;
#[path = "amem/together.rs"]
mod together;
#[path = "amem/traces.rs"]
mod traces;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use idetic_ops::{Error, Kind};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::hermetic::Hermetic;

const SPACE: &str = "local/x";

/// A home and a folder.
struct Both {
    home: Hermetic,
    folder: TempDir,
}

impl Both {
    fn new() -> Self {
        Self { home: Hermetic::new(), folder: TempDir::new().expect("a folder") }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn put(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        fs::write(path, text).expect("writes");
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    /// Runs one of the operations and gives its report, whether or not everything was well.
    fn run(&self, operation: &str, more: &Value) -> Value {
        run(&self.home, operation, self.folder.path(), more)
    }

    fn sync(&self) -> Value {
        self.run("amem sync", &json!({}))
    }

    fn append(&self, record: &Value) {
        self.home.append(SPACE, &[record.to_string()]);
    }

    fn events(&self) -> u64 {
        status(&self.home)["events"].as_u64().expect("a number")
    }
}

fn status(home: &Hermetic) -> Value {
    serde_json::from_str(&home.call(SPACE, "status", "{}").expect("answers")[0]).expect("JSON")
}

fn run(home: &Hermetic, operation: &str, folder: &Path, more: &Value) -> Value {
    let mut arguments = json!({"folder": folder});
    arguments.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    let (lines, end) = home.call_all(SPACE, operation, &arguments.to_string());
    let report: Value =
        serde_json::from_str(lines.first().unwrap_or_else(|| panic!("{operation}: {end:?}"))).expect("JSON");
    let troubled = report["troubles"].as_array().expect("a list").iter().any(|t| t["kind"] != "remark");
    match end {
        Ok(()) => assert!(!troubled, "{report}"),
        Err(Error { kind: Kind::CheckFailed, .. }) => assert!(troubled, "{report}"),
        Err(error) => panic!("{operation}: {error}"),
    }
    report
}

fn troubles(report: &Value, kind: &str) -> Vec<String> {
    let all = report["troubles"].as_array().expect("a list").iter();
    all.filter(|t| t["kind"] == kind).map(|t| format!("{}:{} {}", t["file"], t["line"], t["reason"])).collect()
}

/// Every file below a folder with its bytes.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(
                files(&path)
                    .into_iter()
                    .map(|(name, bytes)| (path.file_name().map(Path::new).expect("a name").join(name), bytes)),
            );
        } else {
            found.insert(PathBuf::from(path.file_name().expect("a name")), fs::read(&path).expect("reads"));
        }
    }
    found
}

const CALL: &str = r#"{"timestamp": "2025-01-17T12:00:00.123Z", "trace_id": "abc123", "status": "success", "schema_version": "1.0", "event_type": "gateway.tool_call", "source": "project-name", "metadata": {"tool_name": "example:tool_name", "backend": "example-backend", "duration_ms": 1234}}"#;
const FAILED: &str = r#"{"timestamp": "2025-01-17T12:01:00Z", "trace_id": "abc123", "status": "failure", "schema_version": "1.0", "event_type": "gateway.backend_failed", "source": "project-name", "metadata": {"backend": "b", "error": "timed out", "stderr": ""}}"#;
const MONTH: &str = "events/2025-01/events.jsonl";

#[test]
fn the_published_files_are_taken_in_once_and_come_back_byte_for_byte() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/spec/samples/amem");
    if !samples.is_dir() {
        eprintln!("SKIPPED: the sample files in shared/spec/samples/amem are not here");
        return;
    }
    let home = Hermetic::new();
    let report = run(&home, "amem import", &samples, &json!({}));
    let found: BTreeMap<&str, (u64, u64)> = report["files"]
        .as_array()
        .expect("files")
        .iter()
        .map(|f| {
            (f["file"].as_str().expect("a name"), (f["added"].as_u64().unwrap_or(0), f["unread"].as_u64().unwrap_or(0)))
        })
        .collect();
    for (file, events) in [
        ("events_2025-11-chora-base.jsonl", 7),
        ("events_2025-11.jsonl", 16),
        ("events_development.jsonl", 19),
        ("events_knowledge-queries.jsonl", 1),
        ("events_sap-evaluations.first30.jsonl", 30),
        ("events_script-usage.first50.jsonl", 50),
        ("events_sessions.jsonl", 1),
        ("traces_trace-2025-11-04-option-b.jsonl", 1),
    ] {
        assert_eq!(found.get(file), Some(&(events, 0)), "{file}: {report}");
    }
    assert_eq!(report["notes_added"], 3, "{report}");
    let events = status(&home)["events"].clone();
    let again = run(&home, "amem import", &samples, &json!({}));
    assert_eq!((&again["events_added"], &again["notes_added"]), (&json!(0), &json!(0)), "{again}");
    assert_eq!(status(&home)["events"], events);
    let (first, second) = (TempDir::new().expect("a folder"), TempDir::new().expect("a folder"));
    run(&home, "amem export", first.path(), &json!({}));
    let other = Hermetic::new();
    run(&other, "amem import", first.path(), &json!({}));
    run(&other, "amem export", second.path(), &json!({}));
    let (first, second) = (files(first.path()), files(second.path()));
    assert!(first.len() > 10 && first == second, "{:?}\n{:?}", first.keys(), second.keys());
}

#[test]
fn lines_that_others_write_become_events_and_ours_are_found_by_grep() {
    let both = Both::new();
    both.put(MONTH, &format!("{CALL}\n"));
    assert_eq!(both.sync()["events_added"], 1);
    assert_eq!(both.text(MONTH), format!("{CALL}\n"), "what came from the file is not written to it again");
    both.append(&json!({"kind": "test", "trace_id": "abc123", "ts": "2025-01-20T00:00:00Z", "content": "ours"}));
    let report = both.sync();
    assert_eq!((&report["events_added"], &report["lines_written"]), (&json!(0), &json!(1)), "{report}");
    let text = both.text(MONTH);
    assert!(text.starts_with(CALL) && text.lines().count() == 2, "{text}");
    assert_eq!(text.lines().filter(|line| line.contains(r#""trace_id": "abc123""#)).count(), 2, "the document's grep");
    assert_eq!(both.text("events/2025-01/traces/abc123.jsonl").lines().count(), 2, "both stand in the trace's file");
    let before = files(both.folder.path());
    let idle = both.sync();
    assert_eq!(
        (&idle["lines_written"], &idle["files_written"], &idle["events_added"]),
        (&json!(0), &json!(0), &json!(0))
    );
    assert!(before == files(both.folder.path()), "a sync without news touches nothing");
    assert_eq!(both.events(), 2);
}

#[test]
fn what_is_private_stays_out_of_the_folder_unless_its_owner_wants_all() {
    let both = Both::new();
    both.append(&json!({"kind": "user_input", "agent_id": "a", "persona": "subconscious", "content": "hidden one"}));
    both.append(&json!({"kind": "user_input", "tags": ["Private"], "content": "hidden two"}));
    both.append(&json!({"kind": "user_input", "tags": ["x", "sensitive"], "content": "hidden three"}));
    both.append(&json!({"kind": "user_input", "agent_id": "a", "content": "shown"}));
    both.sync();
    let all = |folder: &Path| {
        files(folder).into_values().map(|b| String::from_utf8_lossy(&b).into_owned()).collect::<String>()
    };
    let text = all(both.folder.path());
    assert!(text.contains("shown") && !text.contains("hidden"), "{text}");
    let own = TempDir::new().expect("a folder");
    run(&both.home, "amem export", own.path(), &json!({"all": true}));
    assert_eq!(all(own.path()).matches("hidden").count(), 3);
}

#[test]
fn old_lines_that_were_changed_deleted_or_moved_are_told_and_change_nothing() {
    /// What a file becomes, and how many lines that concerns.
    type Case = (fn(&str) -> String, usize, &'static str);
    let cases: [Case; 4] = [
        (|whole| whole.replace("12:00:00.123Z", "13:00:00.123Z"), 1, "a changed line of theirs"),
        (|whole| whole.split_once('\n').expect("lines").1.to_owned(), 1, "a deleted line"),
        (
            |whole| {
                let (first, rest) = whole.split_once('\n').expect("lines");
                format!("{rest}{first}\n")
            },
            1,
            "a moved line",
        ),
        (|whole| whole.replace("ours", "theirs"), 1, "a changed line of ours"),
    ];
    for (tamper, violations, what) in cases {
        let both = Both::new();
        both.put(MONTH, &format!("{CALL}\n{FAILED}\n"));
        both.append(&json!({"kind": "test", "ts": "2025-01-20T00:00:00Z", "content": "ours"}));
        both.sync();
        let (whole, events) = (both.text(MONTH), both.events());
        let text = tamper(&whole);
        both.put(MONTH, &text);
        for _ in 0..2 {
            let report = both.sync();
            assert_eq!(troubles(&report, "violation").len(), violations, "{what}: {report}");
            assert_eq!(both.events(), events, "{what}: the log stays as it was");
            assert_eq!(both.text(MONTH), text, "{what}: the file is not touched");
        }
        let added = CALL.replace("abc123", &format!("new-{}", what.len()));
        both.put(MONTH, &format!("{text}{added}\n"));
        let report = both.run("amem sync", &json!({"restore": true}));
        assert_eq!(report["events_added"], 1, "{what}: what is new is taken in all the same: {report}");
        let restored = both.text(MONTH);
        assert!(restored.starts_with(&whole) && restored.contains(&added), "{what}: {restored}");
        assert!(troubles(&both.sync(), "violation").is_empty(), "{what}");
    }
}

#[test]
fn branches_that_were_merged_lose_nothing() {
    let both = Both::new();
    both.put(MONTH, &format!("{CALL}\n"));
    both.sync();
    let (ours, theirs) = (CALL.replace("abc123", "ours"), CALL.replace("abc123", "theirs"));
    both.put(MONTH, &format!("{CALL}\n{ours}\n"));
    both.sync();
    // Git joined another branch's line before ours.
    both.put(MONTH, &format!("{CALL}\n{theirs}\n{ours}\n"));
    let report = both.sync();
    assert_eq!((&report["events_added"], troubles(&report, "violation").len()), (&json!(1), 0), "{report}");
    // Git could not join them and left its marks.
    let more = CALL.replace("abc123", "more");
    both.put(MONTH, &format!("{CALL}\n{theirs}\n<<<<<<< HEAD\n{ours}\n=======\n{more}\n>>>>>>> branch\n"));
    let report = both.sync();
    assert_eq!(report["events_added"], 1, "{report}");
    assert_eq!(troubles(&report, "unread").len(), 3, "the marks are no events: {report}");
    assert_eq!(both.events(), 4);
}

const NOTE: &str = "---\nid: backend-timeout-fix\ncreated: 2025-01-17T12:00:00Z\nupdated: 2025-01-17T14:30:00Z\n\
    tags: [troubleshooting, backend]   # mine\nodd: {kept: yes}\n---\n\n# Backend Timeout Fix\n\nRaise it. See [[other-note]].\n";
const NOTE_FILE: &str = "knowledge/notes/backend-timeout-fix.md";

#[test]
fn a_note_goes_both_ways_and_keeps_every_byte() {
    let both = Both::new();
    both.put(NOTE_FILE, NOTE);
    assert_eq!(both.sync()["notes_added"], 1);
    assert_eq!(both.text(NOTE_FILE), NOTE);
    let links = both.text("knowledge/links.json");
    assert!(links.contains("backend-timeout-fix") && both.text("knowledge/tags.json").contains("\"troubleshooting\""));
    let edited = NOTE.replace("Raise it.", "Raise it to 60 s.");
    both.put(NOTE_FILE, &edited);
    assert_eq!(both.sync()["notes_added"], 1);
    let other = TempDir::new().expect("a folder");
    run(&both.home, "amem export", other.path(), &json!({}));
    assert_eq!(fs::read_to_string(other.path().join(NOTE_FILE)).expect("written"), edited);
    let found = both.home.call(SPACE, "recall", r#"{"query":"raise the timeout"}"#).expect("answers").concat();
    assert!(found.contains("60 s") && !found.contains("Raise it. See"), "only what it says now: {found}");
    // Its file removed: it is gone from the notes, and its history stays.
    both.put("knowledge/notes/second.md", "# Second\n");
    both.sync();
    fs::remove_file(both.path(NOTE_FILE)).expect("removed");
    both.sync();
    run(&both.home, "amem sync", other.path(), &json!({}));
    assert!(!other.path().join(NOTE_FILE).exists(), "and leaves the other folder too");
    let log = both.home.call(SPACE, "log", "{}").expect("answers").concat();
    assert!(log.contains("note.deleted") && log.contains("Raise it. See"), "{log}");
}

#[test]
fn a_note_that_both_sides_changed_keeps_both_texts() {
    let both = Both::new();
    let elsewhere = TempDir::new().expect("a folder");
    both.put(NOTE_FILE, NOTE);
    both.sync();
    run(&both.home, "amem sync", elsewhere.path(), &json!({}));
    let (mine, theirs) = (NOTE.replace("Raise", "Lower"), NOTE.replace("Raise", "Keep"));
    fs::write(elsewhere.path().join(NOTE_FILE), &theirs).expect("written");
    run(&both.home, "amem sync", elsewhere.path(), &json!({}));
    both.put(NOTE_FILE, &mine);
    let report = both.sync();
    assert_eq!(troubles(&report, "conflict").len(), 1, "{report}");
    assert_eq!(both.text(NOTE_FILE), mine, "the file stays what the person wrote");
    let beside = files(both.folder.path()).into_iter().find(|(name, _)| name.to_string_lossy().contains(".conflict-"));
    assert_eq!(beside.map(|(_, bytes)| bytes), Some(theirs.clone().into_bytes()));
    let log = both.home.call(SPACE, "log", "{}").expect("answers").concat();
    assert!(log.contains("Lower it") && log.contains("Keep it"), "the log has both");
    assert!(troubles(&both.sync(), "conflict").is_empty(), "it is told once");
    // Left unmerged by git: told, and kept as it is.
    let marked = format!("<<<<<<< HEAD\n{mine}=======\n{theirs}>>>>>>> branch\n");
    both.put(NOTE_FILE, &marked);
    assert_eq!(troubles(&both.sync(), "conflict").len(), 1);
    assert_eq!(both.text(NOTE_FILE), marked);
}

#[test]
fn hostile_files_are_told_and_nothing_outside_is_touched() {
    let both = Both::new();
    let outside = TempDir::new().expect("a folder");
    fs::write(outside.path().join("secret.md"), "# Secret of others\n").expect("written");
    both.put("knowledge/notes/good.md", "# Good\n");
    std::os::unix::fs::symlink(outside.path().join("secret.md"), both.path("knowledge/notes/link.md")).expect("a link");
    std::os::unix::fs::symlink(outside.path(), both.path("knowledge/more")).expect("a link");
    for (file, id) in
        [("up", "../../up"), ("root", "/etc/passwd"), ("nul", "a\\u0000b"), ("device", "con"), ("self", "self")]
    {
        both.put(&format!("knowledge/notes/{file}.md"), &format!("---\nid: \"{id}\"\nlinked_to: [{file}]\n---\n# X\n"));
    }
    both.put("knowledge/notes/bomb.md", &format!("---\na: &a [x,x]\n{}---\n# Bomb\n", "b: [*a,*a,*a]\n".repeat(1000)));
    fs::write(both.path("knowledge/notes/bytes.md"), b"# \xff\xfe").expect("written");
    both.put("knowledge/notes/GOOD.md", "# Twin by case\n");
    let mut events = CALL.as_bytes().to_vec();
    events.extend(
        b"\n{\"event_type\": \"a.b\", \"timestamp\": \"2025-01-01\", \"x\": \"\xff\"}\n\0\0\n{\"event_type\": ",
    );
    fs::create_dir_all(both.path("events/2025-01")).expect("folders");
    fs::write(both.path(MONTH), events).expect("written");
    let report = both.sync();
    let unread = troubles(&report, "unread");
    for name in ["link.md", "knowledge/more", "nul.md", "bytes.md", MONTH] {
        assert!(unread.iter().any(|t| t.contains(name)), "{name}: {unread:#?}");
    }
    // An id that is no name is passed over for the name of the file, and that is told.
    for name in ["up.md", "root.md", "device.md"] {
        assert!(troubles(&report, "remark").iter().any(|t| t.contains(name)), "{name}: {report:#}");
    }
    let text: String =
        files(both.home.folder.path()).into_values().map(|b| String::from_utf8_lossy(&b).into_owned()).collect();
    assert!(!text.contains("Secret of others"), "a link is never followed");
    assert_eq!(fs::read_dir(outside.path()).expect("a folder").count(), 1, "nothing is written outside");
    // A link in the place of a file that we write.
    fs::remove_file(both.path("knowledge/links.json")).expect("removed");
    std::os::unix::fs::symlink(outside.path().join("secret.md"), both.path("knowledge/links.json")).expect("a link");
    let arguments = json!({"folder": both.folder.path()}).to_string();
    let (_, end) = both.home.call_all(SPACE, "amem sync", &arguments);
    assert!(end.is_err());
    assert_eq!(fs::read_to_string(outside.path().join("secret.md")).expect("reads"), "# Secret of others\n");
}

#[test]
fn a_new_folder_is_laid_out_as_the_specification_says_and_keeps_what_is_there() {
    let both = Both::new();
    both.put("AGENTS.md", "mine");
    both.run("amem init", &json!({}));
    for name in [
        "README.md",
        "CLAUDE.md",
        "queries/recent-failures.sql",
        "queries/trace-lookup.sql",
        "queries/knowledge-search.sql",
        "events/index.json",
        "knowledge/links.json",
        "knowledge/tags.json",
    ] {
        assert!(!both.text(name).is_empty(), "{name}");
    }
    assert_eq!(both.text("AGENTS.md"), "mine");
    assert!(both.path("profiles").is_dir() && both.path("knowledge/notes").is_dir());
    both.run("amem validate", &json!({}));
}

#[test]
fn old_months_are_packed_and_archived_and_everything_is_still_there() {
    let both = Both::new();
    let config = format!("[amem]\nfolder = {:?}\n[retention]\narchive_after_months = 6\n", both.folder.path());
    fs::write(both.home.folder.path().join("config.toml"), config).expect("configured");
    let months = ["2024-05", "2024-11", "2025-01"];
    for month in months {
        both.put(&format!("events/{month}/events.jsonl"), &format!("{}\n", CALL.replace("2025-01", month)));
    }
    let note = NOTE.replace("odd: {kept: yes}", "status: deprecated");
    both.put(NOTE_FILE, &note);
    let home = &both.home;
    both.sync();
    let now = home.env.now().day();
    assert!(now.starts_with("2025-01"), "{now}");
    let looked: Value =
        serde_json::from_str(&home.call(SPACE, "retain", r#"{"dry_run":true}"#).expect("answers")[0]).expect("JSON");
    assert_eq!(
        (&looked["folder"]["compressed"], &looked["folder"]["archived_months"]),
        (&json!(2), &json!(1)),
        "{looked}"
    );
    assert!(both.path("events/2024-11/events.jsonl").exists(), "a dry run moves nothing");
    home.call(SPACE, "retain", r#"{"apply":true}"#).expect("moves");
    assert!(both.path("events/2024-11/events.jsonl.gz").exists() && !both.path("events/2024-11/events.jsonl").exists());
    assert!(
        both.path("archive/events/2024-05/events.jsonl.gz").exists()
            && !both.path("events/2024-05/events.jsonl").exists()
    );
    assert!(both.path("events/2025-01/events.jsonl").exists());
    let events = both.events();
    for _ in 0..2 {
        let report = both.sync();
        assert_eq!((&report["events_added"], &report["lines_written"]), (&json!(0), &json!(0)), "{report}");
        assert_eq!(troubles(&report, "violation"), Vec::<String>::new(), "{report}");
    }
    assert_eq!(both.events(), events);
    assert!(both.text("events/index.json").contains("events.jsonl.gz"));
    // Into an empty space everything that is not archived comes from the packed file as well.
    let other = Hermetic::new();
    let taken = run(&other, "amem import", both.folder.path(), &json!({}));
    assert!(taken["events_added"].as_u64().is_some_and(|n| n >= 2), "{taken}");
    // What comes late to a month that is packed or archived is added to it.
    for month in ["2024-05", "2024-11"] {
        both.append(
            &json!({"kind": "test", "ts": format!("{month}-20T00:00:00Z"), "content": format!("late to {month}")}),
        );
    }
    both.sync();
    home.call(SPACE, "retain", r#"{"apply":true}"#).expect("moves");
    for file in ["archive/events/2024-05/events.jsonl.gz", "events/2024-11/events.jsonl.gz"] {
        let mut text = String::new();
        let mut packed = flate2::read::GzDecoder::new(fs::File::open(both.path(file)).expect("packed"));
        std::io::Read::read_to_string(&mut packed, &mut text).expect("unpacks");
        assert_eq!(text.lines().count(), 2, "{file}: {text}");
    }
    let report = both.sync();
    assert_eq!((&report["events_added"], &report["lines_written"]), (&json!(0), &json!(0)), "{report}");
}

#[test]
fn a_folder_that_was_copied_moved_or_touched_adds_nothing() {
    let both = Both::new();
    both.append(&json!({"kind": "test", "trace_id": "t1", "agent_id": "a", "content": "one"}));
    both.append(&json!({"kind": "test", "trace_id": "t1", "content": "two"}));
    both.append(&json!({"kind": "note.outcome", "metadata": {"note": "n", "worked": true}}));
    both.sync();
    let copy = TempDir::new().expect("a folder");
    for (name, bytes) in files(both.folder.path()) {
        let path = copy.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        fs::write(path, bytes).expect("copied");
    }
    let report = run(&both.home, "amem sync", copy.path(), &json!({}));
    assert_eq!((&report["events_added"], both.events()), (&json!(0), 3), "{report}");
    let trace = fs::read_dir(both.path("events")).expect("months").flatten().map(|m| m.path().join("traces/t1.jsonl"));
    let trace = trace.filter(|path| path.exists()).collect::<Vec<_>>().pop().expect("a trace's file");
    let text = fs::read_to_string(&trace).expect("reads");
    fs::write(&trace, text.lines().next().expect("a line").to_owned() + "\n").expect("written");
    assert_eq!((&both.sync()["events_added"], both.events()), (&json!(0), 3));
}

#[test]
fn what_a_person_wrote_and_nobody_read_is_never_written_over() {
    let both = Both::new();
    both.put(MONTH, &format!("{CALL}\n"));
    both.put(NOTE_FILE, NOTE);
    both.sync();
    // A line, and an edit of a note, that no sync has seen; meanwhile the log goes on and is exported.
    let line = CALL.replace("abc123", "by-hand");
    both.put(MONTH, &format!("{}{line}\n", both.text(MONTH)));
    let mine = NOTE.replace("Raise", "Lower");
    both.put(NOTE_FILE, &mine);
    let theirs = TempDir::new().expect("a folder");
    run(&both.home, "amem sync", theirs.path(), &json!({}));
    fs::write(theirs.path().join(NOTE_FILE), NOTE.replace("Raise", "Keep")).expect("written");
    run(&both.home, "amem sync", theirs.path(), &json!({}));
    both.append(&json!({"kind": "test", "ts": "2025-01-20T00:00:00Z", "content": "ours"}));
    let report = both.run("amem export", &json!({}));
    assert_eq!(troubles(&report, "conflict").len(), 1, "{report}");
    assert_eq!(both.text(NOTE_FILE), mine, "the person's text stays");
    let events = both.events();
    let report = both.sync();
    assert_eq!(report["events_added"], 1, "the line by hand is taken in after all: {report}");
    assert!(both.events() > events && both.text(MONTH).matches("ours").count() == 1, "{}", both.text(MONTH));
    // What cannot be read is nobody's to write over either.
    fs::write(both.path(NOTE_FILE), b"\xff person").expect("written");
    fs::write(theirs.path().join(NOTE_FILE), NOTE.replace("Raise", "Double")).expect("written");
    run(&both.home, "amem sync", theirs.path(), &json!({}));
    both.sync();
    assert_eq!(fs::read(both.path(NOTE_FILE)).expect("reads"), b"\xff person");
}

#[test]
fn a_restored_file_keeps_what_was_no_event_beside() {
    let both = Both::new();
    both.put(MONTH, &format!("{CALL}\n{FAILED}\n"));
    both.sync();
    both.put(MONTH, &format!("{FAILED}\nGARBAGE OF A PERSON\n"));
    both.run("amem sync", &json!({"restore": true}));
    assert_eq!(both.text(MONTH), format!("{CALL}\n{FAILED}\n"));
    let kept = files(both.folder.path()).into_iter().find(|(name, _)| name.to_string_lossy().contains(".before-"));
    assert!(kept.is_some_and(|(_, bytes)| String::from_utf8_lossy(&bytes).contains("GARBAGE OF A PERSON")));
    assert_eq!(both.sync()["events_added"], 0);
}

#[test]
fn what_could_not_be_read_is_told_for_as_long_as_it_is_there() {
    let both = Both::new();
    both.put(MONTH, &format!("{CALL}\nGARBAGE\n{FAILED}\n"));
    for _ in 0..3 {
        let report = both.run("amem import", &json!({}));
        assert_eq!(troubles(&report, "unread").len(), 1, "{report}");
    }
    assert_eq!(both.events(), 2);
}

#[test]
fn two_notes_with_one_place_both_have_a_file() {
    let both = Both::new();
    both.put("knowledge/notes/bbb.md", "---\nid: aaa\n---\n# AAA\n");
    both.sync();
    let other = TempDir::new().expect("a folder");
    fs::create_dir_all(other.path().join("knowledge/notes")).expect("folders");
    fs::write(other.path().join("knowledge/notes/bbb.md"), "---\nid: bbb\n---\n# BBB\n").expect("written");
    run(&both.home, "amem import", other.path(), &json!({}));
    both.sync();
    let empty = TempDir::new().expect("a folder");
    run(&both.home, "amem export", empty.path(), &json!({}));
    for folder in [both.folder.path(), empty.path()] {
        let all: String = files(&folder.join("knowledge/notes"))
            .into_values()
            .map(|b| String::from_utf8_lossy(&b).into_owned())
            .collect();
        assert!(all.contains("# AAA") && all.contains("# BBB"), "{all}");
    }
}

#[test]
fn a_note_that_becomes_private_leaves_the_folder_and_its_past_stays_out_of_new_ones() {
    let both = Both::new();
    let own = TempDir::new().expect("a folder");
    both.put(NOTE_FILE, NOTE);
    both.sync();
    run(&both.home, "amem export", own.path(), &json!({"all": true}));
    let hidden = NOTE.replace("backend]", "sensitive]").replace("Raise it", "SECRET");
    fs::write(own.path().join(NOTE_FILE), hidden).expect("written");
    run(&both.home, "amem sync", own.path(), &json!({"all": true}));
    both.append(&json!({"kind": "note.outcome", "trace_id": "SECRETTRACE", "metadata": {"note": "backend-timeout-fix", "worked": true}}));
    both.append(
        &json!({"kind": "tool_result", "agent_id": "ghost", "status": "failure", "tags": ["private"], "content": "x"}),
    );
    both.sync();
    let fresh = TempDir::new().expect("a folder");
    run(&both.home, "amem export", fresh.path(), &json!({}));
    assert!(!both.path(NOTE_FILE).exists() && !fresh.path().join(NOTE_FILE).exists());
    for folder in [both.folder.path(), fresh.path()] {
        let all: String =
            files(folder).into_iter().map(|(n, b)| format!("{}{}", n.display(), String::from_utf8_lossy(&b))).collect();
        assert!(!all.contains("SECRET") && !all.contains("ghost"), "{all}");
    }
    let all: String = files(fresh.path()).into_values().map(|b| String::from_utf8_lossy(&b).into_owned()).collect();
    assert!(!all.contains("Raise it"), "nor does its past: {all}");
}
