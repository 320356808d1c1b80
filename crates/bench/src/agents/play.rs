//! Plays a script: real repositories on disk, the messages of the clients, a clock that goes with the days.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use idetic_core::{SpaceName, Time};
use idetic_ops::clients::{Client, Message, table};
use idetic_ops::hooks::{HookSession, START_TOKENS};
use idetic_ops::project::Project;
use idetic_ops::recall::{Question, RecallOptions};
use idetic_ops::{Env, Memory, Models, Reply, Scope, Viewpoint, Writer};
use idetic_server::brief;
use serde_json::{Value, json};

use super::script::{Script, Session, Step, Tool};

/// When the first day of a script begins, and how long one thing takes.
const FIRST_DAY: &str = "2026-03-02T00:00:00Z";
const STEP_SECONDS: i64 = 40;
const SECOND: i64 = 1_000_000;
/// Tokens of an answer over MCP.
const RECALL_TOKENS: usize = brief::DEFAULT_TOKENS;

/// What the sessions of a script were told, one entry for each.
#[derive(Default)]
pub struct Heard {
    pub starts: Vec<String>,
    /// What one recall answers, for each question.
    pub recalled: Vec<Vec<String>>,
    /// What was told when something failed, for each failure.
    pub failures: Vec<Vec<String>>,
    /// What was told at prompts and edits.
    pub reminders: Vec<String>,
}

/// Plays all sessions of a script in a home of its own.
pub fn play(script: &Script, models: &Models) -> Result<Heard, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let stage = Stage::new(folder.path()).map_err(|error| error.to_string())?;
    let mut heard = Heard::default();
    for session in &script.sessions {
        let checkout = stage.checkout(session).map_err(|error| error.to_string())?;
        let acting = Acting { stage: &stage, session, checkout, client: client(&session.client)? };
        let begins = Time::parse(FIRST_DAY).map_err(|error| error.to_string())?.0;
        let hours = (session.day - 1) * 24 + session.hour;
        stage.clock.fetch_max(begins + hours * 3600 * SECOND, Ordering::Relaxed);
        acting.perform(models, &mut heard).map_err(|error| format!("{}: {error}", session.id))?;
    }
    Ok(heard)
}

fn client(name: &str) -> Result<&'static Client, String> {
    table::find(name).ok_or_else(|| format!("there is no client '{name}'"))
}

/// A home and the repositories that are worked on.
struct Stage<'a> {
    folder: &'a Path,
    memory: Memory,
    space: SpaceName,
    clock: Arc<AtomicI64>,
}

impl<'a> Stage<'a> {
    fn new(folder: &'a Path) -> idetic_ops::Result<Self> {
        let home = folder.join("home");
        Memory::init(&home)?;
        let clock = Arc::new(AtomicI64::new(0));
        let time = Arc::clone(&clock);
        let random = |bytes: &mut [u8]| getrandom::fill(bytes).expect("the system has no random numbers");
        let memory = Memory::open(&home, Env::new(move || Time(time.load(Ordering::Relaxed)), random))?;
        let space = memory.config().space.clone();
        Ok(Self { folder, memory, space, clock })
    }

    /// The folder a session works in, with its repository at the branch and the commit of the session.
    fn checkout(&self, session: &Session) -> std::io::Result<PathBuf> {
        let main = self.folder.join(&session.project);
        let git = main.join(".git");
        fs::create_dir_all(git.join("objects"))?;
        fs::write(git.join("config"), "[core]\n\tbare = false\n")?;
        let (folder, own) = match session.checkout.as_str() {
            "main" => (main, git.clone()),
            name => {
                let (folder, own) =
                    (self.folder.join(format!("{}-{name}", session.project)), git.join("worktrees").join(name));
                fs::create_dir_all(&folder)?;
                fs::create_dir_all(&own)?;
                fs::write(own.join("commondir"), "../..\n")?;
                fs::write(own.join("gitdir"), format!("{}\n", folder.join(".git").display()))?;
                fs::write(folder.join(".git"), format!("gitdir: {}\n", own.display()))?;
                (folder, own)
            }
        };
        fs::write(own.join("HEAD"), format!("ref: refs/heads/{}\n", session.branch))?;
        let branch = git.join("refs/heads").join(&session.branch);
        branch.parent().map_or(Ok(()), fs::create_dir_all)?;
        fs::write(branch, format!("{:0<40}\n", session.commit))?;
        Ok(folder)
    }
}

/// A session that is played.
struct Acting<'a> {
    stage: &'a Stage<'a>,
    session: &'a Session,
    checkout: PathBuf,
    client: &'static Client,
}

