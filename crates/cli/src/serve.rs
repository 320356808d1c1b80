//! `serve`: the memory over HTTP and MCP, for whoever shows a key.

use std::io::{Write, stderr, stdout};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use idetic_ops::{Error, Grant, Memory, OwnerContext, Result};
use idetic_server::{Principal, Service, Settings};

use crate::environment::variable;
use crate::models;

/// Where it listens unless told otherwise.
const ADDRESS: &str = "127.0.0.1:4747";

pub fn command() -> Command {
    Command::new("serve")
        .about("Serve the memory over HTTP and MCP to clients with an API key")
        .after_help(
            "Every operation is a route, POST /v1/NAME with its arguments as JSON; GET /docs lists them, GET \
             /openapi.json describes them. MCP is at /mcp, OTLP at /v1/traces. `idetic key create --name NAME` \
             creates a key. It stops on SIGTERM or ctrl-c, after answering every request in progress.\n\n\
             Examples:\n  idetic serve --listen 127.0.0.1:4747\n  idetic serve --open",
        )
        .arg(
            Arg::new("listen")
                .long("listen")
                .value_name("ADDRESS:PORT")
                .default_value(ADDRESS)
                .value_parser(value_parser!(SocketAddr))
                .help("Address to listen on; port 0 picks a free one"),
        )
        .arg(
            Arg::new("open")
                .long("open")
                .action(ArgAction::SetTrue)
                .help("Answer without a key, as the owner; only on a loopback address"),
        )
        .arg(
            Arg::new("log")
                .long("log")
                .value_name("HOW")
                .value_parser(["text", "json", "off"])
                .default_value("text")
                .help("One line per request on standard error: text, json or off; never its content or the answer"),
        )
}

/// Serves until it is told to end.
pub fn run(cx: &mut OwnerContext, arguments: &ArgMatches, json: bool) -> Result<()> {
    let address = *arguments.get_one::<SocketAddr>("listen").ok_or_else(|| Error::invalid("no address is given"))?;
    let without_key = arguments.get_flag("open").then(|| Principal::local(Grant::default()));
    log(arguments.get_one::<String>("log").map_or("off", String::as_str));
    let service = service(cx.shared_memory()?, without_key, None)?;
    if service.settings().without_key.is_none() && service.keys.all()?.is_empty() {
        (cx.notice)("there is no API key yet: every request is refused; `idetic key create --name NAME` creates one");
    }
    idetic_server::run(service, address, |address| {
        // Whoever does not listen misses it.
        let line = if json { format!("{{\"listening\":\"http://{address}\"}}") } else { format!("http://{address}") };
        let _ = writeln!(stdout(), "{line}").and_then(|()| stdout().flush());
    })
}

/// What a server is given.
pub fn service(
    memory: Arc<Memory>,
    without_key: Option<Principal>,
    sign_in_token: Option<String>,
) -> Result<Arc<Service>> {
    let settings = Settings {
        models: models::models(memory.config())?,
        chat: models::chat(memory.config())?,
        variable,
        clock: Instant::now,
        without_key,
        sign_in_token,
        version: env!("CARGO_PKG_VERSION"),
    };
    Ok(Arc::new(Service::new(memory, settings)?))
}

fn log(how: &str) {
    let lines = tracing_subscriber::fmt().with_writer(stderr);
    match how {
        "json" => lines.json().flatten_event(true).init(),
        "text" => lines.with_ansi(false).init(),
        _ => {}
    }
}
