//! One home that held something and was purged, and one that never did: every answer is the same, and nowhere is a byte of it.
//! It came in through every door, and everything that keeps texts is looked into: files, what follows them, answers of the
//! server, the lines it logs, its memory.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::super::place::{Place, say};
use super::super::server::{Client, Server};
use super::doors::{SECRET, TRACE, fill, outside};
use super::search::Sought;

/// How long a server may take to let go of what others purged, and of connections that were closed.
const LETS_GO_WITHIN: Duration = Duration::from_secs(20);

/// Reading operations that are asked with arguments; all others are asked without.
fn questions(project: &str) -> Vec<(&'static str, Value)> {
    let mut asked = vec![
        ("get", json!({"event": "stays-c"})),
        ("get", json!({"event": "goes-c"})),
        ("trace", json!({"trace": "t-goes"})),
        ("trace", json!({"trace": "t-stays"})),
        (
            "query",
            json!({"sql": "SELECT kind, author, content FROM events WHERE kind <> 'memory.purged' ORDER BY ts, kind, content"}),
        ),
        ("graph", json!({"focus": "gate"})),
        ("note show", json!({"note": "note-stays"})),
        ("note show", json!({"note": "note-goes"})),
        ("note history", json!({"note": "note-goes"})),
        ("conversation show", json!({"conversation": "talk-stays"})),
        ("conversation show", json!({"conversation": "talk-goes"})),
        ("stm", json!({"query": "harbour"})),
    ];
    for query in ["harbour", "who likes tea?", SECRET, "quorvick at work", "gate", "the greeting", "failure"] {
        for operation in [
            "recall",
            "context",
            "fact retrieve",
            "episode retrieve",
            "note search",
            "advise",
            "md search",
            "md relevant",
        ] {
            let key = if operation == "advise" { "situation" } else { "query" };
            let mut arguments = json!({key: query});
            if operation.starts_with("md ") {
                arguments["project"] = json!(project);
            }
            asked.push((operation, arguments));
        }
    }
    asked
}

/// Of these the answer tells of the log itself, which a purge does not shorten, of this machine or of the moment; or lists
/// sessions and spans in which nobody is named, and which therefore stay.
const OF_THE_LOG: [&str; 21] = [
    "amem watch",
    "backup",
    "config show",
    "conversation list",
    "digest",
    "doctor",
    "export",
    "key list",
    "log",
    "ltm",
    "ops",
    "query",
    "session preview",
    "session show",
    "shown",
    "spaces",
    "stats",
    "status",
    "trace",
    "usage",
    "verify",
];

fn route(operation: &str) -> String {
    format!("/v1/{}", operation.replace(' ', "/"))
}

/// Every reading operation of the table, with arguments that make it say something.
fn all_questions(place: &Place, client: &mut Client) -> Vec<(String, Value)> {
    let table = client.post_in("local/default", "/v1/ops", &json!({}));
    let lines = table["items"].as_array().expect("a list").iter();
    let reading = lines.filter(|line| line["rights"] == "read").filter_map(|line| line["name"].as_str());
    let (project, folder) = (place.arg("project"), place.arg("memory"));
    let known = questions(&project);
    let plain = reading.filter(|name| *name != "amem watch").map(|name| {
        let arguments = match name.split(' ').next() {
            Some("md") => json!({"project": project}),
            Some("amem") => json!({"folder": folder}),
            _ => json!({}),
        };
        (name.to_owned(), arguments)
    });
    plain.chain(known.into_iter().map(|(name, arguments)| (name.to_owned(), arguments))).collect()
}

/// An answer without what differs between two homes that were told the same: times and ids that are made, numbers of the log.
fn comparable(answer: &str) -> String {
    let (status, body) = answer.split_at(3);
    let mut value: Value = serde_json::from_str(body.trim()).unwrap_or_else(|_| json!(body));
    without_made(&mut value);
    format!("{status} {value}")
}

fn without_made(value: &mut Value) {
    match value {
        Value::Object(map) => {
            // A changelog keeps its numbers, whatever goes.
            let of_changelog = ["created_evt", "last_evt"];
            let of_log = ["seq", "as_of", "horizon", "head", "score", "parts", "recency", "duration_ms", "total_ms"];
            for key in of_changelog.into_iter().chain(of_log) {
                map.remove(key);
            }
            map.values_mut().for_each(without_made);
        }
        Value::Array(list) => list.iter_mut().for_each(without_made),
        Value::String(text) => *text = without_made_words(text),
        _ => {}
    }
}

/// A text without times and ids: words of many digits.
fn without_made_words(text: &str) -> String {
    const LEAST_DIGITS: usize = 8;
    let is_part = |c: char| c.is_ascii_hexdigit() || "-:.TZ".contains(c);
    let mut kept = String::with_capacity(text.len());
    for piece in text.split_inclusive(|c| !is_part(c)) {
        let (word, end) = piece.split_at(piece.trim_end_matches(|c| !is_part(c)).len());
        let is_made = word.chars().filter(char::is_ascii_digit).count() >= LEAST_DIGITS;
        kept.push_str(if is_made { "" } else { word });
        kept.push_str(end);
    }
    kept
}

