//! Ephemeral session memory (specification 000, section 2.2): what an agent holds for as long as its session is open.
//!
//! The events of a session are in the log and stay. Its scratch values are in one small file beside the log, which no view
//! and no index reads, and which is gone when the session ends.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use idetic_core::views::{APART, SESSION_ENDED, SESSION_STARTED, TIMELINE};
use idetic_core::words::Persona;
use idetic_core::{Event, Record, Time};
use idetic_formats::amem::names;
use idetic_store::{Filter, LockFile, Select};
use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::RawValue;

use crate::{Env, Error, Kind, Result, Space, Writer};

/// Most bytes that a session may hold.
const HELD_MAX_BYTES: usize = 1 << 20;
/// Most open sessions that are named in a message.
const NAMED: usize = 5;

/// An open session.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Session {
    /// The trace its events belong to, which is also its name.
    pub trace_id: String,
    /// Whose it is.
    pub agent: String,
    /// Which model.
    pub version: Option<String>,
    /// When it began.
    pub started: Time,
    /// The id of the event that began it.
    pub event: String,
    /// Scratch values.
    #[serde(default)]
    pub values: BTreeMap<String, Box<RawValue>>,
    /// Scratch texts.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// A session that is to start.
#[derive(Debug, Clone, Default)]
pub struct NewSession {
    /// Whose it is.
    pub agent: String,
    /// The trace its events belong to, where one is named.
    pub trace: Option<String>,
    /// The trace that the process is in, which is taken unless another agent's session has it.
    pub around: Option<String>,
    /// Which model.
    pub version: Option<String>,
}

/// A session that has ended.
#[derive(Debug, Clone)]
pub struct EndedSession {
    /// The session.
    pub session: Session,
    /// How long it was.
    pub duration_minutes: f64,
    /// What was done in it.
    pub operations_count: u64,
    /// The event that ended it.
    pub seq: u64,
    /// Its id.
    pub id: String,
}

/// The open sessions of a space.
pub struct Sessions<'a> {
    space: &'a Space,
    folder: PathBuf,
}

impl<'a> Sessions<'a> {
    /// Those of a space.
    pub fn of(space: &'a Space) -> Self {
        Self { space, folder: space.folder().join("sessions") }
    }

    /// The lock under which sessions are changed.
    pub fn lock(&self) -> Result<LockFile> {
        fs::create_dir_all(&self.folder).map_err(io("make", &self.folder))?;
        Ok(LockFile::open(&self.folder.join("lock"))?)
    }

    /// The session that is meant: the one that is named, the one around, or the only one there is.
    pub fn find(&self, named: Option<&str>, around: Option<&str>) -> Result<Session> {
        if let Some(trace) = named {
            return self.get(trace)?.ok_or_else(|| none(format!("no session '{trace}' is open")));
        }
        if let Some(trace) = around {
            let message = || format!("CHORA_TRACE_ID names '{trace}', and no such session is open");
            return self.get(trace)?.ok_or_else(|| none(message()));
        }
        let mut open = self.open()?;
        match open.len() {
            0 => Err(none("no session is open".to_owned())),
            1 => Ok(open.remove(0)),
            count => {
                let names = open.iter().take(NAMED).map(|s| format!("{} ({})", s.trace_id, s.agent));
                let names = names.collect::<Vec<_>>().join(", ");
                Err(Error::invalid(format!("{count} sessions are open"))
                    .hint(format!("name one with --session or CHORA_TRACE_ID: {names}")))
            }
        }
    }

