//! What other programs remember, taken in from files that they wrote themselves (`tests/data/memories/generate.py`): everything
//! with its time and metadata, once, never as the user's word, and the files stay as they are.

use std::path::{Path, PathBuf};

use idetic_ops::Kind;
use idetic_ops::core::SpaceName;
use serde_json::{Value, json};

use crate::hermetic::Hermetic;

const SPACE: &str = "local/x";

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/memories").join(name)
}

/// Runs an import; gives what it says.
fn import(home: &Hermetic, source: &str, path: &Path, more: Value) -> Value {
    let mut arguments = more;
    arguments["path"] = json!(path);
    let lines = home.call(SPACE, &format!("import {source}"), &arguments.to_string()).expect(source);
    serde_json::from_str(&lines[0]).expect("an answer")
}

/// A file of another program, as JSON.
fn written(home: &Hermetic, name: &str, said: &Value) -> PathBuf {
    let file = home.folder.path().join(name);
    std::fs::write(&file, said.to_string()).expect("written");
    file
}

fn said(answer: &Value) -> &str {
    answer["done"].as_str().expect("a text")
}

fn lines(home: &Hermetic, operation: &str, arguments: Value) -> Vec<Value> {
    let lines = home.call(SPACE, operation, &arguments.to_string()).expect(operation);
    lines.iter().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn events(home: &Hermetic) -> Vec<Value> {
    lines(home, "log", json!({"limit": 0}))
}

fn find<'a>(events: &'a [Value], text: &str) -> &'a Value {
    let found = events.iter().find(|event| event["content"].as_str().is_some_and(|said| said.contains(text)));
    found.unwrap_or_else(|| panic!("nobody says '{text}': {events:#?}"))
}

/// A dry run changes nothing and counts; an import adds so many events, another one none. Nothing is trusted as the user's.
fn takes_in(source: &str, name: &str, counted: &str, new: usize) -> (Hermetic, Vec<Value>) {
    let home = Hermetic::new();
    let path = sample(name);
    let before = files(path.parent().expect("a folder"));
    let look = import(&home, source, &path, json!({"dry_run": true}));
    assert!(said(&look).starts_with(&format!("would import {counted}")), "{look}");
    let space = SpaceName::parse(SPACE).expect("a name");
    assert!(home.memory().space(&space).is_err(), "a look makes no space");
    let done = import(&home, source, &path, json!({}));
    assert!(said(&done).starts_with(&format!("imported {counted}")), "{done}");
    let all = events(&home);
    assert_eq!((all.len(), &done["events"]), (new, &json!(new)), "{all:#?}");
    for event in &all {
        assert!(event["trust"] != "user" && event["origin"] != "user", "{event}");
    }
    let again = import(&home, source, &path, json!({}));
    assert_eq!(again["events"], 0, "{again}");
    assert_eq!(events(&home), all, "nothing twice");
    assert_eq!(files(path.parent().expect("a folder")), before, "the files are as they were");
    (home, all)
}

/// The files of a folder with their contents.
fn files(folder: &Path) -> Vec<(PathBuf, Option<Vec<u8>>)> {
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .map(|path| (path.clone(), std::fs::read(path).ok()))
        .collect();
    files.sort();
    files
}

#[test]
fn memories_of_mem0_keep_their_metadata_times_and_owners() {
    let (home, all) = takes_in("mem0", "mem0.json", "4 memories", 4);
    let sample: Value = serde_json::from_slice(&std::fs::read(sample("mem0.json")).expect("a sample")).expect("JSON");
    let first = &sample["results"][0];
    let harbour = find(&all, "port 7412");
    assert_eq!(harbour["id"], format!("mem0:{}", first["id"].as_str().expect("an id")));
    assert!(first["created_at"].as_str().expect("a time").starts_with(&harbour["ts"].as_str().expect("a time")[..19]));
    assert_eq!((&harbour["agent_id"], &harbour["conversation_id"]), (&json!("helper"), &json!("run-1")));
    assert_eq!(
        (&harbour["kind"], &harbour["metadata"]["category"]),
        (&json!("memory.remembered"), &json!("infrastructure"))
    );
    let about = &harbour["metadata"]["mem0"];
    assert_eq!((&about["user"], &about["hash"], &about["role"]), (&json!("ann"), &first["hash"], &json!("user")));
    assert_eq!(about["metadata"]["supersedes"], "nothing", "what would mean something here is kept apart");
    assert_eq!((&harbour["trust"], &harbour["origin"]), (&json!("external"), &json!("import:mem0")));
    assert!(!format!("{all:?}").contains("ghp_abc"), "secrets are masked");
    assert_eq!(import(&home, "mem0", &self::sample("mem0.json"), json!({"user": "bob"}))["events"], 0);
    let other = Hermetic::new();
    let done = import(&other, "mem0", &self::sample("mem0.json"), json!({"user": "bob"}));
    assert!(
        said(&done).contains("1 memories") && said(&done).contains("3 left out because they are other users'"),
        "{done}"
    );
}

