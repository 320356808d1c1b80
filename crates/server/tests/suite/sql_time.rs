//! Queries that are written to take long: each ends soon after its time is over, or is refused.
#![expect(clippy::print_stderr, reason = "a test says what it measured")]

use std::time::{Duration, Instant};

use serde_json::json;

use super::stage::Stage;

/// What a query of one second may take; a machine that others use is given more time where IDETIC_LONG is not set.
const MOST: Duration = Duration::from_secs(2);
const ON_A_BUSY_MACHINE_MAX: Duration = Duration::from_secs(8);

/// A long text of one letter, and one whose end differs.
const BIG: &str = "printf('%.1900000c', 'a')";
const HALF: &str = "(printf('%.900000c', 'a') || 'b')";
/// As many rows as anybody has time for.
const ENDLESS: &str = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)";

fn statements() -> Vec<String> {
    let mut all = vec![
        format!("SELECT length(replace({BIG}, {HALF}, 'x'))"),
        format!("SELECT length(replace({BIG}, 'a', 'bb'))"),
        format!("SELECT length(replace({BIG}, 'a', {BIG}))"),
        format!("SELECT instr({BIG}, {HALF})"),
        format!("SELECT instr(CAST({BIG} AS BLOB), CAST({HALF} AS BLOB))"),
        format!("SELECT {BIG} LIKE '{}b'", "%a".repeat(490)),
        format!("SELECT {BIG} LIKE '{}b'", "%_a".repeat(300)),
        format!("SELECT {BIG} LIKE '%{}b%'", "a".repeat(990)),
        format!("SELECT {BIG} LIKE '{}' ESCAPE '!'", "%!a".repeat(330)),
        format!("SELECT {BIG} GLOB '{}b'", "*a".repeat(490)),
        format!("SELECT {BIG} GLOB '{}b'", "*[a-z]?".repeat(130)),
        format!("SELECT {BIG} GLOB '*{}b'", "[^b]".repeat(240)),
        format!("SELECT length(trim({BIG}, {HALF}))"),
        format!("SELECT length(ltrim({BIG}, {BIG} || 'c'))"),
        format!("SELECT length(rtrim({BIG}, {HALF}))"),
        "SELECT length(hex(zeroblob(500000000)))".to_owned(),
        "SELECT length(randomblob(500000000))".to_owned(),
        "SELECT length(printf('%.*c', 500000000, 'a'))".to_owned(),
        "SELECT length(printf('%500000000d', 1))".to_owned(),
        "SELECT length(printf('%.99999999f', 1.5))".to_owned(),
        format!("SELECT length(hex({HALF}))"),
        format!("SELECT length(upper({BIG})), length(lower({BIG})), length(quote({BIG})), unicode({BIG})"),
        format!("{ENDLESS} SELECT count(*) FROM n"),
        format!("{ENDLESS} SELECT group_concat(i) FROM n"),
        format!("{ENDLESS} SELECT length(group_concat({BIG})) FROM n"),
        format!("{ENDLESS} SELECT json_group_array(i) FROM n"),
        format!("{ENDLESS} SELECT json_group_object(i, i) FROM n"),
        format!("{ENDLESS} SELECT median(i) FROM n"),
        format!("{ENDLESS} SELECT percentile(i % 7, 50) FROM n"),
        format!("{ENDLESS} SELECT i FROM n ORDER BY i DESC"),
        format!("{ENDLESS} SELECT DISTINCT printf('%.10000c', i) FROM n"),
        format!("{ENDLESS} SELECT sum(length(replace({BIG}, 'a', 'b'))) FROM n"),
        format!("{ENDLESS} SELECT sum({BIG} || i LIKE '%{}b%') FROM n", "a".repeat(400)),
        format!("{ENDLESS} SELECT sum(json_array_length('[' || printf('%.600000c', '1') || i || ']')) FROM n"),
        format!("{ENDLESS} SELECT sum(instr({BIG} || i, {HALF} || i)) FROM n"),
        format!("{ENDLESS} SELECT row_number() OVER (ORDER BY i DESC) FROM n"),
        format!("{ENDLESS} SELECT max(hex({HALF} || i)) FROM n"),
        "SELECT count(*) FROM events a, events b, events c, events d, events e".to_owned(),
        "SELECT count(*) FROM events a, events b WHERE a.content LIKE '%' || b.content || '%'".to_owned(),
        format!("SELECT json_extract(replace(printf('[%.600000c1]', '1'), '1', '1,'), '$[299999]')"),
        format!("SELECT json_valid(printf('%.1000c', '[') || printf('%.1000c', ']')), json({BIG})"),
        "SELECT count(*) FROM json_each('[' || replace(printf('%.600000c', '1'), '1', '1,') || '1]') a, \
         json_each('[' || replace(printf('%.600000c', '1'), '1', '1,') || '1]') b"
            .to_owned(),
        "SELECT count(*) FROM json_tree(printf('%.900c', '[') || '1' || printf('%.900c', ']')) a, \
         json_tree(printf('%.900c', '[') || '1' || printf('%.900c', ']')) b, events c, events d"
            .to_owned(),
    ];
    // Without a jump between them nobody looks at the clock.
    let line = |one: &str, count: usize| format!("SELECT {}", vec![one; count].join(" + "));
    all.push(line(&format!("length(replace({BIG}, 'a', 'b'))"), 30));
    all.push(line(&format!("({BIG} || 'c' = {HALF})"), 40));
    all.push(line(&format!("({BIG} = {BIG} || 'a' COLLATE NOCASE)"), 30));
    all.push(format!("SELECT {}", vec!["i || i"; 120].join(", ")) + &format!(" FROM (SELECT {HALF} AS i)"));
    // Parts that name each other.
    let mut parts = "WITH p0 AS (SELECT * FROM events)".to_owned();
    for n in 1..20 {
        parts.push_str(&format!(", p{n} AS (SELECT a.seq FROM p{0} a, p{0} b)", n - 1));
    }
    all.push(format!("{parts} SELECT count(*) FROM p19"));
    let joined: Vec<String> = (0..60).map(|n| format!("events e{n}")).collect();
    all.push(format!("SELECT count(*) FROM {}", joined.join(", ")));
    all
}

