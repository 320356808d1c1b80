//! Quotas over the network: of a user over all collections, and what their errors tell to whom.

use serde_json::json;

use super::stage::Stage;

#[test]
fn a_user_has_one_quota_for_all_collections() {
    let stage = Stage::with("[quota]\nevents = 3\n[quota.spaces.\"ann/big\"]\nevents = 5\n", None, false);
    let ann = stage.key(&json!({"name": "ann", "user": "ann"}));
    let remember = |space: &str| stage.post_in(space, "/v1/remember", &ann, &json!({"text": "a line"}));
    for collection in ["ann/a", "ann/b", "ann/c"] {
        remember(collection).ok();
    }
    for collection in ["ann/a", "ann/d"] {
        let full = remember(collection);
        assert!(full.status == 422 && full.body.contains("3 of 3 events"), "{full:?}");
    }
    for _ in 0..5 {
        remember("ann/big").ok();
    }
    assert_eq!(remember("ann/big").status, 422, "a space with its own has its own");
    let status = stage.post_in("ann/a", "/v1/status", &ann, &json!({})).ok();
    assert_eq!(status["quota"][2], json!({"what": "events", "used": 3, "limit": 3}));
    let bob = stage.key(&json!({"name": "bob", "user": "bob"}));
    stage.post_in("bob/a", "/v1/remember", &bob, &json!({"text": "a line"})).ok();
}

#[test]
fn writers_of_different_collections_find_the_same_room_once() {
    let stage = Stage::with("[quota]\nevents = 20\n", None, false);
    let ann = stage.key(&json!({"name": "ann", "user": "ann"}));
    let kept: usize = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..6)
            .map(|worker| {
                let (stage, ann) = (&stage, &ann);
                scope.spawn(move || {
                    let space = format!("ann/c{worker}");
                    let call = || stage.post_in(&space, "/v1/remember", ann, &json!({"text": "a line"})).status;
                    (0..6).filter(|_| call() == 200).count()
                })
            })
            .collect();
        workers.into_iter().map(|worker| worker.join().expect("it ends")).sum()
    });
    assert_eq!(kept, 20);
}

#[test]
fn whoever_is_held_to_a_part_hears_no_counts_of_the_rest() {
    let stage = Stage::with("[quota]\nevents = 7\n", None, false);
    let owner = stage.key(&json!({"name": "owner", "user": "ann"}));
    for n in 0..7 {
        let body = json!({"text": format!("line {n}"), "agent": "other"});
        stage.post_in(&format!("ann/c{}", n % 3), "/v1/remember", &owner, &body).ok();
    }
    let agent = stage.key(&json!({"name": "bot", "user": "ann", "agent": "bot"}));
    let collection = stage.key(&json!({"name": "part", "user": "ann", "collection": "c1"}));
    for key in [&agent, &collection] {
        for (path, body) in [
            ("/v1/remember", json!({"text": "more"})),
            ("/v1/append", json!({"events": [{"kind": "user_input", "content": "more"}]})),
        ] {
            let full = stage.post_in("ann/c1", path, key, &body);
            assert!(full.status == 422 && full.body.contains("quota"), "{full:?}");
            assert!(!full.body.contains('7'), "it tells how much there is: {full:?}");
        }
        let called = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": "remember", "arguments": {"text": "more"}}});
        let headers = [
            ("Authorization", &*format!("Bearer {key}")),
            ("Accept", "application/json, text/event-stream"),
            ("Content-Type", "application/json"),
            ("Idetic-Space", "ann/c1"),
            ("MCP-Protocol-Version", "2025-06-18"),
        ];
        let said = stage.send("POST", "/mcp", &headers, called.to_string().as_bytes());
        assert!(!said.body.contains("of 7"), "{said:?}");
    }
    let status = stage.post_in("ann/c1", "/v1/status", &collection, &json!({})).ok();
    assert_eq!(status["quota"][2], json!({"what": "events", "used": 2, "limit": null}), "of its own alone");
    assert!(stage.post_in("ann/c1", "/v1/remember", &owner, &json!({"text": "x"})).body.contains("7 of 7 events"));
}
