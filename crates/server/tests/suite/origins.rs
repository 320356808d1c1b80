//! Web pages of other origins (CORS): those that are listed may ask and read every answer, all others get a refusal.

use serde_json::json;

use super::stage::{Answer, Stage};

const PAGE: &str = "https://app.example";

fn stage() -> Stage {
    Stage::with(&format!("[server]\norigins = [\"http://localhost:3000\", \"{PAGE}\"]\n"), None, false)
}

/// What a browser sends before its page may ask.
fn preflight(stage: &Stage, path: &str, origin: &str) -> Answer {
    let headers = [
        ("Origin", origin),
        ("Access-Control-Request-Method", "POST"),
        ("Access-Control-Request-Headers", "authorization,content-type,idetic-space"),
    ];
    stage.send("OPTIONS", path, &headers, b"")
}

/// Whether whoever keeps an answer is told that it depends on the origin.
fn varies(answer: &Answer) -> bool {
    let head = answer.head.to_ascii_lowercase();
    head.lines().any(|line| line.starts_with("vary:") && line.contains("origin"))
}

fn is_readable(answer: &Answer, origin: &str) -> bool {
    answer.header("access-control-allow-origin") == Some(origin)
        && answer.header("access-control-allow-credentials").is_none()
        && varies(answer)
}

fn tells_nothing(answer: &Answer) -> bool {
    !answer.head.to_ascii_lowercase().contains("access-control-")
}

#[test]
fn a_browser_is_told_what_a_listed_page_may_send() {
    let stage = stage();
    for path in ["/v1/recall", "/v1/fact/store", "/mcp", "/api/v1/agent", "/v1/traces", "/openapi.json", "/nothing"] {
        let answer = preflight(&stage, path, PAGE);
        assert_eq!((answer.status, answer.body.as_str()), (204, ""), "{path}: {answer:?}");
        assert!(is_readable(&answer, PAGE), "{path}: {answer:?}");
        let told = |name: &str| answer.header(name).unwrap_or_default().to_ascii_lowercase();
        let methods = told("access-control-allow-methods");
        assert!(["GET", "POST", "DELETE"].iter().all(|method| methods.contains(&method.to_lowercase())), "{methods}");
        let headers = told("access-control-allow-headers");
        let names: Vec<&str> = headers.split(',').map(str::trim).collect();
        for name in [
            "authorization",
            "content-type",
            "idempotency-key",
            "idetic-space",
            "last-event-id",
            "mcp-protocol-version",
            "mcp-session-id",
            "traceparent",
        ] {
            assert!(names.contains(&name), "{name}: {headers}");
        }
        assert!(told("access-control-max-age").parse::<u32>().is_ok_and(|seconds| seconds > 0), "{answer:?}");
    }
    assert!(is_readable(&preflight(&stage, "/v1/recall", "http://localhost:3000"), "http://localhost:3000"));
    // Asked without saying for what, it is a request like any other.
    assert_eq!(stage.send("OPTIONS", "/v1/recall", &[("Origin", PAGE)], b"").status, 401);
}

#[test]
fn a_listed_page_reads_every_answer_errors_too() {
    let stage = stage();
    let key = format!("Bearer {}", stage.admin());
    let reader = format!("Bearer {}", stage.key(&json!({"name": "r", "scope": "read"})));
    let (key, reader) = (key.as_str(), reader.as_str());
    let calls = [
        ("POST", "/v1/remember", key, "{\"text\":\"tea\"}", 200),
        ("POST", "/v1/recall", reader, "{\"query\":\"tea\"}", 200),
        ("GET", "/health", "", "", 200),
        ("POST", "/v1/recall", key, "{\"banana\":1}", 400),
        ("POST", "/v1/recall", "", "{\"query\":\"tea\"}", 401),
        ("POST", "/v1/recall", "Bearer nonsense", "{\"query\":\"tea\"}", 401),
        ("POST", "/v1/remember", reader, "{\"text\":\"tea\"}", 403),
        ("POST", "/v1/nothing", key, "{}", 404),
        ("PUT", "/v1/recall", key, "{}", 405),
    ];
    for (method, path, key, body, status) in calls {
        let mut headers = vec![("Origin", PAGE)];
        headers.extend((!key.is_empty()).then_some(("Authorization", key)));
        let answer = stage.send(method, path, &headers, body.as_bytes());
        assert_eq!(answer.status, status, "{method} {path}: {answer:?}");
        assert!(is_readable(&answer, PAGE), "{method} {path}: {answer:?}");
        let shown = answer.header("access-control-expose-headers").unwrap_or_default();
        assert!(shown.contains("retry-after") && shown.contains("mcp-session-id"), "{answer:?}");
    }
    // Who is no page of another origin is told nothing of this.
    let own = format!("http://{}", stage.address);
    for origin in [None, Some(("Origin", own.as_str()))] {
        let headers: Vec<_> = [Some(("Authorization", key)), origin].into_iter().flatten().collect();
        let answer = stage.send("POST", "/v1/recall", &headers, b"{\"query\":\"tea\"}");
        assert!(answer.status == 200 && tells_nothing(&answer) && varies(&answer), "{answer:?}");
    }
}

#[test]
fn a_page_of_any_other_origin_gets_neither() {
    let stage = stage();
    let key = format!("Bearer {}", stage.admin());
    let foreign = [
        "https://evil.example",
        "https://app.example.evil.example",
        "https://app.example:8443",
        "http://app.example",
        "https://app.example/",
        "null",
        "*",
    ];
    for origin in foreign {
        let asked = preflight(&stage, "/v1/recall", origin);
        assert!(asked.status == 403 && tells_nothing(&asked), "{origin}: {asked:?}");
        let headers = [("Origin", origin), ("Authorization", key.as_str())];
        let called = stage.send("POST", "/v1/remember", &headers, b"{\"text\":\"tea\"}");
        assert!(called.status == 403 && tells_nothing(&called), "{origin}: {called:?}");
    }
    let elsewhere = [("Host", "evil.example"), ("Origin", PAGE), ("Access-Control-Request-Method", "POST")];
    assert_eq!(stage.send("OPTIONS", "/v1/recall", &elsewhere, b"").status, 421, "under another name");
    let alone = Stage::new();
    let asked = preflight(&alone, "/v1/recall", PAGE);
    assert!(asked.status == 403 && tells_nothing(&asked), "none is listed: {asked:?}");
}

/// A header that nobody can read is not taken for one that is not there: the wrong space would be written to.
#[test]
fn a_header_that_cannot_be_read_or_stands_twice_is_refused() {
    let stage = Stage::new();
    let key = format!("Bearer {}", stage.admin());
    let body = json!({"text": "tea"}).to_string();
    for headers in [
        &[("Idetic-Space", "bob/w\u{f6}rk")][..],
        &[("Idempotency-Key", "k\u{f6}")],
        &[("Idetic-Space", "bob/one"), ("Idetic-Space", "bob/two")],
    ] {
        let all: Vec<(&str, &str)> = [("Authorization", key.as_str())].into_iter().chain(headers.to_vec()).collect();
        let answer = stage.send("POST", "/v1/remember", &all, body.as_bytes());
        assert_eq!(answer.status, 400, "{headers:?}: {answer:?}");
        assert!(answer.body.contains("given once, in ASCII"), "{answer:?}");
    }
}
