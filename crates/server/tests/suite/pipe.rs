//! MCP over a pipe: everything that was read is carried out and answered before the end.

use std::collections::HashSet;
use std::sync::Arc;

use idetic_ops::Grant;
use idetic_server::{Principal, Profile, over_pipe};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::watch;

use super::stage::{Stage, service};

const REQUESTS: usize = 300;

fn lines() -> String {
    let hello =
        json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let mut lines = vec![
        json!({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": hello}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
    ];
    lines.extend((0..REQUESTS).map(|n| {
        let params = json!({"name": "remember", "arguments": {"text": format!("line {n}")}});
        json!({"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": params})
    }));
    // As `printf` writes it: nothing stands behind the last.
    lines.iter().map(Value::to_string).collect::<Vec<_>>().join("\n")
}

/// What is answered to lines that are written at once, and how many events there are then.
fn answered(text: String, stop_after: Option<usize>) -> (HashSet<String>, u64) {
    let stage = Stage::new();
    let server = Arc::new(service(&stage.memory, None, false));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let answers = runtime.expect("a runtime").block_on(async move {
        let (mut to, input) = tokio::io::duplex(1 << 20);
        let (output, mut from) = tokio::io::duplex(1 << 10);
        let (stop, stopping) = watch::channel(false);
        let profile = Profile::named("default").expect("a profile");
        let who = Principal::local(Grant::default());
        let served = over_pipe(server, who, profile, None, (input, output), stopping);
        to.write_all(text.as_bytes()).await.expect("it reads");
        // Where it is told to stop, its input stays open.
        let open = match stop_after {
            None => {
                drop(to);
                None
            }
            Some(_) => Some(to),
        };
        let heard = async {
            let (mut said, mut buffer) = (Vec::new(), vec![0; 4 << 10]);
            loop {
                match from.read(&mut buffer).await.expect("it writes") {
                    0 => return said,
                    count => said.extend_from_slice(&buffer[..count]),
                }
                if stop_after.is_some_and(|after| said.iter().filter(|byte| **byte == b'\n').count() >= after) {
                    stop.send_replace(true);
                }
            }
        };
        let (done, said) = tokio::join!(served, heard);
        done.expect("it ends well");
        drop(open);
        String::from_utf8(said).expect("text")
    });
    let ids = answers.lines().map(|line| {
        let answer: Value = serde_json::from_str(line).expect("JSON");
        assert!(answer["result"].is_object() && answer["result"]["isError"] != true, "{answer}");
        answer["id"].to_string()
    });
    let ids = ids.collect();
    let events = stage.post("/v1/status", &stage.admin(), &json!({}));
    (ids, events.json()["events"].as_u64().unwrap_or(0))
}

#[test]
fn every_request_before_the_end_of_the_input_is_carried_out_and_answered() {
    let (answers, events) = answered(lines(), None);
    assert_eq!((answers.len(), events), (REQUESTS + 1, REQUESTS as u64), "and the greeting");
}

#[test]
fn whoever_is_told_to_stop_answers_what_it_had_begun() {
    let (answers, events) = answered(lines(), Some(20));
    assert!(answers.len() >= 20, "{}", answers.len());
    assert_eq!(answers.len() as u64, events + 1, "each that was carried out is answered, and the greeting");
}
