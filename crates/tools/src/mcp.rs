//! The tools of any MCP server, started as a child process or reached over HTTP, for a program that waits for answers.

mod answer;
mod board;
mod child;
mod connection;
mod error;
mod http;
mod line;
mod server;
mod watched;

use std::fmt;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Map, Value};
use tokio::sync::mpsc;

pub use answer::McpAnswer;
use connection::Connection;
pub use error::{McpError, McpErrorKind};
pub use server::{McpIdentity, McpLimits, McpServer};

/// A connection closes within about this time, or its thread is left to end by itself.
const CLOSE_WAIT: Duration = Duration::from_secs(8);
/// Orders wait for one another before they are sent, so one place is enough.
const ORDERS_MAX: usize = 1;
/// Requests over HTTP that may block at the same time: a call, its cancellation, and what a server was too slow for.
const BLOCKING_THREADS_MAX: usize = 8;
/// Why an answer can be missing although every wait has an end.
const THREAD_GONE: &str = "its connection has ended; connect again";

/// A tool as its server describes it. Names and descriptions are a stranger's text: data, never instructions.
#[derive(Debug, Clone, PartialEq)]
pub struct McpTool {
    /// What it is called by.
    pub name: String,
    /// What it says it does; empty if it says nothing.
    pub description: String,
    /// The JSON schema of its arguments.
    pub schema: Value,
}

/// What the connection's thread is asked to do, and where the answer goes.
enum Order {
    Tools(SyncSender<Result<Vec<McpTool>, McpError>>),
    Call(String, Map<String, Value>, SyncSender<Result<McpAnswer, McpError>>),
}

/// A connection to one server. It belongs to a thread of its own and does one thing at a time.
pub struct McpClient {
    name: String,
    /// The lock is held until the answer is there. Empty only while the client is dropped.
    orders: Mutex<Option<mpsc::Sender<Order>>>,
    /// Closed when the thread has done everything.
    done: Receiver<()>,
    thread: Option<JoinHandle<()>>,
}

impl fmt::Debug for McpClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpClient").field("name", &self.name).finish_non_exhaustive()
    }
}

impl McpClient {
    /// Starts or reaches a server and agrees with it on a revision of the protocol.
    pub fn connect(server: &McpServer, limits: McpLimits, identity: &McpIdentity) -> Result<Self, McpError> {
        let name = server.name();
        let (orders, incoming) = mpsc::channel(ORDERS_MAX);
        let (ready, readiness) = sync_channel(1);
        let (finished, done) = sync_channel(0);
        let (server, identity) = (server.clone(), identity.clone());
        let work = move || {
            run(&server, limits, &identity, &ready, incoming);
            drop(finished);
        };
        let started = std::thread::Builder::new().name("mcp".to_owned()).spawn(work);
        let thread = started.map_err(|error| {
            McpError::new(McpErrorKind::NotConnected, format!("cannot start a thread for it: {error}")).of(&name)
        })?;
        let client = Self { name, orders: Mutex::new(Some(orders)), done, thread: Some(thread) };
        let outcome = readiness.recv().unwrap_or_else(|_| Err(McpError::new(McpErrorKind::Gone, THREAD_GONE)));
        outcome.map_err(|error| error.of(&client.name))?;
        Ok(client)
    }

    /// What the server offers now; asked anew each time, since servers change their tools.
    pub fn tools(&self) -> Result<Vec<McpTool>, McpError> {
        self.order(Order::Tools)
    }

    /// Calls a tool. A tool that failed is an answer with `is_error`; an error is a server that gave none.
    pub fn call(&self, name: &str, arguments: Map<String, Value>) -> Result<McpAnswer, McpError> {
        self.order(|reply| Order::Call(name.to_owned(), arguments, reply))
    }

    fn order<T>(&self, order: impl FnOnce(SyncSender<Result<T, McpError>>) -> Order) -> Result<T, McpError> {
        let (reply, answer) = sync_channel(1);
        let orders = self.orders.lock().unwrap_or_else(PoisonError::into_inner);
        let sent = orders.as_ref().is_some_and(|orders| orders.try_send(order(reply)).is_ok());
        let answer = if sent { answer.recv().ok() } else { None };
        let answer = answer.unwrap_or_else(|| Err(McpError::new(McpErrorKind::Gone, THREAD_GONE)));
        answer.map_err(|error| error.of(&self.name))
    }
}

impl Drop for McpClient {
    fn drop(&mut self) {
        // Without orders to come the thread closes the connection and ends the child.
        self.orders.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        let _ = self.done.recv_timeout(CLOSE_WAIT);
        if let Some(thread) = self.thread.take_if(|thread| thread.is_finished()) {
            let _ = thread.join();
        }
    }
}

/// The life of a connection's thread.
fn run(
    server: &McpServer,
    limits: McpLimits,
    identity: &McpIdentity,
    ready: &SyncSender<Result<(), McpError>>,
    orders: mpsc::Receiver<Order>,
) {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = match builder.enable_all().max_blocking_threads(BLOCKING_THREADS_MAX).build() {
        Ok(runtime) => runtime,
        Err(error) => {
            let why = format!("cannot start a runtime for it: {error}");
            let _ = ready.send(Err(McpError::new(McpErrorKind::NotConnected, why)));
            return;
        }
    };
    runtime.block_on(async {
        match Connection::open(server, limits, identity).await {
            Ok(connection) => {
                let _ = ready.send(Ok(()));
                serve(connection, orders).await;
            }
            Err(error) => {
                let _ = ready.send(Err(error));
            }
        }
    });
    // A request that still blocks ends by its own limit; nobody waits for it.
    runtime.shutdown_background();
}

/// Carries out orders until there are none to come.
async fn serve(mut connection: Connection, mut orders: mpsc::Receiver<Order>) {
    loop {
        let order = tokio::select! {
            order = orders.recv() => order,
            // A child that ends while nobody asks is waited for at once, so that it is no zombie.
            () = connection.ended() => continue,
        };
        match order {
            // Whoever does not wait for the answer any more does not need it.
            Some(Order::Tools(reply)) => drop(reply.send(connection.tools().await)),
            Some(Order::Call(name, arguments, reply)) => drop(reply.send(connection.call(name, arguments).await)),
            None => break,
        }
    }
    connection.close().await;
}
