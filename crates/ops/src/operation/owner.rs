//! What an operation for the owner runs with: the whole home and its spaces.

use std::cell::{Cell, OnceCell};
use std::ops::{Deref, DerefMut};
use std::path::PathBuf;
use std::sync::Arc;

use idetic_core::SpaceName;
use idetic_memory::{Config, Env, Error, Grant, Home, Memory, Models, Result, Space};

use super::Context;
use super::context::AT_COMMAND_LINE;
use crate::Reply;

/// Most seconds that a query may ask for where nobody else waits.
const QUERY_SECONDS_MAX: u32 = 3600;

/// A [`Context`] with the home and the spaces themselves.
pub struct OwnerContext<'a>(Context<'a>);

impl<'a> Deref for OwnerContext<'a> {
    type Target = Context<'a>;

    fn deref(&self) -> &Context<'a> {
        &self.0
    }
}

impl<'a> DerefMut for OwnerContext<'a> {
    fn deref_mut(&mut self) -> &mut Context<'a> {
        &mut self.0
    }
}

impl<'a> OwnerContext<'a> {
    /// Environment without an input stream.
    pub fn new(
        home: Home,
        space: Option<SpaceName>,
        env: Env,
        reply: &'a mut dyn FnMut(Reply) -> Result<()>,
        progress: &'a mut dyn FnMut(u64, u64),
        notice: &'a mut dyn FnMut(&str),
    ) -> Self {
        let (input, for_person, memory) = (None, false, OnceCell::new());
        let models: &dyn Fn(&Config) -> Result<Models> = &|_| Ok(Models::default());
        Self(Context {
            home,
            space,
            env,
            input,
            reply,
            progress,
            notice,
            scratch: PathBuf::from("."),
            models,
            trace_id: None,
            for_person,
            query_seconds_max: QUERY_SECONDS_MAX,
            can_ask: false,
            program: "idetic".to_owned(),
            chat: &|_| Ok(None),
            variable: &|_| None,
            table: &Vec::new,
            grant: Grant::default(),
            caller: AT_COMMAND_LINE.to_owned(),
            project_of: &|_| None,
            project: None,
            client_checks: &Vec::new,
            memory,
            as_view: Cell::new(false),
        })
    }

    /// Environment within a memory that is open: for whoever runs one operation as a part of another.
    pub fn within(
        memory: &Arc<Memory>,
        space: SpaceName,
        reply: &'a mut dyn FnMut(Reply) -> Result<()>,
        progress: &'a mut dyn FnMut(u64, u64),
        notice: &'a mut dyn FnMut(&str),
    ) -> Self {
        let folder = memory.home().to_owned();
        let home = Home { folder, found_by: "open".to_owned(), make_on_use: false, log_url: None };
        let context = Self::new(home, Some(space), memory.env().clone(), reply, progress, notice);
        let _ = context.0.memory.set(Arc::clone(memory));
        context
    }

    /// The home that was found.
    pub fn home(&self) -> &Home {
        &self.0.home
    }

    /// Goes on in another home.
    pub(crate) fn move_to(&mut self, home: Home) {
        self.0.home = home;
    }

    /// The memory in the home, to be shared.
    pub fn shared_memory(&self) -> Result<Arc<Memory>> {
        self.memory()?;
        let memory = self.0.memory.get().map(Arc::clone);
        memory.ok_or_else(|| Error::unavailable("the home could not be opened"))
    }

    /// The memory in the home.
    pub fn memory(&self) -> Result<&Memory> {
        self.0.open()
    }

    /// The space in question, which must exist.
    pub fn space(&self) -> Result<Arc<Space>> {
        self.memory()?.space(&self.space_name()?)
    }

    /// The space in question, made if it does not exist.
    pub fn space_or_new(&self) -> Result<Arc<Space>> {
        self.memory()?.space_or_new(&self.space_name()?)
    }

    /// Answers.
    pub fn answer(&mut self, reply: impl Into<Reply>) -> Result<()> {
        self.0.answer(reply)
    }
}
