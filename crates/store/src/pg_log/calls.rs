//! Named calls in PostgreSQL: one made again is carried out once, whichever machine it reaches.
//!
//! Whoever carries a call out says every few seconds that it is at it. Once it has been silent for a while, another machine takes
//! the call over if nothing was appended for it. What the first one appends for it then is refused, in the transaction that
//! would append it: clocks and pauses decide how long somebody waits, never whether something is done twice.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};
use std::thread;
use std::time::Duration;

use tokio_postgres::types::Type;

use super::cells::{bigint, column};
use super::connection::{Connection, Parameter, begin_writing};
use super::database::Database;
use crate::named_call::{
    ANSWER_MAX_BYTES, ANSWERED, BEGUN, BYTES_MAX, Beginning, CALLER_BYTES_MAX, CALLER_CALLS_MAX, CALLS_MAX, DONE,
    KEPT_MICROS, Known, NamedCall,
};
use crate::{Error, Result};

/// After how long a silence a call is taken for abandoned, and how often whoever carries it out says otherwise.
const SILENCE_MICROS: i64 = 30 * 1_000_000;
const RENEW: Duration = Duration::from_secs(10);
/// How long the database may take to take note of that.
const RENEW_ANSWER: Duration = Duration::from_secs(5);
/// After how many times all that is too old is removed, also of spaces that nobody calls: an hour.
const SWEEP_TURNS: u32 = 360;
/// How often a call is begun anew that somebody else ended or removed in between.
const TRIES: usize = 10;

/// The time as the database has it, which is the same for every machine.
const NOW: &str = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint";
const MARK: &str = "coalesce((SELECT erasure FROM idetic.spaces WHERE space = $1), 0)";
/// Waits for an erasure that has begun, so that its mark is seen; a server that does not wait for its disk is told to.
const AFTER_ERASURES: &str = "SELECT CASE WHEN current_setting('synchronous_commit') = 'off' \
     THEN set_config('synchronous_commit', 'on', true) END FROM idetic.spaces WHERE space = $1 FOR SHARE";
const HOLD: &str = "UPDATE idetic.calls SET has_written = true \
     WHERE space = $1 AND name = $2 AND owner = $3 AND state = 0";

/// A call that is being carried out here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    space: String,
    name: [u8; 32],
    /// A name that nobody else has, given when it was begun.
    owner: String,
}

thread_local! {
    static CARRIED_OUT: RefCell<Option<Call>> = const { RefCell::new(None) };
}

impl Call {
    /// Does work that belongs to a call: whatever this thread appends meanwhile is appended for it.
    pub fn within<T>(call: Option<Self>, work: impl FnOnce() -> T) -> T {
        struct Reset(Option<Call>);
        impl Drop for Reset {
            fn drop(&mut self) {
                CARRIED_OUT.set(self.0.take());
            }
        }
        let _reset = Reset(CARRIED_OUT.replace(call));
        work()
    }

    /// The call that this thread does work for.
    pub fn current() -> Option<Self> {
        CARRIED_OUT.with_borrow(Clone::clone)
    }

    /// Notes in the transaction that is open that something is appended for it, unless another machine has taken it over.
    pub fn hold(&self, connection: &Connection) -> Result<bool> {
        let values =
            [(&self.space as _, Type::TEXT), (&self.name.as_slice() as _, Type::BYTEA), (&self.owner as _, Type::TEXT)];
        Ok(connection.execute(HOLD, &values)? == 1)
    }

    /// Why something is not appended for it.
    pub fn refusal() -> Error {
        Error::Database(
            "another server carries this call out, because nothing was heard of this one for a while".to_owned(),
        )
    }
}

/// Forgets what the calls about a space asked and were answered, in the transaction that is open.
pub fn forget(connection: &Connection, space: &str) -> Result<()> {
    let sql = format!(
        "UPDATE idetic.calls SET asked = NULL, body = NULL, bytes = 0, state = CASE state WHEN {BEGUN} THEN {BEGUN} \
         ELSE {DONE} END WHERE space = $1"
    );
    connection.execute(&sql, &[(&space, Type::TEXT)]).map(|_| ())
}

/// The named calls of all machines that share a database.
pub struct SharedCalls {
    shared: Arc<Shared>,
    new_name: Box<dyn Fn() -> String + Send + Sync>,
    renewing: Once,
}