#[test]
fn a_query_ends_soon_after_its_time() {
    let stage = Stage::new();
    let key = stage.admin();
    let events: Vec<_> =
        (0..300).map(|n| json!({"kind": "user_input", "content": format!("{n} {}", "a".repeat(500))})).collect();
    stage.post("/v1/append", &key, &json!({"events": events})).ok();
    let plain =
        json!({"sql": "SELECT count(*) AS n FROM events WHERE content LIKE '%7 aa%' AND instr(content, 'a') > 1"});
    let answer = stage.post("/v1/query", &key, &plain);
    assert!(answer.status == 200 && answer.body.contains("30"), "what people ask is answered: {answer:?}");
    let most = if std::env::var_os("IDETIC_LONG").is_some() { MOST } else { ON_A_BUSY_MACHINE_MAX };
    let statements = statements();
    assert!(statements.len() >= 40);
    let mut slowest = (Duration::ZERO, String::new());
    let mut too_slow = Vec::new();
    for sql in statements {
        let start = Instant::now();
        let answer = stage.post("/v1/query", &key, &json!({"sql": sql, "timeout": 1}));
        let (took, shown) = (start.elapsed(), sql.chars().take(120).collect::<String>());
        assert!([200, 400, 503].contains(&answer.status), "{shown}: {answer:?}");
        if took > most {
            too_slow.push((took, shown.clone()));
        }
        slowest = slowest.max((took, shown));
    }
    eprintln!("idetic: figure: the slowest query of one second took {:?}: {}", slowest.0, slowest.1);
    assert!(too_slow.is_empty(), "{too_slow:?}");
}
