//! `serve`: the memory over HTTP and MCP, for whoever shows a key.

use std::io::{Write, stderr, stdout};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use idetic_memory::{Bounds, Context, Error, Memory, Result};
use idetic_server::{Principal, Service, Settings};

use crate::models;
use crate::surroundings::variable;

/// Where it listens unless told otherwise.
const ADDRESS: &str = "127.0.0.1:4747";

pub fn command() -> Command {
    Command::new("serve")
        .about("Serve the memory over HTTP and MCP to whoever shows a key")
        .after_help(
            "Every operation is a route, POST /v1/NAME with its arguments as JSON; GET /docs lists them, GET /openapi.json \
             describes them. MCP is at /mcp, OTLP at /v1/traces. `idetic key create --name NAME` makes a key. It ends by \
             SIGTERM or ctrl-c, once everything that was begun is answered.\n\nExamples:\n  idetic serve --listen \
             127.0.0.1:4747\n  idetic serve --open",
        )
        .arg(
            Arg::new("listen")
                .long("listen")
                .value_name("ADDRESS:PORT")
                .default_value(ADDRESS)
                .value_parser(value_parser!(SocketAddr))
                .help("Where to listen; port 0 takes one that is free"),
        )
        .arg(
            Arg::new("open")
                .long("open")
                .action(ArgAction::SetTrue)
                .help("Answer without a key, as the owner; only on an address of this machine alone"),
        )
        .arg(
            Arg::new("log")
                .long("log")
                .value_name("HOW")
                .value_parser(["text", "json", "off"])
                .default_value("text")
                .help("One line a request on standard error: text, json or off; never what was asked or answered"),
        )
}

/// Serves until it is told to end.
pub fn run(cx: &mut Context, arguments: &ArgMatches, json: bool) -> Result<()> {
    let address = *arguments.get_one::<SocketAddr>("listen").ok_or_else(|| Error::invalid("no address is named"))?;
    let without_key = arguments.get_flag("open").then(|| Principal::local(Bounds::default()));
    log(arguments.get_one::<String>("log").map_or("off", String::as_str));
    let service = service(cx.shared_memory()?, without_key)?;
    if service.settings().without_key.is_none() && service.keys.all()?.is_empty() {
        (cx.notice)("there is no key yet, so nobody is let in: `idetic key create --name NAME` makes one");
    }
    idetic_server::run(service, address, |address| {
        // Whoever does not listen misses it.
        let line = if json { format!("{{\"listening\":\"http://{address}\"}}") } else { format!("http://{address}") };
        let _ = writeln!(stdout(), "{line}").and_then(|()| stdout().flush());
    })
}

/// What a server is given.
pub fn service(memory: Arc<Memory>, without_key: Option<Principal>) -> Result<Arc<Service>> {
    let settings = Settings {
        models: models::models(memory.config())?,
        chat: models::chat(memory.config())?,
        variable,
        clock: Instant::now,
        without_key,
        version: env!("CARGO_PKG_VERSION"),
    };
    Ok(Arc::new(Service::new(memory, settings)))
}

fn log(how: &str) {
    let lines = tracing_subscriber::fmt().with_writer(stderr);
    match how {
        "json" => lines.json().flatten_event(true).init(),
        "text" => lines.with_ansi(false).init(),
        _ => {}
    }
}