struct Shared {
    database: Arc<Database>,
    /// Those that are carried out here, by their owner.
    open: Mutex<HashMap<String, Call>>,
}

impl Shared {
    fn open(&self) -> MutexGuard<'_, HashMap<String, Call>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says that the calls of this process are being carried out. A row that somebody changes just now is left for the next time.
    fn renew(&self) -> Result<()> {
        let open: Vec<Call> = self.open().values().cloned().collect();
        if open.is_empty() {
            return Ok(());
        }
        let sql = format!(
            "UPDATE idetic.calls SET renewed_at = {NOW} WHERE (space, name) IN (SELECT space, name FROM idetic.calls \
             WHERE space = ANY($1) AND name = ANY($2) AND owner = ANY($3) FOR UPDATE SKIP LOCKED)"
        );
        let spaces: Vec<&str> = open.iter().map(|call| call.space.as_str()).collect();
        let names: Vec<&[u8]> = open.iter().map(|call| call.name.as_slice()).collect();
        let owners: Vec<&str> = open.iter().map(|call| call.owner.as_str()).collect();
        let values: [Parameter; 3] =
            [(&spaces, Type::TEXT_ARRAY), (&names, Type::BYTEA_ARRAY), (&owners, Type::TEXT_ARRAY)];
        let renew = |connection: &Connection| {
            connection.run_within(RENEW_ANSWER, connection.client().execute_typed(&sql, &values))
        };
        self.database.retrying(renew).map(|_| ())
    }

    /// Removes all that is too old.
    fn sweep(&self) -> Result<()> {
        let sql = format!("DELETE FROM idetic.calls WHERE begun_at <= {NOW} - {KEPT_MICROS}");
        self.database.retrying(|connection| connection.execute(&sql, &[])).map(|_| ())
    }
}

impl SharedCalls {
    /// Those in a database. `new_name` gives a name that nobody else has.
    pub fn of(database: Arc<Database>, new_name: impl Fn() -> String + Send + Sync + 'static) -> Self {
        let shared = Arc::new(Shared { database, open: Mutex::default() });
        Self { shared, new_name: Box::new(new_name), renewing: Once::new() }
    }

    /// Begins a call, unless it was begun before. Whoever is told that it is new ends the call that is given with it.
    pub fn begin(&self, beginning: &Beginning) -> Result<(Known, Option<Call>)> {
        self.keep_renewing();
        let owner = (self.new_name)();
        let known = self.shared.database.retrying(|connection| begin_in(connection, beginning, &owner))?;
        let begun = (known == Known::New).then(|| {
            let NamedCall { space, name, .. } = &beginning.call;
            let call = Call { space: space.clone(), name: *name, owner: owner.clone() };
            self.shared.open().insert(owner, call.clone());
            call
        });
        Ok((known, begun))
    }

    /// Ends a call that was begun here, with its answer, or without where it may be tried again.
    pub fn end(&self, call: &Call, answer: Option<(u16, Vec<u8>)>) -> Result<()> {
        let ended = self.shared.database.retrying(|connection| end_in(connection, call, answer.as_ref()));
        // Also where that failed: others may take it over once nothing is heard of it.
        self.shared.open().remove(&call.owner);
        ended
    }

    /// Calls that are carried out here are renewed for as long as there may be some.
    fn keep_renewing(&self) {
        self.renewing.call_once(|| {
            let shared = Arc::downgrade(&self.shared);
            let renew = move || {
                for turn in 0_u32.. {
                    thread::sleep(RENEW);
                    let Some(shared) = shared.upgrade() else { return };
                    // Where it fails, somebody else may take a call over: what is appended for it here is refused.
                    let _ = shared.renew();
                    if turn % SWEEP_TURNS == 0 {
                        // What is left is removed the next time.
                        let _ = shared.sweep();
                    }
                }
            };
            let started = thread::Builder::new().name("calls".to_owned()).spawn(renew);
            // Without it calls that take long are refused when they append, and not carried out twice.
            drop(started);
        });
    }
}

