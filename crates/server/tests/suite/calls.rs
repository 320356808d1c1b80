//! Calls: answers and errors, pages, names for calls, packed bodies, streams, limits.

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

use super::stage::Stage;

fn events(count: usize) -> Value {
    let event = |n| json!({"id": format!("e{n}"), "kind": "user_input", "content": format!("word {n}")});
    json!({"events": (0..count).map(event).collect::<Vec<_>>()})
}

#[test]
fn an_event_is_stored_as_it_was_sent() {
    let stage = Stage::new();
    let key = stage.admin();
    let body =
        r#"{"events":[{"kind":"user_input","content":"x","metadata":{"big":12345678901234567890123,"z":1.50,"a":1}}]}"#;
    let headers = [("Authorization", &*format!("Bearer {key}"))];
    assert_eq!(stage.send("POST", "/v1/append", &headers, body.as_bytes()).status, 200);
    let log = stage.post("/v1/log", &key, &json!({}));
    assert!(log.body.contains(r#"{"big":12345678901234567890123,"z":1.50,"a":1}"#), "{log:?}");
}

#[test]
fn wrong_input_is_an_answer_with_what_to_do() {
    let stage = Stage::new();
    let key = stage.admin();
    let auth = format!("Bearer {key}");
    for (path, body, status) in [
        ("/v1/get", "{\"event\":\"x\"}", 404),
        ("/v1/log?page_size=0", "{}", 400),
        ("/v1/append", "", 400),
        ("/v1/append", "[]", 400),
        ("/v1/append", "{\"events\":[{\"kind\":\"nonsense\"}]}", 400),
        ("/v1/remember", "{\"text\":\"x\",\"banana\":1}", 400),
        ("/v1/remember", "{\"text\":", 400),
        ("/v1/fact/get", "{}", 400),
        ("/v1/log?banana=1", "{}", 400),
    ] {
        let answer = stage.send("POST", path, &[("Authorization", &auth)], body.as_bytes());
        assert_eq!(answer.status, status, "{path} {body}: {answer:?}");
        assert!(answer.json()["error"]["message"].is_string(), "{answer:?}");
    }
    let log = stage.post("/v1/log", &key, &json!({})).ok();
    assert_eq!(log["items"], json!([]), "what was refused left nothing");
    assert_eq!(stage.post("/v1/log?cursor=zz", &key, &json!({})).status, 400);
    assert_eq!(stage.post("/v1/recall", &key, &json!({"query": "x", "banana": 1})).status, 400);
    let late = json!({"events": [{"kind": "user_input", "content": "late"}], "expect": 7});
    assert_eq!(stage.post("/v1/append", &key, &late).status, 409);
}

#[test]
fn a_long_list_is_read_in_pages_without_a_seam() {
    let stage = Stage::new();
    let (admin, bot) = (stage.admin(), stage.key(&json!({"name": "bot", "agent": "bot"})));
    let acks = stage.post("/v1/append", &admin, &events(250)).ok();
    assert_eq!(acks["items"].as_array().map(Vec::len), Some(250), "every event is acknowledged");
    for n in 0..30 {
        stage.post("/v1/fact/store", &admin, &json!({"text": format!("ship {n} is {n} years old")})).ok();
    }
    for (path, key, size, expected) in
        [("/v1/log", &admin, 60, 280), ("/v1/log", &bot, 7, 280), ("/v1/fact/list", &admin, 7, 30)]
    {
        let (mut seen, mut cursor, mut pages) = (Vec::new(), String::new(), 0);
        loop {
            let answer = stage.post(&format!("{path}?page_size={size}{cursor}"), key, &json!({})).ok();
            let items = answer["items"].as_array().expect("items").clone();
            assert!(items.len() <= size);
            seen.extend(
                items
                    .iter()
                    .map(|item| item["id"].as_str().or(item["fact_id"].as_str()).unwrap_or_default().to_owned()),
            );
            pages += 1;
            // What comes meanwhile must not move what is read.
            if path == "/v1/log" && pages == 2 {
                stage.post("/v1/remember", &stage_key(&stage), &json!({"text": "later"})).ok();
            }
            match answer["next"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => break,
            }
        }
        let distinct: HashSet<&String> = seen.iter().collect();
        assert_eq!(distinct.len(), seen.len(), "{path}: one came twice");
        assert!(seen.len() >= expected, "{path}: {} of {expected}", seen.len());
    }
}

fn stage_key(stage: &Stage) -> String {
    static COUNT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    let n = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    stage.key(&json!({"name": format!("later {n}")}))
}

#[test]
fn a_call_with_a_name_is_carried_out_once() {
    let stage = Stage::new();
    let key = format!("Bearer {}", stage.admin());
    let call = |stage: &Stage, path: &str, body: &str| {
        stage.send("POST", path, &[("Authorization", &key), ("Idempotency-Key", "call-1")], body.as_bytes())
    };
    let append = r#"{"events":[{"kind":"user_input","content":"once"},{"kind":"user_input","content":"twice"}]}"#;
    let first = call(&stage, "/v1/append", append).ok();
    assert_eq!(call(&stage, "/v1/append", append).ok(), first);
    let fact = r#"{"text":"the sky is blue"}"#;
    assert_eq!(call(&stage, "/v1/fact/store", fact).ok(), call(&stage, "/v1/fact/store", fact).ok());
    assert_eq!(call(&stage, "/v1/append", r#"{"events":[]}"#).status, 409, "something else under that name");
    let count = stage.post("/v1/log", key.trim_start_matches("Bearer "), &json!({})).ok();
    assert_eq!(count["items"].as_array().map(Vec::len), Some(3));
    // A server that forgot its answers still adds nothing.
    std::fs::remove_dir_all(stage.folder.path().join("idempotency")).expect("they were kept");
    let again = stage.again();
    assert_eq!(call(&again, "/v1/append", append).ok(), first);
}

#[test]
fn bodies_may_be_packed_and_are_held_to_the_limit_unpacked() {
    let stage = Stage::with("[server]\nmax_body_bytes = 100000\n", None, false);
    let key = format!("Bearer {}", stage.admin());
    let send = |body: &[u8]| {
        let headers = [("Authorization", &*key), ("Content-Encoding", "gzip"), ("Accept-Encoding", "identity")];
        stage.send("POST", "/v1/append", &headers, body)
    };
    let packed = |text: &str| {
        let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        writer.write_all(text.as_bytes()).and_then(|()| writer.finish()).expect("packed")
    };
    assert_eq!(send(&packed(r#"{"events":[{"kind":"user_input","content":"packed"}]}"#)).status, 200);
    let bomb = packed(&format!(r#"{{"events":[{{"kind":"user_input","content":"{}"}}]}}"#, "0".repeat(50 << 20)));
    assert!(bomb.len() < 100_000);
    assert_eq!(send(&bomb).status, 413);
    assert_eq!(send(b"not gzip").status, 400);
    let plain = [("Authorization", &*key)];
    assert_eq!(stage.send("POST", "/v1/append", &plain, &vec![b' '; 100_001]).status, 413);
    let headers = [("Authorization", &*key), ("Accept-Encoding", "gzip")];
    let answer = stage.send("GET", "/openapi.json", &headers, b"");
    assert_eq!(answer.header("content-encoding"), Some("gzip"));
}

#[test]
fn a_log_is_followed_as_events_come() {
    let stage = Stage::new();
    let key = stage.admin();
    stage.post("/v1/append", &key, &events(3)).ok();
    let mut stream = TcpStream::connect(stage.address).expect("it listens");
    stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a limit");
    let head = format!(
        "POST /v1/log HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {key}\r\nAccept: text/event-stream\r\n\
         Last-Event-ID: 1\r\nContent-Length: 2\r\n\r\n{{}}",
        stage.address
    );
    stream.write_all(head.as_bytes()).expect("sent");
    let mut ids = Vec::new();
    let mut lines = BufReader::new(stream).lines();
    while ids.len() < 4 {
        let line = lines.next().expect("more").expect("in time");
        if let Some(data) = line.strip_prefix("data: ") {
            let event: Value = serde_json::from_str(data).expect("JSON");
            ids.push(event["id"].as_str().expect("an id").to_owned());
            if ids.len() == 2 {
                let later =
                    json!({"events": [{"id": "later", "kind": "user_input"}, {"id": "last", "kind": "user_input"}]});
                stage.post("/v1/append", &key, &later).ok();
            }
        }
    }
    assert_eq!(ids, ["e1", "e2", "later", "last"]);
}

#[test]
fn a_check_of_the_log_says_how_far_it_is() {
    let stage = Stage::new();
    let key = stage.admin();
    stage.post("/v1/append", &key, &events(3)).ok();
    let key = format!("Bearer {key}");
    let headers = [("Authorization", key.as_str()), ("Accept", "text/event-stream")];
    let streamed = stage.send("POST", "/v1/verify", &headers, b"{}").body;
    let progress = streamed.find("event: progress\ndata: {\"done\":").expect("how far it is");
    let verdict = streamed.find("\"ok\":true").expect("what came of it");
    assert!(progress < verdict && streamed.contains("event: done"), "{streamed}");
}

#[test]
fn a_filtered_log_is_followed_and_goes_on_where_it_was_left() {
    let stage = Stage::new();
    let key = stage.admin();
    let append = |ids: &[&str]| {
        let events: Vec<Value> = ids
            .iter()
            .map(|id| json!({"id": id, "kind": "user_input", "metadata": {"vip": id.starts_with("vip")}}))
            .collect();
        stage.post("/v1/append", &key, &json!({"events": events})).ok();
    };
    // The events of a stream from a number on, until there are so many.
    let follow = |last: &str, count: usize, then: &dyn Fn()| {
        let body = r#"{"filter":{"metadata.vip":true}}"#;
        let mut stream = TcpStream::connect(stage.address).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a limit");
        let head = format!(
            "POST /v1/log HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {key}\r\nAccept: text/event-stream\r\n\
             Last-Event-ID: {last}\r\nContent-Length: {}\r\n\r\n{body}",
            stage.address,
            body.len()
        );
        stream.write_all(head.as_bytes()).expect("sent");
        let (mut ids, mut reached) = (Vec::new(), String::new());
        let mut lines = BufReader::new(stream).lines();
        while ids.len() < count {
            let line = lines.next().expect("more").expect("in time");
            if let Some(number) = line.strip_prefix("id: ") {
                number.clone_into(&mut reached);
            }
            if let Some(data) = line.strip_prefix("data: ") {
                let event: Value = serde_json::from_str(data).expect("JSON");
                ids.push(event["id"].as_str().expect("an id").to_owned());
                if ids.len() == 1 {
                    then();
                }
            }
        }
        (ids, reached)
    };
    append(&["one", "vip-1", "two"]);
    let (ids, reached) = follow("0", 2, &|| append(&["three", "vip-2"]));
    assert_eq!(ids, ["vip-1", "vip-2"]);
    append(&["four", "vip-3"]);
    assert_eq!(follow(&reached, 1, &|| {}).0, ["vip-3"]);
}

#[test]
fn a_key_may_ask_so_often_and_no_more() {
    let stage = Stage::with("[server]\nrequests_per_second = 5\n", None, false);
    let (one, other) = (stage.key(&json!({"name": "one"})), stage.key(&json!({"name": "other"})));
    let answers: Vec<_> = (0..40).map(|_| stage.post("/v1/ops", &one, &json!({}))).collect();
    let refused: Vec<_> = answers.iter().filter(|answer| answer.status == 429).collect();
    assert!(!refused.is_empty() && refused.iter().all(|answer| answer.header("retry-after").is_some()));
    assert_eq!(stage.post("/v1/ops", &other, &json!({})).status, 200);
}

#[test]
fn a_trace_of_the_caller_is_the_workflow_of_what_is_written() {
    let stage = Stage::new();
    let key = format!("Bearer {}", stage.admin());
    let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    let parent = format!("00-{trace}-00f067aa0ba902b7-01");
    let headers = [("Authorization", &*key), ("traceparent", &*parent)];
    assert_eq!(stage.send("POST", "/v1/remember", &headers, br#"{"text":"x"}"#).status, 200);
    let log = stage.post("/v1/log", key.trim_start_matches("Bearer "), &json!({})).ok();
    assert_eq!(log["items"][0]["trace_id"], trace);
}

#[test]
fn an_otlp_export_becomes_events_once() {
    let stage = Stage::new();
    let (key, bot) = (stage.admin(), stage.key(&json!({"name": "bot", "agent": "bot"})));
    let data = |name: &str| {
        let file = format!("{}/../otlp/tests/data/{name}", env!("CARGO_MANIFEST_DIR"));
        let mut bytes = Vec::new();
        std::fs::File::open(&file)
            .and_then(|mut f| f.read_to_end(&mut bytes))
            .unwrap_or_else(|e| panic!("{file}: {e}"));
        bytes
    };
    let send = |key: &str, kind: &str, body: &[u8]| {
        let key = format!("Bearer {key}");
        stage.send("POST", "/v1/traces", &[("Authorization", &key), ("Content-Type", kind)], body)
    };
    let count = || {
        let log = stage.post("/v1/log?page_size=1000", &key, &json!({})).ok();
        log["items"].as_array().map(Vec::len).unwrap_or_default()
    };
    let (name, kind) = first_export();
    let export = data(&name);
    assert_eq!(send(&key, kind, &export).status, 200);
    let events = count();
    assert!(events > 0, "nothing was taken from {name}");
    assert_eq!(send(&key, kind, &export).status, 200);
    assert_eq!(count(), events, "sent again, it adds nothing");
    assert_eq!(send(&key, "application/json", b"{\"resourceSpans\":7}").status, 400);
    assert_eq!(send(&key, "application/x-protobuf", b"\xff\xff\xff").status, 400);
    assert_eq!(send(&bot, kind, &export).status, 200, "what is another agent's is told as rejected");
}

fn first_export() -> (String, &'static str) {
    let folder = format!("{}/../otlp/tests/data", env!("CARGO_MANIFEST_DIR"));
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .expect("exports")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.ends_with(".pb") || name.ends_with(".bin"))
        .collect();
    names.sort();
    (names.into_iter().next().expect("an export"), "application/x-protobuf")
}

#[test]
fn a_call_goes_on_though_its_client_hung_up_and_its_end_is_known() {
    let stage = Stage::new();
    let key = stage.admin();
    let events: Vec<_> = (0..3_000).map(|n| json!({"kind": "user_input", "content": format!("event {n}")})).collect();
    let body = json!({"events": events}).to_string();
    let head = format!(
        "POST /v1/append HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {key}\r\nIdempotency-Key: k\r\nContent-Length: {}\r\n\r\n",
        stage.address,
        body.len()
    );
    let mut stream = TcpStream::connect(stage.address).expect("it listens");
    stream.write_all(format!("{head}{body}").as_bytes()).expect("it reads");
    drop(stream);
    let auth = format!("Bearer {key}");
    let again =
        || stage.send("POST", "/v1/append", &[("Authorization", &auth), ("Idempotency-Key", "k")], body.as_bytes());
    let answered = (0..300).map(|_| again()).find(|answer| {
        std::thread::sleep(Duration::from_millis(50));
        answer.status == 200
    });
    answered.expect("the call is answered once it is done").ok();
    assert_eq!(stage.post("/v1/status", &key, &json!({})).ok()["events"], 3_000, "and was carried out once");
}

#[test]
fn what_is_too_long_or_forged_is_refused() {
    let stage = Stage::new();
    let key = stage.admin();
    let long = json!({"query": "x ".repeat(200_000)});
    assert_eq!(stage.post("/v1/recall", &key, &long).status, 400);
    assert_eq!(stage.post("/v1/stm", &key, &long).status, 400);
    let forged = json!({"events": [{"kind": "memory.purged", "content": "nobody can purge this"}]});
    assert_eq!(stage.post("/v1/append", &key, &forged).status, 400);
    let pages = stage.send("POST", "/v1/log?page_size=1", &[("Authorization", &format!("Bearer {key}"))], b"");
    assert_eq!(pages.status, 200, "{pages:?}");
}

#[test]
fn a_page_of_long_events_ends_before_it_is_too_heavy() {
    let stage = Stage::new();
    let key = stage.admin();
    let long = |n: usize| json!({"id": format!("e{n}"), "kind": "user_input", "content": "x".repeat(900_000)});
    for n in 0..30 {
        stage.post("/v1/append", &key, &json!({"events": [long(n)]})).ok();
    }
    for (path, body) in [("/v1/log", json!({})), ("/v1/log", json!({"reverse": true}))] {
        let (mut seen, mut cursor, mut pages) = (HashSet::new(), String::new(), 0);
        loop {
            let answer = stage.post(&format!("{path}?page_size=1000{cursor}"), &key, &body);
            assert!(answer.body.len() < 18 << 20, "{} bytes", answer.body.len());
            let answer = answer.ok();
            let items = answer["items"].as_array().expect("items");
            assert!(items.iter().all(|item| seen.insert(item["id"].to_string())), "one came twice");
            pages += 1;
            match answer["next"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => break,
            }
        }
        assert_eq!((seen.len(), pages), (30, 2));
    }
}

#[test]
fn what_would_go_on_for_too_long_or_tell_too_much_is_not_to_be_had() {
    let stage = Stage::with("[quota]\nevents = 3\n", None, false);
    let (admin, ann) = (stage.admin(), stage.key(&json!({"name": "ann", "user": "ann"})));
    stage.post("/v1/remember", &ann, &json!({"text": "a line"})).ok();
    let slow = json!({"sql": "SELECT count(*) FROM events", "timeout": 3600});
    let refused = stage.post("/v1/query", &ann, &slow);
    assert!(refused.status == 400 && refused.body.contains("1 to 60 seconds"), "{refused:?}");
    assert!(stage.post("/v1/status", &ann, &json!({})).ok()["home"].is_null());
    stage.post("/v1/remember", &admin, &json!({"text": "a line"})).ok();
    assert!(stage.post("/v1/status", &admin, &json!({})).ok()["home"].is_string());
    // Whatever it is called, it takes room.
    let more = |kind: &str, content: &str| json!({"events": [{"kind": kind, "content": content}]});
    stage.post("/v1/append", &ann, &more("log.x", "second")).ok();
    stage.post("/v1/append", &ann, &more("graph.x", "third")).ok();
    for kind in ["user_input", "model.x", "memory.x"] {
        let full = stage.post("/v1/append", &ann, &more(kind, "fourth"));
        assert!(full.status == 422 && full.body.contains("3 of 3 events"), "{full:?}");
    }
    let again = [("Authorization", &*format!("Bearer {ann}")), ("Idempotency-Key", "once")];
    let call = || stage.send("POST", "/v1/remember", &again, br#"{"text": "fourth"}"#);
    assert_eq!(call().status, 422);
    // With room it is carried out: nothing was.
    stage.operate("purge", &json!({"user": "ann", "yes": true}));
    call().ok();
}

#[test]
fn whoever_follows_many_logs_leaves_some_to_others() {
    let stage = Stage::new();
    let (one, other) = (stage.key(&json!({"name": "one"})), stage.key(&json!({"name": "other"})));
    stage.operate("remember", &json!({"text": "a line"}));
    let follow = |key: &str| {
        let mut stream = TcpStream::connect(stage.address).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a limit");
        let request = format!(
            "POST /v1/log HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {key}\r\nAccept: text/event-stream\r\n\
             Content-Length: 2\r\n\r\n{{}}",
            stage.address
        );
        stream.write_all(request.as_bytes()).expect("sent");
        let mut reader = BufReader::new(stream);
        let mut status = String::new();
        reader.read_line(&mut status).expect("an answer");
        (status.contains(" 200 "), reader)
    };
    let mut open = Vec::new();
    loop {
        match follow(&one) {
            (true, stream) => open.push(stream),
            (false, _) => break,
        }
        assert!(open.len() < 256, "one key has them all");
    }
    assert!(open.len() > 100, "{}", open.len());
    assert!(follow(&other).0, "there is none for another key");
}

#[test]
fn whoever_says_nothing_is_hung_up_on() {
    let stage = Stage::with("[server]\nread_timeout_seconds = 1\n", None, false);
    for begin in [&b""[..], b"P", b"GET / HTTP/1.1\r\nHost:", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"] {
        let start = std::time::Instant::now();
        stage.raw(begin);
        assert!(start.elapsed() < Duration::from_secs(10), "{begin:?}");
    }
}
