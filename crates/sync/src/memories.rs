//! Takes in what other programs remember. Each item has the id that it has there: taken in twice, nothing is there twice, and what
//! was changed there in between becomes a new version.

mod json;
mod notes;
mod read;
mod record;
mod report;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use idetic_clients::memories::{Item, What};
use idetic_core::views::{KEPT_UNTIL, TIMELINE};
use idetic_core::words::{Origin, Trust};
use idetic_core::{Event, Hash, Record, Time};
use idetic_memory::extraction::ExtractionFilter;
use idetic_memory::{Cause, Error, Kind, Result, Space, Viewpoint, Writer};
use idetic_search::filter::Condition;
use idetic_store::{Conflict, Filter, Select};
use serde_json::{Map, Value, json};

pub use report::ImportedMemories;

use crate::transcripts::{files_below, is_recorded};

/// Events appended together.
const BATCH_EVENTS: usize = 500;
/// How much of a hash tells two versions of an item apart.
const HASH_CHARS: usize = 12;

/// Whose memories they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemorySource {
    /// mem0: an export as JSON, or its history.
    Mem0,
    /// Zep: answers of its API.
    Zep,
    /// Letta: agent files.
    Letta,
    /// Chroma: a folder of a persistent client.
    Chroma,
    /// LangGraph: its store and checkpoints in SQLite.
    LangGraph,
    /// basic-memory: a folder of notes.
    BasicMemory,
    /// claude-mem: its database.
    ClaudeMem,
}

impl MemorySource {
    /// Its name in commands, ids and metadata.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mem0 => "mem0",
            Self::Zep => "zep",
            Self::Letta => "letta",
            Self::Chroma => "chroma",
            Self::LangGraph => "langgraph",
            Self::BasicMemory => "basic-memory",
            Self::ClaudeMem => "claude-mem",
        }
    }

    /// Its files below a path, in order of their names. A file that is named is one whatever it is called.
    pub fn files(self, path: &Path) -> Vec<PathBuf> {
        let ends = |name: &str, endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
        files_below(path, &|name| match self {
            Self::Mem0 => ends(name, &[".json", ".jsonl"]) || name == "history.db",
            Self::Zep => ends(name, &[".json", ".jsonl"]),
            Self::Letta => ends(name, &[".af"]),
            Self::Chroma => name == "chroma.sqlite3",
            Self::LangGraph => ends(name, &[".db", ".sqlite", ".sqlite3"]),
            Self::BasicMemory => ends(name, &[".md"]),
            Self::ClaudeMem => name == "claude-mem.db",
        })
    }

    /// Which way it comes in: as an import, unless its owner vouches for it.
    fn writer(self, is_accepted: bool) -> Writer {
        match self {
            _ if is_accepted => Writer::default(),
            // Notes are shared with whoever writes their files, wherever the files come from.
            Self::BasicMemory => Writer::of_file(Trust::Agent, None),
            _ => {
                let origin = Some(format!("{}:{}", Origin::Import.word(), self.name()));
                Writer { highest: Some(Trust::External), origin, ..Writer::default() }
            }
        }
    }
}

/// How an import is to be made.
#[derive(Debug, Clone, Copy)]
pub struct ImportOptions<'a> {
    /// Who said what the user says there.
    pub author: &'a str,
    /// Whether its owner vouches for it: else it is trusted as what comes from outside.
    pub is_accepted: bool,
    /// Whether only counted.
    pub dry_run: bool,
    /// Of which user there; of all where none is named.
    pub user: Option<&'a str>,
    /// Whether what people plainly state becomes facts.
    pub takes_facts: bool,
    /// The moment of the import.
    pub now: Time,
}

/// An import on its way.
pub struct MemoryImport<'a> {
    source: MemorySource,
    options: ImportOptions<'a>,
    /// Where it goes; nowhere while there is no space and it is only counted.
    space: Option<Arc<Space>>,
    viewpoint: Option<Viewpoint>,
    /// The same with the trust that it does not have now, and may have had before.
    otherwise: Option<Viewpoint>,
    /// What came of it so far.
    pub done: ImportedMemories,
    sessions: HashMap<String, Session>,
    /// By which name each agent is known here, by its own name and what tells it from others of that.
    agents: HashMap<(String, String), String>,
    batch: Vec<Pending>,
    /// The ids in the batch.
    ids: HashSet<String>,
}

/// A conversation while it is read.
#[derive(Debug, Default)]
struct Session {
    is_recorded: bool,
    /// The turn: the id of its prompt.
    turn: Option<String>,
    /// Whether that is off the record.
    is_private: bool,
    /// Where turns are numbered, the prompt of each, and whether it is off the record.
    turns: HashMap<String, (String, bool)>,
    /// Calls that wait for what they give back.
    calls: HashSet<String>,
}

