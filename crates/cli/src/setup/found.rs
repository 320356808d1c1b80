//! `setup` without a name: which coding agents are on this machine, what would be recorded of each, and all of them set up.

use std::io::{IsTerminal, Write, stdin, stdout};
use std::process::ExitCode;

use clap::ArgMatches;
use idetic_ops::clients::{CLIENTS, Client, Scope, Start};
use idetic_ops::{Error, Result};
use serde_json::json;

use super::recorded::recorded;
use super::{Folders, Setup, write};

/// Makes the set-up of a client.
type SetupOf<'a> = &'a dyn Fn(&'static Client) -> Setup;

/// A client on this machine, and whether it is set up: for every project, or for the one in the current folder.
pub fn found(folders: &Folders, program: &str) -> Vec<(&'static Client, bool)> {
    let start = Start { program: program.to_owned(), flags: Vec::new() };
    let is_set_up = |client: &'static Client| {
        let of = |scope| Setup { client, scope, folders: folders.clone(), start: start.clone() };
        Scope::ALL
            .into_iter()
            .filter(|scope| *scope == Scope::Project || folders.user.is_some())
            .any(|s| of(s).is_set_up())
    };
    let clients = CLIENTS.iter().map(|client| (client, is_set_up(client)));
    clients.filter(|(client, is_set_up)| *is_set_up || folders.has(client)).collect()
}

/// Lists them, asks, and sets up those that are not set up yet.
pub fn run(arguments: &ArgMatches, folders: &Folders, of: SetupOf<'_>, json: bool) -> Result<ExitCode> {
    if let Some(flag) = ["check", "remove", "print"].into_iter().find(|flag| arguments.get_flag(flag)) {
        return Err(Error::invalid(format!("--{flag} needs the name of a client"))
            .hint(format!("`idetic setup claude --{flag}`; `idetic setup` lists the clients on this machine")));
    }
    let found: Vec<Setup> = CLIENTS.iter().filter(|client| folders.has(client)).map(of).collect();
    if found.is_empty() {
        let names: Vec<&str> = CLIENTS.iter().map(|client| client.name).collect();
        return Err(Error::not_found("no coding agent was found on this machine")
            .hint(format!("name one: `idetic setup CLIENT` with {}", names.join(", "))));
    }
    let dry_run = arguments.get_flag("dry-run");
    if !json {
        list(&found)?;
    }
    let wanted: Vec<&Setup> = found.iter().filter(|setup| !setup.problems().is_empty()).collect();
    let is_wanted = arguments.get_flag("yes") || dry_run || !json && !wanted.is_empty() && agrees(&wanted)?;
    if json && !is_wanted {
        let line = |setup: &Setup| {
            let mut line = setup.described();
            line["set_up"] = json!(setup.is_set_up());
            line
        };
        return write(&format!("{}\n", json!({"clients": found.iter().map(line).collect::<Vec<_>>()})));
    }
    if is_wanted { set_up(&wanted, dry_run, json) } else { Ok(ExitCode::SUCCESS) }
}

/// What was found, and what would be recorded.
fn list(found: &[Setup]) -> Result<()> {
    let mut text = "On this machine:\n".to_owned();
    for setup in found {
        let state = match (setup.is_set_up(), setup.problems().is_empty()) {
            (false, _) => "not set up",
            (true, false) => "out of date",
            (true, true) => "set up",
        };
        let (recorded, _) = recorded(setup.client);
        let records = if recorded.is_empty() { "no session".to_owned() } else { recorded.join(", ") };
        text += &format!("  {:<12} {state:<12} records {records}\n", setup.client.title);
    }
    text += "Secrets are masked; what is between <private> and </private> or off the record is not kept.\n";
    write(&text).map(|_| ())
}

/// Whether they are to be set up: asked at a terminal, told how elsewhere.
fn agrees(wanted: &[&Setup]) -> Result<bool> {
    if !(stdin().is_terminal() && stdout().is_terminal()) {
        write("`idetic setup --yes` sets up all that are not, `idetic setup CLIENT` one\n")?;
        return Ok(false);
    }
    let titles: Vec<&str> = wanted.iter().map(|setup| setup.client.title).collect();
    write(&format!("Set up {}? [y/N] ", titles.join(", ")))?;
    stdout().flush().map_err(Error::io("cannot write the question"))?;
    let mut answer = String::new();
    stdin().read_line(&mut answer).map_err(Error::io("cannot read the answer"))?;
    Ok(["y", "yes"].contains(&answer.trim().to_lowercase().as_str()))
}

/// Sets up each; one that cannot be does not keep the others from it.
fn set_up(wanted: &[&Setup], dry_run: bool, json: bool) -> Result<ExitCode> {
    let (mut answers, mut failed) = (Vec::new(), None);
    for setup in wanted {
        match setup.set_up(dry_run) {
            Ok(lines) if json => answers.push(setup.answer(&lines)),
            Ok(lines) if dry_run => {
                let shown =
                    |line: &super::Line| format!("{} ({})\n{}", line.path.display(), line.change, line.difference);
                write(&lines.iter().map(shown).collect::<String>())?;
            }
            Ok(lines) => drop(write(&setup.text(&lines))?),
            Err(error) => failed = failed.or(Some(error)),
        }
    }
    if json {
        write(&format!("{}\n", json!({"clients": answers})))?;
    }
    failed.map_or(Ok(ExitCode::SUCCESS), Err)
}
