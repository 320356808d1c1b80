//! One operation, asked for by somebody: whether they may, in which space, through whose eyes, and what comes back.

use std::sync::Arc;
use std::time::Instant;

use idetic_agent::ops;
use idetic_ops::core::SpaceName;
use idetic_ops::model::Chat;
use idetic_ops::{
    Config, Error, HomeReply, Interface, Keys, Kind, Memory, Models, Operation, OwnerContext, Reader, Reply, Result,
    Rights,
};
use serde_json::json;
use serde_json::value::RawValue;

use crate::Principal;
use crate::concurrency::{AGENT_OPERATIONS, Limiter};
use crate::turn::{LongRunningPermit, PermitReleasingChat};
use crate::upkeep::Upkeep;

/// The arguments of a call: raw, so that an event is stored as it was sent.
type Arguments = std::collections::BTreeMap<String, Box<RawValue>>;

/// Longest arguments of a question: looking for something costs time and memory by its length.
const QUESTION_MAX_BYTES: usize = 256 << 10;
/// What gives a memory an end, after which upkeep erases it: of an administrator's key that is recorded like erasing.
const ENDS: &str = "update";
/// Longest time of a query in SQL: whoever asked may be gone by then, and others wait.
const QUERY_SECONDS_MAX: u32 = 60;

/// What a server has at hand.
pub struct Service {
    /// The memory.
    pub memory: Arc<Memory>,
    /// Who may ask.
    pub keys: Arc<Keys>,
    /// What runs at a time.
    pub(crate) limiter: Arc<Limiter>,
    /// What is embedded in the background.
    pub(crate) upkeep: Arc<Upkeep>,
    settings: Settings,
}

/// What a server is given: everything that is read from the environment.
pub struct Settings {
    /// What turns texts into vectors.
    pub models: Models,
    /// The language model of the agent, if one is configured.
    pub chat: Option<Arc<dyn Chat>>,
    /// What a variable of the environment holds, for keys that the configuration names.
    pub variable: fn(&str) -> Option<String>,
    /// A clock that never goes back, for limits and for how long something took.
    pub clock: fn() -> Instant,
    /// Who may ask without a key; only on loopback.
    pub without_key: Option<Principal>,
    /// What signs one browser in on the page, once, as the owner; only on loopback.
    pub sign_in_token: Option<String>,
    /// The version that is told.
    pub version: &'static str,
}

/// Why a call was not carried out.
#[derive(Debug)]
pub enum Refusal {
    /// The key does not allow the operation.
    Forbidden,
    /// The operation says no.
    Failed(Error),
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// One call.
pub struct OperationCall<'a> {
    /// Who asks.
    pub who: &'a Principal,
    /// What.
    pub operation: &'static Operation,
    /// The space that is named, as USER/COLLECTION.
    pub space: Option<&'a str>,
    /// The arguments, as a JSON object.
    pub arguments: &'a str,
    /// The workflow that whatever is written without one belongs to.
    pub trace: Option<String>,
    /// What the caller calls this call: made again under that name, it adds nothing.
    pub idempotency: Option<&'a str>,
    /// Whether parts of an answer are wanted as they come.
    pub streaming: bool,
    /// The permit it runs with, where it gives it back while it waits.
    pub turn: Option<Arc<LongRunningPermit>>,
    /// Hears how far a long operation is, where somebody wants to know.
    pub progress: Option<&'a dyn Fn(u64, u64)>,
}

impl Service {
    /// A server's view of a memory.
    pub fn new(memory: Arc<Memory>, settings: Settings) -> Result<Self> {
        let keys = Arc::new(Keys::of(&memory)?);
        let limiter = Arc::new(Limiter::new(settings.clock));
        Ok(Self { memory, keys, limiter, upkeep: Arc::default(), settings })
    }

    /// This moment, as limits count it.
    pub(crate) fn moment(&self) -> Instant {
        (self.settings.clock)()
    }

