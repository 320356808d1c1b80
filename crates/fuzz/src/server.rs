//! The server on loopback: HTTP and MCP over one connection that is kept, with keys that allow little.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;

use idetic_server::{Listening, serve};
use serde_json::json;

use crate::home::{AGENT, Home};

/// How long an answer may take: longer is a hang.
const PATIENCE: Duration = Duration::from_secs(20);
/// Most headers of a request here.
const HEADERS_MAX: usize = 16;
/// Longest answer that is read.
const ANSWER_MAX_BYTES: u64 = 64 << 20;
/// Headers that say how a message is framed, or that the connection becomes something else: those are the client's own.
/// A compressed answer could not be looked through.
const FRAMING: [&str; 8] =
    ["accept-encoding", "connection", "content-length", "expect", "host", "te", "transfer-encoding", "upgrade"];

/// A server that runs as long as the process.
pub struct Door {
    home: Home,
    address: SocketAddr,
    /// Keys of somebody who may read, and of an agent that may write.
    keys: [String; 2],
}

static DOOR: LazyLock<Door> = LazyLock::new(|| {
    let home = Home::new();
    let keys = [
        json!({"name": "reader", "user": "ann", "scope": "read"}),
        json!({"name": "writer", "user": "ann", "agent": AGENT}),
    ];
    let keys = keys.map(|arguments| home.key(&arguments));
    let service = Arc::clone(&home.service);
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        runtime.expect("a runtime").block_on(async {
            let listening = Listening::on(SocketAddr::from(([127, 0, 0, 1], 0)), &service).await.expect("it listens");
            tell.send(listening.address()).expect("somebody waits");
            serve(listening, service, std::future::pending()).await.expect("it serves");
        });
    });
    Door { home, address: told.recv().expect("it listens"), keys }
});

static CONNECTION: LazyLock<Mutex<Connection>> = LazyLock::new(|| Mutex::new(Connection::new()));

/// What came back.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub text: String,
}

/// A client that keeps its connection.
pub struct Connection(Option<BufReader<TcpStream>>);

impl Connection {
    /// One that is opened when it is first needed.
    pub fn new() -> Self {
        Self(None)
    }

    /// Sends a request: its head as lines, the first with method and path, and its body.
    pub fn ask(&mut self, head: &str, body: &[u8]) -> Answer {
        let mut lines = head.lines();
        let first = lines.next().unwrap_or_default();
        let (method, path) = first.split_once(' ').unwrap_or(("GET", first));
        let mut message = format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n", body.len());
        for line in lines.take(HEADERS_MAX) {
            let name = line.split(':').next().unwrap_or_default().trim().to_ascii_lowercase();
            if !FRAMING.contains(&name.as_str()) {
                message.push_str(line);
                message.push_str("\r\n");
            }
        }
        message.push_str("\r\n");
        let mut bytes = message.into_bytes();
        bytes.extend_from_slice(body);
        let was_open = self.0.is_some();
        match self.exchange(&bytes, method) {
            Some(answer) => answer,
            // The server may have closed a connection that lay idle.
            None if was_open => self.exchange(&bytes, method).unwrap_or(Answer { status: 0, text: String::new() }),
            None => Answer { status: 0, text: String::new() },
        }
    }

