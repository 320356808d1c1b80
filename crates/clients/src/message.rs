//! What a client tells its hooks on their standard input, and what it takes from their standard output.

use serde_json::{Value, json};

use super::table::{Client, HookForm, Moment};

/// Longest prompt or answer that is kept of one message.
pub const WORDS_MAX_BYTES: usize = 64 << 10;
/// Most that is kept of what a tool was given.
pub const INPUT_MAX_BYTES: usize = 4 << 10;
/// Most that is kept of what a tool gave back.
pub const OUTPUT_MAX_BYTES: usize = 8 << 10;
/// What of a tool's input tells most, the first before the next.
const TELLING: [&str; 12] = [
    "command",
    "cmd",
    "file_path",
    "filePath",
    "path",
    "notebook_path",
    "pattern",
    "query",
    "url",
    "description",
    "prompt",
    "name",
];
/// What a client knows of a file besides what was done to it: the whole file as it was.
const UNTOLD: [&str; 2] = ["originalFile", "original_file"];
/// Where what a tool gave back may stand inside of something else.
const WITHIN: [&str; 4] = ["metadata", "output", "llmContent", "text"];
/// How the line of an exit code begins, and among how many lines of either end it is looked for.
const EXIT_LINES: [&str; 3] = ["exit code", "process exited with code", "command exited with code"];
const EXIT_WITHIN: usize = 8;
/// Where clients put the name of a file.
const FILE_KEYS: [&str; 5] = ["file_path", "filePath", "notebook_path", "absolute_path", "target_file"];
/// What stands before the name of a file in a patch.
const PATCH_LINES: [&str; 4] = ["*** Update File:", "*** Add File:", "*** Delete File:", "*** Move to:"];
/// What the names of tools that change files contain.
const EDITING: [&str; 6] = ["edit", "write", "patch", "replace", "create_file", "insert"];
/// Most files of one use, and items of one list.
const FILES_MAX: usize = 50;
const TODOS_MAX: usize = 100;
/// Longest name of a session, a turn or a tool.
const NAME_MAX_CHARS: usize = 200;

/// One message of a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The session it is about.
    pub session: String,
    /// The turn of that session, where the client names it.
    pub turn: Option<String>,
    /// The folder the client works in.
    pub folder: Option<String>,
    /// The language model.
    pub model: Option<String>,
    /// What happened.
    pub happened: Happened,
}

/// What happened in a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Happened {
    /// It began; or it goes on, with its context compacted or taken up again.
    Began {
        /// Whether it goes on.
        goes_on: bool,
    },
    /// The user asked for something.
    Asked(String),
    /// A tool was used.
    Used(ToolUse),
    /// The agent said something, and may go on.
    Said(String),
    /// The context is about to be compacted.
    Compacting,
    /// The agent is done with what was asked, and said this in the end.
    Stopped(String),
    /// It ended.
    Ended,
}

/// One use of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolUse {
    /// Which tool.
    pub tool: String,
    /// What it was given, in one line: the command, the file, what was looked for. It may be long, and hold a secret.
    pub gist: String,
    /// What it was given.
    pub input: String,
    /// What it gave back.
    pub output: String,
    /// Whether it failed.
    pub failed: bool,
    /// How long it took, where the client says so.
    pub duration_ms: Option<u64>,
    /// The files it was about.
    pub files: Vec<String>,
    /// Whether it changed them.
    pub is_edit: bool,
    /// What a command ended with.
    pub exit_code: Option<i64>,
    /// The agent's own list of what is to be done, as it stands now, where this use sets it.
    pub todos: Option<Vec<Todo>>,
}

/// One item of an agent's own list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Todo {
    /// What is to be done.
    pub text: String,
    /// How it stands, as the client says: `pending`, `in_progress`, `completed`.
    pub status: String,
}

