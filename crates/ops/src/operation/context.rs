//! What every operation runs with: who asks, whoever takes its answers, and the memory through that caller's eyes alone.

use std::cell::{Cell, OnceCell};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use idetic_core::identity::Identity;
use idetic_core::words::{Persona, Trust};
use idetic_core::{Record, SpaceName};
use idetic_memory::{
    Cause, Config, Env, Error, Grant, Home, Memory, Models, RequestedReader, Result, Scope, Space, Viewpoint, is_audit,
};
use idetic_model::Chat;
use idetic_sync::project::Project;

use super::Operation;
use crate::{CheckLine, Reply};

/// What the audit log calls the command line.
pub(super) const AT_COMMAND_LINE: &str = "cli";

/// Makes the language model that a configuration asks for.
pub type ChatOf = dyn Fn(&Config) -> Result<Option<Arc<dyn Chat>>>;

/// What an operation runs with: the environment is handed in, so that nothing here reads it by itself. Nothing public leads from
/// here to a space, so that an operation that answers an agent can show it no more than that agent may see:
///
/// ```compile_fail
/// fn answer(cx: &idetic_ops::Context) {
///     let whole_space = cx.space();
/// }
/// ```
///
/// What is for the owner of the space takes an [`OwnerContext`](super::OwnerContext) instead.
pub struct Context<'a> {
    /// The home that was found.
    pub(super) home: Home,
    /// The space that was named, if one was.
    pub space: Option<SpaceName>,
    /// The clock and the random source.
    pub env: Env,
    /// The caller's input stream.
    pub input: Option<Box<dyn Read + Send>>,
    /// Takes each answer.
    pub reply: &'a mut dyn FnMut(Reply) -> Result<()>,
    /// Hears how far a long operation is: done, of how many.
    pub progress: &'a mut dyn FnMut(u64, u64),
    /// Hears what a person should know and a program need not.
    pub notice: &'a mut dyn FnMut(&str),
    /// Where files may be put that vanish again.
    pub scratch: PathBuf,
    /// What turns texts into vectors, made when it is first needed.
    pub models: &'a dyn Fn(&Config) -> Result<Models>,
    /// The workflow that whatever is written without one belongs to.
    pub trace_id: Option<String>,
    /// Whether answers are shown to a person, who cannot read a million of them.
    pub for_person: bool,
    /// Most seconds that a query in SQL may ask for.
    pub query_seconds_max: u32,
    /// Whether somebody is there to answer a question.
    pub can_ask: bool,
    /// How the program is called again, by git for instance.
    pub program: String,
    /// The language model that is configured, if one is.
    pub chat: &'a ChatOf,
    /// What a variable of the environment holds, for keys that the configuration names.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
    /// Every operation there is, for callers that ask what can be asked.
    pub table: &'a dyn Fn() -> Vec<&'static Operation>,
    /// What the caller is held to.
    pub grant: Grant,
    /// What the audit log calls the caller: the id of a key.
    pub caller: String,
    /// The project that a folder belongs to, as events name it.
    pub project_of: &'a dyn Fn(&Path) -> Option<String>,
    /// The project that is worked in, where that is known.
    pub project: Option<Project>,
    /// How the coding agents of this machine are set up, for callers that ask whether all is well.
    pub client_checks: &'a dyn Fn() -> Vec<CheckLine>,
    pub(super) memory: OnceCell<Arc<Memory>>,
    /// Whether the operation reads as one side of an agent.
    pub(super) as_view: Cell<bool>,
}

impl<'a> Context<'a> {
    /// The name of the space in question.
    pub fn space_name(&self) -> Result<SpaceName> {
        match &self.space {
            Some(space) => Ok(space.clone()),
            None => Ok(self.config()?.space.clone()),
        }
    }

    /// The memory in the home, opened when it is first needed.
    pub(super) fn open(&self) -> Result<&Memory> {
        if self.memory.get().is_none() {
            let mut memory = self.home.open(self.env.clone())?;
            if let Some(space) = &self.space {
                memory.config_mut().set_space(space.clone(), "--space");
            }
            let _ = self.memory.set(Arc::new(memory));
        }
        self.memory.get().map(|memory| &**memory).ok_or_else(|| Error::unavailable("the home could not be opened"))
    }

    /// The names of the project that the caller works in: by their connection, or by the folder of the command.
    pub fn projects(&self) -> Vec<String> {
        let writer = &self.grant.writer;
        let own: Vec<String> = [&writer.source, &writer.former_source].into_iter().flatten().cloned().collect();
        let here = || self.project.iter().flat_map(Project::names).map(str::to_owned).collect();
        if own.is_empty() { here() } else { own }
    }

    /// The name by which events of the project that is worked in are known.
    pub fn project_name(&self) -> Option<String> {
        self.project.as_ref().map(|project| project.name.clone())
    }

    /// Whether an agent asks, and not a person.
    pub fn is_agents(&self) -> bool {
        self.grant.writer().highest.is_some_and(|highest| highest >= Trust::Agent)
    }

    /// The settings in force.
    pub fn config(&self) -> Result<&Config> {
        Ok(self.open()?.config())
    }

    /// The space through the eyes that were named: an agent's as its actor unless said otherwise, else the owner's.
    pub(crate) fn viewpoint(&self, who: &RequestedReader) -> Result<Viewpoint> {
        self.viewpoint_of(&self.space_name()?, who)
    }

    /// The same, and the space is made if it does not exist.
    pub(crate) fn viewpoint_or_new(&self, who: &RequestedReader) -> Result<Viewpoint> {
        self.viewpoint_of_new(&self.space_name()?, who)
    }

