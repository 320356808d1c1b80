//! `open`: the web page of this home, in the browser, signed in.

use std::io::{Write, stdout};
use std::net::SocketAddr;
use std::process::{Command as Process, Stdio};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use idetic_ops::{Error, OwnerContext, Result};

use crate::serve;

/// A free port of this machine.
const ADDRESS: &str = "127.0.0.1:0";

pub fn command() -> Command {
    Command::new("open")
        .about("Open the web page: see what your agent knows, knew and was told")
        .after_help(
            "Serves the page on this machine alone until ctrl-c, and opens it in the browser with a link that signs in \
             once. Nobody else on this machine gets in without that link. For a page that stays, `idetic serve` and an \
             API key.\n\nExamples:\n  idetic open\n  idetic open --no-browser --listen 127.0.0.1:4748",
        )
        .arg(
            Arg::new("listen")
                .long("listen")
                .value_name("ADDRESS:PORT")
                .default_value(ADDRESS)
                .value_parser(value_parser!(SocketAddr))
                .help("Loopback address to listen on; port 0 picks a free one"),
        )
        .arg(
            Arg::new("no-browser")
                .long("no-browser")
                .action(ArgAction::SetTrue)
                .help("Print the link and open nothing"),
        )
}

/// Serves the page until it is told to end.
pub fn run(cx: &mut OwnerContext, arguments: &ArgMatches, json: bool) -> Result<()> {
    let address = *arguments.get_one::<SocketAddr>("listen").ok_or_else(|| Error::invalid("no address is given"))?;
    if !address.ip().is_loopback() {
        return Err(Error::invalid(format!("{address} is not an address of this machine alone"))
            .hint("listen on 127.0.0.1, or use `idetic serve` with an API key"));
    }
    let random: [u8; 32] = cx.env.random();
    let token: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
    let service = serve::service(cx.shared_memory()?, None, Some(token.clone()))?;
    let opens_browser = !arguments.get_flag("no-browser");
    idetic_server::run(service, address, |address| {
        // Behind the mark it is sent to no server and stands in no log.
        let link = format!("http://{address}/#token={token}");
        let line = if json { serde_json::json!({ "page": link }).to_string() } else { link.clone() };
        // Whoever does not listen misses it.
        let _ = writeln!(stdout(), "{line}").and_then(|()| stdout().flush());
        if opens_browser {
            open_browser(&link);
        }
    })
}

/// Opens a link as the desktop does. Where there is none, the link was printed.
fn open_browser(link: &str) {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let (stdin, out, err) = (Stdio::null(), Stdio::null(), Stdio::null());
    if let Ok(mut child) = Process::new(program).arg(link).stdin(stdin).stdout(out).stderr(err).spawn() {
        std::thread::spawn(move || child.wait());
    }
}
