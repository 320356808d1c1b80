//! Takes in the transcripts that chat and coding agents keep themselves, so that what was said before there was a memory is
//! remembered as well. Each entry has the same id whenever it is read: taken in twice, nothing is there twice.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use idetic_clients::message::{ToolUse, tool_use};
use idetic_clients::transcripts::{Claude, Codex, Entry, What, chatgpt, cursor};
use idetic_core::views::TIMELINE;
use idetic_core::{Record, Time};
use idetic_extract::without_secrets;
use idetic_memory::extraction::ExtractionFilter;
use idetic_memory::{Cause, Error, Result, Viewpoint};
use idetic_store::{Conflict, Filter, Select, holds_table, read_table};
use serde::de::{Deserializer, SeqAccess, Visitor};
use serde_json::{Value, json};

use crate::hooks::record;
use crate::project::Project;

/// Longest line of a transcript that is read: a client writes whole pictures into one.
const LINE_MAX_BYTES: u64 = 64 << 20;
/// Events appended together.
const BATCH_EVENTS: usize = 500;
/// Calls of one session that wait for what they give back.
const PENDING_MAX: usize = 1000;
/// Longest text of a summary.
const SUMMARY_MAX_BYTES: usize = 64 << 10;
/// Where Cursor keeps conversations.
const CURSOR_TABLE: &str = "cursorDiskKV";

/// Whose transcripts they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TranscriptSource {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// Cursor.
    Cursor,
    /// ChatGPT, by its export.
    ChatGpt,
}

impl TranscriptSource {
    /// Its name in commands and ids.
    pub fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Cursor => "cursor",
            Self::ChatGpt => "chatgpt",
        }
    }

    /// The transcripts below a path, in order of their names.
    pub fn files(self, path: &Path) -> Vec<PathBuf> {
        let is_one = |name: &str| match self {
            Self::Claude | Self::Codex => name.ends_with(".jsonl"),
            Self::Cursor => name == "state.vscdb",
            Self::ChatGpt => name.starts_with("conversations") && name.ends_with(".json"),
        };
        files_below(path, &is_one)
    }
}

/// The files below a path whose names fit, in order; the path itself where it is a file.
pub(crate) fn files_below(path: &Path, is_one: &dyn Fn(&str) -> bool) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_owned()];
    }
    let mut files = Vec::new();
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            // A link may lead anywhere, and in a circle.
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() && is_one(&entry.file_name().to_string_lossy()) {
                files.push(entry.path());
            }
        }
    }
    files.sort();
    files
}

/// What came of it.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Imported {
    /// Sessions that were read.
    pub sessions: usize,
    /// What people asked in them.
    pub prompts: usize,
    /// What the agents answered.
    pub answers: usize,
    /// How often tools were used.
    pub tools: usize,
    /// Events that are new in the log.
    pub added: u64,
    /// Sessions that hooks recorded while they went on.
    pub recorded: usize,
    /// Prompts that their authors took off the record, with what came of them.
    pub private: usize,
    /// Lines that could not be read.
    pub unreadable: usize,
    /// Facts that were plainly stated.
    pub facts: usize,
    /// The first moment.
    pub from: Option<Time>,
    /// The last moment.
    pub until: Option<Time>,
}

impl fmt::Display for Imported {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { sessions, prompts, answers, tools, .. } = self;
        write!(out, "{sessions} sessions with {prompts} prompts, {answers} answers and {tools} uses of tools")?;
        if let (Some(from), Some(until)) = (self.from, self.until) {
            write!(out, " from {} to {}", from.day(), until.day())?;
        }
        for (count, what) in [
            (self.recorded, "sessions left out because hooks recorded them already"),
            (self.private, "prompts left out because they are private"),
            (self.unreadable, "lines could not be read"),
        ] {
            if count > 0 {
                write!(out, "; {count} {what}")?;
            }
        }
        Ok(())
    }
}

