//! Calls with an Idempotency-Key: whose answer is given to whom, over restarts and purges, and by two servers of one home.

use std::path::Path;

use serde_json::{Value, json};

use super::stage::{Answer, Stage};
use super::tokens;

const SECRET: &str = "zanzibar-canary-4711";

fn named(stage: &Stage, path: &str, key: &str, name: &str, body: &Value) -> Answer {
    let key = format!("Bearer {key}");
    stage.send("POST", path, &[("Authorization", &key), ("Idempotency-Key", name)], body.to_string().as_bytes())
}

fn events(stage: &Stage, admin: &str, space: &str) -> usize {
    let log = stage.post_in(space, "/v1/log?page_size=1000", admin, &json!({}));
    if log.status == 404 { 0 } else { log.ok()["items"].as_array().map_or(0, Vec::len) }
}

/// Whether any file below a folder has a text.
fn says(folder: &Path, text: &str) -> bool {
    std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).any(|path| {
        if path.is_dir() {
            return says(&path, text);
        }
        std::fs::read(&path).unwrap_or_default().windows(text.len()).any(|part| part == text.as_bytes())
    })
}

#[test]
fn tokens_of_one_subject_with_different_users_share_no_answer() {
    let stage = Stage::with(tokens::CONFIG, None, false);
    let keys = json!({"keys": [{"kty": "OKP", "crv": "Ed25519", "x": tokens::PUBLIC, "kid": "k1", "alg": "EdDSA", "use": "sig"}]});
    std::fs::write(stage.folder.path().join("jwks.json"), keys.to_string()).expect("written");
    let token = |more: Value| {
        let mut claims = json!({"iss": "https://issuer.example", "aud": "https://memory.example/mcp", "sub": "app",
            "exp": tokens::in_seconds(600), "scope": "memory:write"});
        more.as_object().expect("claims").iter().for_each(|(name, value)| claims[name] = value.clone());
        tokens::token(tokens::KEY, &claims)
    };
    let (admin, fact) = (stage.admin(), json!({"text": format!("Ann knows {SECRET}")}));
    let first = named(&stage, "/v1/fact/store", &token(json!({"idetic_user": "ann"})), "k", &fact);
    first.ok();
    for (other, space) in [
        (json!({"idetic_user": "bob"}), "bob/default"),
        (json!({"idetic_user": "ann", "idetic_collection": "other"}), "ann/other"),
        (json!({"idetic_user": "ann", "idetic_agent": "bot"}), "ann/default"),
    ] {
        let before = events(&stage, &admin, space);
        let answer = named(&stage, "/v1/fact/store", &token(other.clone()), "k", &fact);
        answer.ok();
        assert_ne!(answer.body, first.body, "{other}");
        assert!(events(&stage, &admin, space) > before, "{other}: its own call was carried out");
    }
    let again = named(&stage, "/v1/fact/store", &token(json!({"idetic_user": "ann"})), "k", &fact);
    assert_eq!(again.body, first.body);
    let reader = token(json!({"idetic_user": "ann", "scope": "memory:read"}));
    assert_eq!(named(&stage, "/v1/fact/store", &reader, "k", &fact).status, 403);
    // The same events under the same key in two users' memories are two events.
    let append = json!({"events": [{"kind": "user_input", "content": "x"}]});
    let ids = ["ann", "bob"].map(|user| {
        let answer = named(&stage, "/v1/append", &token(json!({"idetic_user": user})), "k", &append).ok();
        answer["items"][0]["id"].as_str().expect("an id").to_owned()
    });
    assert_ne!(ids[0], ids[1]);
}

#[test]
fn an_answer_outlives_its_server_and_is_known_to_every_server_of_the_home() {
    let mut stage = Stage::new();
    let key = stage.admin();
    let fact = json!({"text": "Ann lives in Brno"});
    let first = named(&stage, "/v1/fact/store", &key, "k", &fact);
    first.ok();
    let beside = stage.beside();
    assert_eq!(named(&beside, "/v1/fact/store", &key, "k", &fact).body, first.body, "by another server");
    assert_eq!(named(&beside, "/v1/fact/store", &key, "k", &json!({"text": "other"})).status, 409);
    drop(beside);
    stage.stop();
    let stage = stage.again();
    assert_eq!(named(&stage, "/v1/fact/store", &key, "k", &fact).body, first.body, "after a restart");
    assert_eq!(stage.post("/v1/status", &key, &json!({})).ok()["events"], 1, "it was carried out once");
}

#[test]
fn what_was_purged_is_not_answered_again_nor_left_on_disk() {
    let stage = Stage::new();
    let key = stage.admin();
    let fact = json!({"text": format!("Ann knows {SECRET}")});
    named(&stage, "/v1/fact/store", &key, "k", &fact).ok();
    let other = named(&stage, "/v1/remember", &key, "r", &json!({"text": "nothing secret", "id": "r1"}));
    stage.operate("purge", &json!({"matching": SECRET, "yes": true}));
    let again = named(&stage, "/v1/fact/store", &key, "k", &fact);
    assert!(again.status == 409 && !again.body.contains(SECRET), "{again:?}");
    assert!(!says(stage.folder.path(), SECRET), "a file has it");
    let same = named(&stage, "/v1/remember", &key, "r", &json!({"text": "nothing secret", "id": "r1"}));
    assert_eq!(same.ok()["id"], other.ok()["id"], "what adds nothing is answered anew");
}

#[test]
fn many_named_calls_at_once_are_each_carried_out_once() {
    let stage = Stage::new();
    let key = stage.admin();
    std::thread::scope(|scope| {
        for worker in 0..8 {
            let (stage, key) = (&stage, &key);
            scope.spawn(move || {
                for n in 0..10 {
                    let body = json!({"events": [{"kind": "user_input", "content": format!("{worker} {n}")}]});
                    let name = format!("{worker}-{n}");
                    let first = named(stage, "/v1/append", key, &name, &body);
                    first.ok();
                    assert_eq!(named(stage, "/v1/append", key, &name, &body).body, first.body);
                }
            });
        }
    });
    assert_eq!(stage.post("/v1/status", &key, &json!({})).ok()["events"], 80);
}
