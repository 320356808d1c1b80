//! Every published file of specification 000: events counted exactly, damage named, notes, links, tags and the profile.
#![expect(clippy::print_stderr, reason = "a test says what it counted")]

use std::collections::{BTreeMap, BTreeSet};

use idetic_core::{Fields, Record, Time};
use idetic_formats::amem::event::{self, Exported, Incoming, Occurrences, SourcePosition};
use idetic_formats::amem::graph::{self, Node};
use idetic_formats::amem::links::Links;
use idetic_formats::amem::note::{Change, Confidence, New, Note, Value};
use idetic_formats::amem::profile::{Origin, Profile};
use idetic_formats::amem::scan::{Found, OBJECT_MAX_BYTES, Piece, scan};
use idetic_formats::amem::tags::Tags;

use crate::shared::samples;

/// The events of a file, and what was wrong with it: line and reason.
type Taken = (Vec<(Piece, Incoming)>, Vec<(u64, String)>);

fn take(bytes: &[u8]) -> Taken {
    let (mut events, mut problems) = (Vec::new(), Vec::new());
    let mut occurrences = Occurrences::default();
    for piece in scan(bytes, OBJECT_MAX_BYTES) {
        let piece = piece.expect("memory does not fail");
        let read = match &piece.found {
            Found::Object(raw) => {
                event::read(raw, &SourcePosition { line: piece.first_line, occurrence: occurrences.next(raw) })
            }
            Found::Problem(problem) => Err(problem.clone()),
        };
        match read {
            Ok(incoming) => events.push((piece, incoming)),
            Err(problem) => problems.push((problem.line, problem.reason)),
        }
    }
    (events, problems)
}

fn export(incoming: &Incoming) -> String {
    let exported = Exported { id: &incoming.id, recorded_at: Time(0), body: &incoming.record, source: "default" };
    event::write(&exported).expect("writes")
}

#[test]
fn events_are_counted_file_by_file_and_damage_is_named() {
    let mut seen = Vec::new();
    for (name, bytes) in samples().into_iter().filter(|(name, _)| name.ends_with(".jsonl")) {
        let (events, problems) = take(&bytes);
        let mut shapes: BTreeMap<&str, usize> = BTreeMap::new();
        events.iter().for_each(|(_, e)| *shapes.entry(e.shape.word()).or_insert(0) += 1);
        let shapes: Vec<String> = shapes.iter().map(|(shape, n)| format!("{n}{shape}")).collect();
        let remarks: BTreeSet<String> = events.iter().flat_map(|(_, e)| e.remarks.clone()).collect();
        eprintln!("figure: {name}: {} events ({}), {problems:?}, {remarks:?}", events.len(), shapes.join(" "));
        let lines: Vec<u64> = problems.iter().map(|(line, _)| *line).collect();
        assert!(problems.iter().all(|(_, reason)| reason.starts_with("a closing brace too many")), "{problems:?}");
        seen.push((name, events.len(), shapes.join(" "), lines));
    }
    let wanted = [
        ("events_2025-11-chora-base.jsonl", 7, "7B", vec![]),
        ("events_2025-11.jsonl", 16, "1C 15D", vec![10, 11]),
        ("events_development.jsonl", 19, "18C 1D", vec![]),
        ("events_knowledge-queries.jsonl", 1, "1E", vec![]),
        ("events_sap-evaluations.first30.jsonl", 30, "30F", vec![]),
        ("events_script-usage.first50.jsonl", 50, "50B", vec![]),
        ("events_sessions.jsonl", 1, "1E", vec![]),
        ("traces_trace-2025-11-04-option-b.jsonl", 1, "1trace", vec![]),
    ];
    let wanted = wanted.map(|(name, events, shapes, lines)| (name.to_owned(), events, shapes.to_owned(), lines));
    assert!(seen.is_empty() || seen == wanted, "{seen:#?}");
}

