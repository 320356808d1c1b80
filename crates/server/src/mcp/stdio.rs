//! A server on standard input and output: nothing but the protocol is written there.

use std::sync::Arc;

use idetic_memory::{Error, Result};
use rmcp::serve_server;
use rmcp::service::ServerInitializeError;
use tokio::signal::unix::{SignalKind, signal};

use super::{Profile, Server};
use crate::{Principal, Service};

/// Answers until the input ends or the process is told to end; what was begun by then is finished.
pub fn over_stdio(service: Arc<Service>, who: Principal, profile: Profile, trace: Option<String>) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(Error::io("cannot start the server"))?;
    let server = Server { service, rooms: Arc::default(), profile, local: Some(Arc::new(who)), trace };
    let done = runtime.block_on(serve(server));
    // A thread may still wait for input that never comes.
    runtime.shutdown_background();
    done
}

async fn serve(server: Server) -> Result<()> {
    let failed = || Error::io("cannot hear signals");
    let mut terminate = signal(SignalKind::terminate()).map_err(failed())?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(failed())?;
    let rooms = Arc::clone(&server.rooms);
    let talk = async {
        match serve_server(server, (tokio::io::stdin(), tokio::io::stdout())).await {
            Ok(running) => running.waiting().await.map(drop).map_err(|error| Error::unavailable(error.to_string())),
            // Whoever hangs up at once has asked for nothing.
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(Error::invalid(format!("the client does not speak MCP: {error}"))
                .hint("`idetic mcp` is started by an MCP client; `idetic --help` lists what people use")),
        }
    };
    let done = tokio::select! {
        done = talk => done,
        _ = terminate.recv() => Ok(()),
        _ = interrupt.recv() => Ok(()),
    };
    rooms.empty().await;
    done
}
