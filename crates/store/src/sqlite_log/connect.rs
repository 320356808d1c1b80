//! Connections to `log.db`: one that writes, a few that read, and when the write-ahead log is folded back.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::hooks::Wal;
use rusqlite::{Connection, OpenFlags};

use super::schema;
use super::transaction::Transaction;
use crate::files::DatabaseFiles;
use crate::{Error, Result, database};

/// Reading connections kept open for the next reader.
const IDLE_READERS: usize = 8;
/// Statements each connection keeps prepared.
const CACHED_STATEMENTS: usize = 32;
/// Pages in the write-ahead log at which a running process folds it back: four megabytes.
const CHECKPOINT_PAGES: u64 = 1000;
/// Length of its file at which a process that ends folds it back and empties it: the next one may have to read it all,
/// and a home has many spaces.
const CHECKPOINT_ON_CLOSE_BYTES: u64 = 1 << 20;
/// What the file of the write-ahead log is cut back to when it starts anew. Up to there it is written in place, which
/// costs the file system far less than growing it again.
const WAL_KEPT_BYTES: u64 = 4 << 20;

/// How a log is opened.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// A simulated disk to keep `log.db` on, for fault injection.
    pub disk: Option<SimulatedDisk>,
}

/// A disk below SQLite that can fail. It has no shared memory, so its log has one connection and one process.
#[derive(Debug, Clone)]
pub struct SimulatedDisk {
    /// The name of the registered SQLite VFS.
    pub vfs: String,
    /// After how many commits the write-ahead log counts as long.
    pub checkpoint_commits: u64,
}

/// What this process may do with the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    Write,
    ReadOnly,
}

pub struct Connections {
    file: PathBuf,
    place: DatabaseFiles,
    options: Options,
    access: Access,
    writer: Mutex<Connection>,
    idle: Mutex<Idle>,
    commits: AtomicU64,
    /// Pages in the write-ahead log after the last commit of this process, as SQLite counts them.
    wal_pages: Arc<AtomicU64>,
    /// At how many it is folded back next.
    due_pages: AtomicU64,
}

/// Connections that wait for the next reader.
#[derive(Default)]
struct Idle {
    connections: Vec<Connection>,
    /// How often they were dropped: one that was in use then does not come back.
    generation: u64,
    /// Whether none is to wait.
    is_closed: bool,
}

impl Connections {
    pub fn open(folder: &Path, options: &Options, create: bool) -> Result<Self> {
        let file = folder.join("log.db");
        if options.disk.is_none() && is_absent(&file) && length(&wal_of(&file)) > 0 {
            // SQLite would delete it, and it may hold everything.
            return Err(Error::Corrupt("log.db is missing or empty, but its write-ahead log is not".to_owned()));
        }
        let (access, mut writer) = match connect(&file, options, Access::Write, create) {
            Ok(connection) if connection.is_readonly("main")? => (Access::ReadOnly, connection),
            Ok(connection) => (Access::Write, connection),
            Err(error) if create => return Err(error),
            Err(Error::Unavailable(_) | Error::DiskFull) => {
                (Access::ReadOnly, connect(&file, options, Access::ReadOnly, false)?)
            }
            Err(error) => return Err(error),
        };
        let wal_pages = Arc::new(AtomicU64::new(0));
        if access == Access::Write {
            count_wal_pages(&mut writer, &wal_pages)?;
        }
        let place = look(&file, options, &writer);
        Ok(Self {
            file,
            place,
            options: options.clone(),
            access,
            writer: Mutex::new(writer),
            idle: Mutex::default(),
            commits: AtomicU64::new(0),
            wal_pages,
            due_pages: AtomicU64::new(CHECKPOINT_PAGES),
        })
    }

    pub fn access(&self) -> Access {
        self.access
    }

    /// Refuses to go on with files that were removed or replaced since they were opened.
    pub fn check_place(&self) -> Result<()> {
        self.place.check()
    }

    /// Flushes what stands in the write-ahead log. Whoever was killed between writing and flushing left it there, and
    /// whoever opens the log sees it.
    pub fn flush_wal(&self) -> Result<()> {
        if self.options.disk.is_some() {
            return self.with_writer(|connection| {
                let transaction = Transaction::begin(connection)?;
                schema::touch(connection)?;
                transaction.commit()
            });
        }
        match std::fs::File::open(wal_of(&self.file)) {
            Ok(wal) => wal.sync_data().map_err(|_| Error::Poisoned),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(Error::io("cannot open the write-ahead log")(error)),
        }
    }