/// A record on its way into the log.
struct Pending {
    /// Where it stands, for messages.
    place: String,
    id: String,
    /// When it was last changed there, or else made.
    said: Option<Time>,
    /// When it is forgotten there.
    expires: Option<Time>,
    body: Value,
}

/// One thing that was found.
enum Found {
    /// An item, and where it stands.
    Item(String, Box<Item>),
    /// What could not be read, and why.
    Unreadable(String, String),
    /// Something that was deleted there.
    Deleted,
    /// So many bytes of the file were read.
    Read(u64),
}

impl<'a> MemoryImport<'a> {
    /// An import into a space.
    pub fn new(source: MemorySource, space: Option<Arc<Space>>, options: ImportOptions<'a>) -> Self {
        let written_by =
            |is_accepted| space.as_ref().map(|space| space.as_owner().written_by(source.writer(is_accepted)));
        Self {
            source,
            options,
            viewpoint: written_by(options.is_accepted),
            otherwise: written_by(!options.is_accepted),
            space,
            done: ImportedMemories::default(),
            sessions: HashMap::new(),
            agents: HashMap::new(),
            batch: Vec::new(),
            ids: HashSet::new(),
        }
    }

    /// Takes in some files. `read` hears how many bytes were read, of how many; `refused` what was not taken in, and why.
    pub fn files(
        &mut self,
        root: &Path,
        files: &[PathBuf],
        read: &mut dyn FnMut(u64, u64),
        refused: &mut dyn FnMut(&str),
    ) -> Result<()> {
        let length = |file: &PathBuf| file.metadata().map_or(0, |about| about.len());
        let total: u64 = files.iter().map(length).sum();
        if self.source == MemorySource::BasicMemory {
            return self.notes(root, files, &mut |bytes| read(bytes, total), refused);
        }
        let mut begun = 0;
        for file in files {
            read::file(self.source, file, &mut |found| match found {
                Found::Item(place, item) => self.take(place, *item, refused),
                Found::Unreadable(place, why) => {
                    self.refuse(&place, &why, refused);
                    Ok(())
                }
                Found::Deleted => {
                    self.done.deleted += 1;
                    Ok(())
                }
                Found::Read(bytes) => {
                    read(begun + bytes, total);
                    Ok(())
                }
            })?;
            begun += length(file);
            read(begun, total);
        }
        self.flush(refused)?;
        self.extract()
    }

    fn refuse(&mut self, place: &str, why: &dyn std::fmt::Display, refused: &mut dyn FnMut(&str)) {
        self.done.refused += 1;
        refused(&format!("{place}: {why}"));
    }

    fn take(&mut self, place: String, mut item: Item, refused: &mut dyn FnMut(&str)) -> Result<()> {
        if self.options.user.is_some() && item.user.as_deref() != self.options.user {
            self.done.of_others += 1;
            return Ok(());
        }
        if item.expires.is_some_and(|expires| expires <= self.options.now) {
            self.done.expired += 1;
            return Ok(());
        }
        if let Some(name) = item.agent.take_if(|_| self.source == MemorySource::Letta) {
            item.agent = Some(self.agent_here(name, item.agent_key.as_deref().unwrap_or_default())?);
        }
        let id = format!("{}:{}", self.source.name(), item.id);
        if !self.is_kept(&id, &item)? {
            return Ok(());
        }
        let (made, said, user) = (item.made, item.changed.or(item.made), item.user.clone());
        let expires = item.expires;
        let session = item.conversation.as_ref().and_then(|conversation| self.sessions.get_mut(conversation));
        let made_of = record::of(self.source, &self.options, &id, item, session);
        let body = match made_of
            .and_then(|body| Record::parse(body.to_string().as_bytes()).map(|_| body).map_err(Error::from))
        {
            Ok(body) => body,
            Err(error) => {
                self.refuse(&place, &error, refused);
                return Ok(());
            }
        };
        self.done.count(&body, made, user);
        if self.options.dry_run {
            return Ok(());
        }
        // Two versions of one thing come after each other.
        if !self.ids.insert(id.clone()) {
            self.flush(refused)?;
            self.ids.insert(id.clone());
        }
        self.batch.push(Pending { place, id, said, expires, body });
        if self.batch.len() >= BATCH_EVENTS { self.flush(refused) } else { Ok(()) }
    }

