//! Servers that misbehave: always a clear error, never a hang.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::sync::mpsc::channel;
use std::time::Duration;

use idetic_tools::mcp::{McpClient, McpError, McpErrorKind, McpIdentity, McpLimits, McpServer};
use serde_json::{Value, json};

use super::{LIMITS, call, command, connect};
use crate::suite::python;

/// Too short for a server that would answer, but those that it is used with never do.
const SHORT: Duration = Duration::from_millis(300);

fn odd(mode: &str) -> McpServer {
    command("python3", &[&python::script("odd.py"), mode])
}

fn connected(mode: &str) -> McpClient {
    connect(&odd(mode), LIMITS).expect("it connects")
}

fn refused(server: &McpServer, limits: McpLimits) -> McpError {
    let error = connect(server, limits).expect_err("it cannot be connected to");
    assert_eq!(error.kind, McpErrorKind::NotConnected, "{error}");
    error
}

#[test]
#[ignore = "needs Python: `cargo xtask ci` runs it"]
fn a_program_that_is_not_there() {
    let error = refused(&command("no-such-program", &[]), LIMITS);
    assert!(error.to_string().contains("no-such-program: cannot be started"), "{error}");
}

#[test]
#[ignore = "needs Python: `cargo xtask ci` runs it"]
fn a_server_that_never_answers() {
    let limits = McpLimits { connect: SHORT, ..LIMITS };
    assert!(refused(&odd("silent"), limits).message.contains("no answer within 300ms"));
    // Long enough for the second call, which is answered.
    let limits = McpLimits { call: Duration::from_secs(10), ..LIMITS };
    let client = connect(&odd("plain"), limits).expect("it connects");
    assert_eq!(call(&client, "never", json!({})).map_err(|error| error.kind), Err(McpErrorKind::TooSlow));
    assert_eq!(call(&client, "hello", json!({})).map(|answer| answer.text), Ok("hello".to_owned()));
}

#[test]
#[ignore = "needs Python: `cargo xtask ci` runs it"]
fn a_server_that_writes_garbage() {
    // Long enough for the garbage to come on a busy machine; a message never does.
    let limits = McpLimits { connect: Duration::from_secs(10), ..LIMITS };
    let error = refused(&odd("garbage"), limits);
    assert!(error.message.contains("2 lines it wrote are not messages"), "{error}");
    let client = connected("noisy");
    assert_eq!(call(&client, "hello", json!({})).map(|answer| answer.text), Ok("hello".to_owned()));
}

#[test]
#[ignore = "needs Python: `cargo xtask ci` runs it"]
fn a_server_that_ends_at_once() {
    let error = refused(&odd("dead"), LIMITS);
    assert!(error.message.contains("exit status: 1") && error.message.contains("no configuration"), "{error}");
}

#[test]
#[ignore = "needs Python: `cargo xtask ci` runs it"]
fn a_server_that_dies_in_a_call() {
    let McpServer::Command { program, arguments, mut env, folder } = odd("plain") else { unreachable!() };
    env.push(("TOKEN".to_owned(), "key-0123456789".to_owned()));
    let server = McpServer::Command { program, arguments, env, folder };
    let client = connect(&server, LIMITS).expect("it connects");
    let error = call(&client, "die", json!({})).expect_err("it dies");
    assert_eq!(error.kind, McpErrorKind::Gone, "{error}");
    assert!(error.message.contains("exit status: 3"), "{error}");
    assert!(error.message.contains("cannot go on with [TOKEN]"), "{error}");
    assert_eq!(call(&client, "hello", json!({})).map_err(|error| error.kind), Err(McpErrorKind::Gone));
    assert_eq!(client.tools().map_err(|error| error.kind), Err(McpErrorKind::Gone));
}

#[test]
#[ignore = "needs Python: `cargo xtask ci` runs it"]
fn a_server_that_refuses() {
    assert!(refused(&odd("refusing"), LIMITS).message.contains("go away"));
}

#[test]
#[ignore = "needs Python: `cargo xtask ci` runs it"]
fn an_answer_that_is_too_long_or_none() {
    let limits = McpLimits { answer_bytes: 100_000, ..LIMITS };
    let client = connect(&odd("plain"), limits).expect("it connects");
    assert_eq!(call(&client, "huge", json!({})).map_err(|error| error.kind), Err(McpErrorKind::TooMuch));
    assert_eq!(call(&client, "hello", json!({})).map(|answer| answer.text), Ok("hello".to_owned()));
    let error = call(&client, "shapeless", json!({})).expect_err("this is no answer");
    assert_eq!(error.kind, McpErrorKind::Wrong, "{error}");
}

#[test]
#[ignore = "needs Python: `cargo xtask ci` runs it"]
fn lists_of_tools() {
    let names = |client: &McpClient| -> Result<Vec<String>, McpErrorKind> {
        let tools = client.tools().map_err(|error| error.kind)?;
        Ok(tools.into_iter().map(|tool| tool.name).collect())
    };
    assert_eq!(names(&connected("pages")), Ok(["tool0", "tool1", "tool2"].map(str::to_owned).to_vec()));
    assert_eq!(names(&connected("endless")), Err(McpErrorKind::TooMuch));
    assert_eq!(names(&connected("many")), Err(McpErrorKind::TooMuch));
    let changing = connected("plain");
    assert_eq!(names(&changing), Ok(vec!["tool1".to_owned()]));
    assert_eq!(names(&changing), Ok(vec!["tool2".to_owned()]));
}

