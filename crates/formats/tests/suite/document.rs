//! The document's own examples, taken from its text: what it shows is read, and what we write is what it shows.

use idetic_core::{Record, Time, words::Status};
use idetic_formats::amem::catalogue;
use idetic_formats::amem::event::{self, Exported, Shape, SourcePosition};
use idetic_formats::amem::links::Links;
use idetic_formats::amem::note::{Confidence, Note};
use idetic_formats::amem::profile::{Origin, Profile, Skill};
use idetic_formats::amem::tags::Tags;

use crate::shared::document;

const AT: SourcePosition = SourcePosition { line: 1, occurrence: 1 };

/// The first example behind a heading that begins like this.
fn example(document: &str, heading: &str, opening: &str) -> String {
    let behind = document.split(heading).nth(1).expect(heading);
    let block = behind.split(opening).nth(1).expect(opening);
    block.trim_start_matches('\n').to_owned()
}

fn fenced(document: &str, heading: &str, language: &str) -> String {
    let block = example(document, heading, &format!("```{language}\n"));
    block.split("\n```").next().unwrap_or_default().to_owned() + "\n"
}

#[test]
fn its_event_is_read_and_leaves_as_one_line_with_its_keys_in_order() {
    let Some(document) = document() else { return };
    let raw = fenced(&document, "### 3.1 Event Schema", "json");
    let incoming = event::read(raw.trim(), &AT).expect("reads");
    assert_eq!((incoming.shape, incoming.remarks.len()), (Shape::A, 0));
    let exported = Exported { id: &incoming.id, recorded_at: Time(0), body: &incoming.record, source: "x" };
    let line = event::write(&exported).expect("writes");
    // What the document greps for in section 3.3.
    assert!(line.contains(r#""trace_id": "abc123""#) && !line.contains('\n') && !line.contains("_idetic"), "{line}");
    let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).expect("JSON");
    assert_eq!(value(&line), value(&raw));
    let keys: Vec<usize> = ["timestamp", "trace_id", "status", "schema_version", "event_type", "source", "metadata"]
        .iter()
        .map(|key| line.find(&format!("\"{key}\": ")).expect(key))
        .collect();
    assert!(keys.is_sorted());
}

#[test]
fn its_workflow_of_six_steps_is_one_trace() {
    let steps = [
        ("12:00:00.000", "agent.session_started"),
        ("12:00:00.100", "gateway.tool_call"),
        ("12:00:00.600", "backend.content_generated"),
        ("12:00:00.720", "gateway.tool_call"),
        ("12:00:01.920", "backend.artifact_assembled"),
        ("12:00:02.000", "agent.session_ended"),
    ];
    for (time, kind) in steps {
        let raw = format!(
            r#"{{"timestamp": "2025-01-17T{time}Z", "trace_id": "abc123", "status": "success", "schema_version": "1.0", "event_type": "{kind}", "source": "p", "metadata": {{}}}}"#
        );
        let incoming = event::read(&raw, &AT).expect("reads");
        assert_eq!(Record::parse(incoming.record.as_bytes()).expect("a record").claim.kind, kind);
        let exported = Exported { id: &incoming.id, recorded_at: Time(0), body: &incoming.record, source: "x" };
        assert_eq!(event::write(&exported).as_deref(), Ok(raw.as_str()));
    }
}

#[test]
fn its_catalogue_is_the_table() {
    let Some(document) = document() else { return };
    let section = document.split("### 3.2 Event Types").nth(1).and_then(|s| s.split("### 3.3").next()).expect("3.2");
    let rows: Vec<Vec<&str>> = section
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(|line| line.split('|').map(|cell| cell.trim().trim_matches('`')).collect())
        .collect();
    assert_eq!(rows.len(), catalogue::CATALOGUE.len());
    for (row, entry) in rows.iter().zip(catalogue::CATALOGUE) {
        assert_eq!(row[1], entry.event_type);
        assert_eq!(row[2], entry.statuses.iter().map(|s| s.word()).collect::<Vec<_>>().join("/"));
        assert_eq!(row[3], format!("{{{}}}", entry.metadata.join(", ")));
    }
    assert_eq!(catalogue::check("gateway.started", Some(Status::Failure), &["port"]).len(), 2);
}

#[test]
fn its_note_is_read_whole_and_comes_back() {
    let Some(document) = document() else { return };
    let text = example(&document, "### 4.2 Knowledge Note Structure", "```markdown\n");
    let text = text.split("\n---\n\n### 4.3").next().expect("the end").trim_end().trim_end_matches("```");
    let (note, problems) = Note::read("backend-timeout-fix", text);
    assert!(problems.is_empty(), "{problems:?}");
    assert_eq!(note.id, "backend-timeout-fix");
    assert_eq!(note.title.as_deref(), Some("Backend Timeout Fix"));
    assert_eq!(note.tags, ["troubleshooting", "backend", "timeout"]);
    assert_eq!(note.confidence, Some(Confidence::High));
    assert_eq!(note.links, ["trace-context-pattern", "error-handling-best-practices"]);
    assert_eq!(note.traces, ["abc123", "def456"]);
    assert_eq!(note.edit(&[]), text);
    let optional = fenced(&document, "**Optional Frontmatter Fields**", "yaml");
    let (note, _) = Note::read("x", &format!("---\n{optional}---\n"));
    assert_eq!((note.status.as_deref(), note.author.as_deref()), (Some("validated"), Some("claude-code")));
    let deprecated = fenced(&document, "### 8.2 Knowledge Note Retention", "markdown");
    let (note, _) = Note::read("old-backend-pattern", &deprecated);
    assert_eq!((note.status.as_deref(), note.links), (Some("deprecated"), vec!["new-backend-pattern".to_owned()]));
}

#[test]
fn its_links_tags_and_profile_are_read_and_written_as_they_are() {
    let Some(document) = document() else { return };
    let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).expect("JSON");
    let (links, problems) = Links::read(&fenced(&document, "### 4.3 Links Graph", "json"));
    assert_eq!((links.notes.len(), links.clusters.len(), problems.len()), (2, 1, 0));
    assert_eq!(links.notes["backend-timeout-fix"].strength, Some(80));
    assert_eq!(Links::read(&links.write()), (links, vec![]));

    let text = fenced(&document, "### 4.4 Tags Index", "json");
    let (tags, problems) = Tags::read(&text);
    assert_eq!((tags.0.len(), problems.len()), (3, 0));
    assert!(tags.0["timeout"].contains("backend-timeout-fix"));

    let text = fenced(&document, "### 5.1 Agent Profile Schema", "json");
    let (profile, origin, problems) = Profile::read("claude-code", &text).expect("reads");
    assert_eq!((origin, problems.len(), profile.session_count), (Origin::Document, 0, 42));
    let mut written = value(&profile.write());
    assert_eq!(written["schema_version"], "1.0");
    written.as_object_mut().expect("an object").remove("schema_version");
    assert_eq!(written, value(&text));
    assert!(profile.write().starts_with(text.split("  \"capabilities\"").next().expect("the beginning")));
    // 100 stands in two bands of the document: more than 100 is an expert's.
    assert_eq!((profile.skill("backend_management"), profile.skill("unheard_of")), (Skill::Expert, Skill::Novice));
    assert_eq!(profile.skill("artifact_creation"), Skill::Expert);
}