#[test]
fn what_is_accepted_later_is_trusted_more_and_what_changed_there_is_a_new_version() {
    let (home, before) = takes_in("mem0", "mem0.json", "4 memories", 4);
    let accepted = import(&home, "mem0", &sample("mem0.json"), json!({"accept": true}));
    assert_eq!(accepted["events"], 4, "{accepted}");
    let id = find(&before, "Bob likes tea")["id"].as_str().expect("an id").to_owned();
    let newest = lines(&home, "history", json!({"id": id}));
    assert_eq!(newest.len(), 2, "{newest:#?}");
    let event = &events(&home)[7];
    assert_eq!((&event["trust"], &event["origin"]), (&json!("agent"), &json!("agent:mem0")));
    for more in [json!({}), json!({"accept": true})] {
        assert_eq!(import(&home, "mem0", &sample("mem0.json"), more)["events"], 0);
    }
    let mut changed: Value =
        serde_json::from_slice(&std::fs::read(sample("mem0.json")).expect("a sample")).expect("JSON");
    changed["results"][3]["memory"] = json!("Bob likes coffee");
    changed["results"][3]["updated_at"] = json!("2027-01-01T00:00:00Z");
    let file = home.folder.path().join("changed.json");
    std::fs::write(&file, changed.to_string()).expect("written");
    for (number, new) in [(0, 1), (1, 0)] {
        let done = import(&home, "mem0", &file, json!({"accept": true}));
        assert_eq!(done["events"], new, "{number}: {done}");
    }
    let all = lines(&home, "export memories", json!({}));
    let texts: Vec<&str> =
        all.iter().filter_map(|line| line["text"].as_str()).filter(|text| text.contains("Bob")).collect();
    assert_eq!(texts, ["Bob likes coffee"], "the newest version alone");
    let external = import(&home, "mem0", &file, json!({}));
    assert_eq!(external["events"], 0, "what was accepted in a newer version is not trusted less either: {external}");
}

/// What is remembered, in its newest version.
fn remembered(home: &Hermetic) -> Vec<String> {
    let lines = lines(home, "export memories", json!({}));
    lines.iter().filter_map(|line| line["text"].as_str().map(str::to_owned)).collect()
}

#[test]
fn an_older_export_does_not_replace_a_newer_one() {
    let memory = |text: &str, updated: Value| json!({"results": [{"id": "1", "memory": text, "created_at": "2024-01-01T00:00:00Z", "updated_at": updated}]});
    let edge = |expired: Value| {
        json!({"edges": [{"uuid": "e", "fact": "Ann likes coffee", "created_at": "2024-01-01T00:00:00Z",
            "valid_at": "2024-01-01T00:00:00Z", "expired_at": expired}]})
    };
    // The older one of each says when it was made, and not when it was changed.
    let since = || json!("2024-02-01T00:00:00Z");
    for (source, older, newer) in [
        ("mem0", memory("Ann likes tea", Value::Null), memory("Ann likes coffee", since())),
        ("zep", edge(Value::Null), edge(since())),
    ] {
        let home = Hermetic::new();
        let (older, newer) = (written(&home, "older.json", &older), written(&home, "newer.json", &newer));
        assert_eq!(import(&home, source, &newer, json!({}))["events"], 1);
        let before = events(&home);
        assert_eq!(import(&home, source, &older, json!({}))["events"], 0, "{source}");
        assert_eq!(events(&home), before);
        let home = Hermetic::new();
        assert_eq!(import(&home, source, &older, json!({}))["events"], 1);
        let done = import(&home, source, &newer, json!({}));
        assert!(done["events"] == 1 && !said(&done).contains("no time says"), "{done}");
        assert!(source == "zep" || remembered(&home) == ["Ann likes coffee"]);
    }
}

