//! One connection to PostgreSQL, used by one thread at a time, with a limit on how long each answer may take.
//!
//! Nothing is prepared and no session is set up: behind PgBouncer in transaction mode each transaction may meet another
//! session. What belongs together is sent in one flight, so that it costs one journey to the server and back.

use std::cell::Cell;
use std::error::Error as _;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio_postgres::error::{Severity, SqlState};
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Config, NoTls, Row, Socket};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::{Error, Result};

/// How long the server may work on one statement, and wait for a row that others have locked.
const STATEMENT: Duration = Duration::from_secs(30);
const LOCK: Duration = Duration::from_secs(10);
/// How long the server waits within a transaction for us.
const IDLE: Duration = Duration::from_secs(60);
/// How long making a connection may take.
const CONNECT: Duration = Duration::from_secs(5);
/// After how long a server that does not answer is given up: later than it gives up a statement itself.
const ANSWER: Duration = Duration::from_secs(40);

/// A parameter of a statement with its type.
pub type Parameter<'a> = (&'a (dyn ToSql + Sync), Type);

/// What can still be done with a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Health {
    /// Everything.
    Sound,
    /// Everything; the transaction met another one and may be made again.
    Collided,
    /// Nothing: nobody knows what became of the last request.
    Lost,
}

/// Why there is no connection.
pub struct NoConnection {
    pub error: Error,
    /// Whether it may be there in a moment.
    pub may_pass: bool,
    /// How long an answer was waited for in vain.
    pub waited: Duration,
}

pub struct Connection {
    client: Client,
    /// Taken when the connection ends.
    runtime: Option<Runtime>,
    health: Cell<Health>,
    waited: Cell<Duration>,
}

