//! The command line, made from the table of operations.

use clap::{Arg, ArgAction, Command, ValueHint, value_parser};
use idetic_agent::ops;
use idetic_ops::{Interface, Operation};

use crate::child;

const AFTER: &str = "Exit codes: 0 fine, 1 a check failed, 2 invalid input, 3 not found, 4 conflict, 5 unavailable.
The home is found by --home, then IDETIC_HOME, then the nearest .idetic upward, then your data folder.";

/// The whole command.
pub fn build() -> Command {
    let mut root = Command::new("idetic")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Perfect recall for AI agents: one append-only log, every kind of memory a view of it")
        .after_help(AFTER)
        .max_term_width(110)
        .arg(
            Arg::new("json")
                .long("json")
                .global(true)
                .action(ArgAction::SetTrue)
                .help("Answer in JSON, one object per line"),
        )
        .arg(
            Arg::new("home")
                .long("home")
                .global(true)
                .value_name("DIR")
                .value_parser(value_parser!(std::path::PathBuf))
                .value_hint(ValueHint::DirPath)
                .help("The home to use"),
        )
        .arg(
            Arg::new("space")
                .long("space")
                .global(true)
                .value_name("USER/COLLECTION")
                .help("The space to use [default: local/default]"),
        );
    for operation in ops::all().filter(|o| o.interfaces.contains(&Interface::Cli)) {
        root = add(root, operation);
    }
    let root = root
        .subcommand(run())
        .subcommand(crate::open::command())
        .subcommand(crate::serve::command())
        .subcommand(crate::setup::command())
        .subcommand(crate::hook::command())
        .subcommand(crate::mcp::command())
        .subcommand(call())
        .subcommand(completions())
        .subcommand(man());
    let template = crate::help::template(&root);
    root.help_template(template)
}

/// What the commands of each group have in common.
const GROUPS: [(&str, &str); 12] = [
    ("amem", "Keep an A-MEM folder: files that people, git and other agents read and write"),
    ("config", "The settings of the home"),
    ("conversation", "Conversations: what was asked in each and what came of it, in order"),
    ("episode", "Episodes: what was attempted, how, and what came of it"),
    ("fact", "Facts: what is true, since when, and which events say so"),
    ("identity", "The identities of agents"),
    ("key", "API keys for the server: who may do what"),
    ("md", "Keep a project's memory in Markdown: CHANGELOG.md, .memory/graph.md, .memory/context.md, TODO.md"),
    ("note", "Write, find, link and judge notes: what was learned, one insight each"),
    ("profile", "What each agent can do, did and prefers"),
    ("rule", "Rules, decisions and to-dos that stand: list them, end one"),
    ("session", "Sessions of an agent: start, end, and the values one holds meanwhile"),
];

/// Examples in the help of a group.
const GROUP_EXAMPLES: usize = 4;

/// Adds an operation; `config show` becomes `show` under `config`.
fn add(root: Command, operation: &Operation) -> Command {
    let (group, name) = match operation.name.split_once(' ') {
        Some((group, name)) => (Some(group), name),
        None => (None, operation.name),
    };
    let command = Command::new(name).about(operation.about).after_help(format!("Example:\n  {}", operation.example));
    let command = (operation.arguments)(command);
    match group {
        None => root.subcommand(command),
        Some(group) if root.find_subcommand(group).is_some() => {
            // `import FILE` is a command of its own beside `import chaos DIR`.
            root.mut_subcommand(group, |g| {
                g.subcommand(command).subcommand_negates_reqs(true).args_conflicts_with_subcommands(true)
            })
        }
        Some(group) => {
            let about = GROUPS.iter().find(|(own, _)| *own == group).map_or("More commands", |(_, about)| *about);
            let group = Command::new(group).about(about).after_help(examples(group)).subcommand_required(true);
            root.subcommand(group.subcommand(command))
        }
    }
}

/// How the first commands of a group are used.
fn examples(group: &str) -> String {
    let of_group = |operation: &&Operation| operation.name.split_once(' ').is_some_and(|(own, _)| own == group);
    let examples = ops::all().filter(of_group).take(GROUP_EXAMPLES).map(|operation| operation.example);
    format!("Examples:\n  {}", examples.collect::<Vec<_>>().join("\n  "))
}

fn run() -> Command {
    Command::new("run")
        .about("Run a command inside a trace and remember how it ended and how long it took")
        .after_help(
            "The command gets CHORA_TRACE_ID, a new one if none is set, and its exit code is passed on: 127 when it \
             is not found, 126 when it cannot be started, 128 plus the signal's number when a signal ended it. Its \
             arguments are remembered as they are: put no secrets there.\n\n\
             Example:\n  idetic run --tail 2000 -- cargo test",
        )
        .arg(
            Arg::new("tail")
                .long("tail")
                .value_name("BYTES")
                .value_parser(value_parser!(u32).range(0..=i64::from(child::TAIL_MAX_BYTES)))
                .default_value("0")
                .help("If it fails, remember this many of the last bytes of its standard error"),
        )
        .arg(
            Arg::new("agent")
                .long("agent")
                .value_name("AGENT")
                .help("Whose memory it belongs to [default: the agent of the session, if one is open]"),
        )
        .arg(
            Arg::new("command")
                .value_name("COMMAND")
                .required(true)
                .last(true)
                .num_args(1..)
                .value_parser(value_parser!(std::ffi::OsString))
                .help("The command and its arguments, after --"),
        )
}

fn call() -> Command {
    Command::new("call")
        .about("Run an operation with its arguments as one JSON object, as a server would")
        .after_help("Example:\n  idetic call remember '{\"text\": \"The build needs Node 20\"}'")
        .arg(Arg::new("name").value_name("NAME").required(true).help("The operation, as `idetic ops` lists it"))
        .arg(Arg::new("arguments").value_name("JSON").default_value("{}").help("Its arguments"))
}

fn completions() -> Command {
    Command::new("completions")
        .about("Print completions for a shell")
        .after_help("Example:\n  idetic completions bash > ~/.local/share/bash-completion/completions/idetic")
        .arg(
            Arg::new("shell")
                .value_name("SHELL")
                .required(true)
                .value_parser(value_parser!(clap_complete::Shell))
                .help("The shell"),
        )
}

fn man() -> Command {
    Command::new("man")
        .about("Print the manual page of the program, or of one of its commands")
        .after_help("Example:\n  idetic man > /usr/local/share/man/man1/idetic.1; idetic man fact store | man -l -")
        .arg(Arg::new("command").value_name("COMMAND").num_args(0..=2).help("The command"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        build().debug_assert();
    }
}
