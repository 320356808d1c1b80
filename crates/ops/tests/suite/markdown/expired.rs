//! What expires elsewhere: once its time has come it is not written into the changelog for the first time.

use serde_json::json;

use super::Project;
use crate::hermetic::Hermetic;

/// The clock of a home stands before this until it is asked so often.
const SOON: &str = "2025-01-02T00:00:00Z";
const LOOKS_TO_THEN: usize = 12 * 3600;

#[test]
fn what_has_expired_is_not_written_for_the_first_time() {
    let home = Hermetic::new();
    let project = Project::new(&home, "short");
    project.ok("md init", json!({}));
    let first = json!({"type": "decision", "scope": "docs", "summary": "The pages are in plain English", "details": [],
        "refs": [], "tags": [], "agent": "a"});
    project.ok("md append", first);
    project.append_elsewhere(&json!({"kind": "decision", "scope": "otter", "summary": "The otter decides for a day",
        "author": "elsewhere", "expires_at": SOON}));
    for _ in 0..LOOKS_TO_THEN {
        home.env.now();
    }
    let says = |word: &str| {
        ["CHANGELOG.md", ".memory/graph.md", ".memory/context.md"].iter().any(|file| project.read(file).contains(word))
    };
    // The usual case, and one in which everything is looked at.
    project.ok("md sync", json!({}));
    assert!(says("plain English") && !says("otter"));
    project.write(".memory/context.md", "");
    project.ok("md sync", json!({}));
    assert!(says("plain English") && !says("otter"));
    project.append_elsewhere(&json!({"kind": "decision", "scope": "docs", "summary": "The kettle stays where it is",
        "author": "elsewhere"}));
    project.ok("md sync", json!({}));
    assert!(project.read("CHANGELOG.md").contains("### evt-002") && says("kettle") && !says("otter"));
}