impl Message {
    /// Reads a message of a client about one of its events.
    pub fn read(client: &Client, event: &str, text: &[u8]) -> Result<Self, String> {
        let hooks = client.hooks.as_ref().ok_or_else(|| format!("{} has no hooks", client.title))?;
        let moment = hooks.moment(event).ok_or_else(|| format!("{} has no event '{}'", client.title, name(event)))?;
        let said: Value = serde_json::from_slice(text).map_err(|error| format!("the message is not JSON: {error}"))?;
        let named = |keys: &[&str]| keys.iter().find_map(|key| said[*key].as_str()).map(name).filter(|n| !n.is_empty());
        let session = named(&["session_id", "conversation_id", "trajectory_id"]).ok_or("the message has no session")?;
        let folder = said["cwd"].as_str().or_else(|| said["workspace_roots"][0].as_str());
        Ok(Self {
            session,
            turn: named(&["turn_id", "generation_id", "execution_id"]),
            folder: folder.or_else(|| said["tool_info"]["cwd"].as_str()).map(str::to_owned),
            model: named(&["model", "model_name"]),
            happened: happened(moment, event, &said),
        })
    }
}

fn happened(moment: Moment, event: &str, said: &Value) -> Happened {
    let info = &said["tool_info"];
    let words = |values: &[&Value]| {
        let found = values.iter().find_map(|value| value.as_str()).unwrap_or_default();
        shortened(found.trim(), WORDS_MAX_BYTES)
    };
    match moment {
        Moment::Begins => {
            let goes_on = said["source"].as_str().is_some_and(|source| matches!(source, "resume" | "compact"));
            Happened::Began { goes_on }
        }
        // Whole: what is private in it is taken out before it is shortened.
        Moment::Asks => {
            let prompt = said["prompt"].as_str().or_else(|| info["user_prompt"].as_str()).unwrap_or_default();
            Happened::Asked(prompt.trim().to_owned())
        }
        Moment::Uses | Moment::Fails if info.is_object() => Happened::Used(from_info(event, info)),
        Moment::Uses | Moment::Fails => Happened::Used(tool_use(said, moment == Moment::Fails)),
        Moment::Says => Happened::Said(words(&[&said["text"]])),
        Moment::Compacts => Happened::Compacting,
        Moment::Stops => {
            Happened::Stopped(words(&[&said["last_assistant_message"], &said["prompt_response"], &info["response"]]))
        }
        Moment::Ends => Happened::Ended,
    }
}

/// The use of a tool as a client tells it.
pub fn tool_use(said: &Value, failed: bool) -> ToolUse {
    let given = ["tool_response", "tool_output", "error", "error_message"];
    let output = given.iter().map(|key| &said[*key]).find(|value| !value.is_null()).unwrap_or(&Value::Null);
    // Some clients write what a tool gave back as a text that is JSON itself.
    let inner = output.as_str().filter(|text| text.starts_with('{')).and_then(|text| serde_json::from_str(text).ok());
    let output = inner.as_ref().unwrap_or(output);
    let duration = ["duration_ms", "duration"].iter().find_map(|key| said[*key].as_f64());
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a time that is not negative")]
    let duration_ms = duration.filter(|ms| *ms >= 0.0).map(|ms| ms as u64);
    ToolUse {
        tool: name(said["tool_name"].as_str().unwrap_or("tool")),
        gist: gist(&said["tool_input"]).unwrap_or_default(),
        input: told(&said["tool_input"], INPUT_MAX_BYTES),
        output: told(output, OUTPUT_MAX_BYTES),
        failed: failed || says_failure(output),
        duration_ms,
        files: files(&said["tool_input"]),
        is_edit: is_edit(said["tool_name"].as_str().unwrap_or_default()),
        exit_code: exit_code(output),
        todos: todos(&said["tool_input"]),
    }
}

