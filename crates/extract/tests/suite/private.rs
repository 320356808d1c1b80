//! Prompts whose authors ask that they be not kept, and prompts that only sound so, written by strangers.

use idetic_extract::kept_of;
use serde_json::Value;

/// Of prompts that only sound private, the share that must be kept; of requests, the share that must be honoured. The requests
/// are in whatever words strangers find: most of what is missed is said in a way that no list foresees.
const KEPT: f64 = 0.95;
const HONOURED: f64 = 0.55;

#[test]
fn requests_are_honoured_and_what_only_sounds_private_is_kept() {
    check("private", include_str!("../data/private.jsonl"));
}

/// By another author, who wrote it after the model had been trained on more.
#[test]
fn so_are_those_of_another_stranger() {
    check("private, others", include_str!("../data/private_others.jsonl"));
}

#[expect(clippy::print_stdout, reason = "the figures are what the test is for")]
fn check(name: &str, set: &str) {
    let (mut asked, mut honoured, mut sounded, mut kept, mut blocks) = (0, 0, 0, 0, 0);
    for line in set.lines() {
        let labelled: Value = serde_json::from_str(line).expect(line);
        let left = kept_of(labelled["prompt"].as_str().expect("a prompt"));
        match labelled["label"].as_str() {
            Some("private") => {
                asked += 1;
                honoured += usize::from(left.is_none());
            }
            Some("keep") => {
                sounded += 1;
                kept += usize::from(left.is_some());
            }
            _ => {
                let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
                let wanted = labelled["kept"].as_str().map(plain);
                assert_eq!(left.as_deref().map(plain), wanted, "{line}");
                blocks += 1;
            }
        }
    }
    println!(
        "{name}: {honoured} of {asked} requests honoured, {kept} of {sounded} others kept, {blocks} blocks taken out"
    );
    let share = |part: usize, whole: usize| part as f64 / whole as f64;
    assert!(share(kept, sounded) >= KEPT && share(honoured, asked) >= HONOURED, "{honoured}/{asked}, {kept}/{sounded}");
}