fn begin_in(connection: &Connection, beginning: &Beginning, owner: &str) -> Result<Known> {
    for _ in 0..TRIES {
        if insert(connection, beginning, owner)? {
            return Ok(Known::New);
        }
        connection.batch(&begin_writing())?;
        let known = look(connection, beginning, owner)?;
        connection.batch("COMMIT")?;
        if let Some(known) = known {
            return Ok(known);
        }
    }
    Err(Error::Database("a call with this name is begun and removed again and again".to_owned()))
}

/// Begins a call that nobody has begun, in one flight. Each statement is a transaction of its own.
fn insert(connection: &Connection, beginning: &Beginning, owner: &str) -> Result<bool> {
    let (call, client) = (&beginning.call, connection.client());
    let (caller, name, asked) = (call.caller.as_slice(), call.name.as_slice(), call.asked.as_slice());
    let expire = format!("DELETE FROM idetic.calls WHERE space = $1 AND begun_at <= {NOW} - {KEPT_MICROS}");
    let of_caller: [Parameter; 2] = [(&call.space, Type::TEXT), (&caller, Type::BYTEA)];
    let insert = format!(
        "INSERT INTO idetic.calls (space, name, caller, state, owner, begun_at, renewed_at, has_written, erasure, bytes, asked) \
         SELECT $1, $2, $3, {BEGUN}, $4, {NOW}, {NOW}, false, {MARK}, 0, $5 ON CONFLICT (space, name) DO NOTHING"
    );
    let row: [Parameter; 5] = [
        (&call.space, Type::TEXT),
        (&name, Type::BYTEA),
        (&caller, Type::BYTEA),
        (&owner, Type::TEXT),
        (&asked, Type::BYTEA),
    ];
    let (caller_room, room) =
        (make_room("AND caller = $2", CALLER_CALLS_MAX, CALLER_BYTES_MAX), make_room("", CALLS_MAX, BYTES_MAX));
    let (_, _, _, inserted) = connection.run(async {
        tokio::try_join!(
            biased;
            client.execute_typed(&expire, &of_caller[..1]),
            client.execute_typed(&caller_room, &of_caller),
            client.execute_typed(&room, &of_caller[..1]),
            client.execute_typed(&insert, &row),
        )
    })?;
    Ok(inserted == 1)
}

/// Removes the oldest calls that are over, those beyond the newest so many or so many bytes. That they are over is asked twice:
/// one may be taken over in between.
fn make_room(whose: &str, calls_max: u64, bytes_max: u64) -> String {
    format!(
        "DELETE FROM idetic.calls WHERE space = $1 AND state <> {BEGUN} AND name IN (SELECT name FROM (SELECT name, \
         count(*) OVER newest AS calls, sum(bytes) OVER newest AS held FROM idetic.calls \
         WHERE space = $1 {whose} AND state <> {BEGUN} WINDOW newest AS (ORDER BY begun_at DESC, name \
         ROWS UNBOUNDED PRECEDING)) kept WHERE calls >= {calls_max} OR held > {bytes_max})"
    )
}

/// What is known of a call that was begun before, and taken over where that is right; `None` where it is gone.
fn look(connection: &Connection, beginning: &Beginning, owner: &str) -> Result<Option<Known>> {
    let Beginning { call, is_repeatable, writes_log_only, .. } = beginning;
    let sql = format!(
        "SELECT state, owner, renewed_at > {NOW} - {SILENCE_MICROS}, has_written, erasure = {MARK}, asked, status, body \
         FROM idetic.calls WHERE space = $1 AND name = $2 FOR UPDATE"
    );
    let name = call.name.as_slice();
    let rows = connection.query(&sql, &[(&call.space, Type::TEXT), (&name, Type::BYTEA)])?;
    let Some(row) = rows.first() else { return Ok(None) };
    let state: i16 = column(row, 0)?;
    let state = u8::try_from(state).map_err(|_| Error::Corrupt(format!("a row in PostgreSQL: {state} is no state")))?;
    let (by, is_heard_of, has_written, is_current): (&str, bool, bool, bool) =
        (column(row, 1)?, column(row, 2)?, column(row, 3)?, column(row, 4)?);
    let (asked, status): (Option<&[u8]>, Option<i16>) = (column(row, 5)?, column(row, 6)?);
    Ok(Some(match state {
        // The answer to this very beginning was lost.
        BEGUN if by == owner => Known::New,
        _ if asked.is_some_and(|asked| asked != call.asked) => Known::Other,
        BEGUN if is_heard_of => Known::Begun,
        BEGUN if *is_repeatable || (*writes_log_only && !has_written) => take_over(connection, beginning, owner)?,
        BEGUN => Known::Lost,
        ANSWERED if is_current => match (status.and_then(|status| u16::try_from(status).ok()), column(row, 7)?) {
            (Some(status), Some(body)) => Known::Answered(status, body),
            _ => Known::Done,
        },
        // To carry it out again adds nothing and answers.
        _ if *is_repeatable => take_over(connection, beginning, owner)?,
        _ => {
            let sql = format!(
                "UPDATE idetic.calls SET asked = NULL, body = NULL, bytes = 0, state = {DONE} WHERE space = $1 AND name = $2"
            );
            connection.execute(&sql, &[(&call.space, Type::TEXT), (&name, Type::BYTEA)])?;
            Known::Done
        }
    }))
}

