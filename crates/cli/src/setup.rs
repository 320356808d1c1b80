//! `setup`: writes what a coding agent needs to remember into its own configuration, and takes it out again.

mod checks;
mod files;
mod found;
mod recorded;

use std::io::{self, Write, stdout};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Command};
use idetic_ops::clients::{CLIENTS, Client, Content, Scope, Start, diff, plan, table};
use idetic_ops::{Error, Kind, Result};
use serde_json::json;

pub use checks::checks;
pub use files::Folders;
pub use found::found;

use files::File;

pub fn command() -> Command {
    let flag = |name: &'static str, help: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue).help(help);
    Command::new("setup")
        .about("Set up a coding agent: its MCP configuration and hooks, keeping the rest of its files byte for byte")
        .after_help(
            "The files are those the client documents; each is copied to FILE.idetic-backup before it is first changed. With \
             --scope project a short block in AGENTS.md (CLAUDE.md, GEMINI.md) tells the agent how to use its memory. Without \
             CLIENT, the ones on this machine are listed, with what is recorded of each.\n\n\
             Example:\n  idetic setup claude --scope project",
        )
        .arg(
            Arg::new("client")
                .value_name("CLIENT")
                .value_parser(PossibleValuesParser::new(CLIENTS.iter().map(|client| client.name)))
                .help("The coding agent; without it, asks about those on this machine"),
        )
        .arg(
            Arg::new("scope")
                .long("scope")
                .value_name("SCOPE")
                .value_parser(Scope::ALL.map(Scope::word))
                .default_value("user")
                .help("For every project of yours (user), or for the one in the current folder (project)"),
        )
        .arg(
            Arg::new("agent")
                .long("agent")
                .value_name("AGENT")
                .help("The agent whose memory it is; without one it is shared in the space"),
        )
        .arg(flag("yes", "Without CLIENT: set up every one on this machine without asking"))
        .arg(flag("print", "Print what would be added, and change nothing"))
        .arg(flag("dry-run", "Show what would change, and change nothing"))
        .arg(flag("check", "Check whether it is set up and current: exit code 0 if so, 1 if not"))
        .arg(flag("remove", "Remove it again: the files are restored, edits made meanwhile are kept"))
        .group(ArgGroup::new("what").args(["print", "dry-run", "check", "remove"]))
}

/// One client in one scope.
struct Setup {
    client: &'static Client,
    scope: Scope,
    folders: Folders,
    start: Start,
}

/// What became of a file.
struct Line {
    path: PathBuf,
    change: &'static str,
    /// What changed, or would.
    difference: String,
}

/// Runs it. Whoever has no home yet can set clients up all the same.
pub fn run(matches: &ArgMatches, arguments: &ArgMatches, folders: Folders, program: String) -> Result<ExitCode> {
    let is_project = arguments.get_one::<String>("scope").is_some_and(|scope| scope == Scope::Project.word());
    let scope = if is_project { Scope::Project } else { Scope::User };
    if scope == Scope::User && folders.user.is_none() {
        return Err(Error::invalid("HOME does not name your home directory")
            .hint("set HOME, or name the project's own files with `--scope project`"));
    }
    let start = Start { program, flags: flags(matches, arguments, &folders)? };
    let json = matches.get_flag("json");
    let Some(named) = arguments.get_one::<String>("client") else {
        let of = |client| Setup::new(client, scope, folders.clone(), start.clone());
        return found::run(arguments, &folders, &of, json);
    };
    let client = table::find(named).ok_or_else(|| Error::invalid(format!("there is no client '{named}'")))?;
    let setup = Setup::new(client, scope, folders, start);
    if arguments.get_flag("print") {
        return setup.print();
    }
    if arguments.get_flag("check") {
        return setup.check(json);
    }
    let dry_run = arguments.get_flag("dry-run");
    let lines = if arguments.get_flag("remove") { setup.remove()? } else { setup.set_up(dry_run)? };
    if dry_run && !json {
        let shown = |line: &Line| format!("{} ({})\n{}", line.path.display(), line.change, line.difference);
        return write(&lines.iter().map(shown).collect::<String>());
    }
    setup.tell(&lines, json)?;
    Ok(ExitCode::SUCCESS)
}

