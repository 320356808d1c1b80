//! The files of traces: what is added to either file of an event ends in both, and what was taken from one is told.

use serde_json::json;

use super::{Both, files, troubles};

const MONTH: &str = "events/2025-01/events.jsonl";
const TRACE: &str = "events/2025-01/traces/t1.jsonl";

fn event(summary: &str) -> serde_json::Value {
    json!({"kind": "gateway.tool_call", "trace_id": "t1", "ts": "2025-01-17T12:00:00Z", "summary": summary})
}

fn line(summary: &str) -> String {
    let said = json!({
        "timestamp": "2025-01-18T12:00:00Z", "trace_id": "t1", "status": "success", "schema_version": "1.0",
        "event_type": "app.step", "source": "me", "metadata": {"said": summary},
    });
    format!("{said}\n")
}

#[test]
fn a_line_that_stands_in_one_of_its_files_is_written_into_the_other() {
    let both = Both::new();
    both.append(&event("one"));
    both.sync();
    both.put(TRACE, &(both.text(TRACE) + &line("by the trace's file")));
    both.put(MONTH, &(both.text(MONTH) + &line("by the month's file")));
    assert_eq!(both.sync()["events_added"], 2);
    for file in [MONTH, TRACE] {
        for said in ["one", "by the trace's file", "by the month's file"] {
            let lines = both.text(file).lines().filter(|line| line.contains(said)).count();
            assert_eq!(lines, 1, "{said} in {file}: {}", both.text(file));
        }
    }
    let (before, report) = (files(both.folder.path()), both.sync());
    assert_eq!((report["events_added"].as_u64(), files(both.folder.path()) == before), (Some(0), true), "{report}");
    let empty = Both::new();
    for file in [MONTH, TRACE] {
        empty.put(file, &both.text(file));
    }
    assert_eq!(empty.run("amem import", &json!({}))["events_added"], 3);
}

#[test]
fn a_line_that_was_added_to_a_trace_while_others_were_written_is_not_passed_over() {
    let both = Both::new();
    both.append(&event("one"));
    both.sync();
    both.put(TRACE, &(both.text(TRACE) + &line("by hand")));
    // Written by somebody else's run, which takes nothing in, after the line was added.
    both.append(&event("two"));
    both.run("amem export", &json!({}));
    assert_eq!(both.sync()["events_added"], 1);
    assert!(both.text(MONTH).contains("by hand"), "{}", both.text(MONTH));
}

#[test]
fn the_file_of_a_trace_that_was_shortened_or_removed_is_told_and_restored() {
    let both = Both::new();
    for said in ["one", "two", "three"] {
        both.append(&event(said));
    }
    both.sync();
    let whole = both.text(TRACE);
    let shortened = whole.lines().next().expect("a line").to_owned() + "\n";
    let changes: [&dyn Fn(); 3] =
        [&|| both.put(TRACE, &shortened), &|| both.put(TRACE, &whole.replace("two", "too")), &|| {
            std::fs::remove_file(both.path(TRACE)).expect("removed")
        }];
    for change in changes {
        change();
        for _ in 0..2 {
            let report = both.sync();
            assert!(troubles(&report, "violation").iter().any(|told| told.contains("t1.jsonl")), "{report}");
        }
        let report = both.run("amem sync", &json!({"restore": true}));
        assert_eq!(both.text(TRACE), whole, "{report}");
        assert_eq!(troubles(&both.sync(), "violation"), Vec::<String>::new());
    }
    assert_eq!(both.events(), 3);
}
