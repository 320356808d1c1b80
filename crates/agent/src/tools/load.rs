//! Reads the configuration of tools: each key in kebab or snake case, nothing unknown, everything said by name.

use std::collections::BTreeSet;

use idetic_core::{Invalid, invalid};
use serde_json::{Map, Value};

use super::{
    ARGUMENTS_MAX, Argument, ArgumentType, DEFAULT_GROUP, DESCRIPTION_MAX_BYTES, Header, Http, LIMIT_MAX,
    LIST_MAX_ITEMS, MEMORY_TOOLS, NAME_MAX_BYTES, TEMPLATE_MAX_BYTES, TOOLS_MAX, Template, Tool, Work,
};
use crate::placeholders;
use crate::protocol::{NO_TOOL, PARSE_ERROR_ACTION};

/// The types there are, and the keys of each beside those that every tool has.
const TYPES: [(&str, &[&str]); 7] = [
    ("knowledge-query", &["collection", "limit"]),
    ("text-completion", &[]),
    ("structured-query", &["query", "collection", "limit", "arguments"]),
    ("mcp-tool", &["mcp-tool", "arguments"]),
    ("prompt", &["template", "arguments"]),
    ("http", &["url", "method", "headers", "body", "arguments"]),
    ("memory", &["operation"]),
];

/// The keys that every tool has.
const KEYS: [&str; 6] = ["name", "description", "type", "group", "state", "applicable-states"];

/// Reads the tools of a configuration, each with its id there. A value is an object, or a text that holds one.
pub fn load<'a>(config: impl IntoIterator<Item = (&'a str, &'a Value)>) -> Result<Vec<Tool>, Invalid> {
    let mut tools = Vec::new();
    let mut names = BTreeSet::new();
    for (id, value) in config {
        let tool = tool(id, value).map_err(|why| about(&format!("tool '{}'", invalid::excerpt(id)), why))?;
        if !names.insert(tool.name.clone()) {
            return Err(Invalid::new(format!("there are two tools '{}'", tool.name)).hint("give one another name"));
        }
        tools.push(tool);
        if tools.len() > TOOLS_MAX {
            return Err(Invalid::new(format!("there are more than {TOOLS_MAX} tools")).hint("configure fewer"));
        }
    }
    Ok(tools)
}

fn about(what: &str, why: Invalid) -> Invalid {
    Invalid { message: format!("{what}: {}", why.message), hint: why.hint }
}

fn tool(id: &str, value: &Value) -> Result<Tool, Invalid> {
    let parsed;
    let value = match value.as_str() {
        Some(text) => {
            parsed = serde_json::from_str(text).map_err(|error| Invalid::new(format!("is not JSON: {error}")))?;
            &parsed
        }
        None => value,
    };
    let map = value.as_object().ok_or_else(|| Invalid::new("is not an object").hint("write {\"type\": …}"))?;
    let mut keys = Keys::new(map)?;
    let name = name("name", &keys.text("name", NAME_MAX_BYTES)?.unwrap_or_else(|| id.to_owned()))?;
    let description = keys.text("description", DESCRIPTION_MAX_BYTES)?.unwrap_or_default();
    let kind = keys.text("type", NAME_MAX_BYTES)?.ok_or_else(|| Invalid::new("has no type").hint(types()))?;
    let own = TYPES.iter().find(|(name, _)| *name == kind).map(|(_, own)| *own).ok_or_else(|| {
        Invalid::new(format!("type '{}' is not supported here", invalid::excerpt(&kind))).hint(types())
    })?;
    keys.only(&kind, own)?;
    let mut arguments = keys.arguments()?;
    let work = work(&kind, &mut keys, &arguments)?;
    if let Some(fixed) = fixed_argument(&work) {
        arguments = vec![fixed];
    }
    let groups = keys.names("group")?.unwrap_or_else(|| vec![DEFAULT_GROUP.to_owned()]);
    let states = keys.names("applicable-states")?.unwrap_or_else(|| vec![super::ANY.to_owned()]);
    let state = keys.text("state", NAME_MAX_BYTES)?.unwrap_or_default();
    Ok(Tool { name, description, work, arguments, group: groups, state, applicable_states: states })
}

