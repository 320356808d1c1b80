//! A server on standard input and output: nothing but the protocol is written there.

use std::collections::HashSet;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use idetic_ops::{Error, Result};
use rmcp::model::{ClientNotification, JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, ServerInitializeError, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{RoleServer, serve_server};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

use super::{Profile, Server};
use crate::{Principal, Service};

/// Requests that are carried out at a time; further ones are left in the pipe until one is answered.
const IN_FLIGHT_MAX: usize = 128;
/// How long what was begun may take after the input ended: longer than any operation that is not a fault.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(3600);

/// Answers until the input ends or the process is told to end; every request that was read is answered before it does.
pub fn over_stdio(service: Arc<Service>, who: Principal, profile: Profile, trace: Option<String>) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(Error::io("cannot start the server"))?;
    let done = runtime.block_on(async {
        let failed = || Error::io("cannot listen for signals");
        let mut terminate = signal(SignalKind::terminate()).map_err(failed())?;
        let mut interrupt = signal(SignalKind::interrupt()).map_err(failed())?;
        let (stop, stopping) = watch::channel(false);
        let (input, output) = (tokio::io::stdin(), tokio::io::stdout());
        let served = over_pipe(service, who, profile, trace, (input, output), stopping);
        tokio::pin!(served);
        loop {
            tokio::select! {
                done = &mut served => return done,
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
            // Nothing more is read, what was read is answered; whoever is told twice goes at once.
            if stop.send_replace(true) {
                return Ok(());
            }
        }
    });
    // A thread may still wait for input that never comes.
    runtime.shutdown_background();
    done
}

/// The same over any two pipes, until the input ends or it is told to stop.
pub async fn over_pipe<R, W>(
    service: Arc<Service>,
    who: Principal,
    profile: Profile,
    trace: Option<String>,
    (input, output): (R, W),
    stopping: watch::Receiver<bool>,
) -> Result<()>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let limiter = Arc::clone(&service.limiter);
    let server = Server { service, profile, local: Some(Arc::new(who)), trace };
    // The last line is a line, too, where its end is missing.
    let inner = AsyncRwTransport::new_server(input.chain(&b"\n"[..]), output);
    let done = talk(server, Draining { inner, unanswered: Arc::default(), stopping, has_ended: false }).await;
    limiter.idle().await;
    done
}

async fn talk(server: Server, transport: impl Transport<RoleServer> + 'static) -> Result<()> {
    match serve_server(server, transport).await {
        Ok(running) => running.waiting().await.map(drop).map_err(|error| Error::unavailable(error.to_string())),
        // Whoever hangs up at once has asked for nothing.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(Error::invalid(format!("the client does not speak MCP: {error}"))
            .hint("`idetic mcp` is started by an MCP client; `idetic --help` lists what people use")),
    }
}

/// A transport whose end is told only once everything that was read before it is answered.
struct Draining<T> {
    inner: T,
    unanswered: Arc<Unanswered>,
    stopping: watch::Receiver<bool>,
    has_ended: bool,
}

/// The requests that were read and have no answer yet.
#[derive(Default)]
struct Unanswered {
    ids: Mutex<HashSet<RequestId>>,
    count: watch::Sender<usize>,
}

impl Unanswered {
    fn ids(&self) -> MutexGuard<'_, HashSet<RequestId>> {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&self, id: &RequestId) {
        let mut ids = self.ids();
        ids.insert(id.clone());
        self.count.send_replace(ids.len());
    }

    fn end(&self, id: &RequestId) {
        let mut ids = self.ids();
        ids.remove(id);
        self.count.send_replace(ids.len());
    }

    /// Waits until fewer than so many are left.
    async fn fewer_than(&self, most: usize) {
        // The sender is here, so the channel is never closed.
        let _ = self.count.subscribe().wait_for(|count| *count < most).await;
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Draining<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = std::result::Result<(), Self::Error>> + Send + 'static {
        let answered = match &item {
            JsonRpcMessage::Response(response) => Some(response.id.clone()),
            JsonRpcMessage::Error(error) => error.id.clone(),
            _ => None,
        };
        let (sent, unanswered) = (self.inner.send(item), Arc::clone(&self.unanswered));
        async move {
            let done = sent.await;
            // Also where it could not be written: nobody reads, so nobody is waited for.
            answered.iter().for_each(|id| unanswered.end(id));
            done
        }
    }

    /// May be given up at any await and called again: nothing that was read is lost by that.
    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        if !self.has_ended {
            let mut stopping = self.stopping.clone();
            let next = tokio::select! {
                biased;
                _ = stopping.wait_for(|stop| *stop) => None,
                next = async {
                    self.unanswered.fewer_than(IN_FLIGHT_MAX).await;
                    self.inner.receive().await
                } => next,
            };
            match &next {
                Some(JsonRpcMessage::Request(request)) => self.unanswered.begin(&request.id),
                // A request that its client took back gets no answer.
                Some(JsonRpcMessage::Notification(said)) => {
                    if let ClientNotification::CancelledNotification(cancelled) = &said.notification
                        && let Some(id) = &cancelled.params.request_id
                    {
                        self.unanswered.end(id);
                    }
                }
                _ => {}
            }
            if next.is_some() {
                return next;
            }
            self.has_ended = true;
        }
        let _ = tokio::time::timeout(DRAIN_TIMEOUT, self.unanswered.fewer_than(1)).await;
        None
    }

    async fn close(&mut self) -> std::result::Result<(), Self::Error> {
        self.inner.close().await
    }
}
