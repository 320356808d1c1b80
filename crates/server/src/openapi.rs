//! The OpenAPI document: made from the table of operations, so that it cannot say anything else. What they answer is
//! described in `openapi/answers.json`; the tests of the clients hold real answers against it.

use idetic_ops::{Answers, Operation, Rights};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::Service;

/// Names under which the routes that are no operations have their answers.
const AGENT: &str = "agent";
const TRACES: &str = "otlp traces";

/// Where a backup is downloaded.
pub const BACKUP: &str = "/v1/backup";

/// What the table of operations does not say.
#[derive(Default, Deserialize)]
struct Described {
    /// Schemas by their names.
    schemas: Map<String, Value>,
    /// One answer of each operation.
    answers: Map<String, Value>,
    /// What an event of a stream holds, where that is not one answer.
    streams: Map<String, Value>,
    /// Arguments that an operation's own schema leaves open.
    arguments: Map<String, Value>,
}

impl Described {
    fn read() -> Self {
        serde_json::from_str(include_str!("openapi/answers.json")).unwrap_or_default()
    }

    fn answer(&self, name: &str) -> Value {
        self.answers.get(name).cloned().unwrap_or_else(|| json!({"type": "object"}))
    }

    fn streamed(&self, name: &str) -> Value {
        self.streams.get(name).cloned().unwrap_or_else(|| self.answer(name))
    }
}

/// The path of an operation: `fact store` is `/v1/fact/store`.
pub fn path(operation: &Operation) -> String {
    format!("/v1/{}", operation.name.replace(' ', "/"))
}

/// The whole document.
pub fn document(version: &str) -> Value {
    let described = Described::read();
    let mut schemas = described.schemas.clone();
    let mut paths = Map::new();
    for operation in Service::routes() {
        paths.insert(path(operation), json!({"post": describe(operation, &described, &mut schemas)}));
    }
    paths.insert("/v1/traces".to_owned(), traces(&described.answer(TRACES)));
    for path in ["/api/v1/agent", "/api/v1/flow/{flow}/service/agent"] {
        paths.insert(path.to_owned(), agent(path, &described.answer(AGENT)));
    }
    paths.insert("/metrics".to_owned(), metrics());
    paths.insert(BACKUP.to_owned(), backup());
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Idetic",
            "version": version,
            "summary": "Perfect recall for AI agents",
            "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "security": [{"key": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "key": {"type": "http", "scheme": "bearer", "description": "created by `idetic key create`"},
            },
            "schemas": schemas,
        },
    })
}

fn describe(operation: &Operation, described: &Described, schemas: &mut Map<String, Value>) -> Value {
    let mut schema = (operation.schema)();
    lift(&mut schema, operation, schemas);
    if let Some(Value::Object(known)) = described.arguments.get(operation.name)
        && let Some(Value::Object(properties)) = schema.get_mut("properties")
    {
        properties.extend(known.clone());
    }
    let mut parameters = vec![space_parameter()];
    if operation.rights == Rights::Read && operation.answers == Answers::Many {
        parameters.extend(page_parameters());
    }
    if operation.rights > Rights::Read && !operation.is_for_administrators() {
        parameters.push(json!({
            "name": "Idempotency-Key", "in": "header", "schema": {"type": "string", "maxLength": 200},
            "description": "a name for this call: repeated under it, the call returns the same answer and adds nothing",
        }));
    }
    json!({
        "operationId": operation_id(operation.name),
        "summary": operation.about,
        "description": format!("On the command line: `{}`. Needs the right to {}.", operation.example, right(operation.rights)),
        "tags": [operation.name.split(' ').next().unwrap_or_default()],
        "parameters": parameters,
        "requestBody": {"required": true, "content": {"application/json": {"schema": schema}}},
        "responses": answered(operation, described),
    })
}

fn operation_id(name: &str) -> String {
    name.replace([' ', '-'], "_")
}

fn right(rights: Rights) -> &'static str {
    match rights {
        Rights::Read => "read",
        Rights::Write => "write",
        Rights::Admin => "administer",
    }
}

/// The answers of an operation: whole, and as events of a stream.
fn answered(operation: &Operation, described: &Described) -> Value {
    let one = described.answer(operation.name);
    let whole = match operation.answers {
        Answers::One => one,
        Answers::Many => json!({
            "type": "object",
            "required": ["items"],
            "properties": {
                "items": {"type": "array", "items": one},
                "next": {"type": "string", "description": "the cursor of the next page, where there is one"},
            },
            "additionalProperties": false,
        }),
    };
    let part = described.streamed(operation.name);
    responses(&json!({
        "description": "done; with `Accept: text/event-stream` each answer is an event, and the last one `done` or `error`",
        "content": {"application/json": {"schema": whole}, "text/event-stream": {"schema": part}},
    }))
}

/// One answer as JSON.
fn one(schema: &Value) -> Value {
    responses(&json!({"description": "done", "content": {"application/json": {"schema": schema}}}))
}