fn types() -> String {
    let names: Vec<&str> = TYPES.iter().map(|(name, _)| *name).collect();
    format!("the types are {}", names.join(", "))
}

fn work(kind: &str, keys: &mut Keys, arguments: &[Argument]) -> Result<Work, Invalid> {
    Ok(match kind {
        "knowledge-query" => {
            Work::KnowledgeQuery { collection: keys.text("collection", NAME_MAX_BYTES)?, limit: keys.limit()? }
        }
        "text-completion" => Work::TextCompletion,
        "structured-query" => Work::StructuredQuery {
            query: keys.required("query", NAME_MAX_BYTES, "the name of a saved query")?,
            collection: keys.text("collection", NAME_MAX_BYTES)?,
            limit: keys.limit()?,
        },
        "mcp-tool" => Work::McpTool {
            mcp_tool: keys.required("mcp-tool", DESCRIPTION_MAX_BYTES, "the name of a tool of a connected server")?,
        },
        "prompt" => {
            let text =
                keys.required("template", TEMPLATE_MAX_BYTES, "a text with placeholders such as {{argument}}")?;
            let template = placeholders::read(&text)?;
            declared(placeholders::names(&template), arguments)?;
            Work::Prompt(Template(template))
        }
        "http" => {
            let url = keys.required("url", TEMPLATE_MAX_BYTES, "the address that is called")?;
            let method = keys.text("method", NAME_MAX_BYTES)?;
            let body = keys.body()?;
            let http = Http::new(&url, method.as_deref(), keys.headers()?, body.as_deref(), arguments)?;
            declared(http.places(), arguments)?;
            Work::Http(http)
        }
        _ => {
            let operation = keys.required("operation", NAME_MAX_BYTES, "what the memory is asked to do")?;
            let operation = operation.replace('_', "-");
            if !MEMORY_TOOLS.iter().any(|(name, ..)| *name == operation) {
                let known: Vec<&str> = MEMORY_TOOLS.iter().map(|(name, ..)| *name).collect();
                return Err(Invalid::new(format!("operation '{}' is not known", invalid::excerpt(&operation)))
                    .hint(format!("one of {}", known.join(", "))));
            }
            Work::Memory { operation }
        }
    })
}

/// The argument of a type that has one and the same always.
fn fixed_argument(work: &Work) -> Option<Argument> {
    let (name, description) = match work {
        Work::KnowledgeQuery { .. } | Work::TextCompletion => ("question", "the question, complete in itself"),
        Work::Memory { operation } => {
            let (_, name, description) = MEMORY_TOOLS.iter().find(|(name, ..)| name == operation)?;
            (*name, *description)
        }
        _ => return None,
    };
    Some(Argument { name: name.to_owned(), kind: ArgumentType::String, description: description.to_owned() })
}

/// Every place must be an argument.
fn declared<'a>(mut places: impl Iterator<Item = &'a str>, arguments: &[Argument]) -> Result<(), Invalid> {
    match places.find(|place| !arguments.iter().any(|argument| argument.name.replace('-', "_") == **place)) {
        None => Ok(()),
        Some(place) => Err(Invalid::new(format!("{{{{{place}}}}} is not one of its arguments"))
            .hint("add it to 'arguments', or remove it from the text")),
    }
}

/// A name that every model's native tool calls take.
fn name(key: &str, text: &str) -> Result<String, Invalid> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if text.is_empty() || text.len() > NAME_MAX_BYTES || !text.chars().all(plain) {
        return Err(Invalid::new(format!("{key} '{}' cannot be used", invalid::excerpt(text)))
            .hint(format!("1 to {NAME_MAX_BYTES} letters, digits, - and _")));
    }
    if text == PARSE_ERROR_ACTION || NO_TOOL.iter().any(|none| none.eq_ignore_ascii_case(text)) {
        return Err(Invalid::new(format!("{key} '{text}' is reserved by the agent")).hint("choose another"));
    }
    Ok(text.to_owned())
}

