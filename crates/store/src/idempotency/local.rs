//! The named calls of one home, in a database of their own.
//!
//! Every process that carries calls out holds a lock while it lives. A call that was begun by a process that is gone is
//! thereby known at once, without a clock and without waiting.

use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};

use crate::group::Group;
use crate::named_call::{
    ANSWER_MAX_BYTES, ANSWERED, BEGUN, BYTES_MAX, Beginning, CALLER_BYTES_MAX, CALLER_CALLS_MAX, CALLS_MAX, DONE,
    Erasures, KEPT_MICROS, Known, NamedCall,
};
use crate::{Error, Result, database};

/// Pages that one process keeps in memory, in kibibytes.
const CACHE_KIBIBYTES: i32 = 512;

const FOLDER: &str = "idempotency";
const FILE: &str = "calls.db";
const LOCK: &str = "lock";

const CALLS: &str = "CREATE TABLE IF NOT EXISTS calls (id INTEGER PRIMARY KEY, space TEXT NOT NULL, \
     name BLOB NOT NULL, caller BLOB NOT NULL, state INTEGER NOT NULL, owner TEXT NOT NULL, begun_at INTEGER NOT NULL, \
     erasures INTEGER NOT NULL, head INTEGER NOT NULL, bytes INTEGER NOT NULL, asked BLOB, status INTEGER, body BLOB, \
     UNIQUE (space, name))";
const BY_AGE: &str = "CREATE INDEX IF NOT EXISTS calls_by_age ON calls (begun_at, bytes)";
const BY_CALLER: &str = "CREATE INDEX IF NOT EXISTS calls_by_caller ON calls (caller, begun_at, bytes)";

enum Job {
    Begin(Beginning),
    End { call: NamedCall, answer: Option<(u16, Vec<u8>)>, erasures: Erasures },
}

/// The named calls of a home.
pub struct LocalCalls {
    folder: PathBuf,
    owner: Mutex<Option<Arc<Owner>>>,
    new_owner: Box<dyn Fn() -> String + Send + Sync>,
    group: Group<Job, Result<Known>>,
    connection: Mutex<Option<Connection>>,
}

/// This process, for as long as it lives.
struct Owner {
    name: String,
    path: PathBuf,
    _locked: File,
}

impl Drop for Owner {
    fn drop(&mut self) {
        // Left behind it is in nobody's way: whoever meets it sees that nobody holds it.
        let _ = std::fs::remove_file(&self.path);
    }
}

impl Owner {
    /// Locked under another name first: nobody sees it unlocked while it lives.
    fn new(folder: &Path, mut name: String) -> Result<Self> {
        // A random source that repeats itself is no reason to take another's name.
        while Self::lives(folder, &name)? {
            name.push('+');
        }
        let failed = || Error::io(format!("cannot create a lock in {}", folder.display()));
        let (hidden, path) = (folder.join(format!("{name}.new")), folder.join(format!("{name}.{LOCK}")));
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(&hidden).map_err(failed())?;
        file.lock().map_err(failed())?;
        std::fs::rename(&hidden, &path).map_err(failed())?;
        Ok(Self { name, path, _locked: file })
    }

    /// Whether the process that has this name lives.
    fn lives(folder: &Path, name: &str) -> Result<bool> {
        let path = folder.join(format!("{name}.{LOCK}"));
        let file = match OpenOptions::new().write(true).open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(Error::io(format_args!("cannot open {}", path.display()))(error)),
        };
        match file.try_lock() {
            Err(std::fs::TryLockError::WouldBlock) => Ok(true),
            Err(std::fs::TryLockError::Error(error)) => {
                Err(Error::io(format_args!("cannot lock {}", path.display()))(error))
            }
            Ok(()) => {
                let _ = std::fs::remove_file(&path);
                Ok(false)
            }
        }
    }
}

impl LocalCalls {
    /// Those of a home; nothing is made before the first is begun. `new_owner` gives a name nobody else has.
    pub fn of(home: &Path, new_owner: impl Fn() -> String + Send + Sync + 'static) -> Self {
        Self {
            folder: home.join(FOLDER),
            owner: Mutex::default(),
            new_owner: Box::new(new_owner),
            group: Group::default(),
            connection: Mutex::default(),
        }
    }

    /// Begins a call, unless it was begun before.
    pub fn begin(&self, beginning: Beginning) -> Result<Known> {
        self.group.submit(Job::Begin(beginning), |jobs| self.commit(jobs))
    }