fn answers(place: &Place, server: &Server) -> Vec<(String, String)> {
    let mut client = server.client();
    let asked = all_questions(place, &mut client);
    let ask = |(operation, arguments): &(String, Value)| {
        let (status, body) = client.try_post(&route(operation), "", &arguments.to_string()).expect("an answer");
        (
            format!("{operation} {arguments}").replace(&place.arg(""), ""),
            format!("{status} {}", body.replace(&place.arg(""), "")),
        )
    };
    asked.iter().map(ask).collect()
}

/// What was asked is said again in an answer, and is not what is looked for.
fn without_question(question: &str, answer: &str) -> String {
    let (_, arguments) = question.split_once('{').unwrap_or_default();
    let arguments: Value = serde_json::from_str(&format!("{{{arguments}")).unwrap_or_default();
    let said = arguments.as_object().into_iter().flatten().filter_map(|(_, value)| value.as_str());
    said.fold(answer.to_owned(), |answer, said| answer.replace(said, ""))
}

/// Looks at the memory of a server until it is clean, or for long enough.
fn in_memory(sought: &Sought, server: &Server) -> Option<Vec<String>> {
    let begun = Instant::now();
    loop {
        let found = sought.in_memory(server.id())?;
        if found.is_empty() || begun.elapsed() > LETS_GO_WITHIN {
            return Some(found);
        }
        std::thread::sleep(Duration::from_millis(500));
    }
}

fn log_of(place: &Place) -> Server {
    Server::logging(place, &["--open"], &place.path("server.log"))
}

#[test]
fn a_purged_home_is_one_that_never_held_it() {
    let (held, never) = (Place::new(), Place::new());
    let (server, other) = (log_of(&held), log_of(&never));
    let sought = Sought::new(TRACE);
    fill(&held, &mut server.client(), true);
    fill(&never, &mut other.client(), false);
    let before = answers(&held, &server);
    let telling = before
        .iter()
        .filter(|(question, answer)| !sought.find(without_question(question, answer).as_bytes()).is_empty());
    let telling = telling.count();
    assert!(telling >= 20, "the questions would find it: {telling}");
    for place in [held.home(), held.path("memory"), held.path("project")] {
        assert!(!sought.in_files(&place).is_empty(), "{} should have it", place.display());
    }
    let looked_at =
        server.client().post_in("local/default", "/v1/purge", &json!({"matching": SECRET, "dry_run": true}));
    assert!(!sought.find(looked_at.to_string().as_bytes()).is_empty(), "a look shows it");
    let purged = server.client().post_in("local/default", "/v1/purge", &json!({"matching": SECRET, "yes": true}));
    assert_eq!(sought.find(purged.to_string().as_bytes()), Vec::<String>::new(), "the answer of a purge does not");
    for place in [&[held.home(), held.path("server.log")][..], &outside(&held)[..]].concat() {
        assert_eq!(sought.in_files(&place), Vec::<String>::new(), "{purged}");
    }
    assert_eq!(sought.find(&std::fs::read(held.path("server.log")).expect("it logs")), Vec::<String>::new());
    // Nobody is connected any more: now nothing that was said has a reason to be in its memory.
    match in_memory(&sought, &server) {
        None => say("skipped: the memory of another process cannot be read here"),
        Some(found) => assert_eq!(found, Vec::<String>::new(), "{} places in memory", found.len()),
    }
    let (ours, theirs) = (answers(&held, &server), answers(&never, &other));
    let mut differ = Vec::new();
    for ((question, answer), (asked, other)) in ours.iter().zip(&theirs) {
        assert_eq!(question, asked);
        let one = without_question(question, answer);
        assert_eq!(sought.find(one.as_bytes()), Vec::<String>::new(), "{question}");
        let operation = question.split(" {").next().unwrap_or_default();
        let is_named = question.contains("goes");
        if OF_THE_LOG.contains(&operation) || is_named {
            continue;
        }
        if comparable(answer) != comparable(other) {
            differ.push(format!("{question}\n  {}\n  {}", comparable(answer), comparable(other)));
        }
    }
    assert_eq!(differ, Vec::<String>::new());
    for place in [&[held.home()][..], &outside(&held)[..]].concat() {
        assert_eq!(sought.in_files(&place), Vec::<String>::new(), "after all was derived anew");
    }
    held.verify();
}

#[test]
fn a_server_lets_go_of_what_a_command_purged() {
    let place = Place::new();
    let server = log_of(&place);
    let sought = Sought::new(TRACE);
    fill(&place, &mut server.client(), true);
    answers(&place, &server);
    let purged = place.run(&["purge", "--matching", SECRET, "--yes"]);
    assert_eq!(purged.code, 0, "{purged:?}");
    match in_memory(&sought, &server) {
        None => say("skipped: the memory of another process cannot be read here"),
        Some(found) => assert_eq!(found, Vec::<String>::new(), "{} places in memory", found.len()),
    }
    for (question, answer) in answers(&place, &server) {
        assert_eq!(sought.find(without_question(&question, &answer).as_bytes()), Vec::<String>::new(), "{question}");
    }
}
