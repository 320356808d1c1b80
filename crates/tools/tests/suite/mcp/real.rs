//! A server made with the reference library, over both transports.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use idetic_tools::mcp::{McpClient, McpErrorKind, McpLimits, McpServer};
use serde_json::json;

use super::{LIMITS, call, command, connect};
use crate::suite::python;

/// A server on a port of its own.
struct Web {
    child: Child,
    url: String,
}

impl Web {
    fn start(arguments: &[&str]) -> Self {
        let mut command = Command::new(python::with_packages());
        command.arg(python::script("server.py")).arg("http").args(arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("Python starts");
        let mut port = String::new();
        let output = child.stdout.take().expect("it was asked for");
        BufReader::new(output).read_line(&mut port).expect("the server prints its port");
        let url = format!("http://127.0.0.1:{}/mcp", port.trim());
        Self { child, url }
    }

    fn server(&self) -> McpServer {
        McpServer::Http { url: self.url.clone(), bearer: None }
    }

    fn stop(&mut self) {
        self.child.kill().expect("it is our child");
        self.child.wait().expect("it is our child");
    }
}

impl Drop for Web {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn over_stdio() -> McpServer {
    command(&python::with_packages(), &[&python::script("server.py")])
}

/// What any good server's client can do.
fn works(client: &McpClient) {
    let tools = client.tools().expect("it lists its tools");
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["add", "echo", "slow", "fail", "big"]);
    assert_eq!(tools[0].description, "Adds two numbers.");
    assert_eq!(tools[0].schema["required"], json!(["a", "b"]));

    let sum = call(client, "add", json!({ "a": 2, "b": 40 })).expect("it adds");
    assert_eq!((sum.text.as_str(), sum.is_error), ("42", false));
    assert_eq!(sum.structured, Some(json!({ "result": 42 })));
    let echo = call(client, "echo", json!({ "text": "Grüße\n\"und\" 你好" })).expect("it answers");
    assert_eq!(echo.text, "Grüße\n\"und\" 你好");

    let failure = call(client, "fail", json!({})).expect("a tool that fails has answered");
    assert!(failure.is_error && failure.text.contains("this tool always fails"), "{failure:?}");
    let wrong = call(client, "add", json!({ "a": "x" })).expect("the server says what is wrong");
    assert!(wrong.is_error, "{wrong:?}");
    // The library's two generations answer this in two ways; both name the tool.
    match call(client, "missing", json!({})) {
        Ok(answer) => assert!(answer.is_error && answer.text.contains("missing"), "{answer:?}"),
        Err(error) => assert!(error.kind == McpErrorKind::Refused && error.message.contains("missing"), "{error}"),
    }

    let large = call(client, "big", json!({ "n": 200_000 })).expect("this is below the limit");
    assert_eq!(large.text.len(), 200_000);
    let error = call(client, "big", json!({ "n": 2_000_000 })).expect_err("this is above the limit");
    assert_eq!(error.kind, McpErrorKind::TooMuch, "{error}");
    let after = call(client, "echo", json!({ "text": "still here" })).expect("the connection is still there");
    assert_eq!(after.text, "still here");
}

fn gives_up(server: &McpServer) {
    let limits = McpLimits { call: Duration::from_secs(2), ..LIMITS };
    let client = connect(server, limits).expect("it connects");
    let error = call(&client, "slow", json!({ "seconds": 600 })).expect_err("nobody waits for ten minutes");
    assert_eq!(error.kind, McpErrorKind::TooSlow, "{error}");
}

#[test]
#[ignore = "needs Python: `cargo xtask ci` runs it"]
fn a_real_server_over_stdio() {
    works(&connect(&over_stdio(), LIMITS).expect("it connects"));
}

#[test]
#[ignore = "needs Python: `cargo xtask ci` runs it"]
fn a_real_server_over_http_with_events() {
    let web = Web::start(&[]);
    works(&connect(&web.server(), LIMITS).expect("it connects"));
}

#[test]
#[ignore = "needs Python: `cargo xtask ci` runs it"]
fn a_real_server_over_http_with_json() {
    let web = Web::start(&["json"]);
    works(&connect(&web.server(), LIMITS).expect("it connects"));
}

#[test]
#[ignore = "needs Python: `cargo xtask ci` runs it"]
fn a_slow_call_is_given_up() {
    gives_up(&over_stdio());
    gives_up(&Web::start(&[]).server());
    gives_up(&Web::start(&["json"]).server());
}

#[test]
#[ignore = "needs Python: `cargo xtask ci` runs it"]
fn a_web_server_that_stops_is_gone() {
    let mut web = Web::start(&[]);
    let client = connect(&web.server(), LIMITS).expect("it connects");
    assert!(client.tools().is_ok());
    web.stop();
    for _ in 0..2 {
        let error = client.tools().expect_err("nobody is there");
        assert_eq!(error.kind, McpErrorKind::Gone, "{error}");
        assert!(error.to_string().contains(&web.url), "{error}");
    }
    let error = connect(&web.server(), LIMITS).expect_err("nobody is there");
    assert_eq!(error.kind, McpErrorKind::NotConnected, "{error}");
}
