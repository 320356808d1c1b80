//! Fifty edits by hand of every sort of file in a folder: none is lost, each is found again in the log.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{Both, CALL, SPACE, files, run};
use crate::hermetic::Hermetic;

const EDITS: usize = 50;

/// The seeds of the edits; `IDETIC_LONG=1` tries more.
fn seeds() -> std::ops::Range<u64> {
    7..if std::env::var_os("IDETIC_LONG").is_some() { 27 } else { 9 }
}

/// A folder as real ones are: flat files, months, summaries of traces, notes in two places, a published profile, templates.
fn real_one(both: &Both) {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/spec/samples/amem");
    let mut has_samples = false;
    for entry in fs::read_dir(&samples).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = ["knowledge_notes_", "profiles_agents_", "events_", "knowledge_", "traces_"]
            .iter()
            .find_map(|start| name.strip_prefix(start).map(|rest| format!("{}{rest}", start.replace('_', "/"))));
        both.put(&path.unwrap_or(name), &fs::read_to_string(entry.path()).expect("a text"));
        has_samples = true;
    }
    if !has_samples {
        eprintln!(
            "SKIPPED: the real files of shared/spec/samples/amem are not here; a folder of the same shape is edited"
        );
        both.put("events/development.jsonl", "{\"event_type\":\"sap_adoption\",\"timestamp\":\"2025-11-05T15:30:00Z\",\"notes\":\"basic\"}\n{\"event_type\":\"sap_adoption\",\"timestamp\":\"2025-11-06T15:30:00Z\",\"notes\":\"more\"}\n");
        both.put("events/script-usage.jsonl", "{\"event_id\":\"script-a\",\"timestamp\":\"2025-11-04T10:00:00\",\"actor\":\"a\",\"action\":\"ran x.py\",\"outcome\":\"success\"}\n");
        both.put("traces/trace-2025-11-04-option-b.jsonl", "{\"trace_id\":\"trace-2025-11-04-option-b\",\"start_time\":\"2025-11-04T10:00:00Z\",\"end_time\":\"2025-11-04T11:00:00Z\",\"summary\":\"done\"}\n");
        both.put("knowledge/sap-maturity-assessment-2025-11.md", "---\ntitle: Maturity\ncreated: 2025-11-04\ntags:\n  - sap\nstatus: baseline\n---\n\n# Maturity\n\nSee [[not-written-yet]].\n");
        both.put("knowledge/links.json", "{\"notes\":{\"a.md\":[\"b.md\"]},\"backlinks\":{},\"total_notes\":1,\"generated\":\"2025-11-04T00:00:00Z\"}");
        both.put("profiles/agents/claude-code.json", "{\"agent_id\":\"claude-code\",\"agent_name\":\"Claude Code\",\"model\":\"m\",\"capabilities\":[\"debugging\"],\"preferences\":{\"x\":1}}");
    }
    both.put("events/2025-01/events.jsonl", &format!("{CALL}\n{}\n", CALL.replace("12:00:00", "12:00:01")));
    both.put(
        "knowledge/notes/timeouts.md",
        "---\nid: timeouts\ncreated: 2025-01-01\nupdated: 2025-01-01\ntags: [net]\n---\n\n# Timeouts\n\nThey pass.\n",
    );
    both.put("templates/note.md", "---\nid: {note-id}\ncreated: {date}\n---\n\n# {title}\n");
}

