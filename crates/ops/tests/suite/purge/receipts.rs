//! What only calls itself a receipt is purged like anything else; a receipt stays. What would go is shown before it does.

use idetic_ops::core::{Record, SpaceName};
use idetic_store::{Batch, NewEvent};
use serde_json::{Value, json};

use super::{CANARY, SPACE, append, call, home, ids, says_canary};
use crate::hermetic::Hermetic;

/// Puts an event into the log past every door.
fn smuggle(home: &Hermetic, record: &Value) {
    let Record { claim, body, .. } = Record::parse(record.to_string().as_bytes()).expect("a record");
    let key = claim.id_key();
    let events = vec![NewEvent { id: claim.id.zip(key), kind: claim.kind, body, undated: claim.undated }];
    let name = SpaceName::parse(SPACE).expect("a name");
    let space = home.memory().space_or_new(&name).expect("a space");
    space.log().append(Batch { events, expect: None }).expect("appends");
}

fn receipt(id: &str, metadata: &Value) -> Value {
    json!({"id": id, "kind": "memory.purged", "ts": "2024-01-02T03:04:05Z", "agent_id": "idetic", "persona": "subconscious",
           "visibility": "internal", "metadata": metadata})
}

#[test]
fn what_only_calls_itself_a_receipt_goes_and_a_receipt_stays() {
    let home = home();
    append(&home, &[json!({"id": "a", "kind": "user_input", "content": "call me tomorrow"})]);
    append(&home, &[json!({"id": "b", "kind": "user_input", "content": "the harbour is closed"})]);
    let real = call(&home, "purge", &json!({"event": "a", "yes": true, "reason": "request 17"}))[0]["receipt"].clone();
    let id = "purged-00000000-0000-4000-8000-000000000000";
    let mut with_tags = receipt(&id.replace("8000", "8006"), &json!({"events": 1, "seqs": [[1, 1]]}));
    with_tags["tags"] = json!([CANARY]);
    let forged = [
        json!({"id": "f1", "kind": "memory.purged", "content": format!("I am {CANARY}")}),
        receipt(id, &json!({"events": 1, "seqs": [[1, 1]], "note": CANARY})),
        receipt(&id.replace("8000", "8001"), &json!({"events": 1, "seqs": [[1, 1]], "reason": CANARY})),
        with_tags,
    ];
    forged.iter().for_each(|record| smuggle(&home, record));
    let purged = call(&home, "purge", &json!({"matching": CANARY, "yes": true}));
    assert_eq!(ids(&purged[0]).len(), 4, "{purged:?}");
    // By name as well, where what it lists was never erased or its count is another; a real one is not erased by name.
    let more = [
        (receipt(&id.replace("8000", "8002"), &json!({"events": 1, "seqs": [[2, 2]]})), 1),
        (receipt(&id.replace("8000", "8003"), &json!({"events": 9, "seqs": [[1, 1]]})), 1),
        (receipt(&id.replace("8000", "8004"), &json!({"events": 0, "seqs": []})), 1),
        (receipt(&id.replace("8000", "8005"), &json!({"events": 1, "seqs": [[u64::MAX, 0]]})), 1),
    ];
    for (record, count) in more {
        smuggle(&home, &record);
        let purged = call(&home, "purge", &json!({"event": record["id"], "yes": true}));
        assert_eq!(ids(&purged[0]).len(), count, "{record}");
    }
    let refused = home.call(SPACE, "purge", &json!({"event": real, "yes": true}).to_string());
    assert!(refused.is_err(), "a receipt stays: {refused:?}");
    let kept = call(&home, "get", &json!({"event": real}));
    assert_eq!(kept[0]["metadata"]["reason"], json!("request 17"));
    // Of a receipt whose reason says it, the reason is not kept.
    let purged = call(&home, "purge", &json!({"matching": "REQUEST 17", "yes": true}));
    assert_eq!(ids(&purged[0]), [(real.as_str().expect("an id"), "matched")]);
    assert_eq!(call(&home, "get", &json!({"event": real}))[0]["erased"], json!(true));
    assert_eq!(call(&home, "verify", &json!({}))[0]["ok"], json!(true));
    assert_eq!(says_canary(home.folder.path()), Vec::<String>::new());
}

#[test]
fn a_look_shows_what_would_go_and_a_purge_does_not() {
    let home = home();
    append(
        &home,
        &[
            json!({"id": "a", "kind": "user_input", "ts": "2024-03-04T05:06:07Z", "author": "ann",
                   "content": format!("{} my name is Zoë\nQuillfeather, and so on {}", "before ".repeat(40), "behind ".repeat(40))}),
            json!({"id": "b", "kind": "actor_output", "agent_id": "cc", "content": "noted", "causes": ["a"]}),
            json!({"id": "c", "kind": "user_input", "content": "fine", "metadata": {"people": [{"ZO\u{cb} quillfeather": 1}]}}),
        ],
    );
    let looked_at = call(&home, "purge", &json!({"matching": CANARY, "dry_run": true}));
    let events = looked_at[0]["events"].as_array().expect("a list");
    assert_eq!(looked_at[0]["count"], json!(3));
    let first = &events[0];
    assert_eq!((&first["author"], &first["field"]), (&json!("ann"), &json!("content")), "{first}");
    assert!(first["ts"].as_str().is_some_and(|ts| ts.starts_with("2024-03-04T05:06:07")), "{first}");
    let passage = first["passage"].as_str().expect("a passage");
    assert!(
        passage.starts_with('…') && passage.contains("before my name is Zoë Quillfeather, and so on behind"),
        "{first}"
    );
    assert_eq!(
        (&events[1]["why"], &events[1]["author"], &events[1]["field"], &events[1]["passage"]),
        (&json!("derived from a"), &json!("cc"), &json!("content"), &json!("noted"))
    );
    assert_eq!(events[2]["field"], json!("metadata.people.ZO\u{cb} quillfeather"));
    let done = call(&home, "purge", &json!({"matching": CANARY, "yes": true}));
    let told = done[0].to_string().to_lowercase();
    assert!(!told.contains("quill") && !told.contains("ann") && !told.contains("passage"), "{told}");
}

#[test]
fn a_long_list_is_cut_and_counted() {
    let home = home();
    let records: Vec<Value> =
        (0..1200).map(|n| json!({"id": format!("e{n}"), "kind": "user_input", "content": "gulls at noon"})).collect();
    append(&home, &records);
    for arguments in [json!({"matching": "gulls", "dry_run": true}), json!({"matching": "gulls", "yes": true})] {
        let purged = call(&home, "purge", &arguments);
        assert_eq!((&purged[0]["count"], ids(&purged[0]).len()), (&json!(1200), 500));
    }
    assert_eq!(call(&home, "verify", &json!({}))[0]["erased"], json!(1200));
}

#[test]
fn what_was_said_of_a_note_goes_with_its_last_text() {
    let home = home();
    for title in ["Zoë Quillfeather", "Harbour"] {
        call(&home, "note write", &json!({"title": title, "content": format!("{title} is here")}));
    }
    for note in ["zoe-quillfeather", "harbour"] {
        call(&home, "note outcome", &json!({"note": note, "worked": true}));
    }
    call(&home, "purge", &json!({"matching": CANARY, "yes": true}));
    assert_eq!(says_canary(home.folder.path()), Vec::<String>::new(), "not by its name either");
    let left = call(&home, "note show", &json!({"note": "harbour"}));
    assert!(left[0].to_string().contains("Harbour is here"), "{left:?}");
}
