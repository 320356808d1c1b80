//! The document and the routes are one: every route wants a key, and one that allows it.

use idetic_ops::{Reader, Rights};
use idetic_server::Service;
use serde_json::{Value, json};

use super::stage::Stage;

/// Every route of the document, with its method.
fn routes(stage: &Stage, key: &str) -> Vec<(String, String)> {
    let answer = stage.send("GET", "/openapi.json", &[("Authorization", &format!("Bearer {key}"))], b"");
    let document: Value = answer.ok();
    assert_eq!(document["openapi"], "3.1.0");
    let paths = document["paths"].as_object().expect("paths");
    let of_path = |(path, methods): (&String, &Value)| {
        let methods = methods.as_object().expect("methods").keys().map(|m| m.to_uppercase()).collect::<Vec<_>>();
        methods.into_iter().map(|method| (method, path.replace("{flow}", "default"))).collect::<Vec<_>>()
    };
    paths.iter().flat_map(of_path).collect()
}

#[test]
fn every_route_wants_a_key_and_the_right() {
    let stage = Stage::new();
    let admin = stage.admin();
    let keys = [
        ("read", stage.key(&json!({"name": "reader", "scope": "read"}))),
        ("write", stage.key(&json!({"name": "writer"}))),
        ("agent", stage.key(&json!({"name": "bot", "agent": "bot"}))),
    ];
    let routes = routes(&stage, &admin);
    assert!(routes.len() > Service::operations().count(), "every operation has a route: {routes:?}");
    let mut forbidden = 0;
    for (method, path) in &routes {
        for wrong in [None, Some("Bearer "), Some("Bearer idk_0_0"), Some("Basic eDp5"), Some(&admin[..])] {
            let headers: Vec<(&str, &str)> = wrong.iter().map(|value| ("Authorization", *value)).collect();
            let answer = stage.send(method, path, &headers, b"{}");
            assert_eq!(answer.status, 401, "{method} {path} with {wrong:?}: {answer:?}");
            assert!(answer.header("www-authenticate").is_some_and(|value| value.starts_with("Bearer")));
        }
        for (scope, key) in &keys {
            let answer = stage.send(method, path, &[("Authorization", &format!("Bearer {key}"))], b"{}");
            let expected = lacks_the_right(path, scope);
            assert_eq!(answer.status == 403, expected, "{method} {path} with a key to {scope}: {answer:?}");
            assert_ne!(answer.status, 401, "{method} {path}");
            assert!(!answer.body.contains("no such route"), "{path} is in the document and not there");
            forbidden += usize::from(expected);
        }
    }
    assert!(forbidden > 50, "{forbidden} were forbidden");
}

/// What the table says of a route and a key.
fn lacks_the_right(path: &str, scope: &str) -> bool {
    let (rights, reader) = match path {
        "/metrics" | "/v1/backup" => (Rights::Admin, Reader::Home),
        "/v1/traces" => (Rights::Write, Reader::View),
        path if path.starts_with("/api/v1/") => (Rights::Write, Reader::View),
        path => {
            let name = path.strip_prefix("/v1/").expect("an operation").replace('/', " ");
            let operation = Service::routes().find(|operation| operation.name == name).expect("an operation");
            (operation.rights, operation.reader)
        }
    };
    match scope {
        "read" => rights > Rights::Read,
        "write" => rights > Rights::Write,
        _ => rights > Rights::Write || reader == Reader::Owner,
    }
}

#[test]
fn what_is_not_in_the_document_is_behind_the_gate_too() {
    let stage = Stage::new();
    let admin = stage.admin();
    for path in ["/", "/v1", "/v1/nothing", "/openapi.json", "/docs", "/mcp", "/.well-known/oauth-protected-resource"] {
        assert_eq!(stage.send("GET", path, &[], b"").status, 401, "{path}");
        assert_eq!(stage.send("DELETE", path, &[], b"").status, 401, "{path}");
    }
    for (path, word) in [("/health", "ok"), ("/ready", "ready")] {
        assert_eq!(stage.send("GET", path, &[], b"").body, word);
    }
    let key = format!("Bearer {admin}");
    let docs = stage.send("GET", "/docs", &[("Authorization", &key)], b"");
    assert!(docs.status == 200 && docs.body.contains("POST /v1/fact/store"), "{docs:?}");
    let answer = stage.send("GET", "/v1/recall", &[("Authorization", &key)], b"");
    assert_eq!(answer.status, 405, "{answer:?}");
}

#[test]
fn schemas_have_no_loose_ends() {
    let stage = Stage::new();
    let key = format!("Bearer {}", stage.admin());
    let text = stage.send("GET", "/openapi.json", &[("Authorization", &key)], b"").body;
    let document: Value = serde_json::from_str(&text).expect("JSON");
    let schemas = document["components"]["schemas"].as_object().expect("schemas");
    for part in text.split("\"$ref\":\"").skip(1) {
        let reference = part.split('"').next().expect("a reference");
        let name = reference.strip_prefix("#/components/schemas/").unwrap_or_else(|| panic!("{reference}"));
        assert!(schemas.contains_key(name), "{reference} leads nowhere");
    }
    assert!(!text.contains("uint"), "formats that other tools do not know");
}

#[test]
fn every_answer_is_typed() {
    let stage = Stage::new();
    let key = format!("Bearer {}", stage.admin());
    let document: Value = stage.send("GET", "/openapi.json", &[("Authorization", &key)], b"").ok();
    let entries = document["paths"]
        .as_object()
        .expect("paths")
        .iter()
        .flat_map(|(path, methods)| methods.as_object().expect("methods").values().map(move |entry| (path, entry)));
    let mut typed = 0;
    for (path, entry) in entries.filter(|(path, _)| !["/metrics", "/v1/backup"].contains(&path.as_str())) {
        let content = entry["responses"]["200"]["content"].as_object().expect("an answer");
        for (form, body) in content {
            let schema = &body["schema"];
            let one = schema.pointer("/properties/items/items").or(schema.get("items")).unwrap_or(schema);
            assert!(one["$ref"].is_string() || one["oneOf"].is_array(), "{path} as {form}: {schema}");
            typed += 1;
        }
    }
    assert!(typed > 150, "{typed} answers are typed");
    let records = &document["paths"]["/v1/append"]["post"]["requestBody"]["content"]["application/json"]["schema"];
    assert_eq!(records["properties"]["events"]["items"]["$ref"], "#/components/schemas/EventRecord");
}
