//! Rules, decisions and tasks in prompts that were written and labelled by somebody who knew neither the model nor its training.

use idetic_extract::directives;
use serde_json::Value;

/// Of what is found, the share that must be right; of what stands, the share that must be found.
const RIGHT: f64 = 0.85;
const FOUND: f64 = 0.55;

#[test]
#[expect(clippy::print_stdout, reason = "the figures are what the test is for")]
fn what_stands_is_found_in_prompts_of_strangers() {
    let (mut right, mut wrong, mut missed, mut other_kind) = (0, Vec::new(), 0, 0);
    for line in include_str!("../data/directives.jsonl").lines() {
        let labelled: Value = serde_json::from_str(line).expect(line);
        let prompt = labelled["prompt"].as_str().expect("a prompt");
        let mut stands: Vec<(&str, &str, bool)> = Vec::new();
        for (label, kind) in [("rules", "rule"), ("decisions", "decision"), ("todos", "todo")] {
            let words = labelled[label].as_array().into_iter().flatten().filter_map(Value::as_str);
            stands.extend(words.map(|words| (kind, words.trim_end_matches(['.', '!']), false)));
        }
        for found in directives(prompt).into_iter().filter(|found| found.is_sure) {
            let words = prompt[found.span].trim_end_matches(['.', '!']);
            let mut meant =
                stands.iter_mut().filter(|(_, own, _)| own.contains(words) || words.contains(own)).peekable();
            if meant.peek().is_none() {
                wrong.push(words.to_owned());
                continue;
            }
            right += 1;
            let mut is_kind = false;
            meant.for_each(|(kind, _, is_found)| {
                *is_found = true;
                is_kind |= *kind == found.kind.word();
            });
            other_kind += usize::from(!is_kind);
        }
        missed += stands.iter().filter(|(_, _, is_found)| !is_found).count();
    }
    let precision = f64::from(right) / (f64::from(right) + wrong.len() as f64);
    let recall = f64::from(right) / (f64::from(right) + missed as f64);
    println!("directives: {right} right, {} wrong, {missed} missed, {other_kind} of another kind", wrong.len());
    assert!(precision >= RIGHT && recall >= FOUND, "right {precision:.3}, found {recall:.3}: {wrong:?}");
}
