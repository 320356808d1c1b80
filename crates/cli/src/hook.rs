//! `hook`: what the hooks of coding agents call. Whatever happens here, the client never notices: it gets what it may use
//! or nothing at all, and never an error.

use std::fs;
use std::io::{self, Read, Write, stdin, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use clap::{Arg, ArgMatches, Command, value_parser};
use idetic_ops::clients::{Message, message, table};
use idetic_ops::core::SpaceName;
use idetic_ops::hooks::{HookSession, START_TOKENS};
use idetic_ops::project::Project;
use idetic_ops::{CheckLine, Error, Result};

use crate::environment::{Environment, env, variable};
use crate::home;

/// Where clients say which project a session is about.
const PROJECT_VARIABLES: [&str; 3] = ["CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CURSOR_PROJECT_DIR"];
/// Longest message that is read.
const MESSAGE_MAX_BYTES: u64 = 16 << 20;
/// Longest rest that is still taken off the client's hands.
const REST_MAX_BYTES: u64 = 1 << 30;
/// How long a client is kept waiting, whatever the disk and the locks do.
const PATIENCE: Duration = Duration::from_secs(4);
/// Largest file of what went wrong; then its older half goes.
const LOG_MAX_BYTES: u64 = 64 << 10;

pub fn command() -> Command {
    Command::new("hook")
        .about("Process the message of a coding agent's hook on standard input; the hooks written by `setup` call it")
        .after_help(
            "Whatever goes wrong, it exits with 0 and prints nothing; hooks.log in the home has the errors.\n\n\
             Example:\n  idetic hook claude SessionStart",
        )
        .arg(Arg::new("client").value_name("CLIENT").required(true).help("The coding agent, as `setup` calls it"))
        .arg(Arg::new("event").value_name("EVENT").required(true).help("The event, as the client calls it"))
        .arg(
            Arg::new("agent")
                .long("agent")
                .value_name("AGENT")
                .help("The agent whose memory it is; without one it is shared in the space"),
        )
        .arg(
            Arg::new("budget")
                .long("budget")
                .value_name("TOKENS")
                .value_parser(value_parser!(u32).range(1..=1_000_000))
                .help(format!("Token budget of what a session is shown when it starts [default: {START_TOKENS}]")),
        )
}

/// What was asked on the command line.
struct Asked {
    client: String,
    event: String,
    agent: Option<String>,
    space: Option<String>,
    home: Option<PathBuf>,
    budget: usize,
}

/// Takes a message in. It always goes well.
pub fn run(matches: &ArgMatches, arguments: &ArgMatches) -> ExitCode {
    let word = |name: &str| arguments.get_one::<String>(name).cloned();
    let asked = Asked {
        client: word("client").unwrap_or_default(),
        event: word("event").unwrap_or_default(),
        agent: word("agent"),
        space: matches.get_one::<String>("space").cloned(),
        home: matches.get_one::<PathBuf>("home").cloned(),
        budget: arguments.get_one::<u32>("budget").map_or(START_TOKENS, |budget| *budget as usize),
    };
    let named_home = asked.home.clone();
    // What a fault in this program would say is nothing that a client should show.
    std::panic::set_hook(Box::new(|_| {}));
    let (done, hear) = channel();
    thread::spawn(move || {
        let told = take_in(&asked);
        let _ = done.send(told);
    });
    match hear.recv_timeout(PATIENCE) {
        Ok(Some(text)) => drop(stdout().write_all(text.as_bytes()).and_then(|()| stdout().flush())),
        Ok(None) => {}
        Err(_) => {
            let home = Environment::read().map(|around| home::find(named_home.as_ref(), &around).folder);
            let why = format!("{} timed out: the memory was not available", env().now());
            let _ = home.map(|home| note(&home, &why));
        }
    }
    ExitCode::SUCCESS
}

/// What the client is to be told, if anything. What goes wrong is noted in the home.
fn take_in(asked: &Asked) -> Option<String> {
    let mut around = Environment::read().ok()?;
    let message = read(asked);
    // The folder of a single message may be anywhere below or beside the project.
    let project = PROJECT_VARIABLES.iter().find_map(|name| variable(name));
    let folder = project.or_else(|| message.as_ref().ok()?.folder.clone()).map(PathBuf::from);
    if let Some(folder) = folder.filter(|folder| folder.is_dir()) {
        around.current_folder = folder;
    }
    let told = message.and_then(|message| hear(asked, &around, &message));
    told.unwrap_or_else(|error| {
        let home = home::find(asked.home.as_ref(), &around).folder;
        note(&home, &format!("{} {} {}: {error}", env().now(), asked.client, asked.event));
        None
    })
}

fn read(asked: &Asked) -> Result<Message> {
    let client = table::find(&asked.client).ok_or_else(|| Error::invalid("there is no such client"))?;
    let mut text = Vec::new();
    let failed = Error::io("cannot read the message");
    stdin().take(MESSAGE_MAX_BYTES + 1).read_to_end(&mut text).map_err(failed)?;
    if text.len() as u64 > MESSAGE_MAX_BYTES {
        // A client that cannot get rid of its message would wait, or fail.
        let _ = io::copy(&mut stdin().take(REST_MAX_BYTES), &mut io::sink());
        return Err(Error::invalid(format!("the message is longer than {MESSAGE_MAX_BYTES} bytes")));
    }
    Message::read(client, &asked.event, &text).map_err(Error::invalid)
}

fn hear(asked: &Asked, around: &Environment, message: &Message) -> Result<Option<String>> {
    let client = table::find(&asked.client).ok_or_else(|| Error::invalid("there is no such client"))?;
    let home = home::find(asked.home.as_ref(), around);
    let space = asked.space.as_deref().map(SpaceName::parse).transpose()?;
    let memory = home.open(env())?;
    let space = space.unwrap_or_else(|| memory.config().space.clone());
    let mut session =
        HookSession { client, agent: asked.agent.clone(), project: project(around), budget: asked.budget };
    let told = session.handle(&memory, &space, message)?;
    Ok(told.and_then(|text| message::answer(client, &asked.event, &text)))
}

/// The project that is worked on.
pub fn project(around: &Environment) -> Project {
    Project::of(&around.current_folder, around.user_folder.as_deref())
}

/// The name of the project that a folder belongs to.
pub fn project_of(folder: &Path, around: &Environment) -> Option<String> {
    Some(Project::of(folder, around.user_folder.as_deref()).name)
}

/// What the hooks of clients could not take in lately, if anything.
pub fn check(home: &Path) -> Option<CheckLine> {
    let path = home.join("hooks.log");
    let text = fs::read(&path).ok()?;
    let text = String::from_utf8_lossy(&text);
    let last = text.lines().next_back()?;
    let found = format!("hooks failed {} times, the last: {last}", text.lines().count());
    let fix = format!("fix the cause, then remove {}", path.display());
    Some(CheckLine { check: "hooks", ok: false, found, fix })
}

/// Notes what went wrong, in a file that never grows beyond its limit.
fn note(home: &Path, line: &str) {
    if !home.is_dir() {
        return;
    }
    let path = home.join("hooks.log");
    if fs::metadata(&path).is_ok_and(|metadata| metadata.len() > LOG_MAX_BYTES) {
        let text = fs::read(&path).unwrap_or_default();
        let _ = fs::write(&path, &text[text.len() / 2..]);
    }
    let line: String = line.chars().map(|c| if c.is_control() { ' ' } else { c }).take(500).collect();
    let file = fs::OpenOptions::new().create(true).append(true).open(&path);
    let _ = file.and_then(|mut file| writeln!(file, "{line}"));
}