    /// Starts a session; gives it with the number of the event that says so.
    pub fn start(&self, new: NewSession, writer: &Writer) -> Result<(Session, u64)> {
        let NewSession { agent, trace, around, version } = new;
        let is_name = |text: &str| !text.trim().is_empty() && !text.chars().any(char::is_control);
        if !is_name(&agent) || !trace.as_deref().is_none_or(is_name) {
            return Err(Error::invalid("the name of the agent or the trace is empty or not printable")
                .hint("leave --agent and --trace out, or name them"));
        }
        let lock = self.lock()?;
        let _alone = lock.hold()?;
        let env = self.space.env();
        let trace_id = self.trace_of_new(trace, around, &agent)?;
        let (started, event) = (env.now(), new_trace(env));
        let mut metadata = json!({"agent_name": agent});
        if let Some(version) = &version {
            metadata["agent_version"] = json!(version);
        }
        let body = json!({"id": event, "ts": started, "kind": SESSION_STARTED, "status": "success", "agent_id": agent,
            "trace_id": trace_id, "metadata": metadata});
        let record = writer.sign(Record::parse(body.to_string().as_bytes())?)?;
        // The file comes first: until its event is in the log it counts for nothing.
        let (values, notes) = Default::default();
        let session = Session { trace_id, agent, version, started, event, values, notes };
        self.put(&session)?;
        let acks = self.space.append(vec![record], None).inspect_err(|_| {
            let _ = self.forget(&session.trace_id);
        })?;
        Ok((session, acks.first().map_or(0, |ack| ack.seq)))
    }

    /// The trace that is named, or the one around unless another agent's session has it, or a new one.
    fn trace_of_new(&self, named: Option<String>, around: Option<String>, agent: &str) -> Result<String> {
        let is_named = named.is_some();
        let Some(trace) = named.or(around) else { return Ok(new_trace(self.space.env())) };
        match self.get(&trace)? {
            None => Ok(trace),
            Some(other) if !is_named && other.agent != agent => Ok(new_trace(self.space.env())),
            Some(_) => {
                let end = format!("end it with `idetic session end --session {}`", quoted(&trace));
                Err(Error::new(Kind::Conflict, format!("the session '{trace}' is open already"))
                    .hint(format!("{end}, or name another --trace")))
            }
        }
    }

    /// Ends a session, which `find` finds under the same lock.
    pub fn end(&self, find: &dyn Fn(&Self) -> Result<Session>, writer: &Writer) -> Result<EndedSession> {
        let lock = self.lock()?;
        let _alone = lock.hold()?;
        let session = find(self)?;
        let operations_count = operations(&self.events(&session)?);
        let ended = self.space.env().now().max(session.started);
        let duration_minutes = minutes(ended.millis_since(session.started));
        let body = json!({"ts": ended, "kind": SESSION_ENDED, "status": "success", "agent_id": session.agent,
            "trace_id": session.trace_id, "metadata": {"agent_name": session.agent,
            "duration_minutes": duration_minutes, "operations_count": operations_count}});
        let acks = self.space.append(vec![writer.sign(Record::parse(body.to_string().as_bytes())?)?], None)?;
        // Ended is what the log says; a file that is left over after a crash counts no more.
        self.forget(&session.trace_id)?;
        let (seq, id) = acks.into_iter().next().map_or((0, String::new()), |ack| (ack.seq, ack.id));
        Ok(EndedSession { session, duration_minutes, operations_count, seq, id })
    }

    /// The open session of a name.
    pub fn get(&self, trace: &str) -> Result<Option<Session>> {
        let session = self.read(&self.path(trace))?;
        Ok(session.filter(|session| session.trace_id == trace))
    }

    /// Every open session, the first to begin first.
    pub fn open(&self) -> Result<Vec<Session>> {
        let Ok(entries) = fs::read_dir(&self.folder) else { return Ok(Vec::new()) };
        let mut open = Vec::new();
        for entry in entries.flatten().filter(|entry| entry.path().extension().is_some_and(|e| e == "json")) {
            open.extend(self.read(&entry.path())?);
        }
        open.sort_by(|a, b| a.started.cmp(&b.started).then_with(|| a.trace_id.cmp(&b.trace_id)));
        Ok(open)
    }

    /// A file counts for as long as the log says that its session began and did not end: after a crash it may be left over.
    fn read(&self, path: &Path) -> Result<Option<Session>> {
        let Ok(text) = fs::read(path) else { return Ok(None) };
        let Ok(session) = serde_json::from_slice::<Session>(&text) else { return Ok(None) };
        let head = self.space.horizon(None)?;
        let Some(start) = self.start_of(&session, head)? else { return Ok(None) };
        let ended = Select::from(&TIMELINE, head)
            .filter(Filter::Is("trace", session.trace_id.as_str().into()))
            .filter(Filter::Is("kind", SESSION_ENDED.into()))
            .filter(Filter::BornAfter(start));
        Ok(self.space.seqs(&ended)?.is_empty().then_some(session))
    }