/// A tool's use where the client has an event for each tool.
fn from_info(event: &str, info: &Value) -> ToolUse {
    let (tool, input, output) = match event {
        "post_run_command" => ("run_command".to_owned(), &info["command_line"], &Value::Null),
        "post_mcp_tool_use" => {
            let of = |key: &str| info[key].as_str().unwrap_or_default();
            let tool = format!("{}:{}", of("mcp_server_name"), of("mcp_tool_name"));
            (tool, &info["mcp_tool_arguments"], &info["mcp_result"])
        }
        _ => ("write_code".to_owned(), info, &Value::Null),
    };
    ToolUse {
        tool: name(&tool),
        gist: gist(input).unwrap_or_default(),
        input: told(input, INPUT_MAX_BYTES),
        output: told(output, OUTPUT_MAX_BYTES),
        failed: says_failure(output),
        duration_ms: None,
        files: files(info),
        is_edit: tool == "write_code",
        exit_code: exit_code(output),
        todos: None,
    }
}

/// What a tool was given in one line: of what has a telling name the first, else the first of all under its own name, by
/// which a secret is known.
fn gist(input: &Value) -> Option<String> {
    match input {
        Value::String(text) => {
            let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
            let line: String = line.chars().filter(|c| !c.is_control()).collect();
            // What says that something was left out stands on a line of its own elsewhere.
            Some(shortened(&line, INPUT_MAX_BYTES).replace('\n', " "))
        }
        Value::Number(number) => Some(number.to_string()),
        Value::Array(items) if items.iter().all(Value::is_string) => {
            let words: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
            gist(&Value::String(words.join(" ")))
        }
        Value::Array(items) => items.iter().find_map(gist),
        Value::Object(members) => {
            let named = |(key, value): (&String, &Value)| match value {
                Value::String(_) | Value::Number(_) => gist(value).map(|line| format!("{}: {line}", name(key))),
                _ => gist(value),
            };
            let telling = TELLING.iter().filter_map(|key| members.get(*key)).find_map(gist);
            telling.or_else(|| members.iter().find_map(named))
        }
        _ => None,
    }
}

