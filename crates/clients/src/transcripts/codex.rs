//! Transcripts of Codex: `~/.codex/sessions/YYYY/MM/DD/rollout-….jsonl`, one item in a line behind one about the session.

use serde_json::Value;

use super::{Entry, What, text, words};

/// What begins a message of the client itself in the place of a prompt.
const NOT_ASKED: [&str; 6] = [
    "<environment_context>",
    "<user_instructions>",
    "<permissions",
    "<turn_aborted>",
    "# AGENTS.md instructions",
    "<INSTRUCTIONS>",
];

/// Reads one file.
#[derive(Debug, Default)]
pub struct Codex {
    session: Option<String>,
    folder: Option<String>,
    branch: Option<String>,
    started: Option<String>,
    lines: usize,
}

impl Codex {
    /// What a line tells.
    pub fn line(&mut self, line: &str) -> Result<Vec<Entry>, String> {
        let said: Value = serde_json::from_str(line).map_err(|error| format!("not JSON: {error}"))?;
        self.lines += 1;
        // The first versions wrote items without anything around them.
        let is_wrapped = said.get("payload").is_some();
        let item = if is_wrapped { &said["payload"] } else { &said };
        let kind = said["type"].as_str().unwrap_or_default();
        if kind == "session_meta" || !is_wrapped && kind.is_empty() && item["id"].is_string() {
            self.begin(item);
            return Ok(Vec::new());
        }
        if kind == "turn_context" {
            self.folder = text(&item["cwd"]).or(self.folder.take());
        }
        let what = match (kind, is_wrapped) {
            ("compacted", true) => text(&item["message"]).map(What::Compacted),
            ("response_item", true) | (_, false) => told(item),
            _ => None,
        };
        let (Some(what), Some(session)) = (what, &self.session) else { return Ok(Vec::new()) };
        Ok(vec![Entry {
            id: format!("{}", self.lines),
            session: session.clone(),
            ts: text(&said["timestamp"]).or_else(|| self.started.clone()),
            folder: self.folder.clone(),
            branch: self.branch.clone(),
            what,
        }])
    }

    fn begin(&mut self, about: &Value) {
        self.session = text(&about["id"]);
        self.folder = text(&about["cwd"]).or(self.folder.take());
        self.branch = text(&about["git"]["branch"]);
        self.started = text(&about["timestamp"]);
    }
}

fn told(item: &Value) -> Option<What> {
    let call = || text(&item["call_id"]).or_else(|| text(&item["id"]));
    match item["type"].as_str()? {
        "message" => {
            let said = words(&item["content"]);
            match item["role"].as_str()? {
                _ if said.trim().is_empty() => None,
                "user" => (!NOT_ASKED.iter().any(|mark| said.starts_with(mark))).then_some(What::Prompt(said)),
                "assistant" => Some(What::Answer(said)),
                _ => None,
            }
        }
        "function_call" => {
            let given = item["arguments"].as_str().unwrap_or_default();
            let input = serde_json::from_str(given).unwrap_or_else(|_| Value::String(given.to_owned()));
            Some(What::Call { call: call()?, tool: text(&item["name"])?, input })
        }
        "custom_tool_call" => {
            Some(What::Call { call: call()?, tool: text(&item["name"])?, input: item["input"].clone() })
        }
        "local_shell_call" => {
            Some(What::Call { call: call()?, tool: "shell".to_owned(), input: item["action"].clone() })
        }
        "function_call_output" | "custom_tool_call_output" | "local_shell_call_output" => {
            let output = &item["output"];
            let output = output.get("content").filter(|_| output.is_object()).unwrap_or(output);
            let failed = item["output"]["success"] == false;
            Some(What::Output { call: call()?, output: output.clone(), failed })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_are_read() {
        let wrapped = [
            r#"{"timestamp":"2025-12-08T00:37:46Z","type":"session_meta","payload":{"id":"s1","cwd":"/srv/shop","git":{"branch":"main"}}}"#,
            r#"{"timestamp":"2025-12-08T00:37:47Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>x"}]}}"#,
            r#"{"timestamp":"2025-12-08T00:37:48Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Fix it"}]}}"#,
            r#"{"timestamp":"2025-12-08T00:37:48Z","type":"event_msg","payload":{"type":"user_message","message":"Fix it"}}"#,
            r#"{"timestamp":"2025-12-08T00:37:49Z","type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":[\"ls\"]}","call_id":"c1"}}"#,
            r#"{"timestamp":"2025-12-08T00:37:50Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"{\"output\":\"a\",\"metadata\":{\"exit_code\":0}}"}}"#,
            r#"{"timestamp":"2025-12-08T00:37:51Z","type":"response_item","payload":{"type":"reasoning","summary":[]}}"#,
            r#"{"timestamp":"2025-12-08T00:37:52Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Done."}]}}"#,
        ];
        let mut codex = Codex::default();
        let told: Vec<Entry> = wrapped.iter().flat_map(|line| codex.line(line).expect("reads")).collect();
        let kinds: Vec<&str> = told
            .iter()
            .map(|entry| match &entry.what {
                What::Prompt(_) => "prompt",
                What::Call { .. } => "call",
                What::Output { .. } => "gave",
                What::Answer(_) => "answer",
                _ => "other",
            })
            .collect();
        assert_eq!(kinds, ["prompt", "call", "gave", "answer"]);
        assert_eq!((told[0].session.as_str(), told[0].folder.as_deref()), ("s1", Some("/srv/shop")));
        let mut codex = Codex::default();
        assert_eq!(codex.line(r#"{"id":"s0","timestamp":"2025-05-01T00:00:00Z","instructions":""}"#), Ok(Vec::new()));
        let bare = r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"Hello there"}]}"#;
        let told = codex.line(bare).expect("reads");
        assert_eq!(
            (told[0].ts.as_deref(), &told[0].what),
            (Some("2025-05-01T00:00:00Z"), &What::Prompt("Hello there".to_owned()))
        );
    }
}
