//! Long work that waits in between, for a model or for a slow reader: while it waits its permit is another's.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use idetic_ops::model::{Chat, ChatAnswer, ChatError, ChatRequest};
use idetic_ops::{Operation, Result};
use tokio::runtime::Handle;

use crate::concurrency::{Limiter, Permit};

/// Work of an operation that runs in a thread of its own.
pub struct LongRunningPermit {
    limiter: Arc<Limiter>,
    operation: &'static Operation,
    key: String,
    runtime: Handle,
    state: Mutex<State>,
}

struct State {
    permit: Option<Permit>,
    /// How many waits are within each other: a model's words may wait for a reader.
    pauses: usize,
}

impl LongRunningPermit {
    /// Waits for a permit. Blocks.
    pub fn begin(limiter: &Arc<Limiter>, operation: &'static Operation, key: &str) -> Result<Arc<Self>> {
        let runtime = Handle::current();
        let permit = runtime.block_on(limiter.enter_long(operation, key))?;
        let state = Mutex::new(State { permit: Some(permit), pauses: 0 });
        Ok(Arc::new(Self { limiter: Arc::clone(limiter), operation, key: key.to_owned(), runtime, state }))
    }

    /// Waits for something without a permit, and then for a permit. Blocks.
    pub fn pause<T>(&self, wait: impl FnOnce() -> T) -> T {
        let before = {
            let mut state = self.state();
            state.pauses += 1;
            state.permit.take()
        };
        drop(before);
        let waited = wait();
        let is_over = {
            let mut state = self.state();
            state.pauses -= 1;
            state.pauses == 0
        };
        // What was begun is finished, however long the others take.
        while is_over && self.state().permit.is_none() {
            let permit = self.runtime.block_on(self.limiter.enter_long(self.operation, &self.key));
            self.state().permit = permit.ok();
        }
        waited
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A language model that is waited for without a permit.
pub struct PermitReleasingChat {
    pub chat: Arc<dyn Chat>,
    pub turn: Arc<LongRunningPermit>,
}

impl Chat for PermitReleasingChat {
    fn name(&self) -> &str {
        self.chat.name()
    }

    fn window_tokens(&self) -> usize {
        self.chat.window_tokens()
    }

    fn native_tools(&self) -> bool {
        self.chat.native_tools()
    }

    fn ask(&self, request: &ChatRequest, hear: &mut dyn FnMut(&str)) -> std::result::Result<ChatAnswer, ChatError> {
        self.turn.pause(|| self.chat.ask(request, hear))
    }
}