fn told(client: &McpClient, what: &str) -> Value {
    let answer = call(client, what, json!({})).expect("it answers");
    serde_json::from_str(&answer.text).expect("it answers in JSON")
}

#[test]
#[ignore = "needs Python: `cargo xtask ci` runs it"]
fn a_server_learns_who_we_are() {
    let ours = json!({ "name": "idetic", "version": env!("CARGO_PKG_VERSION") });
    let greeting = told(&connected("plain"), "who");
    assert_eq!(greeting["clientInfo"], ours);
    assert_eq!(greeting["protocolVersion"], "2025-11-25");
    let identity = McpIdentity { name: "other".to_owned(), version: "7".to_owned() };
    let client = McpClient::connect(&odd("plain"), LIMITS, &identity).expect("it connects");
    assert_eq!(told(&client, "who")["clientInfo"], json!({ "name": "other", "version": "7" }));
}

#[test]
#[ignore = "needs Python: `cargo xtask ci` runs it"]
fn a_server_that_knows_the_newest_revision_only() {
    let client = connected("modern");
    let meta = &told(&client, "who")["_meta"];
    assert_eq!(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28", "{meta}");
    assert_eq!(meta["io.modelcontextprotocol/clientInfo"]["name"], "idetic", "{meta}");
}

#[test]
#[ignore = "needs Python: `cargo xtask ci` runs it"]
fn a_child_gets_what_it_is_given_and_nothing_else() {
    let McpServer::Command { arguments, mut env, .. } = odd("plain") else { unreachable!() };
    // The program itself: what is called python3 may be a script that sets variables.
    let program = python::with_packages();
    env.push(("GIVEN".to_owned(), "1".to_owned()));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).canonicalize().expect("cargo makes it");
    let server = McpServer::Command { program, arguments, env, folder: Some(folder.clone()) };
    let client = connect(&server, LIMITS).expect("it connects");
    let environment = told(&client, "environment");
    let mut names: Vec<&String> = environment.as_object().expect("names and values").keys().collect();
    // Python sets this one itself where no locale is given.
    names.retain(|name| *name != "LC_CTYPE");
    assert_eq!(names, ["GIVEN", "PATH"]);
    assert_eq!(call(&client, "folder", json!({})).map(|answer| answer.text), Ok(folder.display().to_string()));
}

#[test]
#[ignore = "needs Python: `cargo xtask ci` runs it"]
fn a_child_ends_with_its_client_and_takes_with_it_what_it_started() {
    // The shell waits for its child, which stays although its input has ended: only killing the whole group ends both.
    // Both hold a named pipe, whose reader learns when the last of them is gone.
    let pipe = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("pipe-{}", std::process::id()));
    let made = Command::new("mkfifo").arg(&pipe).status().expect("mkfifo starts");
    assert!(made.success());
    let script = format!("exec 9>{}; python3 {} stubborn; :", pipe.display(), python::script("odd.py"));
    let (tell, end) = channel();
    let read = pipe.clone();
    std::thread::spawn(move || tell.send(std::fs::read(read)));
    let client = connect(&command("sh", &["-c", &script]), LIMITS).expect("it connects");
    assert_eq!(call(&client, "hello", json!({})).map(|answer| answer.text), Ok("hello".to_owned()));
    assert!(end.try_recv().is_err(), "both are there");
    drop(client);
    let read = end.recv_timeout(LIMITS.call).expect("nobody holds the pipe any more");
    assert_eq!(read.expect("the pipe can be read"), b"");
    std::fs::remove_file(pipe).expect("it is there");
}

/// Answers every request with the same.
fn web(answer: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("there is a port");
    let url = format!("http://{}/mcp", listener.local_addr().expect("it is bound"));
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.expect("the client connects");
            let mut reader = BufReader::new(stream.try_clone().expect("a stream has two ends"));
            let (mut line, mut length) = (String::new(), 0);
            while reader.read_line(&mut line).is_ok_and(|bytes| bytes > 2) {
                if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length: ") {
                    length = value.trim().parse().expect("a length is a number");
                }
                line.clear();
            }
            let mut body = vec![0; length];
            let _ = reader.read_exact(&mut body);
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    url
}

#[test]
#[ignore = "needs Python: `cargo xtask ci` runs it"]
fn addresses_where_no_server_is() {
    let page = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 9\r\nconnection: close\r\n\r\n<p>hi</p>";
    let closed = "HTTP/1.1 401 No\r\ncontent-length: 14\r\nconnection: close\r\n\r\nbad key 0123456";
    let moved = "HTTP/1.1 307 Away\r\nlocation: http://b.example/mcp\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    let broken = "HTTP/1.1 500 Oops\r\ncontent-length: 15\r\nconnection: close\r\n\r\nkey 0123456 bad";
    for (url, wanted) in [
        (web(page), "not a message of the protocol: <p>hi</p>"),
        (web(closed), "status 401: it requires a valid bearer token"),
        (web(moved), "http://b.example/mcp"),
        (web(broken), "status 500: key [key] bad"),
        (web(""), "cannot be reached"),
        ("ftp://a.example".to_owned(), "must begin with http://"),
        ("nonsense".to_owned(), "must begin with http://"),
    ] {
        let error = refused(&McpServer::Http { url, bearer: Some("0123456".to_owned()) }, LIMITS);
        assert!(error.message.contains(wanted), "{error}");
        assert!(!error.to_string().contains("0123456"), "{error}");
    }
}
