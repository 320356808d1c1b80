//! The three assertions of specification 001 about an agent's two sides, by name.

use std::fs::OpenOptions;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use idetic_ops::core::{SpaceName, Time};
use idetic_ops::search::Mode;
use idetic_ops::{Kind, Question, RecallOptions, Recalled, Space};
use serde_json::{Value, json};

use crate::hashed_words::models;
use crate::hermetic::Hermetic;

const AGENT: &str = "coder";
const QUESTION: &str = "where is the spare key hidden";

fn open(home: &Hermetic) -> Arc<Space> {
    home.memory().space_or_new(&SpaceName::parse("local/x").expect("a name")).expect("a space")
}

/// What each side says. The subconscious says word for word what is asked: nothing is closer.
fn history(events: usize) -> Vec<String> {
    let record = |n: usize| {
        let (persona, text) = match n % 3 {
            0 => ("subconscious", QUESTION.to_owned()),
            1 => ("subconscious", format!("a thought of its own about the key, number {n}")),
            _ => ("actor", format!("the key was last seen in harbour {n}")),
        };
        json!({"kind": "note.written", "id": format!("{persona}-{n}"), "agent_id": AGENT, "persona": persona,
               "conversation_id": "talk", "loop_id": format!("loop{}", n % 5), "content": text})
    };
    (0..events).map(|n| record(n).to_string()).collect()
}

fn home(events: usize) -> Hermetic {
    let mut home = Hermetic::new();
    home.models = models(true);
    home.append("local/x", &history(events));
    home.call("local/x", "dream", "{}").expect("every vector is made");
    home
}

fn recall(space: &Arc<Space>, home: &Hermetic, mode: Mode) -> Recalled {
    let options = RecallOptions { mode, k: Some(1000), ..RecallOptions::default() };
    let question = Question { query: QUESTION.to_owned(), ..Question::default() };
    space.actor(AGENT).recall(&home.models, &options, question).expect("recalls")
}

#[test]
fn actor_retrieval_never_returns_subconscious_rows() {
    let home = home(60);
    let space = open(&home);
    let actor = space.actor(AGENT);
    for mode in [Mode::Hybrid, Mode::Lexical, Mode::Vector] {
        let hits = recall(&space, &home, mode).hits;
        assert!(hits.len() >= 20 && hits.iter().all(|hit| hit.id.starts_with("actor-")), "{mode:?}: {hits:?}");
    }
    let range = actor.range(Time(0), Time(i64::MAX)).expect("reads");
    let own = |event: &Value| event["persona"] == "actor";
    let seen: Vec<Value> = range.iter().map(|seen| serde_json::to_value(seen).expect("JSON")).collect();
    assert!(seen.len() >= 20 && seen.iter().all(own), "{seen:?}");
    for (operation, arguments) in [("log", json!({"agent": AGENT, "view": true})), ("ltm", json!({"agent": AGENT}))] {
        let lines = home.call("local/x", operation, &arguments.to_string()).expect("answers");
        assert!(lines.len() >= 20 && !lines.concat().contains("subconscious"), "{operation}: {lines:?}");
    }
    for n in (0..60).filter(|n| n % 3 != 2) {
        let hidden = actor.get(&format!("subconscious-{n}")).expect_err("it is not the actor's");
        assert_eq!(hidden.kind, Kind::NotFound);
    }
    // The other side does see them: what is not returned is there.
    let question = Question { query: QUESTION.to_owned(), ..Question::default() };
    let other = space.subconscious(AGENT).recall(&home.models, &RecallOptions::default(), question).expect("recalls");
    assert!(other.hits[0].id.starts_with("subconscious-"), "{:?}", other.hits[0]);
}

/// The blocks of a lane in every vector file of the index: where each is, and what stands there.
fn blocks(folder: &Path, lane: &str) -> Vec<(PathBuf, u64, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the index").flatten() {
        let path = entry.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if !(name.starts_with("vectors-") && name.ends_with(".lanes")) {
            continue;
        }
        let bytes = std::fs::read(&path).expect("reads");
        // A mark, the length of the table of contents, its checksum, the table, and then the blocks, each aligned.
        let length = u64::from_le_bytes(bytes[8..16].try_into().expect("eight bytes")) as usize;
        let table: Vec<Value> = serde_json::from_slice(&bytes[48..48 + length]).expect("a table");
        let begin = (48 + length).next_multiple_of(idetic_ops::search::ALIGNMENT) as u64;
        for block in table.iter().filter(|block| block["lane"] == lane) {
            let at = begin + block["begin"].as_u64().expect("a number");
            let size = block["length"].as_u64().expect("a number") as usize;
            found.push((path.clone(), at, bytes[at as usize..at as usize + size].to_vec()));
        }
    }
    found
}

