//! `export` and `import`: every event byte for byte, into an empty space or behind the same chain.

use serde_json::json;

use super::place::{Place, number, said, text};

/// A home whose default space has so many events, some with everything in them.
fn written(events: usize) -> Place {
    let place = Place::new();
    let line = |n: usize| match n % 3 {
        0 => said(&format!("é \u{2028} \"{n}\" \\ \u{1}")),
        1 => format!(r#"{{ "kind" : "tool_call","id":"id-{n}", "metadata":{{"z":1.50,"a":1e400}},"tags":["x"] }}"#),
        _ => json!({"kind": "error", "agent_id": "a", "trace_id": "t", "ts": "2025-01-17", "status": "failure"})
            .to_string(),
    };
    place.append(&(0..events).map(line).collect::<Vec<_>>());
    place
}

fn import(place: &Place, space: &str, lines: &str) -> super::place::Answer {
    place.feed(&["--json", "import", "-", "--accept", "--space", space], lines)
}

fn export(place: &Place, space: &str, more: &[&str]) -> String {
    place.ok(&[&["export", "--space", space], more].concat())
}

#[test]
fn an_export_imported_into_a_new_space_is_the_same_log_to_the_last_byte() {
    let place = written(2500);
    let exported = place.ok(&["export"]);
    assert_eq!(exported.lines().count(), 2500);
    let done: serde_json::Value = serde_json::from_str(&import(&place, "a/copy", &exported).ok()).expect("JSON");
    assert_eq!((number(&done["events"]), &done["head"]), (2500, &place.json(&["status"])["head"]));
    assert_eq!(export(&place, "a/copy", &[]), exported);
    for question in [&["digest"][..], &["log", "--json"], &["stats"], &["trace", "t"], &["verify"]] {
        assert_eq!(place.ok(&[question, &["--space", "a/copy"]].concat()), place.ok(question), "{question:?}");
    }
    let elsewhere = Place::bare();
    elsewhere.ok(&["init", &elsewhere.arg("home")]);
    let file = elsewhere.write("all.jsonl", &exported);
    elsewhere.ok(&["import", &file, "--accept"]);
    assert_eq!(elsewhere.ok(&["digest"]), place.ok(&["digest"]), "the same text for the same log in any home");
    assert_eq!(elsewhere.ok(&["export", "--json"]), exported, "an export is JSON with and without the flag");
}

#[test]
fn an_import_continues_the_same_chain_and_can_be_run_again() {
    let place = written(10);
    import(&place, "a/copy", &place.ok(&["export"])).ok();
    place.append(&[said("11"), said("12")]);
    let more = place.ok(&["export", "--from", "11"]);
    assert_eq!(more.lines().count(), 2);
    let added = |lines: &str| {
        let done: serde_json::Value = serde_json::from_str(&import(&place, "a/copy", lines).ok()).expect("JSON");
        number(&done["events"])
    };
    assert_eq!(added(&more), 2);
    assert_eq!(added(&more), 0, "what is here is passed over");
    place.append(&[said("13")]);
    assert_eq!(added(&place.ok(&["export"])), 1, "and what is new is added");
    assert_eq!(export(&place, "a/copy", &[]), place.ok(&["export"]));
    assert_eq!(added(""), 0);
    assert_eq!(place.ok(&["export", "--from", "14"]), "");
    place.ok(&["remember", "goes on", "--space", "a/copy"]);
    place.ok(&["verify", "--space", "a/copy"]);
}

#[test]
fn another_chain_is_a_conflict_and_a_gap_is_invalid() {
    let place = written(5);
    let exported = place.ok(&["export"]);
    import(&place, "a/copy", &exported).ok();
    place.ok(&["remember", "here"]);
    place.ok(&["remember", "there", "--space", "a/copy"]);
    let before = export(&place, "a/copy", &[]);
    let error = import(&place, "a/copy", &place.ok(&["export"])).refused_json(4);
    assert_eq!(number(&error["seq"]), 6);
    assert!(text(&error, "hint").contains("empty space"), "{error}");
    place.ok(&["remember", "a chain of its own", "--space", "a/other"]);
    import(&place, "a/other", &exported).refused_json(4);

    let from_three: String = exported.lines().skip(2).map(|l| format!("{l}\n")).collect();
    let error = import(&place, "a/empty", &from_three).refused_json(2);
    assert!(text(&error, "message").contains("event 3 does not belong here"), "{error}");
    let hole: String = exported.lines().enumerate().filter(|(n, _)| *n != 2).map(|(_, l)| format!("{l}\n")).collect();
    let error = import(&place, "a/empty", &hole).refused_json(2);
    assert!(text(&error, "message").contains("event 4 does not belong here"), "{error}");
    assert_eq!(export(&place, "a/empty", &[]), "", "nothing of it was taken in");
    assert_eq!(export(&place, "a/copy", &[]), before);
    assert_eq!(number(&place.json(&["status", "--space", "a/other"])["events"]), 1);
}

#[test]
fn an_event_that_was_altered_on_the_way_is_refused() {
    let place = written(4);
    let exported = place.ok(&["export"]);
    let third = exported.lines().nth(2).expect("four lines").to_owned();
    let alter = |from: &str, to: &str| {
        assert!(third.contains(from), "{third}");
        exported.replace(&third, &third.replacen(from, to, 1))
    };
    let alterations = [
        ("another body", alter("\"status\":\"failure\"", "\"status\":\"success\"")),
        ("another kind", alter("\"kind\":\"error\"", "\"kind\":\"fixed.error\"")),
        ("another number", alter("\"seq\":3", "\"seq\":4")),
        ("no salt", alter("\"salt\":", "\"pepper\":")),
        ("cut in the middle", exported[..exported.len() / 2].to_owned()),
        ("no body alone", alter(",\"body\":{", ",\"corpus\":{")),
        ("a plain record", said("x")),
        ("not JSON", "hello\n".to_owned()),
    ];
    for (name, lines) in alterations {
        let error = import(&place, "a/copy", &lines).refused_json(2);
        assert!(text(&error, "message").contains("line"), "{name}: {error}");
        assert_eq!(export(&place, "a/copy", &[]), "", "{name}: nothing was taken in");
    }
    import(&place, "a/copy", &exported).ok();
    let known = import(&place, "a/copy", &alter("\"status\":\"failure\"", "\"status\":\"success\"")).refused_json(2);
    assert!(text(&known, "message").contains("event 3"), "an event that is here already: {known}");
    import(&place, "a/never", "hello\n").refused_json(2);
    place.run(&["status", "--space", "a/never"]).refused(3);
    let (what, _) = place.run(&["import", &place.home().display().to_string()]).refused(2);
    assert!(what.contains("is a folder"), "{what}");
    let (_, hint) = place.feed(&["import", "-"], said("x")).refused(2);
    assert!(hint.contains("idetic append"), "{hint}");
    let (what, _) = place.run(&["append", &place.write("exported.jsonl", exported)]).refused(2);
    assert!(what.contains("line 1"), "{what}");
}

#[test]
fn an_import_that_fails_late_says_what_it_took_in() {
    let place = written(2500);
    let exported = place.ok(&["export"]);
    let cut: String = exported.lines().take(2200).map(|l| format!("{l}\n")).chain(["oops\n".to_owned()]).collect();
    let error = import(&place, "a/copy", &cut).refused_json(2);
    let taken = number(&place.json(&["status", "--space", "a/copy"])["events"]);
    let message = text(&error, "message");
    assert!(message.contains("line 2201"), "{message}");
    assert!(message.contains(&format!("{taken} events before them were")), "{message}");
    assert!(exported.starts_with(&export(&place, "a/copy", &[])), "an exact prefix");
    import(&place, "a/copy", &exported).ok();
    assert_eq!(export(&place, "a/copy", &[]), exported);
}