#[test]
fn what_expires_there_later_expires_here_too() {
    let home = Hermetic::new();
    let export = |day: u32, text: &str, until: Value| {
        let memory = json!({"id": "1", "memory": text, "created_at": "2024-01-01T00:00:00Z",
            "updated_at": format!("2024-01-0{day}T00:00:00Z"), "expiration_date": until});
        written(&home, &format!("{day}.json"), &json!({"results": [memory]}))
    };
    assert_eq!(import(&home, "mem0", &export(1, "Ann likes tea", Value::Null), json!({}))["events"], 1);
    let coffee = export(2, "Ann likes coffee", json!("2025-01-02"));
    // The new version, and that the old one is kept no longer than that.
    assert_eq!(import(&home, "mem0", &coffee, json!({}))["events"], 2);
    assert_eq!(import(&home, "mem0", &coffee, json!({}))["events"], 0);
    let ends = |home: &Hermetic| find(&events(home), "coffee")["expires_at"].clone();
    assert_eq!(ends(&home), "2025-01-02T00:00:00.000000Z");
    assert_eq!(remembered(&home), ["Ann likes coffee"]);
    // The clock moves on by a second at every look, and stood at noon.
    let wait = |hours: usize| {
        for _ in 0..hours * 3600 {
            home.env.now();
        }
    };
    wait(12);
    assert!(remembered(&home).is_empty(), "neither it nor what it had replaced");
    let gone = import(&home, "mem0", &coffee, json!({}));
    assert!(gone["events"] == 0 && said(&gone).contains("1 left out because they expired there"), "{gone}");
    let prolonged = export(3, "Ann likes coffee", json!("2025-01-03"));
    assert_eq!(import(&home, "mem0", &prolonged, json!({}))["events"], 1);
    assert_eq!(
        (remembered(&home), ends(&home)),
        (vec!["Ann likes coffee".to_owned()], json!("2025-01-03T00:00:00.000000Z"))
    );
    let kept = export(4, "Ann likes coffee", Value::Null);
    assert_eq!(import(&home, "mem0", &kept, json!({}))["events"], 2, "without an end, as the one before it is now");
    wait(36);
    assert_eq!(remembered(&home), ["Ann likes coffee"]);
}

#[test]
fn without_a_time_what_is_imported_last_counts_and_the_report_says_so() {
    let home = Hermetic::new();
    let export = |name: &str, text: &str| written(&home, name, &json!({"results": [{"id": "1", "memory": text}]}));
    let (tea, coffee) = (export("tea.json", "Ann likes tea"), export("coffee.json", "Ann likes coffee"));
    assert_eq!(import(&home, "mem0", &tea, json!({}))["events"], 1);
    let done = import(&home, "mem0", &coffee, json!({}));
    assert!(said(&done).ends_with("1 changed there since, 1 of these though no time says that it is newer"), "{done}");
    assert_eq!(remembered(&home), ["Ann likes coffee"]);
    // The same again with more trust is no question of time.
    let accepted = import(&home, "mem0", &coffee, json!({"accept": true}));
    assert!(accepted["events"] == 1 && !said(&accepted).contains("no time says"), "{accepted}");
}

#[test]
fn the_history_of_mem0_becomes_versions_and_what_was_deleted_stays_so() {
    let (home, all) = takes_in("mem0", "mem0-history.db", "5 memories", 5);
    assert!(!format!("{all:?}").contains("Oslo"));
    let id = find(&all, "port 7411")["id"].as_str().expect("an id").to_owned();
    let versions = lines(&home, "history", json!({"id": id}));
    assert_eq!(versions.len(), 2, "{versions:#?}");
    let plain = lines(&home, "export memories", json!({}));
    assert!(!plain.iter().any(|line| line["text"].to_string().contains("7411")), "{plain:#?}");
}