impl Acting<'_> {
    fn perform(&self, models: &Models, heard: &mut Heard) -> Result<(), String> {
        heard.starts.push(self.send("SessionStart", json!({"source": "startup"}))?);
        heard.recalled.push(self.recalls(models)?);
        let mut failures = Vec::new();
        for step in &self.session.events {
            self.stage.clock.fetch_add(STEP_SECONDS * SECOND, Ordering::Relaxed);
            match step {
                Step::Prompt { prompt } => {
                    let told = self.send("UserPromptSubmit", json!({"prompt": prompt}))?;
                    self.keep(heard, prompt, told);
                }
                Step::Answer { answer } => drop(self.send("Stop", json!({"last_assistant_message": answer}))?),
                Step::Todos { todos } => {
                    let is_codex = self.client.name == "codex";
                    let item = |todo: &super::script::Todo| match is_codex {
                        true => json!({"step": todo.text, "status": todo.status}),
                        false => json!({"content": todo.text, "status": todo.status}),
                    };
                    let items: Vec<Value> = todos.iter().map(item).collect();
                    let (tool, input) = match is_codex {
                        true => ("update_plan", json!({"plan": items})),
                        false => ("TodoWrite", json!({"todos": items})),
                    };
                    self.send("PostToolUse", json!({"tool_name": tool, "tool_input": input, "tool_response": "ok"}))?;
                }
                Step::Tool(tool) => {
                    let told = self.tool(tool)?;
                    match tool.exit_code {
                        0 => self.keep(heard, &tool.file, told),
                        _ => failures.push(told),
                    }
                }
            }
        }
        heard.failures.push(failures);
        if self.client.name == "claude" {
            self.send("SessionEnd", json!({"reason": "exit"}))?;
        }
        Ok(())
    }

    fn keep(&self, heard: &mut Heard, at: &str, told: String) {
        if !told.is_empty() {
            heard.reminders.push(format!("{}: AT {at:?} TOLD {told:?}", self.session.id));
        }
    }

    /// The use of a tool, as this client tells it.
    fn tool(&self, tool: &Tool) -> Result<String, String> {
        let (file, failed) = (self.checkout.join(&tool.file), tool.exit_code != 0);
        let is_codex = self.client.name == "codex";
        let (name, input) = match tool.tool.as_str() {
            "Edit" | "Write" if is_codex => {
                let patch = format!(
                    "*** Begin Patch\n*** Update File: {}\n@@\n-{}\n+{}\n*** End Patch",
                    tool.file, tool.old, tool.new
                );
                ("apply_patch", json!({"command": patch}))
            }
            "Edit" => ("Edit", json!({"file_path": file, "old_string": tool.old, "new_string": tool.new})),
            "Write" => ("Write", json!({"file_path": file, "content": tool.new})),
            "Bash" | "" => ("Bash", json!({"command": tool.command})),
            name if tool.command.is_empty() => (name, json!({"file_path": file})),
            name => (name, json!({"command": tool.command})),
        };
        match (failed, is_codex) {
            (true, true) => {
                let output = format!("Exit code: {}\nOutput:\n{}", tool.exit_code, tool.output);
                self.send("PostToolUse", json!({"tool_name": name, "tool_input": input, "tool_response": output}))
            }
            (true, false) => {
                let error = format!("Exit code {}\n{}", tool.exit_code, tool.output);
                self.send("PostToolUseFailure", json!({"tool_name": name, "tool_input": input, "error": error}))
            }
            (false, _) => {
                let response = json!({"stdout": tool.output, "stderr": "", "interrupted": false});
                self.send("PostToolUse", json!({"tool_name": name, "tool_input": input, "tool_response": response}))
            }
        }
    }

    /// What the client is told when it sends a message.
    fn send(&self, event: &str, mut message: Value) -> Result<String, String> {
        message["session_id"] = json!(self.session.id);
        message["cwd"] = json!(self.checkout);
        let message = Message::read(self.client, event, message.to_string().as_bytes())?;
        let mut session =
            HookSession { client: self.client, agent: None, project: self.project(), budget: START_TOKENS };
        let told =
            session.handle(&self.stage.memory, &self.stage.space, &message).map_err(|error| error.to_string())?;
        Ok(told.unwrap_or_default())
    }

    fn project(&self) -> Project {
        Project::of(&self.checkout, Some(self.stage.folder))
    }

    /// What `recall` over MCP answers to each question, before anything else happens.
    fn recalls(&self, models: &Models) -> Result<Vec<String>, String> {
        let space = self.stage.memory.space_or_new(&self.stage.space).map_err(|error| error.to_string())?;
        let Project { name, folder_name, .. } = self.project();
        let writer = Writer { source: Some(name), former_source: Some(folder_name), ..Writer::default() };
        let viewpoint = Viewpoint::new(space, Scope::Owner).written_by(writer);
        viewpoint.embed_all(models).map_err(|error| error.to_string())?;
        let answer = |asked: &super::script::Asked| {
            let question = Question { query: asked.question.clone(), ..Question::default() };
            let recalled = viewpoint.recall_one(models, &RecallOptions::default(), &question, &mut |_| {});
            let reply = Reply::from(recalled.map_err(|error| error.to_string())?);
            let reply = serde_json::to_string(&reply).map_err(|error| error.to_string())?;
            let brief: Value =
                serde_json::from_str(&brief::brief(&reply, &asked.question, RECALL_TOKENS)).unwrap_or_default();
            let texts = brief["hits"].as_array().into_iter().flatten().filter_map(|hit| hit["text"].as_str());
            Ok(texts.collect::<Vec<_>>().join("\n"))
        };
        self.session.questions.iter().map(answer).collect()
    }
}
