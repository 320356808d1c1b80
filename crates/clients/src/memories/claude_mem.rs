//! claude-mem: the rows of its database. Columns have other names in older versions; both are read.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::{Item, What, take_first, take_text, take_texts, take_time};

/// What the columns of a summary are called, in the order in which they are told.
const SUMMARY: [(&str, &str); 6] = [
    ("request", "Request"),
    ("investigated", "Investigated"),
    ("learned", "Learned"),
    ("completed", "Completed"),
    ("next_steps", "Next steps"),
    ("notes", "Notes"),
];
/// The session as the coding agent knows it.
const OWN_SESSION: [&str; 2] = ["content_session_id", "claude_session_id"];
/// The session as claude-mem's own agent knows it.
const ITS_SESSION: [&str; 2] = ["memory_session_id", "sdk_session_id"];

/// The tables that are read, in this order: what is off the record is known by the prompts.
pub const TABLES: [&str; 4] = ["user_prompts", "tool_uses", "observations", "session_summaries"];

/// The sessions, by which every other row is found.
#[derive(Debug, Default)]
pub struct Sessions {
    /// The agent's session and the project, by claude-mem's session.
    by_its: HashMap<String, (String, Option<String>)>,
    projects: HashMap<String, String>,
}

impl Sessions {
    /// A row of `sdk_sessions`.
    pub fn add(&mut self, mut row: Map<String, Value>) {
        let project = take_text(&mut row, "project");
        let Some(own) = take_first(&mut row, &OWN_SESSION) else { return };
        if let Some(project) = &project {
            self.projects.insert(own.clone(), project.clone());
        }
        if let Some(its) = take_first(&mut row, &ITS_SESSION) {
            self.by_its.insert(its, (own, project));
        }
    }

    /// What a row of one of the tables tells.
    pub fn items(&self, table: &str, mut row: Map<String, Value>) -> Result<Vec<Item>, String> {
        let number = take_text(&mut row, "id").ok_or("it has no id")?;
        let its = take_first(&mut row, &ITS_SESSION);
        let known = its.as_ref().and_then(|its| self.by_its.get(its));
        let own = take_first(&mut row, &OWN_SESSION).or_else(|| known.map(|(own, _)| own.clone()));
        let session = own.or(its.clone()).ok_or("it has no session")?;
        let epoch = take_time(&mut row, "created_at_epoch");
        let made = take_time(&mut row, "created_at").or(epoch);
        let project = take_text(&mut row, "project")
            .or_else(|| known.and_then(|(_, project)| project.clone()))
            .or_else(|| self.projects.get(&session).cloned());
        let item = Item { made, conversation: Some(session.clone()), project, ..Item::default() };
        let id = |what: &str| format!("{what}:{session}:{number}");
        Ok(match table {
            "user_prompts" => vec![prompt(Item { id: id("prompt"), ..item }, row)?],
            "tool_uses" => tool_use(&Item { id: id("tool"), ..item }, row),
            "observations" => vec![observation(Item { id: id("observation"), ..item }, row)],
            _ => vec![summary(Item { id: id("summary"), ..item }, row)],
        })
    }
}

fn prompt(item: Item, mut row: Map<String, Value>) -> Result<Item, String> {
    let text = take_text(&mut row, "prompt_text").ok_or("it has no prompt_text")?;
    Ok(Item { what: What::Prompt, text, rest: telling(row), ..item })
}

fn tool_use(item: &Item, mut row: Map<String, Value>) -> Vec<Item> {
    let tool = take_text(&mut row, "tool_name").unwrap_or_else(|| "tool".to_owned());
    let mut read = |key: &str| {
        let said = take_text(&mut row, key)?;
        Some(serde_json::from_str(&said).unwrap_or(Value::String(said)))
    };
    let (input, output) = (read("tool_input").unwrap_or_default(), read("tool_response"));
    let turn = row.get("prompt_number").map(|turn| ("prompt_number".to_owned(), turn.clone()));
    let called = Item { what: What::Call { tool: tool.clone(), input }, rest: telling(row), ..item.clone() };
    let gave = output.map(|output| Item {
        id: format!("{}:output", item.id),
        what: What::Output { tool, call: Some(item.id.clone()), failed: false },
        text: output.as_str().map_or_else(|| output.to_string(), str::to_owned),
        rest: turn.into_iter().collect(),
        ..item.clone()
    });
    [Some(called), gave].into_iter().flatten().collect()
}

fn observation(item: Item, mut row: Map<String, Value>) -> Item {
    let (title, subtitle) = (take_text(&mut row, "title"), take_text(&mut row, "subtitle"));
    let told = [title.clone(), subtitle, take_text(&mut row, "narrative"), take_text(&mut row, "text")];
    let mut parts: Vec<String> = told.into_iter().flatten().collect();
    let facts: Vec<String> = take_texts(&mut row, "facts").iter().map(|fact| format!("- {fact}")).collect();
    if !facts.is_empty() {
        parts.push(facts.join("\n"));
    }
    let kind = take_text(&mut row, "type");
    let tags = kind.into_iter().chain(take_texts(&mut row, "concepts")).collect();
    let mut metadata = Map::new();
    let changed = take_texts(&mut row, "files_modified");
    let files: Vec<String> = take_texts(&mut row, "files_read").into_iter().chain(changed.clone()).collect();
    for (key, files) in [("files", files), ("files_modified", changed)] {
        if !files.is_empty() {
            metadata.insert(key.to_owned(), json!(files));
        }
    }
    Item { text: parts.join("\n\n"), summary: title, tags, metadata, rest: telling(row), ..item }
}

fn summary(item: Item, mut row: Map<String, Value>) -> Item {
    let told = SUMMARY.iter().filter_map(|(key, name)| Some(format!("{name}: {}", take_text(&mut row, key)?)));
    let text = told.collect::<Vec<_>>().join("\n\n");
    Item { text, tags: vec!["summary".to_owned()], rest: telling(row), ..item }
}

/// What a row says besides.
fn telling(mut row: Map<String, Value>) -> Map<String, Value> {
    row.retain(|_, value| !value.is_null() && *value != "" && *value != "[]");
    row
}