#[test]
fn records_of_chroma_are_known_by_their_collection_and_keep_the_types_of_their_values() {
    let (_, all) = takes_in("chroma", "chroma.sqlite3", "5 memories", 5);
    let puffins = find(&all, "Puffins breed");
    let known = |event: &Value| {
        json!(format!("chroma:{}:n1", event["metadata"]["chroma"]["collection_id"].as_str().expect("an id")))
    };
    assert_eq!((&puffins["id"], &puffins["metadata"]["year"]), (&known(puffins), &json!(2024)));
    let lighthouse = find(&all, "lighthouse");
    assert_eq!((&lighthouse["metadata"]["height"], &lighthouse["metadata"]["lit"]), (&json!(31.5), &json!(true)));
    let other = find(&all, "The same id");
    assert_eq!(other["id"], known(other));
    assert_ne!(other["id"], puffins["id"], "collections have ids of their own");
    assert_eq!(puffins["metadata"]["chroma"]["collection"], "notes");
}

#[test]
fn the_store_of_langgraph_and_its_messages_are_taken_in_without_private_turns() {
    let (_, all) = takes_in("langgraph", "langgraph.db", "3 memories, 5 messages", 8);
    let dark = find(&all, "dark mode");
    assert_eq!(
        (&dark["id"], &dark["metadata"]["topic"]),
        (&json!("langgraph:users.ann.memories:m1"), &json!("preferences"))
    );
    assert_eq!(dark["metadata"]["langgraph"]["namespace"], json!(["users", "ann", "memories"]));
    assert_eq!(find(&all, "languages: nb, en")["metadata"]["languages"], json!(["nb", "en"]));
    let kinds: Vec<&str> = all
        .iter()
        .filter(|event| event["conversation_id"] == "thread-1")
        .filter_map(|event| event["kind"].as_str())
        .collect();
    assert_eq!(kinds, ["user_input", "tool_call", "tool_result", "actor_output"]);
    assert!(!format!("{all:?}").contains("quitting"), "{all:#?}");
}

#[test]
fn notes_of_basic_memory_are_notes_with_links_and_stay_as_they_were_changed_here() {
    let home = Hermetic::new();
    let folder = home.folder.path().join("notes");
    std::fs::create_dir_all(folder.join("services")).expect("a folder");
    for name in ["Harbour Service.md", "Message Queue.md"] {
        std::fs::copy(sample("basic-memory/services").join(name), folder.join("services").join(name)).expect("copied");
    }
    assert!(
        said(&import(&home, "basic-memory", &folder, json!({"dry_run": true}))).starts_with("would import 2 notes")
    );
    assert_eq!(import(&home, "basic-memory", &folder, json!({}))["events"], 2);
    assert_eq!(import(&home, "basic-memory", &folder, json!({}))["events"], 0);
    let note = &lines(&home, "note show", json!({"note": "services-harbour-service"}))[0];
    let other = folder.join("settings.json");
    std::fs::write(&other, "{}").expect("written");
    let (_, end) = home.call_all(SPACE, "import basic-memory", &json!({"path": other}).to_string());
    assert!(end.is_err(), "it is no note");
    let text = note.to_string();
    assert!(text.contains("services-message-queue") && text.contains("runbook-harbour"), "{text}");
    assert!(text.contains("ports") && text.contains("[config] Listens on port 7411"), "{text}");
    let file = folder.join("services/Message Queue.md");
    let changed = std::fs::read_to_string(&file).expect("a note") + "\nIt is full.\n";
    std::fs::write(&file, changed).expect("written");
    assert_eq!(import(&home, "basic-memory", &folder, json!({}))["events"], 1, "what changed there is a new version");
    lines(&home, "note edit", json!({"note": "services-message-queue", "append": "It was emptied."}));
    assert_eq!(import(&home, "basic-memory", &folder, json!({}))["events"], 0);
    std::fs::write(&file, "---\ntitle: Message Queue\npermalink: services/message-queue\n---\nAnother text\n")
        .expect("written");
    let (_, end) = home.call_all(SPACE, "import basic-memory", &json!({"path": folder}).to_string());
    assert_eq!(end.expect_err("it was changed here").kind, Kind::Invalid);
    let note = lines(&home, "note show", json!({"note": "services-message-queue"}))[0].to_string();
    assert!(note.contains("It was emptied") && !note.contains("Another text"), "{note}");
}