fn take_over(connection: &Connection, beginning: &Beginning, owner: &str) -> Result<Known> {
    let (call, name, asked) = (&beginning.call, beginning.call.name.as_slice(), beginning.call.asked.as_slice());
    let sql = format!(
        "UPDATE idetic.calls SET state = {BEGUN}, owner = $3, begun_at = {NOW}, renewed_at = {NOW}, has_written = false, \
         erasure = {MARK}, bytes = 0, asked = $4, status = NULL, body = NULL WHERE space = $1 AND name = $2"
    );
    let values: [Parameter; 4] =
        [(&call.space, Type::TEXT), (&name, Type::BYTEA), (&owner, Type::TEXT), (&asked, Type::BYTEA)];
    connection.execute(&sql, &values)?;
    Ok(Known::New)
}

fn end_in(connection: &Connection, call: &Call, answer: Option<&(u16, Vec<u8>)>) -> Result<()> {
    let (name, client) = (call.name.as_slice(), connection.client());
    let Some((status, body)) = answer else {
        let own: [Parameter; 3] = [(&call.space, Type::TEXT), (&name, Type::BYTEA), (&call.owner, Type::TEXT)];
        // It failed, and still something may have been appended for it: then it is as if it had been abandoned.
        let (remove, give_up) = (
            "DELETE FROM idetic.calls WHERE space = $1 AND name = $2 AND owner = $3 AND NOT has_written",
            "UPDATE idetic.calls SET renewed_at = 0 WHERE space = $1 AND name = $2 AND owner = $3",
        );
        let ended =
            async { tokio::try_join!(biased; client.execute_typed(remove, &own), client.execute_typed(give_up, &own)) };
        return connection.run(ended).map(|_| ());
    };
    let kept = Some(body.as_slice()).filter(|body| body.len() <= ANSWER_MAX_BYTES);
    let (status, bytes) = (i16::try_from(*status).unwrap_or(i16::MAX), bigint(kept.map_or(0, <[u8]>::len) as u64));
    // What was read before something was erased may hold it: then only that the call was carried out is kept.
    let end = format!(
        "UPDATE idetic.calls SET state = CASE WHEN erasure = {MARK} AND $5 IS NOT NULL THEN {ANSWERED} ELSE {DONE} END, \
         asked = CASE WHEN erasure = {MARK} THEN asked END, status = $4, body = CASE WHEN erasure = {MARK} THEN $5 END, \
         bytes = CASE WHEN erasure = {MARK} THEN $6 ELSE 0 END WHERE space = $1 AND name = $2 AND owner = $3"
    );
    let begin = begin_writing();
    let of_space: [Parameter; 1] = [(&call.space, Type::TEXT)];
    let values: [Parameter; 6] = [
        (&call.space, Type::TEXT),
        (&name, Type::BYTEA),
        (&call.owner, Type::TEXT),
        (&status, Type::INT2),
        (&kept, Type::BYTEA),
        (&bytes, Type::INT8),
    ];
    connection.run(async {
        tokio::try_join!(
            biased;
            client.batch_execute(&begin),
            client.query_typed(AFTER_ERASURES, &of_space),
            client.execute_typed(&end, &values),
            client.batch_execute("COMMIT"),
        )
    })?;
    Ok(())
}
