//! The answer to a question in few tokens: one short passage for each turn, as many as fit a budget, with ids to read them whole.

use std::collections::HashSet;

use idetic_ops::core::tokens;
use idetic_ops::search::snippet::snippet;
use serde_json::{Value, json};

/// Tokens of an answer, unless said otherwise.
pub const DEFAULT_TOKENS: usize = 1500;
/// Tokens of an answer at most.
pub const TOKENS_MAX: usize = 20_000;
/// Characters of one passage.
const PASSAGE_CHARS: usize = 480;
/// What stands around a passage, in tokens.
const FRAME_TOKENS: usize = 45;

/// What was recalled, the best first.
pub fn brief(recalled: &str, question: &str, budget: usize) -> String {
    let recalled: Value = serde_json::from_str(recalled).unwrap_or_default();
    let hits = recalled["hits"].as_array().cloned().unwrap_or_default();
    let mut left = budget.clamp(FRAME_TOKENS, TOKENS_MAX);
    let (mut shown, mut omitted): (Vec<Value>, usize) = (Vec::new(), 0);
    // What was asked and the sum of that turn say the same: whichever ranks first stands for both.
    let (mut said, mut turns): (HashSet<String>, HashSet<String>) = (HashSet::new(), HashSet::new());
    for hit in &hits {
        let own = std::iter::once(&hit["id"]).chain(hit["causes"].as_array().into_iter().flatten());
        let own: Vec<String> = own.filter_map(Value::as_str).map(str::to_owned).collect();
        let text = snippet(hit["text"].as_str().unwrap_or_default(), question, PASSAGE_CHARS);
        if own.iter().any(|id| turns.contains(id)) || !said.insert(text.clone()) {
            continue;
        }
        let cost = tokens::estimate(&text) + FRAME_TOKENS;
        if cost > left && !shown.is_empty() {
            omitted += 1;
            continue;
        }
        left = left.saturating_sub(cost);
        turns.extend(own);
        let when = hit["ts"].as_str().and_then(|ts| ts.get(..10)).unwrap_or_default();
        let mut line = json!({"id": hit["id"], "when": when, "from": hit["origin"], "text": text});
        if let Some(source) = hit["source"].as_str() {
            line["project"] = json!(source);
        }
        shown.push(line);
    }
    let mut answer = json!({"hits": shown});
    if omitted > 0 {
        answer["omitted"] = json!(omitted);
    }
    answer.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_is_told_once_and_the_budget_holds() {
        let hit = |id: &str, causes: &[&str], text: &str| json!({"id": id, "causes": causes, "text": text, "ts": "2026-01-02T03:04:05Z", "origin": "user"});
        let long = "The port of the staging database is 5433 and nothing else matters. ".repeat(60);
        let mut hits = vec![hit("p", &[], "Use port 5433"), hit("sum", &["p"], "Asked: Use port 5433")];
        hits.extend((0..30).map(|n| hit(&format!("h{n}"), &[], &format!("{n} {long}"))));
        let told: Value =
            serde_json::from_str(&brief(&json!({"hits": hits}).to_string(), "which port?", 1500)).expect("JSON");
        let shown = told["hits"].as_array().expect("hits");
        let ids: Vec<&str> = shown.iter().filter_map(|hit| hit["id"].as_str()).collect();
        assert!(ids.contains(&"p") && !ids.contains(&"sum"), "{ids:?}");
        assert!(shown.len() > 4 && told["omitted"].as_u64() > Some(10));
        assert!(tokens::estimate(&told.to_string()) <= 1800, "{}", tokens::estimate(&told.to_string()));
    }
}
