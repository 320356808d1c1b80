//! The schemas of a tool's arguments and answers, made from those of its operations in the form that every client takes.

use std::collections::BTreeMap;

use idetic_ops::{Answers, Operation, Rights};
use rmcp::model::JsonObject;
use serde_json::{Map, Value, json};

use super::{CallForm, OfferedTool, action};
use crate::Principal;

/// The arguments of a tool.
pub fn input(offer: &OfferedTool, who: &Principal) -> JsonObject {
    match offer.form {
        CallForm::Search => only("query", "What to look for"),
        CallForm::Fetch => only("id", "The id, as search gave it"),
        CallForm::ByAction => by_action(&offer.operations, who),
        CallForm::Plain | CallForm::Recall | CallForm::Forget => plain(offer, who),
    }
}

fn only(name: &str, description: &str) -> JsonObject {
    let properties = json!({name: {"type": "string", "description": description}});
    object(properties.as_object().cloned().unwrap_or_default(), vec![json!(name)])
}

fn object(properties: Map<String, Value>, required: Vec<Value>) -> JsonObject {
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), Value::Object(properties));
    if !required.is_empty() {
        schema.insert("required".to_owned(), Value::Array(required));
    }
    schema.insert("additionalProperties".to_owned(), json!(false));
    schema
}

fn plain(offer: &OfferedTool, who: &Principal) -> JsonObject {
    let Some(operation) = offer.operations.first() else { return object(Map::new(), Vec::new()) };
    let (mut properties, required) = arguments(operation, who);
    if !offer.arguments.is_empty() {
        properties.retain(|name, _| offer.arguments.contains(&name.as_str()));
    }
    if offer.form == CallForm::Recall {
        let about = format!("Most tokens of the answer [default: {}]", super::super::brief::DEFAULT_TOKENS);
        properties.insert("budget".to_owned(), json!({"type": "integer", "minimum": 1, "description": about}));
    }
    if offer.form == CallForm::Forget {
        // It is the rule, so it need not be asked for.
        properties.remove("dry_run");
    }
    object(properties, required)
}

/// One object for all actions: what each argument means is said with the actions it belongs to.
fn by_action(operations: &[&'static Operation], who: &Principal) -> JsonObject {
    let actions: Vec<&str> = operations.iter().map(|operation| action(operation)).collect();
    let mut properties = Map::new();
    let mut meanings: BTreeMap<String, Vec<(String, Vec<String>)>> = BTreeMap::new();
    for operation in operations {
        let (own, required) = arguments(operation, who);
        // A model has no vectors to give, and nothing to do with ours.
        for (name, schema) in own.into_iter().filter(|(name, _)| !name.starts_with("embedding")) {
            let must = if required.contains(&json!(name)) { " (required)" } else { "" };
            let taker = format!("{}{must}", action(operation));
            let meaning = schema["description"].as_str().unwrap_or_default().to_owned();
            let told = meanings.entry(name.clone()).or_default();
            match told.iter_mut().find(|(own, _)| *own == meaning) {
                Some((_, takers)) => takers.push(taker),
                None => told.push((meaning, vec![taker])),
            }
            properties.entry(name).or_insert(schema);
        }
    }
    for (name, told) in meanings {
        let text = match &told[..] {
            [(meaning, takers)] if takers.len() == operations.len() => meaning.clone(),
            told => {
                let each = told.iter().map(|(meaning, takers)| format!("{}: {meaning}", takers.join(", ")));
                each.collect::<Vec<_>>().join(" | ")
            }
        };
        properties[&name]["description"] = json!(text);
    }
    properties.insert("action".to_owned(), json!({"type": "string", "enum": actions, "description": "What to do"}));
    object(properties, vec![json!("action")])
}

/// The arguments of an operation, and which of them it must have.
fn arguments(operation: &Operation, who: &Principal) -> (Map<String, Value>, Vec<Value>) {
    let mut schema = (operation.schema)();
    let definitions = schema["$defs"].take();
    tidy(&mut schema, &definitions);
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let Value::Object(mut properties) = schema["properties"].take() else { return (Map::new(), required) };
    for anything in properties.values_mut().filter(|schema| !schema.is_object()) {
        *anything = json!({});
    }
    if properties.contains_key("collection") {
        // The connection has chosen the space.
        properties.retain(|name, _| name != "user" && name != "collection");
    }
    if who.grant().agent.is_some() {
        // Whoever is held to an agent need not name it.
        properties.retain(|name, _| name != "agent" && name != "persona");
    }
    if operation.rights == Rights::Read && operation.answers == Answers::Many {
        let about = "The start of the next page: the value of `next`";
        properties.insert("cursor".to_owned(), json!({"type": "string", "description": about}));
    }
    (properties, required)
}

/// Puts definitions where they are used, and takes out what clients warn about or refuse: our formats of numbers, and
/// every way of saying that an argument may be null, since it may as well be left out.
fn tidy(schema: &mut Value, definitions: &Value) {
    let named = schema["$ref"].as_str().and_then(|reference| reference.strip_prefix("#/$defs/").map(str::to_owned));
    if let (Some(name), Some(object)) = (named, schema.as_object_mut()) {
        object.remove("$ref");
        let definition = definitions[&name].as_object().cloned().unwrap_or_default();
        for (key, value) in definition {
            object.entry(key).or_insert(value);
        }
    }
    let Value::Object(object) = schema else {
        if let Value::Array(list) = schema {
            list.iter_mut().for_each(|inner| tidy(inner, definitions));
        }
        return;
    };
    object.remove("format");
    // What is said by leaving it out need not be said.
    if object.get("default").is_some_and(|value| [json!(null), json!(false), json!([])].contains(value)) {
        object.remove("default");
    }
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|word| word != "null");
        if let [one] = &types[..] {
            let one = one.clone();
            object.insert("type".to_owned(), one);
        }
    }
    if let Some(Value::Array(mut choices)) = object.remove("anyOf") {
        choices.retain(|choice| choice["type"] != "null");
        match &mut choices[..] {
            [Value::Object(one)] => {
                let description = object.remove("description");
                object.append(one);
                object.extend(description.map(|description| ("description".to_owned(), description)));
                return tidy(schema, definitions);
            }
            _ => object.insert("anyOf".to_owned(), Value::Array(choices)),
        };
    }
    for (key, inner) in object {
        match inner {
            // Names that people chose, not words of the schema.
            Value::Object(own) if key == "properties" => own.values_mut().for_each(|inner| tidy(inner, definitions)),
            inner => tidy(inner, definitions),
        }
    }
}

