//! What expires: it stands in the folder where it was written while it was there, and is never written for the first time.

use serde_json::{Value, json};

use super::{Both, SPACE, files};

/// The clock of a home stands before this until it is asked so often.
const SOON: &str = "2025-01-02T00:00:00Z";
const LOOKS_TO_THEN: usize = 12 * 3600;

fn said(word: &str, expires: bool) -> Value {
    let mut record =
        json!({"kind": "gateway.tool_call", "trace_id": "t1", "ts": "2025-01-17T12:00:00Z", "summary": word});
    if expires {
        record["expires_at"] = SOON.into();
    }
    record
}

/// The words that stand anywhere in the folder.
fn words(both: &Both) -> Vec<&'static str> {
    let all = files(both.folder.path());
    let texts: Vec<String> = all
        .iter()
        .map(|(path, bytes)| format!("{} {}", path.display(), String::from_utf8_lossy(bytes)).to_lowercase())
        .collect();
    let stands = |word: &&str| texts.iter().any(|text| text.contains(word));
    ["otter", "kettle", "weasel", "ferret", "badger", "marten"].into_iter().filter(stands).collect()
}

#[test]
fn what_has_expired_is_not_written_for_the_first_time() {
    let both = Both::new();
    both.append(&said("otter", true));
    both.sync();
    assert_eq!(words(&both), ["otter"], "while it is there");
    both.append(&said("weasel", true));
    both.append(&said("kettle", false));
    for note in [
        json!({"title": "Ferret", "content": "It bites.", "expires_at": SOON, "force": true}),
        json!({"title": "Badger", "content": "It digs.", "force": true}),
    ] {
        both.home.call(SPACE, "note write", &note.to_string()).expect("written");
    }
    // A version that expires, of a note that does not.
    both.append(&json!({"kind": "note.written", "content": "It is a marten.\n", "expires_at": SOON,
        "metadata": {"note": "badger", "title": "Badger"}}));
    for _ in 0..LOOKS_TO_THEN {
        both.home.env.now();
    }
    for _ in 0..2 {
        both.sync();
        assert_eq!(words(&both), ["otter", "kettle", "badger"], "what stood there is for an erasure to take out");
    }
    assert!(both.text("knowledge/notes/badger.md").contains("It digs."));
    // And it is taken out.
    both.home.call(SPACE, "dream", "{}").expect("dreams");
    both.sync();
    assert_eq!(words(&both), ["kettle", "badger"]);
}
