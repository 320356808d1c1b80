//! Calls with an Idempotency-Key: bound to everything that decides what their answer may be, and to their space.

use std::sync::Arc;

use axum::body::Bytes;
use axum::http::StatusCode;
use idetic_ops::core::SpaceName;
use idetic_ops::{Beginning, Erasures, Idempotency, Known, Memory, NamedCall, Result, Rights, Turn};

use super::super::App;
use super::Call;
use crate::Refusal;
use crate::service::REPEATABLE;

/// Longest Idempotency-Key.
pub const NAME_MAX_BYTES: usize = 200;

/// Random bytes in the name of a process, so that no two have the same.
const OWNER_BYTES: usize = 16;

/// A call that was begun and must be ended.
#[derive(Clone)]
pub struct Begun {
    call: NamedCall,
    turn: Turn,
    erasures: Erasures,
}

/// The named calls of a home.
pub fn of(memory: &Arc<Memory>) -> Idempotency {
    let sources = memory.env().clone();
    // Keys are kept with the logs, too, so whoever serves has opened them.
    let logs = memory.logs().expect("the logs were opened for the keys");
    Idempotency::of(memory.home(), logs, move || {
        sources.random::<OWNER_BYTES>().iter().map(|byte| format!("{byte:02x}")).collect()
    })
}

fn erasures(memory: &Arc<Memory>, space: SpaceName) -> Erasures {
    let memory = Arc::clone(memory);
    Arc::new(move || memory.erasures(&space))
}

/// Begins a call, unless it is known already. Blocks.
pub fn begin(call: &Call) -> std::result::Result<(Begun, Known), Refusal> {
    let space = call.space_name()?;
    let (memory, key) = (&call.app.service.memory, call.name.as_deref().unwrap_or_default());
    let caller = call.who.fingerprint();
    let mut name = blake3::Hasher::new();
    for part in [caller.as_bytes(), call.operation.name.as_bytes(), key.as_bytes()] {
        name.update(&(part.len() as u64).to_le_bytes()).update(part);
    }
    let named = NamedCall {
        space: space.to_string(),
        name: *name.finalize().as_bytes(),
        caller: *caller.as_bytes(),
        asked: *blake3::hash(&call.body).as_bytes(),
    };
    let head = memory.space(&space).and_then(|space| Ok(space.log().tip()?.seq)).unwrap_or(0);
    let erasures = erasures(memory, space);
    let begun = call.app.idempotency.begin(Beginning {
        call: named.clone(),
        now_micros: memory.env().now().0,
        head,
        is_repeatable: REPEATABLE.contains(&call.operation.name),
        writes_log_only: call.operation.rights == Rights::Write,
        erasures: Arc::clone(&erasures),
    });
    let (known, turn) = begun.map_err(idetic_ops::Error::from)?;
    Ok((Begun { call: named, turn, erasures }, known))
}

impl Begun {
    /// Does the work of the call.
    pub fn carry_out<T>(&self, work: impl FnOnce() -> T) -> T {
        self.turn.carry_out(work)
    }
}

/// Keeps the answer of a call; one that failed for want of something may be tried again. Blocks.
pub fn end(app: &App, begun: Begun, status: StatusCode, body: &Bytes) -> Result<()> {
    let may_be_tried_again =
        status.is_server_error() || [StatusCode::UNPROCESSABLE_ENTITY, StatusCode::TOO_MANY_REQUESTS].contains(&status);
    let answer = (!may_be_tried_again).then(|| (status.as_u16(), body.to_vec()));
    Ok(app.idempotency.end(begun.call, &begun.turn, answer, begun.erasures)?)
}
