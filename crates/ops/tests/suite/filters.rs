//! Filters: whatever is asked, the answer is what a scan of every event finds; and reading what is not there yet is no error.

use idetic_ops::Kind;
use serde_json::{Map, Value, json};

use crate::hermetic::Hermetic;

const SPACE: &str = "local/x";
const EVENTS: usize = 400;
/// Filters that are compared with a scan, and in a long run.
const FILTERS: usize = 1_000;
const FILTERS_LONG: usize = 10_000;

/// Numbers that look random and are the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides as u64) as usize
    }

    fn of<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.roll(list.len())].clone()
    }
}

fn value(dice: &mut Dice) -> Value {
    let small = dice.roll(7) as i64 - 3;
    match dice.roll(9) {
        0 => Value::Null,
        1 => json!(dice.roll(2) == 0),
        2 => json!(small),
        3 => json!(small as f64 + 0.5),
        4 => json!(small as f64),
        5 => json!(9_007_199_254_740_990_u64 + dice.roll(6) as u64),
        6 => dice.of(&[json!(["ann", 1]), json!([]), json!(["bob", "ann"]), json!([2, true, null])]),
        _ => dice.of(&[json!("ann"), json!("Ann"), json!("bob"), json!("zoë"), json!(""), json!("1"), json!("true")]),
    }
}

fn metadata(dice: &mut Dice) -> Value {
    let mut map = Map::new();
    for key in ["a", "b", "c"] {
        if dice.roll(3) > 0 {
            map.insert(key.to_owned(), value(dice));
        }
    }
    if dice.roll(2) == 0 {
        map.insert("in".to_owned(), json!({"x": value(dice), "y": {"z": value(dice)}}));
    }
    Value::Object(map)
}

fn record(n: usize, dice: &mut Dice) -> Value {
    let tags = dice.of(&[json!([]), json!(["red"]), json!(["red", "blue"]), json!(["green"])]);
    let mut event = json!({"id": format!("e{n}"), "kind": dice.of(&["user_input", "tool_result", "app.saved"]),
        "content": format!("the lamp of house {n} is green"), "ts": format!("2025-01-{:02}", dice.roll(28) + 1), "tags": tags,
        "metadata": metadata(dice)});
    if dice.roll(2) == 0 {
        event["author"] = json!(dice.of(&["ann", "bob"]));
    }
    if dice.roll(2) == 0 {
        event["source"] = json!(dice.of(&["github.com/acme/shop", "~/shop", "billing"]));
    }
    event
}

fn filter(dice: &mut Dice, depth: usize) -> Value {
    match dice.roll(if depth > 3 { 4 } else { 8 }) {
        0 => {
            json!({ dice.of(&["kind", "author", "source", "conversation"]): dice.of(&["user_input", "ann", "billing", "~/shop"]) })
        }
        1 => json!({"tags": {dice.of(&["eq", "contains", "ne"]): dice.of(&["red", "blue", "white"])}}),
        2 => {
            json!({"time": {dice.of(&["gt", "gte", "lt", "lte", "eq"]): format!("2025-01-{:02}", dice.roll(28) + 1)}})
        }
        4 => json!({"not": filter(dice, depth + 1)}),
        5 => json!({"or": [filter(dice, depth + 1), filter(dice, depth + 1)]}),
        6 => json!({"and": [filter(dice, depth + 1), filter(dice, depth + 1)]}),
        _ => {
            let path =
                dice.of(&["metadata.a", "metadata.b", "metadata.c", "metadata.in.x", "metadata.in.y.z", "metadata.in"]);
            let test = match dice.roll(9) {
                0 => json!({"exists": dice.roll(2) == 0}),
                1 => json!({"in": [value(dice), value(dice)]}),
                2 => json!({"not_in": [value(dice), value(dice)]}),
                3 => json!({"contains": value(dice)}),
                4 | 5 => {
                    let than = dice.of(&[
                        json!(0),
                        json!(1.5),
                        json!(-3),
                        json!("ann"),
                        json!("b"),
                        json!(9_007_199_254_740_993_u64),
                    ]);
                    json!({dice.of(&["gt", "gte", "lt", "lte"]): than})
                }
                6 => json!({"ne": value(dice)}),
                _ => json!({"eq": value(dice)}),
            };
            json!({ path: test })
        }
    }
}

