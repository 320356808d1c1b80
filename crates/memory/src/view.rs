//! The memory of one side of one agent, as a type of its own: through an actor's view there is no method, field or id
//! that leads to its subconscious, to another agent or to the space itself.

use std::marker::PhantomData;
use std::sync::Arc;

use idetic_core::event::Seen;
use idetic_core::identity::MemoryConfig;
use idetic_core::project::ProjectScope;
use idetic_core::views::TIMELINE;
use idetic_core::words::Persona;
use idetic_core::{Record, Time};
use idetic_search::stm::{self, StmEntry, StmHit};
use idetic_store::{Filter, Select};

use crate::context::{self, PackedContext};
use crate::recall::{Models, Question, RecallOptions};
use crate::short_term::LoopOwner;
use crate::viewpoint::{Scope, Shown, Viewpoint};
use crate::{AsOf, Error, EventNumber, Recalled, Result, Space};

/// Which side of an agent a view is of: nobody adds one that sees more.
///
/// ```compile_fail
/// use idetic_memory::{Side, View, core::words::Persona};
/// enum Everything {}
/// impl Side for Everything {
///     const PERSONA: Persona = Persona::Subconscious;
/// }
/// ```
pub trait Side: sealed::Sealed {
    /// The persona.
    const PERSONA: Persona;
}

mod sealed {
    pub trait Sealed {}
}

/// The side that acts and talks.
#[derive(Debug, Clone, Copy)]
pub enum Actor {}

/// The side that maintains.
#[derive(Debug, Clone, Copy)]
pub enum Subconscious {}

impl sealed::Sealed for Actor {}
impl sealed::Sealed for Subconscious {}

impl Side for Actor {
    const PERSONA: Persona = Persona::Actor;
}

impl Side for Subconscious {
    const PERSONA: Persona = Persona::Subconscious;
}

/// The memory of one side of one agent.
pub struct View<S: Side> {
    agent: String,
    viewpoint: Viewpoint,
    side: PhantomData<S>,
}

/// What an agent's actor can remember: its own memory, and what the space shares.
///
/// Nothing leads from it to the space, the log, another agent or the other side. What it has compiles:
///
/// ```
/// use idetic_memory::{ActorView, Models, Question};
/// fn has(actor: &ActorView, models: &Models, question: Question) {
///     let _ = (actor.agent(), actor.lane(), actor.prompt(models, question, 100));
/// }
/// ```
///
/// What it has not does not:
///
/// ```compile_fail
/// use idetic_memory::ActorView;
/// fn leads(actor: &ActorView) { actor.subconscious(); }
/// ```
/// ```compile_fail
/// use idetic_memory::ActorView;
/// fn leads(actor: &ActorView) { actor.actor(); }
/// ```
/// ```compile_fail
/// use idetic_memory::ActorView;
/// fn leads(actor: &ActorView) { actor.space(); }
/// ```
/// ```compile_fail
/// use idetic_memory::ActorView;
/// fn leads(actor: &ActorView) { actor.log(); }
/// ```
/// ```compile_fail
/// use idetic_memory::ActorView;
/// fn leads(actor: &ActorView) { actor.viewpoint(); }
/// ```
/// ```compile_fail
/// use idetic_memory::ActorView;
/// fn reads(actor: &ActorView) { let _ = &actor.viewpoint; }
/// ```
/// ```compile_fail
/// use idetic_memory::ActorView;
/// fn renames(mut actor: ActorView) { actor.agent = "another".to_owned(); }
/// ```
/// ```compile_fail
/// use idetic_memory::{Actor, ActorView, View};
/// fn rebuilds(actor: ActorView) -> ActorView { View::<Actor> { agent: "another".to_owned(), ..actor } }
/// ```
/// ```compile_fail
/// use idetic_memory::{ActorView, SubconsciousView};
/// fn passes_for(actor: &ActorView) -> &SubconsciousView { actor }
/// ```
/// ```compile_fail
/// use idetic_memory::{ActorView, SubconsciousView};
/// fn becomes(actor: ActorView) -> SubconsciousView { actor.into() }
/// ```
pub type ActorView = View<Actor>;

/// What an agent's subconscious can remember: its own memory, its actor's, and what the space shares. It is made from a space
/// alone, and puts nothing before a model:
///
/// ```compile_fail
/// use idetic_memory::{Subconscious, View};
/// let _ = View::<Subconscious>::new;
/// ```
/// ```compile_fail
/// use idetic_memory::{Models, Question, SubconsciousView};
/// fn prompts(subconscious: &SubconsciousView, models: &Models, question: Question) {
///     let _ = subconscious.prompt(models, question, 100);
/// }
/// ```
pub type SubconsciousView = View<Subconscious>;

