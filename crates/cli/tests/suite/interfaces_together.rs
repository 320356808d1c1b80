//! Server, MCP over standard input and command line in one home at once: nobody fails, nothing is lost, each sees the others.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::mcp::{Served, Spoken};
use super::place::{Place, json_lines, number, say};

const LASTS: Duration = Duration::from_secs(5);

/// One face: keeps a text under an id, and gives an event by its id.
trait Interface {
    fn keep(&mut self, id: &str);
    fn text(&mut self, id: &str) -> Value;
}

struct Http(String);

impl Http {
    fn post(&self, route: &str, body: &Value) -> Value {
        use std::io::{Read, Write};
        let address = self.0.strip_prefix("http://").expect("a plain address");
        let mut stream = std::net::TcpStream::connect(address).expect("it listens");
        let body = body.to_string();
        let head = format!(
            "POST /v1/{route} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Length: {}",
            body.len()
        );
        write!(stream, "{head}\r\n\r\n{body}").expect("it reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers");
        let (head, body) = answer.split_once("\r\n\r\n").expect("an answer");
        assert!(head.starts_with("HTTP/1.1 200"), "{route}: {answer}");
        serde_json::from_str(body).unwrap_or_else(|error| panic!("not JSON ({error}): {answer}"))
    }
}

impl Interface for Http {
    fn keep(&mut self, id: &str) {
        self.post("remember", &json!({"text": format!("text of {id}"), "id": id}));
    }
    fn text(&mut self, id: &str) -> Value {
        self.post("get", &json!({"event": id}))["content"].clone()
    }
}

impl Interface for Spoken {
    fn keep(&mut self, id: &str) {
        self.call("remember", json!({"text": format!("text of {id}"), "id": id}));
    }
    fn text(&mut self, id: &str) -> Value {
        self.call("get", json!({"event": id}))["content"].clone()
    }
}

struct Cli<'a>(&'a Place);

impl Cli<'_> {
    fn run(&self, arguments: &[&str]) -> Value {
        let answer = self.0.run(&[&["--json"], arguments].concat());
        assert_eq!((answer.code, answer.err.as_str()), (0, ""), "{arguments:?}");
        json_lines(&answer.out).remove(0)
    }
}

impl Interface for Cli<'_> {
    fn keep(&mut self, id: &str) {
        self.run(&["remember", &format!("text of {id}"), "--id", id]);
    }
    fn text(&mut self, id: &str) -> Value {
        self.run(&["get", id])["content"].clone()
    }
}

#[test]
fn server_mcp_and_command_line_share_a_home() {
    let place = Place::new();
    place.ok(&["remember", "the first of all"]);
    let served = Served::start(&place, &["--open"]);
    let interfaces: Vec<(&str, Box<dyn Interface + Send + '_>)> = vec![
        ("http", Box::new(Http(served.url.clone()))),
        ("mcp", Box::new(Spoken::start(&place, &[]))),
        ("cli", Box::new(Cli(&place))),
        ("http2", Box::new(Http(served.url.clone()))),
        ("mcp2", Box::new(Spoken::start(&place, &["--profile", "full"]))),
    ];
    let names: Vec<&str> = interfaces.iter().map(|(name, _)| *name).collect();
    // How many each has had acknowledged: all of these must be seen by everybody at once.
    let kept: Vec<AtomicUsize> = names.iter().map(|_| AtomicUsize::new(0)).collect();
    let end = Instant::now() + LASTS;
    let seen: usize = std::thread::scope(|scope| {
        let (names, kept) = (&names, &kept);
        let work = interfaces.into_iter().enumerate().map(|(own, (name, mut interface))| {
            scope.spawn(move || {
                let mut seen = 0;
                while Instant::now() < end {
                    let next = kept[own].load(Ordering::SeqCst);
                    interface.keep(&format!("{name}-{next}"));
                    kept[own].store(next + 1, Ordering::SeqCst);
                    for (other, count) in names.iter().zip(kept) {
                        let Some(last) = count.load(Ordering::SeqCst).checked_sub(1) else { continue };
                        let id = format!("{other}-{last}");
                        assert_eq!(interface.text(&id), format!("text of {id}"), "{name} does not see {id}");
                        seen += 1;
                    }
                }
                seen
            })
        });
        let work: Vec<_> = work.collect();
        work.into_iter().map(|thread| thread.join().expect("it did not fail")).sum()
    });
    let kept: Vec<usize> = kept.into_iter().map(AtomicUsize::into_inner).collect();
    place.verify();
    assert_eq!(place.events(), 1 + kept.iter().sum::<usize>() as u64, "nothing is lost and nothing twice");
    let log = place.lines(&["log", "--limit", "0"]);
    for (name, count) in names.iter().zip(&kept) {
        let own = log.iter().filter(|event| event["id"].as_str().is_some_and(|id| id.starts_with(&format!("{name}-"))));
        assert_eq!(own.count(), *count, "{name}");
    }
    let seqs: Vec<u64> = log.iter().map(|event| number(&event["seq"])).collect();
    assert_eq!(seqs, (1..=seqs.len() as u64).collect::<Vec<_>>());
    say(&format!(
        "figure: server, MCP and command line in one home for {LASTS:?}: {kept:?} events of {names:?}, {seen} looks at the others' last"
    ));
    assert!(kept.iter().all(|count| *count > 5), "{kept:?}");
}