/// Whether two values are the same: numbers by what they are worth.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(a), Value::Number(b)) => match (a.as_i64(), b.as_i64()) {
            (Some(a), Some(b)) => a == b,
            _ => a.as_f64() == b.as_f64(),
        },
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        _ => one == other,
    }
}

fn order(one: &Value, other: &Value) -> Option<std::cmp::Ordering> {
    match (one, other) {
        (Value::Number(a), Value::Number(b)) => match (a.as_i64(), b.as_i64()) {
            (Some(a), Some(b)) => Some(a.cmp(&b)),
            _ => a.as_f64()?.partial_cmp(&b.as_f64()?),
        },
        (Value::String(a), Value::String(b)) => Some(a.as_bytes().cmp(b.as_bytes())),
        _ => None,
    }
}

/// What a person who reads the documentation would say: does it hold of this event?
fn holds(filter: &Value, event: &Value) -> bool {
    let entries = filter.as_object().expect("a filter");
    entries.iter().all(|(key, value)| match key.as_str() {
        "and" => value.as_array().expect("a list").iter().all(|inner| holds(inner, event)),
        "or" => value.as_array().expect("a list").iter().any(|inner| holds(inner, event)),
        "not" => !holds(value, event),
        "tags" => {
            let (word, tag) = value.as_object().expect("a test").iter().next().expect("one");
            let has = event["tags"].as_array().is_some_and(|tags| tags.contains(tag));
            has != (word == "ne")
        }
        "time" => {
            let (word, day) = value.as_object().expect("a test").iter().next().expect("one");
            test(word, &day.as_str().map_or(Value::Null, Value::from), Some(&event["ts"]))
        }
        path => {
            let said = path.split('.').try_fold(event, |at, part| at.get(part));
            match value.as_object() {
                Some(tests) => tests.iter().all(|(word, wanted)| test(word, wanted, said)),
                None => test("eq", value, said),
            }
        }
    })
}

fn test(word: &str, wanted: &Value, said: Option<&Value>) -> bool {
    let is = |wanted: &Value| match said {
        None => wanted.is_null(),
        Some(said) => same(said, wanted),
    };
    let one_of = || wanted.as_array().expect("a list").iter().any(is);
    let compared = said.and_then(|said| order(said, wanted));
    match word {
        "eq" => is(wanted),
        "ne" => !is(wanted),
        "in" => one_of(),
        "not_in" => !one_of(),
        "exists" => said.is_some() == (wanted == &json!(true)),
        "gt" => compared.is_some_and(|order| order.is_gt()),
        "gte" => compared.is_some_and(|order| order.is_ge()),
        "lt" => compared.is_some_and(|order| order.is_lt()),
        "lte" => compared.is_some_and(|order| order.is_le()),
        "contains" => match (said, wanted) {
            (Some(Value::Array(list)), _) => list.iter().any(|element| same(element, wanted)),
            (Some(Value::String(text)), Value::String(part)) => text.contains(part.as_str()),
            _ => false,
        },
        other => panic!("{other} is tested by nobody"),
    }
}

fn ids(lines: &[String]) -> Vec<String> {
    lines
        .iter()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON")["id"].as_str().expect("an id").to_owned())
        .collect()
}

#[test]
fn every_filter_finds_what_a_scan_of_every_event_finds() {
    let (home, mut dice) = (Hermetic::new(), Dice(0x1234_5678_9abc_def1));
    let records: Vec<Value> = (0..EVENTS).map(|n| record(n, &mut dice)).collect();
    home.append(SPACE, &records.iter().map(Value::to_string).collect::<Vec<_>>());
    let filters = if std::env::var_os("IDETIC_LONG").is_some() { FILTERS_LONG } else { FILTERS };
    let mut found_some = 0;
    for n in 0..filters {
        let filter = filter(&mut dice, 0);
        let wanted: Vec<String> = records
            .iter()
            .filter(|event| holds(&filter, event))
            .map(|event| event["id"].as_str().expect("an id").to_owned())
            .collect();
        let found = home.call(SPACE, "log", &json!({"filter": filter}).to_string());
        let found = ids(&found.unwrap_or_else(|error| panic!("{filter}: {error}")));
        assert_eq!(found, wanted, "filter {n}: {filter}");
        found_some += usize::from(!wanted.is_empty() && wanted.len() < EVENTS);
    }
    assert!(found_some > filters / 2, "most filters tell events apart: {found_some}");
}

