//! A PostgreSQL database as all spaces of a process share it: a few connections, and patience when one is lost.

use std::net::IpAddr;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::connection::{Connection, Health, NoConnection};
use super::schema::{self, Migration};
use super::tls::TlsOptions;
use crate::{Error, Result};

/// Connections at once.
const MOST: usize = 16;
/// How long a thread waits for one of them.
const TURN: Duration = Duration::from_secs(30);
/// How long what failed is tried again, with pauses that grow.
const PATIENCE: Duration = Duration::from_secs(10);
const SHORTEST_PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

/// The database.
pub struct Database {
    config: Config,
    tls: Option<MakeRustlsConnect>,
    address: String,
    pool: Mutex<Pool>,
    returned: Condvar,
}

#[derive(Default)]
struct Pool {
    idle: Vec<Connection>,
    /// Connections that are there or being made.
    open: usize,
}

/// What the server says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerState {
    /// Its version.
    pub version: String,
    /// What a commit waits for, as the server is set: `off` is raised to `on` by every append.
    pub synchronous_commit: String,
    /// Whether it flushes at all.
    pub flushes: bool,
    /// Whether it only follows another server.
    pub is_replica: bool,
}

impl Database {
    /// A database by its address. Nothing is asked of it yet.
    pub fn new(url: &str) -> Result<Self> {
        let wrong = |why: String| Error::Database(format!("the address of the log is wrong: {why}"));
        if !["postgres://", "postgresql://"].iter().any(|scheme| url.starts_with(scheme)) {
            return Err(wrong("it must begin with postgres://".to_owned()));
        }
        let (url, tls) = TlsOptions::take(url).map_err(wrong)?;
        let tls = tls.connector().map_err(wrong)?;
        let mut config: Config = url.parse().map_err(|error: tokio_postgres::Error| {
            let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}")).unwrap_or_default();
            wrong(format!("{error}{cause}"))
        })?;
        if tls.is_none() && config.get_ssl_mode() == SslMode::Require {
            return Err(wrong("sslmode=require must be a part of its own behind the question mark".to_owned()));
        }
        config.ssl_mode(if tls.is_some() { SslMode::Require } else { SslMode::Disable });
        if config.get_application_name().is_none() {
            config.application_name("idetic");
        }
        let address = address(&config);
        Ok(Self { config, tls, address, pool: Mutex::default(), returned: Condvar::new() })
    }

    /// Where it is, without a password.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Whether what is sent crosses a network that others may listen to: neither encrypted nor on this machine.
    pub fn is_exposed(&self) -> bool {
        let is_local = |host: &Host| match host {
            Host::Unix(_) => true,
            Host::Tcp(name) => name == "localhost" || name.parse().is_ok_and(|ip: IpAddr| ip.is_loopback()),
        };
        // An address is connected to, whatever name stands beside it.
        let are_local = match self.config.get_hostaddrs() {
            [] => self.config.get_hosts().iter().all(is_local),
            addresses => addresses.iter().all(IpAddr::is_loopback),
        };
        self.tls.is_none() && !are_local
    }

    fn connect(&self) -> std::result::Result<Connection, NoConnection> {
        Connection::open(&self.config, self.tls.as_ref())
    }

    /// Makes or upgrades the tables.
    pub fn migrate(&self) -> Result<Migration> {
        let mut patience = Patience::default();
        loop {
            match self.connect() {
                Ok(connection) => return schema::migrate(&connection),
                Err(NoConnection { error, may_pass: false, .. }) => return Err(self.placed(error)),
                Err(NoConnection { error, waited, .. }) => patience.wait(waited, self.placed(error))?,
            }
        }
    }

    /// What the server says of itself.
    pub fn server_state(&self) -> Result<ServerState> {
        self.retrying(|connection| {
            let sql = "SELECT current_setting('server_version'), current_setting('synchronous_commit'), \
                 current_setting('fsync') = 'on', pg_is_in_recovery()";
            let rows = connection.query(sql, &[])?;
            let row = rows.first().ok_or_else(|| Error::Database("PostgreSQL gave no answer".to_owned()))?;
            let wrong = |error: tokio_postgres::Error| Error::Corrupt(error.to_string());
            Ok(ServerState {
                version: row.try_get(0).map_err(wrong)?,
                synchronous_commit: row.try_get(1).map_err(wrong)?,
                flushes: row.try_get(2).map_err(wrong)?,
                is_replica: row.try_get(3).map_err(wrong)?,
            })
        })
    }

    /// Runs something that may be run again whenever the connection is lost meanwhile.
    pub fn retrying<T>(&self, mut work: impl FnMut(&Connection) -> Result<T>) -> Result<T> {
        let mut patience = Patience::default();
        loop {
            let connection = self.take(&mut patience)?;
            let answer = work(&connection);
            let (health, waited) = (connection.health(), connection.waited());
            if answer.is_err() {
                connection.roll_back();
            }
            self.give_back(connection);
            match answer {
                Err(error) if health != Health::Sound => patience.wait(waited, error)?,
                answer => return answer,
            }
        }
    }

    /// A connection to a database whose tables are there.
    pub fn take(&self, patience: &mut Patience) -> Result<Connection> {
        loop {
            if let Some(connection) = self.wait_for_turn()? {
                return Ok(connection);
            }
            let made = self.connect().and_then(|connection| {
                let ready = schema::ensure(&connection);
                let (may_pass, waited) = (connection.health() == Health::Lost, connection.waited());
                ready.map(|()| connection).map_err(|error| NoConnection { error, may_pass, waited })
            });
            match made {
                Ok(connection) => return Ok(connection),
                Err(NoConnection { error, may_pass, waited }) => {
                    self.pool().open -= 1;
                    self.returned.notify_one();
                    let error = self.placed(error);
                    if !may_pass {
                        return Err(error);
                    }
                    patience.wait(waited, error)?;
                }
            }
        }
    }

    /// An idle connection, or `None` where one more may be made.
    fn wait_for_turn(&self) -> Result<Option<Connection>> {
        let is_full = |pool: &mut Pool| {
            pool.open -= pool.idle.extract_if(.., |connection| connection.health() != Health::Sound).count();
            pool.idle.is_empty() && pool.open >= MOST
        };
        let waited = self.returned.wait_timeout_while(self.pool(), TURN, is_full);
        let (mut pool, waited) = waited.unwrap_or_else(PoisonError::into_inner);
        if waited.timed_out() {
            return Err(Error::Database(format!("all {MOST} connections to {} are in use", self.address)));
        }
        let idle = pool.idle.pop();
        if idle.is_none() {
            pool.open += 1;
        }
        Ok(idle)
    }

    /// Keeps a connection for the next one who needs it.
    pub fn give_back(&self, connection: Connection) {
        let mut pool = self.pool();
        if connection.health() == Health::Lost {
            // What ended this one has as a rule ended those that wait, too.
            let waiting = std::mem::take(&mut pool.idle);
            pool.open -= 1 + waiting.len();
            drop(pool);
            drop((connection, waiting));
        } else {
            pool.idle.push(connection);
        }
        self.returned.notify_one();
    }

    fn pool(&self) -> MutexGuard<'_, Pool> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Closes the connections that nobody uses.
    pub fn close_idle(&self) {
        let mut pool = self.pool();
        let idle = std::mem::take(&mut pool.idle);
        pool.open -= idle.len();
        drop(pool);
        self.returned.notify_all();
        drop(idle);
    }

    fn placed(&self, error: Error) -> Error {
        match error {
            Error::Database(why) => Error::Database(format!("{why} ({})", self.address)),
            error => error,
        }
    }
}

