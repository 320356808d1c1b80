//! `note`: written, shown, changed, found, refused.

use serde_json::{Value, json};

use super::place::{Place, text};

fn place() -> Place {
    let place = Place::new();
    place.ok(&[
        "note",
        "write",
        "Backend timeout fix",
        "--tag",
        "backend",
        "--tag",
        "timeout",
        "--confidence",
        "medium",
        "--trace",
        "abc123",
        "--author",
        "ann",
        "--content",
        "The backend subprocess does not start within 30 s on slow machines: raise backend_timeout to 60 s.",
    ]);
    place.ok(&["note", "write", "Bicycle bells", "--content", "Oil them in spring", "--tag", "bicycle"]);
    place
}

fn ids(lines: &[Value]) -> Vec<&str> {
    lines.iter().map(|line| text(line, "note")).collect()
}

#[test]
fn a_note_is_written_as_the_document_has_it_and_shown_whole() {
    let place = place();
    let shown = place.json(&["note", "show", "backend-timeout-fix"]);
    let file = text(&shown, "text");
    let lines: Vec<&str> = file.lines().collect();
    assert_eq!((lines[0], lines[1]), ("---", "id: backend-timeout-fix"));
    assert!(file.contains("\ntags: [backend, timeout]\nconfidence: medium\n"), "{file}");
    assert!(file.contains("\nrelated_traces: [abc123]\n---\n\n# Backend timeout fix\n\nThe backend"), "{file}");
    let event = place.json(&["get", "1"]);
    assert_eq!(format!("{}{}", text(&event["metadata"], "head"), text(&event, "content")), file);
    assert_eq!((event.get("agent_id"), &event["tags"]), (None, &json!(["backend", "timeout"])));
    assert_eq!(place.feed(&["note", "write", "From a pipe"], "read from\nthe input\n").code, 0);
    assert!(place.ok(&["note", "show", "from-a-pipe"]).contains("# From a pipe\n\nread from\nthe input\n"));
}

#[test]
fn what_is_wrong_or_there_already_is_refused_with_what_to_do() {
    let place = place();
    for id in ["Bad Id", "..", "/etc/passwd", "a_b", "con", ""] {
        place.run(&["note", "write", "X", "--id", id, "--content", "x"]).refused(2);
    }
    place.run(&["note", "write", "X", "--content", "x", "--confidence", "sure"]).refused(2);
    let (_, hint) = place.run(&["note", "write", "Backend timeout fix", "--content", "x"]).refused(4);
    assert!(hint.contains("note edit backend-timeout-fix"), "{hint}");
    let twin = [
        "note",
        "write",
        "Slow backend start",
        "--content",
        "The backend subprocess does not start within 30 s on slow machines, so raise backend_timeout to 60 s",
    ];
    let (what, hint) = place.run(&twin).refused(4);
    assert!(what.contains("backend-timeout-fix") && hint.contains("--force"), "{what} {hint}");
    assert_eq!(place.events(), 2, "nothing was written");
    place.ok(&[&twin[..], &["--force"]].concat());
    place.run(&["note", "show", "nowhere"]).refused(3);
    for id in ["../x", "Bad Id", "a_b", ""] {
        place.run(&["note", "show", id]).refused(2);
        place.run(&["note", "edit", id, "--append", "x"]).refused(2);
    }
    place.run(&["note", "edit", "nowhere", "--append", "x"]).refused(3);
    place.run(&["note", "deprecate", "bicycle-bells", "--by", "nowhere", "--reason", "x"]).refused(3);
}

#[test]
fn tags_are_normalised_and_near_misses_pointed_out() {
    let place = place();
    let answer = place.run(&[
        "note",
        "write",
        "Cold start",
        "--content",
        "warm it up first",
        "--tag",
        "Backends",
        "--tag",
        "#Slow Start",
    ]);
    assert_eq!(answer.code, 0, "{answer:?}");
    assert!(answer.err.contains("'backends' is new, and other notes have 'backend'"), "{answer:?}");
    assert!(answer.err.contains("'#Slow Start' is stored as 'slow-start'"), "{answer:?}");
    assert_eq!(place.json(&["note", "show", "cold-start"])["tags"], json!(["backends", "slow-start"]));
}