/// One edit of one sort of file; gives the file.
fn edit(folder: &Path, sort: usize, word: &str) -> PathBuf {
    let text = |name: &str| fs::read_to_string(folder.join(name)).unwrap_or_default();
    let json_of = |name: &str| serde_json::from_str::<Value>(&text(name)).unwrap_or_else(|_| json!({}));
    let pretty = |value: &Value| format!("{}\n", serde_json::to_string_pretty(value).expect("JSON"));
    let line = CALL.replace("\"tool_name\"", &format!("\"said\": \"{word}\", \"tool_name\""));
    let (name, new) = match sort {
        0 => ("knowledge/notes/timeouts.md", text("knowledge/notes/timeouts.md") + &format!("\n{word} too.\n")),
        1 => {
            let name = "knowledge/sap-maturity-assessment-2025-11.md";
            (name, text(name).replacen("---\n", &format!("---\nmine_{}: {word}\n", word.to_lowercase()), 1))
        }
        2 => ("knowledge/notes/new.md", format!("# New\n\n{word} and {}\n", text("knowledge/notes/new.md").len())),
        3 => ("events/2025-01/events.jsonl", format!("{}{line}\n", text("events/2025-01/events.jsonl"))),
        4 => (
            "events/development.jsonl",
            text("events/development.jsonl")
                + &format!("{{\"event_type\":\"x\",\"timestamp\":\"2025-11-07T00:00:00Z\",\"notes\":\"{word}\"}}\n"),
        ),
        5 => ("events/2025-01/traces/abc123.jsonl", format!("{}{line}\n", text("events/2025-01/traces/abc123.jsonl"))),
        6 => {
            let mut all = json_of("profiles/claude-code.json");
            all["capabilities"]["debugging"]["common_mistakes"] = json!([word]);
            all[format!("own_{word}")] = json!(word);
            ("profiles/claude-code.json", pretty(&all))
        }
        7 => {
            let mut all = json_of("profiles/claude-code.json");
            all["preferences"][word] = json!(true);
            all["capabilities"]["debugging"]["skill_level"] = json!(word);
            ("profiles/claude-code.json", pretty(&all))
        }
        8 => {
            let mut all = json_of("profiles/agents/claude-code.json");
            all["recent_achievements"] = json!([word]);
            ("profiles/agents/claude-code.json", pretty(&all))
        }
        9 => {
            let mut all = json_of("knowledge/links.json");
            let node = json!({"id": word, "outgoing_links": [], "incoming_links": [], "strength": 0.5});
            all["notes"].as_array_mut().expect("a list").push(node);
            ("knowledge/links.json", pretty(&all))
        }
        10 => {
            let mut all = json_of("knowledge/tags.json");
            all["tags"][word] = json!({"note_count": 0, "notes": []});
            ("knowledge/tags.json", pretty(&all))
        }
        11 => {
            let mut all = json_of("events/index.json");
            all[word] = json!(1);
            ("events/index.json", pretty(&all))
        }
        12 => {
            let mut all = json_of("events/index.json");
            all["months"]["2025-01"]["by_type"][word] = json!(7);
            ("events/index.json", pretty(&all))
        }
        13 => ("AGENTS.md", text("AGENTS.md") + &format!("- {word}\n")),
        14 => ("queries/mine.sql", text("queries/mine.sql") + &format!("-- {word}\nSELECT 1\n")),
        15 => ("templates/note.md", text("templates/note.md") + &format!("{word}\n")),
        _ => ("knowledge/tags.json", format!("not JSON at all {word}\n")),
    };
    fs::create_dir_all(folder.join(name).parent().expect("a parent")).expect("folders");
    fs::write(folder.join(name), new).expect("edited");
    PathBuf::from(name)
}

/// All that a log says.
fn said(home: &Hermetic) -> String {
    home.call(SPACE, "log", r#"{"limit":100000}"#).expect("answers").join("\n")
}

#[test]
fn fifty_edits_of_every_sort_of_file_are_found_again() {
    for seed in seeds() {
        are_found_again(seed);
    }
}

fn are_found_again(mut seed: u64) {
    let first = seed;
    let both = Both::new();
    both.append(
        &json!({"kind": "gateway.tool_call", "agent_id": "claude-code", "status": "success", "trace_id": "abc123",
        "ts": "2025-01-17T12:00:00Z", "metadata": {"capability": "debugging"}}),
    );
    real_one(&both);
    let is_told = |operation: &str| run(&both.home, operation, both.folder.path(), &json!({}));
    is_told("amem init");
    is_told("amem sync");
    let mut edits = Vec::new();
    let mut random = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    for number in 0..EDITS {
        // Every sort at least twice, the rest at random; several edits of different files between two syncs.
        let sort = if number < 34 { number % 17 } else { usize::try_from(random(17)).expect("small") };
        let word = format!("Zettel{number}q{}", random(1000));
        let file = edit(both.folder.path(), sort, &word);
        edits.push((sort, word, file));
        let next_file_is_another = random(3) == 0 && number % 17 < 8;
        if !next_file_is_another {
            is_told("amem sync");
        }
    }
    is_told("amem sync");
    let out = TempDir::new().expect("a folder");
    run(&both.home, "amem export", out.path(), &json!({}));
    let (log, here) = (said(&both.home), files(both.folder.path()));
    let in_files = |word: &str, files: &std::collections::BTreeMap<PathBuf, Vec<u8>>| {
        files.iter().any(|(_, text)| String::from_utf8_lossy(text).contains(word))
    };
    for (sort, word, file) in &edits {
        // What is no index at all is kept beside it.
        let is_found = if *sort == 16 { in_files(word, &here) } else { log.contains(word) };
        assert!(is_found, "seed {first}: {} lost {word} (sort {sort})", file.display());
    }
    // A clone with nothing but the folder comes to the same notes, events and profiles.
    let clone = Hermetic::new();
    run(&clone, "amem sync", both.folder.path(), &json!({}));
    let (cloned, exported) = (said(&clone), files(out.path()));
    for (sort, word, file) in edits.iter().filter(|(sort, ..)| *sort <= 8) {
        assert!(cloned.contains(word), "seed {first}: {} of the clone lost {word} (sort {sort})", file.display());
        assert!(in_files(word, &exported), "seed {first}: {} of the export lost {word} (sort {sort})", file.display());
    }
    for (_, word, file) in &edits {
        assert!(
            in_files(word, &files(both.folder.path())) || log.contains(word),
            "seed {first}: {}: {word}",
            file.display()
        );
    }
}