    /// By which name an agent is known here: its own, or with its key behind it where another agent of that name is here already.
    fn agent_here(&mut self, name: String, key: &str) -> Result<String> {
        let agent = (name, key.to_owned());
        if let Some(here) = self.agents.get(&agent) {
            return Ok(here.clone());
        }
        let (name, apart) = (&agent.0, format!("{}-{key}", agent.0));
        let is_apart = !key.is_empty()
            && !self.has_agent(name, json!(key))?
            && (self.agents.values().any(|here| here == name)
                || self.has_agent(&apart, json!(key))?
                || self.has_agent(name, json!({"exists": true}))?);
        let here = if is_apart { apart } else { name.clone() };
        self.agents.insert(agent, here.clone());
        Ok(here)
    }

    /// Whether there is something of an imported agent that is known here by a name, and whose key is this, or as a filter asks.
    fn has_agent(&self, name: &str, key: Value) -> Result<bool> {
        let Some(viewpoint) = &self.viewpoint else { return Ok(false) };
        let asked = Condition::parse(&json!({"metadata.letta.agent": key}), self.options.now)?;
        let mut select = Select::from(&TIMELINE, viewpoint.horizon(None)?)
            .filter(Filter::Is("agent", name.into()))
            .filter(Filter::Matches("born", Arc::new(asked)));
        select.limit = Some(1);
        Ok(!viewpoint.seqs(&select)?.is_empty())
    }

    /// Whether an item is taken in: not what hooks recorded while it happened, and nothing that is off the record.
    fn is_kept(&mut self, id: &str, item: &Item) -> Result<bool> {
        let Some(conversation) = &item.conversation else { return Ok(true) };
        let is_said = !matches!(item.what, What::Memory | What::Fact { .. });
        if is_said && !self.sessions.contains_key(conversation) {
            let prefix = format!("{}:", self.source.name());
            let known = self.viewpoint.as_ref().map(|viewpoint| is_recorded(viewpoint, conversation, &prefix));
            let is_recorded = known.transpose()?.unwrap_or(false);
            self.done.recorded += usize::from(is_recorded);
            self.sessions.insert(conversation.clone(), Session { is_recorded, ..Session::default() });
        }
        let Some(session) = self.sessions.get_mut(conversation) else { return Ok(true) };
        let number = item.rest.get("prompt_number").map(ToString::to_string);
        if item.what == What::Prompt {
            session.turn = Some(id.to_owned());
            session.is_private = idetic_extract::kept_of(&item.text).is_none();
            let turn = (id.to_owned(), session.is_private);
            session.turns.extend(number.map(|number| (number, turn)));
            self.done.private += usize::from(session.is_private && !session.is_recorded);
            return Ok(!session.is_recorded);
        }
        let turn = number.map(|number| session.turns.get(&number).cloned());
        let is_private = match &turn {
            // What says of which turn it is belongs to that, whatever was said last.
            Some(turn) => {
                session.turn = turn.as_ref().map(|(prompt, _)| prompt.clone());
                turn.as_ref().is_some_and(|(_, is_private)| *is_private)
            }
            None => is_said && session.is_private,
        };
        Ok(!(is_private || is_said && session.is_recorded))
    }

    fn flush(&mut self, refused: &mut dyn FnMut(&str)) -> Result<()> {
        self.ids.clear();
        let mut batch = std::mem::take(&mut self.batch);
        let (Some(viewpoint), Some(otherwise)) = (self.viewpoint.clone(), self.otherwise.clone()) else {
            return Ok(());
        };
        let before = viewpoint.horizon(None)?;
        let mut alone = Vec::new();
        while !batch.is_empty() {
            let records = batch.iter().map(|pending| self.parsed(&pending.body, self.options.is_accepted));
            match viewpoint.append(records.collect::<Result<_>>()?, None) {
                Ok(_) => break,
                // What is here already in other words is looked at alone.
                Err(Error { cause: Cause::Conflict(Conflict::IdTaken { id, .. }), .. })
                    if batch.iter().any(|pending| pending.id == id) =>
                {
                    let (taken, rest) = batch.into_iter().partition(|pending| pending.id == id);
                    alone.extend::<Vec<Pending>>(taken);
                    batch = rest;
                }
                Err(error) if error.kind == Kind::Invalid || error.kind == Kind::Conflict => alone.append(&mut batch),
                Err(error) => return Err(error),
            }
        }
        for pending in alone {
            match self.put_alone(&viewpoint, &otherwise, &pending) {
                Err(error) if error.kind == Kind::Invalid || error.kind == Kind::Conflict => {
                    self.refuse(&pending.place, &error, refused);
                }
                put => put?,
            }
        }
        self.done.added += viewpoint.horizon(None)? - before;
        Ok(())
    }

