//! The web page: served by the program, signed in once by a link, driven in a real browser.
#![expect(clippy::print_stderr, reason = "a test says what the browser said")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use super::place::Place;
use super::server::Server;

const TESTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../page/browser");

/// `idetic open`, ended when it is dropped.
struct Open(Child);

impl Drop for Open {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Asks on a connection of its own; the whole answer as text.
fn ask(address: &str, method: &str, path: &str, headers: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("it listens");
    let length = body.len();
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{headers}Content-Length: {length}\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).expect("it is sent");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("an answer");
    String::from_utf8_lossy(&answer).into_owned()
}

fn status(answer: &str) -> u16 {
    answer.split_whitespace().nth(1).and_then(|status| status.parse().ok()).expect("a status")
}

fn header<'a>(answer: &'a str, name: &str) -> Option<&'a str> {
    let is_it = |line: &&str| line.split_once(':').is_some_and(|(own, _)| own.eq_ignore_ascii_case(name));
    answer.lines().take_while(|line| !line.is_empty()).find(is_it)?.split_once(':').map(|(_, value)| value.trim())
}

#[test]
fn a_browser_gets_the_page_and_a_program_does_not() {
    let place = Place::new();
    let server = Server::open(&place);
    let page = ask(&server.address, "GET", "/", "Accept: text/html,application/xhtml+xml\r\n", "");
    assert_eq!(status(&page), 200, "{page}");
    assert!(header(&page, "content-type").is_some_and(|kind| kind.starts_with("text/html")), "{page}");
    let policy = header(&page, "content-security-policy").expect("a policy");
    assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
    let script = ask(&server.address, "GET", "/page/main.js", "", "");
    assert_eq!(status(&script), 200);
    let tag = header(&script, "etag").expect("a tag");
    let again = ask(&server.address, "GET", "/page/main.js", &format!("If-None-Match: {tag}\r\n"), "");
    assert_eq!(status(&again), 304);
    for path in ["/page/none.js", "/page/..%2f..%2fCargo.toml", "/page/../lib.rs"] {
        assert_eq!(status(&ask(&server.address, "GET", path, "", "")), 404, "{path}");
    }
    assert_eq!(status(&ask(&server.address, "GET", "/", "Accept: application/json\r\n", "")), 404);
}

#[test]
fn the_link_of_open_signs_in_once() {
    let place = Place::new();
    place.ok(&["remember", "tea at five"]);
    let mut command = place.command(&["open", "--no-browser", "--json"]);
    let mut open =
        Open(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts"));
    let mut line = String::new();
    BufReader::new(open.0.stdout.take().expect("it was piped")).read_line(&mut line).expect("a link");
    let said: Value = serde_json::from_str(&line).expect("JSON");
    let link = said["page"].as_str().expect("a link").strip_prefix("http://").expect("a link");
    let (address, token) = link.split_once("/#token=").expect("a token");
    let recall = |headers: &str| ask(address, "POST", "/v1/recall", headers, r#"{"query":"tea"}"#);
    let sign_in =
        |token: &str| ask(address, "POST", "/page/sign-in", "", &serde_json::json!({"token": token}).to_string());
    assert_eq!(status(&recall("")), 401);
    assert_eq!(status(&sign_in("0000")), 401);
    let signed_in = sign_in(token);
    assert_eq!(status(&signed_in), 200, "{signed_in}");
    let cookie = header(&signed_in, "set-cookie").expect("a cookie");
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    let cookie = format!("Cookie: {}\r\n", cookie.split(';').next().expect("a pair"));
    let answer = recall(&cookie);
    assert!(status(&answer) == 200 && answer.contains("tea at five"), "{answer}");
    assert_eq!(status(&recall(&format!("{cookie}Origin: http://elsewhere.example\r\n"))), 403, "another site's page");
    let create = |headers: &str| ask(address, "POST", "/v1/key/create", headers, r#"{"name":"laptop"}"#);
    let backup = |headers: &str| status(&ask(address, "GET", "/v1/backup", headers, ""));
    assert_eq!(
        (status(&create(&cookie)), backup(&cookie)),
        (403, 403),
        "another port of the machine may have the cookie"
    );
    let (_, body) = signed_in.split_once("\r\n\r\n").expect("a body");
    let body: Value = serde_json::from_str(body).expect("JSON");
    let page = format!("{cookie}Idetic-Page: {}\r\n", body["page"].as_str().expect("a secret"));
    let made = create(&page);
    assert!(status(&made) == 200 && made.contains("idk_"), "who runs the program makes keys: {made}");
    assert_eq!(status(&ask(address, "POST", "/v1/key/list", "", "{}")), 401);
    assert_eq!(backup(&page), 200);
    assert_eq!(backup(&format!("{page}Sec-Fetch-Site: same-site\r\n")), 401, "a picture on another port's page");
    let typed = format!("{cookie}Sec-Fetch-Site: none\r\n");
    for (path, seen) in [("/docs", 200), ("/openapi.json", 200), ("/metrics", 401), ("/v1/backup", 401)] {
        assert_eq!(status(&ask(address, "GET", path, &typed, "")), seen, "{path} as an address that is typed");
    }
    assert_eq!(status(&recall(&typed)), 401, "nobody types a call");
    let elsewhere = format!("{page}Origin: http://localhost:3000\r\n");
    assert_eq!(status(&create(&elsewhere)), 403, "another's page");
    assert_eq!(status(&sign_in(token)), 401, "the link is good once");
    let refused = place.run(&["open", "--listen", "0.0.0.0:0"]);
    assert_eq!(refused.code, 2, "{refused:?}");
}

#[test]
#[ignore = "needs Chromium and packages of Python: `cargo xtask ci` runs it"]
fn the_page_does_what_people_come_for() {
    let venv = Path::new(env!("CARGO_TARGET_TMPDIR")).join("page");
    let mut run = Command::new("python3");
    run.arg(format!("{TESTS}/run.py")).arg("--venv").arg(venv).arg(env!("CARGO_BIN_EXE_idetic"));
    let output = run.stdin(Stdio::null()).output().expect("python3 is needed for this");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    eprintln!("{out}{err}");
    assert!(output.status.success(), "what the browser said stands above");
}