/// Whose memory, and where it is: what was said here holds for every start.
fn flags(matches: &ArgMatches, arguments: &ArgMatches, folders: &Folders) -> Result<Vec<String>> {
    let mut flags = Vec::new();
    let mut add = |name: &str, value: String| flags.extend([name.to_owned(), value]);
    if let Some(agent) = arguments.get_one::<String>("agent") {
        add("--agent", agent.clone());
    }
    if let Some(space) = matches.get_one::<String>("space") {
        add("--space", idetic_ops::core::SpaceName::parse(space)?.to_string());
    }
    if let Some(home) = matches.get_one::<PathBuf>("home") {
        add("--home", folders.current.join(home).display().to_string());
    }
    Ok(flags)
}

impl Setup {
    /// What was said when a client was set up still holds.
    fn new(client: &'static Client, scope: Scope, folders: Folders, start: Start) -> Self {
        let mut setup = Self { client, scope, folders, start };
        if setup.start.flags.is_empty() {
            setup.start.flags = setup.flags_found();
        }
        setup
    }

    fn files(&self) -> Vec<(File, Content)> {
        let planned = plan(self.client, self.scope, &self.start).into_iter();
        planned.map(|planned| (self.folders.find(&planned.places, self.client), planned.content)).collect()
    }

    fn print(&self) -> Result<ExitCode> {
        let mut text = String::new();
        for (file, content) in self.files() {
            let ours = content.put_in(None).map_err(|fault| Error::invalid(fault.to_string()))?;
            text += &format!("# {}\n{ours}\n", file.path.display());
        }
        write(&text)
    }

    fn set_up(&self, dry_run: bool) -> Result<Vec<Line>> {
        if let Some(home) = self.missing_home() {
            return Err(Error::not_found(format!("there is no Idetic home at {}", home.display()))
                .hint(format!("create one with `idetic init {}`", home.display())));
        }
        let mut changes = Vec::new();
        let is_whole = self.is_whole();
        // Everything is read before anything is written: a file that cannot be read stops it all.
        for (number, (file, content)) in self.files().into_iter().enumerate() {
            let before = file.read()?;
            let after = content.put_in(before.as_deref()).map_err(|fault| file.cannot_edit(&fault))?;
            // What we wrote ourselves is no original.
            let is_ours = |text: &str| is_whole && self.is_as_written(number, &content, text);
            let is_original = before.as_deref().is_some_and(|before| !is_ours(before));
            changes.push((file, before, after, is_original));
        }
        let mut lines = Vec::new();
        for (file, before, after, is_original) in changes {
            let change = match &before {
                Some(before) if *before == after => "unchanged",
                Some(_) => "changed",
                None => "made",
            };
            let difference = diff::lines(before.as_deref().unwrap_or_default(), &after);
            if !dry_run && change != "unchanged" {
                if is_original {
                    file.back_up()?;
                }
                file.write(&after)?;
            }
            lines.push(Line { path: file.path, change, difference });
        }
        Ok(lines)
    }

    /// Whether every file has something of ours: who writes by hand rarely does that. The block may be another client's.
    fn is_whole(&self) -> bool {
        let files = self.files().into_iter().filter(|(_, content)| !matches!(content, Content::Block));
        files.into_iter().all(|(file, content)| {
            let text = file.read().ok().flatten().unwrap_or_default();
            content.is_in(&text).unwrap_or(false)
        })
    }

    /// Whether what a text has of ours is just what this command writes, for the start that is found there.
    fn is_as_written(&self, number: usize, content: &Content, text: &str) -> bool {
        let start = content.started_by(text).ok().flatten().unwrap_or_else(|| self.start.clone());
        let planned = plan(self.client, self.scope, &start).into_iter().nth(number);
        planned.is_some_and(|planned| planned.content.is_as_written(text).unwrap_or(false))
    }

    /// The home that every start names, where there is none.
    fn missing_home(&self) -> Option<PathBuf> {
        let at = self.start.flags.iter().position(|flag| flag == "--home")?;
        let home = PathBuf::from(self.start.flags.get(at + 1)?);
        let is_home = home.join("config.toml").exists() || home.join("spaces").is_dir();
        (!is_home).then_some(home)
    }

