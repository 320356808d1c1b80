//! Adding: each message is a memory as it is. With `infer`, what people say is also read for facts, by rules.

use axum::response::Response;
use idetic_ops::Error;
use idetic_ops::core::{SpaceName, Time};
use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};

use super::asked::{Asked, Refused};
use super::filters::{OWNERS, time_of};
use super::memories::SOURCE;
use super::{Answered, answer, place};

/// Until when a memory is kept.
pub const EXPIRATION: &str = "expiration_date";
/// Metadata that means something else here.
const RESERVED: [&str; 1] = ["supersedes"];

pub async fn add(asked: Asked) -> Response {
    answer(store(asked).await)
}

/// Whose memories are added, and what all of them have in common.
struct Common {
    user: Option<String>,
    agent: Option<String>,
    run: Option<String>,
    metadata: Map<String, Value>,
    ts: Option<String>,
    expires_at: Option<String>,
    infer: bool,
}

async fn store(mut asked: Asked) -> Answered {
    let messages = messages(asked.take("messages"))?;
    let common = Common::of(&mut asked)?;
    asked.accept("version", &[json!("v1"), json!("v2")])?;
    asked.accept("output_format", &[json!("v1.1")])?;
    // It is always stored when the answer comes.
    asked.accept("async_mode", &[json!(true), json!(false)])?;
    for name in ["enable_graph", "immutable"] {
        asked.accept(name, &[json!(false)])?;
    }
    asked.finish()?;
    let space = place::space(&asked, common.user.as_deref())?;
    let records: Vec<Value> = messages.iter().map(|message| common.record(message)).collect::<Result<_, Error>>()?;
    let mut arguments = json!({"events": records});
    if let Some(agent) = &common.agent {
        arguments["agent"] = json!(agent);
    }
    let stored = asked.call_once("append", &space, &arguments).await?;
    let ids = stored["items"].as_array().into_iter().flatten().filter_map(|ack| ack["id"].as_str());
    let results: Vec<Value> = ids
        .zip(&messages)
        .map(|(id, message)| json!({"id": place::id(&space, id), "memory": message.text, "event": "ADD", "role": message.role}))
        .collect();
    let mut message = match results.len() {
        1 => "1 memory stored".to_owned(),
        count => format!("{count} memories stored"),
    };
    // They are stored whether or not facts can be taken from them.
    if common.take_facts(&asked, &space).await.is_err() {
        message.push_str("; facts could not be taken from them, `idetic extract` tries it again");
    }
    Ok(json!({"message": message, "status": "SUCCEEDED", "results": results}))
}

impl Common {
    fn of(asked: &mut Asked) -> Result<Self, Refused> {
        let mut owners = Map::new();
        let named = match asked.take("filters") {
            Some(Value::Object(named)) => named,
            Some(other) => {
                return Err(Error::invalid(format!("filters is {other}"))
                    .hint("an object with user_id, agent_id, app_id or run_id is expected")
                    .into());
            }
            None => Map::new(),
        };
        for name in ["user_id", OWNERS[0].0, OWNERS[1].0, OWNERS[2].0] {
            owners.extend(asked.take_text(name)?.map(|value| (name.to_owned(), Value::String(value))));
        }
        for (name, value) in named {
            if !(name == "user_id" || OWNERS.iter().any(|(own, _)| *own == name))
                || value.as_str().is_none_or(str::is_empty)
            {
                return Err(Error::invalid(format!("filters.{name} cannot be used to add a memory"))
                    .hint("user_id, agent_id, app_id and run_id say whose it is; metadata has the rest")
                    .into());
            }
            if owners.insert(name.clone(), value.clone()).is_some_and(|known| known != value) {
                return Err(Error::invalid(format!("{name} is given twice")).hint("once is enough").into());
            }
        }
        let mut take = |name: &str| owners.remove(name).and_then(|value| value.as_str().map(str::to_owned));
        let (user, agent, run, app) = (take("user_id"), take("agent_id"), take("run_id"), take("app_id"));
        let mut metadata = match asked.take("metadata") {
            Some(Value::Object(metadata)) => metadata,
            Some(other) => {
                return Err(Error::invalid(format!("metadata is {other}")).hint("an object is expected").into());
            }
            None => Map::new(),
        };
        check(&metadata)?;
        if let Some(app) = app.map(Value::String)
            && metadata.insert("app_id".to_owned(), app.clone()).is_some_and(|known| known != app)
        {
            return Err(Error::invalid("app_id and metadata.app_id differ")
                .hint("app_id is kept in the metadata: give one")
                .into());
        }
        let ts = match asked.take("timestamp") {
            Some(said) => {
                let time = said.as_f64().and_then(time_of).map(|time| time.to_string());
                let wrong =
                    || Error::invalid(format!("timestamp is {said}")).hint("seconds since 1970, or an ISO time");
                Some(time.or_else(|| said.as_str().map(str::to_owned)).ok_or_else(wrong)?)
            }
            None => None,
        };
        let expires_at = asked.take(EXPIRATION).map(|date| end_of(&date, asked.now())).transpose()?;
        let infer = asked.take_bool("infer")?.unwrap_or(true);
        Ok(Self { user, agent, run, metadata, ts, expires_at, infer })
    }