/// How long failures have been borne: the pauses between, and what was waited for in vain.
#[derive(Default)]
pub struct Patience {
    spent: Duration,
    pause: Duration,
}

impl Patience {
    /// Waits a little before the next try, or gives up with what went wrong.
    pub fn wait(&mut self, waited: Duration, error: Error) -> Result<()> {
        self.pause = (self.pause * 2).clamp(SHORTEST_PAUSE, LONGEST_PAUSE);
        self.spent += waited + self.pause;
        if self.spent > PATIENCE {
            return Err(error);
        }
        std::thread::sleep(self.pause);
        Ok(())
    }
}

fn address(config: &Config) -> String {
    let ports = config.get_ports();
    let hosts: Vec<String> = config
        .get_hosts()
        .iter()
        .enumerate()
        .map(|(at, host)| {
            let host = match host {
                Host::Tcp(name) => name.clone(),
                Host::Unix(path) => path.display().to_string(),
            };
            let port = ports.get(at).or(ports.first()).copied().unwrap_or(5432);
            format!("{host}:{port}")
        })
        .collect();
    format!("{}/{}", hosts.join(","), config.get_dbname().or(config.get_user()).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_checked_and_shown_without_its_password() {
        let database = Database::new("postgres://ann:s3cret@db.example:6432/memory").expect("an address");
        assert_eq!(database.address(), "db.example:6432/memory");
        for (url, why) in [
            ("mysql://db/memory", "postgres://"),
            ("postgres://db/memory?sslmode=prefer", "sslmode=prefer"),
            ("postgres://db/memory?sslmode=require&sslrootcert=/nowhere/ca.pem", "/nowhere/ca.pem"),
            ("postgres://db/memory?banana=1", "banana"),
        ] {
            let refused = Database::new(url).err().expect("refused").to_string();
            assert!(refused.contains(why) && !refused.contains("s3cret"), "{refused}");
        }
    }

    #[test]
    fn what_crosses_a_network_unencrypted_is_known() {
        for (url, is_exposed) in [
            ("postgres://db.example/m", true),
            ("postgres://localhost,db.example/m", true),
            ("postgres://10.0.0.7/m", true),
            ("postgres://localhost/m?hostaddr=10.0.0.7", true),
            ("postgres://db.example/m?sslmode=require", false),
            ("postgres://localhost/m", false),
            ("postgres://127.0.0.1,[::1]/m", false),
            ("postgres://%2Frun%2Fpostgresql/m", false),
        ] {
            assert_eq!(Database::new(url).expect("an address").is_exposed(), is_exposed, "{url}");
        }
    }
}
