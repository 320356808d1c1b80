//! Purging: not a byte of it is left, what remains answers as if it had never been, and it does not come back.

#[path = "purge/outside.rs"]
mod outside;
#[path = "purge/receipts.rs"]
mod receipts;
#[path = "purge/spellings.rs"]
mod spellings;
#[path = "purge/twin.rs"]
mod twin;

use std::fs;
use std::io::Read;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use idetic_ops::core::Time;
use idetic_ops::{Env, Kind};
use serde_json::{Value, json};

use crate::hashed_words::models;
use crate::hermetic::{Hermetic, START};

const SPACE: &str = "local/x";
/// What nothing may say afterwards, in the spelling it is searched for and in others.
const CANARY: &str = "Zoë Quillfeather";

/// A home whose clock stands still.
fn home() -> Hermetic {
    let bytes = AtomicU64::new(1);
    let env = Env::new(
        || Time(START),
        move |out| {
            for chunk in out.chunks_mut(8) {
                let next = bytes.fetch_add(1, Ordering::Relaxed).wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes();
                chunk.copy_from_slice(&next[..chunk.len()]);
            }
        },
    );
    Hermetic::with(env, models(true))
}

fn call(home: &Hermetic, operation: &str, arguments: &Value) -> Vec<Value> {
    let lines = home.call(SPACE, operation, &arguments.to_string()).unwrap_or_else(|e| panic!("{operation}: {e}"));
    lines.iter().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn append(home: &Hermetic, records: &[Value]) {
    home.append(SPACE, &records.iter().map(Value::to_string).collect::<Vec<_>>());
}

/// Whether any byte below a folder says a word of the canary, what is packed unpacked; in whatever spelling.
fn says_canary(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(says_canary(&path));
            continue;
        }
        let bytes = fs::read(&path).expect("a file");
        let mut unpacked = Vec::new();
        let _ = flate2::read::MultiGzDecoder::new(&bytes[..]).read_to_end(&mut unpacked);
        for part in [bytes, unpacked] {
            let text = String::from_utf8_lossy(&part).to_lowercase();
            if text.contains("quillfeather") || path.to_string_lossy().to_lowercase().contains("quillfeather") {
                found.push(path.display().to_string());
            }
        }
    }
    found
}

fn ids(purged: &Value) -> Vec<(&str, &str)> {
    let events = purged["events"].as_array().expect("a list").iter();
    events.map(|line| (line["id"].as_str().expect("an id"), line["why"].as_str().expect("a reason"))).collect()
}