#[test]
fn sessions_of_claude_mem_are_taken_in_without_what_is_private() {
    let (home, all) = takes_in("claude-mem", "claude-mem.db", "2 memories, 4 messages", 6);
    let login = find(&all, "The login listens on port 7000");
    assert!(login["content"].as_str().expect("a text").contains("- The old port was 8080"), "{login}");
    assert_eq!((&login["source"], &login["summary"]), (&json!("shop"), &json!("The login listens on port 7000")));
    assert_eq!(
        (&login["tags"], &login["metadata"]["files"]),
        (&json!(["decision", "what-changed"]), &json!(["login.toml", "login.toml"]))
    );
    assert_eq!(login["conversation_id"], "c0ffee00-1111-2222-3333-444455556666");
    assert!(find(&all, "Learned: The port is set in one place")["content"].as_str().is_some());
    assert!(!format!("{all:?}").contains("uitting") && !format!("{all:?}").contains("quits"), "{all:#?}");
    assert!(lines(&home, "rule list", json!({"all_projects": true})).is_empty(), "nobody's decision");
}

#[test]
fn agent_files_of_letta_are_taken_in_and_only_what_a_person_wrote_is_a_prompt() {
    let (_, all) = takes_in("letta", "letta.af", "3 memories, 7 messages", 10);
    let human = find(&all, "She runs the harbour service");
    assert_eq!((&human["agent_id"], &human["tags"]), (&json!("helper"), &json!(["human"])));
    let prompts: Vec<&Value> = all.iter().filter(|event| event["kind"] == "user_input").collect();
    assert_eq!(prompts.len(), 1, "a heartbeat is no prompt");
    assert_eq!(prompts[0]["content"], "Which port does the harbour service use?");
    assert_eq!(find(&all, "It listens on 7411")["kind"], "actor_output");
    let output = all.iter().find(|event| event["kind"] == "tool_result").expect("an output");
    let call = all.iter().find(|event| event["kind"] == "tool_call").expect("a call");
    assert_eq!((&output["content"], &output["causes"]), (&json!("7411"), &json!([call["id"]])));
}

#[test]
fn agents_of_letta_of_one_name_keep_their_memories_apart() {
    let home = Hermetic::new();
    let folder = home.folder.path().join("agents");
    std::fs::create_dir(&folder).expect("a folder");
    // Letta numbers the agents of each file: both are the first of theirs.
    let agent = |file: &str, number: u32, made: &str, text: &str| {
        let message = json!({"role": "system", "content": "You are helper.", "created_at": made});
        let agent = json!({"name": "helper", "id": format!("agent-{number}"), "block_ids": ["block-0"],
            "messages": [message]});
        let block = json!({"id": "block-0", "label": "human", "value": text});
        written(&home, &format!("agents/{file}"), &json!({"agents": [agent], "blocks": [block]}))
    };
    let (first, second) = ("2024-02-01T00:00:00Z", "2024-01-01T00:00:00Z");
    let bobs = agent("b.af", 0, first, "The user is Bob.");
    assert_eq!(import(&home, "letta", &bobs, json!({}))["events"], 2);
    agent("a.af", 0, second, "The user is Ann.");
    assert_eq!(import(&home, "letta", &folder, json!({}))["events"], 2, "another agent, though of that name");
    assert_eq!(import(&home, "letta", &folder, json!({}))["events"], 0);
    let all = events(&home);
    let (bob, ann) = (find(&all, "The user is Bob"), find(&all, "The user is Ann"));
    assert_eq!(bob["agent_id"], "helper");
    assert!(ann["agent_id"].as_str().is_some_and(|name| name.starts_with("helper-")), "{ann}");
    let messages = all.iter().filter(|event| event["content"] == "You are helper.");
    let mut conversations: Vec<&str> = messages.filter_map(|event| event["conversation_id"].as_str()).collect();
    conversations.sort_unstable();
    conversations.dedup();
    assert_eq!(conversations.len(), 2, "each of them has its own: {all:?}");
    // In another file she has another number, and is the same.
    let later = agent("c.af", 1, second, "The user is Ann Quill.");
    assert_eq!(import(&home, "letta", &later, json!({}))["events"], 1);
    assert_eq!(find(&events(&home), "Ann Quill")["agent_id"], ann["agent_id"]);
    let plain = lines(&home, "export memories", json!({}));
    let texts: Vec<&str> =
        plain.iter().filter_map(|line| line["text"].as_str()).filter(|text| text.contains("The user")).collect();
    assert_eq!(texts, ["The user is Bob.", "The user is Ann Quill."]);
}

