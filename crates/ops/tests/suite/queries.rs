//! Questions in SQL: what the tables hold, as of any seq, and that nothing but reading is possible.
#![expect(clippy::print_stderr, reason = "a test says what it measured")]

use std::time::Instant;

use idetic_ops::{Error, Kind};
use serde_json::{Value, json};

use crate::hermetic::Hermetic;

const SPACE: &str = "local/x";

/// Events, notes, agents: a little of everything.
fn furnished() -> Hermetic {
    let home = Hermetic::new();
    let records = [
        json!({"kind": "gateway.tool_call", "agent_id": "cc", "status": "success", "trace_id": "t1", "source": "p",
               "ts": "2024-12-30T12:00:00Z", "tags": ["b", "a"], "content": "called", "metadata": {"duration_ms": 1200}}),
        json!({"kind": "gateway.tool_call", "agent_id": "cc", "status": "failure", "trace_id": "t1",
               "ts": "2024-12-30T12:00:01Z", "summary": "timed out", "content": "after 30 s"}),
        json!({"kind": "subconscious_output", "agent_id": "cc", "persona": "subconscious", "trace_id": "t1",
               "loop_id": "l", "tags": ["hidden"], "content": "a doubt"}),
        json!({"kind": "note.written", "content": "# Use 60 s\n", "metadata": {"note": "fix", "title": "Longer timeout",
               "status": "validated", "confidence": "high", "tags": ["timeout", "backend"], "links": ["other"]}}),
        json!({"kind": "note.outcome", "metadata": {"note": "fix", "worked": true}}),
        json!({"kind": "note.written", "content": "# Use 90 s\n", "metadata": {"note": "fix", "title": "Longer timeout",
               "status": "validated", "tags": ["timeout"], "links": []}}),
        json!({"kind": "agent.session_started", "agent_id": "cc", "metadata": {"agent_version": "2"}}),
        json!({"kind": "note.written", "content": "gone", "metadata": {"note": "gone", "title": "x", "tags": ["timeout"]}}),
        json!({"kind": "note.deleted", "metadata": {"note": "gone"}}),
    ];
    home.append(SPACE, &records.map(|record| record.to_string()));
    home
}

fn call(home: &Hermetic, arguments: &Value) -> Result<Value, Error> {
    let lines = home.call(SPACE, "query", &arguments.to_string())?;
    assert_eq!(lines.len(), 1);
    Ok(serde_json::from_str(&lines[0]).expect("JSON"))
}

/// The rows of a statement, each as the list of its cells.
fn rows(home: &Hermetic, sql: &str) -> Vec<Vec<Value>> {
    listed(&call(home, &json!({"sql": sql})).expect(sql))
}

fn listed(answer: &Value) -> Vec<Vec<Value>> {
    let columns = answer["columns"].as_array().expect("columns");
    let row = |row: &Value| columns.iter().map(|column| row[column.as_str().expect("a name")].clone()).collect();
    answer["rows"].as_array().expect("rows").iter().map(row).collect()
}

fn refused(home: &Hermetic, sql: &str) -> Error {
    let error = call(home, &json!({"sql": sql})).expect_err(sql);
    assert!(!error.hint.is_empty(), "{sql}: {error}");
    error
}

