//! The server itself: connections in, each with a limit on how slowly it may ask, until it is told to stop.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use idetic_memory::{Error, Result};
use tokio::net::{TcpListener, TcpStream};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{Semaphore, watch};

use crate::{Service, http};

/// How long what was begun may take after the server was told to stop.
const FAREWELL: Duration = Duration::from_secs(30);
/// How long to wait after a connection could not be taken, e.g. for want of file handles.
const BREATH: Duration = Duration::from_millis(50);

/// A server that listens and does not answer yet.
pub struct Listening {
    listener: TcpListener,
    address: SocketAddr,
}

impl Listening {
    /// Listens. Without keys this must be an address of this machine alone.
    pub async fn on(address: SocketAddr, service: &Service) -> Result<Self> {
        let is_open = service.settings().without_key.is_some();
        if !address.ip().is_loopback() {
            if is_open {
                return Err(Error::invalid(format!("without keys the server does not listen on {address}"))
                    .hint("listen on 127.0.0.1, or leave --open out and make keys with `idetic key create`"));
            }
            if service.keys.all()?.is_empty() {
                return Err(Error::invalid(format!("there is no key, so nobody could be let in on {address}"))
                    .hint("make one first: `idetic key create --name NAME`"));
            }
        }
        let listener = TcpListener::bind(address).await.map_err(|error| {
            Error::unavailable(format!("cannot listen on {address}: {error}"))
                .hint("end what listens there, or choose another port; with port 0 the server looks for one")
        })?;
        let address = listener.local_addr().map_err(Error::io("cannot tell the address"))?;
        Ok(Self { listener, address })
    }

    /// Where.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

/// Listens and answers until the process is told to end. `tell` hears where, once questions are answered.
pub fn run(service: Arc<Service>, address: SocketAddr, tell: impl FnOnce(SocketAddr)) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().thread_name("idetic").build();
    let runtime = runtime.map_err(Error::io("cannot start the server"))?;
    let served = runtime.block_on(async {
        let failed = || Error::io("cannot hear signals");
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
    runtime.shutdown_timeout(BREATH);
    served
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
                Ok(1..) => tokio::time::sleep(BREATH).await,
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
    let app = Arc::new(http::App::new(service, listening.address));
    let router = http::router(&app);
    // The head of a request has a time limit, so that nobody holds a place by saying little.
    let mut builder = Builder::new(TokioExecutor::new()).http1_only();
    builder.http1().timer(TokioTimer::new()).header_read_timeout(read_timeout);
    let (builder, graceful) = (Arc::new(builder), GracefulShutdown::new());
    let room = Arc::new(Semaphore::new(config.max_connections));
    tokio::pin!(stop);
    loop {
        let place = tokio::select! {
            () = &mut stop => break,
            place = Arc::clone(&room).acquire_owned() => place.map_err(|e| Error::unavailable(e.to_string()))?,
        };
        let stream = tokio::select! {
            () = &mut stop => break,
            accepted = listening.listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                Err(_) => {
                    tokio::time::sleep(BREATH).await;
                    continue;
                }
            },
        };
        // A small answer is not to wait for a larger one.
        let _ = stream.set_nodelay(true);
        let service = TowerToHyperService::new(router.clone());
        let (builder, watcher, app) = (Arc::clone(&builder), graceful.watcher(), Arc::clone(&app));
        tokio::spawn(async move {
            if !speaks(&stream, read_timeout, app.stopping()).await {
                return;
            }
            app.metrics.connections.inc();
            let connection = builder.serve_connection_with_upgrades(TokioIo::new(stream), service);
            // Whoever hung up is no concern of the others.
            let _ = watcher.watch(connection.into_owned()).await;
            app.metrics.connections.dec();
            drop(place);
        });
    }
    app.stop();
    drop(listening.listener);
    // A socket is no longer a connection that is watched, so what runs is waited for, too.
    let end = async { tokio::join!(graceful.shutdown(), app.rooms.empty()) };
    let _ = tokio::time::timeout(FAREWELL, end).await;
    Ok(())
}
