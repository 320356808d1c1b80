//! The server itself: connections in, each with a limit on how slowly it may ask, until it is told to stop.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use idetic_ops::{Error, Memory, Result};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::net::{TcpListener, TcpStream};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tower::Layer;

use crate::service::log_repairs;
use crate::write_timeout::WriteTimeout;
use crate::{Service, background, http, upkeep, webhooks};

/// How long what was begun may take after the server was told to stop.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(30);
/// How long whoever connects may take for the first bytes: whoever has something to ask begins at once.
const FIRST_BYTES_TIMEOUT: Duration = Duration::from_secs(10);
/// What a connection may hold of a request's head, and of an answer that is being written.
const BUFFER_BYTES: usize = 128 << 10;
/// How often it is looked whether another process erased something: what is kept in memory of it goes.
const ERASURE_POLL: Duration = Duration::from_secs(2);
/// How often it is looked whether another machine made or revoked a key.
const KEYS_POLL: Duration = Duration::from_secs(1);
/// How long between two parts of what is checked in the background: eight megabytes each time, which no request feels.
const CHECK_PAUSE: Duration = Duration::from_secs(10);
/// How long to wait before something is tried again, e.g. a connection for which there was no file handle.
const RETRY_DELAY: Duration = Duration::from_millis(50);

/// A server that listens and does not answer yet.
pub struct Listening {
    listener: TcpListener,
    address: SocketAddr,
}

impl Listening {
    /// Listens. Without keys this must be an address of this machine alone.
    pub async fn on(address: SocketAddr, service: &Service) -> Result<Self> {
        webhooks::check(service)?;
        read_keys(service).await?;
        let is_open = service.settings().without_key.is_some();
        if !address.ip().is_loopback() {
            if service.settings().sign_in_token.is_some() {
                return Err(Error::invalid(format!("{address} is not an address of this machine alone"))
                    .hint("listen on 127.0.0.1, or use `idetic serve` with an API key"));
            }
            if is_open {
                return Err(Error::invalid(format!("without keys the server does not listen on {address}"))
                    .hint("listen on 127.0.0.1, or leave --open out and create keys with `idetic key create`"));
            }
            if service.keys.known()?.is_empty() {
                return Err(Error::invalid(format!(
                    "there is no API key: every request to {address} would be refused"
                ))
                .hint("create one first: `idetic key create --name NAME`"));
            }
        }
        let listener = TcpListener::bind(address).await.map_err(|error| {
            Error::unavailable(format!("cannot listen on {address}: {error}"))
                .hint("stop what listens there, or choose another port; port 0 picks a free one")
        })?;
        let address = listener.local_addr().map_err(Error::io("cannot determine the address"))?;
        Ok(Self { listener, address })
    }