#[test]
fn the_tables_say_what_the_events_say() {
    let home = furnished();
    let sql = "SELECT seq, timestamp, event_type, status, agent, trace_id, duration_ms, summary, content, tags, \
         metadata ->> '$.duration_ms' AS ms FROM events WHERE seq <= 2";
    assert_eq!(
        json!(rows(&home, sql)),
        json!([
            [
                1,
                "2024-12-30T12:00:00.000000Z",
                "gateway.tool_call",
                "success",
                "cc",
                "t1",
                1200,
                null,
                "called",
                "[\"b\",\"a\"]",
                1200
            ],
            [
                2,
                "2024-12-30T12:00:01.000000Z",
                "gateway.tool_call",
                "failure",
                "cc",
                "t1",
                null,
                "timed out",
                "after 30 s",
                "[]",
                null
            ],
        ])
    );
    for (sql, said) in [
        ("SELECT id, content, seq FROM notes", json!([["fix", "# Use 90 s\n", 6]])),
        ("SELECT tag, note FROM tags", json!([["timeout", "fix"]])),
        ("SELECT count(*) FROM links", json!([[0]])),
        ("SELECT note, worked, failed FROM outcomes", json!([["fix", 1, 0]])),
        ("SELECT agent, sessions, version FROM profiles", json!([["cc", 1, "2"]])),
        (
            "SELECT agent, capability, tool, successes, failures FROM capabilities",
            json!([["cc", "gateway", null, 1, 1]]),
        ),
        ("SELECT seq, tag FROM event_tags ORDER BY tag", json!([[1, "a"], [1, "b"]])),
        ("SELECT trace_id, agent, events, failures, total_ms FROM traces", json!([["t1", "cc", 2, 1, 1000]])),
        ("SELECT count(*) FROM loops", json!([[0]])),
        ("SELECT count(*) FROM events WHERE persona = 'subconscious'", json!([[0]])),
        ("SELECT e.seq FROM events e JOIN event_tags t USING (seq) WHERE t.tag = 'a'", json!([[1]])),
        (
            "WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x WHERE n < 9) SELECT count(*) FROM x",
            json!([[9]]),
        ),
        ("SELECT j.value FROM events, json_each(events.tags) AS j ORDER BY 1", json!([["a"], ["b"]])),
    ] {
        assert_eq!(json!(rows(&home, sql)), said, "{sql}");
    }
}

#[test]
fn the_other_side_of_agents_is_shown_to_the_owner_who_asks_for_it() {
    let home = furnished();
    for (sql, without, with) in [
        ("SELECT count(*) FROM events", 8, 9),
        ("SELECT count(*) FROM event_tags", 2, 3),
        ("SELECT count(*) FROM traces", 1, 2),
        ("SELECT count(*) FROM loops", 0, 1),
    ] {
        assert_eq!(json!(rows(&home, sql)), json!([[without]]), "{sql}");
        let all = call(&home, &json!({"sql": sql, "all": true})).expect(sql);
        assert_eq!(json!(listed(&all)), json!([[with]]), "{sql}");
    }
}

#[test]
fn the_past_is_asked_like_the_present() {
    let home = furnished();
    let tables =
        ["events", "event_tags", "traces", "loops", "notes", "links", "tags", "outcomes", "profiles", "capabilities"];
    for seq in 1..=9 {
        let copy = format!("local/until{seq}");
        home.copy_prefix(SPACE, &copy, seq);
        for table in tables {
            let sql = format!("SELECT * FROM {table}");
            let past = call(&home, &json!({"sql": sql, "as_of": seq, "all": true})).expect(&sql);
            let there = home.call(&copy, "query", &json!({"sql": sql, "all": true}).to_string()).expect(&sql);
            let there: Value = serde_json::from_str(&there[0]).expect("JSON");
            assert_eq!(there, past, "{table} as of {seq}");
        }
    }
}

