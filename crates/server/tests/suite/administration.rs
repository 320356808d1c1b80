//! What administrators do over HTTP: keys, backups, whole spaces. Nobody else has these routes, and no agent has them as tools.

use serde_json::{Value, json};

use super::stage::Stage;

/// Whether the audit log says that an operation was called and came to something.
fn is_audited(stage: &Stage, admin: &str, operation: &str, outcome: &str) -> bool {
    let log = stage.post_in("idetic/audit", "/v1/log", admin, &json!({})).ok();
    let said = |event: &Value| event["metadata"]["operation"] == operation && event["metadata"]["outcome"] == outcome;
    log["items"].as_array().expect("a list").iter().any(said)
}

#[test]
fn keys_are_created_listed_and_revoked_over_http() {
    let stage = Stage::new();
    let admin = stage.admin();
    let made = stage.post("/v1/key/create", &admin, &json!({"name": "laptop", "user": "ann"})).ok();
    let key = made["key"].as_str().expect("a key").to_owned();
    assert_eq!(stage.post_in("ann/default", "/v1/remember", &key, &json!({"text": "tea"})).status, 200);
    let listed = stage.post("/v1/key/list", &admin, &json!({})).ok();
    assert_eq!(listed["items"].as_array().map(Vec::len), Some(2), "{listed}");
    let secret = key.rsplit('_').next().expect("a secret");
    assert!(!listed.to_string().contains(secret));
    stage.post("/v1/key/revoke", &admin, &json!({"key": "laptop"})).ok();
    assert_eq!(stage.post("/v1/log", &key, &json!({})).status, 401);
    let audit = stage.post_in("idetic/audit", "/v1/log", &admin, &json!({})).ok().to_string();
    assert!(audit.contains("key.created") && audit.contains("key.revoked") && audit.contains("key list"), "{audit}");
    assert!(!audit.contains(secret) && !audit.contains("\"author\":\"cli\",\"metadata\":{\"key\":\"laptop"));
    let wrong = stage.post("/v1/key/create", &admin, &json!({"name": "laptop", "file": "/etc/passwd"}));
    assert_eq!(wrong.status, 400, "{wrong:?}");
}