/// An import on its way.
pub struct Import<'a> {
    /// Whose transcripts.
    pub source: TranscriptSource,
    /// Where it goes.
    pub viewpoint: &'a Viewpoint,
    /// Who asked, in the transcripts.
    pub author: &'a str,
    /// The folder that names of projects begin from.
    pub user_folder: Option<&'a Path>,
    /// Whether its owner vouches for it: else what it says is trusted as a file is.
    pub is_own: bool,
    /// Whether only counted.
    pub dry_run: bool,
    /// Whether what people plainly state becomes facts.
    pub takes_facts: bool,
    /// What came of it so far.
    pub done: Imported,
    /// The sessions that were met, and whether they are left out.
    sessions: HashMap<String, Session>,
    projects: HashMap<String, String>,
    batch: Vec<Record>,
}

/// A session while its transcript is read.
#[derive(Default)]
struct Session {
    is_recorded: bool,
    /// The turn: the id of its prompt.
    turn: Option<String>,
    /// Whether that is off the record.
    is_private: bool,
    pending: HashMap<String, (String, String, Value)>,
}

impl<'a> Import<'a> {
    /// An import into a space, with nothing said of its author.
    pub fn new(source: TranscriptSource, viewpoint: &'a Viewpoint) -> Self {
        Self {
            source,
            viewpoint,
            author: "",
            user_folder: None,
            is_own: false,
            dry_run: false,
            takes_facts: true,
            done: Imported::default(),
            sessions: HashMap::new(),
            projects: HashMap::new(),
            batch: Vec::new(),
        }
    }

    /// Takes in one file. `read` hears how many bytes were read.
    pub fn file(&mut self, file: &Path, read: &mut dyn FnMut(u64)) -> Result<()> {
        match self.source {
            TranscriptSource::Claude => {
                let mut reader = Claude;
                self.lines(file, &mut |line| reader.line(line), read)?;
            }
            TranscriptSource::Codex => {
                let mut reader = Codex::default();
                self.lines(file, &mut |line| reader.line(line), read)?;
            }
            TranscriptSource::ChatGpt => self.conversations(file)?,
            TranscriptSource::Cursor => self.rows(file)?,
        }
        self.flush()?;
        let sessions: Vec<String> = self.sessions.drain().filter(|(_, s)| !s.is_recorded).map(|(id, _)| id).collect();
        for conversation in sessions.into_iter().filter(|_| self.takes_facts && !self.dry_run) {
            let words = ExtractionFilter { conversation: Some(conversation), loop_id: None };
            self.done.facts += self.viewpoint.extract_by_rules(&words, false)?.len();
        }
        Ok(())
    }

    fn lines(
        &mut self,
        file: &Path,
        parse: &mut dyn FnMut(&str) -> std::result::Result<Vec<Entry>, String>,
        read: &mut dyn FnMut(u64),
    ) -> Result<()> {
        let failed = || Error::io(format!("cannot read {}", file.display()));
        let mut input = BufReader::new(File::open(file).map_err(failed())?);
        let mut line = Vec::new();
        loop {
            line.clear();
            let count = (&mut input).take(LINE_MAX_BYTES).read_until(b'\n', &mut line).map_err(failed())?;
            if count == 0 {
                return Ok(());
            }
            read(count as u64);
            let text = String::from_utf8_lossy(&line);
            if text.trim().is_empty() {
                continue;
            }
            match parse(text.trim()) {
                Ok(entries) => entries.into_iter().try_for_each(|entry| self.take(entry))?,
                Err(_) => self.done.unreadable += 1,
            }
        }
    }

    /// A file that is one list of conversations: one of them at a time is in memory.
    fn conversations(&mut self, file: &Path) -> Result<()> {
        let failed = || Error::io(format!("cannot read {}", file.display()));
        let input = BufReader::new(File::open(file).map_err(failed())?);
        let mut problem = None;
        let mut each = |said: Value| {
            let entries = chatgpt(&said, &|seconds| time(seconds * 1000.0));
            let taken = entries.into_iter().try_for_each(|entry| self.take(entry));
            taken.map_err(|error| problem = Some(error)).is_ok()
        };
        let mut json = serde_json::Deserializer::from_reader(input);
        let read = json.deserialize_seq(Each(&mut each));
        match (problem, read) {
            (Some(error), _) => Err(error),
            (None, Err(error)) => Err(Error::invalid(format!("{}: {error}", file.display()))
                .hint("name the conversations.json of ChatGPT's export")),
            (None, Ok(())) => Ok(()),
        }
    }