    /// Ends a call that was begun here, with its answer, or without where it may be tried again. When this returns it is on
    /// disk.
    pub fn end(&self, call: NamedCall, answer: Option<(u16, Vec<u8>)>, erasures: Erasures) -> Result<()> {
        self.group.submit(Job::End { call, answer, erasures }, |jobs| self.commit(jobs)).map(drop)
    }

    /// Forgets what the calls about a space asked and were answered; that they were carried out stays. When this returns
    /// nothing of it is on disk.
    pub fn forget(home: &Path, space: &str) -> Result<()> {
        let file = home.join(FOLDER).join(FILE);
        if !file.exists() {
            return Ok(());
        }
        let connection = connect(&file)?;
        connection.execute(
            "UPDATE calls SET asked = NULL, body = NULL, bytes = 0, state = CASE state WHEN ?2 THEN ?2 ELSE ?3 END \
             WHERE space = ?1",
            params![space, BEGUN, DONE],
        )?;
        let busy: bool = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
        if busy {
            let why = "others are reading the stored answers, so erased data cannot be overwritten yet";
            return Err(Error::Unavailable(why.to_owned()));
        }
        Ok(())
    }

    fn commit(&self, jobs: Vec<Job>) -> Vec<Result<Known>> {
        match self.try_commit(&jobs) {
            Ok(known) => known.into_iter().map(Ok).collect(),
            Err(error) => jobs.iter().map(|_| Err(error.clone())).collect(),
        }
    }

    fn try_commit(&self, jobs: &[Job]) -> Result<Vec<Known>> {
        std::fs::create_dir_all(&self.folder)
            .map_err(Error::io(format_args!("cannot create {}", self.folder.display())))?;
        let owner = self.owner()?;
        let mut held = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let file = self.folder.join(FILE);
        let done = match held.take().map_or_else(|| connect(&file), Ok) {
            Ok(connection) => self.work(held.insert(connection), &owner, jobs),
            Err(error) => Err(error),
        };
        match done {
            // It is no more than a help for those who ask again: damaged, it begins anew.
            Err(Error::Corrupt(_)) => {
                *held = None;
                database::remove(&file)?;
                let connection = connect(&file)?;
                self.work(held.insert(connection), &owner, jobs)
            }
            done => done,
        }
    }

    fn owner(&self) -> Result<Arc<Owner>> {
        let mut owner = self.owner.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(owner) = &*owner {
            return Ok(Arc::clone(owner));
        }
        let new = Arc::new(Owner::new(&self.folder, (self.new_owner)())?);
        *owner = Some(Arc::clone(&new));
        Ok(new)
    }

    fn work(&self, connection: &Connection, owner: &Owner, jobs: &[Job]) -> Result<Vec<Known>> {
        let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
        let mut known = Vec::with_capacity(jobs.len());
        for job in jobs {
            known.push(match job {
                Job::Begin(beginning) => self.begin_in(&transaction, owner, beginning)?,
                Job::End { call, answer, erasures } => {
                    end_in(&transaction, owner, call, answer.as_ref(), erasures)?;
                    Known::New
                }
            });
        }
        transaction.commit()?;
        Ok(known)
    }

    fn begin_in(&self, transaction: &Transaction, owner: &Owner, beginning: &Beginning) -> Result<Known> {
        let Beginning { call, now_micros, head, .. } = beginning;
        let too_old = now_micros - KEPT_MICROS;
        transaction.prepare_cached("DELETE FROM calls WHERE begun_at <= ?1")?.execute([too_old])?;
        let erasures = (beginning.erasures)();
        if let Some(kept) = find(transaction, call)? {
            let known = match kept.state {
                _ if kept.asked.is_some_and(|asked| asked != call.asked) => Known::Other,
                BEGUN if Owner::lives(&self.folder, &kept.owner)? => Known::Begun,
                BEGUN if beginning.is_repeatable || (beginning.writes_log_only && kept.head == *head) => Known::New,
                BEGUN => Known::Lost,
                ANSWERED if kept.erasures == erasures => match (kept.status, kept.body) {
                    (Some(status), Some(body)) => Known::Answered(status, body),
                    _ => Known::Done,
                },
                // To carry it out again adds nothing and answers.
                _ if beginning.is_repeatable => Known::New,
                _ => {
                    forget_answer(transaction, call)?;
                    Known::Done
                }
            };
            if known != Known::New {
                return Ok(known);
            }
        }
        make_room(transaction, call)?;
        transaction
            .prepare_cached(
                "INSERT OR REPLACE INTO calls (space, name, caller, state, owner, begun_at, erasures, head, bytes, asked) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 0, ?9)",
            )?
            .execute(params![call.space, call.name, call.caller, BEGUN, owner.name, now_micros, erasures, head, call.asked])?;
        Ok(Known::New)
    }
}

