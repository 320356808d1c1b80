//! Transcripts of Claude Code: `~/.claude/projects/<folder>/<session>.jsonl`, one message in a line.

use serde_json::Value;

use super::{Entry, What, text, words};

/// What begins a line of the client itself in the place of a prompt.
const NOT_ASKED: [&str; 6] =
    ["<command-", "<local-command", "<system-reminder", "<task-notification", "Caveat: ", "[Request interrupted"];

/// Reads one file.
#[derive(Debug, Default)]
pub struct Claude;

impl Claude {
    /// What a line tells. What is no message tells nothing.
    pub fn line(&mut self, line: &str) -> Result<Vec<Entry>, String> {
        let said: Value = serde_json::from_str(line).map_err(|error| format!("not JSON: {error}"))?;
        let (Some(uuid), Some(session)) = (text(&said["uuid"]), text(&said["sessionId"])) else {
            return Ok(Vec::new());
        };
        let kind = said["type"].as_str().unwrap_or_default();
        if said["isMeta"] == true || !["user", "assistant"].contains(&kind) {
            return Ok(Vec::new());
        }
        let content = &said["message"]["content"];
        let is_agents = said["isSidechain"] == true;
        let mut found = Vec::new();
        if said["isCompactSummary"] == true {
            found.push(What::Compacted(words(content)));
        } else if kind == "user" {
            found.extend(results(content, &said["toolUseResult"]));
            let prompt = asked(content);
            if !prompt.trim().is_empty() && !NOT_ASKED.iter().any(|mark| prompt.starts_with(mark)) {
                found.push(if is_agents { What::Task(prompt) } else { What::Prompt(prompt) });
            }
        } else {
            found.extend(answers(content));
        }
        let entry = |(at, what)| Entry {
            id: if at == 0 { uuid.clone() } else { format!("{uuid}.{at}") },
            session: session.clone(),
            ts: text(&said["timestamp"]),
            folder: text(&said["cwd"]),
            branch: text(&said["gitBranch"]),
            what,
        };
        Ok(found.into_iter().enumerate().map(entry).collect())
    }
}

/// The words of a prompt, which may stand among results.
fn asked(content: &Value) -> String {
    match content {
        Value::Array(parts) => {
            let own = parts.iter().filter(|part| part["type"] == "text").filter_map(|part| part["text"].as_str());
            own.filter(|text| !NOT_ASKED.iter().any(|mark| text.starts_with(mark))).collect::<Vec<_>>().join("\n")
        }
        other => words(other),
    }
}

fn results(content: &Value, whole: &Value) -> Vec<What> {
    let parts = content.as_array().map(Vec::as_slice).unwrap_or_default();
    let of_tool: Vec<&Value> = parts.iter().filter(|part| part["type"] == "tool_result").collect();
    let gave = |part: &&Value| {
        let failed = part["is_error"] == true;
        // The client's own form tells the exit code and both streams; it is of the one result in the line.
        let is_told = of_tool.len() == 1 && whole.is_object() && whole.get("stdout").is_some();
        let output = if is_told { whole.clone() } else { Value::String(words(&part["content"])) };
        Some(What::Output { call: text(&part["tool_use_id"])?, output, failed })
    };
    of_tool.iter().filter_map(gave).collect()
}

fn answers(content: &Value) -> Vec<What> {
    let Value::Array(parts) = content else {
        let said = words(content);
        return if said.trim().is_empty() { Vec::new() } else { vec![What::Answer(said)] };
    };
    let answer = |part: &Value| match part["type"].as_str()? {
        "text" => text(&part["text"]).filter(|said| !said.trim().is_empty()).map(What::Answer),
        "tool_use" => {
            Some(What::Call { call: text(&part["id"])?, tool: text(&part["name"])?, input: part["input"].clone() })
        }
        _ => None,
    };
    parts.iter().filter_map(answer).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Vec<What> {
        Claude.line(line).expect("reads").into_iter().map(|entry| entry.what).collect()
    }

    #[test]
    fn prompts_answers_calls_and_results_are_told_and_nothing_of_the_client_itself() {
        let head =
            r#""sessionId":"s","uuid":"u","timestamp":"2026-01-20T11:57:17.716Z","cwd":"/srv/shop","gitBranch":"main""#;
        let asked = format!(r#"{{"type":"user",{head},"message":{{"role":"user","content":"Fix the login"}}}}"#);
        assert_eq!(read(&asked), [What::Prompt("Fix the login".to_owned())]);
        let entry = Claude.line(&asked).expect("reads").remove(0);
        assert_eq!(
            (entry.id.as_str(), entry.folder.as_deref(), entry.branch.as_deref()),
            ("u", Some("/srv/shop"), Some("main"))
        );
        let called = format!(
            r#"{{"type":"assistant",{head},"message":{{"content":[{{"type":"thinking","thinking":"hm"}},{{"type":"text","text":"I look."}},{{"type":"tool_use","id":"t1","name":"Bash","input":{{"command":"ls"}}}}]}}}}"#
        );
        let told = read(&called);
        assert!(
            matches!(&told[..], [What::Answer(_), What::Call { call, tool, .. }] if call == "t1" && tool == "Bash"),
            "{told:?}"
        );
        let gave = format!(
            r#"{{"type":"user",{head},"message":{{"content":[{{"type":"tool_result","tool_use_id":"t1","content":[{{"type":"text","text":"a.rs"}}],"is_error":true}}]}}}}"#
        );
        assert!(matches!(&read(&gave)[..], [What::Output { failed: true, .. }]));
        for other in [
            r#"{"type":"summary","summary":"x","leafUuid":"y"}"#.to_owned(),
            format!(r#"{{"type":"user","isMeta":true,{head},"message":{{"content":"Caveat: x"}}}}"#),
            format!(r#"{{"type":"user",{head},"message":{{"content":"<command-name>/clear</command-name>"}}}}"#),
            format!(r#"{{"type":"system",{head},"content":"x"}}"#),
        ] {
            assert_eq!(read(&other), [], "{other}");
        }
        let summary = format!(r#"{{"type":"user","isCompactSummary":true,{head},"message":{{"content":"So far"}}}}"#);
        assert_eq!(read(&summary), [What::Compacted("So far".to_owned())]);
        assert!(Claude.line("{").is_err());
    }
}
