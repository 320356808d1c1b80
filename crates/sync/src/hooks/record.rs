//! What prompts, uses of tools and answers become: records of the log, without secrets and without what is private.

use idetic_clients::message::{Todo, ToolUse, WORDS_MAX_BYTES, shortened};
use idetic_extract::{quotes_others, without_secrets};
use idetic_memory::standing;
use idetic_memory::writer::PASTED;
use serde_json::{Value, json};

use super::words;
use super::{OFF_THE_RECORD, TODOS_TAG};

/// A prompt, and what is kept of it.
pub fn prompt(prompt: &str) -> (Value, Option<String>) {
    let mut record = json!({"kind": "user_input", "trust": "user"});
    let kept = words::kept(prompt).map(|kept| shortened(&kept, WORDS_MAX_BYTES));
    match &kept {
        Some(kept) => {
            // What was pasted is not what the user says, and is told as such.
            if quotes_others(kept) {
                record["origin"] = json!(PASTED);
            }
            let tags = standing::tags(kept);
            if !tags.is_empty() {
                record["tags"] = json!(tags);
            }
            record["content"] = json!(kept);
        }
        None => {
            record["summary"] = json!(OFF_THE_RECORD);
            record["tags"] = json!(["private"]);
        }
    }
    (record, kept)
}

/// The call of a tool, under an id.
pub fn tool_call(tool: &ToolUse, id: &str, author: &str) -> Value {
    let mut called = json!({"id": id, "kind": "tool_call", "trust": "agent", "author": author,
        "summary": call_line(tool), "content": without_secrets(&tool.input),
        "metadata": {"tool_name": tool.tool}});
    if !tool.files.is_empty() {
        called["metadata"]["files"] = tool.files.iter().map(|file| without_secrets(file)).collect();
        called["metadata"]["edit"] = json!(tool.is_edit);
    }
    if let Some(todos) = &tool.todos {
        let todo = |todo: &Todo| json!({"text": without_secrets(&todo.text), "status": todo.status});
        called["metadata"]["todos"] = todos.iter().map(todo).collect();
        called["tags"] = json!([TODOS_TAG]);
    }
    called
}

/// A call in one line.
pub fn call_line(tool: &ToolUse) -> String {
    format!("{}: {}", tool.tool, brief(&tool.gist))
}

/// What that call gave back.
pub fn tool_result(tool: &ToolUse, call: &str) -> Value {
    let mut metadata = json!({"tool_name": tool.tool});
    if let Some(duration) = tool.duration_ms {
        metadata["duration_ms"] = json!(duration);
    }
    if let Some(code) = tool.exit_code {
        metadata["exit_code"] = json!(code);
    }
    json!({"kind": "tool_result", "status": if tool.failed { "failure" } else { "success" }, "trust": "tool",
        "causes": [call], "origin": format!("tool:{}", brief(&tool.tool)), "content": without_secrets(&tool.output),
        "metadata": metadata})
}

/// What an agent said, and where the repository stood then.
pub fn answer(text: &str, branch: Option<&str>, commit: Option<&str>, author: &str) -> Value {
    let content = without_secrets(&shortened(text, WORDS_MAX_BYTES));
    let mut record = json!({"kind": "actor_output", "trust": "agent", "author": author, "content": content});
    if let Some(branch) = branch {
        record["metadata"] = json!({"branch": branch, "commit": commit});
    }
    record
}

/// The beginning of a line, without its secrets: masked before it is cut, because half a secret is not known for one.
fn brief(line: &str) -> String {
    const CHARS: usize = 200;
    without_secrets(line).chars().take(CHARS).collect()
}