#[test]
fn facts_of_zep_hold_as_long_as_they_held_there() {
    let home = Hermetic::new();
    let done = import(&home, "zep", &sample("zep"), json!({}));
    assert!(said(&done).starts_with("imported 1 memories, 2 facts, 2 messages"), "{done}");
    assert_eq!(import(&home, "zep", &sample("zep"), json!({}))["events"], 0);
    let facts = lines(&home, "fact list", json!({"all": true}));
    let oslo = facts.iter().find(|fact| fact["content"] == "Ann lives in Oslo").expect("the older fact");
    assert_eq!(
        (&oslo["valid_from"], &oslo["valid_until"]),
        (&json!("2020-05-01T00:00:00.000000Z"), &json!("2024-05-01T00:00:00.000000Z"))
    );
    let now: Vec<Value> = lines(&home, "fact list", json!({}));
    assert!(now.len() == 1 && now[0]["content"] == "Ann lives in Bergen" && now[0]["trust"] == "external", "{now:?}");
    let prompt = events(&home).into_iter().find(|event| event["kind"] == "user_input").expect("a prompt");
    assert_eq!(
        (&prompt["conversation_id"], &prompt["author"], &prompt["trust"]),
        (&json!("thread-1"), &json!("ann"), &json!("external"))
    );
}

#[test]
fn a_fact_that_ended_before_it_began_does_not_hold() {
    let home = Hermetic::new();
    let fact = |uuid: &str, town: &str, ended: &str, end: &str| {
        json!({"uuid": uuid, "name": "LIVES_IN", "fact": format!("Ann lives in {town}"), "source_node_name": "Ann",
            "target_node_name": town, "created_at": "2024-06-01T00:00:00Z", "valid_at": "2024-05-01T00:00:00Z", ended: end})
    };
    let edges = json!({"edges": [
        fact("e-1", "Oslo", "invalid_at", "2024-05-01T00:00:00Z"),
        fact("e-2", "Brno", "expired_at", "2024-04-01T00:00:00Z"),
        fact("e-3", "Bergen", "expired_at", "2099-01-01T00:00:00Z")]});
    let file = written(&home, "edges.json", &edges);
    assert_eq!(import(&home, "zep", &file, json!({}))["events"], 3);
    let now: Vec<Value> = lines(&home, "fact list", json!({}));
    assert!(now.len() == 1 && now[0]["content"] == "Ann lives in Bergen", "{now:#?}");
    assert_eq!(lines(&home, "fact list", json!({"all": true})).len(), 3);
    assert_eq!(import(&home, "zep", &file, json!({}))["events"], 0);
}

#[test]
fn a_message_that_cannot_be_read_is_named_and_the_rest_of_its_thread_is_taken_in() {
    let home = Hermetic::new();
    let thread = json!({"thread_id": "t", "user_id": "ann", "messages": [
        {"uuid": "m-1", "role": "user", "content": "Which port is it?"},
        {"uuid": "m-2", "role": "assistant"},
        {"role": "assistant", "content": "no id"},
        {"uuid": "m-4", "role": "assistant", "content": "It is 7411."}]});
    let file = written(&home, "threads.json", &json!({"threads": [thread]}));
    let (answers, end) = home.call_all(SPACE, "import zep", &json!({"path": file}).to_string());
    assert!(answers[0].contains("imported 2 messages"), "{answers:?}");
    assert!(end.expect_err("two are wrong").message.starts_with("2 things"));
    let all = events(&home);
    assert_eq!((all.len(), &find(&all, "It is 7411.")["conversation_id"]), (2, &json!("t")));
}