impl Connection {
    pub fn open(config: &Config, tls: Option<&MakeRustlsConnect>) -> std::result::Result<Self, NoConnection> {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| NoConnection {
            error: Error::Database(format!("cannot prepare a connection: {error}")),
            may_pass: false,
            waited: Duration::ZERO,
        })?;
        let opened = runtime.block_on(async {
            let made = async {
                match tls {
                    Some(tls) => connect(config, tls.clone()).await,
                    None => connect(config, NoTls).await,
                }
            };
            match tokio::time::timeout(CONNECT, made).await {
                Ok(Ok(client)) => Ok(client),
                Ok(Err(error)) => {
                    let may_pass = !is_refusal(&error);
                    Err(NoConnection { error: told(&error), may_pass, waited: Duration::ZERO })
                }
                Err(_) => Err(NoConnection { error: silent(CONNECT), may_pass: true, waited: CONNECT }),
            }
        });
        let (health, waited) = (Cell::new(Health::Sound), Cell::default());
        Ok(Self { client: opened?, runtime: Some(runtime), health, waited })
    }

    /// How long an answer was waited for in vain.
    pub fn waited(&self) -> Duration {
        self.waited.get()
    }

    pub fn health(&self) -> Health {
        if self.client.is_closed() { Health::Lost } else { self.health.get() }
    }

    /// Runs requests and waits for their answers.
    pub fn run<T>(&self, requests: impl Future<Output = std::result::Result<T, tokio_postgres::Error>>) -> Result<T> {
        self.run_within(ANSWER, requests)
    }

    /// The same with a limit of one's own on how long that may take.
    pub fn run_within<T>(
        &self,
        limit: Duration,
        requests: impl Future<Output = std::result::Result<T, tokio_postgres::Error>>,
    ) -> Result<T> {
        let runtime = self.runtime.as_ref().expect("it is there until the connection ends");
        match runtime.block_on(async { tokio::time::timeout(limit, requests).await }) {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(error)) => {
                self.health.set(health_after(&error));
                Err(told(&error))
            }
            Err(_) => {
                self.health.set(Health::Lost);
                self.waited.set(limit);
                Err(silent(limit))
            }
        }
    }

    pub fn client(&self) -> &Client {
        &self.client
    }

    /// The rows of one statement.
    pub fn query(&self, sql: &str, parameters: &[Parameter]) -> Result<Vec<Row>> {
        self.run(self.client.query_typed(sql, parameters))
    }

    /// Runs one statement and gives how many rows it changed.
    pub fn execute(&self, sql: &str, parameters: &[Parameter]) -> Result<u64> {
        self.run(self.client.execute_typed(sql, parameters))
    }

    /// The same with a limit of one's own on how long that may take.
    pub fn execute_within(&self, limit: Duration, sql: &str, parameters: &[Parameter]) -> Result<u64> {
        self.run_within(limit, self.client.execute_typed(sql, parameters))
    }

    /// Statements without parameters and answers.
    pub fn batch(&self, sql: &str) -> Result<()> {
        self.run(self.client.batch_execute(sql))
    }

    /// Gives a transaction up. Where that fails the connection is of no more use.
    pub fn roll_back(&self) {
        if self.health() == Health::Lost {
            return;
        }
        self.health.set(Health::Sound);
        if self.batch("ROLLBACK").is_err() {
            self.health.set(Health::Lost);
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // Also where the thread that lets it go belongs to a server that may not wait.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

async fn connect<T>(config: &Config, tls: T) -> std::result::Result<Client, tokio_postgres::Error>
where
    T: MakeTlsConnect<Socket, Stream: Send + 'static>,
{
    let (client, driver) = config.connect(tls).await?;
    // It runs whenever this thread waits for an answer. What it has to say the requests say, too.
    tokio::spawn(async move { drop(driver.await) });
    Ok(client)
}

/// Begins a transaction that writes. Every limit holds for this transaction alone.
pub fn begin_writing() -> String {
    format!("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; {}", limits())
}

/// Begins a transaction that reads one state.
pub fn begin_reading() -> String {
    format!("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; {}", limits())
}

fn limits() -> String {
    format!(
        "SET LOCAL statement_timeout = {}; SET LOCAL lock_timeout = {}; \
         SET LOCAL idle_in_transaction_session_timeout = {}",
        STATEMENT.as_millis(),
        LOCK.as_millis(),
        IDLE.as_millis()
    )
}

fn health_after(error: &tokio_postgres::Error) -> Health {
    let Some(said) = error.as_db_error() else { return Health::Lost };
    // A server that ends a session may have committed before: only what it refuses and goes on after is refused.
    if matches!(said.parsed_severity(), Some(Severity::Fatal | Severity::Panic)) {
        return Health::Lost;
    }
    let code = said.code();
    if *code == SqlState::T_R_SERIALIZATION_FAILURE || *code == SqlState::T_R_DEADLOCK_DETECTED {
        return Health::Collided;
    }
    // It was the primary and is no longer: another connection may lead to the one that is.
    if *code == SqlState::READ_ONLY_SQL_TRANSACTION { Health::Lost } else { Health::Sound }
}

/// Whether the server would say the same again: a wrong password, no such database, a certificate nobody vouches for.
fn is_refusal(error: &tokio_postgres::Error) -> bool {
    match error.code() {
        Some(code) => ["28", "3D", "42"].iter().any(|class| code.code().starts_with(class)),
        None => tls_fault(error).is_some(),
    }
}

/// What is wrong with the server's certificate or with ours.
fn tls_fault(error: &tokio_postgres::Error) -> Option<&rustls::Error> {
    error.source()?.downcast_ref::<std::io::Error>()?.get_ref()?.downcast_ref()
}

fn told(error: &tokio_postgres::Error) -> Error {
    let Some(said) = error.as_db_error() else {
        let cause = error.source().map(|cause| format!(": {cause}")).unwrap_or_default();
        let hint = match tls_fault(error) {
            Some(rustls::Error::InvalidCertificate(_)) => {
                "; sslrootcert=FILE in the address names the authority that signed the server's certificate"
            }
            _ => "",
        };
        return Error::Database(format!("PostgreSQL: {error}{cause}{hint}"));
    };
    let code = said.code();
    match () {
        () if *code == SqlState::DISK_FULL => Error::DiskFull,
        () if *code == SqlState::DATA_CORRUPTED || *code == SqlState::INDEX_CORRUPTED => {
            Error::Corrupt(format!("PostgreSQL: {}", said.message()))
        }
        () => Error::Database(format!("PostgreSQL: {}", said.message())),
    }
}

fn silent(limit: Duration) -> Error {
    Error::Database(format!("PostgreSQL did not answer within {} seconds", limit.as_secs()))
}