struct Kept {
    state: u8,
    owner: String,
    erasures: u64,
    head: u64,
    asked: Option<[u8; 32]>,
    status: Option<u16>,
    body: Option<Vec<u8>>,
}

fn find(transaction: &Transaction, call: &NamedCall) -> Result<Option<Kept>> {
    let mut statement = transaction.prepare_cached(
        "SELECT state, owner, erasures, head, asked, status, body FROM calls WHERE space = ?1 AND name = ?2",
    )?;
    let row = statement.query_row(params![call.space, call.name], |row| {
        Ok(Kept {
            state: row.get(0)?,
            owner: row.get(1)?,
            erasures: row.get(2)?,
            head: row.get(3)?,
            asked: row.get(4)?,
            status: row.get(5)?,
            body: row.get(6)?,
        })
    });
    Ok(row.optional()?)
}

fn forget_answer(transaction: &Transaction, call: &NamedCall) -> Result<()> {
    transaction
        .prepare_cached(
            "UPDATE calls SET asked = NULL, body = NULL, bytes = 0, state = ?3 WHERE space = ?1 AND name = ?2",
        )?
        .execute(params![call.space, call.name, DONE])?;
    Ok(())
}

fn end_in(
    transaction: &Transaction,
    owner: &Owner,
    call: &NamedCall,
    answer: Option<&(u16, Vec<u8>)>,
    erasures: &Erasures,
) -> Result<()> {
    let own = params![call.space, call.name, owner.name];
    let Some((status, body)) = answer else {
        transaction.prepare_cached("DELETE FROM calls WHERE space = ?1 AND name = ?2 AND owner = ?3")?.execute(own)?;
        return Ok(());
    };
    let is_kept = body.len() <= ANSWER_MAX_BYTES;
    // What was read before something was erased may hold it: then only that the call was carried out is kept. This is
    // asked while nobody else can write here, and whoever erases counts first and then forgets here.
    transaction
        .prepare_cached(
            "UPDATE calls SET state = CASE WHEN ?4 AND erasures = ?5 THEN ?6 ELSE ?7 END, \
             asked = CASE WHEN erasures = ?5 THEN asked END, status = ?8, \
             body = CASE WHEN ?4 AND erasures = ?5 THEN ?9 END, \
             bytes = CASE WHEN ?4 AND erasures = ?5 THEN length(?9) ELSE 0 END \
             WHERE space = ?1 AND name = ?2 AND owner = ?3",
        )?
        .execute(params![
            call.space,
            call.name,
            owner.name,
            is_kept,
            erasures(),
            ANSWERED,
            DONE,
            status,
            if is_kept { body.as_slice() } else { &[] },
        ])?;
    Ok(())
}

/// Lets the oldest go that are over, of this caller and of all, until there is room for one more.
fn make_room(transaction: &Transaction, call: &NamedCall) -> Result<()> {
    let own = "WHERE caller = ?1";
    let limits = [(own, CALLER_CALLS_MAX, CALLER_BYTES_MAX), ("WHERE ?1 IS NOT NULL", CALLS_MAX, BYTES_MAX)];
    for (whose, calls_max, bytes_max) in limits {
        loop {
            let held = format!("SELECT count(*), coalesce(sum(bytes), 0) FROM calls {whose}");
            let (calls, bytes): (u64, u64) =
                transaction.prepare_cached(&held)?.query_row([call.caller], |row| Ok((row.get(0)?, row.get(1)?)))?;
            if calls < calls_max && bytes <= bytes_max {
                break;
            }
            // Several at once, so that it is not done for every call.
            let oldest = format!(
                "DELETE FROM calls WHERE id IN (SELECT id FROM calls {whose} AND state <> {BEGUN} \
                 ORDER BY begun_at LIMIT {})",
                1 + calls / 16
            );
            if transaction.prepare_cached(&oldest)?.execute([call.caller])? == 0 {
                break;
            }
        }
    }
    Ok(())
}

fn connect(file: &Path) -> Result<Connection> {
    let connection = Connection::open(file)?;
    database::set_up(&connection)?;
    database::enter_wal(&connection)?;
    // An answer is kept once it was sent, also where the power fails.
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "secure_delete", true)?;
    connection.pragma_update(None, "cache_size", -CACHE_KIBIBYTES)?;
    connection.execute(CALLS, [])?;
    connection.execute(BY_AGE, [])?;
    connection.execute(BY_CALLER, [])?;
    Ok(connection)
}

#[cfg(test)]
mod tests;
