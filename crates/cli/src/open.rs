//! `open`: the web UI of this home, in the browser, signed in.

use std::fs::OpenOptions;
use std::io::{Write, stderr, stdout};
use std::net::SocketAddr;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use idetic_ops::{Error, OwnerContext, Result};

use crate::serve;

/// A free port of this machine.
const ADDRESS: &str = "127.0.0.1:0";
/// The file in the home that leads the browser to the link.
const REDIRECT: &str = "open.html";

pub fn command() -> Command {
    Command::new("open")
        .about("Open the web UI: see what your agent knows, knew and was told")
        .after_help(
            "Serves the web UI on this machine alone until ctrl-c and opens the browser with a link that signs in \
             once, within two minutes. Nobody gets in without that link. To keep it running, use `idetic serve` and an \
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
    let random: [u8; 32] = cx.env.random();
    let token: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
    let service = serve::service(cx.shared_memory()?, None, Some(token.clone()))?;
    let opens_browser = !arguments.get_flag("no-browser");
    let home = cx.memory()?.home().to_owned();
    let served = idetic_server::run(service, address, |address| {
        // Behind the mark it is sent to no server and stands in no log.
        let link = format!("http://{address}/#token={token}");
        let line = if json { serde_json::json!({ "page": link }).to_string() } else { link.clone() };
        // Whoever does not listen misses it.
        let _ = writeln!(stdout(), "{line}").and_then(|()| stdout().flush());
        if opens_browser {
            // What a program is started with can be read by everybody on this machine: the link goes through a file.
            match write_redirect(&home, &link) {
                Ok(file) => open_browser(&file),
                Err(error) => drop(writeln!(stderr(), "the browser could not be opened: {error}")),
            }
        }
    });
    let _ = std::fs::remove_file(home.join(REDIRECT));
    served
}

/// A page for its owner's eyes alone that leads to the link.
fn write_redirect(home: &Path, link: &str) -> std::io::Result<PathBuf> {
    let file = home.join(REDIRECT);
    let _ = std::fs::remove_file(&file);
    let page = format!(
        "<!doctype html><meta http-equiv=\"refresh\" content=\"0; url={link}\"><a href=\"{link}\">Idetic</a>\n"
    );
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(&file)?.write_all(page.as_bytes())?;
    Ok(file)
}

/// Opens a file as the desktop does. Where there is none, the link was printed.
fn open_browser(file: &Path) {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let (stdin, out, err) = (Stdio::null(), Stdio::null(), Stdio::null());
    if let Ok(mut child) = Process::new(program).arg(file).stdin(stdin).stdout(out).stderr(err).spawn() {
        std::thread::spawn(move || child.wait());
    }
}