#[test]
fn every_event_is_a_record_the_log_takes_and_comes_back_from_its_line() {
    let mut ids = BTreeSet::new();
    let mut read = 0;
    for (name, bytes) in samples().into_iter().filter(|(name, _)| name.ends_with(".jsonl")) {
        let text = String::from_utf8(bytes.clone()).expect("the samples are text");
        for (piece, incoming) in take(&bytes).0 {
            let (start, end) = (piece.offset as usize, (piece.offset + piece.length) as usize);
            let Found::Object(raw) = &piece.found else { panic!("an object") };
            assert_eq!(raw, &text[start..end], "{name}");
            assert_eq!(1 + text[..start].matches('\n').count() as u64, piece.first_line, "{name}");
            Record::parse(incoming.record.as_bytes()).expect(&name);
            let fields = Fields::read(&incoming.record).expect(&name);
            assert!(fields.kind.starts_with("amem.") && fields.ts.is_some(), "{name}: {}", incoming.record);
            assert!(fields.content.is_some_and(|c| c.len() > 10), "{name}: {}", incoming.record);
            let metadata: serde_json::Value =
                serde_json::from_str(fields.metadata.as_ref().map_or("{}", |m| m.get())).expect("JSON");
            assert_eq!(metadata["_amem"]["raw"], raw.as_str(), "{name}: the raw text is kept");
            let line = export(&incoming);
            let back = event::read(&line, &SourcePosition { line: 1, occurrence: 1 }).expect(&line);
            assert_eq!((&back.id, &back.record), (&incoming.id, &incoming.record), "{name}");
            assert_eq!(export(&back), line, "{name}");
            ids.insert(incoming.id);
            read += 1;
        }
        // Reading again gives the same ids, and so adds nothing.
        let again: BTreeSet<String> = take(&bytes).0.into_iter().map(|(_, e)| e.id).collect();
        assert!(again.is_subset(&ids), "{name}");
    }
    assert_eq!(ids.len(), read, "every event has an id of its own, those that are equal to the letter included");
}

/// The notes of the sample by the names they have in their folder.
fn notes() -> Vec<(String, String)> {
    let stem = |name: &str| {
        let name = name.strip_prefix("knowledge_notes_").or(name.strip_prefix("knowledge_"))?;
        name.strip_suffix(".md").map(str::to_owned)
    };
    let texts = samples().into_iter().filter_map(|(name, bytes)| Some((stem(&name)?, String::from_utf8(bytes).ok()?)));
    texts.collect()
}

#[test]
fn notes_are_read_whole_and_an_edit_changes_one_line() {
    for (stem, text) in notes() {
        let (note, problems) = Note::read(&stem, &text);
        assert!(problems.is_empty(), "{stem}: {problems:?}");
        assert_eq!(note.edit(&[]), text, "{stem}");
        assert!(note.title.is_some() && note.created_at().is_some() && note.updated_at().is_some(), "{stem}");
        let edited = note.edit(&[Change::Set("updated".to_owned(), New::Text("2026-01-01".to_owned()))]);
        let changed = text.lines().zip(edited.lines()).filter(|(a, b)| a != b).count();
        assert_eq!((changed, edited.len()), (1, text.len()), "{stem}");
        match stem.as_str() {
            "2025-11-20-phase-3-2-internal-pilot-completion" => {
                assert_eq!(note.title.as_deref(), Some("Phase 3.2: Internal Pilot Validation - COMPLETED"));
                assert_eq!(note.tags.len(), 6);
                assert_eq!(note.kind.as_deref(), Some("validation"));
                assert_eq!(note.traces, ["cord-2025-023-phase-3-2"]);
                let wanted =
                    ["2025-11-20-option-a-github-release-completion", "2025-11-20-phase-3-1-validation-completion"];
                assert_eq!(note.links, wanted);
            }
            "sap-010-015-integration-2025-11" => {
                assert_eq!(note.tags.len(), 7);
                assert_eq!(note.links, ["sap-010-roi-automation-2025-11"]);
                assert_eq!((note.author.as_deref(), note.status.as_deref()), (Some("claude-code"), Some("validated")));
            }
            "sap-maturity-assessment-2025-11" => {
                assert_eq!(note.id, stem);
                assert_eq!(note.alias.as_deref(), Some("know-20251104-001"));
                assert_eq!(note.title.as_deref(), Some("SAP Maturity Assessment Findings (November 2025)"));
                assert_eq!(note.confidence, Some(Confidence::High));
                assert_eq!(note.events.len(), 3);
                assert_eq!(note.traces, ["trace-2025-11-04-option-a"]);
                assert!(matches!(note.get("created"), Some(Value::Text(t)) if t == "2025-11-04"));
            }
            other => panic!("a note nobody expected: {other}"),
        }
    }
}

