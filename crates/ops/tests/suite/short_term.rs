//! Short- and long-term memory as specification 001 has them: how a loop is scored, and an entry for every event.

use serde_json::{Value, json};

use crate::hermetic::Hermetic;

const SPACE: &str = "local/x";

fn answers(home: &Hermetic, operation: &str, args: Value) -> Vec<Value> {
    let lines = home.call(SPACE, operation, &args.to_string()).expect("answers");
    lines.iter().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// An identity whose recency halves in an hour, with boosts of its own.
fn identity(home: &Hermetic) {
    let folder = home.folder.path().join("identities");
    std::fs::create_dir_all(&folder).expect("a folder");
    let weights = json!({"similarity": 2.0, "recency": 4.0,
        "kind_boosts": {"user_input": 0.5, "error": 3.0}, "visibility_boosts": {"internal": 0.25, "external": 1.0}});
    let search = json!({"engine": "rapidfuzz", "algorithm": "token_set_ratio", "threshold": 10.0, "top_k": 8,
        "recency_half_life_seconds": 3600.0, "weights": weights});
    let actor = json!({"ltm_collection": "w__actor__ltm", "stm_window_size": 3, "stm_search": search});
    let identity = json!({"schema_version": "1.0", "memory": {"actor": actor}});
    std::fs::write(folder.join("w.identity.json"), identity.to_string()).expect("an identity");
}

#[test]
fn a_loop_is_scored_by_likeness_and_recency_and_boosted_by_kind_and_visibility() {
    let home = Hermetic::new();
    identity(&home);
    let event = |kind: &str, loop_id: &str, visibility: &str| {
        json!({"kind": kind, "agent_id": "w", "loop_id": loop_id, "visibility": visibility,
               "ts": "2025-01-01T12:00:00Z", "content": "list the files"})
        .to_string()
    };
    home.append(SPACE, &[event("user_input", "l1", "external"), event("error", "l2", "internal")]);
    let score = |loop_id: &str, at: &str| {
        let found = answers(&home, "stm", json!({"query": "user_input: list the files", "agent": "w", "at": at}));
        let own = found.iter().find(|entry| entry["loop_id"] == loop_id).expect("the loop").clone();
        let number = |name: &str| own[name].as_f64().expect("a number");
        (number("score"), number("ratio"), number("recency"), number("boost"))
    };
    for (at, recency) in [("2025-01-01T12:00:00Z", 1.0), ("2025-01-01T13:00:00Z", 0.5), ("2025-01-01T14:00:00Z", 0.25)]
    {
        for (loop_id, boost) in [("l1", 0.5), ("l2", 3.0 * 0.25)] {
            let (score, ratio, fresh, boosted) = score(loop_id, at);
            assert!((fresh - recency).abs() < 1e-9, "{loop_id} {at}: recency {fresh}");
            assert!((boosted - boost).abs() < 1e-9, "{loop_id}: boost {boosted}");
            let expected = (2.0 * ratio / 100.0 + 4.0 * recency) * boost;
            assert!((score - expected).abs() < 1e-9, "{loop_id} {at}: {score} is not {expected}");
        }
    }
}

#[test]
fn long_term_memory_has_an_entry_for_every_event() {
    let home = Hermetic::new();
    let records: Vec<String> = (0..37)
        .map(|n| {
            let kind = ["user_input", "tool_result", "error", "actor_output"][n % 4];
            json!({"kind": kind, "agent_id": "w", "loop_id": format!("l{}", n % 5), "content": format!("thing {n}")})
                .to_string()
        })
        .collect();
    home.append(SPACE, &records);
    let entries = answers(&home, "ltm", json!({"agent": "w"}));
    assert_eq!(entries.len(), 37);
    assert!(entries.iter().all(|entry| entry["collection"] == "w__actor__ltm"));
}

#[test]
fn a_dream_is_a_loop_of_the_subconscious() {
    let home = Hermetic::new();
    let cited = json!({"kind": "test", "agent_id": "w", "id": "m", "content": "said"}).to_string();
    let citing = json!({"kind": "test", "agent_id": "w", "refs": ["m"], "content": "cited"}).to_string();
    home.append(SPACE, &[cited, citing]);
    home.call(SPACE, "dream", "{}").expect("dreams");
    let exported = home.call(SPACE, "export", "{}").expect("the log").concat();
    assert!(exported.contains("dream.completed") && exported.contains("dream-"), "{exported}");
    for who in [json!({}), json!({"agent": "w"})] {
        let loops = answers(&home, "loops", who.clone());
        assert!(loops.iter().all(|own| !own["loop_id"].as_str().unwrap_or_default().starts_with("dream-")), "{who}");
    }
}