    fn rows(&mut self, file: &Path) -> Result<()> {
        if !holds_table(file, CURSOR_TABLE)? {
            return Err(Error::invalid(format!("{} is not Cursor's state.vscdb", file.display()))
                .hint("name the state.vscdb in Cursor's folder User/globalStorage"));
        }
        let (mut conversations, mut messages) = (Vec::new(), HashMap::new());
        read_table(file, CURSOR_TABLE, &["key", "value"], "rowid", &mut |row| {
            let mut cells = row.cells.into_iter();
            if let (Some(Some(key)), Some(Some(value))) = (cells.next(), cells.next()) {
                let said = || serde_json::from_str::<Value>(&value).ok();
                if key.starts_with("composerData:") {
                    conversations.extend(said());
                } else if let Some(id) = key.strip_prefix("bubbleId:") {
                    let keep = |said: Value| {
                        json!({"type": said["type"], "text": said["text"],
                        "createdAt": said["createdAt"], "toolFormerData": said["toolFormerData"]})
                    };
                    messages.extend(said().map(|said| (id.to_owned(), keep(said))));
                }
            }
            Ok(())
        })?;
        for said in conversations {
            let session = said["composerId"].as_str().unwrap_or_default().to_owned();
            let mut message = |id: &str| messages.remove(&format!("{session}:{id}"));
            for entry in cursor(&said, &mut message, &time) {
                self.take(entry)?;
            }
        }
        Ok(())
    }

    fn take(&mut self, entry: Entry) -> Result<()> {
        if !self.sessions.contains_key(&entry.session) {
            let is_recorded = is_recorded(self.viewpoint, &entry.session, &format!("{}:", self.source.name()))?;
            self.done.sessions += usize::from(!is_recorded);
            self.done.recorded += usize::from(is_recorded);
            self.sessions.insert(entry.session.clone(), Session { is_recorded, ..Session::default() });
        }
        let id = self.id(&entry);
        let Some(session) = self.sessions.get_mut(&entry.session).filter(|session| !session.is_recorded) else {
            return Ok(());
        };
        let name = self.source.name();
        let record = match &entry.what {
            What::Prompt(prompt) => {
                let (mut record, kept) = record::prompt(prompt);
                session.turn = Some(id.clone());
                session.is_private = kept.is_none();
                self.done.private += usize::from(kept.is_none());
                self.done.prompts += usize::from(kept.is_some());
                if !self.author.is_empty() {
                    record["author"] = json!(self.author);
                }
                record
            }
            _ if session.is_private => return Ok(()),
            What::Task(task) => {
                json!({"kind": "subagent.task", "trust": "agent", "author": name, "content": without_secrets(task)})
            }
            What::Answer(said) => {
                self.done.answers += 1;
                record::answer(said, entry.branch.as_deref(), None, name)
            }
            What::Compacted(summary) => {
                let summary = idetic_clients::message::shortened(summary, SUMMARY_MAX_BYTES);
                json!({"kind": "system_event", "trust": "agent", "summary": "The context was compacted",
                    "content": without_secrets(&summary)})
            }
            What::Call { call, tool, input } => {
                if session.pending.len() < PENDING_MAX {
                    session.pending.insert(call.clone(), (id.clone(), tool.clone(), input.clone()));
                }
                let called = used(tool, input, &Value::Null, false);
                // What is recalled is known already: it would only come back as its own echo.
                if called.tool.contains(idetic_clients::content::SERVER) {
                    return Ok(());
                }
                self.done.tools += 1;
                record::tool_call(&called, &id, name)
            }
            What::Output { call, output, failed } => {
                let Some((called, tool, input)) = session.pending.remove(call) else { return Ok(()) };
                let gave = used(&tool, &input, output, *failed);
                if gave.tool.contains(idetic_clients::content::SERVER) {
                    return Ok(());
                }
                record::tool_result(&gave, &called)
            }
        };
        self.put(entry, id, record)
    }