#[test]
fn damaged_and_foreign_files_are_named_and_nothing_of_them_is_taken_in() {
    let home = Hermetic::new();
    let folder = home.folder.path();
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        std::fs::write(&path, bytes).expect("written");
        path
    };
    let refused = |source: &str, path: &Path, words: &str| {
        let arguments = json!({"path": path}).to_string();
        let error = home.call(SPACE, &format!("import {source}"), &arguments).expect_err(source);
        assert!(error.message.contains(words), "{source}: {error}");
        assert!(
            home.memory().space(&SpaceName::parse(SPACE).expect("a name")).map_or(true, |space| space
                .log()
                .tip()
                .expect("a tip")
                .seq
                == 0)
        );
    };
    let cut = std::fs::read(sample("mem0.json")).expect("a sample");
    refused("mem0", &write("cut.json", &cut[..cut.len() / 2]), "cut.json: EOF");
    refused("mem0", &write("empty.json", b" "), "is empty");
    refused("letta", &write("x.af", b"{\"name\": 1}"), "is no agent file of Letta");
    for (source, what) in [("chroma", "chroma.sqlite3"), ("langgraph", "LangGraph"), ("claude-mem", "claude-mem.db")] {
        refused(source, &write("notes.txt", &b"no database ".repeat(100)), what);
    }
    refused("mem0", &folder.join("nowhere"), "there is no");
    // A damaged database is bad input, and its columns may have any name.
    let history = std::fs::read(sample("mem0-history.db")).expect("a sample");
    let at = history.windows(8).position(|window| window == b"actor_id").expect("a column");
    let mut renamed = history.clone();
    renamed[at] = 0xff;
    refused("mem0", &write("renamed.db", &renamed), "not UTF-8");
    let torn = write("torn.db", &history[..history.len() / 2]);
    let torn = json!({"path": torn}).to_string();
    assert_eq!(home.call(SPACE, "import mem0", &torn).expect_err("it is torn").kind, Kind::Invalid);
    let some = br#"{"results": [{"id": "1", "memory": "tea"}, {"id": "2"}, 7, {"memory": "no id"}]}"#;
    let some = write("some.json", some);
    let (answers, end) = home.call_all(SPACE, "import mem0", &json!({"path": some}).to_string());
    assert!(
        answers[0].contains("imported 1 memories") && end.expect_err("three are wrong").message.starts_with("3 things")
    );
    assert_eq!(events(&home).len(), 1, "what is right is taken in all the same");
    let lines =
        write("lines.jsonl", b"{\"id\": \"3\", \"memory\": \"a\"}\n{broken\n{\"id\": \"4\", \"memory\": \"b\"}\n");
    let (answers, end) = home.call_all(SPACE, "import mem0", &json!({"path": lines}).to_string());
    assert!(answers[0].contains("imported 2 memories") && end.is_err());
}

#[test]
fn what_is_remembered_leaves_as_plain_lines_and_as_a_folder_of_markdown() {
    let home = Hermetic::new();
    import(&home, "zep", &sample("zep"), json!({}));
    import(&home, "mem0", &sample("mem0.json"), json!({}));
    import(&home, "basic-memory", &sample("basic-memory"), json!({}));
    let plain = lines(&home, "export memories", json!({}));
    let count = |kind: &str| plain.iter().filter(|line| line["kind"] == kind).count();
    assert_eq!(
        (count("fact"), count("note"), count("user_input"), count("memory.remembered")),
        (2, 2, 1, 5),
        "{plain:#?}"
    );
    let folder = home.folder.path().join("out");
    let arguments = json!({"folder": folder}).to_string();
    home.call(SPACE, "export markdown", &arguments).expect("exports");
    let read =
        |name: &str| std::fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(read("facts.md").contains("- Ann lives in Oslo (since 2020-05-01 until 2024-05-01;"));
    assert!(read("conversations/thread-1.md").contains("Which port does the harbour service use?"));
    assert!(read("notes/services-message-queue.md").contains("# Message queue"));
    assert!(read("memories/2026-11.md").contains("Bob likes tea"));
    assert_eq!(home.call(SPACE, "export markdown", &arguments).expect_err("it is there").kind, Kind::Conflict);
}