#[test]
fn a_filter_is_applied_before_the_best_are_chosen() {
    let (home, mut dice) = (Hermetic::new(), Dice(77));
    let mut records: Vec<Value> = (0..3000).map(|n| record(n, &mut dice)).collect();
    for n in (0..3000).step_by(300) {
        records[n]["metadata"]["vip"] = json!(true);
    }
    home.append(SPACE, &records.iter().map(Value::to_string).collect::<Vec<_>>());
    let asked = json!({"query": "lamp of house", "limit": 20, "filter": {"metadata.vip": true}});
    let lines = home.call(SPACE, "recall", &asked.to_string()).expect("an answer");
    let hits: Value = serde_json::from_str(&lines[0]).expect("JSON");
    let mut numbers: Vec<&str> =
        hits["hits"].as_array().expect("hits").iter().filter_map(|hit| hit["id"].as_str()).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, ["e0", "e1200", "e1500", "e1800", "e2100", "e2400", "e2700", "e300", "e600", "e900"]);
    // The past had fewer of them.
    let asked = json!({"query": "lamp of house", "limit": 20, "filter": {"metadata.vip": true}, "as_of": 700});
    let lines = home.call(SPACE, "recall", &asked.to_string()).expect("an answer");
    assert_eq!(serde_json::from_str::<Value>(&lines[0]).expect("JSON")["hits"].as_array().map(Vec::len), Some(3));
    let packed = home.call(
        SPACE,
        "context",
        &json!({"query": "which lamp is in house 600?", "filter": {"metadata.vip": true}}).to_string(),
    );
    let packed: Value = serde_json::from_str(&packed.expect("an answer")[0]).expect("JSON");
    let numbers = packed["sources"].as_array().expect("sources");
    assert!(
        !numbers.is_empty() && numbers.iter().all(|source| source["seq"].as_u64().is_some_and(|seq| seq % 300 == 1)),
        "{packed}"
    );
}

#[test]
fn facts_and_notes_are_filtered_by_the_events_that_state_them() {
    let home = Hermetic::new();
    let call = |operation: &str, arguments: Value| {
        home.call(SPACE, operation, &arguments.to_string()).unwrap_or_else(|error| panic!("{operation}: {error}"))
    };
    home.append(
        SPACE,
        &[
            json!({"kind": "fact.stored", "content": "Ann lives in Leipzig", "tags": ["people"]}).to_string(),
            json!({"kind": "fact.stored", "content": "Bob lives in Porto"}).to_string(),
        ],
    );
    call("note write", json!({"title": "Deploying", "content": "Only from the release branch", "tags": ["ops"]}));
    call("note write", json!({"title": "Lunch", "content": "Noodles on Friday"}));
    let tagged = json!({"tags": "people"});
    assert_eq!(call("fact list", json!({"filter": tagged})).len(), 1);
    assert_eq!(call("fact list", json!({"filter": {"not": tagged}})).len(), 1);
    let found = call("fact retrieve", json!({"query": "who lives where", "filter": tagged}));
    assert!(found[0].contains("Leipzig") && !found[0].contains("Porto"), "{found:?}");
    let named = json!({"metadata.title": "Deploying"});
    assert_eq!(call("note list", json!({"filter": named})).len(), 1);
    assert_eq!(call("note search", json!({"query": "noodles", "filter": named})).len(), 0);
}

/// Ids are one's own: another side's event of the same id is another event, and decides nothing.
#[test]
fn a_filter_of_facts_tells_nothing_of_another_sides_event_with_the_same_id() {
    let home = Hermetic::new();
    home.append(SPACE, &[
        json!({"id": "m-1", "kind": "subconscious_output", "agent_id": "a", "persona": "subconscious", "content": "hm",
               "metadata": {"mood": "orange"}}).to_string(),
        json!({"id": "m-1", "kind": "fact.stored", "agent_id": "a", "persona": "actor", "content": "Ann lives in Leipzig"}).to_string(),
    ]);
    for filter in [json!({"metadata.mood": {"contains": "or"}}), json!({"persona": "subconscious"})] {
        let asked = json!({"agent": "a", "filter": filter});
        assert_eq!(home.call(SPACE, "fact list", &asked.to_string()).expect("an answer").len(), 0, "{asked}");
    }
    assert_eq!(
        home.call(SPACE, "fact list", &json!({"agent": "a", "filter": {"persona": "actor"}}).to_string())
            .expect("an answer")
            .len(),
        1
    );
}