    fn start_of(&self, session: &Session, head: u64) -> Result<Option<u64>> {
        let start = Select::from(&TIMELINE, head)
            .filter(Filter::Is("id", session.event.as_str().into()))
            .filter(Filter::Is("kind", SESSION_STARTED.into()));
        Ok(self.space.seqs(&start)?.first().copied())
    }

    /// Keeps what a session holds, all of it or none.
    pub fn put(&self, session: &Session) -> Result<()> {
        let text = serde_json::to_vec(session).map_err(|e| Error::unavailable(e.to_string()))?;
        if text.len() > HELD_MAX_BYTES {
            return Err(Error::invalid(format!("a session holds at most {HELD_MAX_BYTES} bytes"))
                .hint("what is to be kept belongs in the log: `idetic remember`"));
        }
        let path = self.path(&session.trace_id);
        let beside = path.with_extension("unfinished");
        fs::write(&beside, text).map_err(io("write", &beside))?;
        fs::rename(&beside, &path).map_err(io("write", &path))
    }

    /// Forgets what a session held.
    pub fn forget(&self, trace: &str) -> Result<()> {
        let path = self.path(trace);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(io("remove", &path)(error)),
            _ => Ok(()),
        }
    }

    /// The events of a session so far, as whoever acts in it may see them.
    pub fn events(&self, session: &Session) -> Result<Vec<Event>> {
        let head = self.space.horizon(None)?;
        let start = self.start_of(session, head)?.unwrap_or(0);
        let own = Select::from(&TIMELINE, head)
            .filter(Filter::Is("trace", session.trace_id.as_str().into()))
            .filter(Filter::BornAfter(start.saturating_sub(1)));
        let mut events = self.space.events(&self.space.seqs(&own)?)?;
        events.retain(|e| e.fields.as_ref().is_some_and(|f| f.persona != Some(Persona::Subconscious)));
        Ok(events)
    }

    fn path(&self, trace: &str) -> PathBuf {
        self.folder.join(format!("{}.json", names::file_name(trace)))
    }
}

/// Forgets what sessions held whose first event was erased.
pub(crate) fn drop_erased(space: &Space) -> Result<()> {
    let head = space.log().tip()?.seq;
    for entry in fs::read_dir(Sessions::of(space).folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let Ok(session) = serde_json::from_slice::<Session>(&fs::read(&path).unwrap_or_default()) else { continue };
        let erased = Select::from(&APART, head).filter(Filter::Is("id", session.event.as_str().into()));
        if !space.seqs(&erased)?.is_empty() {
            fs::remove_file(&path).map_err(io("remove", &path))?;
        }
    }
    Ok(())
}

/// How many of the events are something that was done, rather than the session itself.
pub fn operations(events: &[Event]) -> u64 {
    let of_session = |event: &&Event| [SESSION_STARTED, SESSION_ENDED].contains(&event.header.kind.as_str());
    (events.len() - events.iter().filter(of_session).count()) as u64
}

/// A new id for a workflow: a random UUID, as the document's own code makes them.
pub fn new_trace(env: &Env) -> String {
    let mut bytes: [u8; 16] = env.random();
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex = idetic_core::hash::hex(&bytes);
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

/// Minutes, to the thousandth.
#[expect(clippy::cast_precision_loss, reason = "no session lasts so long that it matters")]
fn minutes(millis: i64) -> f64 {
    (millis as f64 / 60.0).round() / 1000.0
}

/// A text as a shell takes it for one word.
pub fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+=,".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

fn none(message: String) -> Error {
    Error::new(Kind::NotFound, message).hint("`idetic session start` starts one")
}

fn io(doing: &str, path: &Path) -> impl FnOnce(std::io::Error) -> Error {
    Error::io(format!("cannot {doing} {}", path.display()))
}