    pub fn with_writer<T>(&self, work: impl FnOnce(&mut Connection) -> Result<T>) -> Result<T> {
        work(&mut self.writer.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub fn with_reader<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        if self.options.disk.is_some() {
            return self.with_writer(|connection| work(connection));
        }
        let (idle, generation) = {
            let mut idle = self.idle();
            (idle.connections.pop(), idle.generation)
        };
        let connection = match idle {
            Some(connection) => connection,
            None => connect(&self.file, &self.options, self.access, false)?,
        };
        let answer = work(&connection);
        let mut idle = self.idle();
        if idle.connections.len() < IDLE_READERS && idle.generation == generation && !idle.is_closed {
            idle.connections.push(connection);
        }
        answer
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Idle> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether connections that are not in use wait for the next reader, or are closed. The one that writes stays.
    pub fn keep_idle(&self, keep: bool) {
        let mut idle = self.idle();
        idle.is_closed = !keep;
        if !keep {
            idle.connections.clear();
        }
    }

    /// Closes what is not in use and opens the writer anew: each connection keeps pages as they were when it read them.
    pub fn drop_caches(&self) {
        {
            let mut idle = self.idle();
            idle.generation += 1;
            idle.connections.clear();
        }
        if self.options.disk.is_some() {
            return;
        }
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let anew = connect(&self.file, &self.options, self.access, false).and_then(|mut anew| {
            if self.access == Access::Write {
                count_wal_pages(&mut anew, &self.wal_pages)?;
            }
            Ok(anew)
        });
        // Where that cannot be done now, the one there is stays: it works.
        if let Ok(anew) = anew {
            *writer = anew;
        }
    }

    /// Folds the write-ahead log back once it is long. It never fails a commit: what is not folded now is folded later,
    /// and where readers keep it from being emptied, only after it has grown as much again. Says whether it was long.
    pub fn checkpoint_if_long(&self) -> bool {
        let commits = self.commits.fetch_add(1, Ordering::Relaxed) + 1;
        let is_due = match &self.options.disk {
            Some(disk) => commits.is_multiple_of(disk.checkpoint_commits),
            None => {
                let pages = self.wal_pages.load(Ordering::Relaxed);
                let due = self.due_pages.load(Ordering::Relaxed);
                let next = if pages >= due { pages + CHECKPOINT_PAGES } else { due.min(pages + CHECKPOINT_PAGES) };
                self.due_pages.store(next, Ordering::Relaxed);
                pages >= due
            }
        };
        if is_due {
            let _ = self.with_writer(|c| Ok(c.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))?));
        }
        is_due
    }

    /// Folds all of it back, or says why not.
    pub fn checkpoint_all(&self) -> Result<()> {
        let busy =
            self.with_writer(|c| Ok(c.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, bool>(0))?))?;
        if busy {
            return Err(Error::Unavailable("the log is being read by others and cannot be recovered now".to_owned()));
        }
        Ok(())
    }
}

impl Drop for Connections {
    fn drop(&mut self) {
        // Only after commits of our own: a write-ahead log whose end is damaged must stay as it is, to be salvaged.
        let wrote = self.commits.load(Ordering::Relaxed) > 0;
        if wrote && length(&wal_of(&self.file)) > CHECKPOINT_ON_CLOSE_BYTES {
            // Whoever else has it open will do it instead: nobody waits at the exit.
            let _ = self.with_writer(|connection| {
                connection.busy_timeout(Duration::ZERO)?;
                Ok(connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?)
            });
        }
    }
}

/// The files that SQLite has open, once it has read something. A simulated disk has none.
fn look(file: &Path, options: &Options, writer: &Connection) -> DatabaseFiles {
    if options.disk.is_some() {
        return DatabaseFiles::of([]);
    }
    // What cannot be read is for whoever reads it to say; SQLite opens the other files for the first reading.
    let _ = schema::is_blank(writer);
    DatabaseFiles::of([file.to_owned(), wal_of(file), file.with_extension("db-shm")])
}

/// Whether there is no database: SQLite takes a file of one byte for an empty one.
pub fn is_absent(file: &Path) -> bool {
    length(file) <= 1
}

fn wal_of(file: &Path) -> PathBuf {
    file.with_extension("db-wal")
}

fn length(file: &Path) -> u64 {
    std::fs::metadata(file).map_or(0, |m| m.len())
}

fn connect(file: &Path, options: &Options, access: Access, create: bool) -> Result<Connection> {
    let mut flags = OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    flags |= match access {
        Access::Write if create => OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
        Access::Write => OpenFlags::SQLITE_OPEN_READ_WRITE,
        Access::ReadOnly => OpenFlags::SQLITE_OPEN_READ_ONLY,
    };
    let connection = match &options.disk {
        Some(disk) => Connection::open_with_flags_and_vfs(file, flags, disk.vfs.as_str())?,
        None if access == Access::ReadOnly => Connection::open_with_flags(read_only_uri(file), flags)?,
        None => Connection::open_with_flags(file, flags)?,
    };
    database::set_up(&connection)?;
    connection.set_prepared_statement_cache_capacity(CACHED_STATEMENTS);
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    if options.disk.is_some() {
        connection.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
    }
    if access == Access::Write {
        database::enter_wal(&connection)?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.pragma_update(None, "wal_autocheckpoint", 0)?;
        connection.pragma_update(None, "journal_size_limit", WAL_KEPT_BYTES)?;
    }
    Ok(connection)
}

/// The file's length does not tell how much of it is in use; SQLite does, after each commit.
fn count_wal_pages(writer: &mut Connection, count: &Arc<AtomicU64>) -> Result<()> {
    let count = Arc::clone(count);
    writer.wal_hook(Some(move |_: &mut Wal, pages: i32| {
        count.store(u64::try_from(pages).unwrap_or(0), Ordering::Relaxed);
        Ok(())
    }))?;
    Ok(())
}

/// On a disk where nothing can be created, SQLite must be told that nobody writes. It is told so only where no
/// write-ahead log waits to be read, which it would then overlook.
fn read_only_uri(file: &Path) -> String {
    let wal_is_empty = length(&wal_of(file)) == 0;
    let path = file.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    format!("file:{path}?mode=ro{}", if wal_is_empty { "&immutable=1" } else { "" })
}