#[test]
fn a_filter_as_large_as_it_may_be_is_answered() {
    let home = Hermetic::new();
    home.append(
        SPACE,
        &[json!({"kind": "user_input", "content": "tea", "author": "ann", "metadata": {"n": 7}}).to_string()],
    );
    let names: Vec<String> = (0..999).map(|n| format!("author{n}")).chain(["ann".to_owned()]).collect();
    let many = json!({"filter": {"author": {"in": names}}});
    assert_eq!(home.call(SPACE, "log", &many.to_string()).expect("an answer").len(), 1);
    let or: Vec<Value> = (0..15).map(|n| json!({"metadata.n": n})).collect();
    assert_eq!(home.call(SPACE, "log", &json!({"filter": {"or": or}}).to_string()).expect("an answer").len(), 1);
    let bulky = json!({"kind": "user_input", "content": "x", "metadata": {"k".repeat(250): vec![1; 1000]}});
    home.append(SPACE, &[bulky.to_string()]);
    assert_eq!(home.call(SPACE, "log", &json!({"filter": {"metadata.n": 7}}).to_string()).expect("an answer").len(), 1);
}

#[test]
fn a_filter_that_is_wrong_says_where() {
    let home = Hermetic::new();
    home.append(SPACE, &[json!({"kind": "user_input", "content": "tea"}).to_string()]);
    let asked = json!({"query": "tea", "filter": {"or": [{"metadata.a": {"$above": 3}}]}});
    let error = home.call(SPACE, "recall", &asked.to_string()).expect_err("it is wrong");
    assert_eq!(
        (error.kind, error.message.as_str()),
        (Kind::Invalid, "filter.or[0].metadata.a.$above: 'above' is not an operator")
    );
}

#[test]
fn what_is_asked_of_a_space_that_is_not_there_yet_is_answered_with_nothing() {
    let home = Hermetic::new();
    for (operation, arguments, empty) in [
        ("recall", json!({"query": "tea"}), vec![json!({"hits": []})]),
        ("fact retrieve", json!({"query": "tea"}), vec![json!({"facts": [], "error": null})]),
        ("episode retrieve", json!({"query": "tea"}), vec![json!({"episodes": [], "error": null})]),
        ("log", json!({}), vec![]),
        ("fact list", json!({}), vec![]),
        ("note list", json!({}), vec![]),
    ] {
        let lines = home.call("new/user", operation, &arguments.to_string()).expect("no error");
        let lines: Vec<Value> = lines.iter().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        assert_eq!(lines, empty, "{operation}");
    }
    let packed = home.call("new/user", "context", &json!({"query": "tea"}).to_string()).expect("no error");
    assert!(packed[0].contains("\"abstained\":true"), "{packed:?}");
    assert_eq!(
        home.call("new/user", "get", &json!({"id": "x"}).to_string()).map_err(|error| error.kind),
        Err(Kind::NotFound)
    );
    assert!(!home.folder.path().join("spaces/new").exists(), "nothing is made by reading");
}

