//! The OpenAPI document: made from the table of operations, so that it cannot say anything else.

use idetic_ops::{Answers, Operation, Rights};
use serde_json::{Map, Value, json};

use crate::Service;

/// The path of an operation: `fact store` is `/v1/fact/store`.
pub fn path(operation: &Operation) -> String {
    format!("/v1/{}", operation.name.replace(' ', "/"))
}

/// The whole document.
pub fn document(version: &str) -> Value {
    let mut schemas = Map::new();
    schemas.insert("Error".to_owned(), error_schema());
    let mut paths = Map::new();
    for operation in Service::operations() {
        paths.insert(path(operation), json!({"post": describe(operation, &mut schemas)}));
    }
    paths.insert("/v1/traces".to_owned(), traces());
    for path in ["/api/v1/agent", "/api/v1/flow/{flow}/service/agent"] {
        paths.insert(path.to_owned(), agent(path));
    }
    paths.insert("/metrics".to_owned(), metrics());
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

fn describe(operation: &Operation, schemas: &mut Map<String, Value>) -> Value {
    let mut schema = (operation.schema)();
    lift(&mut schema, operation, schemas);
    let mut parameters = vec![space_parameter()];
    if operation.rights == Rights::Read && operation.answers == Answers::Many {
        parameters.extend(page_parameters());
    }
    if operation.rights > Rights::Read {
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
        "responses": responses(operation.answers),
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

fn responses(answers: Answers) -> Value {
    let one = json!({"type": "object"});
    let body = match answers {
        Answers::One => one,
        Answers::Many => json!({
            "type": "object",
            "required": ["items"],
            "properties": {
                "items": {"type": "array", "items": one},
                "next": {"type": "string", "description": "the cursor of the next page, where there is one"},
            },
        }),
    };
    let mut all = Map::new();
    all.insert("200".to_owned(), json!({"description": "done", "content": {"application/json": {"schema": body}}}));
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

fn error_schema() -> Value {
    json!({
        "type": "object",
        "required": ["error"],
        "properties": {"error": {
            "type": "object",
            "required": ["kind", "message"],
            "properties": {
                "kind": {"type": "string"},
                "message": {"type": "string", "description": "what happened"},
                "hint": {"type": "string", "description": "what to do"},
            },
        }},
    })
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

fn traces() -> Value {
    json!({"post": {
        "operationId": "otlp_traces",
        "summary": "OTLP/HTTP: the spans of an agent become events",
        "tags": ["otlp"],
        "parameters": [space_parameter()],
        "requestBody": {"required": true, "content": {
            "application/json": {"schema": {"type": "object"}},
            "application/x-protobuf": {"schema": {"type": "string", "format": "binary"}},
        }},
        "responses": responses(Answers::One),
    }})
}

fn agent(path: &str) -> Value {
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
        "responses": responses(Answers::One),
    }})
}

fn metrics() -> Value {
    json!({"get": {
        "operationId": "metrics",
        "summary": "Counters of the server for Prometheus; needs the right to administer",
        "tags": ["server"],
        "responses": {
            "200": {"description": "done", "content": {"text/plain": {"schema": {"type": "string"}}}},
            "401": {"description": "missing or invalid API key"},
            "403": {"description": "the key does not allow this"},
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