#[test]
fn saved_queries_are_found_by_name_and_take_parameters() {
    let home = furnished();
    let named = |name: &str, parameters: &[&str]| call(&home, &json!({"name": name, "parameters": parameters}));
    // The clock of this home began on the first of January 2025.
    let failures = listed(&named("recent-failures", &[]).expect("a built-in query"));
    assert_eq!(failures.len(), 1);
    assert_eq!((&failures[0][0], &failures[0][7]), (&json!(2), &json!("timed out")));
    assert_eq!(named("recent-failures", &["days=1"]).expect("days")["rows"], json!([]));
    assert_eq!(listed(&named("trace-lookup", &["trace_id=t1"]).expect("a trace")).len(), 2);
    let missing = named("trace-lookup", &[]).expect_err("no trace is named");
    assert_eq!((missing.kind, missing.hint.as_str()), (Kind::Invalid, "add trace_id=VALUE"));
    for (parameters, found) in
        [(&[][..], 1), (&["tag=timeout"], 1), (&["tag=backend"], 0), (&["text=USE 90"], 1), (&["text=60"], 0)]
    {
        assert_eq!(listed(&named("knowledge-search", parameters).expect("notes")).len(), found, "{parameters:?}");
    }
    let queries = home.folder.path().join("queries");
    std::fs::create_dir(&queries).expect("a folder");
    std::fs::write(
        queries.join("mine.sql"),
        "-- Mine.\n-- :least = 3\nSELECT seq FROM events WHERE seq > CAST(:least AS INTEGER)",
    )
    .expect("a file");
    std::fs::write(queries.join("trace-lookup.sql"), "SELECT 'my own' AS what").expect("a file");
    assert_eq!(listed(&named("mine", &["least=7"]).expect("mine")), [[json!(8)], [json!(9)]]);
    assert_eq!(json!(listed(&named("trace-lookup", &[]).expect("mine"))), json!([["my own"]]), "a person's goes first");
    let listed: Vec<Value> = home
        .call(SPACE, "query", "{\"list\":true}")
        .expect("lists")
        .iter()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let names: Vec<&str> = listed.iter().filter_map(|line| line["name"].as_str()).collect();
    assert_eq!(names, ["knowledge-search", "mine", "recent-failures", "trace-lookup"]);
    assert_eq!((&listed[1]["about"], &listed[1]["parameters"]), (&json!("Mine."), &json!(["least=3"])));
    assert_eq!(named("nowhere", &[]).expect_err("unknown").kind, Kind::NotFound);
    for bad in ["../mine", "/etc/passwd", "", "a\0b"] {
        assert_eq!(named(bad, &[]).expect_err(bad).kind, Kind::Invalid, "{bad}");
    }
    assert_eq!(named("mine", &["banana=1"]).expect_err("unknown").hint, "it takes least");
    assert_eq!(named("mine", &["least"]).expect_err("no value").kind, Kind::Invalid);
}

#[test]
fn nothing_but_reading_the_documented_tables_is_possible() {
    let home = furnished();
    let before = home.call(SPACE, "export", "{}").expect("exports");
    for hostile in [
        "DELETE FROM events",
        "INSERT INTO events (seq) VALUES (1)",
        "UPDATE notes SET title = 'x'",
        "DROP TABLE timeline",
        "DROP VIEW events",
        "ALTER TABLE timeline RENAME TO x",
        "CREATE TABLE x (a)",
        "CREATE TEMP TABLE x (a)",
        "CREATE TEMP TRIGGER x INSTEAD OF DELETE ON events BEGIN SELECT 1; END",
        "ATTACH 'x.db' AS x",
        "DETACH main",
        "PRAGMA query_only = 0",
        "PRAGMA writable_schema = 1",
        "SELECT * FROM pragma_database_list",
        "SELECT * FROM pragma_table_info('timeline')",
        "SELECT load_extension('x')",
        "SELECT writefile('x', 'y')",
        "SELECT readfile('/etc/passwd')",
        "SELECT fts3_tokenizer('x')",
        "SELECT randomblob(100000000)",
        "SELECT * FROM timeline",
        "SELECT count(*) FROM pragma_database_list",
        "SELECT * FROM main.notes",
        "SELECT * FROM sqlite_schema",
        "SELECT sql FROM temp.sqlite_schema",
        "SELECT count(*) FROM sqlite_temp_schema",
        "SELECT * FROM dbstat",
        "WITH events AS (SELECT * FROM main.timeline) SELECT * FROM events",
        "WITH \"events\" AS (SELECT said(3, 'content')) SELECT * FROM events",
        "SELECT said(3, 'content')",
        "SELECT 1; DELETE FROM events",
        "SELECT 1; SELECT 2",
        "VACUUM",
        "VACUUM INTO 'x.db'",
        "BEGIN",
        "SAVEPOINT x",
        "ANALYZE",
        "REINDEX",
        "SELECT printf('%1000000000d', 1)",
        "SELECT hex(printf('%9000000d', 1))",
        "SELECT ?1",
        "",
        "-- nothing",
        "nonsense",
    ] {
        let error = refused(&home, hostile);
        assert_eq!(error.kind, Kind::Invalid, "{hostile}: {error}");
    }
    let deep = format!("SELECT {}1{}", "(".repeat(3000), ")".repeat(3000));
    assert_eq!(refused(&home, &deep).kind, Kind::Invalid);
    assert_eq!(home.call(SPACE, "export", "{}").expect("exports"), before);
    assert_eq!(home.call(SPACE, "verify", "{}").expect("sound").len(), 1);
    let error = refused(&home, "SELECT * FROM nowhere");
    assert!(error.message.contains("'nowhere'") && error.hint.contains("events, event_tags, traces"), "{error:?}");
    let error = refused(&home, "SELECT banana FROM profiles");
    assert!(error.message.contains("'banana'") && error.hint.contains("profiles has agent, sessions"), "{error:?}");
}

