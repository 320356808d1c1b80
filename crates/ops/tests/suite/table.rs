//! The table of operations: every row is complete and says the same in each of its faces.

use std::collections::HashSet;

use idetic_ops::OPERATIONS;
use idetic_ops::{Interface, Kind, Rights};

use crate::hermetic::Hermetic;

#[test]
fn every_operation_is_described_and_has_an_example_that_runs_it() {
    let mut names = HashSet::new();
    for operation in OPERATIONS {
        let name = operation.name;
        assert!(names.insert(name), "{name} stands twice");
        assert!(!operation.interfaces.is_empty(), "{name} appears nowhere");
        let about = operation.about;
        assert!(about.starts_with(char::is_uppercase) && !about.ends_with('.'), "{name}: {about}");
        assert!(operation.example.contains(&format!("idetic {name}")), "{name}: {}", operation.example);
        // What may be written may be forgotten by whoever wrote it: that is held to the trust of the caller, and audited.
        if operation.destructive && name != "forget" {
            assert_eq!(operation.rights, Rights::Admin, "{name} can lose something");
        }
    }
}

#[test]
fn every_argument_is_described_and_has_the_same_name_in_json() {
    for operation in OPERATIONS {
        let command = (operation.arguments)(clap::Command::new("x"));
        let schema = (operation.schema)();
        let known = schema["properties"].as_object().cloned().unwrap_or_default();
        for argument in command.get_arguments() {
            let name = argument.get_id().as_str().trim_end_matches("_id");
            assert!(argument.get_help().is_some(), "{} {name} has no help", operation.name);
            // A path and a stream without end belong to the command line alone.
            let command_line_only = ["file", "follow", "queries"].contains(&name);
            if operation.interfaces.contains(&Interface::Json) && !command_line_only {
                let property = &known.get(name).unwrap_or_else(|| panic!("{} {name} is not in JSON", operation.name));
                assert!(property["description"].is_string(), "{} {name} has no description", operation.name);
            }
        }
    }
}

#[test]
fn wrong_arguments_are_an_answer_in_every_operation() {
    let home = Hermetic::new();
    for operation in OPERATIONS.iter().filter(|o| o.interfaces.contains(&Interface::Json)) {
        for wrong in ["", "[]", r#"{"banana":1}"#, "{"] {
            let error = home.call("local/x", operation.name, wrong).expect_err(operation.name);
            assert_eq!(error.kind, Kind::Invalid, "{} {wrong}: {error}", operation.name);
        }
    }
}

#[test]
fn a_wrong_argument_is_named_by_its_path() {
    let home = Hermetic::new();
    for (operation, args, path, why) in [
        ("remember", r#"{"text":"x","meta":5}"#, Some("meta"), "meta: invalid type: integer `5`, expected a sequence"),
        ("remember", r#"{"text":"x","tags":["a",7]}"#, Some("tags[1]"), "tags[1]: invalid type: integer `7`"),
        ("remember", r#"{"text":"x","tagss":[]}"#, Some("tagss"), "unknown field `tagss`"),
        ("remember", "{}", Some("text"), "missing field `text`"),
        ("remember", r#"{"text":"x"} {}"#, None, "trailing characters"),
        ("remember", r#"{"text":"#, None, "EOF while parsing"),
    ] {
        let refused = home.call("local/x", operation, args).expect_err("wrong");
        assert_eq!(refused.argument.as_deref(), path, "{args}: {refused}");
        assert!(refused.message.contains(why), "{args}: {refused}");
    }
}

#[test]
fn reading_writes_no_event() {
    let home = Hermetic::new();
    home.append("local/x", &[r#"{"kind":"test","trace_id":"t","agent_id":"coder","status":"success"}"#.to_owned()]);
    let exported = home.call("local/x", "export", "{}").expect("answers");
    for operation in OPERATIONS.iter().filter(|o| o.rights == Rights::Read && o.interfaces.contains(&Interface::Json)) {
        let arguments = match operation.name {
            "get" => r#"{"event":"1"}"#,
            "history" => r#"{"id":"1"}"#,
            "recall" | "context" | "stm" | "fact retrieve" | "episode retrieve" => r#"{"query":"what?"}"#,
            "profile show" => r#"{"agent":"coder"}"#,
            "advise" => r#"{"error":"what?"}"#,
            "fact get" | "fact history" | "episode get" | "identity show" | "identity check" | "session show"
            | "note show" | "note history" | "note related" | "amem validate" => continue,
            _ => "{}",
        };
        home.call("local/x", operation.name, arguments).expect(operation.name);
    }
    assert_eq!(home.call("local/x", "export", "{}").expect("answers"), exported);
}