    fn remove(&self) -> Result<Vec<Line>> {
        let mut changes = Vec::new();
        for (file, content) in self.files() {
            let Some(text) = file.read()? else { continue };
            if !content.is_in(&text).map_err(|fault| file.cannot_edit(&fault))? || self.is_needed(&content) {
                continue;
            }
            let before = file.backup()?;
            let left = content.take_out(&text, before.as_deref()).map_err(|fault| file.cannot_edit(&fault))?;
            changes.push((file, text, left));
        }
        let mut lines = Vec::new();
        for (file, text, left) in changes {
            let change = if left.is_some() { "restored" } else { "removed" };
            let difference = diff::lines(&text, left.as_deref().unwrap_or_default());
            match left {
                Some(text) => file.write(&text)?,
                None => file.remove()?,
            }
            file.drop_backup()?;
            file.drop_empty_folders(&self.folders);
            lines.push(Line { path: file.path, change, difference });
        }
        Ok(lines)
    }

    /// Whether another client of the project reads the same block.
    fn is_needed(&self, content: &Content) -> bool {
        let reads = |other: &&Client| other.instructions == self.client.instructions && other.name != self.client.name;
        matches!(content, Content::Block)
            && CLIENTS.iter().filter(reads).any(|other| {
                let other = Self { client: other, folders: self.folders.clone(), start: self.start.clone(), ..*self };
                other.files().into_iter().any(|(file, content)| {
                    let text = file.read().ok().flatten().unwrap_or_default();
                    !matches!(content, Content::Block) && content.is_in(&text).unwrap_or(false)
                })
            })
    }

    fn check(&self, json: bool) -> Result<ExitCode> {
        let problems = self.problems();
        let (name, scope) = (self.client.name, self.scope.word());
        if json {
            let found: Vec<&str> = problems.iter().map(|problem| problem.found.as_str()).collect();
            let ok = problems.is_empty();
            write(&format!("{}\n", json!({"client": name, "scope": scope, "ok": ok, "problems": found})))?;
        }
        match problems.first() {
            None if json => Ok(ExitCode::SUCCESS),
            None => write(&format!("{} is set up ({scope}) and current\n", self.client.title)),
            Some(first) => Err(Error::new(Kind::CheckFailed, first.found.clone()).hint(first.fix.clone())),
        }
    }

    /// Whose memory and where it is, as the client has it now.
    fn flags_found(&self) -> Vec<String> {
        let start = self.files().into_iter().find_map(|(file, content)| {
            let text = file.read().ok().flatten()?;
            content.started_by(&text).ok().flatten()
        });
        start.unwrap_or_default().flags
    }

    fn tell(&self, lines: &[Line], json: bool) -> Result<()> {
        let text = if json { format!("{}\n", self.answer(lines)) } else { self.text(lines) };
        write(&text).map(|_| ())
    }

    /// What was done, for a program.
    fn answer(&self, lines: &[Line]) -> serde_json::Value {
        let file = |l: &Line| json!({"path": l.path.display().to_string(), "change": l.change, "diff": l.difference});
        let mut answer = self.described();
        answer["scope"] = json!(self.scope.word());
        answer["files"] = lines.iter().map(file).collect();
        answer
    }

    /// The same for a person.
    fn text(&self, lines: &[Line]) -> String {
        let (client, name, scope) = (self.client, self.client.name, self.scope.word());
        if lines.is_empty() {
            return format!("{} was not set up ({scope})\n", client.title);
        }
        let mut text: String = lines.iter().map(|l| format!("{:<9} {}\n", l.change, l.path.display())).collect();
        if self.scope == Scope::Project && client.servers.project.is_empty() {
            text += &format!("{} names MCP servers per user only: `idetic setup {name}` does that\n", client.title);
        }
        if lines.iter().any(|line| matches!(line.change, "made" | "changed")) {
            text += &self.outlook();
        }
        text
    }
}

fn write(text: &str) -> Result<ExitCode> {
    match stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Error::io("cannot write the answer")(error)),
        _ => Ok(ExitCode::SUCCESS),
    }
}