/// The answers of a tool.
pub fn output(offer: &OfferedTool) -> JsonObject {
    let text = |about: &str| json!({"type": "string", "description": about});
    let number = |about: &str| json!({"type": "integer", "description": about});
    let list = |of: Value| json!({"type": "array", "items": of});
    let with =
        |properties: Value, required: Value| json!({"type": "object", "properties": properties, "required": required});
    let result = with(
        json!({"id": text("its id"), "title": text("one line of it"), "url": text("its address as a resource")}),
        json!(["id", "title", "url"]),
    );
    let schema = match (offer.form, &offer.operations[..]) {
        (CallForm::Search, _) => with(json!({"results": list(result)}), json!(["results"])),
        (CallForm::Fetch, _) => {
            let mut whole = result;
            whole["properties"]["text"] = text("what it says");
            whole["properties"]["metadata"] = json!({"type": "object", "additionalProperties": {"type": "string"}});
            whole["required"] = json!(["id", "title", "text", "url", "metadata"]);
            whole
        }
        (_, [operation]) => match operation.name {
            "remember" => with(
                json!({"id": text("the id of the event"), "seq": number("its number"), "pos": number("its number, for an agent")}),
                json!(["id"]),
            ),
            "recall" => {
                let hit = with(
                    json!({
                        "id": text("the event it is"), "text": text("what it says"), "ts": text("when it happened"),
                        "kind": text("what kind of thing it was"),
                        "score": {"type": "number", "description": "what the hits are ordered by"},
                    }),
                    json!(["id", "text", "ts", "kind", "score"]),
                );
                with(json!({"hits": list(hit)}), json!(["hits"]))
            }
            "context" => with(
                json!({
                    "text": text("what is worth reading, fenced and cited; empty if nothing is good enough"),
                    "abstained": {"type": "boolean", "description": "whether nothing was good enough"},
                    "tokens": number("about how many tokens the text has"),
                    "sources": list(json!({"type": "object"})),
                }),
                json!(["text", "abstained", "tokens", "sources"]),
            ),
            "get" => with(
                json!({"id": text("its id"), "kind": text("what kind of thing it was"), "ts": text("when it happened"), "content": text("what it says")}),
                json!(["id", "kind", "ts"]),
            ),
            _ if operation.answers == Answers::Many => with(
                json!({"items": list(json!({"type": "object"})), "next": text("the cursor of the next page, where there is one")}),
                json!(["items"]),
            ),
            _ => json!({"type": "object"}),
        },
        _ => json!({"type": "object", "description": "what the action answers; a list is `items`, and perhaps `next`"}),
    };
    schema.as_object().cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use idetic_ops::Grant;

    use super::super::Profile;
    use super::*;
    use crate::Service;

    #[test]
    fn what_we_add_to_the_arguments_is_not_there_already() {
        for operation in Service::operations() {
            let schema = (operation.schema)();
            let taken = ["action", "cursor"].into_iter().find(|name| schema["properties"].get(name).is_some());
            assert_eq!(taken, None, "{}", operation.name);
        }
    }

    #[test]
    fn the_actions_of_a_tool_agree_on_what_an_argument_is() {
        let who = Principal::local(Grant::default());
        for offer in Profile::Extended.offered().into_iter().filter(|offer| offer.form == CallForm::ByAction) {
            let mut known = BTreeMap::new();
            for operation in &offer.operations {
                for (name, schema) in arguments(operation, &who).0 {
                    let own = schema["type"].clone();
                    let first = known.entry(name.clone()).or_insert(own.clone());
                    assert_eq!(*first, own, "{name} of {}", operation.name);
                }
            }
        }
    }
}
