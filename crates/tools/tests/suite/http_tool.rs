//! HTTP requests as a tool, against a small server of our own.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use idetic_tools::http_tool::{HttpAnswer, HttpCall, HttpError, HttpHeader, HttpLimits, http_call};

/// A server that answers one request with these bytes and tells what it got.
fn server(answer: Vec<u8>) -> (String, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("there is a port");
    let url = format!("http://{}/a?b=c", listener.local_addr().expect("it is bound"));
    let (got, requests) = channel();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("the client connects");
        let mut reader = BufReader::new(stream.try_clone().expect("a stream has two ends"));
        let (mut head, mut length) = (String::new(), 0);
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).expect("the client speaks HTTP");
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length: ") {
                length = value.trim().parse().expect("a length is a number");
            }
            head += &line;
            if line == "\r\n" {
                break;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).expect("the client sends its body");
        got.send(head + &String::from_utf8_lossy(&body)).expect("the test waits");
        let _ = stream.write_all(&answer);
        // Held open: a client that waits for more waits until its limit.
        let _ = reader.read(&mut [0]);
    });
    (url, requests)
}

fn answer(head: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 {head}\r\ncontent-length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

fn get(url: &str) -> HttpCall {
    HttpCall { method: "get".to_owned(), url: url.to_owned(), headers: Vec::new(), body: None }
}

fn asked(bytes: Vec<u8>) -> HttpAnswer {
    http_call(&get(&server(bytes).0), &HttpLimits::default()).expect("there is an answer")
}

#[test]
fn what_is_given_is_sent_and_what_comes_is_text() {
    let (url, requests) = server(answer("201 Created\r\ncontent-type: application/json", "{\"grün\":1}".as_bytes()));
    let header = |name: &str, value: &str| HttpHeader { name: name.to_owned(), value: value.to_owned(), secret: false };
    let call = HttpCall {
        method: "POST".to_owned(),
        url,
        headers: vec![header("X-One", "1"), header("content-type", "text/plain")],
        body: Some("Grüße".to_owned()),
    };
    let answer = http_call(&call, &HttpLimits::default()).expect("there is an answer");
    assert_eq!(answer, HttpAnswer { status: 201, text: "Status 201 Created\n\n{\"grün\":1}".to_owned() });
    let request = requests.recv().expect("the server got it");
    assert!(request.starts_with("POST /a?b=c HTTP/1.1\r\n"), "{request}");
    assert!(request.contains("x-one: 1\r\n") && request.contains("content-type: text/plain\r\n"), "{request}");
    assert!(request.ends_with("\r\n\r\nGrüße"), "{request}");
}

#[test]
fn without_a_body_none_is_sent() {
    let (url, requests) = server(answer("200 OK", b""));
    http_call(&get(&url), &HttpLimits::default()).expect("there is an answer");
    let request = requests.recv().expect("the server got it").to_ascii_lowercase();
    assert!(request.starts_with("get /a?b=c http/1.1\r\n"), "{request}");
    assert!(!request.contains("content-length") && !request.contains("transfer-encoding"), "{request}");
}

#[test]
fn no_success_is_an_answer() {
    let missing = asked(answer("404 Not Found", b"nothing here"));
    assert_eq!(missing.text, "Status 404 Not Found: not a success\n\nnothing here");
    let broken = asked(answer("599 Odd", b""));
    assert_eq!(broken.text, "Status 599: not a success\n\n(no body)");
    let moved = asked(answer("302 Found\r\nlocation: http://b.example/", b""));
    assert!(moved.text.contains("It points to http://b.example/, which was not followed."), "{moved:?}");
}

#[test]
fn what_is_no_text_is_not_shown() {
    let picture = asked(answer("200 OK\r\ncontent-type: image/png", b"\x89PNG\r\n\x1a\n\x00"));
    assert_eq!(picture.text, "Status 200 OK\n\n(9 bytes, image/png, not shown: this is not text)");
    let packed = asked(answer("200 OK\r\ncontent-encoding: br", b"text?"));
    assert!(packed.text.ends_with("(5 bytes, of an unknown type, not shown: this is not text)"), "{packed:?}");
    let zero = asked(answer("200 OK\r\ncontent-type: text/plain", b"a\0b"));
    assert!(zero.text.contains("not shown"), "{zero:?}");
}

#[test]
fn a_long_answer_is_cut_between_letters() {
    let limits = HttpLimits { answer_bytes: 4, ..HttpLimits::default() };
    let (url, _requests) = server(answer("200 OK", "aüüü".as_bytes()));
    let cut = http_call(&get(&url), &limits).expect("there is an answer");
    assert_eq!(cut.text, "Status 200 OK\n\naü\n(cut off after 3 bytes)");
    let (url, _requests) = server(answer("200 OK", b"abcd"));
    let whole = http_call(&get(&url), &limits).expect("there is an answer");
    assert_eq!(whole.text, "Status 200 OK\n\nabcd");
}

#[test]
fn a_secret_is_sent_and_never_shown() {
    let (url, requests) =
        server(answer("403 No\r\nlocation: /?key=key-0123456", b"Bearer key-0123456 is bad: key-0123456"));
    let secret = HttpHeader { name: "authorization".to_owned(), value: "Bearer key-0123456".to_owned(), secret: true };
    let call = HttpCall { headers: vec![secret], ..get(&url) };
    let answer = http_call(&call, &HttpLimits::default()).expect("there is an answer");
    assert!(requests.recv().expect("the server got it").contains("authorization: Bearer key-0123456\r\n"));
    assert!(answer.text.ends_with("[masked] is bad: [masked]"), "{answer:?}");
    assert!(!answer.text.contains("0123456") && !format!("{call:?}").contains("0123456"), "{answer:?}");
    let secret = HttpHeader { name: "x".to_owned(), value: "line\nkey-0123456".to_owned(), secret: true };
    let error = http_call(&HttpCall { headers: vec![secret], ..get(&url) }, &HttpLimits::default());
    let error = error.expect_err("a header has no lines");
    assert!(!error.to_string().contains("0123456"), "{error}");
}

#[test]
fn a_server_that_breaks_off_or_never_answers_is_an_error() {
    let limits = HttpLimits { time: Duration::from_millis(300), ..HttpLimits::default() };
    for bytes in [&b""[..], b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nshort", b"HTTP/1.1 nonsense\r\n\r\n"] {
        let (url, _requests) = server(bytes.to_vec());
        let error = http_call(&get(&url), &limits).expect_err("this is no answer");
        assert!(matches!(error, HttpError::NoAnswer(_)), "{error}");
    }
    let listener = TcpListener::bind("127.0.0.1:0").expect("there is a port");
    let url = format!("http://{}/", listener.local_addr().expect("it is bound"));
    drop(listener);
    let error = http_call(&get(&url), &HttpLimits::default()).expect_err("nobody listens");
    assert!(matches!(error, HttpError::NoAnswer(_)), "{error}");
}

#[test]
fn a_request_that_cannot_be_sent_says_why() {
    let limits = HttpLimits { sent_bytes: 2, ..HttpLimits::default() };
    let good = get("http://a.example/");
    for (call, wanted) in [
        (HttpCall { method: "CONNECT".to_owned(), ..good.clone() }, "the method must be one of GET"),
        (get("ftp://a.example/"), "must begin with http://"),
        (get("/only/a/path"), "must begin with http://"),
        (get("file:///a"), "the address cannot be read"),
        (get("not an address"), "the address cannot be read"),
        (get("http://me:pass@a.example/"), "must not contain a user"),
        (HttpCall { body: Some("abc".to_owned()), ..good }, "the body has 3 bytes, but 2 is the most"),
    ] {
        let error = http_call(&call, &limits).expect_err("it cannot be sent");
        assert!(matches!(error, HttpError::Request(_)) && error.to_string().contains(wanted), "{error}");
    }
}