/// The keys of one object, in kebab case; empty and `null` ones are left out.
struct Keys(Map<String, Value>);

impl Keys {
    fn new(map: &Map<String, Value>) -> Result<Self, Invalid> {
        let mut keys = Map::new();
        for (key, value) in map {
            let kebab = key.replace('_', "-");
            let kebab = if kebab == "available-in-states" { "applicable-states".to_owned() } else { kebab };
            if keys.contains_key(&kebab) {
                return Err(Invalid::new(format!("'{kebab}' is given twice, in two spellings")).hint("keep one"));
            }
            keys.insert(kebab, value.clone());
        }
        keys.retain(|_, value| !value.is_null() && value.as_str() != Some(""));
        Ok(Self(keys))
    }

    /// Refuses keys that the type does not have.
    fn only(&self, kind: &str, own: &[&str]) -> Result<(), Invalid> {
        let known = |key: &str| KEYS.contains(&key) || own.contains(&key);
        // An empty list of arguments says what is the case anyway.
        let empty = |value: &Value| value.as_array().is_some_and(Vec::is_empty);
        match self.0.iter().find(|(key, value)| !(known(key) || *key == "arguments" && empty(value))) {
            None => Ok(()),
            Some((key, _)) => {
                let all: Vec<&str> = KEYS.iter().chain(own).copied().collect();
                Err(Invalid::new(format!("'{}' is not a key of a {kind} tool", invalid::excerpt(key)))
                    .hint(format!("its keys are {}", all.join(", "))))
            }
        }
    }

    fn text(&mut self, key: &str, limit_bytes: usize) -> Result<Option<String>, Invalid> {
        match self.0.remove(key) {
            None => Ok(None),
            Some(Value::String(text)) if text.len() <= limit_bytes => Ok(Some(text)),
            Some(Value::String(text)) => {
                Err(Invalid::new(format!("{key} has {} bytes", text.len()))
                    .hint(format!("at most {limit_bytes} bytes")))
            }
            Some(_) => Err(Invalid::new(format!("{key} is not a text"))),
        }
    }

    fn required(&mut self, key: &str, limit_bytes: usize, what: &str) -> Result<String, Invalid> {
        self.text(key, limit_bytes)?
            .ok_or_else(|| Invalid::new(format!("has no '{key}'")).hint(format!("it is {what}")))
    }

    fn limit(&mut self) -> Result<Option<usize>, Invalid> {
        let Some(value) = self.0.remove("limit") else { return Ok(None) };
        let number = value.as_u64().or_else(|| value.as_str()?.trim().parse().ok());
        let limit =
            number.and_then(|number| usize::try_from(number).ok()).filter(|limit| (1..=LIMIT_MAX).contains(limit));
        limit.map(Some).ok_or_else(|| {
            Invalid::new(format!("limit '{}' cannot be used", invalid::excerpt(&value.to_string())))
                .hint(format!("a number from 1 to {LIMIT_MAX}"))
        })
    }

    fn list(&mut self, key: &str, most: usize) -> Result<Option<Vec<Value>>, Invalid> {
        match self.0.remove(key) {
            None => Ok(None),
            Some(Value::Array(list)) if list.len() <= most => Ok(Some(list)),
            Some(Value::Array(list)) => {
                Err(Invalid::new(format!("{key} has {} entries", list.len())).hint(format!("at most {most} entries")))
            }
            Some(_) => Err(Invalid::new(format!("{key} is not a list"))),
        }
    }

    fn names(&mut self, key: &str) -> Result<Option<Vec<String>>, Invalid> {
        let Some(list) = self.list(key, LIST_MAX_ITEMS)? else { return Ok(None) };
        let names = list.into_iter().map(|value| match value {
            Value::String(name) if name.len() <= NAME_MAX_BYTES => Ok(name),
            other => Err(Invalid::new(format!("{key} has an entry {}", invalid::excerpt(&other.to_string())))
                .hint(format!("texts of at most {NAME_MAX_BYTES} bytes"))),
        });
        names.collect::<Result<_, _>>().map(Some)
    }