#[test]
fn no_answer_that_is_kept_holds_a_new_key() {
    let stage = Stage::new();
    let admin = format!("Bearer {}", stage.admin());
    let headers = [("Authorization", admin.as_str()), ("Idempotency-Key", "once")];
    let made = stage.send("POST", "/v1/key/create", &headers, br#"{"name":"laptop"}"#);
    let key: Value = made.ok();
    let secret = key["key"].as_str().and_then(|key| key.rsplit('_').next()).expect("a secret").to_owned();
    assert_eq!(stage.send("POST", "/v1/key/create", &headers, br#"{"name":"laptop"}"#).status, 409);
    let mut folders = vec![stage.folder.path().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else {
                let bytes = std::fs::read(&entry).unwrap_or_default();
                assert!(!String::from_utf8_lossy(&bytes).contains(&secret), "{}", entry.display());
            }
        }
    }
}

#[test]
fn only_who_administers_the_whole_home_may() {
    let stage = Stage::new();
    stage.operate("remember", &json!({"text": "tea"}));
    let admin = stage.admin();
    let others = [
        stage.key(&json!({"name": "reader", "scope": "read"})),
        stage.key(&json!({"name": "writer"})),
        stage.key(&json!({"name": "of a user", "scope": "admin", "user": "ann"})),
        stage.key(&json!({"name": "of a collection", "scope": "admin", "collection": "default"})),
    ];
    for path in ["/v1/key/create", "/v1/key/list", "/v1/key/revoke", "/v1/backup"] {
        let method = if path == "/v1/backup" { "GET" } else { "POST" };
        for key in &others {
            let answer = stage.send(method, path, &[("Authorization", &format!("Bearer {key}"))], b"{}");
            assert_eq!(answer.status, 403, "{path}: {answer:?}");
        }
    }
    // Who needs no key has none of these either.
    let open = Stage::with("", None, true);
    assert_eq!(open.send("POST", "/v1/key/list", &[], b"{}").status, 403);
    assert_eq!(open.send("GET", "/v1/backup", &[], b"").status, 403);
    // Nor has an agent, whatever its key allows.
    let call = json!({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}});
    let key = format!("Bearer {admin}");
    let headers = [
        ("Authorization", key.as_str()),
        ("Accept", "application/json, text/event-stream"),
        ("Content-Type", "application/json"),
    ];
    let tools = stage.send("POST", "/mcp?profile=full", &headers, call.to_string().as_bytes());
    assert!(tools.body.contains("\"name\":\"spaces\""), "it lists all there are");
    for name in ["key_create", "key_list", "key_revoke", "backup"] {
        assert!(!tools.body.contains(&format!("\"name\":\"{name}\"")), "{name}");
    }
}

#[test]
fn a_backup_is_a_download_and_a_space_is_erased() {
    let stage = Stage::new();
    let admin = stage.admin();
    stage.operate("remember", &json!({"text": "tea"}));
    let key = format!("Bearer {admin}");
    let answer = stage.send("GET", "/v1/backup", &[("Authorization", &key)], b"");
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(answer.head.contains("application/gzip") && answer.body.starts_with('\u{1f}'), "{}", answer.head);
    assert!(is_audited(&stage, &admin, "backup", "begun"), "before the first byte");
    assert_eq!(stage.send("GET", "/v1/backup?space=ann/none", &[("Authorization", &key)], b"").status, 404);
    assert_eq!(stage.send("GET", "/v1/backup?file=/tmp/x", &[("Authorization", &key)], b"").status, 400);
    let erased = stage.post("/v1/purge", &admin, &json!({"everything": true, "yes": true})).ok();
    assert_eq!(erased["items"][0]["count"], 1, "{erased}");
    assert!(!stage.post("/v1/log", &admin, &json!({})).ok().to_string().contains("tea"));
    assert_eq!(stage.post("/v1/purge", &admin, &json!({"everything": true, "event": "1"})).status, 400);
}

#[test]
fn a_backup_that_the_audit_log_does_not_take_is_not_sent() {
    let stage = Stage::with("[quota.spaces.\"idetic/audit\"]\nevents = 1\n", None, false);
    stage.operate("remember", &json!({"text": "tea"}));
    let key = format!("Bearer {}", stage.admin());
    let answer = stage.send("GET", "/v1/backup", &[("Authorization", &key)], b"");
    assert_eq!(answer.status, 422, "{answer:?}");
    assert!(!answer.body.starts_with('\u{1f}'), "{answer:?}");
}

#[test]
fn several_spaces_answer_as_far_as_a_key_sees_them() {
    let stage = Stage::new();
    let key = stage.key(&json!({"name": "ann", "user": "ann"}));
    for (space, text) in [("ann/work", "the red boat is at the office"), ("ann/home", "the red boat is at home")] {
        stage.post_in(space, "/v1/remember", &key, &json!({"text": text})).ok();
    }
    let held = stage.key(&json!({"name": "work", "user": "ann", "collection": "work"}));
    let ask = |key: &str, spaces: Value| stage.post("/v1/recall", key, &json!({"query": "red boat", "spaces": spaces}));
    let both = ask(&key, json!(["work", "home"])).ok();
    let of = |hit: usize| both["hits"][hit]["space"].as_str().expect("a space").to_owned();
    assert_eq!([of(0), of(1)].into_iter().collect::<std::collections::BTreeSet<_>>().len(), 2, "{both}");
    let said = |answer: super::stage::Answer| (answer.status, answer.body);
    let foreign = said(ask(&held, json!(["work", "home"])));
    let missing = said(ask(&held, json!(["work", "none"])));
    assert_eq!((foreign.0, foreign.1.replace("ann/home", "ann/none")), missing);
    assert_eq!(foreign.0, 404);
    let context =
        stage.post("/v1/context", &key, &json!({"query": "where is the red boat?", "spaces": ["work", "home"]}));
    let context = context.ok();
    assert_eq!(context["sources"].as_array().map(Vec::len), Some(2), "{context}");
    assert!(context["text"].as_str().is_some_and(|text| text.contains("in ann/home")), "{context}");
}

#[test]
fn a_key_says_one_thing_and_the_audit_log_stays() {
    let stage = Stage::new();
    let admin = stage.admin();
    for wrong in [json!({"name":"x","admin":true,"scope":"read"}), json!({"name":"x","persona":"subconscious"})] {
        assert_eq!(stage.post("/v1/key/create", &admin, &wrong).status, 400, "{wrong}");
    }
    stage.post_in("ann/work", "/v1/remember", &admin, &json!({"text": "tea"})).ok();
    stage.post("/v1/purge", &admin, &json!({"user": "ann", "yes": true})).ok();
    let refused = stage.post("/v1/purge", &admin, &json!({"user": "idetic", "yes": true}));
    assert_eq!(refused.status, 400, "{refused:?}");
    for route in ["/v1/purge", "/v1/forget"] {
        let body = json!({"matching": "key", "yes": true});
        assert_eq!(stage.post_in("idetic/audit", route, &admin, &body).status, 400, "{route}");
    }
    let log = |stage: &Stage| stage.post_in("idetic/audit", "/v1/log", &admin, &json!({})).ok()["items"].clone();
    let audit = log(&stage);
    assert!(audit.to_string().contains("\"erased\":[\"ann/work\"]"), "{audit}");
    // An end that an administrator gives is recorded as well: when it comes, the content is erased.
    let said = stage.post_in("ann/work", "/v1/remember", &admin, &json!({"text": "milk"})).ok();
    stage.post_in("ann/work", "/v1/update", &admin, &json!({"id": said["id"], "text": "oat milk"})).ok();
    assert!(!is_audited(&stage, &admin, "update", "done"), "what only says something else is not");
    let ended = stage.post_in("ann/work", "/v1/remember", &admin, &json!({"text": "bread"})).ok();
    stage.post_in("ann/work", "/v1/update", &admin, &json!({"id": ended["id"], "expires_at": "1h"})).ok();
    assert!(is_audited(&stage, &admin, "update", "done"));
    // Nor does anything there get an end: by an update, by itself, or under the id of another event.
    let act = &audit[0]["id"];
    for (route, body) in [
        ("/v1/update", json!({"id": act, "expires_at": "1s"})),
        ("/v1/update", json!({"id": act, "text": "nothing", "expires_at": "1s"})),
        ("/v1/remember", json!({"text": "nothing", "id": act, "expires_at": "1s"})),
        ("/v1/append", json!({"events": [{"kind": "user_input", "id": act, "expires_at": "2025-01-01T00:00:00Z"}]})),
    ] {
        let refused = stage.post_in("idetic/audit", route, &admin, &body);
        assert_eq!(refused.status, 400, "{route} {body}: {refused:?}");
    }
    let after = log(&stage);
    let (before, after) = (audit.as_array().expect("a list"), after.as_array().expect("a list"));
    assert!(before.iter().all(|event| after.contains(event)), "{after:?}");
}