#[test]
fn a_query_without_end_ends_and_a_long_answer_is_cut() {
    let home = furnished();
    let endless = "WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x) SELECT max(n) FROM x";
    let error = refused(&home, endless);
    assert_eq!(error.kind, Kind::Unavailable);
    assert!(error.message.contains("10 s") && error.hint.contains("--timeout"), "{error:?}");
    let many = "WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x) SELECT n FROM x";
    let answer = call(&home, &json!({"sql": many})).expect("rows");
    assert_eq!((answer["rows"].as_array().map(Vec::len), &answer["cut"]), (Some(1000), &json!(true)));
    let answer = call(&home, &json!({"sql": "SELECT seq FROM events", "limit": 8})).expect("rows");
    assert_eq!(answer["cut"], json!(false), "as many as there are");
    let long = "WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x) SELECT printf('%1000000d', n) FROM x";
    let answer = call(&home, &json!({"sql": long, "limit": 0, "timeout": 3600})).expect("rows");
    assert_eq!((answer["rows"].as_array().map(Vec::len), &answer["cut"]), (Some(33), &json!(true)));
    assert_eq!(call(&home, &json!({"sql": many, "timeout": 0})).expect_err("no time").kind, Kind::Invalid);
}

#[test]
fn texts_are_read_from_the_log_only_where_they_are_asked_for() {
    let home = Hermetic::new();
    let record = |n: usize| json!({"kind": "test", "content": format!("text {n} {}", "x".repeat(500))}).to_string();
    home.append(SPACE, &(0..5000).map(record).collect::<Vec<_>>());
    rows(&home, "SELECT count(*) FROM events");
    let timed = |sql: &str| {
        let start = Instant::now();
        assert_eq!(json!(rows(&home, sql)), json!([[1]]), "{sql}");
        start.elapsed()
    };
    let headers = timed("SELECT count(*) FROM (SELECT * FROM events) WHERE seq = 17");
    let texts = timed("SELECT count(*) FROM events WHERE content LIKE 'text 17 %'");
    eprintln!("idetic: figure: query over 5000 events: {headers:?} without their texts, {texts:?} with them");
    assert!(headers < texts, "counting by seq read the texts");
}

#[test]
fn a_saved_query_is_a_plain_file_and_nothing_else() {
    let home = furnished();
    let (queries, outside) = (home.folder.path().join("queries"), home.folder.path().join("outside.sql"));
    std::fs::create_dir_all(&queries).expect("a folder");
    std::fs::write(&outside, "SELECT 'OUTSIDE' AS said").expect("written");
    std::os::unix::fs::symlink(&outside, queries.join("led.sql")).expect("a link");
    std::fs::write(queries.join("own.sql"), "SELECT 'own' AS said").expect("written");
    std::fs::write(queries.join("long.sql"), format!("SELECT 1 -- {}", "x".repeat(70_000))).expect("written");
    let pipe = std::process::Command::new("mkfifo").arg(queries.join("pipe.sql")).status();
    assert_eq!(call(&home, &json!({"name": "own"})).expect("answers")["rows"][0]["said"], json!("own"));
    assert_eq!(call(&home, &json!({"name": "led"})).expect_err("a link").kind, Kind::NotFound);
    assert_eq!(call(&home, &json!({"name": "long"})).expect_err("too long").kind, Kind::Invalid);
    if pipe.is_ok_and(|status| status.success()) {
        assert_eq!(call(&home, &json!({"name": "pipe"})).expect_err("a pipe").kind, Kind::NotFound);
    }
    // Another link in the place of the whole folder.
    std::fs::rename(&queries, home.folder.path().join("elsewhere")).expect("moved");
    std::os::unix::fs::symlink(home.folder.path().join("elsewhere"), &queries).expect("a link");
    assert_eq!(call(&home, &json!({"name": "own"})).expect_err("a link").kind, Kind::NotFound);
}