/// Overwrites the blocks of a lane; tells how many there were.
fn poison(folder: &Path, lane: &str) -> usize {
    let blocks = blocks(folder, lane);
    for (path, at, bytes) in &blocks {
        let mut file = OpenOptions::new().write(true).open(path).expect("opens");
        file.seek(SeekFrom::Start(*at)).expect("seeks");
        file.write_all(&vec![0xff; bytes.len()]).expect("writes");
    }
    blocks.len()
}

#[test]
fn actor_vector_queries_never_hit_the_subconscious_lane() {
    let home = home(600);
    let space = open(&home);
    assert_eq!(space.actor(AGENT).lane(), "coder__actor__ltm");
    assert_eq!(space.subconscious(AGENT).lane(), "coder__subconscious__ltm");
    let before =
        [Mode::Vector, Mode::Hybrid].map(|mode| serde_json::to_string(&recall(&space, &home, mode)).expect("JSON"));
    drop(space);
    // Vectors that cannot be read are made anew by whoever opens them: those still there afterwards nobody has opened.
    let folder = home.folder.path().join("spaces/local/x/lanes");
    let lane = "coder__subconscious__ltm";
    assert!(poison(&folder, lane) > 0, "the vectors were in files");
    let untouched = || blocks(&folder, lane).iter().all(|(_, _, bytes)| bytes.iter().all(|byte| *byte == 0xff));
    let space = open(&home);
    let after =
        [Mode::Vector, Mode::Hybrid].map(|mode| serde_json::to_string(&recall(&space, &home, mode)).expect("JSON"));
    assert_eq!(before, after);
    assert!(untouched(), "the actor opened the other side's vectors");
    let question = Question { query: QUESTION.to_owned(), ..Question::default() };
    let other = space.subconscious(AGENT).recall(&home.models, &RecallOptions::default(), question).expect("recalls");
    assert!(other.hits[0].id.starts_with("subconscious-") && !untouched(), "the other side opens and repairs them");
}

#[test]
fn actor_prompt_construction_contains_no_subconscious_only_events() {
    let home = home(60);
    let space = open(&home);
    let question = Question { query: QUESTION.to_owned(), ..Question::default() };
    let packed = space.actor(AGENT).prompt(&home.models, question, 100_000).expect("packs");
    assert!(!packed.abstained && packed.text.contains("harbour"), "{packed:?}");
    assert!(!packed.text.contains(QUESTION) && !packed.text.contains("a thought of its own"), "{packed:?}");
    assert!(packed.sources.iter().all(|source| source.causes.iter().all(|id| id.starts_with("actor-"))), "{packed:?}");
    let arguments = json!({"query": QUESTION, "agent": AGENT, "budget": 100_000}).to_string();
    let lines = home.call("local/x", "context", &arguments).expect("answers").concat();
    assert!(lines.contains("harbour") && !lines.contains("subconscious"), "{lines}");
    // Where only the subconscious knows something, the actor is told nothing.
    home.append(
        "local/x",
        &[json!({"kind": "note.written", "agent_id": AGENT, "persona": "subconscious",
        "content": "zebra quagga okapi"})
        .to_string()],
    );
    let alone = Question { query: "zebra quagga okapi".to_owned(), ..Question::default() };
    let packed = space.actor(AGENT).prompt(&home.models, alone, 1000).expect("packs");
    assert!(!packed.text.contains("zebra") && !packed.text.contains("okapi"), "{packed:?}");
}

#[test]
fn a_text_is_embedded_for_each_lane_alone() {
    let home = home(30);
    home.append("local/x", &[json!({"kind": "note.written", "agent_id": AGENT, "content": QUESTION}).to_string()]);
    let lines = home.call("local/x", "ltm", &json!({"agent": AGENT, "limit": 1}).to_string()).expect("answers");
    assert!(lines[0].contains(r#""status":"pending""#), "that the other side said the same is told: {lines:?}");
}
