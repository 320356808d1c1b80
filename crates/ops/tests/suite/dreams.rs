//! Dreams: what one lane holds stops nobody else's from being looked after.

use serde_json::{Value, json};

use crate::hermetic::Hermetic;

#[test]
fn long_ids_in_one_lane_stop_no_dream() {
    let home = Hermetic::new();
    let mut records: Vec<String> = Vec::new();
    for n in 0..200 {
        let id = format!("{n:0>1000}");
        records.push(json!({"kind": "test", "agent_id": "b", "id": id, "content": "said"}).to_string());
        records.push(json!({"kind": "test", "agent_id": "b", "refs": [id], "content": "cited"}).to_string());
    }
    records.push(json!({"kind": "test", "agent_id": "z", "id": "m", "content": "said"}).to_string());
    records.push(json!({"kind": "test", "agent_id": "z", "refs": ["m"], "content": "cited"}).to_string());
    home.append("local/x", &records);
    let dreamt: Value = serde_json::from_str(&home.call("local/x", "dream", "{}").expect("dreams")[0]).expect("JSON");
    assert_eq!(dreamt["regraded"], 201);
    let entries = home.call("local/x", "ltm", r#"{"agent":"z"}"#).expect("answers");
    assert!(entries[0].contains(r#""importance":0.6"#), "{entries:?}");
}