    fn arguments(&mut self) -> Result<Vec<Argument>, Invalid> {
        let list = self.list("arguments", ARGUMENTS_MAX)?.unwrap_or_default();
        let mut arguments: Vec<Argument> = Vec::new();
        for value in &list {
            let argument = argument(value).map_err(|why| about("arguments", why))?;
            let place = argument.name.replace('-', "_");
            if arguments.iter().any(|other| other.name.replace('-', "_") == place) {
                return Err(Invalid::new(format!("there are two arguments '{}'", argument.name)));
            }
            arguments.push(argument);
        }
        Ok(arguments)
    }

    fn headers(&mut self) -> Result<Vec<Header>, Invalid> {
        let map = match self.0.remove("headers") {
            None => return Ok(Vec::new()),
            Some(Value::Object(map)) if map.len() <= LIST_MAX_ITEMS => map,
            Some(_) => {
                return Err(Invalid::new("headers are not an object of names and values").hint(format!(
                    "at most {LIST_MAX_ITEMS}: {{\"Authorization\": {{\"env\": \"API_KEY\", \"prefix\": \"Bearer \"}}}}"
                )));
            }
        };
        map.iter().map(|(name, value)| header(name, value)).collect()
    }

    /// A body may be written as a text with places, or as an object without any.
    fn body(&mut self) -> Result<Option<String>, Invalid> {
        match self.0.get("body") {
            Some(Value::Object(_)) => Ok(self.0.remove("body").map(|body| body.to_string())),
            _ => self.text("body", TEMPLATE_MAX_BYTES),
        }
    }
}

fn argument(value: &Value) -> Result<Argument, Invalid> {
    let map = value.as_object().ok_or_else(|| Invalid::new("an entry is not an object"))?;
    let mut keys = Keys::new(map)?;
    if let Some(key) = keys.0.keys().find(|key| !["name", "type", "description"].contains(&key.as_str())) {
        return Err(Invalid::new(format!("'{}' is not a key of an argument", invalid::excerpt(key)))
            .hint("its keys are name, type, description"));
    }
    let name = name("name", &keys.required("name", NAME_MAX_BYTES, "what the model calls it")?)?;
    let kind = match keys.text("type", NAME_MAX_BYTES)?.as_deref() {
        None | Some("string") => ArgumentType::String,
        Some("number") => ArgumentType::Number,
        Some(other) => {
            return Err(Invalid::new(format!("'{name}' has the type '{}'", invalid::excerpt(other)))
                .hint("the types are string and number"));
        }
    };
    let description = keys.text("description", DESCRIPTION_MAX_BYTES)?.unwrap_or_default();
    Ok(Argument { name, kind, description })
}

fn header(name: &str, value: &Value) -> Result<Header, Invalid> {
    let name = name.to_owned();
    let map = match value {
        Value::String(value) => return Ok(Header::Plain { name, value: value.clone() }),
        Value::Object(map) => map,
        _ => return Err(Invalid::new(format!("the header '{}' is not a text", invalid::excerpt(&name)))),
    };
    // A prefix may end in a blank, so it is taken as it is.
    let prefix = map.get("prefix").and_then(Value::as_str).unwrap_or_default().to_owned();
    let known = map.keys().all(|key| key == "env" || key == "prefix");
    match map.get("env").and_then(Value::as_str).filter(|variable| known && !variable.is_empty()) {
        Some(variable) => Ok(Header::Variable { name, variable: variable.to_owned(), prefix }),
        None => Err(Invalid::new(format!("the header '{}' cannot be read", invalid::excerpt(&name)))
            .hint("write a text, or {\"env\": \"NAME\", \"prefix\": \"Bearer \"}")),
    }
}