    /// What it was given.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The operation with a name, if it is one that can be called from elsewhere.
    pub fn operation(name: &str) -> Option<&'static Operation> {
        ops::find(name).filter(|operation| operation.interfaces.contains(&Interface::Json))
    }

    /// Every operation that can be called from elsewhere.
    pub fn operations() -> impl Iterator<Item = &'static Operation> {
        ops::all().filter(|operation| operation.interfaces.contains(&Interface::Json))
    }

    /// Every operation that has a route: those, and what only administrators call.
    pub fn routes() -> impl Iterator<Item = &'static Operation> {
        ops::all()
            .filter(|operation| operation.interfaces.contains(&Interface::Json) || operation.is_for_administrators())
    }

    /// The space a call is about.
    pub fn space_of(&self, asking: &OperationCall) -> std::result::Result<SpaceName, Refusal> {
        Ok(self.space(asking, &read(asking.arguments)?)?)
    }

    /// Carries out a call; each answer is taken as it comes.
    pub fn call(
        &self,
        asking: &OperationCall,
        take: &mut dyn FnMut(Reply) -> Result<()>,
        notice: &mut dyn FnMut(&str),
    ) -> std::result::Result<(), Refusal> {
        let operation = asking.operation;
        if !asking.who.may(operation) {
            return Err(Refusal::Forbidden);
        }
        if operation.rights == Rights::Read && asking.arguments.len() > QUESTION_MAX_BYTES {
            let long = format!("the arguments have {} bytes, more than {QUESTION_MAX_BYTES}", asking.arguments.len());
            return Err(Error::invalid(long).hint("ask something shorter").into());
        }
        let mut arguments = read(asking.arguments)?;
        let space = self.space(asking, &arguments)?;
        hold_to_agent(asking.who, operation, &mut arguments)?;
        name_events(asking, &space, &mut arguments)?;
        let ends = operation.name == ENDS && arguments.contains_key("expires_at") && asking.who.is_admin();
        let text = serde_json::to_string(&arguments).map_err(|error| Error::invalid(error.to_string()))?;
        let mut erased = Vec::new();
        let mut take = |reply: Reply| {
            if let Reply::Home(HomeReply::Purged(purged)) = &reply
                && purged.applied
            {
                erased.push(purged.space.clone());
            }
            take(reply)
        };
        let done = self.run(asking, space.clone(), &text, &mut take, notice);
        let done = done.map_err(|error| asking.who.grant().redact(error));
        if operation.rights == Rights::Admin || operation.destructive || ends {
            let outcome = done.as_ref().err().map_or("done", |error| error.message.as_str());
            let mut told = json!({"operation": operation.name, "space": space.to_string(), "outcome": outcome});
            if !erased.is_empty() {
                told["erased"] = erased.into();
            }
            self.memory.audit("admin.called", &asking.who.id, &told)?;
        }
        Ok(done?)
    }

    fn run(
        &self,
        asking: &OperationCall,
        space: SpaceName,
        arguments: &str,
        take: &mut dyn FnMut(Reply) -> Result<()>,
        notice: &mut dyn FnMut(&str),
    ) -> Result<()> {
        let Settings { models, chat, variable, .. } = &self.settings;
        let models = Models { in_background: self.upkeep.is_behind(), ..models.clone() };
        let models = move |_: &Config| Ok(models.clone());
        let chat = match chat {
            Some(chat) if AGENT_OPERATIONS.contains(&asking.operation.name) => {
                let begin = || LongRunningPermit::begin(&self.limiter, asking.operation, &asking.who.id);
                let turn = asking.turn.clone().map_or_else(begin, Ok)?;
                Some(Arc::new(PermitReleasingChat { chat: Arc::clone(chat), turn }) as Arc<dyn Chat>)
            }
            chat => chat.clone(),
        };
        let chat = move |_: &Config| Ok(chat.clone());
        let mut progress = |done, of| {
            if let Some(progress) = asking.progress {
                progress(done, of);
            }
        };
        let mut context = OwnerContext::within(&self.memory, space, take, &mut progress, notice);
        context.models = &models;
        context.chat = &chat;
        context.variable = variable;
        context.table = &|| ops::all().collect();
        context.grant = asking.who.grant().clone();
        context.caller.clone_from(&asking.who.id);
        context.trace_id.clone_from(&asking.trace);
        context.for_person = asking.streaming;
        context.query_seconds_max = QUERY_SECONDS_MAX;
        let done = (asking.operation.from_json)(&mut context, arguments);
        log_repairs(&self.memory);
        done?;
        if asking.operation.is_for_administrators() {
            // A key that was made or revoked here counts here at once; else they are read again in a moment.
            let _ = self.keys.refresh();
        }
        if asking.operation.rights == Rights::Write {
            self.upkeep.wake();
            idetic_ops::follow_folder(&mut context);
        }
        Ok(())
    }

    /// The space that is meant. One that the caller may not see is one that does not exist.
    fn space(&self, asking: &OperationCall, arguments: &Arguments) -> Result<SpaceName> {
        let named = match asking.space {
            Some(name) => Some(SpaceName::parse(name)?),
            None => None,
        };
        let usual = asking.who.grant().usual(&self.memory.config().space)?;
        // Requests of specification 002 name the user and the collection among their arguments.
        let said = |key: &str| {
            let raw = arguments.get(key).filter(|_| takes(asking.operation, "collection"))?;
            serde_json::from_str::<String>(raw.get()).ok()
        };
        let of_arguments = || {
            let [user, collection] = usual.parts();
            let (user, collection) =
                (said("user").unwrap_or(user.to_owned()), said("collection").unwrap_or(collection.to_owned()));
            SpaceName::parse(&format!("{user}/{collection}")).map_err(Error::from)
        };
        let space = named.map_or_else(of_arguments, Ok)?;
        let missing =
            || Error::not_found(format!("there is no space {space}")).hint("a space is created with its first event");
        if !asking.who.sees(&space) {
            return Err(missing());
        }
        let Operation { rights, reader, new_space, .. } = asking.operation;
        let must_exist = *rights == Rights::Read && *reader != Reader::Home && new_space.is_none();
        match self.memory.space(&space) {
            Err(error) if error.kind == Kind::NotFound && must_exist => Err(missing()),
            _ => Ok(space),
        }
    }
}