    /// One message as an event.
    fn record(&self, message: &Message) -> Result<Value, Error> {
        let kind = match (message.role.as_str(), self.infer) {
            ("assistant", _) => "actor_output",
            ("tool" | "function", _) => "tool_result",
            ("user", true) => "user_input",
            ("user", false) => "memory.remembered",
            (other, _) => {
                return Err(
                    Error::invalid(format!("the role '{other}' is not known")).hint("user, assistant, tool or system")
                );
            }
        };
        let mut record = json!({"kind": kind, "source": SOURCE, "content": message.text});
        let (run, expires_at) = (&self.run, &self.expires_at);
        let named = [("conversation_id", run), ("author", &message.name), ("ts", &self.ts), ("expires_at", expires_at)];
        for (name, value) in named {
            if let Some(value) = value {
                record[name] = json!(value);
            }
        }
        if !self.metadata.is_empty() {
            record["metadata"] = json!(self.metadata);
        }
        Ok(record)
    }

    /// Facts, from the words of the run; without one `idetic extract` takes them later, from everything at once.
    async fn take_facts(&self, asked: &Asked, space: &SpaceName) -> Result<(), Refused> {
        let Some(run) = self.run.as_ref().filter(|_| self.infer) else { return Ok(()) };
        let mut arguments = json!({"conversation": run});
        if let Some(agent) = &self.agent {
            arguments["agent"] = json!(agent);
        }
        asked.call::<IgnoredAny>("extract", space, &arguments).await.map(drop)
    }
}

/// When something expires that is kept until the end of a day, or until a time.
pub fn end_of(date: &Value, now: Time) -> Result<String, Error> {
    let text = date.as_str().unwrap_or_default();
    let time = Time::parse(text).map_err(|_| {
        Error::invalid(format!("{EXPIRATION} is {date}")).hint("a date such as 2030-01-31, or an ISO time")
    })?;
    let is_date = text.len() == "2030-01-31".len();
    let end = if is_date { time.plus_days(1) } else { time };
    if end <= now {
        return Err(
            Error::invalid(format!("{EXPIRATION} = {date} is in the past")).hint("delete erases a memory at once")
        );
    }
    Ok(end.to_string())
}

/// Metadata that would change another memory is refused.
pub fn check(metadata: &Map<String, Value>) -> Result<(), Error> {
    match RESERVED.iter().find(|name| metadata.contains_key(**name)) {
        Some(name) => {
            Err(Error::invalid(format!("metadata.{name} is reserved: it says which memory an update replaces"))
                .hint("use another name"))
        }
        None => Ok(()),
    }
}

/// A message of a conversation.
struct Message {
    role: String,
    text: String,
    name: Option<String>,
}

/// The messages; what the system is told is no memory, to mem0 neither.
fn messages(said: Option<Value>) -> Result<Vec<Message>, Error> {
    let list = match said {
        Some(Value::Array(list)) => list,
        Some(text @ Value::String(_)) => vec![json!({"role": "user", "content": text})],
        Some(one @ Value::Object(_)) => vec![one],
        _ => return Err(Error::invalid("messages are missing").hint("a text, or a list of {\"role\", \"content\"}")),
    };
    let mut messages = Vec::with_capacity(list.len());
    for (at, message) in list.iter().enumerate() {
        let text = |name: &str| message[name].as_str().map(str::to_owned);
        let role = text("role").unwrap_or_else(|| "user".to_owned());
        if role == "system" {
            continue;
        }
        let content = content(&message["content"]).filter(|text| !text.trim().is_empty()).ok_or_else(|| {
            Error::invalid(format!("messages[{at}].content is no text"))
                .hint("only texts are stored; describe an image in words")
        })?;
        messages.push(Message { role, text: content, name: text("name") });
    }
    match messages.is_empty() {
        true => {
            Err(Error::invalid("there is nothing to remember").hint("messages of the role system are not memories"))
        }
        false => Ok(messages),
    }
}

/// The text of a message, which may come in parts.
fn content(content: &Value) -> Option<String> {
    match content {
        Value::String(text) => Some(text.clone()),
        Value::Object(part) if part.get("type")? == "text" => part.get("text")?.as_str().map(str::to_owned),
        Value::Array(parts) => {
            parts.iter().map(self::content).collect::<Option<Vec<_>>>().map(|parts| parts.join("\n"))
        }
        _ => None,
    }
}