    fn id(&self, entry: &Entry) -> String {
        match self.source {
            // Lines are numbered anew in each file.
            TranscriptSource::Codex => format!("codex:{}:{}", entry.session, entry.id),
            source => format!("{}:{}", source.name(), entry.id),
        }
    }

    fn put(&mut self, entry: Entry, id: String, mut record: Value) -> Result<()> {
        let turn = self.sessions.get(&entry.session).and_then(|session| session.turn.clone());
        let project = entry.folder.as_ref().map(|folder| self.project(folder));
        let ts = entry.ts.as_deref().and_then(|ts| Time::parse(ts).ok());
        self.done.from = self.done.from.into_iter().chain(ts).min();
        self.done.until = self.done.until.into_iter().chain(ts).max();
        record["id"] = json!(id);
        record["trace_id"] = json!(entry.session);
        record["conversation_id"] = json!(entry.session);
        for (key, value) in [("loop_id", turn), ("source", project), ("ts", ts.map(|ts| ts.to_string()))] {
            if let Some(value) = value {
                record[key] = json!(value);
            }
        }
        if let Some(record) = record.as_object_mut().filter(|_| !self.is_own) {
            record.remove("trust");
        }
        if self.dry_run {
            return Ok(());
        }
        self.batch.push(Record::parse(record.to_string().as_bytes())?);
        if self.batch.len() >= BATCH_EVENTS { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<()> {
        let mut ids = HashSet::new();
        let batch: Vec<Record> = std::mem::take(&mut self.batch)
            .into_iter()
            .filter(|record| record.claim.id.as_ref().is_none_or(|id| ids.insert(id.clone())))
            .collect();
        if batch.is_empty() {
            return Ok(());
        }
        let before = self.viewpoint.horizon(None)?;
        if self.viewpoint.append(batch.clone(), None).is_err() {
            // One that is here already in other words, or that was erased, stays as it is.
            for record in batch {
                match self.viewpoint.append(vec![record], None) {
                    Err(Error { cause: Cause::Conflict(Conflict::IdTaken { .. }), .. }) => {}
                    appended => drop(appended?),
                }
            }
        }
        self.done.added += self.viewpoint.horizon(None)? - before;
        Ok(())
    }

    fn project(&mut self, folder: &str) -> String {
        let user = self.user_folder;
        let of = || Project::of(Path::new(folder), user).name;
        self.projects.entry(folder.to_owned()).or_insert_with(of).clone()
    }
}

/// Whether the log has a session from elsewhere, from its hooks for instance: it would be there twice.
pub(crate) fn is_recorded(viewpoint: &Viewpoint, session: &str, prefix: &str) -> Result<bool> {
    let own = Select::from(&TIMELINE, viewpoint.horizon(None)?);
    let own = own.filter(Filter::Is("conversation", session.into())).filter(Filter::Is("kind", "user_input".into()));
    let events = viewpoint.events(&viewpoint.seqs(&Select { limit: Some(1), ..own })?)?;
    Ok(events.iter().any(|event| !event.header.id.starts_with(prefix)))
}

/// The use of a tool, as the client's hooks would have told it.
pub(crate) fn used(tool: &str, input: &Value, output: &Value, failed: bool) -> ToolUse {
    tool_use(&json!({"tool_name": tool, "tool_input": input, "tool_response": output}), failed)
}

/// Milliseconds since 1970 as a time.
fn time(ms: f64) -> Option<String> {
    #[expect(clippy::cast_possible_truncation, reason = "a time of this century")]
    (0.0..1e14).contains(&ms).then(|| Time((ms * 1000.0) as i64).to_string())
}

/// Gives each item of a list to a function until that has enough.
struct Each<'f>(&'f mut dyn FnMut(Value) -> bool);

impl<'de> Visitor<'de> for Each<'_> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a list of conversations")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> std::result::Result<(), A::Error> {
        while let Some(item) = items.next_element::<Value>()? {
            if !(self.0)(item) {
                break;
            }
        }
        Ok(())
    }
}