/// The files that a tool was given: by the names that clients give them, and in the patches of those that send patches.
fn files(input: &Value) -> Vec<String> {
    let mut found: Vec<String> = FILE_KEYS.iter().filter_map(|key| input[*key].as_str()).map(name).collect();
    let texts = match input {
        Value::String(text) => vec![text.as_str()],
        Value::Object(members) => members.values().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let lines = texts.into_iter().filter(|text| text.contains("*** ")).flat_map(str::lines);
    let marked = |line: &str| PATCH_LINES.iter().find_map(|mark| line.trim().strip_prefix(mark)).map(name);
    found.extend(lines.filter_map(marked));
    let mut seen = std::collections::HashSet::new();
    found.retain(|file| !file.is_empty() && seen.insert(file.clone()));
    found.truncate(FILES_MAX);
    found
}

fn is_edit(tool: &str) -> bool {
    let tool = tool.to_ascii_lowercase();
    EDITING.iter().any(|word| tool.contains(word))
}

/// What a command ended with, by a mark or by the line that says so.
fn exit_code(output: &Value) -> Option<i64> {
    match output {
        Value::String(text) => {
            text.lines().take(EXIT_WITHIN).chain(text.lines().rev().take(EXIT_WITHIN)).find_map(code)
        }
        Value::Object(_) => {
            let marked = ["exit_code", "exitCode"].iter().find_map(|key| output[*key].as_i64());
            marked.or_else(|| WITHIN.iter().find_map(|key| exit_code(&output[*key])))
        }
        _ => None,
    }
}

/// The list of an agent, in the forms that clients have.
fn todos(input: &Value) -> Option<Vec<Todo>> {
    let items = ["todos", "plan"].iter().find_map(|key| input[*key].as_array())?;
    let todo = |item: &Value| {
        let text = ["content", "step", "text", "description", "title"].iter().find_map(|key| item[*key].as_str())?;
        let status = item["status"].as_str().unwrap_or("pending");
        Some(Todo { text: name(text), status: name(status) }).filter(|todo| !todo.text.is_empty())
    };
    Some(items.iter().filter_map(todo).take(TODOS_MAX).collect())
}

/// Whether what a tool gave back says that it failed.
fn says_failure(output: &Value) -> bool {
    outcome(output).unwrap_or(false)
}

/// Whether it failed, where it says so or says that it did not. A mark counts more than words.
fn outcome(output: &Value) -> Option<bool> {
    match output {
        Value::String(text) => ends_in_failure(text).then_some(true),
        Value::Array(items) => items.iter().find_map(outcome),
        Value::Object(_) => marked(output).or_else(|| WITHIN.iter().find_map(|key| outcome(&output[*key]))),
        _ => None,
    }
}

/// Whether a text has the line of an exit code other than 0, as clients put before or behind what a command printed.
fn ends_in_failure(text: &str) -> bool {
    let is_failure = |line: &str| code(line).is_some_and(|code| code != 0);
    text.lines().take(EXIT_WITHIN).chain(text.lines().rev().take(EXIT_WITHIN)).any(is_failure)
}

/// The exit code that a line says.
fn code(line: &str) -> Option<i64> {
    let line = line.trim().to_ascii_lowercase();
    let code = EXIT_LINES.iter().find_map(|words| line.strip_prefix(words))?;
    code.trim_start_matches(':').trim().parse().ok()
}

fn marked(output: &Value) -> Option<bool> {
    let codes = ["exit_code", "exitCode"].map(|key| output[key].as_i64().map(|code| code != 0));
    let errors = ["is_error", "isError"].map(|key| output[key].as_bool());
    let marks: Vec<bool> =
        codes.into_iter().chain(errors).chain([output["success"].as_bool().map(|fine| !fine)]).flatten().collect();
    let error = &output["error"];
    let has_error = !(error.is_null() || *error == "" || *error == false);
    if has_error || marks.contains(&true) { Some(true) } else { marks.first().copied() }
}

/// A value as a person would read it: its words, under their names.
fn told(value: &Value, max_bytes: usize) -> String {
    let mut out = String::new();
    tell(value, &mut out);
    shortened(out.trim_end(), max_bytes)
}

fn tell(value: &Value, out: &mut String) {
    match value {
        Value::Null | Value::Bool(false) => {}
        Value::String(text) => *out += text.trim_end(),
        Value::Array(items) => items.iter().for_each(|item| {
            tell(item, out);
            out.push('\n');
        }),
        Value::Object(members) => {
            members.iter().filter(|(key, _)| !UNTOLD.contains(&key.as_str())).for_each(|(key, value)| {
                let before = out.len();
                tell(value, out);
                if out.len() > before {
                    let gap = if out[before..].contains('\n') { "\n" } else { " " };
                    out.insert_str(before, &format!("{key}:{gap}"));
                    out.push('\n');
                }
            })
        }
        other => *out += &other.to_string(),
    }
}

/// The beginning and the end of a text that is too long.
pub fn shortened(text: &str, max_bytes: usize) -> String {
    if text.len() <= max_bytes {
        return text.to_owned();
    }
    let floor = |mut at: usize| {
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let (head, tail) = (floor(max_bytes / 4 * 3), floor(text.len() - max_bytes / 5));
    format!("{}\n… {} bytes are left out …\n{}", &text[..head], tail - head, &text[tail..])
}

/// A name in one line, cut where it is too long to be one.
fn name(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(NAME_MAX_CHARS).collect::<String>().trim().to_owned()
}

/// What a client is to be told when a session begins, in the form it takes; nothing where it takes nothing.
pub fn answer(client: &Client, event: &str, text: &str) -> Option<String> {
    let form = client.hooks.as_ref()?.form;
    let answer = match form {
        HookForm::Nested | HookForm::NestedMillis => {
            json!({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}})
        }
        HookForm::Versioned => json!({"additional_context": text}),
        HookForm::Silent => return None,
    };
    Some(answer.to_string())
}