    fn exchange(&mut self, bytes: &[u8], method: &str) -> Option<Answer> {
        let stream = match self.0.take() {
            Some(stream) => stream,
            None => {
                let stream = TcpStream::connect(DOOR.address).expect("the server listens");
                stream.set_nodelay(true).and(stream.set_read_timeout(Some(PATIENCE))).expect("limits can be set");
                BufReader::new(stream)
            }
        };
        let mut stream = stream;
        stream.get_mut().write_all(bytes).ok()?;
        let mut head = String::new();
        loop {
            let before = head.len();
            let read = stream.read_line(&mut head).inspect_err(|error| is_no_hang(error, bytes)).ok()?;
            if read == 0 {
                return None;
            }
            if head[before..].trim().is_empty() {
                break;
            }
        }
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        let header = |name: &str| {
            let lines = head.lines().filter_map(|line| line.split_once(':'));
            lines
                .filter(|(own, _)| own.eq_ignore_ascii_case(name))
                .map(|(_, value)| value.trim().to_ascii_lowercase())
                .next()
        };
        let mut body = Vec::new();
        let has_body = method != "HEAD" && !matches!(status, 204 | 304) && status >= 200;
        let mut is_kept = header("connection").is_none_or(|value| value != "close") && status >= 200;
        if !has_body {
        } else if header("transfer-encoding").is_some() {
            read_chunks(&mut stream, &mut body).inspect_err(|error| is_no_hang(error, bytes)).ok()?;
        } else if let Some(length) = header("content-length").and_then(|length| length.parse::<u64>().ok()) {
            let length = length.min(ANSWER_MAX_BYTES);
            (&mut stream).take(length).read_to_end(&mut body).inspect_err(|error| is_no_hang(error, bytes)).ok()?;
        } else {
            is_kept = false;
            (&mut stream).take(ANSWER_MAX_BYTES).read_to_end(&mut body).ok()?;
        }
        if is_kept {
            self.0 = Some(stream);
        }
        Some(Answer { status, text: head + &String::from_utf8_lossy(&body) })
    }
}

fn is_no_hang(error: &std::io::Error, bytes: &[u8]) {
    let hangs = matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut);
    assert!(!hangs, "the server hangs on {:?}", String::from_utf8_lossy(bytes));
}

fn read_chunks(stream: &mut BufReader<TcpStream>, body: &mut Vec<u8>) -> std::io::Result<()> {
    loop {
        let mut line = String::new();
        stream.read_line(&mut line)?;
        let size = u64::from_str_radix(line.trim(), 16).unwrap_or(0);
        stream.take(size.min(ANSWER_MAX_BYTES)).read_to_end(body)?;
        stream.read_line(&mut line)?;
        if size == 0 {
            return Ok(());
        }
    }
}

/// Sends a request with a key in the place of its mark, and holds the answer against what nobody may be shown.
fn asked(data: &[u8], head: &str, body: &[u8]) {
    let [reader, writer] = &DOOR.keys;
    let is_reader = head.contains("@READER@");
    let head = head.replace("@READER@", reader).replace("@WRITER@", writer);
    // A log that is followed has no end.
    if head.to_ascii_lowercase().contains("event-stream") && !head.starts_with("POST /mcp") {
        return;
    }
    let answer = CONNECTION.lock().unwrap_or_else(PoisonError::into_inner).ask(&head, body);
    assert_ne!(answer.status, 500, "the server has a fault: {answer:?}");
    let secrets = &DOOR.home.secrets;
    DOOR.home.check(data, &answer.text, if is_reader { &secrets[..1] } else { secrets });
    for key in &DOOR.keys {
        assert!(!answer.text.contains(key.as_str()), "an answer holds a key: {answer:?}");
    }
}

/// Any request: method and path, headers, an empty line, and the body. `@READER@` and `@WRITER@` stand for keys.
pub fn http(data: &[u8]) {
    let end = data.windows(2).position(|pair| pair == b"\n\n");
    let (head, body) = end.map_or((data, &[][..]), |end| (&data[..end], &data[end + 2..]));
    let Ok(head) = std::str::from_utf8(head) else { return };
    // A line without an end, or one that is no header, is for the library below to refuse.
    if head.is_empty() || head.contains(['\r', '\0']) {
        return;
    }
    asked(data, head, body);
}

/// Any message of the Model Context Protocol. The first byte chooses who asks, and for which tools.
pub fn mcp(data: &[u8]) {
    let Some((choice, message)) = data.split_first() else { return };
    let key = ["@READER@", "@WRITER@"][usize::from(*choice) % 2];
    let profile = ["", "?profile=full", "?profile=search", "?profile=x"][usize::from(*choice) / 2 % 4];
    let head = format!(
        "POST /mcp{profile}\nAuthorization: Bearer {key}\nContent-Type: application/json\n\
         Accept: application/json, text/event-stream\nMCP-Protocol-Version: 2025-06-18"
    );
    asked(data, &head, message);
}