    /// Appends one record. Where its id says something else already, that was imported with another trust, or it was changed
    /// there since: then it becomes the newest version, unless what is here is newer. Where no time tells which is newer, what is
    /// imported last is: a program that does not say when something changed could else never change it here.
    fn put_alone(&mut self, viewpoint: &Viewpoint, otherwise: &Viewpoint, pending: &Pending) -> Result<()> {
        let is_taken = |error: &Error| matches!(error.cause, Cause::Conflict(Conflict::IdTaken { .. }));
        let is_accepted = self.options.is_accepted;
        match viewpoint.append(vec![self.parsed(&pending.body, is_accepted)?], None) {
            Err(error) if is_taken(&error) => {}
            put => return put.map(drop),
        }
        let Some(space) = self.space.clone() else { return Ok(()) };
        // What expired here keeps its id, and may have been prolonged there.
        let all = space.with_expired().as_owner();
        let horizon = all.horizon(None)?;
        let first = all.get(&pending.id, horizon)?;
        // Where the id is another agent's, nothing is here that could be the same: it would only be added with the other trust.
        let is_same = self.parsed(&pending.body, is_accepted)?.claim.is_of_lane(&first)
            && otherwise.append(vec![self.parsed(&pending.body, !is_accepted)?], None).is_ok();
        // What was accepted before is not trusted less by being read again; and what was erased stays erased.
        if (is_same && !is_accepted) || first.fields.is_none() {
            return Ok(());
        }
        let hash = Hash::of(pending.body.to_string().as_bytes()).to_string();
        let plain = format!("{}~{}", pending.id, hash.get(..HASH_CHARS).unwrap_or_default());
        let accepted = format!("{plain}-accepted");
        let versions = all.versions(&first, horizon)?;
        let newest = versions.last().unwrap_or(&first);
        let is_here = |id: &str| all.get(id, horizon).is_ok();
        let is_known = is_here(&accepted) || !is_accepted && is_here(&plain);
        let times = pending.said.zip(record::said(newest, self.source));
        if is_known || times.is_some_and(|(new, old)| new < old) {
            return Ok(());
        }
        self.keep_versions(&space, viewpoint, &versions, pending)?;
        let id = if is_accepted { &accepted } else { &plain };
        let body = record::version(viewpoint, &pending.body, id, newest, horizon)?;
        viewpoint.append(vec![self.parsed(&body, is_accepted)?], None)?;
        self.done.changed += 1;
        // The same again with more trust is no other version.
        let is_raised = newest.header.id == plain || is_same && newest.seq() == first.seq();
        let is_newer = times.is_some_and(|(new, old)| new > old);
        self.done.undated += u64::from(!is_raised && !is_newer);
        Ok(())
    }

    /// Gives the versions of a memory the end that the program names now: an earlier one would stand again when the newest expires,
    /// and a version that names no end would take that of the one before it.
    fn keep_versions(&self, space: &Space, viewpoint: &Viewpoint, versions: &[Event], pending: &Pending) -> Result<()> {
        let (horizon, until) = (space.horizon(None)?, pending.expires);
        let mut expires = Map::new();
        for version in versions {
            let before = space.expiry_of(version.seq(), horizon)?;
            // What has expired stays so.
            if before != until && before.is_none_or(|before| before > self.options.now) {
                expires.insert(version.header.id.clone(), json!(until.map(|until| until.to_string())));
            }
        }
        if expires.is_empty() {
            return Ok(());
        }
        // Trusted as a program's word at most: an end that its owner set here stays.
        let mut body = json!({"kind": KEPT_UNTIL, "trust": "agent", "metadata": {"expires": expires}});
        if let Some(agent) = pending.body.get("agent_id") {
            body["agent_id"] = agent.clone();
        }
        viewpoint.append(vec![self.parsed(&body, self.options.is_accepted)?], None).map(drop)
    }

    /// A record as it is written with one trust or the other.
    fn parsed(&self, body: &Value, is_accepted: bool) -> Result<Record> {
        let mut body = body.clone();
        if let Some(body) = body.as_object_mut().filter(|_| !is_accepted) {
            body.remove("trust");
            body.remove("origin");
        }
        Ok(Record::parse(body.to_string().as_bytes())?)
    }

    /// Facts that people plainly stated in the conversations.
    fn extract(&mut self) -> Result<()> {
        let Some(viewpoint) = self.viewpoint.clone().filter(|_| self.options.takes_facts && !self.options.dry_run)
        else {
            return Ok(());
        };
        let sessions = self.sessions.drain().filter(|(_, session)| !session.is_recorded && session.turn.is_some());
        for conversation in sessions.map(|(conversation, _)| conversation).collect::<Vec<_>>() {
            let words = ExtractionFilter { conversation: Some(conversation), loop_id: None };
            self.done.facts_found += viewpoint.extract_by_rules(&words, false)?.len();
        }
        Ok(())
    }
}