#[test]
fn links_and_tags_are_read_and_written_in_the_document_s_shape() {
    for (name, bytes) in samples() {
        let text = String::from_utf8(bytes).expect("the samples are text");
        match name.as_str() {
            "knowledge_links.json" => {
                let (links, problems) = Links::read(&text);
                assert_eq!((links.notes.len(), problems.len()), (4, 0));
                let note = &links.notes["sap-maturity-assessment-2025-11"];
                assert!(note.incoming.contains("sap-010-roi-automation-2025-11"));
                assert_eq!(Links::read(&links.write()).0, links);
            }
            "knowledge_tags.json" => {
                let (tags, problems) = Tags::read(&text);
                assert_eq!((tags.0.len(), problems.len()), (10, 0));
                assert!(tags.0["gaps"].contains("sap-maturity-assessment-2025-11"));
                assert_eq!(Tags::read(&tags.write()).0, tags);
            }
            _ => {}
        }
    }
}

#[test]
fn the_notes_make_a_graph() {
    let nodes: Vec<Node> = notes()
        .iter()
        .map(|(stem, text)| {
            let (note, _) = Note::read(stem, text);
            let words = graph::words(note.body());
            Node { id: note.id, alias: note.alias, links: note.links, tags: note.tags, traces: note.traces, words }
        })
        .collect();
    if nodes.is_empty() {
        return;
    }
    let graph = graph::graph(&nodes);
    assert_eq!((graph.links.notes.len(), graph.dangling.len()), (3, 3));
    assert!(graph.links.write().contains("\"strength\": 0."));
}

#[test]
fn the_published_profile_is_migrated_and_keeps_every_key() {
    for (_, bytes) in samples().into_iter().filter(|(name, _)| name.starts_with("profiles_")) {
        let text = String::from_utf8(bytes).expect("the samples are text");
        let (profile, origin, problems) = Profile::read("claude-code", &text).expect("reads");
        assert_eq!((origin, problems.len()), (Origin::Migrated, 0));
        assert_eq!(profile.agent_name, "claude-code");
        assert_eq!(profile.agent_version, "claude-sonnet-4-5-20250929");
        assert_eq!((profile.session_count, profile.capabilities.len(), profile.preferences.len()), (7, 9, 4));
        let written = profile.write();
        let before: serde_json::Map<String, serde_json::Value> = serde_json::from_str(&text).expect("JSON");
        let after: serde_json::Map<String, serde_json::Value> = serde_json::from_str(&written).expect("JSON");
        for (key, value) in &before {
            match key.as_str() {
                "agent_name" => assert_eq!(&after["display_name"], value),
                "capabilities" => assert!(
                    value
                        .as_array()
                        .expect("a list")
                        .iter()
                        .all(|c| { after["capabilities"].get(c.as_str().unwrap_or_default()).is_some() })
                ),
                key => assert_eq!(&after[key], value, "{key}"),
            }
        }
        assert_eq!(Profile::read("claude-code", &written).expect("reads").0.write(), written);
    }
}