impl Space {
    /// The memory of an agent's actor.
    pub fn actor(self: &Arc<Self>, agent: &str) -> ActorView {
        View::new(self, agent)
    }

    /// The memory of an agent's subconscious.
    pub fn subconscious(self: &Arc<Self>, agent: &str) -> SubconsciousView {
        View::new(self, agent)
    }
}

impl SubconsciousView {
    /// The memory of the same agent's actor.
    pub fn actor(&self) -> ActorView {
        let scope = Scope::View(self.agent.clone(), Persona::Actor);
        View { agent: self.agent.clone(), viewpoint: self.viewpoint.through(scope), side: PhantomData }
    }
}

impl ActorView {
    /// What is put before an actor about a question: packed into a budget of tokens, fenced as quoted data, with where each
    /// piece comes from. A function of this type alone.
    pub fn prompt(&self, models: &Models, question: Question, budget: usize) -> Result<PackedContext> {
        context::pack(
            &self.viewpoint,
            models,
            &RecallOptions::default(),
            question,
            &ProjectScope::default(),
            budget,
            &mut |_| {},
        )
    }
}

impl<S: Side> View<S> {
    fn new(space: &Arc<Space>, agent: &str) -> Self {
        let viewpoint = Viewpoint::new(Arc::clone(space), Scope::View(agent.to_owned(), S::PERSONA));
        Self { agent: agent.to_owned(), viewpoint, side: PhantomData }
    }

    /// Whose memory it is.
    pub fn agent(&self) -> &str {
        &self.agent
    }

    /// The name of its lane.
    pub fn lane(&self) -> String {
        idetic_search::Lane::Of(self.agent.clone(), S::PERSONA).name()
    }

    /// How many events it can see.
    pub fn count(&self) -> Result<u64> {
        self.viewpoint.horizon(None).and_then(|horizon| self.viewpoint.count(horizon)).map_err(Error::for_view)
    }

    /// Appends records in its own name; tells their places in this view.
    pub fn append(&self, records: Vec<Record>, expect: Option<u64>) -> Result<Vec<(EventNumber, String)>> {
        self.viewpoint.append(records, expect)
    }

    /// One event, literally, by its id or its place.
    pub fn get(&self, name: &str) -> Result<Seen> {
        let horizon = self.viewpoint.horizon(None)?;
        let event = self.viewpoint.get(name, horizon)?;
        match self.viewpoint.show(vec![event], horizon)?.pop() {
            Some(Shown::Seen(seen)) => Ok(*seen),
            _ => Err(Error::not_found(format!("there is no event '{name}'"))),
        }
    }

    /// The events that happened from one moment to another, literally and in order.
    pub fn range(&self, from: Time, to: Time) -> Result<Vec<Seen>> {
        let horizon = self.viewpoint.horizon(None)?;
        let select = Select::from(&TIMELINE, horizon)
            .filter(Filter::AtLeast("ts", from.0.into()))
            .filter(Filter::AtMost("ts", to.0.into()));
        let events = self.viewpoint.space().events(&self.viewpoint.seqs(&select)?)?;
        let seen = self.viewpoint.show(events, horizon)?.into_iter().filter_map(|shown| match shown {
            Shown::Seen(seen) => Some(*seen),
            Shown::Whole(_) => None,
        });
        Ok(seen.collect())
    }

    /// The events that answer a question.
    pub fn recall(&self, models: &Models, options: &RecallOptions, question: Question) -> Result<Recalled> {
        self.viewpoint.recall_one(models, options, &question, &mut |_| {}).map_err(Error::for_view)
    }

    /// Its last loops, the latest first.
    pub fn loops(&self, memory: &MemoryConfig, as_of: Option<&AsOf>) -> Result<Vec<StmEntry>> {
        let (viewpoint, horizon) = self.viewpoint.as_of(as_of)?;
        let whose = LoopOwner::new(Some(&self.agent), Some(S::PERSONA));
        viewpoint.space().loops(whose, memory.stm_window_size, &memory.stm_search, horizon)
    }

    /// Its last loops that resemble a text.
    pub fn stm(&self, query: &str, memory: &MemoryConfig, as_of: Option<&AsOf>) -> Result<Vec<StmHit>> {
        let horizon = self.viewpoint.horizon(as_of)?;
        let Some(now) = self.viewpoint.last_recorded(horizon)? else { return Ok(Vec::new()) };
        Ok(stm::search(query, self.loops(memory, as_of)?, &memory.stm_search, now))
    }
}
