//! The memory as resources: what is known at a glance, notes, traces and events, each under an address.

use idetic_ops::Kind;
use rmcp::ErrorData;
use rmcp::model::{JsonObject, ListResourcesResult, ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use serde_json::{Value, json};

use super::Server;
use super::asker::Caller;
use super::tools::Profile;
use crate::cursor::PAGE;
use crate::{Principal, Refusal, Service, hints};

/// What every address begins with.
const SCHEME: &str = "memory://";
/// What is known at a glance.
const CONTEXT: &str = "memory://context";
/// Traces that are listed at most; every other one can be read.
const TRACES_MAX: usize = 1000;

/// Things that have an address.
struct Sort {
    word: &'static str,
    title: &'static str,
    about: &'static str,
    mime: &'static str,
    /// The operation that shows one, and its argument that names it.
    shown_by: (&'static str, &'static str),
    /// What the address is made with, for people.
    variable: &'static str,
}

const SORTS: [Sort; 4] = [
    Sort {
        word: "note",
        title: "Note",
        about: "One note, whole, in Markdown",
        mime: "text/markdown",
        shown_by: ("note show", "note"),
        variable: "id",
    },
    Sort {
        word: "trace",
        title: "Trace",
        about: "One workflow, step by step",
        mime: "application/json",
        shown_by: ("trace", "trace"),
        variable: "id",
    },
    Sort {
        word: "event",
        title: "Event",
        about: "One event, whole",
        mime: "application/json",
        shown_by: ("get", "event"),
        variable: "id",
    },
    Sort {
        word: "context",
        title: "Context for a question",
        about: "What answers a question, packed into a token budget, fenced and cited",
        mime: "text/markdown",
        shown_by: ("context", "query"),
        variable: "question",
    },
];

/// The address of a thing.
pub fn uri(word: &str, id: &str) -> String {
    let mut uri = format!("{SCHEME}{word}/");
    for byte in id.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => uri.push(char::from(byte)),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

/// What an address says, if it is one of ours.
fn read(uri: &str) -> Option<(&'static Sort, String)> {
    let (word, id) = uri.strip_prefix(SCHEME)?.split_once('/')?;
    let sort = SORTS.iter().find(|sort| sort.word == word)?;
    let (mut bytes, mut rest) = (Vec::new(), id.as_bytes());
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let (pair, after) = rest.split_at_checked(2)?;
        bytes.push(u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?);
        rest = after;
    }
    String::from_utf8(bytes).ok().filter(|id| !id.is_empty()).map(|id| (sort, id))
}

/// How the addresses are made that somebody may read.
pub fn templates(who: &Principal) -> Vec<ResourceTemplate> {
    let may = |sort: &&Sort| Service::operation(sort.shown_by.0).is_some_and(|operation| who.may(operation));
    let template = |sort: &Sort| {
        ResourceTemplate::new(format!("{SCHEME}{}/{{{}}}", sort.word, sort.variable), sort.word)
            .with_title(sort.title)
            .with_description(sort.about)
            .with_mime_type(sort.mime)
    };
    SORTS.iter().filter(may).map(template).collect()
}

impl Server {
    /// What can be read, a page of it: first what is known at a glance, then notes, then traces.
    pub(super) async fn resources(
        &self,
        asker: &Caller,
        cursor: Option<&str>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let lists = [("note", "note list", json!({})), ("trace", "trace", json!({"limit": TRACES_MAX}))];
        let wrong = || ErrorData::invalid_params("the cursor is not valid for this list", None);
        let (first, mut at) = match cursor {
            None => (0, None),
            Some(text) => {
                let (word, at) = text.split_once(':').ok_or_else(wrong)?;
                let first = lists.iter().position(|(own, ..)| *own == word).ok_or_else(wrong)?;
                (first, Some(at.to_owned()).filter(|at| !at.is_empty()))
            }
        };
        let mut listed = ListResourcesResult::default();
        if cursor.is_none() {
            listed.resources.push(glance());
        }
        for (word, operation, arguments) in lists.into_iter().skip(first) {
            if listed.resources.len() >= PAGE {
                listed.next_cursor = Some(format!("{word}:"));
                break;
            }
            let mut arguments = arguments.as_object().cloned().unwrap_or_default();
            arguments.extend(at.take().map(|at| ("cursor".to_owned(), json!(at))));
            let page = self.listing(asker, operation, arguments).await?;
            listed.resources.extend(page["items"].as_array().into_iter().flatten().map(|item| resource(word, item)));
            if let Some(next) = page["next"].as_str() {
                listed.next_cursor = Some(format!("{word}:{next}"));
                break;
            }
        }
        Ok(listed)
    }

    /// A list of things; nothing where there are none to be seen.
    pub(super) async fn listing(
        &self,
        asker: &Caller,
        operation: &str,
        arguments: JsonObject,
    ) -> Result<Value, ErrorData> {
        let Some(operation) = Service::operation(operation) else { return Ok(Value::Null) };
        match self.run(asker, operation, arguments).await? {
            Ok(text) => Ok(serde_json::from_str(&text).unwrap_or_default()),
            Err(Refusal::Forbidden) => Ok(Value::Null),
            Err(Refusal::Failed(error)) if error.kind == Kind::NotFound => Ok(Value::Null),
            Err(Refusal::Failed(error)) => Err(failed(self.profile, error)),
        }
    }

    /// One resource. What may not be seen is answered as what does not exist.
    pub(super) async fn resource(&self, asker: &Caller, uri: &str) -> Result<ReadResourceResult, ErrorData> {
        let missing =
            || ErrorData::resource_not_found(format!("there is no resource {uri}"), Some(json!({"uri": uri})));
        let contents = |text: String, mime: &str| {
            ReadResourceResult::new(vec![ResourceContents::text(text, uri).with_mime_type(mime)])
        };
        if uri == CONTEXT {
            return Ok(contents(self.glance(asker).await?, "text/markdown"));
        }
        let (sort, id) = read(uri).ok_or_else(missing)?;
        let (operation, argument) = sort.shown_by;
        let operation = Service::operation(operation).ok_or_else(missing)?;
        let arguments = JsonObject::from_iter([(argument.to_owned(), json!(id))]);
        let text = match self.run(asker, operation, arguments).await? {
            Ok(text) => text,
            Err(Refusal::Forbidden) => return Err(missing()),
            Err(Refusal::Failed(error)) if error.kind == Kind::NotFound => return Err(missing()),
            Err(Refusal::Failed(error)) => return Err(failed(self.profile, error)),
        };
        let text = if sort.mime == "text/markdown" {
            let shown: Value = serde_json::from_str(&text).unwrap_or_default();
            shown["text"].as_str().unwrap_or_default().to_owned()
        } else {
            text
        };
        Ok(contents(text, sort.mime))
    }
}

fn glance() -> Resource {
    Resource::new(CONTEXT, "context")
        .with_title("What is known")
        .with_description("The latest facts, notes and events at a glance")
        .with_mime_type("text/markdown")
}

/// A thing of a list as a resource.
fn resource(word: &str, item: &Value) -> Resource {
    let text = |name: &str| item[name].as_str().unwrap_or_default();
    let (id, title) = match word {
        "note" => (text("note"), text("title").to_owned()),
        _ => (text("trace_id"), format!("Trace {}, {} events", text("trace_id"), item["events"])),
    };
    let mime = SORTS.iter().find(|sort| sort.word == word).map_or("application/json", |sort| sort.mime);
    Resource::new(uri(word, id), id).with_title(title).with_mime_type(mime)
}

/// A failure that is neither a tool's nor about what is missing.
pub fn failed(profile: Profile, error: idetic_ops::Error) -> ErrorData {
    let error = hints::retold(error, &|operation| profile.call_of(operation));
    let text = if error.hint.is_empty() { error.message } else { format!("{}; {}", error.message, error.hint) };
    match error.kind {
        Kind::Invalid => ErrorData::invalid_params(text, None),
        _ => ErrorData::internal_error(text, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read_as_it_was_made() {
        for id in ["plain", "with/slash", "with space & ümläut", "100%", "?#:@"] {
            let (sort, read) = read(&uri("note", id)).expect(id);
            assert_eq!((sort.word, read.as_str()), ("note", id));
        }
        for wrong in [
            "",
            "memory://",
            "memory://note",
            "memory://note/",
            "memory://other/x",
            "file:///x",
            "memory://note/%",
            "memory://note/%2",
            "memory://note/%zz",
            "memory://note/%ff",
        ] {
            assert!(read(wrong).is_none(), "{wrong}");
        }
    }
}