#[test]
fn what_was_made_of_it_goes_with_it_and_nothing_else() {
    let home = home();
    append(
        &home,
        &[
            json!({"id": "a", "kind": "user_input", "content": "my name is Zoë\nQuillfeather"}),
            json!({"id": "b", "kind": "user_input", "content": "the harbour is closed"}),
            json!({"id": "c", "kind": "actor_output", "content": "a person said hello", "causes": ["a"]}),
            json!({"id": "d", "kind": "actor_output", "content": "two greetings", "causes": ["b", "c"]}),
            json!({"id": "e", "kind": "memory.regraded", "metadata": {"grades": {"a": 0.9}}}),
            json!({"id": "f", "kind": "memory.regraded", "metadata": {"grades": {"a": 0.9, "b": 0.1}}}),
            json!({"id": "g", "kind": "note.outcome", "metadata": {"note": "ZO\u{cb} quillFEATHER", "worked": true}}),
            // Another's event of the same id, and what was made of that.
            json!({"id": "a", "agent_id": "cc", "persona": "actor", "kind": "actor_output", "content": "all is well"}),
            json!({"id": "h", "agent_id": "cc", "persona": "actor", "kind": "actor_output", "content": "so it is", "causes": ["a"]}),
        ],
    );
    let (before, dry) = (
        call(&home, "export", &json!({})),
        call(&home, "purge", &json!({"matching": "zoë  QUILLFEATHER", "dry_run": true})),
    );
    let expected =
        [("a", "matched"), ("c", "derived from a"), ("d", "derived from c"), ("e", "about a"), ("g", "matched")];
    assert_eq!((ids(&dry[0]), &dry[0]["applied"]), (expected.to_vec(), &json!(false)));
    assert_eq!(call(&home, "export", &json!({})), before, "looking changes nothing");
    let refused = home.call(SPACE, "purge", &json!({"matching": CANARY}).to_string()).expect_err("nobody said yes");
    assert_eq!((refused.kind, refused.hint.contains("--yes")), (Kind::Invalid, true));
    assert_eq!(call(&home, "export", &json!({})), before);
    let done = call(&home, "purge", &json!({"matching": CANARY, "yes": true, "reason": "request 17"}));
    assert_eq!((ids(&done[0]), &done[0]["applied"], &done[0]["left"]), (expected.to_vec(), &json!(true), &json!([])));
    let receipt = call(&home, "get", &json!({"event": done[0]["receipt"]}));
    assert_eq!(
        (&receipt[0]["kind"], &receipt[0]["metadata"]),
        (&json!("memory.purged"), &json!({"events": 5, "seqs": [[1, 1], [3, 5], [7, 7]], "reason": "request 17"}))
    );
    let verdict = call(&home, "verify", &json!({}));
    assert_eq!(
        (&verdict[0]["ok"], &verdict[0]["erased"], &verdict[0]["events"]),
        (&json!(true), &json!(5), &json!(10))
    );
    assert_eq!(says_canary(home.folder.path()), Vec::<String>::new());
    let again = home.call(SPACE, "purge", &json!({"matching": CANARY, "dry_run": true}).to_string()).expect_err("gone");
    assert_eq!(again.kind, Kind::NotFound);
    for wrong in [
        json!({}),
        json!({"matching": "x"}),
        json!({"user": "local", "event": "b"}),
        json!({"matching": "harbour", "reason": "the Harbour", "yes": true}),
    ] {
        let refused = home.call(SPACE, "purge", &wrong.to_string()).expect_err("refused");
        assert_eq!((refused.kind, refused.hint.is_empty()), (Kind::Invalid, false), "{wrong}");
    }
    let taken = idetic_ops::core::Record::parse(br#"{"id":"a","kind":"user_input","content":"again"}"#);
    let name = idetic_ops::core::SpaceName::parse(SPACE).expect("a name");
    let space = home.memory().space(&name).expect("a space");
    assert!(space.append(vec![taken.expect("a record")], None).is_err(), "the id stays taken");
}

#[test]
fn a_conversation_a_fact_an_event_and_a_user() {
    let home = home();
    append(
        &home,
        &[
            json!({"id": "a", "kind": "user_input", "conversation_id": "k1", "content": "one"}),
            json!({"id": "b", "kind": "user_input", "conversation_id": "k2", "content": "two"}),
            json!({"id": "f", "kind": "fact.stated", "content": "three"}),
            json!({"id": "g", "kind": "fact.confirmed", "content": "four", "metadata": {"fact": "f"}}),
            json!({"id": "h", "kind": "fact.confirmed", "content": "five", "metadata": {"fact": "g"}}),
            json!({"id": "i", "kind": "test", "content": "six"}),
        ],
    );
    home.append("local/y", &[json!({"id": "z", "kind": "test", "content": "seven"}).to_string()]);
    home.append("other/x", &[json!({"id": "z", "kind": "test", "content": "seven"}).to_string()]);
    let purge = |arguments: Value| call(&home, "purge", &arguments);
    let only = |id: &str, arguments: Value| {
        assert_eq!(ids(&purge(arguments)[0]), [(id, "matched")]);
    };
    only("a", json!({"conversation": "k1", "yes": true}));
    assert_eq!(ids(&purge(json!({"fact": "f", "yes": true}))[0]), [("f", "matched"), ("g", "matched")]);
    only("h", json!({"event": "5", "yes": true}));
    only("i", json!({"event": "i", "yes": true}));
    let of_user = purge(json!({"user": "local", "yes": true}));
    assert_eq!(of_user.iter().map(|purged| ids(purged).len()).collect::<Vec<_>>(), [1, 1], "{of_user:?}");
    for space in [SPACE, "local/y"] {
        let recalled = home.call(space, "recall", r#"{"query":"one two three seven"}"#).expect("answers");
        assert!(recalled.concat().contains("\"hits\":[]"), "{recalled:?}");
    }
    let other = home.call("other/x", "get", r#"{"event":"z"}"#).expect("another's");
    assert!(other[0].contains("seven"), "{other:?}");
    let nobody = home.call(SPACE, "purge", r#"{"user":"nobody","yes":true}"#).expect_err("nobody");
    assert_eq!(nobody.kind, Kind::NotFound);
    let nothing = home.call(SPACE, "purge", r#"{"resume":true}"#).expect_err("nothing waits");
    assert_eq!(nothing.kind, Kind::NotFound);
}

#[test]
fn a_text_that_is_also_said_elsewhere_keeps_its_vector() {
    let home = home();
    let said = |id: &str, conversation: &str, text: &str| json!({"id": id, "kind": "user_input", "conversation_id": conversation, "content": text});
    append(&home, &[said("a", "k1", "gulls at noon"), said("b", "k2", "gulls at noon"), said("c", "k1", "only here")]);
    call(&home, "dream", &json!({}));
    let embedded = |home: &Hermetic| call(home, "status", &json!({}))[0]["coverage"]["embedded"].clone();
    assert_eq!(embedded(&home), json!(3));
    call(&home, "purge", &json!({"conversation": "k1", "yes": true}));
    assert_eq!(embedded(&home), json!(1), "without being made anew");
    let space = idetic_ops::core::SpaceName::parse(SPACE).expect("a name");
    let counts = home.memory().space(&space).expect("a space").vectors().counts().expect("counted");
    assert_eq!(counts.iter().map(|(_, count)| *count).collect::<Vec<_>>(), [1]);
}

#[test]
fn another_process_that_has_it_in_memory_forgets_it() {
    let home = home();
    append(&home, &[json!({"id": "a", "kind": "user_input", "content": format!("call me {CANARY}")})]);
    append(&home, &[json!({"id": "b", "kind": "user_input", "content": "call me tomorrow"})]);
    let name = idetic_ops::core::SpaceName::parse(SPACE).expect("a name");
    let (one, other) = (home.memory(), home.memory());
    let ids = |memory: &idetic_ops::Memory, as_of: Option<u64>| -> Vec<String> {
        let view = memory.space(&name).expect("a space").actor("cc");
        let question = idetic_ops::Question {
            query: "who is to be called, Quillfeather?".to_owned(),
            as_of: as_of.map(idetic_ops::AsOf::Seq),
            ..idetic_ops::Question::default()
        };
        let recalled = view.recall(&home.models, &idetic_ops::RecallOptions::default(), question).expect("recalls");
        recalled.hits.into_iter().map(|hit| hit.id).collect()
    };
    for memory in [&one, &other] {
        let mut found = ids(memory, None);
        found.sort();
        assert_eq!(found, ["a", "b"]);
    }
    call(&home, "purge", &json!({"matching": CANARY, "yes": true}));
    for memory in [&one, &other] {
        assert_eq!(ids(memory, None), ["b"]);
        assert_eq!(ids(memory, Some(1)), ["b"], "its first event is the one that is left");
    }
}

#[test]
fn a_purged_space_is_backed_up_and_carried_over() {
    let home = home();
    append(&home, &[json!({"id": "a", "kind": "user_input", "content": format!("call me {CANARY}")})]);
    append(&home, &[json!({"id": "b", "kind": "user_input", "content": "call me tomorrow"})]);
    call(&home, "purge", &json!({"event": "a", "yes": true}));
    let exported = home.call(SPACE, "export", "{}").expect("exports");
    let file = home.folder.path().join("out.gz");
    call(&home, "backup", &json!({"file": file}));
    home.call("local/copy", "restore", &json!({"file": file}).to_string()).expect("restores");
    assert_eq!(home.call("local/copy", "export", "{}").expect("exports"), exported);
    let digest = |space: &str| home.call(space, "digest", "{}").expect("a digest");
    assert_eq!(digest("local/copy"), digest(SPACE));
    assert!(home.call("local/copy", "verify", "{}").expect("sound")[0].contains("\"ok\":true"));
    assert_eq!(says_canary(home.folder.path()), Vec::<String>::new());
    call(&home, "rebuild", &json!({}));
    assert_eq!(digest("local/copy"), digest(SPACE));
}