#[test]
fn an_edit_leaves_the_rest_as_it_was_and_history_has_every_version() {
    let place = place();
    let saved = place.json(&[
        "note",
        "edit",
        "bicycle-bells",
        "--append",
        "And in autumn.",
        "--tag",
        "spring",
        "--author",
        "bo",
    ]);
    assert_eq!((&saved["seq"], &saved["done"]), (&json!(3), &json!("changed")));
    let same = place.json(&["note", "edit", "bicycle-bells", "--tag", "spring"]);
    assert_eq!((&same["seq"], &same["done"]), (&Value::Null, &json!("unchanged")));
    place.run(&["note", "edit", "bicycle-bells", "--title", "Bells", "--expect", "2"]).refused(4);
    place.ok(&["note", "edit", "bicycle-bells", "--title", "Bells", "--expect", "3"]);
    let shown = text(&place.json(&["note", "show", "bicycle-bells"]), "text").to_owned();
    assert!(
        shown.contains("tags: [bicycle, spring]")
            && shown.ends_with("# Bells\n\nOil them in spring\n\nAnd in autumn.\n"),
        "{shown}"
    );
    let history = place.lines(&["note", "history", "bicycle-bells", "--diff"]);
    let seqs: Vec<&Value> = history.iter().map(|version| &version["seq"]).collect();
    assert_eq!(seqs, [&json!(4), &json!(3), &json!(2)]);
    assert_eq!(history[1]["author"], json!("bo"));
    assert!(
        history[1]["diff"].as_array().is_some_and(|lines| lines.contains(&json!("+And in autumn."))),
        "{history:?}"
    );
    assert!(place.ok(&["note", "show", "bicycle-bells", "--as-of", "2"]).contains("# Bicycle bells"));
    place.ok(&["note", "edit", "backend-timeout-fix", "--content", "# Fix\r\n\r\nRaise it.\r"]);
    place.ok(&["note", "edit", "backend-timeout-fix", "--append", "Twice.\nThrice."]);
    let crlf = text(&place.json(&["note", "show", "backend-timeout-fix"]), "text").to_owned();
    assert!(crlf.ends_with("Raise it.\r\n\r\nTwice.\r\nThrice.\r\n"), "{crlf:?}");
    place.ok(&["note", "delete", "bicycle-bells"]);
    place.run(&["note", "show", "bicycle-bells"]).refused(3);
    assert!(place.ok(&["recall", "bicycle bells spring", "--mode", "lexical"]).contains("nothing was found"));
    assert_eq!(place.lines(&["note", "history", "bicycle-bells"]).len(), 4);
    place.verify();
}

#[test]
fn notes_are_listed_and_searched_by_what_they_are_and_what_they_say() {
    let place = place();
    assert_eq!(ids(&place.lines(&["note", "list"])), ["bicycle-bells", "backend-timeout-fix"]);
    assert_eq!(ids(&place.lines(&["note", "list", "--tag", "backend", "--tag", "bicycle", "--any"])).len(), 2);
    assert!(place.lines(&["note", "list", "--tag", "backend", "--tag", "bicycle"]).is_empty());
    for mode in [&["--mode", "text"][..], &["--mode", "meaning"], &[]] {
        let found = place.lines(&[&["note", "search", "the backend process is slow to start"], mode].concat());
        assert_eq!(ids(&found), ["backend-timeout-fix"], "{mode:?}");
    }
    assert_eq!(ids(&place.lines(&["note", "search", "--confidence", "medium"])), ["backend-timeout-fix"]);
    assert!(place.lines(&["note", "search", "backend", "--tag", "bicycle", "--mode", "text"]).is_empty());
    place.run(&["note", "search", "x", "--mode", "magic"]).refused(2);
    assert!(place.lines(&["note", "stale", "--days", "1"]).is_empty());
}

#[test]
fn a_recalled_note_says_how_sure_it_is_and_what_replaced_it() {
    let place = place();
    place.ok(&["note", "outcome", "backend-timeout-fix", "--worked", "--trace", "t"]);
    let hit = place.json(&["recall", "backend does not start"])["hits"][0].clone();
    assert_eq!((&hit["note"]["note"], &hit["note"]["worked"]), (&json!("backend-timeout-fix"), &json!(1)));
    let shown = place.ok(&["recall", "backend does not start", "-k", "1"]);
    assert!(shown.contains("note backend-timeout-fix, confidence medium, worked 1, failed 0"), "{shown}");
    place.ok(&["note", "deprecate", "backend-timeout-fix", "--by", "bicycle-bells", "--reason", "a test"]);
    let hits = place.json(&["recall", "backend does not start"])["hits"].clone();
    assert_eq!(hits[1]["note"]["replaced_by"], json!("bicycle-bells"), "{hits}");
    assert!(place.ok(&["context", "backend does not start"]).contains("deprecated: use bicycle-bells"));
}
