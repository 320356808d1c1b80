//! How well recall does on conversations with known evidence, where they are at hand beside the project.
#![expect(clippy::print_stderr, reason = "a test that cannot run says so, and figures are shown")]

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::place::Place;

fn conversations(set: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/bench").join(set);
    if !folder.is_dir() {
        eprintln!("skipped: {} is not there", folder.display());
        return None;
    }
    Some(folder)
}

fn evaluate(folder: &Path, mode: &str) -> Vec<Value> {
    let scores = Place::new().lines(&["eval", folder.to_str().expect("a plain path"), "--mode", mode]);
    for line in &scores {
        eprintln!("figure: recall, {} {mode}, {}: R@10 {}", line["set"], line["category"], line["r10"]);
    }
    scores
}

fn at_least(scores: &[Value], category: &str, floors: &[(&str, f64)]) {
    let line = scores.iter().find(|line| line["category"] == category).expect("the category was asked about");
    for (metric, floor) in floors {
        let reached = line[*metric].as_f64().expect("a number");
        assert!(reached >= *floor, "{category} {metric} is {reached}, below {floor}");
    }
}

#[test]
fn words_alone_find_most_of_the_evidence() {
    let Some(folder) = conversations("locomo-dev") else { return };
    at_least(&evaluate(&folder, "lexical"), "all", &[("r10", 75.0)]);
}

#[test]
#[ignore = "takes long: `cargo xtask ci` runs it"]
fn words_and_meaning_find_more() {
    let Some(folder) = conversations("locomo-dev") else { return };
    let scores = evaluate(&folder, "hybrid");
    at_least(&scores, "all", &[("r5", 71.0), ("r10", 82.0), ("r20", 88.0), ("mrr", 59.0)]);
    at_least(&scores, "multi-hop", &[("r10", 54.0)]);
}

#[test]
fn long_projects_are_recalled_too() {
    if std::env::var_os("IDETIC_LONG").is_none() {
        eprintln!("skipped: embedding long messages takes a minute; IDETIC_LONG=1 runs it");
        return;
    }
    let Some(folder) = conversations("realmem-dev") else { return };
    at_least(&evaluate(&folder, "hybrid"), "all", &[("r10", 77.0)]);
}