fn responses(success: &Value) -> Value {
    let mut all = Map::new();
    all.insert("200".to_owned(), success.clone());
    let failures = [
        ("400", "invalid arguments"),
        ("401", "missing or invalid API key"),
        ("403", "the key does not allow this"),
        ("404", "not found"),
        ("409", "conflict with another write"),
        ("413", "the request is too large"),
        ("422", "a check failed"),
        ("429", "too many requests"),
        ("503", "unavailable"),
    ];
    for (status, what) in failures {
        let schema = json!({"$ref": "#/components/schemas/Error"});
        all.insert(
            status.to_owned(),
            json!({"description": what, "content": {"application/json": {"schema": schema}}}),
        );
    }
    Value::Object(all)
}

fn space_parameter() -> Value {
    json!({
        "name": "Idetic-Space", "in": "header", "schema": {"type": "string"},
        "description": "the space, as USER/COLLECTION [default: the key's own]",
    })
}

fn page_parameters() -> [Value; 2] {
    [
        json!({"name": "cursor", "in": "query", "schema": {"type": "string"}, "description": "the value of `next`"}),
        json!({
            "name": "page_size", "in": "query",
            "schema": {"type": "integer", "minimum": 1, "maximum": crate::cursor::PAGE_MAX, "default": crate::cursor::PAGE},
            "description": "most items per page",
        }),
    ]
}

fn traces(answer: &Value) -> Value {
    json!({"post": {
        "operationId": "otlp_traces",
        "summary": "OTLP/HTTP: the spans of an agent become events",
        "tags": ["otlp"],
        "parameters": [space_parameter()],
        "requestBody": {"required": true, "content": {
            "application/json": {"schema": {"type": "object"}},
            "application/x-protobuf": {"schema": {"type": "string", "format": "binary"}},
        }},
        "responses": one(answer),
    }})
}

fn agent(path: &str, answer: &Value) -> Value {
    let mut parameters = Vec::new();
    if path.contains("{flow}") {
        parameters.push(json!({"name": "flow", "in": "path", "required": true, "schema": {"type": "string"}}));
    }
    let id = if parameters.is_empty() { "agent" } else { "agent_of_flow" };
    json!({"post": {
        "operationId": id,
        "summary": "The agent service of specification 002: the last message of an answer",
        "tags": ["agent"],
        "parameters": parameters,
        "requestBody": {"required": true, "content": {"application/json": {"schema": {
            "type": "object",
            "required": ["question"],
            "properties": {"question": {"type": "string"}},
        }}}},
        "responses": one(answer),
    }})
}

fn metrics() -> Value {
    json!({"get": {
        "operationId": "metrics",
        "summary": "Counters of the server for Prometheus; needs the right to administer",
        "tags": ["server"],
        "responses": {
            "200": {"description": "done", "content": {"application/openmetrics-text": {"schema": {"type": "string"}}}},
            "401": {"description": "missing or invalid API key"},
            "403": {"description": "the key does not allow this"},
        },
    }})
}

fn backup() -> Value {
    json!({"get": {
        "operationId": "backup",
        "summary": "The log of a space as one compressed file, for `idetic restore`; needs a key that administers the whole home",
        "tags": ["server"],
        "parameters": [space_parameter()],
        "responses": {
            "200": {"description": "done", "content": {"application/gzip": {"schema": {"type": "string", "format": "binary"}}}},
            "401": {"description": "missing or invalid API key"},
            "403": {"description": "the key does not allow this"},
            "404": {"description": "there is no such space"},
            "503": {"description": "another backup is being downloaded"},
        },
    }})
}

/// Moves the definitions of a schema to where the document keeps them, and takes out what other tools warn about.
fn lift(schema: &mut Value, operation: &Operation, schemas: &mut Map<String, Value>) {
    let prefix = operation_id(operation.name);
    if let Some(Value::Object(definitions)) = schema.as_object_mut().and_then(|schema| schema.remove("$defs")) {
        for (name, mut definition) in definitions {
            tidy(&mut definition, &prefix);
            schemas.insert(format!("{prefix}_{name}"), definition);
        }
    }
    if let Some(schema) = schema.as_object_mut() {
        schema.remove("$schema");
        schema.remove("title");
    }
    tidy(schema, &prefix);
}

fn tidy(schema: &mut Value, prefix: &str) {
    match schema {
        Value::Object(object) => {
            let is_ours = |format: &Value| format.as_str().is_some_and(|f| f.starts_with("uint") || f == "int64");
            if object.get("format").is_some_and(is_ours) {
                object.remove("format");
            }
            if let Some(Value::String(reference)) = object.get_mut("$ref")
                && let Some(name) = reference.strip_prefix("#/$defs/")
            {
                *reference = format!("#/components/schemas/{prefix}_{name}");
            }
            object.values_mut().for_each(|value| tidy(value, prefix));
        }
        Value::Array(list) => list.iter_mut().for_each(|value| tidy(value, prefix)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_operation_has_its_answer_described_and_nothing_else_has() {
        let described: Described = serde_json::from_str(include_str!("openapi/answers.json")).expect("JSON");
        let names: BTreeSet<&str> = Service::routes().map(|operation| operation.name).collect();
        let known = |map: &Map<String, Value>| map.keys().cloned().collect::<BTreeSet<_>>();
        let wanted = names.iter().copied().chain([AGENT, TRACES]).map(str::to_owned).collect::<BTreeSet<_>>();
        assert_eq!(known(&described.answers), wanted);
        for name in known(&described.streams).union(&known(&described.arguments)) {
            assert!(names.contains(name.as_str()), "{name} is no operation");
        }
    }
}