    /// A space that exists through the eyes that were named.
    pub(crate) fn viewpoint_of(&self, space: &SpaceName, who: &RequestedReader) -> Result<Viewpoint> {
        self.through(self.open()?.space(space)?, who)
    }

    /// A space through the eyes that were named, made if it does not exist.
    pub(crate) fn viewpoint_of_new(&self, space: &SpaceName, who: &RequestedReader) -> Result<Viewpoint> {
        self.through(self.open()?.space_or_new(space)?, who)
    }

    fn through(&self, space: Arc<Space>, who: &RequestedReader) -> Result<Viewpoint> {
        let scope = self.grant.who(who.clone())?.scope()?;
        self.as_view.set(scope != Scope::Owner);
        Ok(Viewpoint::new(space, scope).written_by(self.grant.writer()))
    }

    /// Whose eyes are meant: those that were named, within what the caller is held to.
    pub(crate) fn who(&self, agent: Option<&String>, persona: Option<&String>) -> Result<RequestedReader> {
        self.grant.who(RequestedReader { agent: agent.cloned(), persona: persona.cloned() })
    }

    /// The agent that is meant, where one alone can be named: the one that was, within the caller's grant. What goes wrong from here
    /// on is told as that agent may hear it.
    pub fn agent(&self, named: Option<String>) -> Result<Option<String>> {
        let agent = self.grant.who(RequestedReader { agent: named, persona: None })?.agent;
        self.as_view.set(self.as_view.get() || agent.is_some());
        Ok(agent)
    }

    /// The identity of an agent.
    pub(crate) fn identity(&self, agent: &str) -> Result<Identity> {
        self.open()?.identity(agent)
    }

    /// The space as an agent's actor sees it, or what it shares where no agent is meant; what is written through it is the caller's.
    pub fn actor_or_shared(&self, named: Option<String>) -> Result<Viewpoint> {
        let space = self.open()?.space(&self.space_name()?)?;
        let viewpoint = match self.agent(named)? {
            Some(agent) => space.as_agent(&agent, Persona::Actor),
            None => space.as_shared(),
        };
        Ok(viewpoint.written_by(self.grant.writer()))
    }

    /// Who writes: as the connection says, else as named, else as configured.
    pub fn author(&self, named: Option<String>) -> Result<Option<String>> {
        if let Some(connected) = &self.grant.writer.author {
            return Ok(Some(connected.clone()));
        }
        let configured = self.config()?.author.clone();
        Ok(named.or(Some(configured)).filter(|author| !author.is_empty()))
    }

    /// Refuses whoever is trusted less than the owner: it changes what everybody's memory is.
    pub(crate) fn must_be_owner(&self, doing: &str) -> Result<()> {
        match self.grant.trust {
            Some(own) if own > Trust::User => Err(Error::invalid(format!("trust '{}' may not {doing}", own.word()))
                .hint("its owner can, at the command line")),
            _ => Ok(()),
        }
    }

    /// Refuses to take something out of the audit log for whoever is not at the command line: what a key did is not that
    /// key's to erase.
    pub(crate) fn must_keep_audit(&self, space: &SpaceName) -> Result<()> {
        if is_audit(space) && self.caller != AT_COMMAND_LINE {
            return Err(Error::invalid("the audit log is not erased over the network")
                .hint("the owner of the home can, at the command line"));
        }
        Ok(())
    }

    /// A record as the caller may write it.
    pub(crate) fn sign(&self, record: Record) -> Result<Record> {
        self.grant.writer().sign(record)
    }

    /// An error as whoever asked may see it.
    pub fn redact(&self, error: Error) -> Error {
        if self.as_view.get() { error.for_view() } else { error }
    }

    /// What an operation says of a space that is not there yet, or else the error as whoever asked may see it.
    pub fn of_new_space(&mut self, error: Error, answer: Option<fn(&mut Self) -> Result<()>>) -> Result<()> {
        match answer {
            Some(answer) if error.cause == Cause::NewSpace => {
                (self.notice)(&format!("{error}: nothing was remembered there so far"));
                answer(self)
            }
            _ => Err(self.redact(error)),
        }
    }

    /// What turns texts into vectors.
    pub fn models(&self) -> Result<Models> {
        (self.models)(self.config()?)
    }

    /// The same for whoever can do without: why there is no model is said, and words remain.
    pub fn models_if_any(&mut self) -> Models {
        self.models().unwrap_or_else(|error| {
            (self.notice)(&format!("{error}: searched by words only"));
            Models::default()
        })
    }

    /// Embeds a little of what was appended, once it is acknowledged, where that costs nothing and cannot be waited for.
    /// Whatever goes wrong here, the appends are safe and the next reader does it.
    /// Of that lane alone: what is found in one does not depend on what was said in another.
    pub(crate) fn embed_opportunistically(&self, viewpoint: &Viewpoint, lane: &str) {
        let Ok(Models { wanted: Some(model), local: true, in_background: false, .. }) = self.models() else { return };
        let _ = viewpoint.embed_some(&model, lane);
    }

    /// Says what was found damaged and rebuilt meanwhile, in whichever space.
    pub fn tell_repairs(&mut self) {
        if let Some(memory) = self.memory.get() {
            memory.drain_repairs().iter().for_each(|said| (self.notice)(said));
        }
    }

    /// Answers.
    pub fn answer(&mut self, reply: impl Into<Reply>) -> Result<()> {
        (self.reply)(reply.into())
    }
}
