//! The A-MEM folder with the real program: memory, exit codes, and a configured folder that follows.

use std::io::Write;
use std::process::Stdio;
use std::time::Duration;

use super::embeddings::use_model;
use super::place::{Place, said, say};

const KIB_MAX: u64 = 200 << 10;

#[test]
fn huge_lines_are_told_in_little_memory() {
    let place = Place::new();
    use_model(&place, "none");
    let folder = place.path("shared/events");
    std::fs::create_dir_all(&folder).expect("folders");
    let mut file = std::io::BufWriter::new(std::fs::File::create(folder.join("big.jsonl")).expect("a file"));
    let good = r#"{"event_type": "a.b", "timestamp": "2025-01-01T00:00:00Z", "n": 1}"#;
    writeln!(file, "{good}").expect("writes");
    file.write_all(br#"{"event_type": "a.b", "x": ""#).expect("writes");
    for _ in 0..200 {
        file.write_all(&[b'x'; 1 << 20]).expect("writes");
    }
    writeln!(file, "\"}}\n{}", good.replace('1', "2")).expect("writes");
    drop(file);
    let notes = place.path("shared/knowledge/notes");
    std::fs::create_dir_all(&notes).expect("folders");
    std::fs::write(notes.join("big.md"), vec![b'y'; 64 << 20]).expect("writes");
    let shared = place.arg("shared");
    let (peak, code) = place.watch(&["amem", "import", &shared]);
    assert_eq!(code, Some(1), "some lines are in the report");
    assert_eq!(place.events(), 2, "the rest is imported");
    let report = place.run(&["amem", "import", &shared]);
    assert!(report.out.contains("big.jsonl:2") && report.out.contains("big.md"), "{report:?}");
    if let Some(peak) = peak {
        say(&format!("figure: amem import with a line of 200 MB and a note of 64 MB: peak {} MiB", peak >> 10));
        assert!(peak <= KIB_MAX, "{} MiB", peak >> 10);
    }
    place.verify();
}

#[test]
fn a_configured_folder_follows_every_append() {
    let place = Place::new();
    let folder = place.path("memory");
    std::fs::create_dir_all(&folder).expect("a folder");
    let config = format!("[embedding]\nmodel = \"none\"\n[amem]\nfolder = {folder:?}\n");
    std::fs::write(place.home().join("config.toml"), config).expect("configured");
    place.append(&[said("the first of them")]);
    place.ok(&["remember", "the second of them"]);
    let text: String = std::fs::read_dir(folder.join("events"))
        .expect("a folder of events")
        .filter_map(|month| std::fs::read_to_string(month.ok()?.path().join("events.jsonl")).ok())
        .collect();
    assert_eq!(text.lines().count(), 2, "{text}");
    assert!(text.contains("the first of them") && text.contains("the second of them"), "{text}");
    // A folder that is gone stops no append.
    std::fs::remove_dir_all(&folder).expect("removed");
    let answer = place.run(&["remember", "the third of them"]);
    assert!(answer.code == 0 && answer.err.contains("could not be updated"), "{answer:?}");
    assert_eq!(place.events(), 3);
}

#[test]
fn a_folder_that_was_made_to_follow_follows_every_append() {
    let place = Place::new();
    use_model(&place, "none");
    let folder = place.arg("memory");
    let told = place.run(&["amem", "init", &folder]);
    assert!(told.code == 0 && told.err.contains("--follow"), "it says how: {told:?}");
    place.ok(&["amem", "init", &folder, "--follow"]);
    place.ok(&["remember", "said without a sync"]);
    let text: String = std::fs::read_dir(place.path("memory/events"))
        .expect("a folder of events")
        .filter_map(|month| std::fs::read_to_string(month.ok()?.path().join("events.jsonl")).ok())
        .collect();
    assert!(text.contains("said without a sync"), "{text}");
}

#[test]
fn watching_keeps_both_together() {
    let place = Place::new();
    use_model(&place, "none");
    let shared = place.arg("shared");
    let watch = ["amem", "watch", &shared, "--every", "20", "--times", "3", "--json"];
    let mut child = place.command(&watch).stdout(Stdio::piped()).spawn().expect("it starts");
    let wait_for = |what: &dyn Fn() -> bool| {
        for _ in 0..500 {
            if what() {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("it did not come");
    };
    wait_for(&|| place.path("shared/events/index.json").exists());
    place.ok(&["remember", "said in the shell"]);
    wait_for(&|| {
        let months = std::fs::read_dir(place.path("shared/events")).into_iter().flatten().flatten();
        months.filter_map(|m| std::fs::read_to_string(m.path().join("events.jsonl")).ok()).any(|t| t.contains("shell"))
    });
    std::fs::create_dir_all(place.path("shared/knowledge/notes")).expect("folders");
    std::fs::write(place.path("shared/knowledge/notes/mine.md"), "# Mine\n").expect("written");
    let ended = child.wait().expect("it ends");
    assert!(ended.success());
    assert!(place.ok(&["note", "show", "mine"]).contains("# Mine"));
}

#[test]
fn a_note_that_only_its_owner_may_change_outlives_its_file() {
    let place = Place::new();
    let folder = place.arg("memory");
    for (title, trust) in [("Release rule", "user"), ("Build note", "agent")] {
        place.ok(&["note", "write", title, "--content", title, "--trust", trust]);
    }
    place.ok(&["amem", "sync", &folder]);
    let file = |name: &str| place.path("memory").join("knowledge/notes").join(name);
    std::fs::remove_file(file("release-rule.md")).expect("it was written");
    place.ok(&["note", "write", "Third", "--content", "third"]);
    let told = place.run(&["amem", "sync", &folder]);
    assert_eq!(told.code, 1, "{told:?}");
    assert!(told.out.contains("release-rule") && told.out.contains("written again"), "{told:?}");
    assert!(file("release-rule.md").exists() && file("third.md").exists(), "everything else was done");
    place.ok(&["amem", "sync", &folder]);
    assert!(place.ok(&["note", "show", "release-rule"]).contains("Release rule"));
}