    /// Where.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

/// Reads the keys that several machines share.
async fn read_keys(service: &Service) -> Result<()> {
    let keys = Arc::clone(&service.keys);
    background::block(move || keys.refresh()).await.unwrap_or_else(|fault| std::panic::resume_unwind(fault))
}

/// Listens and answers until the process is told to end. `tell` hears where, once questions are answered.
pub fn run(service: Arc<Service>, address: SocketAddr, tell: impl FnOnce(SocketAddr)) -> Result<()> {
    raise_file_limit();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().thread_name("idetic").build();
    let runtime = runtime.map_err(Error::io("cannot start the server"))?;
    let served = runtime.block_on(async {
        let failed = || Error::io("cannot listen for signals");
        let mut terminate = signal(SignalKind::terminate()).map_err(failed())?;
        let mut interrupt = signal(SignalKind::interrupt()).map_err(failed())?;
        let listening = Listening::on(address, &service).await?;
        tell(listening.address());
        let stop = async move {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
        };
        serve(listening, service, stop).await
    });
    // What still runs has nobody who waits for it; what it wrote is on disk or not there at all.
    runtime.shutdown_timeout(RETRY_DELAY);
    served
}

/// Takes as many file handles as the system allows: each connection is one, and the usual limit is as low as 1024.
fn raise_file_limit() {
    let limit = getrlimit(Resource::Nofile);
    if limit.current != limit.maximum {
        // Where it cannot be had, connections that ask for nothing are closed sooner.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
    }
}

/// Whether somebody begins a request of HTTP/1 in time: before its first bytes no other limit counts, and whoever might
/// mean HTTP/2 would be waited for without any.
async fn speaks(stream: &TcpStream, within: Duration, mut stopping: watch::Receiver<bool>) -> bool {
    let begun = async {
        let mut first = [0; 4];
        loop {
            match stream.peek(&mut first).await {
                Ok(4) => return first != *b"PRI ",
                // The rest is on its way, or never comes.
                Ok(1..) => tokio::time::sleep(RETRY_DELAY).await,
                _ => return false,
            }
        }
    };
    tokio::select! {
        _ = stopping.wait_for(|stopping| *stopping) => false,
        begun = tokio::time::timeout(within, begun) => begun.unwrap_or(false),
    }
}

/// Answers until it is told to stop; what was begun by then is finished.
pub async fn serve(listening: Listening, service: Arc<Service>, stop: impl Future<Output = ()>) -> Result<()> {
    let config = service.memory.config().server.clone();
    let read_timeout = Duration::from_secs(config.read_timeout_seconds);
    let memory = Arc::clone(&service.memory);
    let erased = Arc::clone(&memory);
    let heeding = tokio::spawn(async move {
        loop {
            tokio::time::sleep(ERASURE_POLL).await;
            let memory = Arc::clone(&erased);
            // Closing files takes time that nobody else should wait for.
            let _ = background::block(move || memory.check_for_erasures()).await;
        }
    });
    let model = service.settings().models.wanted.clone();
    let embedding =
        model.map(|model| tokio::spawn(upkeep::embed(Arc::clone(&memory), model, Arc::clone(&service.upkeep))));
    let clock = service.settings().clock;
    let erasing = tokio::spawn(upkeep::erase(Arc::clone(&memory), clock, Arc::clone(&service.upkeep)));
    let keeping = memory.keeps_snapshots().then(|| tokio::spawn(upkeep::keep_snapshots(Arc::clone(&memory))));
    let shared_keys = service.keys.are_shared().then(|| tokio::spawn(follow_keys(Arc::clone(&service))));
    let app = Arc::new(http::App::new(service, listening.address));
    let checking = tokio::spawn(check_what_is_derived(memory));
    let delivering = webhooks::start(&app)?;
    let router = http::router(&app);
    // The head of a request has a time limit, so that nobody holds a place by saying little.
    let mut builder = Builder::new(TokioExecutor::new()).http1_only();
    builder.http1().timer(TokioTimer::new()).header_read_timeout(read_timeout).max_buf_size(BUFFER_BYTES);
    let (builder, graceful) = (Arc::new(builder), GracefulShutdown::new());
    tokio::pin!(stop);
    loop {
        let (stream, from) = tokio::select! {
            () = &mut stop => break,
            accepted = listening.listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(_) => {
                    // Mostly for want of file handles: an idle client holds one.
                    app.connections.close_one();
                    tokio::time::sleep(RETRY_DELAY).await;
                    continue;
                }
            },
        };
        // Where every connection is being answered, one more is hung up on.
        let Some(connection) = app.connections.open(from.ip()) else { continue };
        // A small answer is not to wait for a larger one.
        let _ = stream.set_nodelay(true);
        let service = TowerToHyperService::new(Extension(connection.clone()).layer(router.clone()));
        let (builder, watcher, app) = (Arc::clone(&builder), graceful.watcher(), Arc::clone(&app));
        tokio::spawn(async move {
            let served = async {
                if !speaks(&stream, read_timeout.min(FIRST_BYTES_TIMEOUT), app.stopping()).await {
                    return;
                }
                let stream = TokioIo::new(WriteTimeout::new(stream, app.service.settings().clock));
                let connection = builder.serve_connection_with_upgrades(stream, service);
                let open = app.metrics.open_connection();
                // Whoever hung up is no concern of the others.
                let _ = watcher.watch(connection.into_owned()).await;
                drop(open);
            };
            tokio::select! {
                () = served => {}
                () = connection.closing() => {}
            }
        });
    }
    app.stop();
    heeding.abort();
    checking.abort();
    erasing.abort();
    embedding.iter().chain(&keeping).chain(&shared_keys).chain(&delivering).for_each(|task| task.abort());
    drop(listening.listener);
    // A socket is no longer a connection that is watched, so what runs is waited for, too.
    let end = async { tokio::join!(graceful.shutdown(), app.service.limiter.idle()) };
    let _ = tokio::time::timeout(SHUTDOWN_TIMEOUT, end).await;
    Ok(())
}

/// Looks again and again whether another machine made or revoked a key.
async fn follow_keys(service: Arc<Service>) {
    loop {
        tokio::time::sleep(KEYS_POLL).await;
        // While the database is away nothing is answered from it, whatever the keys that were read last allow.
        let _ = read_keys(&service).await;
    }
}

/// Holds a part of what is derived in one open space after the other against its checksums, again and again: damage that does
/// not show from outside is repaired before somebody reads it.
async fn check_what_is_derived(memory: Arc<Memory>) {
    for turn in 0_usize.. {
        tokio::time::sleep(CHECK_PAUSE).await;
        let memory = Arc::clone(&memory);
        let checked = background::block(move || {
            let spaces = memory.open_spaces();
            if let Some(space) = spaces.get(turn % spaces.len().max(1)) {
                // What cannot be read now is tried again.
                let _ = space.check_a_part();
            }
            log_repairs(&memory);
        });
        if checked.await.is_err() {
            return;
        }
    }
}
