//! Several spaces, people and programs at one folder: nothing is lost, everybody comes to the same, conflicts are told.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use idetic_ops::core::Time;
use idetic_ops::{Env, Models};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{Both, NOTE, NOTE_FILE, SPACE, files, run, troubles};
use crate::hermetic::{Hermetic, START};

/// Two homes with one clock, whose ids never meet.
fn two_homes() -> (Hermetic, Hermetic) {
    let clock = Arc::new(AtomicI64::new(START));
    let home = |first: u64| {
        let (clock, bytes) = (Arc::clone(&clock), AtomicU64::new(first));
        let env = Env::new(
            move || Time(clock.fetch_add(1_000_000, Ordering::Relaxed)),
            move |out| {
                for chunk in out.chunks_mut(8) {
                    let next = bytes.fetch_add(1, Ordering::Relaxed).wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes();
                    chunk.copy_from_slice(&next[..chunk.len()]);
                }
            },
        );
        Hermetic::with(env, Models::default())
    };
    (home(1), home(1 << 40))
}

fn edit(home: &Hermetic, more: &str) {
    let arguments = json!({"note": "backend-timeout-fix", "append": more});
    home.call(SPACE, "note edit", &arguments.to_string()).expect("edited");
}

fn shown(home: &Hermetic) -> Option<String> {
    let lines = home.call(SPACE, "note show", r#"{"note":"backend-timeout-fix"}"#).ok()?;
    let shown: Value = serde_json::from_str(&lines[0]).expect("JSON");
    shown["text"].as_str().map(str::to_owned)
}

fn sync(home: &Hermetic, folder: &TempDir) -> Value {
    run(home, "amem sync", folder.path(), &json!({}))
}

/// Two homes at one folder that has the note.
fn sharing() -> (Hermetic, Hermetic, TempDir) {
    let (a, b) = two_homes();
    let folder = TempDir::new().expect("a folder");
    fs::create_dir_all(folder.path().join("knowledge/notes")).expect("folders");
    fs::write(folder.path().join(NOTE_FILE), NOTE).expect("a note");
    fs::write(folder.path().join("knowledge/notes/other.md"), "# Other\n").expect("a note");
    sync(&a, &folder);
    sync(&b, &folder);
    (a, b, folder)
}

#[test]
fn a_note_changed_in_two_spaces_ends_the_same_in_both_with_both_texts() {
    for a_is_first in [true, false] {
        let (a, b, folder) = sharing();
        let (first, second) = if a_is_first { (&a, &b) } else { (&b, &a) };
        edit(first, "Said first.");
        edit(second, "Said second.");
        let reports = [sync(&a, &folder), sync(&b, &folder), sync(&a, &folder)];
        let told: usize = reports.iter().map(|report| troubles(report, "conflict").len()).sum();
        assert!(told > 0, "{reports:?}");
        assert_eq!(shown(&a), shown(&b));
        assert!(shown(&a).is_some_and(|text| text.contains("Said second.")), "the later one stands: {:?}", shown(&a));
        assert_eq!(fs::read_to_string(folder.path().join(NOTE_FILE)).ok(), shown(&a));
        let beside = files(folder.path()).into_iter().find(|(name, _)| name.to_string_lossy().contains(".conflict-"));
        assert!(beside.is_some_and(|(_, text)| String::from_utf8_lossy(&text).contains("Said first.")));
        for home in [&a, &b] {
            let history = home.call(SPACE, "note history", r#"{"note":"backend-timeout-fix"}"#).expect("answers");
            assert_eq!(history.len(), 3, "the first text and both edits: {history:?}");
        }
        let before = files(folder.path());
        for home in [&a, &b, &a] {
            let report = sync(home, &folder);
            assert_eq!(troubles(&report, "conflict"), Vec::<String>::new(), "{report}");
        }
        assert!(before == files(folder.path()), "and then there is peace");
        let (third, _) = two_homes();
        let copied = run(&third, "amem import", folder.path(), &json!({}));
        assert_eq!((shown(&third), troubles(&copied, "conflict").len()), (shown(&a), 0), "{copied}");
    }
}

#[test]
fn a_note_deleted_in_one_space_and_changed_in_another_stays() {
    for a_is_first in [true, false] {
        let (a, b, folder) = sharing();
        let delete = || {
            a.call(SPACE, "note delete", r#"{"note":"backend-timeout-fix"}"#).expect("deleted");
        };
        if a_is_first {
            delete();
        }
        edit(&b, "Still of use.");
        if !a_is_first {
            delete();
        }
        let reports = [sync(&a, &folder), sync(&b, &folder), sync(&a, &folder), sync(&b, &folder)];
        assert!(reports.iter().any(|report| !troubles(report, "conflict").is_empty()), "{reports:?}");
        assert!(shown(&a).is_some_and(|text| text.contains("Still of use.")), "{reports:?}");
        assert_eq!(shown(&a), shown(&b));
        assert_eq!(fs::read_to_string(folder.path().join(NOTE_FILE)).ok(), shown(&a));
    }
}

#[test]
fn what_a_person_puts_back_is_a_new_version() {
    let both = Both::new();
    both.put("knowledge/notes/second.md", "# Second\n");
    both.put(NOTE_FILE, NOTE);
    both.sync();
    both.put(NOTE_FILE, &NOTE.replace("Raise", "Lower"));
    both.sync();
    both.put(NOTE_FILE, NOTE);
    assert_eq!(both.sync()["notes_added"], 1);
    assert_eq!((both.text(NOTE_FILE).as_str(), shown(&both.home).as_deref()), (NOTE, Some(NOTE)));
    fs::remove_file(both.path(NOTE_FILE)).expect("removed");
    both.sync();
    assert_eq!(shown(&both.home), None);
    both.put(NOTE_FILE, NOTE);
    both.sync();
    assert_eq!((both.text(NOTE_FILE).as_str(), shown(&both.home).as_deref()), (NOTE, Some(NOTE)));
}

#[test]
fn a_link_in_the_place_of_a_file_in_the_making_leads_nowhere() {
    let both = Both::new();
    let victim = both.home.folder.path().join("victim");
    fs::write(&victim, "precious").expect("written");
    both.put(NOTE_FILE, NOTE);
    for name in [".links.json.unfinished", &format!(".links.json.{}-0.unfinished", std::process::id())] {
        symlink(&victim, both.path("knowledge").join(name)).expect("a link");
    }
    both.sync();
    assert_eq!(fs::read_to_string(&victim).expect("there"), "precious");
    assert!(both.path("knowledge/links.json").symlink_metadata().expect("there").is_file());
}

#[test]
fn indexes_of_others_are_never_removed_and_kept_once() {
    let both = Both::new();
    let odd = "<<<<<<< HEAD\n{}\n=======\n";
    both.put("docs/useful-links.json", "{ // mine\n}");
    both.put("knowledge/links.json", odd);
    both.put(NOTE_FILE, NOTE);
    both.run("amem import", &json!({}));
    assert_eq!(
        (both.text("docs/useful-links.json").as_str(), both.text("knowledge/links.json").as_str()),
        ("{ // mine\n}", odd)
    );
    both.sync();
    assert!(both.text("knowledge/links.json").contains("backend-timeout-fix"));
    let kept =
        files(both.folder.path()).into_iter().find(|(name, _)| name.to_string_lossy().contains("links.json.before-"));
    assert_eq!(kept.map(|(_, bytes)| bytes), Some(odd.as_bytes().to_vec()));
    // The same foreign index in two folders is one event; in ours it gives way to what the notes say.
    let foreign = r#"{"notes": [{"id": "nowhere"}]}"#;
    let elsewhere = TempDir::new().expect("a folder");
    fs::write(elsewhere.path().join("links.json"), foreign).expect("written");
    for _ in 0..2 {
        run(&both.home, "amem import", elsewhere.path(), &json!({}));
        both.put("knowledge/links.json", foreign);
        both.sync();
        assert!(both.text("knowledge/links.json").contains("backend-timeout-fix"));
    }
    let log = both.home.call(SPACE, "log", r#"{"kind":"amem.index_kept"}"#).expect("answers");
    assert_eq!(log.len(), 1, "{log:?}");
}

#[test]
fn one_id_of_several_agents_is_several_events() {
    let (a, b, folder) = sharing();
    for (home, agent) in [(&a, "bob"), (&a, "eve"), (&b, "zed")] {
        let said = json!({"kind": "test", "id": "x1", "agent_id": agent, "content": format!("said by {agent}")});
        home.append(SPACE, &[said.to_string()]);
    }
    for home in [&a, &b, &a] {
        sync(home, &folder);
    }
    let text: String = files(folder.path())
        .into_iter()
        .filter(|(name, _)| name.ends_with("events.jsonl"))
        .map(|(_, bytes)| String::from_utf8_lossy(&bytes).into_owned())
        .collect();
    for agent in ["bob", "eve", "zed"] {
        assert_eq!(text.matches(&format!("said by {agent}")).count(), 1, "{text}");
    }
    let report = run(&a, "amem sync", folder.path(), &json!({"restore": true}));
    assert_eq!(troubles(&report, "violation"), Vec::<String>::new(), "{report}");
}

#[test]
fn an_export_that_finds_its_own_lines_adds_none() {
    let both = Both::new();
    let at = |month: u32| json!({"kind": "test", "ts": format!("2025-0{month}-02T00:00:00Z"), "trace_id": "t", "content": "x"});
    (1..=3).for_each(|month| both.append(&at(month)));
    // A folder stands where a file should: the others are written, and it is tried again.
    fs::create_dir_all(both.path("events/2025-02/events.jsonl")).expect("a folder");
    let report = both.run("amem export", &json!({}));
    assert_eq!(troubles(&report, "unread").len(), 1, "{report}");
    both.run("amem export", &json!({}));
    fs::remove_dir(both.path("events/2025-02/events.jsonl")).expect("removed");
    both.run("amem export", &json!({}));
    let whole = files(both.folder.path());
    let moved = TempDir::new().expect("a folder");
    let there = moved.path().join("moved");
    fs::rename(both.folder.path(), &there).expect("moved");
    run(&both.home, "amem export", &there, &json!({}));
    assert!(whole == files(&there), "nothing is written twice");
    let lines =
        |month: u32| fs::read_to_string(there.join(format!("events/2025-0{month}/events.jsonl"))).expect("there");
    assert_eq!((1..=3).map(|month| lines(month).lines().count()).collect::<Vec<_>>(), [1, 1, 1]);
    fs::rename(&there, both.folder.path()).expect("moved back");
}

#[test]
fn what_cannot_be_read_or_written_holds_up_nothing_else() {
    let both = Both::new();
    let outside = TempDir::new().expect("a folder");
    fs::create_dir_all(both.path("events")).expect("folders");
    symlink(outside.path(), both.path("events/2025-03")).expect("a link");
    fs::create_dir_all(both.path("knowledge/links.json")).expect("a folder");
    both.put(NOTE_FILE, NOTE);
    for month in ["2025-03", "2025-04"] {
        both.append(&json!({"kind": "test", "ts": format!("{month}-02T00:00:00Z"), "content": month}));
    }
    for _ in 0..2 {
        let report = both.sync();
        assert!(troubles(&report, "unread").iter().any(|told| told.contains("2025-03")), "{report}");
        assert_eq!(both.text("events/2025-04/events.jsonl").lines().count(), 1);
        assert_eq!(fs::read_dir(outside.path()).expect("there").count(), 0, "nothing outside is touched");
    }
    fs::remove_file(both.path("events/2025-03")).expect("removed");
    both.sync();
    assert_eq!(both.text("events/2025-03/events.jsonl").lines().count(), 1);
    assert_eq!(both.text("events/2025-04/events.jsonl").lines().count(), 1);
}

#[test]
fn traces_that_git_merged_are_taken_in() {
    let (a, b) = two_homes();
    let (left, right) = (TempDir::new().expect("a folder"), TempDir::new().expect("a folder"));
    let trace = "events/2025-01/traces/t.jsonl";
    let append = |home: &Hermetic, said: &str| {
        let record = json!({"kind": "test", "ts": "2025-01-02T00:00:00Z", "trace_id": "t", "content": said});
        home.append(SPACE, &[record.to_string()]);
    };
    append(&a, "base");
    sync(&a, &left);
    for name in [trace, "events/2025-01/events.jsonl"] {
        fs::create_dir_all(right.path().join(name).parent().expect("a parent")).expect("folders");
        fs::copy(left.path().join(name), right.path().join(name)).expect("copied");
    }
    sync(&b, &right);
    append(&a, "of a");
    append(&b, "of b");
    sync(&a, &left);
    sync(&b, &right);
    // What `merge=union` leaves: theirs before ours, in both files; and a line of a person.
    let by_hand =
        r#"{"event_type": "app.step", "timestamp": "2025-01-03T00:00:00Z", "trace_id": "t", "said": "by hand"}"#;
    for name in [trace, "events/2025-01/events.jsonl"] {
        let read = |folder: &TempDir| fs::read_to_string(folder.path().join(name)).expect("there");
        let (ours, theirs) = (read(&left), read(&right));
        let [base, ours] = ours.lines().collect::<Vec<_>>()[..] else { panic!("{ours}") };
        let theirs = theirs.lines().last().expect("a line");
        let extra = if name == trace { format!("{by_hand}\n") } else { String::new() };
        fs::write(left.path().join(name), format!("{base}\n{theirs}\n{extra}{ours}\n")).expect("merged");
    }
    let report = sync(&a, &left);
    assert_eq!((troubles(&report, "violation").len(), &report["events_added"]), (0, &json!(2)), "{report}");
    // Line ends of another system are no edit.
    let text = fs::read_to_string(left.path().join(trace)).expect("there");
    fs::write(left.path().join(trace), text.replace('\n', "\r\n")).expect("written");
    let report = sync(&a, &left);
    assert_eq!((troubles(&report, "violation").len(), &report["events_added"]), (0, &json!(0)), "{report}");
    // A line of a person that was changed is an edit.
    fs::write(left.path().join(trace), text.replace("by hand", "by foot")).expect("written");
    let report = sync(&a, &left);
    assert_eq!((troubles(&report, "violation").len(), &report["events_added"]), (1, &json!(0)), "{report}");
}
