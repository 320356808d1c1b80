//! `profile`: what an agent can do and prefers, at the command line.

use serde_json::json;

use super::place::{Place, text};

fn busy() -> Place {
    let place = Place::new();
    let did = |status: &str, error: &str| {
        json!({"kind": "gateway.tool_call", "status": status, "agent_id": "coder", "ts": "2025-01-17T12:00:00Z",
            "metadata": {"capability": "building", "tool_name": "cargo\u{1b}[31m", "error": error}})
        .to_string()
    };
    let mut events = vec![did("success", ""); 11];
    events.extend([did("failure", "linker not found"), did("failure", "linker not found"), did("failure", "no space")]);
    place.append(&events);
    place
}

#[test]
fn a_profile_is_shown_to_people_and_programs() {
    let place = busy();
    place.ok(&["profile", "prefer", "coder", "verbose_logging", "true"]);
    place.ok(&["profile", "prefer", "coder", "offset", "-3"]);
    assert_eq!(place.ok(&["profile", "prefer", "coder", "editor", "vi m"]), "coder prefers editor = \"vi m\"\n");
    let shown = place.ok(&["profile", "show", "coder"]);
    for line in [
        "building  intermediate, 11 succeeded, 3 failed",
        "  prefers cargo [31m",
        "  mistake: linker not found",
        "  verbose_logging = true",
        "  offset = -3",
    ] {
        assert!(shown.lines().any(|l| l == line), "no '{line}' in {shown}");
    }
    let profile = place.json(&["profile", "show", "coder"]);
    assert_eq!(profile["capabilities"]["building"]["common_mistakes"], json!(["linker not found", "no space"]));
    assert_eq!(profile["preferences"], json!({"verbose_logging": true, "offset": -3, "editor": "vi m"}));
    assert!(text(&profile, "last_active") > "2025-01-17T12:00:00.000000Z", "a preference is a sign of life");
    let past = place.json(&["profile", "show", "coder", "--as-of", "14"]);
    assert_eq!((&past["preferences"], text(&past, "last_active")), (&json!({}), "2025-01-17T12:00:00.000000Z"));
    let line = place.json(&["profile", "list"]);
    assert_eq!((text(&line, "agent_name"), &line["successful_operations"]), ("coder", &json!(11)));
    assert_eq!(place.ok(&["profile", "prefer", "coder", "editor", "--unset"]), "coder no longer prefers editor\n");
}

#[test]
fn what_is_wrong_is_said_with_its_exit_code() {
    let place = busy();
    place.run(&["profile", "show", "nobody"]).refused(3);
    place.run(&["profile", "show"]).refused(2);
    place.run(&["profile", "prefer", "coder", "x"]).refused(2);
    place.run(&["profile", "prefer", "coder", "x", "1", "--unset"]).refused(2);
    place.run(&["profile", "prefer", "coder", "x", "--unset"]).refused(3);
    place.run(&["profile", "prefer", "", "x", "1"]).refused(2);
    assert_eq!(place.events(), 14, "what was refused left no event");
}