#[test]
fn what_is_forgotten_by_its_id_is_gone() {
    let home = Hermetic::new();
    let records = ["tea at five", "coffee at six"]
        .map(|text| json!({"id": &text[..3], "kind": "user_input", "content": text}).to_string());
    home.append(SPACE, &records);
    let looked = home.call(SPACE, "forget", r#"{"id":"tea","dry_run":true}"#).expect("a list");
    assert!(looked[0].contains("tea at five"), "{looked:?}");
    let receipt = home.call(SPACE, "forget", r#"{"id":"tea"}"#).expect("a receipt");
    assert_eq!(receipt.len(), 1);
    let left = home.call(SPACE, "recall", r#"{"query":"tea coffee at"}"#).expect("an answer");
    assert!(!left[0].contains("tea at five") && left[0].contains("coffee at six"), "{left:?}");
    assert_eq!(home.call(SPACE, "forget", r#"{"id":"tea"}"#).map_err(|error| error.kind), Err(Kind::NotFound));
    // An id that looks like a number is an id.
    home.append(SPACE, &[json!({"id": "2", "kind": "user_input", "content": "juice at seven"}).to_string()]);
    home.call(SPACE, "forget", r#"{"id":"2"}"#).expect("a receipt");
    let left = home.call(SPACE, "log", "{}").expect("events").concat();
    assert!(left.contains("coffee at six") && !left.contains("juice at seven"), "{left}");
    // One that several agents use says nothing of which, and never means the event of that number.
    let of_two = ["one", "two"].map(|agent| {
        json!({"id": "2", "kind": "user_input", "agent_id": agent, "content": format!("milk for {agent}")}).to_string()
    });
    home.append(SPACE, &of_two);
    assert_eq!(home.call(SPACE, "forget", r#"{"id":"2"}"#).map_err(|error| error.kind), Err(Kind::Invalid));
    let left = home.call(SPACE, "log", "{}").expect("events").concat();
    assert!(["coffee at six", "milk for one", "milk for two"].iter().all(|text| left.contains(text)), "{left}");
    assert_eq!(home.call(SPACE, "forget", r#"{"matching":"coffee"}"#).map_err(|error| error.kind), Err(Kind::Invalid));
    assert_eq!(home.call(SPACE, "forget", "{}").map_err(|error| error.kind), Err(Kind::Invalid));
    home.call(SPACE, "forget", r#"{"matching":"COFFEE","yes":true}"#).expect("a receipt");
    assert!(!home.call(SPACE, "log", "{}").expect("events").concat().contains("coffee at six"));
}

#[test]
fn what_a_filter_selects_is_forgotten_and_nothing_else() {
    let home = Hermetic::new();
    let customer = |id: &str, name: &str, text: &str| {
        json!({"id": id, "kind": "user_input", "content": text, "metadata": {"customer": {"name": name}}}).to_string()
    };
    let events = [
        customer("a1", "acme", "Acme pays by invoice"),
        customer("b1", "bolt", "Bolt pays by card"),
        customer("a2", "acme", "Acme moved to Leipzig"),
        json!({"id": "d", "kind": "note.made", "content": "made of it", "causes": ["a2"]}).to_string(),
    ];
    home.append(SPACE, &events);
    home.call(SPACE, "update", r#"{"id": "a1", "text": "Acme pays by transfer"}"#).expect("a new version");
    let left = || {
        let log = home.call(SPACE, "log", r#"{"filter": {"metadata.customer": {"exists": true}}}"#);
        ids(&log.unwrap_or_default())
    };
    let forget = |arguments: &str| home.call(SPACE, "forget", arguments);
    let asked = forget(r#"{"filter": {"metadata.customer.name": "acme"}}"#).expect_err("more than one memory");
    assert_eq!(asked.kind, Kind::Invalid, "{asked:?}");
    for (wrong, named) in [
        (r#"{"filter": {}, "yes": true}"#, "every event matches"),
        (r#"{"filter": {"and": []}, "yes": true}"#, "every event matches"),
        (r#"{"filter": {"not": {"or": [{"id": {"in": []}}]}}, "yes": true}"#, "every event matches"),
        (r#"{"filter": {"metadata.customer": {"$near": 1}}, "yes": true}"#, "'near' is not an operator"),
        (r#"{"filter": {"metadata.x": 1}, "id": "a1", "yes": true}"#, "one thing"),
    ] {
        let error = forget(wrong).expect_err(wrong);
        assert_eq!((error.kind, error.message.contains(named)), (Kind::Invalid, true), "{wrong}: {error:?}");
    }
    let nobody = forget(r#"{"filter": {"metadata.customer.name": "nobody"}, "yes": true}"#).expect_err("nobody");
    assert_eq!(nobody.kind, Kind::NotFound);
    let receipt = forget(r#"{"filter": {"metadata.customer.name": "acme"}, "yes": true}"#).expect("a receipt");
    let gone: Value = serde_json::from_str(&receipt[0]).expect("JSON");
    let gone = gone.to_string();
    assert!(["a1", "a2", "\"d\""].iter().all(|id| gone.contains(id)) && !gone.contains("b1"), "{gone}");
    assert_eq!(left(), ["b1"]);
    let found = home.call(SPACE, "recall", r#"{"query": "how does Acme pay, by transfer or by invoice?"}"#);
    assert!(!found.expect("answers").concat().contains("Acme"), "nothing of it is found");
}
