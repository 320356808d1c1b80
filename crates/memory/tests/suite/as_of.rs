//! Time travel: every reading operation as of N answers, byte for byte, what a space that stopped at N answers.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::hermetic::Hermetic;
use crate::history::histories;

/// Every reading operation, with arguments that reach its different paths.
const QUESTIONS: &[(&str, &str)] = &[
    ("log", "{AS_OF}"),
    ("log", r#"{"reverse":true,"limit":5,AS_OF}"#),
    ("log", r#"{"kind":"tool_call",AS_OF}"#),
    ("log", r#"{"status":"failure",AS_OF}"#),
    ("log", r#"{"agent":"agent1","persona":"actor",AS_OF}"#),
    ("log", r#"{"trace":"trace1",AS_OF}"#),
    ("log", r#"{"loop":"loop1",AS_OF}"#),
    ("log", r#"{"conversation":"talk1",AS_OF}"#),
    ("log", r#"{"tags":["tag1","tag2"],AS_OF}"#),
    ("log", r#"{"refs":["ref1"],AS_OF}"#),
    ("log", r#"{"since":"2025-01-03","until":"2025-01-06T12:00:00Z",AS_OF}"#),
    ("trace", "{AS_OF}"),
    ("trace", r#"{"trace":"trace1",AS_OF}"#),
    ("stats", "{AS_OF}"),
    ("stats", r#"{"since":"2025-01-03",AS_OF}"#),
    ("digest", "{AS_OF}"),
    ("export", "{AS_OF}"),
    ("get", r#"{"event":"1",AS_OF}"#),
    ("get", r#"{"event":"7",AS_OF}"#),
];

fn ask(home: &Hermetic, space: &str, (operation, arguments): (&str, &str), as_of: &str) -> String {
    let arguments = arguments.replace(",AS_OF", &format!(",{as_of}")).replace("AS_OF", as_of).replace(",}", "}");
    match home.call(space, operation, &arguments) {
        Ok(lines) => lines.join("\n"),
        Err(error) => format!("{:?}", error.kind),
    }
}

fn check(batches: &[Vec<String>], cut: prop::sample::Index) -> Result<(), TestCaseError> {
    let home = Hermetic::new();
    let mut written_by = Vec::new();
    for (at, batch) in batches.iter().enumerate() {
        home.append("local/live", batch);
        if at % 3 == 1 {
            // Some batches are folded when they arrive, some together with others later.
            home.call("local/live", "stats", "{}").expect("answers");
        }
        written_by.extend(batch.iter().map(|_| ()));
    }
    let n = cut.index(written_by.len()) + 1;
    home.copy_prefix("local/live", "local/stopped", n);
    for question in QUESTIONS {
        let past = ask(&home, "local/live", *question, &format!(r#""as_of":{n}"#));
        let stopped = ask(&home, "local/stopped", *question, "");
        prop_assert_eq!(past, stopped, "{:?} as of {} of {}", question, n, written_by.len());
    }
    let live = home.call("local/live", "digest", "{}").expect("answers");
    home.call("local/live", "rebuild", "{}").expect("rebuilds");
    prop_assert_eq!(live, home.call("local/live", "digest", "{}").expect("answers"), "rebuilt = folded as it came");
    Ok(())
}

#[test]
fn as_of_n_is_a_space_that_stopped_at_n() {
    let mut runner = TestRunner::new(Config { cases: 200, failure_persistence: None, ..Config::default() });
    let cases = (histories(14), any::<prop::sample::Index>());
    runner.run(&cases, |(batches, cut)| check(&batches, cut)).expect("holds for every history");
}

#[test]
fn as_of_a_time_means_when_it_was_written() {
    let home = Hermetic::new();
    for n in 0..5 {
        home.append("local/live", &[format!(r#"{{"kind":"test","ts":"2030-01-01","content":"{n}"}}"#)]);
    }
    let events = home.call("local/live", "log", "{}").expect("answers");
    let third: serde_json::Value = serde_json::from_str(&events[2]).expect("an event");
    let moment = third["recorded_at"].as_str().expect("a time").to_owned();
    let past = home.call("local/live", "log", &format!(r#"{{"as_of":"{moment}"}}"#)).expect("answers");
    assert_eq!(past, events[..3]);
    assert!(home.call("local/live", "log", r#"{"as_of":"1999-01-01"}"#).expect("answers").is_empty());
    let future = home.call("local/live", "log", r#"{"as_of":6}"#).expect_err("there is no event 6");
    assert!(future.message.contains("the head is 5"), "{future}");
}

#[test]
fn stats_over_several_blocks_are_the_same_by_block_and_by_row() {
    let home = Hermetic::new();
    let record = |n: usize| format!(r#"{{"kind":"test","source":"s{}","metadata":{{"duration_ms":{n}}}}}"#, n % 3);
    for batch in 0..10 {
        home.append("local/live", &(0..1000).map(|n| record(batch * 1000 + n)).collect::<Vec<_>>());
    }
    for as_of in [4095, 4096, 4097, 8192, 9999, 10_000] {
        let by_block = home.call("local/live", "stats", &format!(r#"{{"as_of":{as_of}}}"#)).expect("answers");
        let by_row = home.call("local/live", "stats", &format!(r#"{{"as_of":{as_of},"since":"1970-01-01"}}"#));
        assert_eq!(by_block, by_row.expect("answers"), "as of {as_of}");
        assert!(by_block[0].contains(&format!(r#""events":{as_of}"#)), "{by_block:?}");
    }
}