fn read(text: &str) -> Result<Arguments> {
    let text = if text.trim().is_empty() { "{}" } else { text };
    serde_json::from_str(text).map_err(|error| {
        Error::invalid(format!("the body is not a JSON object: {error}")).hint("send the arguments as one JSON object")
    })
}

/// Whether an operation has an argument of this name.
fn takes(operation: &Operation, argument: &str) -> bool {
    (operation.schema)()["properties"].get(argument).is_some()
}

/// Whoever is held to an agent need not name it. What is named instead is for the operation to refuse.
fn hold_to_agent(who: &Principal, operation: &Operation, arguments: &mut Arguments) -> Result<()> {
    let grant = who.grant();
    let persona = grant.agent.as_ref().map(|_| grant.persona.map_or("actor", |persona| persona.word()).to_owned());
    for (name, value) in [("agent", grant.agent.clone()), ("persona", persona)] {
        let Some(value) = value.filter(|_| takes(operation, name)) else { continue };
        let raw = serde_json::value::to_raw_value(&value).map_err(|error| Error::invalid(error.to_string()))?;
        arguments.entry(name.to_owned()).or_insert(raw);
    }
    Ok(())
}

/// Operations whose events are named by their call: carried out again they add nothing and answer the same.
pub(crate) const REPEATABLE: [&str; 2] = ["append", "remember"];

/// Events without an id get one that depends on the call alone, so that a call made again adds nothing.
fn name_events(asking: &OperationCall, space: &SpaceName, arguments: &mut Arguments) -> Result<()> {
    let Some(key) = asking.idempotency else { return Ok(()) };
    let id = |number: usize| {
        let mut hash = blake3::Hasher::new();
        let (caller, space) = (asking.who.fingerprint(), space.to_string());
        for part in [caller.as_bytes(), space.as_bytes(), asking.operation.name.as_bytes(), key.as_bytes()] {
            hash.update(&(part.len() as u64).to_le_bytes()).update(part);
        }
        hash.update(&(number as u64).to_le_bytes());
        format!("once-{}", &hash.finalize().to_hex()[..32])
    };
    let raw = |text: String| RawValue::from_string(text).map_err(|error| Error::invalid(error.to_string()));
    match (asking.operation.name, arguments.get("events")) {
        ("append", Some(events)) => {
            let Ok(events) = serde_json::from_str::<Vec<&RawValue>>(events.get()) else { return Ok(()) };
            let named = events.iter().enumerate().map(|(number, event)| with_id(event.get(), &id(number)));
            let events = raw(format!("[{}]", named.collect::<Vec<_>>().join(",")))?;
            arguments.insert("events".to_owned(), events);
        }
        ("remember", _) if !arguments.contains_key("id") => {
            arguments.insert("id".to_owned(), raw(format!("\"{}\"", id(0)))?);
        }
        _ => {}
    }
    Ok(())
}

/// A record with an id in front, unless it has one or is none.
fn with_id(record: &str, id: &str) -> String {
    let has_id = serde_json::from_str::<Arguments>(record).map_or(true, |fields| fields.contains_key("id"));
    match record.trim_start().strip_prefix('{') {
        Some(rest) if !has_id && rest.trim_start().starts_with('}') => format!("{{\"id\":\"{id}\"{rest}"),
        Some(rest) if !has_id => format!("{{\"id\":\"{id}\",{rest}"),
        _ => record.to_owned(),
    }
}

/// What was found damaged and rebuilt is for whoever runs the server, whoever happened to ask.
pub(crate) fn log_repairs(memory: &Memory) {
    for repair in memory.drain_repairs() {
        tracing::warn!(target: "idetic::repair", "{repair}");
    }
}
