//! `query` as people and programs see it: tables, comma-separated values, JSON, exit codes, and what it may cost.

use std::time::Instant;

use serde_json::json;

use super::place::{Place, json_lines, said, say};

fn furnished() -> Place {
    let place = Place::new();
    place.append(&[
        json!({"kind": "tool_call", "status": "failure", "trace_id": "t1", "content": "a \"quoted\", long\ntext \u{1b}[31m"}).to_string(),
        json!({"kind": "user_input", "content": "hello"}).to_string(),
    ]);
    place
}

#[test]
fn rows_are_shown_as_a_table_as_csv_and_as_json() {
    let place = furnished();
    let sql = "SELECT seq, kind, content FROM events ORDER BY seq";
    assert_eq!(
        place.ok(&["query", "--sql", sql]),
        "seq  kind        content\n  1  tool_call   a \"quoted\", long text  [31m\n  2  user_input  hello\n"
    );
    assert_eq!(
        place.ok(&["query", "--csv", "--sql", sql]),
        "seq,kind,content\r\n1,tool_call,\"a \"\"quoted\"\", long\ntext \u{1b}[31m\"\r\n2,user_input,hello\r\n"
    );
    let answer = place.json(&["query", "--sql", sql]);
    assert_eq!(answer["columns"], json!(["seq", "kind", "content"]));
    assert_eq!(answer["rows"][1], json!({"seq": 2, "kind": "user_input", "content": "hello"}));
    assert_eq!(place.ok(&["query", "--sql", "SELECT 1 WHERE 0"]), "nothing was found\n");
    let cut = place.run(&["query", "--sql", sql, "--limit", "1"]);
    assert_eq!((cut.code, cut.out.lines().count()), (0, 2));
    assert!(cut.err.contains("more than these 1 rows"), "{cut:?}");
    let list = place.ok(&["query"]);
    assert_eq!(list.lines().count(), 3, "{list}");
    assert!(list.contains("recent-failures days=7") && list.contains("trace-lookup trace_id=…"), "{list}");
    let found = place.ok(&["query", "trace-lookup", "trace_id=t1"]);
    assert_eq!(found.lines().count(), 2, "{found}");
    assert_eq!(place.ok(&["query", "--sql", "SELECT :x AS y", "x=a=b"]), "y\na=b\n");
}

#[test]
fn what_is_refused_is_said_with_a_code() {
    let place = furnished();
    place.run(&["query", "--sql", "DELETE FROM events"]).refused(2);
    let (what, hint) = place.run(&["query", "--sql", "SELECT * FROM nowhere"]).refused(2);
    assert!(what.contains("nowhere") && hint.contains("events, event_tags, traces"), "{what} {hint}");
    place.run(&["query", "nowhere"]).refused(3);
    place.run(&["query", "../x"]).refused(2);
    place.run(&["query", "trace-lookup"]).refused(2);
    let (what, hint) = place.run(&["query", "recent-failures", "days=abc"]).refused(2);
    assert!(what.contains("days=abc") && hint.contains("days=7"), "{what} {hint}");
    assert_eq!(Place::new().ok(&["query", "recent-failures"]), "nothing was found\n", "an empty space has an answer");
    let endless = "WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x) SELECT max(n) FROM x";
    let start = Instant::now();
    let (what, hint) = place.run(&["query", "--timeout", "1", "--sql", endless]).refused(5);
    assert!(what.contains("longer than 1 s") && hint.contains("--timeout"), "{what} {hint}");
    assert!(start.elapsed().as_secs() < 5, "it did not stop in time");
    place.verify();
}

#[test]
fn no_query_takes_all_the_memory() {
    let place = furnished();
    for (sql, codes) in [
        // Everything it gathers is kept until it is sorted.
        ("WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x) SELECT n FROM x ORDER BY n DESC", &[5][..]),
        (
            "WITH RECURSIVE x(n, t) AS (SELECT 1, printf('%100000d', 1) UNION ALL SELECT n + 1, printf('%100000d', n) FROM x) \
          SELECT count(DISTINCT t) FROM x",
            &[5],
        ),
        ("WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x) SELECT group_concat(n) FROM x", &[2, 5]),
        ("WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x) SELECT printf('%1000000d', n) FROM x", &[0]),
    ] {
        let (peak, code) = place.watch(&["query", "--timeout", "2", "--limit", "0", "--json", "--sql", sql]);
        assert!(code.is_some_and(|code| codes.contains(&code)), "{sql}: {code:?}");
        let Some(peak) = peak.map(|kib| kib >> 10) else {
            return say("the memory of queries is not measured, this system does not tell the peak of a process");
        };
        say(&format!("figure: hostile query, {}…: peak {peak} MiB", &sql[sql.len() - 40..]));
        assert!(peak < 200, "{sql}: {peak} MiB");
    }
    assert_eq!(place.append(&[said("after")]), [3]);
}

#[test]
fn an_agents_view_cannot_ask() {
    let place = furnished();
    assert_eq!(place.run(&["query", "--agent", "coder", "--sql", "SELECT 1"]).code, 2);
    let operations = json_lines(&place.ok(&["ops", "--json"]));
    assert!(operations.iter().any(|o| o["name"] == "query" && o["rights"] == "read"), "{operations:?}");
}
