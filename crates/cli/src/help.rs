//! The help of the program: its commands in groups, those that people need first at the top.

use std::fmt::Write;

use clap::Command;

/// The commands of each group, in the order they are listed.
const GROUPS: [(&str, &[&str]); 7] = [
    ("Start here", &["setup", "remember", "recall", "log", "open", "forget", "doctor", "init"]),
    (
        "What is remembered",
        &[
            "get",
            "update",
            "history",
            "trace",
            "shown",
            "rule",
            "fact",
            "note",
            "episode",
            "conversation",
            "session",
            "profile",
            "context",
            "query",
            "graph",
            "stats",
            "append",
        ],
    ),
    ("Coding agents and failures", &["pause", "ignore", "resume", "advise", "failures", "run", "mcp", "hook"]),
    ("Agents of your own", &["ask", "do", "chat", "learn", "extract", "usage", "identity", "loops", "stm", "ltm"]),
    ("Files", &["md", "amem", "import", "export", "backup", "restore"]),
    (
        "Maintenance",
        &[
            "status",
            "spaces",
            "verify",
            "digest",
            "rebuild",
            "repair",
            "dream",
            "reembed",
            "retain",
            "purge",
            "quarantine",
            "migrate",
            "move",
            "snapshot",
            "eval",
        ],
    ),
    ("Server and program", &["serve", "key", "config", "ops", "call", "completions", "man", "help"]),
];
/// Longest line.
const WIDTH: usize = 100;
/// Where the description of a command begins.
const INDENT: usize = 16;

/// The template of the help, with every command in its group.
pub fn template(root: &Command) -> String {
    let mut text = "{about-with-newline}\n{usage-heading} {usage}\n".to_owned();
    for (title, names) in GROUPS {
        let _ = write!(text, "\n{title}:\n");
        for name in names {
            // clap adds `help` itself.
            let about = root.find_subcommand(name).and_then(Command::get_about).map(ToString::to_string);
            let about = about.unwrap_or_else(|| "Print this message or the help of a command".to_owned());
            let _ = writeln!(text, "  {name:<width$}{}", wrapped(&about), width = INDENT - 2);
        }
    }
    text + "\nOptions:\n{options}{after-help}"
}

/// A description, each further line below the first.
fn wrapped(about: &str) -> String {
    let mut lines = vec![String::new()];
    for word in about.split_whitespace() {
        let last = lines.last().map_or(0, |line| line.chars().count());
        if last > 0 && INDENT + last + 1 + word.chars().count() > WIDTH {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            *line += if line.is_empty() { "" } else { " " };
            *line += word;
        }
    }
    lines.join(&format!("\n{:INDENT$}", ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_stands_in_one_group() {
        let root = crate::command::build();
        let mut listed: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        listed.retain(|name| *name != "help");
        let mut commands: Vec<&str> = root.get_subcommands().map(Command::get_name).collect();
        listed.sort_unstable();
        commands.sort_unstable();
        assert_eq!(listed, commands);
    }
}
